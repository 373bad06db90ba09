/* Runs requests and answers of drivers against their rows. */
#include "driver_case.h"

#include <stdio.h>

enum { TEXT_MAX = 256 * 1024 };

void case_begin(struct driver_case *it, const struct channel_driver *driver, const char *base_url)
{
    *it = (struct driver_case){.driver = driver};
    assert_true(secret_system_init());
    secret_init(&it->token, STR(CASE_TOKEN));
    it->config = (struct driver_config){.base_url = base_url, .token = &it->token};
    it->content = (struct channel_content){
        .recipient = CASE_PHONE, .code = "0042", .ttl_s = 300, .now_ms = CASE_NOW_MS};
    assert_true(uuid_parse(STR(CASE_SEND_ID), &it->content.send_id));
    arena_init(&it->arena);
}

void case_end(struct driver_case *it)
{
    arena_done(&it->arena);
    secret_done(&it->token);
}

/* --- Requests --------------------------------------------------------------------------------- */

static void make(struct driver_case *it, enum case_step step, struct fetch *fetch)
{
    const struct channel_driver *driver = it->driver;

    switch (step) {
    case CASE_SEND:
        driver->make_send(&it->config, &it->content, &it->arena, fetch);
        return;
    case CASE_STATUS:
        driver->make_status(&it->config, &it->content, &it->arena, fetch);
        return;
    case CASE_REVOKE:
        driver->make_revoke(&it->config, &it->content, &it->arena, fetch);
        return;
    case CASE_SUCCESS:
        driver->make_success(&it->config, &it->content, &it->arena, fetch);
        return;
    case CASE_CHECK:
        driver->make_check(&it->config, &it->content, &it->arena, fetch);
        return;
    case CASE_PROBE:
        driver->make_probe(&it->config, &it->arena, fetch);
        return;
    }
}

static void check_headers(const struct fetch *fetch, const char *expected)
{
    AUTO_BUF lines = {0};

    buf_init(&lines, TEXT_MAX);
    assert_string_equal(fetch->headers[0].name, "Accept");
    assert_string_equal(fetch->headers[0].value, "application/json");
    for (const struct fetch_header *header = fetch->headers + 1; header->name; header++)
        buf_printf(&lines, "%s: %s\n", header->name, header->value);
    buf_char(&lines, '\0');
    assert_string_equal(lines.data, expected);
}

void case_request(struct driver_case *it, enum case_step step, const struct request_row *row)
{
    struct fetch fetch;

    /* The bytes that stood there before must not shine through; the route is somebody else's. */
    memset(&fetch, 0x55, sizeof(fetch));
    fetch.route.timeout_ms = 7;
    make(it, step, &fetch);
    assert_string_equal(fetch.method, row->method);
    assert_string_equal(fetch.url, row->url);
    check_headers(&fetch, row->headers);
    assert_int_equal(fetch.route.timeout_ms, 7);
    if (!row->body) {
        assert_int_equal(fetch.body.len, 0);
        return;
    }
    assert_string_equal(fetch.body.data, row->body);
    assert_int_equal(fetch.body.len, strlen(row->body));
}

/* --- Answers ---------------------------------------------------------------------------------- */

static void read_answer(struct driver_case *it, enum case_step step, const struct fetch *fetch,
                        struct channel_answer *ret_answer)
{
    memset(ret_answer, 0x55, sizeof(*ret_answer));
    if (step == CASE_STATUS)
        it->driver->read_status(&it->config, fetch, &it->arena, ret_answer);
    else
        it->driver->read_send(&it->config, fetch, &it->arena, ret_answer);
}

static void check_text(const char *what, const char *body, const char *found, const char *expected)
{
    if (!found && !expected) return;
    if (found && expected && strcmp(found, expected) == 0) return;
    fail_msg("%s of %.200s is %s, not %s", what, body ? body : "no answer", found ? found : "NULL",
             expected ? expected : "NULL");
}

static void check_number(const char *what, const char *body, int64_t found, int64_t expected)
{
    if (found == expected) return;
    fail_msg("%s of %.200s is %lld, not %lld", what, body ? body : "no answer", (long long)found,
             (long long)expected);
}

/* herald's own word stands beside what the provider said, which is no part of it. */
static void check_own_word(const struct channel_answer *answer)
{
    assert_non_null(answer->error);
    assert_non_null(strstr(answer->error, "the provider"));
    assert_null(strstr(answer->error, answer->words));
}

static void check_answer(const struct channel_answer *answer, const struct answer_row *row)
{
    check_number("outcome", row->body, answer->outcome, row->outcome);
    check_number("progress", row->body, answer->progress, row->progress);
    check_text("provider_id", row->body, answer->provider_id, row->provider_id);
    check_text("learned_code", row->body, answer->learned_code, row->learned_code);
    check_text("error", row->body, answer->words ? answer->words : answer->error, row->error);
    if (answer->words) check_own_word(answer);
    check_number("wait_ms", row->body, answer->wait_ms, row->wait_ms);
    check_number("is_pending", row->body, answer->is_pending, row->is_pending);
    check_number("is_unsent", row->body, answer->is_unsent, row->is_unsent);
    if (row->error) assert_null(strstr(answer->words ? answer->words : answer->error, CASE_TOKEN));
    if (answer->provider_id) assert_null(strstr(answer->provider_id, CASE_TOKEN));
}

void case_answers(struct driver_case *it, enum case_step step, const struct answer_row *rows,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct channel_answer answer;
        struct fetch fetch = {
            .end = FETCH_ANSWERED,
            .was_sent = true,
            .status = rows[i].status,
            .retry_after_ms = rows[i].retry_after_ms > 0 ? rows[i].retry_after_ms : -1,
        };
        buf_init(&fetch.answer, TEXT_MAX);
        buf_text(&fetch.answer, rows[i].body);
        read_answer(it, step, &fetch, &answer);
        buf_done(&fetch.answer);
        check_answer(&answer, &rows[i]);
    }
}

static void check_end(struct driver_case *it, enum case_step step, enum fetch_end end,
                      bool was_sent, enum channel_outcome outcome)
{
    struct channel_answer answer;
    struct fetch fetch = {
        .end = end, .was_sent = was_sent, .retry_after_ms = -1, .error = "it failed"};
    struct answer_row row = {.outcome = outcome, .error = "it failed"};

    row.is_pending = step == CASE_STATUS;
    read_answer(it, step, &fetch, &answer);
    check_answer(&answer, &row);
}

static void check_ends(struct driver_case *it)
{
    enum channel_outcome silence =
        it->driver->is_deduplicating ? OUTCOME_RETRYABLE : OUTCOME_UNKNOWN;

    check_end(it, CASE_SEND, FETCH_NOT_SENT, false, OUTCOME_RETRYABLE);
    check_end(it, CASE_SEND, FETCH_UNKNOWN, true, silence);
    check_end(it, CASE_SEND, FETCH_CANCELED, true, silence);
    check_end(it, CASE_SEND, FETCH_CANCELED, false, OUTCOME_RETRYABLE);
    if (!it->driver->read_status) return;
    check_end(it, CASE_STATUS, FETCH_NOT_SENT, false, OUTCOME_RETRYABLE);
    check_end(it, CASE_STATUS, FETCH_UNKNOWN, true, OUTCOME_RETRYABLE);
    check_end(it, CASE_STATUS, FETCH_CANCELED, true, OUTCOME_RETRYABLE);
}

#define UNREADABLE(number) "HTTP " number ", with an answer that cannot be read"

void case_common_answers(struct driver_case *it)
{
    enum channel_outcome broken =
        it->driver->is_deduplicating ? OUTCOME_RETRYABLE : OUTCOME_UNKNOWN;
    const struct answer_row rows[] = {
        {200, "", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "<html><body>Blocked</body></html>", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "{\"ok\":true,\"status\":true,\"ucaller_id\":1,", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {200, "{}", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "[]", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "true", OUTCOME_UNKNOWN, .error = UNREADABLE("200")},
        {200, "{\"ok\":null,\"status\":null,\"error\":null}", OUTCOME_UNKNOWN,
         .error = UNREADABLE("200")},
        {302, "moved", OUTCOME_UNKNOWN, .error = UNREADABLE("302")},
        {400, "<html></html>", OUTCOME_UNKNOWN, .error = UNREADABLE("400")},
        {403, "<html></html>", OUTCOME_UNKNOWN, .error = UNREADABLE("403")},
        {429, "slow down", OUTCOME_RATE_LIMITED, .error = UNREADABLE("429")},
        {429, "slow down", OUTCOME_RATE_LIMITED, .error = UNREADABLE("429"), .wait_ms = 7000,
         .retry_after_ms = 7000},
        {429, "", OUTCOME_RATE_LIMITED, .error = UNREADABLE("429"), .wait_ms = 86400000,
         .retry_after_ms = 86400001},
        {500, "", broken, .error = UNREADABLE("500")},
        {502, "<html>Bad gateway</html>", broken, .error = UNREADABLE("502")},
        {503, "", broken, .error = UNREADABLE("503"),
         .wait_ms = broken == OUTCOME_RETRYABLE ? 2000 : 0, .retry_after_ms = 2000},
    };

    case_answers(it, CASE_SEND, rows, COUNT_OF(rows));
    check_ends(it);
}
