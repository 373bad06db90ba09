/* core: which row a request means, and what an answer looks like (contract, section 1). */
#include "core/request.h"
#include "core/route.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ID  "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"
#define ID2 "0192f0c2-1111-7d3e-8f00-3b2a1c0d9e8f"

/* --- Matching --- */

static const struct route table[] = {
    {.method = "GET", .path = "/", .role = ROLE_VIEWER},
    {.method = "GET", .path = "/things", .role = ROLE_VIEWER},
    {.method = "POST", .path = "/things", .role = ROLE_VIEWER},
    {.method = "POST", .path = "/only", .role = ROLE_VIEWER},
    {.method = "GET", .path = "/things/{id}", .role = ROLE_VIEWER},
    {.method = "PATCH", .path = "/things/{id}", .role = ROLE_VIEWER},
    {.method = "POST", .path = "/things/{id}/parts/{part}", .role = ROLE_VIEWER},
    {.method = "GET", .path = "/things/{id}/notes/{*note}", .role = ROLE_VIEWER},
    {.method = "GET", .path = "/{*first}/and/{*second}", .role = ROLE_VIEWER},
};

/* Two tables make one list. */
static struct route_list list_of_table(void)
{
    struct route_list list = {.count = 0};
    route_list_add(&list, &(struct route_table){STORE_VERIFICATION, table, 3});
    route_list_add(&list,
                   &(struct route_table){STORE_VERIFICATION, table + 3, COUNT_OF(table) - 3});
    assert_int_equal(list.count, COUNT_OF(table));
    return list;
}

static const struct {
    const char *method, *path;
    int row; /* of the table; -1: none */
    const char *allow;
} requests[] = {
    {"GET", "/", 0, NULL},
    {"GET", "/things", 1, NULL},
    {"HEAD", "/things", 1, NULL},
    {"POST", "/things", 2, NULL},
    {"POST", "/only", 3, NULL},
    {"GET", "/things/" ID, 4, NULL},
    {"HEAD", "/things/" ID, 4, NULL},
    {"GET", "/things/0192F0C1-7C2A-7D3E-8F00-3B2A1C0D9E8F", 4, NULL},
    {"PATCH", "/things/" ID, 5, NULL},
    {"POST", "/things/" ID "/parts/" ID2, 6, NULL},
    /* Another method: 405 with what there is. */
    {"DELETE", "/things", -1, "GET, HEAD, POST"},
    {"PATCH", "/things", -1, "GET, HEAD, POST"},
    {"POST", "/", -1, "GET, HEAD"},
    {"OPTIONS", "/things/" ID, -1, "GET, HEAD, PATCH"},
    {"GET", "/only", -1, "POST"},
    {"HEAD", "/only", -1, "POST"},
    {"get", "/things", -1, "GET, HEAD, POST"},
    {"GETS", "/things", -1, "GET, HEAD, POST"},
    {"GET", "/things/" ID "/parts/" ID2, -1, "POST"},
    {"POST", "/things/" ID "/notes/x", -1, "GET, HEAD"},
    /* No such path: 404. */
    {"GET", "", -1, ""},
    {"GET", "things", -1, ""},
    {"GET", "/thing", -1, ""},
    {"GET", "/things/", -1, ""},
    {"GET", "//things", -1, ""},
    {"GET", "/Things", -1, ""},
    {"GET", "/thingsx", -1, ""},
    {"GET", "/%74hings", -1, ""},
    {"GET", "/things/1", -1, ""},
    {"PATCH", "/things/" ID "x", -1, ""},
    {"GET", "/things/" ID "/", -1, ""},
    {"GET", "/things/" ID "/parts", -1, ""},
    {"POST", "/things/" ID "/parts/x", -1, ""},
    {"POST", "/things/x/parts/" ID2, -1, ""},
    {"DELETE", "/things/x", -1, ""},
    {"POST", "/things/" ID "/parts/" ID2 "/more", -1, ""},
    {"GET", "/things/" ID "/notes", -1, ""},
    {"GET", "/things/" ID "/notes/", -1, ""},
    {"GET", "/things/" ID "/notes/x/", -1, ""},
    {"GET", "/things/x/notes/x", -1, ""},
    {"POST", "/things/" ID "/notes/%00", -1, ""},
};

static void a_request_finds_its_row(void **state)
{
    (void)state;
    struct route_list list = list_of_table();
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        struct route_match match;
        enum err err = route_match(&list, str_of(requests[i].method), str_of(requests[i].path),
                                   &arena, &match);
        enum err expected = requests[i].row >= 0   ? ERR_OK
                            : requests[i].allow[0] ? ERR_METHOD_NOT_ALLOWED
                                                   : ERR_NOT_FOUND;
        if (err != expected)
            fail_msg("%s %s: %s", requests[i].method, requests[i].path, err_info(err)->name);
        if (!err) assert_ptr_equal(match.route, &list.rows[requests[i].row]);
        if (err == ERR_NOT_FOUND) assert_null(match.route);
        if (err != ERR_METHOD_NOT_ALLOWED) continue;
        assert_string_equal(match.allow, requests[i].allow);
        assert_non_null(match.route); /* its errors have a style */
    }
    arena_done(&arena);
}

static void ids_come_in_the_order_of_the_path(void **state)
{
    (void)state;
    struct route_list list = list_of_table();
    struct route_match match;
    struct uuid first, second;
    assert_true(uuid_parse(STR(ID), &first) && uuid_parse(STR(ID2), &second));
    assert_int_equal(
        route_match(&list, STR("POST"), STR("/things/" ID "/parts/" ID2), NULL, &match), ERR_OK);
    assert_true(uuid_equal(&match.ids[0], &first));
    assert_true(uuid_equal(&match.ids[1], &second));
}

#define X8   "xxxxxxxx"
#define X64  X8 X8 X8 X8 X8 X8 X8 X8
#define X512 X64 X64 X64 X64 X64 X64 X64 X64

/* Any text, decoded once; what is no text is not there. */
static void a_text_of_the_path_is_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *sent, *text; /* NULL: not found */
    } rows[] = {
        {"x", "x"},
        {"changes:node-1:17", "changes:node-1:17"},
        {"a%2Fb%3Fc%25", "a/b?c%"},
        {"%2e%2E", ".."},
        {"a+b", "a+b"},
        {"%2541", "%41"},
        {"%D0%BA%D0%BE%D0%B4", "\xd0\xba\xd0\xbe\xd0\xb4"},
        {"%F0%9F%92%B6", "\xf0\x9f\x92\xb6"},
        {X512, X512},
        {X512 "x", NULL},
        {X512 "%78", NULL},
        {"%", NULL},
        {"%4", NULL},
        {"%4x", NULL},
        {"a%00b", NULL},
        {"%C0%AF", NULL},       /* overlong */
        {"%ED%A0%80", NULL},    /* a surrogate */
        {"%F4%90%80%80", NULL}, /* beyond the last one */
        {"%D0", NULL},
        {"\xff", NULL},
    };
    struct route_list list = list_of_table();
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct route_match match;
        const char *path = arena_printf(&arena, "/things/" ID "/notes/%s", rows[i].sent);
        enum err err = route_match(&list, STR("GET"), str_of(path), &arena, &match);
        if (err != (rows[i].text ? ERR_OK : ERR_NOT_FOUND))
            fail_msg("%s: %s", rows[i].sent, err_info(err)->name);
        if (!err) assert_string_equal(match.texts[0], rows[i].text);
    }
    arena_done(&arena);
}

static void texts_come_in_the_order_of_the_path(void **state)
{
    (void)state;
    struct route_list list = list_of_table();
    struct route_match match;
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(route_match(&list, STR("HEAD"), STR("/a%20b/and/c"), &arena, &match), ERR_OK);
    assert_string_equal(match.texts[0], "a b");
    assert_string_equal(match.texts[1], "c");
    arena_done(&arena);
}

/* --- Answers --- */

struct thing {
    int64_t size;
};

static const struct field thing_fields[] = {
    {.name = "size", .type = FIELD_INTEGER, .flags = FIELD_REQUIRED},
};
static const struct record thing_record = {
    .name = "Thing", .size = sizeof(struct thing), RECORD_FIELDS(thing_fields)};
static const struct route thing_route = {.status = 201, .reply = &thing_record};

struct answer {
    struct arena arena;
    struct request rq;
};

static void begin(struct answer *answer)
{
    *answer = (struct answer){.rq = {.route = &thing_route}};
    arena_init(&answer->arena);
    work_init(&answer->rq.work, NULL, &answer->arena, 0, "r-1");
    request_restart(&answer->rq, NULL);
}

static void end(struct answer *answer)
{
    buf_done(&answer->rq.reply);
    arena_done(&answer->arena);
}

/* `details`: what stands behind the request's id. */
static void assert_error(struct answer *answer, enum err err, const char *details)
{
    const struct err_info *info = err_info(err);
    const char *expected = arena_printf(
        &answer->arena, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\",\"request_id\":\"r-1\"%s}}",
        info->code, info->sentence, details);
    AUTO_BUF out = {0};
    buf_init(&out, 65536);
    error_encode(err, STR("r-1"), &answer->rq, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void a_success_has_the_status_and_record_of_its_row(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    reply_record(&answer.rq, &(struct thing){.size = 7});
    assert_int_equal(answer.rq.status, 201);
    assert_true(str_is(buf_view(&answer.rq.reply), "{\"size\":7}"));
    request_restart(&answer.rq, NULL);
    reply_empty(&answer.rq);
    assert_int_equal(answer.rq.status, 201);
    assert_int_equal(answer.rq.reply.len, 0);
    end(&answer);
}

/* A transaction that runs twice answers once. */
static void a_restart_forgets_the_answer_of_the_run_before(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    reply_record(&answer.rq, &(struct thing){.size = 7});
    reply_refusal(&answer.rq, ERR_CODE_MISMATCH);
    error_put_text(&answer.rq, "number", "+79160000001");
    error_retry_after(&answer.rq, 5000);
    work_note(&answer.rq.work, LOG_INFO, "said", NULL, 0);
    request_restart(&answer.rq, NULL);
    assert_int_equal(answer.rq.error, ERR_OK);
    assert_int_equal(answer.rq.status, 0);
    assert_int_equal(answer.rq.retry_after_s, 0);
    assert_null(answer.rq.work.notes);
    reply_record(&answer.rq, &(struct thing){.size = 8});
    assert_true(str_is(buf_view(&answer.rq.reply), "{\"size\":8}"));
    assert_error(&answer, ERR_NUMBER_TAKEN, "");
    end(&answer);
}

static void waits_are_rounded_up_to_seconds(void **state)
{
    (void)state;
    static const struct {
        int64_t wait_ms, seconds;
    } rows[] = {{1, 1}, {999, 1}, {1000, 1}, {1001, 2}, {59999, 60}, {600000, 600}, {0, 1}};
    struct answer answer;
    begin(&answer);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        error_retry_after(&answer.rq, rows[i].wait_ms);
        assert_int_equal(answer.rq.retry_after_s, rows[i].seconds);
    }
    end(&answer);
}

static void errors_carry_what_helps(void **state)
{
    (void)state;
    struct answer answer;
    struct uuid id;
    begin(&answer);
    assert_true(uuid_parse(STR(ID), &id));
    assert_error(&answer, ERR_DEVICE_DISABLED, "");
    error_put_uuid(&answer.rq, "challenge_id", &id);
    assert_error(&answer, ERR_ACTIVE_CHALLENGE_EXISTS, ",\"challenge_id\":\"" ID "\"");
    request_restart(&answer.rq, NULL);
    error_put_number(&answer.rq, "attempts_left", 0);
    assert_error(&answer, ERR_CODE_MISMATCH, ",\"attempts_left\":0");
    end(&answer);
}

static void an_error_has_several_members(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    answer.rq.work.now_ms = 1795235580000; /* 2026-11-21T04:33:00Z */
    error_put_number(&answer.rq, "attempts_left", 3);
    error_retry_after(&answer.rq, 60000);
    error_retry_after(&answer.rq, 1500);
    assert_int_equal(answer.rq.retry_after_s, 2);
    assert_error(&answer, ERR_CIRCUIT_OPEN,
                 ",\"reason\":\"circuit_open\",\"attempts_left\":3,"
                 "\"retry_at\":\"2026-11-21T04:33:01.500Z\"");
    end(&answer);
}

static void faults_are_told_with_validation_only(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    assert_int_equal(error_fault(&answer.rq, "numbers[1]", "Is \"twice\"\n there."),
                     ERR_VALIDATION);
    error_add_fault(&answer.rq, "name", "Required.");
    assert_error(&answer, ERR_VALIDATION,
                 ",\"fields\":[{\"path\":\"numbers[1]\",\"message\":\"Is \\\"twice\\\"\\n "
                 "there.\"},{\"path\":\"name\",\"message\":\"Required.\"}]");
    assert_error(&answer, ERR_UNAUTHORIZED, "");
    end(&answer);
}

static void at_most_a_hundred_faults_are_told(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    for (size_t i = 0; i < FAULTS_MAX + 1; i++) {
        assert_int_equal(answer.rq.faults ? answer.rq.faults->count : 0, i);
        error_add_fault(&answer.rq, arena_printf(&answer.arena, "rows[%zu]", i), "Required.");
    }
    assert_int_equal(answer.rq.faults->count, 100);
    assert_true(answer.rq.faults->is_truncated);
    end(&answer);
}

/* Before there is a request at all. */
static void an_error_needs_no_request(void **state)
{
    (void)state;
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    error_encode(ERR_URI_TOO_LONG, STR("r\"1"), NULL, &out);
    assert_true(str_is(buf_view(&out),
                       "{\"error\":{\"code\":\"uri_too_long\",\"message\":\"The "
                       "request target is too long.\",\"request_id\":\"r\\\"1\"}}"));
}

/* The faults of a taken body are a document of their own, and only they. */
static void a_detail_stands_instead_of_the_record(void **state)
{
    (void)state;
    struct answer answer;
    begin(&answer);
    answer.rq.detail = "{\"detail\":[]}";
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    error_encode(ERR_VALIDATION, STR("r-1"), &answer.rq, &out);
    assert_true(str_is(buf_view(&out), "{\"detail\":[]}"));
    buf_clear(&out);
    error_encode(ERR_OVERLOADED, STR("r-1"), &answer.rq, &out);
    assert_false(str_is(buf_view(&out), "{\"detail\":[]}"));
    request_restart(&answer.rq, NULL);
    assert_null(answer.rq.detail);
    end(&answer);
}

/* RFC 6749, section 5.2: its own words, the nearest for what it has none for, nothing more. */
static void a_route_can_speak_oauth(void **state)
{
    (void)state;
    static const struct route route = {.error_style = ERRORS_OAUTH};
    static const struct {
        enum err err;
        const char *word;
    } rows[] = {
        {ERR_INVALID_REQUEST, "invalid_request"},
        {ERR_INVALID_CLIENT, "invalid_client"},
        {ERR_UNSUPPORTED_GRANT_TYPE, "unsupported_grant_type"},
        {ERR_INVALID_SCOPE, "invalid_scope"},
        {ERR_METHOD_NOT_ALLOWED, "invalid_request"},
        {ERR_PAYLOAD_TOO_LARGE, "invalid_request"},
        {ERR_RATE_LIMITED, "temporarily_unavailable"},
        {ERR_STORAGE_UNAVAILABLE, "temporarily_unavailable"},
        {ERR_OVERLOADED, "temporarily_unavailable"},
        {ERR_INTERNAL, "server_error"},
    };
    struct answer answer;
    begin(&answer);
    answer.rq.route = &route;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_BUF out = {0};
        buf_init(&out, 4096);
        error_encode(rows[i].err, STR("r-1"), &answer.rq, &out);
        assert_true(
            str_is(buf_view(&out),
                   arena_printf(&answer.arena, "{\"error\":\"%s\",\"error_description\":\"%s\"}",
                                rows[i].word, err_info(rows[i].err)->sentence)));
    }
    end(&answer);
}

/* RFC 6749, section 5.2: %x20-21 / %x23-5B / %x5D-7E. */
static void sentences_fit_into_oauth(void **state)
{
    (void)state;
    for (int i = 0; i < ERR_COUNT; i++) {
        const struct err_info *info = err_info((enum err)i);
        for (const char *p = info->sentence; *p; p++) {
            bool is_allowed = *p >= ' ' && *p <= '~' && *p != '"' && *p != '\\';
            if (!is_allowed) fail_msg("%s", info->name);
        }
    }
}

static void a_description_can_say_more(void **state)
{
    (void)state;
    static const struct route route = {.error_style = ERRORS_OAUTH};
    struct answer answer;
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    begin(&answer);
    answer.rq.route = &route;
    error_put_text(&answer.rq, "error_description", "scope was given twice.");
    error_encode(ERR_INVALID_REQUEST, STR("r-1"), &answer.rq, &out);
    assert_true(str_is(buf_view(&out), "{\"error\":\"invalid_request\",\"error_description\":"
                                       "\"scope was given twice.\"}"));
    end(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_finds_its_row),
        cmocka_unit_test(ids_come_in_the_order_of_the_path),
        cmocka_unit_test(a_text_of_the_path_is_decoded),
        cmocka_unit_test(texts_come_in_the_order_of_the_path),
        cmocka_unit_test(a_success_has_the_status_and_record_of_its_row),
        cmocka_unit_test(a_restart_forgets_the_answer_of_the_run_before),
        cmocka_unit_test(waits_are_rounded_up_to_seconds),
        cmocka_unit_test(errors_carry_what_helps),
        cmocka_unit_test(an_error_has_several_members),
        cmocka_unit_test(faults_are_told_with_validation_only),
        cmocka_unit_test(at_most_a_hundred_faults_are_told),
        cmocka_unit_test(an_error_needs_no_request),
        cmocka_unit_test(a_detail_stands_instead_of_the_record),
        cmocka_unit_test(a_route_can_speak_oauth),
        cmocka_unit_test(sentences_fit_into_oauth),
        cmocka_unit_test(a_description_can_say_more),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
