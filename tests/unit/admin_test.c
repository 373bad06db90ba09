/* app/admin: command lines, the bodies made of them, what is shown, and what a refusal means. */
#include "app/admin/admin.h"
#include "app/admin/admin_service.h"
#include "app/admin/admin_show.h"
#include "config_start.h"

#define ID          "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"
#define OTHER_ID    "0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f"
#define TENANT      "5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4"
#define COMMAND_MAX 20

/* Parses words that are separated by '|'. */
static enum err parse(struct start *start, const char *line, struct admin_input *ret_input)
{
    char *args[COMMAND_MAX];
    int count = 0;
    char *text = arena_text(&start->arena, line);

    while (text) {
        assert_true(count < COMMAND_MAX);
        args[count++] = strsep(&text, "|");
    }
    buf_clear(&start->why);
    return admin_parse(count, args, &start->arena, ret_input, &start->why);
}

static struct admin_input parse_well(struct start *start, const char *line)
{
    struct admin_input input;
    if (parse(start, line, &input)) fail_msg("%s: %s", line, text_of(start, &start->why));
    return input;
}

/* --- Command lines --- */

static void test_commands_are_found(void **state)
{
    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        AUTO_BUF line = {0};
        buf_init(&line, 1000);
        for (const char *p = command->words; *p; p++)
            buf_char(&line, *p == ' ' ? '|' : *p);
        for (int id = 0; id < ADMIN_IDS_MAX && command->ids[id]; id++)
            buf_text(&line, "|" ID);
        struct admin_flags flags = admin_flags_of(command, &((struct start *)*state)->arena);
        bool is_change = strcmp(admin_route(command)->method, "PATCH") == 0 && !command->body;
        for (size_t k = 0; k < flags.count; k++) {
            bool is_first = is_change && k == 0;
            if ((flags.rows[k].is_required || is_first) && flags.rows[k].id < 0)
                buf_printf(&line, "|--%s|7", flags.rows[k].name);
        }
        struct admin_input input = parse_well(*state, text_of(*state, &line));
        assert_ptr_equal(input.command, command);
    }
}

/* Its ids are those of its path, and then of fields that its body must have. */
static void test_every_command_is_whole(void **state)
{
    struct start *start = *state;
    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        const struct route *route = admin_route(command);
        struct admin_flags flags = admin_flags_of(command, &start->arena);
        size_t ids = 0, named = 0;
        for (const char *p = route->path; *p; p++)
            ids += *p == '{';
        for (size_t k = 0; k < flags.count; k++) {
            ids += flags.rows[k].id >= 0;
            for (size_t earlier = 0; earlier < k; earlier++)
                assert_string_not_equal(flags.rows[k].name, flags.rows[earlier].name);
        }
        for (int id = 0; id < ADMIN_IDS_MAX && command->ids[id]; id++)
            named++;
        assert_int_equal(named, ids);
        assert_non_null(strchr(command->words, ' '));
        assert_int_equal(command->show == NULL, !route->reply && strcmp(route->method, "GET") == 0);
        assert_int_equal(named > 0, command->missing != NULL);
        assert_false(command->body && flags.count > 0);
        if (command->proposed_path)
            assert_non_null(strstr(admin_usage(command, &start->arena), "--archive-share"));
    }
}

/* They are typed by people, and stay as they are. */
static void test_flags_have_short_names(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *words, *usage;
    } rows[] = {
        {"integrations create",
         "integrations create --tenant UUID --point UUID [--environment WORD] --name TEXT"
         " --erp-url TEXT\n      --erp-token-file FILE [--erp-path TEXT] [--erp-timeout SECONDS]"
         " [--archive-share SHARE]\n      [--absent WORD]"},
        {"clients create", "clients create INTEGRATION [--name TEXT] [--scopes \"A B\"]"},
        {"secrets rotate", "secrets rotate CLIENT [--overlap SECONDS]"},
        {"packages list",
         "packages list INTEGRATION [--status WORD] [--type WORD] [--limit COUNT] [--cursor TEXT]"},
        {"orders list",
         "orders list [--integration UUID] [--state WORD] [--limit COUNT] [--cursor TEXT]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t at = 0;
        while (at < admin_command_count && strcmp(admin_commands[at].words, rows[i].words) != 0)
            at++;
        assert_true(at < admin_command_count);
        assert_string_equal(admin_usage(&admin_commands[at], &start->arena), rows[i].usage);
    }
}

static void test_flags_stand_anywhere_in_two_shapes(void **state)
{
    struct admin_input input =
        parse_well(*state, "--json|integrations|--name=A = B|change|--erp-timeout|5|" ID
                           "|--url|http://herald.example:8080//|--state-dir|/srv|--listen=h:1");
    assert_true(input.wants_json);
    assert_string_equal(admin_value(&input, "name"), "A = B");
    assert_string_equal(admin_value(&input, "erp.timeout_seconds"), "5");
    assert_string_equal(input.ids[0], ID);
    assert_string_equal(input.url, "http://herald.example:8080");
    assert_int_equal(input.setting_count, 2);
    assert_string_equal(input.settings[0], "--state-dir=/srv");
    assert_string_equal(input.settings[1], "--listen=h:1");
}

/* Of an ERP's ids herald knows nothing. */
static void test_two_dashes_end_the_options(void **state)
{
    struct admin_input input = parse_well(*state, "packages|show|--json|" ID "|--|-1");
    assert_string_equal(input.ids[1], "-1");
    assert_true(input.wants_json);
    assert_string_equal(parse_well(*state, "packages|retry|--|" ID "|--help").ids[1], "--help");
    assert_string_equal(parse_well(*state, "--|packages|body|" ID "|--").ids[1], "--");
    assert_false(parse_well(*state, "packages|retry|" ID "|--|--help").wants_help);
}

static void test_ids_are_written_in_one_form(void **state)
{
    struct admin_input input =
        parse_well(*state, "integrations|show|0192F0C6-6666-7D3E-8F00-3B2A1C0D9E8F");
    assert_string_equal(input.ids[0], ID);
}

static void test_help_is_asked_for_by_any_line(void **state)
{
    assert_true(parse_well(*state, "--help").wants_help);
    assert_true(parse_well(*state, "clients|create|--help").wants_help);
}

static void test_help_names_everything(void **state)
{
    struct start *start = *state;
    AUTO_BUF out = {0};

    buf_init(&out, 65536);
    admin_print_help(&out);
    const char *help = text_of(start, &out);
    for (size_t i = 0; i < admin_command_count; i++)
        assert_non_null(strstr(help, admin_commands[i].words));
    assert_non_null(strstr(help, "\n  --status WORD            Only packages with this status. One "
                                 "of: accepted, processing, "));
    assert_non_null(strstr(help, "  --erp-token-file FILE    The secret of requests to the ERP"));
    for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 100);
}

static const struct {
    const char *line, *words;
} wrong_lines[] = {
    {"dance", "integrations, clients, secrets, keys, packages, orders."},
    {"integrations", "list, show, create, change, enable, disable."},
    {"keys|dance", "list, rotate."},
    {"key|list", "integrations, clients, secrets, keys, packages, orders."},
    {"integrations|show", "integrations show INTEGRATION"},
    {"integrations|show|" ID "|" ID, "integrations show INTEGRATION"},
    {"integrations|show|x", "INTEGRATION must be an id"},
    {"integrations|show|../clients", "INTEGRATION must be an id"},
    {"packages|show|" ID, "packages show INTEGRATION EVENT_ID"},
    {"packages|show|x|a", "INTEGRATION must be an id"},
    {"packages|show|" ID "|", "EVENT_ID must be a text"},
    {"packages|body|" ID "|\xff", "EVENT_ID must be a text"},
    {"packages|show|" ID "|-1", "\"-1\" is not understood"},
    {"packages|show|" ID "|--", "packages show INTEGRATION EVENT_ID"},
    {"packages|show|" ID "|--|-1|-2", "\"-2\" is not understood"},
    {"integrations|show|--|--json", "INTEGRATION must be an id"},
    {"packages|list|" ID "|--limit|x", "--limit must be a whole number"},
    {"packages|retry|" ID "|a|--status|failed", "takes no --status"},
    {"orders|dance", "list, show, attempts, retry."},
    {"orders|list|" ID, "orders list [--integration UUID] [--state WORD]"},
    {"orders|show", "orders show ORDER"},
    {"orders|retry|x", "ORDER must be an id"},
    {"orders|attempts|" ID "|--state|failed", "takes no --state"},
    {"packages|list|" ID "|--integration|" ID, "takes no --integration"},
    {"secrets|revoke|" ID, "secrets revoke CLIENT SECRET_ID"},
    {"secrets|revoke|" ID "|" ID "|" ID, "is not understood"},
    {"keys|list|-v", "\"-v\" is not understood"},
    {"keys|list|--name|x", "takes no --name"},
    {"keys|list|--name", "--name needs a value"},
    {"integrations|change|" ID, "at least one of --name, --erp-url"},
    {"integrations|create|--name|x", "needs --tenant, --point, --erp-url, --erp-token-file."},
    {"integrations|change|" ID "|--name|x|--name=y", "--name is given twice"},
    {"integrations|change|" ID "|--name|\xff", "--name must be UTF-8"},
    {"integrations|change|" ID "|--erp-timeout|1.5", "--erp-timeout must be a whole number"},
    {"secrets|rotate|" ID "|--overlap=", "--overlap must be a whole number"},
    {"keys|list|--url|herald.example", "--url must be"},
    {"keys|list|--url|http://", "--url must be"},
    {"keys|list|--url|https:///", "--url must be"},
    {"keys|list|--url|http://user:pass@herald.example", "--url must be"},
    {"keys|list|--url|http://herald.example/a?b", "--url must be"},
    {"keys|list|--url|http://herald.example/\r\nX: y", "--url must be"},
    {"integrations|change|" ID "|--erp-token|canary", "can be seen by others"},
    {"integrations|change|" ID "|--erp-token=canary", "can be seen by others"},
};

static void test_wrong_lines_are_told(void **state)
{
    struct start *start = *state;
    struct admin_input input;

    for (size_t i = 0; i < COUNT_OF(wrong_lines); i++) {
        assert_int_equal(parse(start, wrong_lines[i].line, &input), ERR_VALIDATION);
        assert_says(start, wrong_lines[i].words);
        assert_silent(start, "canary");
        assert_silent(start, "pass@");
    }
}

/* --- Bodies --- */

static void assert_body(struct start *start, const char *line, const char *expected)
{
    struct admin_input input = parse_well(start, line);
    AUTO_BUF body = {0};

    buf_init(&body, 4096);
    admin_write_body(&input, &start->arena, &body);
    assert_string_equal(text_of(start, &body), expected);
}

static void test_bodies(void **state)
{
    assert_body(*state, "integrations|list", "");
    assert_body(*state, "packages|list|" ID "|--status|failed", "");
    assert_body(*state, "packages|retry|" ID "|a", "");
    assert_body(*state, "orders|list|--state|failed", "");
    assert_body(*state, "orders|retry|" ID, "");
    assert_body(*state, "keys|rotate", "");
    assert_body(*state, "integrations|enable|" ID, "{\"enabled\":true}");
    assert_body(*state, "clients|disable|" ID, "{\"enabled\":false}");
    assert_body(*state, "clients|create|" ID, "{}");
    assert_body(*state, "clients|create|" ID "|--scopes| a  b |--name|\xd0\x9b \"1\"",
                "{\"name\":\"\xd0\x9b \\\"1\\\"\",\"scopes\":[\"a\",\"b\"]}");
    assert_body(*state, "clients|create|" ID "|--scopes|", "{\"scopes\":[]}");
    assert_body(*state, "secrets|rotate|" ID "|--overlap|060", "{\"overlap_seconds\":60}");
    assert_body(*state, "secrets|revoke|" ID "|" OTHER_ID, "{\"secret_id\":\"" OTHER_ID "\"}");
    assert_body(*state, "integrations|change|" ID "|--name|x", "{\"name\":\"x\"}");
    assert_body(*state, "integrations|change|" ID "|--erp-timeout|-1|--erp-url|u",
                "{\"erp\":{\"base_url\":\"u\",\"timeout_seconds\":-1}}");
    assert_body(*state,
                "integrations|create|--erp-token-file|t|--erp-path|/p|--erp-url|u|--name|n"
                "|--point|p|--tenant|" TENANT,
                "{\"tenant_id\":\"" TENANT "\",\"point_id\":\"p\",\"name\":\"n\","
                "\"erp\":{\"base_url\":\"u\",\"token\":\"t\",\"order_path\":\"/p\"},"
                "\"max_archive_share\":0.5}");
}

/* --- Targets --- */

static void assert_target(struct start *start, const char *line, const char *expected)
{
    struct admin_input input = parse_well(start, line);
    assert_string_equal(admin_make_target(&input, &start->arena), expected);
}

#define ONE_INTEGRATION "/internal/v1/integrations/" ID

static void test_targets(void **state)
{
    assert_target(*state, "keys|list", "/internal/v1/signing-keys");
    assert_target(*state, "integrations|change|" ID "|--name|x", ONE_INTEGRATION);
    assert_target(*state, "secrets|revoke|" ID "|" OTHER_ID,
                  "/internal/v1/clients/" ID "/revoke-secret");
    assert_target(*state, "packages|list|" ID, ONE_INTEGRATION "/events");
    assert_target(*state,
                  "packages|list|" ID "|--cursor|4&1|--type|delta|--limit|07|--status|failed",
                  ONE_INTEGRATION "/events?status=failed&event_type=delta&limit=07&cursor=4%261");
    assert_target(*state, "orders|list", "/internal/v1/orders");
    assert_target(
        *state, "orders|list|--limit|2|--cursor|1.a|--state|failed|--integration|" OTHER_ID,
        "/internal/v1/orders?integration_id=" OTHER_ID "&state=failed&limit=2&cursor=1.a");
    assert_target(*state, "orders|show|" ID, "/internal/v1/orders/" ID);
    assert_target(*state, "orders|attempts|" ID "|--cursor|50",
                  "/internal/v1/orders/" ID "/attempts?cursor=50");
    assert_target(*state, "orders|retry|" ID, "/internal/v1/orders/" ID "/retry");
    assert_target(*state, "packages|show|" ID "|a-b_c.d~9", ONE_INTEGRATION "/events/a-b_c.d~9");
    assert_target(*state, "packages|body|" ID "|../x y?z%\xd0\xb6",
                  ONE_INTEGRATION "/events/..%2Fx%20y%3Fz%25%D0%B6/body");
    assert_target(*state, "packages|show|" ID "|..", ONE_INTEGRATION "/events/..");
    assert_target(*state, "packages|retry|" ID "|a:1", ONE_INTEGRATION "/events/a%3A1/retry");
    assert_target(*state, "packages|release|" ID "|a:1", ONE_INTEGRATION "/events/a%3A1/release");
}

static const struct {
    const char *content, *secret, *fault;
} secret_files[] = {
    {"canary", "canary", NULL},  {"canary\r\n\n", "canary", NULL}, {" canary \n", " canary ", NULL},
    {"", NULL, "holds nothing"}, {"\n", NULL, "holds nothing"},    {"\xff", NULL, "no text"},
};

static void test_secret_is_read_from_a_file(void **state)
{
    struct start *start = *state;

    for (size_t i = 0; i < COUNT_OF(secret_files); i++) {
        const char *path = write_file(start, "erp-token", secret_files[i].content);
        struct admin_input input =
            parse_well(start, arena_printf(&start->arena,
                                           "integrations|change|" ID "|--erp-token-file|%s", path));
        enum err err = admin_read_secrets(&input, &start->arena, &start->why);
        assert_int_equal(err != ERR_OK, secret_files[i].fault != NULL);
        if (err)
            assert_says(start, secret_files[i].fault);
        else
            assert_string_equal(admin_value(&input, "erp.token"), secret_files[i].secret);
    }
}

static void test_secret_file_has_bounds(void **state)
{
    struct start *start = *state;
    char content[4098];

    for (size_t len = 4096; len <= 4097; len++) {
        memset(content, 'x', len);
        content[len] = '\0';
        const char *path = write_file(start, "erp-token", content);
        struct admin_input input =
            parse_well(start, arena_printf(&start->arena,
                                           "integrations|change|" ID "|--erp-token-file|%s", path));
        bool is_taken = !admin_read_secrets(&input, &start->arena, &start->why);
        assert_int_equal(is_taken, len == 4096);
    }
    assert_says(start, "more than 4096 bytes");
}

static void test_secret_file_that_is_not_there(void **state)
{
    struct start *start = *state;
    struct admin_input input =
        parse_well(start, "integrations|change|" ID "|--erp-token-file|/nowhere/erp-token");
    assert_int_equal(admin_read_secrets(&input, &start->arena, &start->why), ERR_VALIDATION);
    assert_says(start, "--erp-token-file: the file /nowhere/erp-token cannot be read");
}

/* --- What is shown --- */

/* An answer of the service as `herald admin` reads and shows it. */
static void assert_shown(struct start *start, const char *line, const char *answer,
                         const char *expected)
{
    struct admin_input input = parse_well(start, line);
    const struct record *record = input.route->reply;
    struct admin_view view = {.input = &input, .arena = &start->arena};
    struct record_faults faults;
    AUTO_BUF out = {0};

    if (record) {
        void *value = arena_alloc(&start->arena, record->size);
        record_faults_init(&faults, &start->arena);
        assert_int_equal(
            record_decode(record, str_of(answer), false, &start->arena, value, &faults), ERR_OK);
        view.value = value;
    }
    buf_init(&out, 4096);
    view.out = &out;
    input.command->show(&view);
    assert_string_equal(text_of(start, &out), expected);
}

#define ORDER(state, attempts, due, number, error)                                                 \
    "{\"id\":\"" ID "\",\"order_id\":\"" ID "\",\"integration_id\":\"" OTHER_ID                    \
    "\",\"environment\":\"test\",\"state\":\"" state "\",\"attempts\":" attempts                   \
    ",\"next_attempt_at\":" due ",\"erp_order_id\":null,"                                          \
    "\"erp_number\":" number ",\"last_error\":" error ",\"known_products\":{\"known\":2,\"of\":3}" \
    ",\"created_at\":\"2026-11-21T04:33:00.123Z\","                                                \
    "\"updated_at\":\"2026-11-21T04:33:01.000Z\"}"

static void test_orders_are_shown(void **state)
{
    assert_shown(*state, "orders|list",
                 "{\"orders\":[" ORDER("accepted", "1", "null", "\"00-1\"", "null") "," ORDER(
                     "queued", "12", "\"2026-11-21T04:38:00.000Z\"", "null",
                     "\"HTTP 503\"") "],\"next_cursor\":\"1.a\"}",
                 "ORDER                                 INTEGRATION                           "
                 "STATE     ATTEMPTS  CREATED                   NEXT ATTEMPT              "
                 "ERP NUMBER  ERROR\n" ID "  " OTHER_ID
                 "  accepted  1         2026-11-21T04:33:00.123Z  -                         "
                 "00-1        -\n" ID "  " OTHER_ID
                 "  queued    12        2026-11-21T04:33:00.123Z  2026-11-21T04:38:00.000Z  "
                 "-           HTTP 503\n"
                 "\nThere are older ones: --cursor 1.a\n");
    assert_shown(*state, "orders|list", "{\"orders\":[],\"next_cursor\":null}",
                 "There is no such order.\n");
    assert_shown(*state, "orders|show|" ID, ORDER("failed", "870", "null", "null", "\"HTTP 503\""),
                 "id               " ID "\n"
                 "integration_id   " OTHER_ID "\n"
                 "order_id         " ID "\n"
                 "environment      test\n"
                 "state            failed\n"
                 "attempts         870\n"
                 "next_attempt_at  -\n"
                 "erp_order_id     -\n"
                 "erp_number       -\n"
                 "last_error       HTTP 503\n"
                 "known products   2 of 3\n"
                 "created_at       2026-11-21T04:33:00.123Z\n"
                 "updated_at       2026-11-21T04:33:01.000Z\n");
    assert_shown(
        *state, "orders|attempts|" ID,
        "{\"attempts\":[{\"attempt\":1,\"started_at\":\"2026-11-21T04:33:00.123Z\","
        "\"duration_ms\":10000,\"status\":null,\"outcome\":\"unknown\",\"error\":\"the time"
        " was up\"},{\"attempt\":2,\"started_at\":\"2026-11-21T04:33:12.000Z\","
        "\"duration_ms\":9,\"status\":200,\"outcome\":\"accepted\",\"error\":null}],"
        "\"next_cursor\":null}",
        "ATTEMPT  STARTED                   MS     STATUS  OUTCOME   ERROR\n"
        "1        2026-11-21T04:33:00.123Z  10000  -       unknown   the time was up\n"
        "2        2026-11-21T04:33:12.000Z  9      200     accepted  -\n");
    assert_shown(*state, "orders|attempts|" ID, "{\"attempts\":[],\"next_cursor\":null}",
                 "There is no attempt.\n");
    assert_shown(*state, "orders|retry|" ID, "",
                 "If it had failed or was queued, it is due now: `orders show` tells what becomes "
                 "of it.\n");
}

/* --- Refusals --- */

static const char explained_url[] = "http://h";

static const char *explain(struct start *start, const char *line, int status, const char *body)
{
    struct admin_input input = parse_well(start, line);
    struct admin_service service = {
        .url = explained_url, .key = "canary", .key_source = "the file k"};
    struct admin_answer answer = {.status = status, .retry_after_ms = 1001, .body = str_of(body)};

    buf_clear(&start->why);
    admin_explain(&input, &service, &answer, &start->arena, &start->why);
    assert_silent(start, "canary");
    return text_of(start, &start->why);
}

#define REFUSAL(code) "{\"error\":{\"code\":\"" code "\",\"message\":\"It is so.\"}}"

static void test_refusals_are_explained(void **state)
{
    const char *show = "integrations|show|" ID;
    assert_string_equal(explain(*state, show, 401, REFUSAL("unauthorized")),
                        "The service at http://h does not take the key from the file k. Give the "
                        "INTERNAL_API_KEY that it runs with.");
    assert_string_equal(explain(*state, show, 404, REFUSAL("not_found")),
                        "There is no such integration.");
    assert_string_equal(explain(*state, "keys|list", 404, REFUSAL("not_found")),
                        "The service refused: It is so. Try again in 2 s.");
    assert_string_equal(explain(*state, show, 503, REFUSAL("storage_unavailable")),
                        "The service refused: It is so. Try again in 2 s.");
    assert_string_equal(explain(*state, "clients|create|" ID, 409,
                                "{\"error\":{\"message\":\"No: \xe2\x80\xaeit.\"}}"),
                        "The service refused: No: \\u202eit. Try again in 2 s.");
    assert_non_null(strstr(explain(*state, show, 404, "<html>"), "is not herald"));
    assert_non_null(strstr(explain(*state, show, 302, ""), "is not herald"));
}

#define FAULT(path, message) "{\"path\":\"" path "\",\"message\":\"" message "\"}"
#define FAULTS(rows) \
    "{\"error\":{\"code\":\"validation_error\",\"message\":\"No.\",\"fields\":[" rows "]}}"

static void test_each_fault_is_told_by_what_was_typed(void **state)
{
    assert_string_equal(explain(*state, "secrets|revoke|" ID "|" ID, 422,
                                FAULTS(FAULT("secret_id", "Must be a UUID.") "," FAULT(
                                    "names", "Is unknown.") "," FAULT("", "Is full."))),
                        "The service refused the values:\n"
                        "  SECRET_ID: Must be a UUID.\n"
                        "  names: Is unknown.\n"
                        "  Is full.");
    assert_string_equal(
        explain(*state, "clients|create|" ID, 422, FAULTS(FAULT("scopes[1]", "Must be known."))),
        "The service refused the values:\n"
        "  --scopes[1]: Must be known.");
    assert_string_equal(explain(*state, "integrations|change|" ID "|--name|x", 422,
                                FAULTS(FAULT("erp.base_url", "Must be https."))),
                        "The service refused the values:\n"
                        "  --erp-url: Must be https.");
}

static void test_silence_is_explained(void **state)
{
    struct start *start = *state;
    struct admin_service service = {.url = explained_url, .key_source = "k"};
    struct admin_answer answer = {.error = "the time was up", .was_sent = true};
    struct admin_input reads = parse_well(start, "keys|list");
    struct admin_input writes = parse_well(start, "keys|rotate");

    admin_explain(&reads, &service, &answer, &start->arena, &start->why);
    assert_says(start, "http://h gave no answer: the time was up. Is `herald serve` running");
    buf_clear(&start->why);
    admin_explain(&writes, &service, &answer, &start->arena, &start->why);
    assert_says(start, "may have been carried out");
    buf_clear(&start->why);
    answer.was_sent = false;
    admin_explain(&writes, &service, &answer, &start->arena, &start->why);
    assert_says(start, "Is `herald serve` running there?");
}

/* --- The key --- */

static void test_key_comes_from_the_settings_or_the_file_of_serve(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--state-dir", start->folder};

    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why),
                     ERR_VALIDATION);
    assert_says(start, "internal-api-key");
    write_file(start, "internal-api-key", "from-file\n");
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why), ERR_OK);
    assert_string_equal(start->config.internal_keys.data, "from-file");
    setenv("INTERNAL_API_KEY", "from-environment", 1);
    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why), ERR_OK);
    assert_string_equal(start->config.internal_keys.data, "from-environment");
}

static void test_no_key_is_made_up_for_postgresql(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--state-dir", start->folder};

    write_file(start, "internal-api-key", "from-file\n");
    setenv("HERALD_DATABASE_URL", "postgresql://h@db/herald", 1);
    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why),
                     ERR_VALIDATION);
    assert_says(start, "INTERNAL_API_KEY is not set");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_commands_are_found),
        CASE(test_every_command_is_whole),
        CASE(test_flags_have_short_names),
        CASE(test_flags_stand_anywhere_in_two_shapes),
        CASE(test_two_dashes_end_the_options),
        CASE(test_ids_are_written_in_one_form),
        CASE(test_help_is_asked_for_by_any_line),
        CASE(test_help_names_everything),
        CASE(test_wrong_lines_are_told),
        CASE(test_bodies),
        CASE(test_targets),
        CASE(test_secret_is_read_from_a_file),
        CASE(test_secret_file_has_bounds),
        CASE(test_secret_file_that_is_not_there),
        CASE(test_orders_are_shown),
        CASE(test_refusals_are_explained),
        CASE(test_each_fault_is_told_by_what_was_typed),
        CASE(test_silence_is_explained),
        CASE(test_key_comes_from_the_settings_or_the_file_of_serve),
        CASE(test_no_key_is_made_up_for_postgresql),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
