/* The Telegram Bot API: sendMessage, getMe, and each kind of refusal. */
#include "driver_case.h"
#include "kit/json/said_text.h"

#define BASE "https://bot.test"
#define JSON "Content-Type: application/json\n"

static void begin(struct driver_case *it)
{
    case_begin(it, &driver_telegram_bot, BASE);
    it->content = (struct channel_content){.chat_id = "42", .text = "Hello"};
}

static void a_message_goes_to_a_number_or_a_name(void **state)
{
    static const struct {
        const char *chat_id, *text, *body;
    } rows[] = {
        {"42", "Hello", "{\"chat_id\":42,\"text\":\"Hello\"}"},
        {"-1001234567890", "a\"b\\c\n", "{\"chat_id\":-1001234567890,\"text\":\"a\\\"b\\\\c\\n\"}"},
        {"@herald_news", "Привет\u2028!",
         "{\"chat_id\":\"@herald_news\",\"text\":\"Привет\\u2028!\"}"},
        {"9223372036854775807", "x", "{\"chat_id\":9223372036854775807,\"text\":\"x\"}"},
        {"9223372036854775808", "x", "{\"chat_id\":\"9223372036854775808\",\"text\":\"x\"}"},
        {"007", "x", "{\"chat_id\":7,\"text\":\"x\"}"},
        {"-", "x", "{\"chat_id\":\"-\",\"text\":\"x\"}"},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        it.content.chat_id = rows[i].chat_id;
        it.content.text = rows[i].text;
        case_request(&it, CASE_SEND,
                     &(struct request_row){"POST", BASE "/bot" CASE_TOKEN "/sendMessage", JSON,
                                           rows[i].body});
    }
    case_end(&it);
}

/* 4096 characters that grow most when escaped still fit. */
static void the_longest_text_fits(void **state)
{
    enum { CHARS = 4096, LEN = 2 * CHARS };
    static char text[LEN + 1];
    struct driver_case it;
    struct fetch fetch = {0};

    (void)state;
    begin(&it);
    for (size_t i = 0; i < LEN; i += 2) {
        text[i] = '\xC2';
        text[i + 1] = '\x85';
    }
    it.content.text = text;
    it.driver->make_send(&it.config, &it.content, &it.arena, &fetch);
    assert_int_equal(fetch.body.len, strlen("{\"chat_id\":42,\"text\":\"\"}") + 6 * CHARS);
    case_end(&it);
}

static void a_token_cannot_leave_its_place_in_the_url(void **state)
{
    struct driver_case it;
    struct secret token;

    (void)state;
    begin(&it);
    secret_init(&token, STR("1:a/../b?c#d e\r\n"));
    it.config.token = &token;
    case_request(
        &it, CASE_PROBE,
        &(struct request_row){"GET", BASE "/bot1:a%2F..%2Fb%3Fc%23d%20e%0D%0A/getMe", "", NULL});
    secret_done(&token);
    case_end(&it);
}

static void the_probe_asks_who_we_are(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"ok\":true,\"result\":{\"id\":12345,\"is_bot\":true,\"first_name\":\"h\"}}",
         OUTCOME_DONE, PROGRESS_SENT},
        {401, "{\"ok\":false,\"error_code\":401,\"description\":\"Unauthorized\"}", OUTCOME_OURS,
         .error = "401: Unauthorized"},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_request(&it, CASE_PROBE,
                 &(struct request_row){"GET", BASE "/bot" CASE_TOKEN "/getMe", "", NULL});
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_end(&it);
}

#define REFUSED(code, description, more) \
    "{\"ok\":false,\"error_code\":" code ",\"description\":\"" description "\"" more "}"

static void every_answer_to_a_send_is_read(void **state)
{
    static const struct answer_row rows[] = {
        {200, "{\"ok\":true,\"result\":{\"message_id\":77,\"chat\":{\"id\":42}}}", OUTCOME_DONE,
         PROGRESS_SENT, "77"},
        {400, REFUSED("400", "Bad Request: chat not found", ""), OUTCOME_PERMANENT,
         .error = "400: Bad Request: chat not found"},
        {400,
         REFUSED("400", "Bad Request: upgraded", ",\"parameters\":{\"migrate_to_chat_id\":-1009}"),
         OUTCOME_PERMANENT, .error = "400: the chat is now -1009"},
        {403, REFUSED("403", "Forbidden: bot was blocked by the user", ""), OUTCOME_PERMANENT,
         .error = "403: Forbidden: bot was blocked by the user"},
        {403, REFUSED("403", "Forbidden: user is deactivated", ""), OUTCOME_PERMANENT,
         .error = "403: Forbidden: user is deactivated"},
        {403, REFUSED("403", "Forbidden: bot can't initiate conversation with a user", ""),
         OUTCOME_PERMANENT, .error = "403: Forbidden: bot can't initiate conversation with a user"},
        {401, REFUSED("401", "Unauthorized", ""), OUTCOME_OURS, .error = "401: Unauthorized"},
        {404, REFUSED("404", "Not Found", ""), OUTCOME_OURS, .error = "404: Not Found"},
        {413, REFUSED("413", "Request Entity Too Large", ""), OUTCOME_PERMANENT,
         .error = "413: Request Entity Too Large"},
        {429,
         REFUSED("429", "Too Many Requests: retry after 5", ",\"parameters\":{\"retry_after\":5}"),
         OUTCOME_RATE_LIMITED, .error = "429: Too Many Requests: retry after 5", .wait_ms = 5000},
        /* Errors may come under another status; what the body says counts. */
        {200, REFUSED("429", "Too Many Requests", ",\"parameters\":{\"retry_after\":1}"),
         OUTCOME_RATE_LIMITED, .error = "429: Too Many Requests", .wait_ms = 1000},
        {200, REFUSED("403", "Forbidden", ""), OUTCOME_PERMANENT, .error = "403: Forbidden"},
        {429, REFUSED("429", "Too Many Requests", ""), OUTCOME_RATE_LIMITED,
         .error = "429: Too Many Requests", .wait_ms = 3000, .retry_after_ms = 3000},
        {429, REFUSED("429", "x", ",\"parameters\":{\"retry_after\":-5}"), OUTCOME_RATE_LIMITED,
         .error = "429: x"},
        {429, REFUSED("429", "x", ",\"parameters\":{\"retry_after\":1e15}"), OUTCOME_RATE_LIMITED,
         .error = "429: x", .wait_ms = 86400000},
        {401, "{\"ok\":false}", OUTCOME_OURS, .error = "401: the provider gave no reason"},
        {500, REFUSED("500", "Internal Server Error", ""), OUTCOME_UNKNOWN,
         .error = "500: Internal Server Error"},
        {400, REFUSED("400", "no chat 79161234567 for " CASE_TOKEN, ""), OUTCOME_PERMANENT,
         .error = "400: no chat 79161234567 for ***"},
        {200, "{\"ok\":false}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":true,\"result\":{}}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
        {200, "{\"ok\":true,\"result\":true}", OUTCOME_UNKNOWN,
         .error = "HTTP 200, with an answer that cannot be read"},
    };
    struct driver_case it;

    (void)state;
    begin(&it);
    case_answers(&it, CASE_SEND, rows, COUNT_OF(rows));
    case_common_answers(&it);
    assert_null(it.driver->make_status);
    assert_int_equal(it.driver->calls_per_s, 30);
    case_end(&it);
}

/* A long description is cut between characters. */
static void a_long_description_is_cut(void **state)
{
    enum { REPEATS = 600 };
    struct driver_case it;
    struct fetch fetch = {.end = FETCH_ANSWERED, .status = 400, .retry_after_ms = -1};
    struct channel_answer answer;

    (void)state;
    begin(&it);
    buf_init(&fetch.answer, 8192);
    buf_text(&fetch.answer, "{\"ok\":false,\"error_code\":400,\"description\":\"x");
    for (int i = 0; i < REPEATS; i++)
        buf_text(&fetch.answer, "ы");
    buf_text(&fetch.answer, "\"}");
    it.driver->read_send(&it.config, &fetch, &it.arena, &answer);
    assert_int_equal(utf8_length(str_of(answer.words)), strlen("400: ") + SAID_MAX);
    assert_string_equal(answer.words + strlen(answer.words) - 2, "ы");
    buf_done(&fetch.answer);
    case_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_goes_to_a_number_or_a_name),
        cmocka_unit_test(the_longest_text_fits),
        cmocka_unit_test(a_token_cannot_leave_its_place_in_the_url),
        cmocka_unit_test(the_probe_asks_who_we_are),
        cmocka_unit_test(every_answer_to_a_send_is_read),
        cmocka_unit_test(a_long_description_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
