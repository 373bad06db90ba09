/*
 * One struct a report, which goes from the waiting errands to the posts and back. Only the thread
 * of errands touches it once it is under way.
 */
#include "report.h"

#include "kit/base/clock.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BODY_MAX = 16384,
    RETRY_MAX_MS = 60 * 1000,
    HEADER_MAX = 160,
    URL_MAX = 1024,
    SIGNATURE_LEN = crypto_auth_hmacsha256_BYTES,
};

const char *const seal_words[SEAL_COUNT + 1] = {"good", "wrong", "missing"};

struct report {
    struct sim *sim;
    uint64_t generation;
    char request_id[SEND_TEXT_MAX + 1];
    char status[16];
    enum fate fate; /* of the send, that it is about to tell */
    char url[URL_MAX];
    struct buf body;
    enum seal seal;
    int64_t age_s;
    int64_t repeats_left;
    bool is_ordered;
    int64_t retry_ms;

    struct parcel parcel;
    char timestamp_line[HEADER_MAX];
    char signature_line[HEADER_MAX];
    struct buf attempts; /* an ordered one's: JSON numbers, with commas */
    int attempt_count;
    void (*told)(void *context, struct buf *take_json);
    void *context;
};

/* ---- the log ---- */

struct report_row {
    char request_id[SEND_TEXT_MAX + 1];
    char status[16];
    int attempt;
    long http_status;
    bool is_ordered;
    int64_t at_ms;
};

struct report_log {
    struct report_row rows[REPORTS_MAX];
    uint64_t count;
};

static void *new_memory(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) abort();
    return memory;
}

struct report_log *report_log_new(void)
{
    return new_memory(sizeof(struct report_log));
}

void report_log_free(struct report_log *log)
{
    free(log);
}

void report_log_clear(struct report_log *log)
{
    log->count = 0;
}

static void log_attempt(struct report *report)
{
    struct sim *sim = report->sim;

    pthread_mutex_lock(&sim->lock);
    if (report->generation == sim->generation) {
        struct report_row *row = &sim->reports->rows[sim->reports->count++ % REPORTS_MAX];
        memcpy(row->request_id, report->request_id, sizeof(row->request_id));
        memcpy(row->status, report->status, sizeof(row->status));
        row->attempt = report->attempt_count;
        row->http_status = report->parcel.http_status;
        row->is_ordered = report->is_ordered;
        row->at_ms = clock_now_ms();
    }
    pthread_mutex_unlock(&sim->lock);
}

static void write_row(const struct report_row *row, struct json_writer *json)
{
    json_object_begin(json);
    json_put_text(json, "request_id", row->request_id);
    json_put_text(json, "status", row->status);
    json_put_int(json, "attempt", row->attempt);
    json_put_int(json, "http_status", row->http_status);
    json_put_bool(json, "ordered", row->is_ordered);
    json_put_int(json, "at_ms", row->at_ms);
    json_object_end(json);
}

void report_log_write(const struct report_log *log, const char *request_id,
                      struct json_writer *json)
{
    uint64_t first = log->count > REPORTS_MAX ? log->count - REPORTS_MAX : 0;

    json_array_begin(json);
    for (uint64_t i = first; i < log->count; i++) {
        const struct report_row *row = &log->rows[i % REPORTS_MAX];
        if (!request_id || strcmp(row->request_id, request_id) == 0) write_row(row, json);
    }
    json_array_end(json);
}

/* ---- a report's life ---- */

static struct report *new_report(struct sim *sim)
{
    struct report *report = new_memory(sizeof(*report));

    report->sim = sim;
    buf_init(&report->body, BODY_MAX);
    buf_init(&report->attempts, BODY_MAX);
    report->retry_ms = sim->options->report_retry_ms;
    return report;
}

static void free_report(struct report *report)
{
    buf_done(&report->body);
    buf_done(&report->attempts);
    free(report);
}

/* The path of `url` behind scheme and host of `base`. */
static void set_url(struct report *report, const char *url)
{
    const char *base = report->sim->options->report_to;
    const char *host = strstr(url, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;

    if (base)
        snprintf(report->url, sizeof(report->url), "%s%s", base, path ? path : "/");
    else
        snprintf(report->url, sizeof(report->url), "%s", url);
}

/* HMAC-SHA256 by SHA256(token) over timestamp, line feed, body. */
static void sign(const struct report *report, const char *timestamp, char *ret_hex)
{
    const char *token = report->sim->options->gateway_token;
    crypto_auth_hmacsha256_state state;
    unsigned char key[crypto_hash_sha256_BYTES];
    unsigned char signature[SIGNATURE_LEN];

    crypto_hash_sha256(key, (const unsigned char *)token, strlen(token));
    crypto_auth_hmacsha256_init(&state, key, sizeof(key));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)timestamp, strlen(timestamp));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)"\n", 1);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)report->body.data,
                                  report->body.len);
    crypto_auth_hmacsha256_final(&state, signature);
    if (report->seal == SEAL_WRONG) signature[0] ^= 1;
    sodium_bin2hex(ret_hex, 2 * SIGNATURE_LEN + 1, signature, sizeof(signature));
}

static void seal_report(struct report *report)
{
    char timestamp[24], hex[2 * SIGNATURE_LEN + 1];
    size_t count = 0;

    snprintf(timestamp, sizeof(timestamp), "%lld",
             (long long)(clock_now_ms() / 1000 - report->age_s));
    sign(report, timestamp, hex);
    snprintf(report->timestamp_line, HEADER_MAX, "X-Request-Timestamp: %s", timestamp);
    snprintf(report->signature_line, HEADER_MAX, "X-Request-Signature: %s", hex);
    report->parcel.headers[count++] = "Content-Type: application/json";
    report->parcel.headers[count++] = report->timestamp_line;
    if (report->seal != SEAL_MISSING) report->parcel.headers[count++] = report->signature_line;
}

static void end_report(struct report *report)
{
    struct buf json;

    if (report->told) {
        buf_init(&json, BODY_MAX);
        buf_text(&json, "{\"attempts\":[");
        buf_str(&json, buf_view(&report->attempts));
        buf_text(&json, "]}");
        report->told(report->context, &json);
    }
    free_report(report);
}

static void attempt(void *arg)
{
    struct report *report = arg;

    if (!report->is_ordered || report->attempt_count == 0) seal_report(report);
    report->parcel.url = report->url;
    report->parcel.body = buf_view(&report->body);
    report->attempt_count++;
    errands_post(report->sim->errands, &report->parcel);
}

static void note_attempt(struct report *report)
{
    if (report->attempts.len > 0) buf_char(&report->attempts, ',');
    buf_printf(&report->attempts, "{\"http_status\":%ld}", report->parcel.http_status);
    log_attempt(report);
}

static bool is_current(struct report *report)
{
    struct sim *sim = report->sim;

    pthread_mutex_lock(&sim->lock);
    bool is_same = report->generation == sim->generation;
    pthread_mutex_unlock(&sim->lock);
    return is_same && !atomic_load(&sim->is_stopping);
}

/* What the provider sends by itself is repeated until it is answered 200; what was ordered is sent
 * as often as ordered. */
static void on_posted(struct parcel *parcel)
{
    struct report *report =
        (struct report *)(void *)((char *)parcel - offsetof(struct report, parcel));
    bool is_settled = !report->is_ordered && parcel->http_status == 200;

    note_attempt(report);
    if (is_settled || report->repeats_left == 0 || !is_current(report)) {
        end_report(report);
        return;
    }
    report->repeats_left--;
    errands_after(report->sim->errands, report->is_ordered ? 0 : report->retry_ms, attempt, report);
    report->retry_ms *= 2;
    if (report->retry_ms > RETRY_MAX_MS) report->retry_ms = RETRY_MAX_MS;
}

static void write_body(struct report *report, const struct send *send, int64_t at_ms)
{
    struct json_writer json;

    json_writer_init(&json, &report->body);
    json_object_begin(&json);
    telegram_gateway_write_report(&json, send, report->request_id, report->status, at_ms);
    json_object_end(&json);
}

/* ---- by itself ---- */

/* Under the lock. False if there is nothing to tell any more: forgotten, or revoked meanwhile. */
static bool fill_report(struct report *report)
{
    struct sim *sim = report->sim;

    if (report->generation != sim->generation || atomic_load(&sim->is_stopping)) return false;
    const struct send *send = sends_find(sim->sends, SEND_BY_ID,
                                         provider_by_name("telegram_gateway"), report->request_id);
    if (!send || send->fate != report->fate || !send->callback_url) return false;
    set_url(report, send->callback_url);
    write_body(report, send, send->changed_ms);
    return true;
}

static void on_due(void *arg)
{
    struct report *report = arg;
    struct sim *sim = report->sim;

    pthread_mutex_lock(&sim->lock);
    bool is_filled = fill_report(report);
    pthread_mutex_unlock(&sim->lock);
    if (is_filled)
        attempt(report);
    else
        end_report(report);
}

void report_schedule(struct sim *sim, const struct send *send)
{
    struct report *report = new_report(sim);

    report->generation = sim->generation;
    report->fate = send->fate;
    report->repeats_left = REPORT_REPEATS_MAX;
    report->parcel.done = on_posted;
    snprintf(report->request_id, sizeof(report->request_id), "%s", send->id);
    snprintf(report->status, sizeof(report->status), "%s", telegram_gateway_word(send->fate));
    errands_after(sim->errands, send->changed_ms - clock_now_ms(), on_due, report);
}

/* ---- ordered ---- */

/* Under the lock. */
static bool fill_ordered(struct report *report, const struct report_order *order)
{
    const struct send *send = sends_find(report->sim->sends, SEND_BY_ID,
                                         provider_by_name("telegram_gateway"), order->request_id);
    const char *url = order->url ? order->url : send ? send->callback_url : NULL;

    if (!url) return false;
    report->generation = report->sim->generation;
    set_url(report, url);
    snprintf(report->request_id, sizeof(report->request_id), "%s", order->request_id);
    snprintf(report->status, sizeof(report->status), "%s", order->status);
    if (order->body)
        buf_text(&report->body, order->body);
    else
        write_body(report, send, clock_now_ms() - order->age_s * 1000);
    return true;
}

bool report_send(struct sim *sim, const struct report_order *order)
{
    struct report *report = new_report(sim);

    pthread_mutex_lock(&sim->lock);
    bool is_filled = fill_ordered(report, order);
    pthread_mutex_unlock(&sim->lock);
    if (!is_filled) {
        free_report(report);
        return false;
    }
    report->is_ordered = true;
    report->seal = order->seal;
    report->age_s = order->age_s;
    report->repeats_left = order->times - 1;
    report->parcel.done = on_posted;
    report->told = order->told;
    report->context = order->context;
    errands_after(sim->errands, 0, attempt, report);
    return true;
}
