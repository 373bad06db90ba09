/* kit/route: which row a request means, and what an answer looks like (contract, section 1). */
#include "kit/route/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define ID              "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"
#define ID2             "0192f0c2-1111-7d3e-8f00-3b2a1c0d9e8f"

/* --- Matching --- */

static const struct route table[] = {
    {.method = "GET", .path = "/"},
    {.method = "GET", .path = "/things"},
    {.method = "POST", .path = "/things"},
    {.method = "POST", .path = "/only"},
    {.method = "GET", .path = "/things/{id}"},
    {.method = "PATCH", .path = "/things/{id}"},
    {.method = "POST", .path = "/things/{id}/parts/{part}"},
};

static void a_request_finds_its_row(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path;
        int row; /* of the table; -1: none */
        const char *allow;
    } rows[] = {
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
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct route *route = NULL;
        struct uuid ids[PATH_PARAMS_MAX];
        char allow[ALLOW_MAX];
        enum err err = route_match(table, COUNT_OF(table), str_of(rows[i].method),
                                   str_of(rows[i].path), &route, ids, allow);
        enum err expected = rows[i].row >= 0   ? ERR_OK
                            : rows[i].allow[0] ? ERR_METHOD_NOT_ALLOWED
                                               : ERR_NOT_FOUND;
        if (err != expected)
            fail_msg("%s %s: %s", rows[i].method, rows[i].path, err_info(err)->name);
        if (!err) assert_ptr_equal(route, &table[rows[i].row]);
        if (err == ERR_METHOD_NOT_ALLOWED) assert_string_equal(allow, rows[i].allow);
    }
}

static void ids_come_in_the_order_of_the_path(void **state)
{
    (void)state;
    const struct route *route;
    struct uuid ids[PATH_PARAMS_MAX], first, second;
    char allow[ALLOW_MAX];
    assert_true(uuid_parse(STR(ID), &first) && uuid_parse(STR(ID2), &second));
    assert_int_equal(route_match(table, COUNT_OF(table), STR("POST"),
                                 STR("/things/" ID "/parts/" ID2), &route, ids, allow),
                     ERR_OK);
    assert_true(uuid_equal(&ids[0], &first));
    assert_true(uuid_equal(&ids[1], &second));
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
    AUTO_BUF out;
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
    assert_error(&answer, ERR_NOT_FOUND, "");
    error_put_uuid(&answer.rq, "challenge_id", &id);
    assert_error(&answer, ERR_ACTIVE_CHALLENGE_EXISTS, ",\"challenge_id\":\"" ID "\"");
    error_put_number(&answer.rq, "attempts_left", 0);
    assert_error(&answer, ERR_CODE_MISMATCH, ",\"attempts_left\":0");
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
    AUTO_BUF out;
    buf_init(&out, 4096);
    error_encode(ERR_URI_TOO_LONG, STR("r\"1"), NULL, &out);
    assert_true(str_is(buf_view(&out),
                       "{\"error\":{\"code\":\"uri_too_long\",\"message\":\"The "
                       "request target is too long.\",\"request_id\":\"r\\\"1\"}}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_finds_its_row),
        cmocka_unit_test(ids_come_in_the_order_of_the_path),
        cmocka_unit_test(a_success_has_the_status_and_record_of_its_row),
        cmocka_unit_test(a_restart_forgets_the_answer_of_the_run_before),
        cmocka_unit_test(waits_are_rounded_up_to_seconds),
        cmocka_unit_test(errors_carry_what_helps),
        cmocka_unit_test(faults_are_told_with_validation_only),
        cmocka_unit_test(at_most_a_hundred_faults_are_told),
        cmocka_unit_test(an_error_needs_no_request),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
