/* Telegram Gateway: each method's request, each state and error, and signed reports. */
#include "driver_case.h"

#define BASE "https://gateway.test"
#define AUTH "Authorization: Bearer " CASE_TOKEN "\nContent-Type: application/json\n"

static void begin(struct driver_case *it)
{
    case_begin(it, &driver_telegram_gateway, BASE);
    it->content.code = "049302";
}

/* --- Requests --------------------------------------------------------------------------------- */

static void a_send_gives_our_code(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it);
    case_request(&it, CASE_SEND,
                 &(struct request_row){"POST", BASE "/sendVerificationMessage", AUTH,
                                       "{\"phone_number\":\"" CASE_PHONE
                                       "\",\"code\":\"049302\",\"ttl\":300,"
                                       "\"payload\":\"" CASE_SEND_ID "\"}"});
    it.config.callback_url = "https://herald.test/callbacks/telegram-gateway";
    it.config.sender = "herald_\"test\"";
    case_request(&it, CASE_SEND,
                 &(struct request_row){
                     "POST", BASE "/sendVerificationMessage", AUTH,
                     "{\"phone_number\":\"" CASE_PHONE "\",\"code\":\"049302\",\"ttl\":300,"
                     "\"payload\":\"" CASE_SEND_ID "\","
                     "\"callback_url\":\"https://herald.test/callbacks/telegram-gateway\","
                     "\"sender_username\":\"herald_\\\"test\\\"\"}"});
    case_end(&it);
}

static void the_time_to_live_stays_within_their_limits(void **state)
{
    static const struct {
        int64_t ttl_s;
        const char *ttl;
    } rows[] = {{-1, "\"ttl\":30,"}, {29, "\"ttl\":30,"},     {30, "\"ttl\":30,"},
                {31, "\"ttl\":31,"}, {3600, "\"ttl\":3600,"}, {3601, "\"ttl\":3600,"}};
    struct driver_case it;

    (void)state;
    begin(&it);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fetch fetch = {0};
        it.content.ttl_s = rows[i].ttl_s;
        it.driver->make_send(&it.config, &it.content, &it.arena, &fetch);
        assert_non_null(strstr(fetch.body.data, rows[i].ttl));
    }
    case_end(&it);
}

static void status_revoke_and_success_name_the_send(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it);
    it.content.provider_id = "rq-1";
    case_request(&it, CASE_STATUS,
                 &(struct request_row){"POST", BASE "/checkVerificationStatus", AUTH,
                                       "{\"request_id\":\"rq-1\"}"});
    case_request(&it, CASE_REVOKE,
                 &(struct request_row){"POST", BASE "/revokeVerificationMessage", AUTH,
                                       "{\"request_id\":\"rq-1\"}"});
    case_request(&it, CASE_SUCCESS,
                 &(struct request_row){"POST", BASE "/checkVerificationStatus", AUTH,
                                       "{\"request_id\":\"rq-1\",\"code\":\"049302\"}"});
    assert_null(it.driver->make_probe);
    case_end(&it);
}

static void a_check_gives_the_id_of_the_send(void **state)
{
    struct driver_case it;

    (void)state;
    begin(&it);
    case_request(&it, CASE_CHECK,
                 &(struct request_row){"POST", BASE "/checkSendAbility", AUTH,
                                       "{\"phone_number\":\"" CASE_PHONE "\"}"});
    it.content.provider_id = "rq-1";
    case_request(&it, CASE_SEND,
                 &(struct request_row){
                     "POST", BASE "/sendVerificationMessage", AUTH,
                     "{\"phone_number\":\"" CASE_PHONE "\",\"code\":\"049302\",\"ttl\":300,"
                     "\"payload\":\"" CASE_SEND_ID "\",\"request_id\":\"rq-1\"}"});
    case_end(&it);
}

/* --- Answers ---------------------------------------------------------------------------------- */

#define RESULT(more)                                                                        \
    "{\"ok\":true,\"result\":{\"request_id\":\"rq-1\",\"phone_number\":\"" CASE_PHONE "\"," \
    "\"request_cost\":0.01" more "}}"
#define STATUS(word)  RESULT(",\"delivery_status\":{\"status\":\"" word "\",\"updated_at\":1789}")
#define REFUSED(name) "{\"ok\":false,\"error\":\"" name "\"}"

static const struct answer_row shared_rows[] = {
    {200, REFUSED("ACCESS_TOKEN_INVALID"), OUTCOME_OURS, .error = "ACCESS_TOKEN_INVALID"},
    {401, REFUSED("ACCESS_TOKEN_INVALID"), OUTCOME_OURS, .error = "ACCESS_TOKEN_INVALID"},
    {200, REFUSED("BALANCE_NOT_ENOUGH"), OUTCOME_OURS, .error = "BALANCE_NOT_ENOUGH"},
    {200, REFUSED("PHONE_NUMBER_INVALID"), OUTCOME_PERMANENT, .error = "PHONE_NUMBER_INVALID"},
    {200, REFUSED("PHONE_NUMBER_NOT_FOUND"), OUTCOME_PERMANENT, .error = "PHONE_NUMBER_NOT_FOUND"},
    {200, REFUSED("PHONE_NUMBER_NOT_AVAILABLE"), OUTCOME_PERMANENT,
     .error = "PHONE_NUMBER_NOT_AVAILABLE"},
    {200, REFUSED("FLOOD_WAIT"), OUTCOME_RATE_LIMITED, .error = "FLOOD_WAIT"},
    {200, REFUSED("FLOOD_WAIT_30"), OUTCOME_RATE_LIMITED, .error = "FLOOD_WAIT_30",
     .wait_ms = 30000},
    {429, REFUSED("TOO_FAST: FLOOD_WAIT (5)"), OUTCOME_RATE_LIMITED,
     .error = "TOO_FAST: FLOOD_WAIT (5)", .wait_ms = 9000, .retry_after_ms = 9000},
    {429, REFUSED("FLOOD_WAIT_9"), OUTCOME_RATE_LIMITED, .error = "FLOOD_WAIT_9", .wait_ms = 9000,
     .retry_after_ms = 5000},
    {200, REFUSED("FLOOD_WAIT_99999999999999999999"), OUTCOME_RATE_LIMITED,
     .error = "FLOOD_WAIT_99999999999999999999", .wait_ms = 86400000},
    {429, REFUSED("WHATEVER"), OUTCOME_RATE_LIMITED, .error = "WHATEVER"},
    {400, REFUSED("NEVER_HEARD_OF"), OUTCOME_PERMANENT, .error = "NEVER_HEARD_OF"},
    {401, REFUSED("NEVER_HEARD_OF"), OUTCOME_OURS, .error = "NEVER_HEARD_OF"},
    {200, REFUSED("token " CASE_TOKEN " is bad"), OUTCOME_PERMANENT, .error = "token *** is bad"},
    {200, REFUSED("A\\r\\nB\\u001b[1m"), OUTCOME_PERMANENT, .error = "A  B [1m"},
};

static void every_answer_to_a_send_is_read(void **state)
{
    static const struct answer_row rows[] = {
        {200, RESULT(""), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1"},
        {200, RESULT(",\"remaining_balance\":12.5,\"delivery_status\":null"), OUTCOME_DONE,
         PROGRESS_ACCEPTED, "rq-1"},
        {200, STATUS("sent"), OUTCOME_DONE, PROGRESS_SENT, "rq-1"},
        {200, STATUS("delivered"), OUTCOME_DONE, PROGRESS_DELIVERED, "rq-1"},
        {200, STATUS("read"), OUTCOME_DONE, PROGRESS_DELIVERED, "rq-1"},
        {200, STATUS("expired"), OUTCOME_DONE, PROGRESS_FAILED, "rq-1", .error = "expired"},
        {200, STATUS("revoked"), OUTCOME_DONE, PROGRESS_FAILED, "rq-1", .error = "revoked"},
        {200, STATUS("teleported"), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1"},
        {200, REFUSED("MESSAGE_ALREADY_SENT"), OUTCOME_UNKNOWN, .error = "MESSAGE_ALREADY_SENT"},
        {500, REFUSED("NEVER_HEARD_OF"), OUTCOME_UNKNOWN, .error = "NEVER_HEARD_OF"},
        /* After an answer that contradicts itself or lacks a member, the send went out, for all we
         * know. */
        {200, "{\"ok\":true}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":true,\"result\":{\"request_id\":\"\"}}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":true,\"result\":{\"request_id\":\"a b\"}}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":true,\"result\":{\"request_id\":\"x" CASE_TOKEN "\"}}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":false}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {500, RESULT(""), OUTCOME_UNKNOWN, .error = "HTTP 500, with an answer that cannot be read"},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_answers(&it, CASE_SEND, shared_rows, COUNT_OF(shared_rows));
    case_common_answers(&it);
    case_end(&it);
}

static void every_status_is_read(void **state)
{
    static const struct answer_row rows[] = {
        {200, RESULT(""), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1", .is_pending = true,
         .is_unsent = true},
        {200, RESULT(",\"delivery_status\":null"), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1",
         .is_pending = true, .is_unsent = true},
        {200, RESULT(",\"delivery_status\":{}"), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1",
         .is_pending = true},
        {200, STATUS("sent"), OUTCOME_DONE, PROGRESS_SENT, "rq-1"},
        {200, STATUS("delivered"), OUTCOME_DONE, PROGRESS_DELIVERED, "rq-1"},
        {200, STATUS("read"), OUTCOME_DONE, PROGRESS_DELIVERED, "rq-1"},
        {200, STATUS("expired"), OUTCOME_DONE, PROGRESS_FAILED, "rq-1", .error = "expired"},
        {200, STATUS("revoked"), OUTCOME_DONE, PROGRESS_FAILED, "rq-1", .error = "revoked"},
        {200, STATUS("teleported"), OUTCOME_DONE, PROGRESS_ACCEPTED, "rq-1", .is_pending = true},
        {200, "nonsense", OUTCOME_RETRYABLE,
         .error = "HTTP 200, with an answer that cannot be read", .is_pending = true},
        {200, REFUSED("ACCESS_TOKEN_INVALID"), OUTCOME_OURS, .error = "ACCESS_TOKEN_INVALID",
         .is_pending = true},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_answers(&it, CASE_STATUS, rows, COUNT_OF(rows));
    case_end(&it);
}

/* --- Reports ---------------------------------------------------------------------------------- */

/* Signatures made with another program (Python's hmac) and the token CASE_TOKEN. */
#define STAMP     "1789000000"
#define BODY      "{\"request_id\":\"rq-1\",\"delivery_status\":{\"status\":\"delivered\"}}"
#define SIGNATURE "dc589893a49144c8d84de068d6e8137c147f279d11207871cc821109a95ce064"

struct report_row {
    const char *stamp, *signature, *body;
    int64_t now_ms;
    enum err err;
};

static enum err read_report(struct driver_case *it, const struct report_row *row,
                            struct telegram_gateway_report *ret_report)
{
    return telegram_gateway_report_read(&it->config, str_of(row->stamp), str_of(row->signature),
                                        str_of(row->body), row->now_ms, &it->arena, ret_report);
}

static void a_signed_report_is_read(void **state)
{
    static const struct report_row row = {STAMP, SIGNATURE, BODY, CASE_NOW_MS, ERR_OK};
    struct driver_case it;
    struct telegram_gateway_report report;

    (void)state;
    begin(&it);
    assert_int_equal(read_report(&it, &row, &report), ERR_OK);
    assert_string_equal(report.request_id, "rq-1");
    assert_int_equal(report.answer.outcome, OUTCOME_DONE);
    assert_int_equal(report.answer.progress, PROGRESS_DELIVERED);
    assert_string_equal(report.answer.provider_id, "rq-1");
    assert_false(report.answer.is_pending);
    assert_true(uuid_is_nil(&report.send_id));
    case_end(&it);
}

static void a_report_names_the_send_by_its_payload(void **state)
{
    static const struct {
        const char *signature, *body;
        bool is_ours;
    } rows[] = {
        {"05f3a314f055c34b6be70bef516946b1ac37ec7dbe1fb391c7e3a638138ae7c2",
         "{\"request_id\":\"rq-1\",\"payload\":\"" CASE_SEND_ID "\"}", true},
        {"c6763d777b7140e19916d34e9736b90ada0228686f56368100e007eca0e59679",
         "{\"request_id\":\"rq-1\",\"payload\":\"not ours\"}", false},
        {"b8868e4be289fe99bfffed81a757533c0bb6bb224f728f3c172ab59f0e988162",
         "{\"request_id\":\"rq-1\",\"payload\":null}", false},
    };
    struct driver_case it;
    struct uuid id;

    (void)state;
    begin(&it);
    assert_true(uuid_parse(STR(CASE_SEND_ID), &id));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct report_row row = {STAMP, rows[i].signature, rows[i].body, CASE_NOW_MS, ERR_OK};
        struct telegram_gateway_report report;
        assert_int_equal(read_report(&it, &row, &report), ERR_OK);
        assert_true(uuid_equal(&report.send_id, rows[i].is_ours ? &id : &(struct uuid){0}));
        assert_string_equal(report.request_id, "rq-1");
    }
    case_end(&it);
}

static void a_report_is_checked_before_it_is_read(void **state)
{
    static const int64_t at_ms = 1789000000000;
    const struct report_row rows[] = {
        /* Its age, at the limits. */
        {STAMP, SIGNATURE, BODY, at_ms + TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS, ERR_OK},
        {STAMP, SIGNATURE, BODY, at_ms + TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS + 1, ERR_UNAUTHORIZED},
        {STAMP, SIGNATURE, BODY, at_ms - TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS, ERR_OK},
        {STAMP, SIGNATURE, BODY, at_ms - TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS - 1, ERR_UNAUTHORIZED},
        /* These were tampered with. */
        {"1789000001", SIGNATURE, BODY, CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, SIGNATURE, BODY " ", CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, SIGNATURE, "{\"request_id\":\"rq-2\",\"delivery_status\":{\"status\":\"read\"}}",
         CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, "0c7ccace817584952ed383b700caeaa929dffe6a029c0ed6b90c75125dfaf04e", BODY,
         CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, "4d81fccc66d89a0f5d6a56b0e2d35b73f5bd61717687b05fcf1c2618d929b0b1", BODY,
         CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, SIGNATURE "00", BODY, CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, "", BODY, CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, "00", BODY, CASE_NOW_MS, ERR_UNAUTHORIZED},
        {STAMP, "zz00000000000000000000000000000000000000000000000000000000000000", BODY,
         CASE_NOW_MS, ERR_UNAUTHORIZED},
        /* Signed, and no timestamp. */
        {"", "8de3ac506d914aa98f4da1f8ae5a2ddd8e2a44b8d057e4d56752f0f25be6f351", BODY, CASE_NOW_MS,
         ERR_UNAUTHORIZED},
        {"soon", "19c370163cd14a99cdba6ee122f7461458f1852726ac92213ff1ff01a8be7005", BODY,
         CASE_NOW_MS, ERR_UNAUTHORIZED},
        {"9223372036854775807", "7c5e10248c00d2e02a92eab399779a72e949033d1e0e42302e00b48784fdbc8a",
         BODY, CASE_NOW_MS, ERR_UNAUTHORIZED},
        /* Signed, and no report. */
        {STAMP, "aec815222e02793abb76e3263257de76890696e09b753f43cb47fc91b1aa4018", "hello",
         CASE_NOW_MS, ERR_VALIDATION},
        {STAMP, "77c8dc213da0443d0c6468f6bc154ff51d61dcb83057b61ad9ec5499a6a5bdcb", "{}",
         CASE_NOW_MS, ERR_VALIDATION},
        {STAMP, "96ed75c38a90ef1331c5a597f289224436f3d34d0f8cad0a0ab2e02b07bd20c1",
         "{\"request_id\":7}", CASE_NOW_MS, ERR_VALIDATION},
        {STAMP, "6b6184854faa14fb4c8fbbb7a5ba534bb5bdd7a5e7ba7b59b10a0d5d7d98c734",
         "{\"request_id\":\"rq-1\",\"delivery_status\":\"sent\"}", CASE_NOW_MS, ERR_VALIDATION},
        {STAMP, "6fa0c6eb136a415c5abcbbdf1c261b5073a4622dd5dbd7e3ed8af6f38b0e0e82",
         "{\"request_id\":\"\"}", CASE_NOW_MS, ERR_VALIDATION},
        {STAMP, "c3d3505185175d6b616a5a821531159536bc93840839bf57c5928de97babd147",
         "{\"request_id\":\"rq-1\",\"request_id\":\"rq-2\"}", CASE_NOW_MS, ERR_VALIDATION},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct telegram_gateway_report report;
        assert_int_equal(read_report(&it, &rows[i], &report), rows[i].err);
    }
    case_end(&it);
}

static void without_a_token_no_report_is_taken(void **state)
{
    /* Signed with the hash of nothing. */
    static const struct report_row row = {
        STAMP, "640b619997e19b739b1faef5bfcbb71190171c001ccd666dce2d5d68991e616c", BODY,
        CASE_NOW_MS, ERR_OK};
    struct driver_case it;
    struct telegram_gateway_report report;
    struct secret none = {0};

    (void)state;
    begin(&it);
    it.config.token = NULL;
    assert_int_equal(read_report(&it, &row, &report), ERR_UNAUTHORIZED);
    it.config.token = &none;
    assert_int_equal(read_report(&it, &row, &report), ERR_UNAUTHORIZED);
    case_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_send_gives_our_code),
        cmocka_unit_test(the_time_to_live_stays_within_their_limits),
        cmocka_unit_test(status_revoke_and_success_name_the_send),
        cmocka_unit_test(a_check_gives_the_id_of_the_send),
        cmocka_unit_test(every_answer_to_a_send_is_read),
        cmocka_unit_test(every_status_is_read),
        cmocka_unit_test(a_signed_report_is_read),
        cmocka_unit_test(a_report_names_the_send_by_its_payload),
        cmocka_unit_test(a_report_is_checked_before_it_is_read),
        cmocka_unit_test(without_a_token_no_report_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
