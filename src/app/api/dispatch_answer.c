/* A request gets its answer here, and a refusal its entry in the log. */
#include "app/api/auth.h"
#include "app/api/console.h"
#include "app/api/counts.h"
#include "app/api/dispatch.h"
#include "core/phone.h"
#include "core/request.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/http/media.h"

#include <inttypes.h>
#include <stdio.h>

/* A page has its style in itself and loads nothing; nobody may frame it. */
#define PAGE_POLICY \
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

enum {
    HEADERS_MAX = 14,
    LIMITS_LEN = RATE_LIMITS_MAX * 100,
    FAULTS_REPLY_MAX = 512 * 1024, /* FAULTS_MAX paths and sentences */
    REFUSAL_FIELDS_MAX = 14,
};

#define OTP_PATH "/internal/v1/otp/{id}"

/* Returns the wait where the rules compute none: a phone polls every 5 s, and a database is back in
 * a moment. */
static int64_t default_retry_after_s(enum err err)
{
    static const enum err slow[] = {
        ERR_NO_READY_SIM,      ERR_SIM_NOT_READY,         ERR_CIRCUIT_OPEN,
        ERR_NO_ENABLED_NUMBER, ERR_ACCOUNT_NOT_CONNECTED, ERR_CALL_UNDER_WAY,
        ERR_KEYS_UNAVAILABLE,  ERR_KEY_SET_UNAVAILABLE,   ERR_SIGNING_KEY_UNAVAILABLE};

    if (err == ERR_CHANNEL_NOT_CONFIGURED) return 0; /* no wait would help */
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        if (err == slow[i]) return 5;
    }
    return err_info(err)->http_status == 503 ? 1 : 0;
}

struct answer_headers {
    struct http_header rows[HEADERS_MAX];
    size_t count;
    char retry_after[24];
    char policies[LIMITS_LEN], limits[LIMITS_LEN];
};

static void add_header(struct answer_headers *headers, const char *name, const char *value)
{
    assert(headers->count < HEADERS_MAX);
    headers->rows[headers->count++] = (struct http_header){str_of(name), str_of(value)};
}

/* The wait is also in the body, as error.retry_at, which is written later. */
static void add_retry_after(struct answer_headers *headers, struct dispatch *ex, enum err err)
{
    int64_t wait_s = default_retry_after_s(err);
    int status = err_info(err)->http_status;
    if (status != 429 && status != 503) return;
    if (ex->rq.retry_after_s == 0 && wait_s > 0) error_retry_after(&ex->rq, wait_s * 1000);
    if (ex->rq.retry_after_s == 0) return;
    snprintf(headers->retry_after, sizeof(headers->retry_after), "%lld",
             (long long)ex->rq.retry_after_s);
    add_header(headers, "Retry-After", headers->retry_after);
}

/* The limits are lists of structured fields (RFC 8941): "codes";q=3;w=600 and "codes";r=0;t=599. */
static void add_limits(struct answer_headers *headers, const struct request *rq)
{
    size_t policies_len = 0, limits_len = 0;

    for (size_t i = 0; i < rq->limit_count; i++) {
        const struct rate_limit *limit = &rq->limits[i];
        const char *comma = i > 0 ? ", " : "";
        policies_len += (size_t)snprintf(
            headers->policies + policies_len, LIMITS_LEN - policies_len,
            "%s\"%s\";q=%" PRId64 ";w=%" PRId64, comma, limit->name, limit->quota, limit->window_s);
        limits_len += (size_t)snprintf(headers->limits + limits_len, LIMITS_LEN - limits_len,
                                       "%s\"%s\";r=%" PRId64 ";t=%" PRId64, comma, limit->name,
                                       limit->left, (limit->refill_ms + 999) / 1000);
        assert(policies_len < LIMITS_LEN && limits_len < LIMITS_LEN);
    }
    if (rq->limit_count == 0) return;
    add_header(headers, "RateLimit-Policy", headers->policies);
    add_header(headers, "RateLimit", headers->limits);
}

static bool is_failed_key(enum err err)
{
    return err == ERR_UNAUTHORIZED || err == ERR_INVALID_CLIENT;
}

static void add_error_headers(struct answer_headers *headers, struct dispatch *ex, enum err err)
{
    add_retry_after(headers, ex, err);
    if (err == ERR_UNAUTHORIZED) ex->rq.sentence = auth_unauthorized(ex);
    if (err == ERR_METHOD_NOT_ALLOWED) add_header(headers, "Allow", ex->allow);
    if (!is_failed_key(err) && err != ERR_INSUFFICIENT_SCOPE) return;
    const struct auth_way *way = auth_of(ex->rq.route);
    const char *challenge = way->make_challenge ? way->make_challenge(ex, err) : way->challenge;
    if (challenge) add_header(headers, "WWW-Authenticate", challenge);
}

/* RFC 6749, section 5.1, wants the old header Pragma beside the new one. */
static void add_cache_headers(struct answer_headers *headers, const struct dispatch *ex,
                              bool is_refusal)
{
    const struct route *route = ex->rq.route;
    const char *own = route && !is_refusal ? route->cache_control : NULL;

    add_header(headers, "Cache-Control", own ? own : "no-store");
    if (route && route->error_style == ERRORS_OAUTH) add_header(headers, "Pragma", "no-cache");
}

/* Operators have to hear of our own mistakes and of the storage's. */
static void log_trouble(const struct dispatch *ex, enum err err)
{
    bool is_storage = err == ERR_STORAGE_UNAVAILABLE || err == ERR_CLIENTS_UNAVAILABLE;
    struct trace_ids ids;
    struct log_field trace[TRACE_FIELDS];

    if (err_info(err)->http_status != 500 && !is_storage) return;
    trace_log_fields(ex->rq.work.traceparent, &ids, trace);
    log_write(LOG_ERROR, "request failed",
              LOG_FIELDS(log_plain("error", err_info(err)->code),
                         log_plain("operation", ex->rq.route ? ex->rq.route->operation_id : NULL),
                         log_id("request_id", ex->request_id), trace[0], trace[1]));
}

static void log_failed_key(const struct dispatch *ex)
{
    char address[HTTP_PEER_LEN];
    struct trace_ids ids;
    struct log_field trace[TRACE_FIELDS];

    http_address_format(&ex->address, address);
    trace_log_fields(ex->rq.work.traceparent, &ids, trace);
    event_log_write(
        ex->api->event_log, LOG_WARNING, "authentication failed",
        LOG_FIELDS(log_id("request_id", ex->request_id), trace[0], trace[1],
                   log_plain("address", address),
                   log_plain("operation", ex->rq.route ? ex->rq.route->operation_id : NULL),
                   log_plain("cause", ex->token_fault), log_id("client_id", ex->token_client)));
}

/* The token endpoint looks at what a client asks for only once its secret was found right. */
static bool is_known(const struct dispatch *ex, enum err err)
{
    return ex->has_right_key || err == ERR_INVALID_SCOPE || err == ERR_UNSUPPORTED_GRANT_TYPE;
}

static enum refused refused_client(const struct dispatch *ex, enum err err)
{
    if (!is_known(ex, err)) return REFUSED_UNKNOWN;
    if (!uuid_is_nil(&ex->device_id)) return REFUSED_PHONE;
    if (!ex->rq.route || err == ERR_METHOD_NOT_ALLOWED) /* auth_know */
        return ex->claims ? REFUSED_ERP : REFUSED_CORE;
    switch (ex->rq.route->auth) {
    case AUTH_INTERNAL_KEY:
    case AUTH_SESSION:
        return REFUSED_CORE;
    case AUTH_DEVICE_KEY:
    case AUTH_HTTPSMS_KEY:
    case AUTH_DEVICE_SIGNATURE:
        return REFUSED_PHONE;
    case AUTH_BEARER:
    case AUTH_CLIENT:
        return REFUSED_ERP;
    case AUTH_NONE:
    case AUTH_PAIRING:
    case AUTH_SIGNATURE:
    case AUTH_CONSOLE:
    case AUTH_COUNT:
        break;
    }
    return REFUSED_UNKNOWN;
}

/* Returns the number that a refused request of the core system was for: nothing was created, so the
 * log alone can tell why nothing came. Its text is NULL if it was for none. */
static struct log_field number_of(const struct dispatch *ex)
{
    static const char *const names[] = {"recipient", "caller"};
    const struct record *record = ex->rq.body ? ex->rq.route->body : NULL;

    for (size_t i = 0; record && i < COUNT_OF(names); i++) {
        const struct field *field = record_find(record, str_of(names[i]));
        if (!field || field->type != FIELD_STRING) continue;
        const char *number = *(const char *const *)((const char *)ex->rq.body + field->offset);
        if (number && phone_is_e164(str_of(number))) return log_phone(names[i], number);
    }
    return log_phone(names[0], NULL);
}

/* Adds who was refused, and the code or the number that it was about. */
static size_t add_refused_fields(const struct dispatch *ex, enum refused client,
                                 struct log_field *fields)
{
    const struct route *route = ex->rq.route;
    size_t count = 0;

    bool is_person = ex->has_api_key && ex->rq.work.actor->kind == ACTOR_OPERATOR;

    if (ex->has_api_key)
        fields[count++] =
            log_uuid(is_person ? "operator_id" : "api_key_id", &ex->rq.work.actor->id);
    if (client == REFUSED_PHONE) fields[count++] = log_device(&ex->device_id);
    if (client == REFUSED_ERP && ex->claims) {
        fields[count++] = log_integration(&ex->claims->integration_id);
        fields[count++] = log_id("client_id", ex->claims->client_id);
    }
    if (route && strncmp(route->path, OTP_PATH, strlen(OTP_PATH)) == 0)
        fields[count++] = log_uuid("otp_id", &ex->rq.path_ids[0]);
    if (client == REFUSED_CORE) fields[count++] = number_of(ex);
    return count;
}

static void write_refusal(const struct dispatch *ex, enum refused client, enum err err,
                          int64_t left_out)
{
    const struct err_info *info = err_info(err);
    struct trace_ids ids;
    struct log_field trace[TRACE_FIELDS];
    trace_log_fields(ex->rq.work.traceparent, &ids, trace);
    struct log_field fields[REFUSAL_FIELDS_MAX] = {
        log_id("request_id", ex->request_id),
        trace[0],
        trace[1],
        log_int("status", info->http_status),
        log_plain("error", info->code),
        log_plain("reason", info->reason),
        log_plain("operation", ex->rq.route ? ex->rq.route->operation_id : NULL),
        log_plain("client", refused_words[client]),
    };
    size_t count = 8 + add_refused_fields(ex, client, fields + 8);

    if (left_out > 0) fields[count++] = log_int("left_out", left_out);
    event_log_write(ex->api->event_log, info->http_status == 503 ? LOG_WARNING : LOG_INFO,
                    LOG_REFUSED, fields, count);
}

/* A client without a right key has entries of its own (log_failed_key), and must not make one with
 * each request; but what fails for want of something is told, whoever asked (contract, section 2,
 * rule 12). */
static void log_refusal(const struct dispatch *ex, enum err err)
{
    int status = err_info(err)->http_status;
    int64_t left_out;

    if (status != 503 && (status >= 500 || !is_known(ex, err))) return;
    enum refused client = refused_client(ex, err);
    if (refusals_add(ex->api->refusals, client, err, clock_monotonic_ms(), &left_out))
        write_refusal(ex, client, err, left_out);
}

struct throttle_failure dispatch_count_failed_key(struct dispatch *ex, enum route_auth auth)
{
    struct throttle_failure failure =
        throttle_add_failure(ex->api->throttle, &ex->address, ex->rq.work.now_ms);

    metric_add(&counts_auth_failures, auth, 1);
    if (failure.is_told) log_failed_key(ex);
    return failure;
}

/* A wrong key is answered as such, or, after too many, with the time to wait. */
static enum err tell_failed_key(struct dispatch *ex, enum err err)
{
    struct throttle_failure failure = dispatch_count_failed_key(ex, ex->rq.route->auth);

    reply_limit(&ex->rq, &(struct rate_limit){.name = "failures",
                                              .quota = THROTTLE_FAILURES_MAX,
                                              .window_s = THROTTLE_WINDOW_MS / 1000,
                                              .left = failure.left,
                                              .refill_ms = failure.left_ms});
    if (failure.wait_ms == 0) return err;
    error_retry_after(&ex->rq, failure.wait_ms);
    return ERR_RATE_LIMITED;
}

static void tell_taker(struct dispatch *ex, enum err refusal)
{
    const struct route *route = ex->rq.route;
    int status = err_info(refusal)->http_status;

    if (!route || !route->taker || !route->taker->refused || !ex->rq.principal) return;
    if (status >= 400 && status <= 499) route->taker->refused(&ex->rq, refusal);
}

/* A transaction that could not end means that the storage does not serve. The token endpoint has an
 * error of its own for that, which names no Idempotency-Key. */
static enum err shown_error(const struct dispatch *ex, enum err err)
{
    const struct route *route = ex->rq.route;
    bool is_oauth = route && route->error_style == ERRORS_OAUTH;
    bool is_storage = err == ERR_STORAGE_UNAVAILABLE || err == ERR_TX_RETRY || err == ERR_UNIQUE ||
                      err == ERR_WRITE_NEEDED;

    if (!is_storage) return err;
    return is_oauth ? ERR_CLIENTS_UNAVAILABLE : ERR_STORAGE_UNAVAILABLE;
}

void dispatch_answer(struct dispatch *ex, enum err err)
{
    struct answer_headers headers = {.count = 0};
    char cookie[CONSOLE_COOKIE_MAX];
    struct request *rq = &ex->rq;
    enum err refusal = shown_error(ex, err ? err : rq->error);
    if (!refusal && rq->reply.is_full) refusal = LOG_BROKEN("the answer is too long");
    bool is_wrong_key = is_failed_key(refusal);
    if (is_wrong_key) refusal = tell_failed_key(ex, refusal);
    if (is_wrong_key || rq->principal) http_vouch(ex->x, !is_wrong_key);
    if (refusal && !is_wrong_key) tell_taker(ex, refusal);
    int status = refusal ? err_info(refusal)->http_status : rq->status;
    counts_add(ex->api->counts, ex->routes, rq->route, status, refusal, ex->began_us);

    add_header(&headers, "X-Request-Id", ex->request_id);
    if (status < 500) add_limits(&headers, rq);
    add_cache_headers(&headers, ex, refusal != ERR_OK);
    if (refusal) {
        add_error_headers(&headers, ex, refusal);
        buf_done(&rq->reply);
        buf_init(&rq->reply, FAULTS_REPLY_MAX + (rq->detail ? strlen(rq->detail) : 0));
        error_encode(refusal, str_of(ex->request_id), rq, &rq->reply);
        log_trouble(ex, refusal);
        if (!is_wrong_key) log_refusal(ex, refusal);
    }
    if (ex->is_console) add_header(&headers, "X-Content-Type-Options", "nosniff");
    if (rq->session_token && !refusal)
        add_header(&headers, "Set-Cookie",
                   console_cookie(ex->x, ex->api, rq->session_token, cookie));
    if (rq->is_replayed && !refusal) add_header(&headers, "Idempotent-Replayed", "true");
    bool has_document = !refusal && rq->document.len > 0;
    const char *type = has_document ? rq->route->reply_type : NULL;
    const char *said_type = rq->reply_type && !refusal ? rq->reply_type : type;
    bool is_page = said_type && http_media_is(str_of(said_type), "text/html");
    if (has_document || rq->reply.len > 0)
        add_header(&headers, "Content-Type", said_type ? said_type : "application/json");
    if (is_page) add_header(&headers, "Content-Security-Policy", PAGE_POLICY);
    ex->is_answered = true;
    if (has_document)
        http_reply_shared(ex->x, status, headers.rows, headers.count, rq->document);
    else
        http_reply(ex->x, status, headers.rows, headers.count, &rq->reply);
}
