/* The flash-call presets on the wire, and what a template of one's own can say. */
#include "driver_case.h"

#define BASE               "https://flash.test"
#define JSON               "Content-Type: application/json\n"
#define FORM               "Content-Type: application/x-www-form-urlencoded\n"
#define UNREADABLE(number) "HTTP " number ", with an answer that cannot be read"

static void begin(struct driver_case *it, const char *name_or_json)
{
    AUTO_BUF why = {0};

    case_begin(it, NULL, BASE);
    buf_init(&why, 4096);
    it->config.service_id = "777";
    enum err err = flash_template_read(name_or_json, &it->arena, &it->config.template, &why);
    if (err) fail_msg("%.*s", (int)why.len, why.data);
    it->driver = flash_template_driver(it->config.template);
}

static void check_driver(const struct driver_case *it, const char *name, bool chooses_code,
                         int code_min)
{
    assert_string_equal(it->driver->name, name);
    assert_int_equal(it->driver->chooses_code, chooses_code);
    assert_int_equal(it->driver->code_min, code_min);
    assert_int_equal(it->driver->code_max, 9999);
    assert_false(it->driver->is_deduplicating);
    assert_null(it->driver->make_status);
    assert_null(it->driver->read_status);
    assert_true(flash_template_uses(it->config.template, "key"));
}

/* --- Presets ---------------------------------------------------------------------------------- */

static void smsru_tells_the_code_that_it_chose(void **state)
{
    static const struct answer_row rows[] = {
        {200,
         "{\"status\":\"OK\",\"code\":\"1435\",\"call_id\":\"000000-10000000\",\"cost\":0.4,"
         "\"balance\":4122.56}",
         OUTCOME_DONE, .provider_id = "000000-10000000", .learned_code = "1435"},
        {200, "{\"status\":\"OK\",\"code\":\"0035\",\"call_id\":\"1\"}", OUTCOME_DONE,
         .provider_id = "1", .learned_code = "0035"},
        {200, "{\"status\":\"OK\",\"code\":35,\"call_id\":1}", OUTCOME_DONE, .provider_id = "1",
         .learned_code = "0035"},
        /* The call is under way, and nobody knows its digits. */
        {200, "{\"status\":\"OK\",\"call_id\":\"1\"}", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "{\"status\":\"OK\",\"code\":\"143\",\"call_id\":\"1\"}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{\"status\":\"OK\",\"code\":\"14350\",\"call_id\":\"1\"}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{\"status\":\"OK\",\"code\":\"14a5\",\"call_id\":\"1\"}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{\"status\":\"OK\",\"code\":-435,\"call_id\":\"1\"}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{\"status\":\"OK\",\"code\":\"1435\"}", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "{\"status\":\"ERROR\",\"status_text\":\"Неправильный api_id\"}", OUTCOME_OURS,
         .error = "Неправильный api_id"},
        {200, "{\"status\":\"ERROR\",\"status_text\":\"Не хватает средств на счету\"}",
         OUTCOME_OURS, .error = "Не хватает средств на счету"},
        {200, "{\"status\":\"ERROR\",\"status_code\":201,\"status_text\":\"x\"}", OUTCOME_OURS,
         .error = "201: x"},
        {200, "{\"status\":\"ERROR\",\"status_code\":202,\"status_text\":\"no 79161234567\"}",
         OUTCOME_PERMANENT, .error = "202: no 79161234567"},
        {200, "{\"status\":\"ERROR\",\"status_text\":\"Превышен лимит\"}", OUTCOME_RATE_LIMITED,
         .error = "Превышен лимит"},
        {200, "{\"status\":\"ERROR\",\"status_text\":\"Сервис временно недоступен\"}",
         OUTCOME_RETRYABLE, .error = "Сервис временно недоступен"},
        {200, "{\"status\":\"ERROR\",\"status_code\":220}", OUTCOME_RETRYABLE, .error = "220"},
        {200, "{\"status\":\"ERROR\",\"status_text\":\"" CASE_TOKEN "?\"}", OUTCOME_PERMANENT,
         .error = "***?"},
        {200, "{\"status\":\"ERROR\"}", OUTCOME_PERMANENT,
         .error = "the provider refused it (HTTP 200)"},
        {200, "{\"status_text\":\"\"}", OUTCOME_PERMANENT,
         .error = "the provider refused it (HTTP 200)"},
    };
    struct driver_case it;

    (void)state;
    begin(&it, "smsru");
    check_driver(&it, "smsru", true, 1);
    it.content.code = NULL;
    case_request(&it, CASE_SEND,
                 &(struct request_row){"GET",
                                       BASE "/code/call?api_id=12345%3Amade-up_TOKEN"
                                            "&phone=79161234567&ip=-1",
                                       "", NULL});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void unibell_takes_our_code_as_an_integer(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"requestId\":\"u-1\",\"from\":\"74951230042\"}", OUTCOME_DONE,
         .provider_id = "u-1"},
        {200, "{\"errorCode\":401,\"errorReason\":\"no key\"}", OUTCOME_OURS,
         .error = "401: no key"},
        {403, "{\"errorCode\":403,\"errorReason\":\"no funds\"}", OUTCOME_OURS,
         .error = "403: no funds"},
        {429, "{\"errorCode\":429,\"errorReason\":\"slow\"}", OUTCOME_RATE_LIMITED,
         .error = "429: slow", .wait_ms = 2000, .retry_after_ms = 2000},
        {200, "{\"errorCode\":\"429\"}", OUTCOME_RATE_LIMITED, .error = "429"},
        {400, "{\"errorCode\":400,\"errorReason\":\"bad number\"}", OUTCOME_PERMANENT,
         .error = "400: bad number"},
        {500, "{\"errorCode\":500,\"errorReason\":\"oops\"}", OUTCOME_UNKNOWN,
         .error = "500: oops"},
        {401, "{\"message\":\"no\"}", OUTCOME_OURS, .error = UNREADABLE("401")},
        {200, "{\"from\":\"74951230042\"}", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {500, "{\"requestId\":\"u-1\"}", OUTCOME_UNKNOWN, .error = UNREADABLE("500")},
    };
    struct driver_case it;

    (void)state;
    begin(&it, "unibell");
    check_driver(&it, "unibell", false, 1000);
    it.content.code = "1042";
    case_request(
        &it, CASE_SEND,
        &(struct request_row){"POST", BASE "/apps/flash/calls/flash",
                              "X-Authorization: AccessKey " CASE_TOKEN "\n" JSON,
                              "{\"number\":\"79161234567\",\"code\":1042,\"timeout\":30000}"});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void plusofon_refuses_with_status_200(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"success\":true,\"data\":{\"key\":\"p-1\",\"operator\":\"x\"}}", OUTCOME_DONE,
         .provider_id = "p-1"},
        {200, "{\"success\":false,\"message\":\"bad number\"}", OUTCOME_PERMANENT,
         .error = "bad number"},
        {200, "{\"success\":false,\"message\":\"Недостаточно средств\"}", OUTCOME_OURS,
         .error = "Недостаточно средств"},
        {200, "{\"success\":false}", OUTCOME_PERMANENT,
         .error = "the provider refused it (HTTP 200)"},
        {401, "{\"message\":\"Unauthenticated.\"}", OUTCOME_OURS, .error = "Unauthenticated."},
        {429, "{\"message\":\"Too Many Attempts.\"}", OUTCOME_RATE_LIMITED,
         .error = "Too Many Attempts.", .wait_ms = 60000, .retry_after_ms = 60000},
        {200, "{\"success\":true,\"data\":[]}", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
    };
    struct driver_case it;

    (void)state;
    begin(&it, "plusofon");
    check_driver(&it, "plusofon", false, 1);
    assert_true(flash_template_uses(it.config.template, "service_id"));
    case_request(&it, CASE_SEND,
                 &(struct request_row){"POST", BASE "/api/v1/flash-call/send",
                                       "Authorization: Bearer " CASE_TOKEN "\nClient: 777\n" JSON,
                                       "{\"phone\":\"79161234567\",\"pin\":\"0042\"}"});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void zvonok_is_asked_by_a_form(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"status\":\"ok\",\"data\":{\"call_id\":5,\"pincode\":\"0042\"}}", OUTCOME_DONE,
         .provider_id = "5", .learned_code = "0042"},
        {200, "{\"status\":\"ok\",\"data\":{\"call_id\":5,\"pincode\":7}}", OUTCOME_DONE,
         .provider_id = "5", .learned_code = "0007"},
        {200, "{\"status\":\"error\",\"data\":\"No such campaign\"}", OUTCOME_OURS,
         .error = "No such campaign"},
        {403, "{\"status\":\"error\",\"data\":\"no\"}", OUTCOME_OURS, .error = "no"},
        {400, "{\"status\":\"error\",\"data\":\"Invalid phone\"}", OUTCOME_PERMANENT,
         .error = "Invalid phone"},
        {200, "{\"status\":\"ok\",\"data\":{\"call_id\":5}}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
    };
    struct driver_case it;

    (void)state;
    begin(&it, "zvonok");
    check_driver(&it, "zvonok", true, 1);
    case_request(&it, CASE_SEND,
                 &(struct request_row){
                     "POST", BASE "/manager/cabapi_external/api/v1/phones/flashcall/", FORM,
                     "public_key=12345%3Amade-up_TOKEN&campaign_id=777"
                     "&phone=%2B79161234567"});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void of_smsc_the_last_four_digits_count(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"id\":11,\"cnt\":1,\"code\":\"990042\"}", OUTCOME_DONE, .provider_id = "11",
         .learned_code = "0042"},
        {200, "{\"id\":11,\"cnt\":1,\"code\":990042}", OUTCOME_DONE, .provider_id = "11",
         .learned_code = "0042"},
        {200, "{\"id\":11,\"cnt\":1,\"code\":\"042\"}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{\"error\":\"authorise error\",\"error_code\":2}", OUTCOME_OURS,
         .error = "2: authorise error"},
        {200, "{\"error\":\"no money\",\"error_code\":3}", OUTCOME_OURS, .error = "3: no money"},
        {200, "{\"error\":\"invalid number\",\"error_code\":7,\"id\":11}", OUTCOME_PERMANENT,
         .error = "7: invalid number"},
        {200, "{\"error\":\"too often\",\"error_code\":9}", OUTCOME_RATE_LIMITED,
         .error = "9: too often"},
        {200, "{\"error\":\"bad parameters\",\"error_code\":1}", OUTCOME_PERMANENT,
         .error = "1: bad parameters"},
    };
    struct driver_case it;

    (void)state;
    begin(&it, "smsc");
    check_driver(&it, "smsc", true, 1);
    case_request(&it, CASE_SEND,
                 &(struct request_row){"GET",
                                       BASE "/sys/send.php?login=777&psw=12345%3Amade-up_TOKEN"
                                            "&phones=79161234567&mes=code&call=1&fmt=3",
                                       "", NULL});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void without_a_setting_the_template_says_where(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it, "unibell");
    it.config.base_url = NULL;
    it.content.code = "1042";
    case_request(
        &it, CASE_SEND,
        &(struct request_row){"POST", "https://api.unibell.ru/apps/flash/calls/flash",
                              "X-Authorization: AccessKey " CASE_TOKEN "\n" JSON,
                              "{\"number\":\"79161234567\",\"code\":1042,\"timeout\":30000}"});
    case_end(&it);
}

/* --- A template of one's own ------------------------------------------------------------------ */

static const char full[] =
    "{\"name\":\"full\",\"mode\":\"give\",\"base_url\":\"https://full.test\","
    "\"deduplicates\":true,\"calls_per_s\":12,"
    "\"send\":{\"method\":\"POST\",\"path\":\"/call/{phone_e164}/{service_id}\","
    "\"headers\":{\"X-Key\":\"k {key}\",\"X-Time\":\"{ts}\"},"
    "\"query\":{\"a b\":\"x&y={phone_e164}\",\"u\":\"{uuid}\"},"
    "\"json\":{\"to\":{\"n\":\"{phone_int}\",\"s\":\"{phone_digits}\"},"
    "\"c\":[\"{code}\",\"{code_int}\",\"your {code_int}!\",\"{code}{code}\"],\"at\":\"{ts}\","
    "\"svc\":\"{service_id}\",\"n\":1.50,\"yes\":true,\"no\":false,\"nil\":null,\"e\":\"\"}},"
    "\"success\":{\"pointer\":\"/r/ok\",\"equals\":\"1\"},\"id\":\"/r/id\","
    "\"error\":{\"code\":\"/e/c\",\"text\":\"/e/t\",\"wait\":\"/e/w\","
    "\"rate_limited\":[\"slow*\"],\"retryable\":[\"*later\"],\"permanent\":[\"*nobody*\"],"
    "\"ours\":[\"key\"],\"unknown\":[\"maybe\"]},"
    "\"status\":{\"request\":{\"method\":\"GET\",\"path\":\"/call\",\"query\":{\"id\":\"{id}\"}},"
    "\"state\":\"/s\",\"sent\":[\"ringing\"],\"delivered\":[\"2\"],\"failed\":[\"3\",\"lost*\"]}}";

static void every_placeholder_is_filled_in_its_own_way(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it, full);
    it.config.service_id = "a/\"ы\" ?";
    case_request(&it, CASE_SEND,
                 &(struct request_row){
                     "POST",
                     BASE "/call/%2B79161234567/a%2F%22%D1%8B%22%20%3F"
                          "?a%20b=x%26y%3D%2B79161234567&u=" CASE_SEND_ID,
                     "X-Key: k " CASE_TOKEN "\nX-Time: 1789000000\n" JSON,
                     "{\"to\":{\"n\":79161234567,\"s\":\"79161234567\"},"
                     "\"c\":[\"0042\",42,\"your 42!\",\"00420042\"],\"at\":1789000000,"
                     "\"svc\":\"a/\\\"ы\\\" ?\",\"n\":1.50,\"yes\":true,\"no\":false,\"nil\":null,"
                     "\"e\":\"\"}"});
    assert_true(it.driver->is_deduplicating);
    assert_int_equal(it.driver->calls_per_s, 12);
    assert_int_equal(it.driver->code_min, 1000);
    assert_false(flash_template_uses(it.config.template, "nonsense"));
    assert_true(flash_template_uses(it.config.template, "id"));
    case_end(&it);
}

static void every_class_of_refusal_is_told(void **state)
{
#define E(code, text) "{\"r\":{\"ok\":0},\"e\":{\"c\":" code ",\"t\":\"" text "\",\"w\":7}}"
    static const struct answer_row rows[] = {
        {200, "{\"r\":{\"ok\":1,\"id\":\"i\"}}", OUTCOME_DONE, .provider_id = "i"},
        {200, "{\"r\":{\"ok\":\"1\",\"id\":\"i\"},\"e\":{\"c\":\"key\"}}", OUTCOME_DONE,
         .provider_id = "i"},
        {200, E("\"slow down\"", ""), OUTCOME_RATE_LIMITED, .error = "slow down", .wait_ms = 7000},
        {200, E("5", "come later"), OUTCOME_RETRYABLE, .error = "5: come later", .wait_ms = 7000},
        {200, E("5", "there is nobody here"), OUTCOME_PERMANENT,
         .error = "5: there is nobody here"},
        {200, E("\"key\"", "x"), OUTCOME_OURS, .error = "key: x"},
        {200, E("\"keys\"", "x"), OUTCOME_PERMANENT, .error = "keys: x"},
        {200, E("\"maybe\"", "x"), OUTCOME_UNKNOWN, .error = "maybe: x"},
        {500, E("7", "x"), OUTCOME_RETRYABLE, .error = "7: x", .wait_ms = 7000},
        {401, E("7", "x"), OUTCOME_OURS, .error = "7: x"},
        {200, "{\"e\":{\"c\":\"key\"}}", OUTCOME_OURS, .error = "key"},
    };
    struct driver_case it;

    (void)state;
    begin(&it, full);
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    case_end(&it);
}

static void the_status_is_asked_for_by_id(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"s\":\"ringing\"}", OUTCOME_DONE, PROGRESS_SENT},
        {200, "{\"s\":2}", OUTCOME_DONE, PROGRESS_DELIVERED},
        {200, "{\"s\":3}", OUTCOME_DONE, PROGRESS_FAILED, .error = "3"},
        {200, "{\"s\":\"lost line\"}", OUTCOME_DONE, PROGRESS_FAILED, .error = "lost line"},
        {200, "{\"s\":\"dialing\"}", OUTCOME_DONE, PROGRESS_ACCEPTED, .is_pending = true},
        {200, "{}", OUTCOME_DONE, PROGRESS_ACCEPTED, .is_pending = true},
        {200, "{\"e\":{\"c\":\"key\"}}", OUTCOME_OURS, .error = "key", .is_pending = true},
        {404, "{}", OUTCOME_RETRYABLE, .error = UNREADABLE("404"), .is_pending = true},
        {200, "<html>", OUTCOME_RETRYABLE, .error = UNREADABLE("200"), .is_pending = true},
    };
    struct driver_case it;

    (void)state;
    begin(&it, full);
    it.content.provider_id = "i&d=1";
    case_request(&it, CASE_STATUS,
                 &(struct request_row){"GET", BASE "/call?id=i%26d%3D1", "", NULL});
    case_answers(&it, CASE_STATUS, rows, COUNT_OF(rows));
    case_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smsru_tells_the_code_that_it_chose),
        cmocka_unit_test(unibell_takes_our_code_as_an_integer),
        cmocka_unit_test(plusofon_refuses_with_status_200),
        cmocka_unit_test(zvonok_is_asked_by_a_form),
        cmocka_unit_test(of_smsc_the_last_four_digits_count),
        cmocka_unit_test(without_a_setting_the_template_says_where),
        cmocka_unit_test(every_placeholder_is_filled_in_its_own_way),
        cmocka_unit_test(every_class_of_refusal_is_told),
        cmocka_unit_test(the_status_is_asked_for_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
