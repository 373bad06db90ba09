/* app/admin: what is shown of an answer, and what a refusal means. */
#include "admin_line.h"
#include "app/admin/admin_service.h"
#include "app/admin/admin_show.h"

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

#define OPEN_CIRCUIT                                                                \
    "{\"state\":\"open\",\"since\":\"2026-11-21T04:34:00.000Z\",\"next_probe_at\":" \
    "\"2026-11-21T04:38:30.000Z\",\"last_error\":\"GET /svc/v1/health: HTTP 401\"}"
#define ORDER(state, attempts, due, number, error) \
    ORDER_WITH(state, attempts, due, number, error, "null")
#define ORDER_WITH(state, attempts, due, number, error, circuit)                                   \
    "{\"id\":\"" ID "\",\"order_id\":\"" ID "\",\"integration_id\":\"" OTHER_ID                    \
    "\",\"integration_name\":\"Shop 12\",\"environment\":\"test\",\"state\":\"" state              \
    "\",\"attempts\":" attempts ",\"next_attempt_at\":" due ",\"erp_order_id\":null,"              \
    "\"erp_number\":" number ",\"last_error\":" error ",\"known_products\":{\"known\":2,\"of\":3}" \
    ",\"circuit\":" circuit ",\"created_at\":\"2026-11-21T04:33:00.123Z\","                        \
    "\"updated_at\":\"2026-11-21T04:33:01.000Z\"}"

/* Whoever may name a phone must not write to the terminal of whoever reads the audit. */
static void test_audit_steers_no_terminal(void **state)
{
    assert_shown(*state, "audit|list",
                 "{\"records\":[{\"store\":\"verification\",\"seq\":7,\"at\":"
                 "\"2026-11-21T04:33:00.123Z\",\"actor\":{\"kind\":\"api_key\",\"id\":\"" ID
                 "\",\"name\":\"a\\u001b[2J\"},\"address\":null,\"request_id\":null,"
                 "\"action\":\"device.change\",\"target\":{\"type\":\"device\",\"id\":\"x\\r\"},"
                 "\"changes\":[{\"field\":\"name\",\"from\":null,\"to\":\"y\\n8  by root\"}],"
                 "\"hash\":\"\"}],\"head\":{\"seq\":7,\"hash\":\"\"},\"anchor\":{\"seq\":0,"
                 "\"hash\":\"\"},\"next_cursor\":null}",
                 "7  2026-11-21T04:33:00.123Z  device.change  device x\\u000d  by a\\u001b[2J\n"
                 "    name: (none) -> y\\u000a8  by root\n");
}

static void test_orders_are_shown(void **state)
{
    assert_shown(
        *state, "orders|list",
        "{\"orders\":[" ORDER("accepted", "1", "null", "\"00-1\"", "null") "," ORDER(
            "queued", "12", "\"2026-11-21T04:38:00.000Z\"", "null",
            "\"HTTP 503\"") "],\"next_cursor\":\"1.a\"}",
        "ORDER                                 INTEGRATION  "
        "STATE     CREATED                   ATTEMPTS  NEXT ATTEMPT              "
        "ERP NUMBER  ERROR\n" ID
        "  Shop 12      accepted  2026-11-21T04:33:00.123Z  1         -                         "
        "00-1        -\n" ID
        "  Shop 12      queued    2026-11-21T04:33:00.123Z  12        2026-11-21T04:38:00.000Z  "
        "-           HTTP 503\n"
        "\nThere are older ones: --cursor 1.a\n");
    assert_shown(*state, "orders|list", "{\"orders\":[],\"next_cursor\":null}",
                 "There is no such order.\n");
    assert_shown(*state, "orders|show|" ID, ORDER("failed", "870", "null", "null", "\"HTTP 503\""),
                 "id               " ID "\n"
                 "integration_id   " OTHER_ID "\n"
                 "integration      Shop 12\n"
                 "order_id         " ID "\n"
                 "environment      test\n"
                 "state            failed\n"
                 "attempts         870\n"
                 "next_attempt_at  -\n"
                 "erp_order_id     -\n"
                 "erp_number       -\n"
                 "last_error       HTTP 503\n"
                 "circuit          -\n"
                 "known products   2 of 3\n"
                 "created_at       2026-11-21T04:33:00.123Z\n"
                 "updated_at       2026-11-21T04:33:01.000Z\n"
                 "metadata         -\n");
    assert_shown(*state, "orders|list",
                 "{\"orders\":[" ORDER_WITH("queued", "0", "\"2026-11-21T04:38:00.000Z\"", "null",
                                            "null", OPEN_CIRCUIT) "],\"next_cursor\":null}",
                 "ORDER                                 INTEGRATION  "
                 "STATE              CREATED                   ATTEMPTS  NEXT ATTEMPT              "
                 "ERP NUMBER  ERROR\n" ID "  Shop 12      waits for its ERP  "
                 "2026-11-21T04:33:00.123Z  0         2026-11-21T04:38:00.000Z  "
                 "-           open since 2026-11-21T04:34:00.000Z, next probe "
                 "2026-11-21T04:38:30.000Z: GET /svc/v1/health: HTTP 401\n");
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

/* A caller calls a number; an SMS goes over one. */
static void test_timelines_say_where_a_number_stands(void **state)
{
    assert_shown(*state, "challenges|timeline|" ID,
                 "{\"steps\":[{\"at\":\"2026-11-21T04:33:00.123Z\",\"step\":\"created\","
                 "\"gateway_number\":\"+79160000001\"}]}",
                 "TIME (UTC)              SECONDS  STEP         DETAIL\n"
                 "2026-11-21 04:33:00      +0.000  created      to +79160000001\n");
    assert_shown(*state, "otp|timeline|" ID,
                 "{\"steps\":[{\"at\":\"2026-11-21T04:33:00.123Z\",\"step\":\"queued\","
                 "\"channel\":\"sms\",\"gateway_number\":\"+79160000001\"}]}",
                 "TIME (UTC)              SECONDS  STEP         DETAIL\n"
                 "2026-11-21 04:33:00      +0.000  queued       sms from +79160000001\n");
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
                        "INTERNAL_API_KEY that it runs with, or an API key that is good by "
                        "HERALD_API_KEY.");
    assert_string_equal(explain(*state, show, 403,
                                "{\"error\":{\"code\":\"insufficient_role\",\"message\":\"It is "
                                "so.\",\"role\":\"operator\"}}"),
                        "The key from the file k may not do that: it takes a key with the role "
                        "operator.");
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_audit_steers_no_terminal),
        CASE(test_orders_are_shown),
        CASE(test_timelines_say_where_a_number_stands),
        CASE(test_refusals_are_explained),
        CASE(test_each_fault_is_told_by_what_was_typed),
        CASE(test_silence_is_explained),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
