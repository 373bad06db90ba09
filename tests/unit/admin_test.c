/* app/admin: command lines, and the bodies and targets made of them. */
#include "admin_line.h"
#include "app/api/routes.h"

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

static bool has_command(const char *operation)
{
    for (size_t i = 0; i < admin_command_count; i++) {
        if (strcmp(admin_commands[i].operation, operation) == 0) return true;
    }
    return false;
}

/* But for two, which others stand in for: `log --follow`, and `packages list INTEGRATION`. */
static void test_every_operation_has_a_command(void **state)
{
    struct route_list routes;
    (void)state;
    routes_of_role(PROCESS_SERVE, true, &routes);
    for (size_t i = 0; i < routes.count; i++) {
        const struct route *route = &routes.rows[i];
        bool is_internal = strncmp(route->path, "/internal/", strlen("/internal/")) == 0;
        bool has_other = strcmp(route->operation_id, "streamLog") == 0 ||
                         strcmp(route->operation_id, "listErpEvents") == 0;
        if (is_internal && has_command(route->operation_id) == has_other)
            fail_msg("%s", route->operation_id);
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
         "integrations create --tenant UUID --point UUID [--environment WORD] --name TEXT\n"
         "      --erp-url TEXT --erp-token-file FILE [--erp-path TEXT]\n"
         "      [--erp-timeout SECONDS] [--archive-share SHARE] [--absent WORD]"},
        {"clients create", "clients create INTEGRATION [--name TEXT] [--scopes \"A B\"]"},
        {"secrets rotate", "secrets rotate CLIENT [--overlap SECONDS]"},
        {"packages list",
         "packages list [INTEGRATION] [--status WORD] [--type WORD] [--limit COUNT]\n"
         "      [--cursor TEXT]"},
        {"refusals", "refusals INTEGRATION [--limit COUNT] [--cursor TEXT]"},
        {"integrations list",
         "integrations list [--q TEXT] [--enabled true|false] [--limit COUNT]\n"
         "      [--cursor TEXT]"},
        {"log", "log [--level WORD] [--q TEXT] [--request-id TEXT] [--otp UUID] [--since TIME]\n"
                "      [--until TIME] [--limit COUNT] [--cursor TEXT] [--follow]"},
        {"orders list", "orders list [--integration UUID] [--state WORD] [--recipient TEXT]\n"
                        "      [--since TIME] [--until TIME] [--limit COUNT] [--cursor TEXT]"},
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
    admin_print_help("", "", &out);
    const char *help = text_of(start, &out);
    for (size_t i = 0; i < admin_command_count; i++)
        assert_non_null(strstr(help, admin_commands[i].words));
    assert_non_null(
        strstr(help, "\n  --status WORD            Only packages with this status. One"));
    assert_non_null(strstr(help, "  --erp-token-file FILE    The secret of requests to the ERP"));
    for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
}

static void test_help_is_about_what_stands_before_it(void **state)
{
    static const char *const lines[][3] = {
        {"orders|--help", "orders attempts ORDER", "integrations list"},
        {"orders|show|" ID "|--help", "orders show ORDER", "orders list"},
    };
    struct start *start = *state;

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct admin_input input = parse_well(start, lines[i][0]);
        AUTO_BUF out = {0};
        buf_init(&out, 65536);
        admin_print_help(input.first, input.second, &out);
        assert_non_null(strstr(text_of(start, &out), lines[i][1]));
        assert_null(strstr(text_of(start, &out), lines[i][2]));
    }
}

#define NOUNS "integrations, clients, secrets, keys, "

static const struct {
    const char *line, *words;
} wrong_lines[] = {
    {"dance", NOUNS},
    {"integrations", "list, show, create, change, enable, disable."},
    {"keys|dance", "list, rotate, withdraw."},
    {"key|list", NOUNS},
    {"integrations|show", "integrations show INTEGRATION"},
    {"integrations|show|" ID "|" ID, "integrations show INTEGRATION"},
    {"clients|enable|x", "CLIENT must be an id"},
    {"packages|show|" ID, "packages show INTEGRATION EVENT_ID"},
    {"packages|show|\xff|a", "INTEGRATION must be a text in UTF-8"},
    {"packages|show|" ID "|", "EVENT_ID must not be empty"},
    {"packages|body|" ID "|\xff", "EVENT_ID must be a text"},
    {"find", "It is: herald admin find WHAT"},
    {"packages|show|" ID "|-1", "\"-1\" is not understood"},
    {"packages|show|" ID "|--", "packages show INTEGRATION EVENT_ID"},
    {"packages|show|" ID "|--|-1|-2", "\"-2\" is not understood"},
    {"clients|enable|--|--json", "CLIENT must be an id"},
    {"packages|list|" ID "|--limit|x", "--limit must be a whole number"},
    {"packages|retry|" ID "|a|--status|failed", "takes no --status"},
    {"orders|dance", "list, create, show, reveal, attempts, timeline, retry."},
    {"orders|create", "needs --body."},
    {"orders|create|--body|x|--idempotency-key|a\nb", "without control characters"},
    {"orders|show|" ID "|--idempotency-key|x", "takes no --idempotency-key"},
    {"otp|dance", "list, create, show, reveal, verify, timeline, fallback, cancel."},
    {"otp|show", "otp show OTP"},
    {"otp|cancel|x", "OTP must be an id"},
    {"challenges|dance", "list, create, show, reveal, timeline, cancel."},
    {"challenges|list|--channel|sms", "takes no --channel"},
    {"messages|cancel|" ID, "list, create, show, reveal, timeline."},
    {"orders|list|" ID, "orders list [--integration UUID] [--state WORD]"},
    {"orders|show", "orders show ORDER"},
    {"orders|retry|x", "ORDER must be an id"},
    {"orders|attempts|" ID "|--state|failed", "takes no --state"},
    {"packages|list|" ID "|--integration|" ID, "takes no --integration"},
    {"log|today", "log [--level WORD]"},
    {"log|--state|failed", "takes no --state"},
    {"orders|list|--follow", "takes no --follow"},
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
    assert_int_equal(admin_write_body(&input, &start->arena, &body, &start->why), ERR_OK);
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
    assert_target(*state, "packages|list", "/internal/v1/packages");
    assert_target(*state, "packages|list|" ID, "/internal/v1/packages?integration_id=" ID);
    assert_target(*state, "refusals|" ID "|--limit|7", ONE_INTEGRATION "/refusals?limit=7");
    assert_target(*state, "integrations|list|--enabled|false|--q|a b",
                  "/internal/v1/integrations?q=a%20b&enabled=false");
    assert_target(*state,
                  "packages|list|" ID "|--cursor|4&1|--type|delta|--limit|07|--status|failed",
                  "/internal/v1/packages?integration_id=" ID
                  "&status=failed&event_type=delta&limit=07&cursor=4%261");
    assert_target(*state, "otp|list", "/internal/v1/otp");
    assert_target(*state, "otp|list|--recipient|8 (916) 123-45-67|--state|sent|--channel|sms",
                  "/internal/v1/otp?recipient=8%20%28916%29%20123-45-67&state=sent&channel=sms");
    assert_target(*state, "otp|list|--gateway-number|+79160000001|--since|2026-11-21T00:00:00Z",
                  "/internal/v1/otp?gateway_number=%2B79160000001&since=2026-11-21T00%3A00%3A00Z");
    assert_target(*state, "otp|fallback|" ID, "/internal/v1/otp/" ID "/sms-fallback");
    assert_target(*state, "challenges|cancel|" ID, "/internal/v1/challenges/" ID "/cancel");
    assert_target(*state, "messages|list|--account|shop-12|--chat|@shop",
                  "/internal/v1/messages?account_id=shop-12&chat_id=%40shop");
    assert_body(*state, "otp|fallback|" ID "|--gateway-number|+79160000001",
                "{\"gateway_number\":\"+79160000001\"}");
    assert_body(*state, "otp|cancel|" ID, "");
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_commands_are_found),
        CASE(test_every_operation_has_a_command),
        CASE(test_every_command_is_whole),
        CASE(test_flags_have_short_names),
        CASE(test_flags_stand_anywhere_in_two_shapes),
        CASE(test_two_dashes_end_the_options),
        CASE(test_ids_are_written_in_one_form),
        CASE(test_help_is_asked_for_by_any_line),
        CASE(test_help_names_everything),
        CASE(test_help_is_about_what_stands_before_it),
        CASE(test_wrong_lines_are_told),
        CASE(test_bodies),
        CASE(test_targets),
        CASE(test_secret_is_read_from_a_file),
        CASE(test_secret_file_has_bounds),
        CASE(test_secret_file_that_is_not_there),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
