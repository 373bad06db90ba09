/* Answers of providers are read here. One that cannot be read is never taken for a success or a
 * refusal: the fetch may have gone out, and the driver's is_deduplicating says whether it may be
 * repeated. */
#include "domain/channel/driver_reply.h"

#include "kit/json/number.h"
#include "kit/json/said_text.h"
#include "kit/json/utf8.h"

/* --- Single values ---------------------------------------------------------------------------- */

static struct json_value find(const struct reply *reply, const char *pointer)
{
    struct json_value value = {.type = JSON_END};
    if (!json_find(buf_view(&reply->fetch->answer), pointer, reply->arena, &value))
        value.type = JSON_FAULT;
    return value;
}

const char *reply_scalar(const struct reply *reply, const char *pointer)
{
    struct json_value value = find(reply, pointer);

    if (value.type == JSON_TRUE) return "true";
    if (value.type == JSON_FALSE) return "false";
    return value.text.data;
}

bool reply_has(const struct reply *reply, const char *pointer)
{
    enum json_token type = find(reply, pointer).type;
    return type > JSON_END && type != JSON_NULL;
}

bool reply_is_true(const struct reply *reply, const char *pointer)
{
    return find(reply, pointer).type == JSON_TRUE;
}

bool reply_int(const struct reply *reply, const char *pointer, int64_t *ret_value)
{
    struct json_value value = find(reply, pointer);
    long long number;

    if (value.type == JSON_NUMBER) return number_to_int64(value.text, ret_value);
    if (value.type != JSON_STRING || !str_to_int64(value.text, &number)) return false;
    *ret_value = number;
    return true;
}

bool reply_error_code(const struct reply *reply, const char *pointer, int64_t *ret_code)
{
    if (reply_int(reply, pointer, ret_code)) return true;
    if (reply->fetch->status < 400) return false;
    *ret_code = reply->fetch->status;
    return true;
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Measures the token at the front of `rest`; 0: it does not stand there. */
static size_t measure_token(const struct reply *reply, struct str rest)
{
    const struct secret *token = reply->config->token;

    if (!token || token->len == 0 || rest.len < token->len) return 0;
    return memcmp(rest.data, token->data, token->len) == 0 ? token->len : 0;
}

const char *reply_words(const struct reply *reply, const char *text)
{
    const struct secret *token = reply->config->token;
    const struct said_rule rule = {.token =
                                       token ? (struct str){token->data, token->len} : STR("")};

    return said_keep(reply->arena, text, &rule);
}

const char *reply_id(const struct reply *reply, const char *pointer)
{
    const char *text = reply_scalar(reply, pointer);
    struct str id = str_of(text);

    if (id.len == 0 || id.len > REPLY_ID_MAX) return NULL;
    for (size_t i = 0; i < id.len; i++) {
        if (id.data[i] < '!' || id.data[i] > '~') return NULL;
        if (measure_token(reply, (struct str){id.data + i, id.len - i}) > 0) return NULL;
    }
    return text;
}

/* --- Outcomes --------------------------------------------------------------------------------- */

bool reply_is_success(const struct reply *reply)
{
    return reply->fetch->status >= 200 && reply->fetch->status <= 299;
}

int64_t reply_wait_ms(int64_t wait_s)
{
    if (wait_s < 0) return 0;
    return wait_s < REPLY_WAIT_MAX_S ? wait_s * 1000 : REPLY_WAIT_MAX_MS;
}

static int64_t longer_wait_ms(const struct reply *reply, int64_t wait_ms)
{
    int64_t header_ms = reply->fetch->retry_after_ms;

    if (header_ms > REPLY_WAIT_MAX_MS) header_ms = REPLY_WAIT_MAX_MS;
    return header_ms > wait_ms ? header_ms : wait_ms;
}

/* Says what a refusal is, without the provider's words. */
static const char *error_of(const struct reply *reply, enum channel_outcome outcome)
{
    static const char *const errors[] = {
        [OUTCOME_DONE] = "it is done",
        [OUTCOME_RATE_LIMITED] = "the provider asks to wait",
        [OUTCOME_RETRYABLE] = "the provider does not serve now",
        [OUTCOME_PERMANENT] = "the provider refused it",
        [OUTCOME_OURS] = "the provider refused the credentials, or the balance is used up",
        [OUTCOME_UNKNOWN] = "the provider's answer tells nothing",
    };
    return arena_printf(reply->arena, "%s (HTTP %d)", errors[outcome], reply->fetch->status);
}

void reply_refused(const struct reply *reply, enum channel_outcome outcome, const char *words,
                   struct channel_answer *ret_answer)
{
    int64_t wait_ms = longer_wait_ms(reply, ret_answer->wait_ms);
    bool may_come_again = outcome == OUTCOME_RATE_LIMITED || outcome == OUTCOME_RETRYABLE;

    if (reply->fetch->status == 429) outcome = OUTCOME_RATE_LIMITED;
    ret_answer->outcome = outcome;
    ret_answer->error = error_of(reply, outcome);
    ret_answer->words = words;
    ret_answer->wait_ms = may_come_again || reply->fetch->status == 429 ? wait_ms : 0;
}

/* Bytes went out and nothing is known of them: the fetch may be repeated where that is one send. */
static enum channel_outcome outcome_in_doubt(const struct channel_driver *driver)
{
    return driver->is_deduplicating ? OUTCOME_RETRYABLE : OUTCOME_UNKNOWN;
}

enum channel_outcome reply_unlisted(const struct reply *reply)
{
    int status = reply->fetch->status;

    if (status >= 500) return outcome_in_doubt(reply->driver);
    if (status >= 401 && status <= 403) return OUTCOME_OURS;
    return OUTCOME_PERMANENT; /* it was refused, and would be again */
}

void reply_unreadable(const struct reply *reply, struct channel_answer *ret_answer)
{
    bool is_server_fault = reply->fetch->status >= 500;

    reply_refused(reply, is_server_fault ? outcome_in_doubt(reply->driver) : OUTCOME_UNKNOWN, NULL,
                  ret_answer);
    ret_answer->error = arena_printf(reply->arena, "HTTP %d, with an answer that cannot be read",
                                     reply->fetch->status);
}

static enum channel_outcome outcome_of_end(const struct channel_driver *driver,
                                           const struct fetch *fetch)
{
    switch (fetch->end) {
    case FETCH_NOT_SENT:
        return OUTCOME_RETRYABLE;
    case FETCH_CANCELED:
        return fetch->was_sent ? outcome_in_doubt(driver) : OUTCOME_RETRYABLE;
    case FETCH_ANSWERED:
    case FETCH_UNKNOWN:
        return outcome_in_doubt(driver);
    }
    return OUTCOME_UNKNOWN;
}

bool reply_open(const struct reply *reply, struct channel_answer *ret_answer)
{
    const struct fetch *fetch = reply->fetch;

    if (fetch->end != FETCH_ANSWERED) {
        const char *why = fetch->error ? fetch->error : "the fetch was given up";
        *ret_answer = (struct channel_answer){
            .outcome = outcome_of_end(reply->driver, fetch),
            .error = why,
        };
        return false;
    }
    *ret_answer = (struct channel_answer){.outcome = OUTCOME_UNKNOWN};
    if (find(reply, "").type == JSON_OBJECT_BEGIN) return true;
    reply_unreadable(reply, ret_answer);
    return false;
}

void reply_end_status(struct channel_answer *answer)
{
    if (answer->outcome == OUTCOME_UNKNOWN) answer->outcome = OUTCOME_RETRYABLE;
    if (answer->outcome != OUTCOME_DONE) answer->is_pending = true;
}
