/* uCaller: initCall with our digits, getInfo, and each of its error numbers. */
#include "driver_case.h"

#define BASE    "https://ucaller.test"
#define HEADERS "Authorization: Bearer " CASE_TOKEN ".777\nContent-Type: application/json\n"

static void begin(struct driver_case *it)
{
    case_begin(it, &driver_ucaller, BASE);
    it->config.service_id = "777";
}

static void a_call_has_a_number_a_text_and_a_key(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it);
    case_request(&it, CASE_SEND,
                 &(struct request_row){"POST", BASE "/v1.0/initCall", HEADERS,
                                       "{\"phone\":79161234567,\"code\":\"0042\","
                                       "\"unique\":\"" CASE_SEND_ID "\"}"});
    it.content.provider_id = "103000";
    case_request(&it, CASE_STATUS,
                 &(struct request_row){"POST", BASE "/v1.0/getInfo", HEADERS, "{\"uid\":103000}"});
    it.content.provider_id = "a\"b";
    case_request(
        &it, CASE_STATUS,
        &(struct request_row){"POST", BASE "/v1.0/getInfo", HEADERS, "{\"uid\":\"a\\\"b\"}"});
    assert_true(it.driver->is_deduplicating);
    assert_false(it.driver->chooses_code);
    assert_int_equal(it.driver->code_min, 1);
    assert_int_equal(it.driver->code_max, 9999);
    case_end(&it);
}

static void every_answer_to_a_call_is_read(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"status\":true,\"ucaller_id\":103000,\"phone\":79161234567,\"code\":\"0042\"}",
         OUTCOME_DONE, PROGRESS_ACCEPTED, "103000"},
        {200, "{\"status\":true,\"ucaller_id\":103000,\"code\":\"0042\",\"exists\":true}",
         OUTCOME_DONE, PROGRESS_ACCEPTED, "103000"},
        {200, "{\"status\":false,\"ucaller_id\":103000,\"phone\":79161234567,\"code\":\"0042\"}",
         OUTCOME_PERMANENT, .provider_id = "103000", .error = "the subscriber cannot be reached"},
        {200, "{\"status\":true,\"error\":\"no\",\"code\":9,\"ucaller_id\":1}", OUTCOME_PERMANENT,
         .error = "9: no"},
        {200, "{\"status\":false,\"error\":\"no\",\"code\":\"18\"}", OUTCOME_RATE_LIMITED,
         .error = "18: no", .wait_ms = 4000, .retry_after_ms = 4000},
        {200, "{\"status\":false,\"error\":{},\"code\":3}", OUTCOME_PERMANENT,
         .error = "3: refused"},
        {200, "{\"error\":\"\",\"code\":3}", OUTCOME_PERMANENT, .error = "3: refused"},
        {200, "{\"status\":false,\"error\":\"bad key " CASE_TOKEN "\",\"code\":401}", OUTCOME_OURS,
         .error = "401: bad key ***"},
        {200, "{\"status\":false,\"error\":\"number 79161234567, code 0042, 3 times\",\"code\":3}",
         OUTCOME_PERMANENT, .error = "3: number 79161234567, code 0042, 3 times"},
        /* Without a number, the status of HTTP stands in. */
        {401, "{\"error\":\"Unauthorized\"}", OUTCOME_OURS, .error = "401: Unauthorized"},
        {500, "{\"error\":\"Oops\"}", OUTCOME_RETRYABLE, .error = "500: Oops"},
        {200, "{\"error\":\"Oops\"}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {429, "{\"error\":\"Slow\",\"code\":77}", OUTCOME_RATE_LIMITED, .error = "77: Slow"},
        {200, "{\"error\":\"New\",\"code\":77}", OUTCOME_PERMANENT, .error = "77: New"},
        {503, "{\"error\":\"New\",\"code\":77}", OUTCOME_RETRYABLE, .error = "77: New"},
        {200, "{\"status\":true}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"status\":false}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ucaller_id\":103000}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {500, "{\"status\":true,\"ucaller_id\":103000}", OUTCOME_RETRYABLE,
         .error = "HTTP 500, with an answer that cannot be read"},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

/* A refusal is the presence of `error`, whatever `status` says (and there is none here). */
static void every_error_number_has_its_meaning(void **state)
{
    static const struct {
        int code;
        enum channel_outcome outcome;
    } rows[] = {
        {0, OUTCOME_OURS},          {1, OUTCOME_OURS},           {2, OUTCOME_OURS},
        {3, OUTCOME_PERMANENT},     {4, OUTCOME_OURS},           {9, OUTCOME_PERMANENT},
        {18, OUTCOME_RATE_LIMITED}, {19, OUTCOME_RATE_LIMITED},  {20, OUTCOME_PERMANENT},
        {401, OUTCOME_OURS},        {429, OUTCOME_RATE_LIMITED}, {500, OUTCOME_RETRYABLE},
        {1001, OUTCOME_OURS},       {1002, OUTCOME_OURS},        {1003, OUTCOME_OURS},
        {1004, OUTCOME_OURS},       {1005, OUTCOME_OURS},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *body = arena_printf(&it.arena, "{\"error\":\"no\",\"code\":%d}", rows[i].code);
        char *error = arena_printf(&it.arena, "%d: no", rows[i].code);
        struct answer_row row = {200, body, rows[i].outcome, .error = error};
        case_answers(&it, CASE_SEND, &row, 1);
    }
    case_end(&it);
}

static void every_status_is_read(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"status\":true,\"ucaller_id\":1,\"call_status\":-1}", OUTCOME_DONE,
         PROGRESS_ACCEPTED, .is_pending = true},
        {200, "{\"status\":true,\"ucaller_id\":1,\"call_status\":0}", OUTCOME_DONE, PROGRESS_FAILED,
         .error = "the call was not connected"},
        {200, "{\"status\":true,\"ucaller_id\":1,\"call_status\":1}", OUTCOME_DONE,
         PROGRESS_DELIVERED},
        {200, "{\"call_status\":\"1\"}", OUTCOME_DONE, PROGRESS_DELIVERED},
        {200, "{\"status\":true}", OUTCOME_DONE, PROGRESS_ACCEPTED, .is_pending = true},
        {200, "{\"call_status\":7}", OUTCOME_DONE, PROGRESS_ACCEPTED, .is_pending = true},
        {200, "{\"error\":\"no\",\"code\":401}", OUTCOME_OURS, .error = "401: no",
         .is_pending = true},
        {500, "{\"status\":true}", OUTCOME_RETRYABLE,
         .error = "HTTP 500, with an answer that cannot be read", .is_pending = true},
        {200, "<html>", OUTCOME_RETRYABLE, .error = "HTTP 200, with an answer that cannot be read",
         .is_pending = true},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_answers(&it, CASE_STATUS, rows, COUNT_OF(rows));
    case_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_a_number_a_text_and_a_key),
        cmocka_unit_test(every_answer_to_a_call_is_read),
        cmocka_unit_test(every_error_number_has_its_meaning),
        cmocka_unit_test(every_status_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
