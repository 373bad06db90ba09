/*
 * One struct a report, which goes from what waits to the posts and back. Only the worker's thread
 * touches it once it is under way.
 */
#include "report.h"

#include "kit/base/clock.h"
#include "sim/common/memory.h"

#include <sodium.h>
#include <stdio.h>

enum {
    BODY_MAX = 16384,
    RETRY_MAX_MS = 60 * 1000,
    HEADER_MAX = 160,
    URL_MAX = 1024,
    SIGNATURE_LEN = crypto_auth_hmacsha256_BYTES,
};

const char *const signature_words[SIGNATURE_COUNT + 1] = {"good", "wrong", "missing"};

struct report {
    struct sim *sim;
    uint64_t generation;
    char request_id[SEND_TEXT_MAX + 1];
    char status[16];
    enum send_status send_status; /* that it is about to tell */
    char url[URL_MAX];
    struct buf body;
    enum signature_kind signature;
    int64_t age_s;
    int64_t repeats_left;
    bool is_ordered;
    int64_t retry_ms;

    struct http_post post;
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

struct report_log *report_log_new(void)
{
    return memory_new(sizeof(struct report_log));
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

    pthread_mutex_lock(&sim->server.lock);
    if (report->generation == sim->server.generation) {
        struct report_row *row = &sim->reports->rows[sim->reports->count++ % REPORTS_MAX];
        memcpy(row->request_id, report->request_id, sizeof(row->request_id));
        memcpy(row->status, report->status, sizeof(row->status));
        row->attempt = report->attempt_count;
        row->http_status = report->post.http_status;
        row->is_ordered = report->is_ordered;
        row->at_ms = clock_now_ms();
    }
    pthread_mutex_unlock(&sim->server.lock);
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
    struct report *report = memory_new(sizeof(*report));

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
    if (report->signature == SIGNATURE_WRONG) signature[0] ^= 1;
    sodium_bin2hex(ret_hex, 2 * SIGNATURE_LEN + 1, signature, sizeof(signature));
}

static void sign_report(struct report *report)
{
    char timestamp[24], hex[2 * SIGNATURE_LEN + 1];
    size_t count = 0;

    snprintf(timestamp, sizeof(timestamp), "%lld",
             (long long)(clock_now_ms() / 1000 - report->age_s));
    sign(report, timestamp, hex);
    snprintf(report->timestamp_line, HEADER_MAX, "X-Request-Timestamp: %s", timestamp);
    snprintf(report->signature_line, HEADER_MAX, "X-Request-Signature: %s", hex);
    report->post.headers[count++] = "Content-Type: application/json";
    report->post.headers[count++] = report->timestamp_line;
    if (report->signature != SIGNATURE_MISSING)
        report->post.headers[count++] = report->signature_line;
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

    if (!report->is_ordered || report->attempt_count == 0) sign_report(report);
    report->post.url = report->url;
    report->post.body = buf_view(&report->body);
    report->attempt_count++;
    worker_post(report->sim->server.worker, &report->post);
}

static void note_attempt(struct report *report)
{
    if (report->attempts.len > 0) buf_char(&report->attempts, ',');
    buf_printf(&report->attempts, "{\"http_status\":%ld}", report->post.http_status);
    log_attempt(report);
}

/* Under the lock: whether it is of any use still. */
static bool is_current(const struct report *report)
{
    const struct server *server = &report->sim->server;

    return report->generation == server->generation && !server->is_stopping;
}

static bool may_repeat(struct report *report)
{
    pthread_mutex_lock(&report->sim->server.lock);
    bool may_repeat = report->repeats_left > 0 && is_current(report);
    pthread_mutex_unlock(&report->sim->server.lock);
    return may_repeat;
}

/* A report that the provider sends by itself is repeated until it is answered 200; an ordered one
 * is sent as often as ordered. */
static void on_posted(struct http_post *post)
{
    struct report *report = (struct report *)(void *)((char *)post - offsetof(struct report, post));
    bool is_settled = !report->is_ordered && post->http_status == 200;

    note_attempt(report);
    if (is_settled || !may_repeat(report)) {
        end_report(report);
        return;
    }
    report->repeats_left--;
    worker_run_after(report->sim->server.worker, report->is_ordered ? 0 : report->retry_ms, attempt,
                     report);
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

    if (!is_current(report)) return false;
    const struct send *send = sends_find(sim->sends, SEND_BY_ID,
                                         provider_by_name("telegram_gateway"), report->request_id);
    if (!send || send->status != report->send_status || !send->callback_url) return false;
    set_url(report, send->callback_url);
    write_body(report, send, send->changed_ms);
    return true;
}

static void on_due(void *arg)
{
    struct report *report = arg;
    struct sim *sim = report->sim;

    pthread_mutex_lock(&sim->server.lock);
    bool is_filled = fill_report(report);
    pthread_mutex_unlock(&sim->server.lock);
    if (is_filled)
        attempt(report);
    else
        end_report(report);
}

void report_schedule(struct sim *sim, const struct send *send)
{
    struct report *report = new_report(sim);

    report->generation = sim->server.generation;
    report->send_status = send->status;
    report->repeats_left = REPORT_REPEATS_MAX;
    report->post.done = on_posted;
    snprintf(report->request_id, sizeof(report->request_id), "%s", send->id);
    snprintf(report->status, sizeof(report->status), "%s", telegram_gateway_word(send->status));
    worker_run_after(sim->server.worker, send->changed_ms - clock_now_ms(), on_due, report);
}

/* ---- ordered ---- */

/* Under the lock. */
static bool fill_ordered(struct report *report, const struct report_order *order)
{
    const struct send *send = sends_find(report->sim->sends, SEND_BY_ID,
                                         provider_by_name("telegram_gateway"), order->request_id);
    const char *url = order->url ? order->url : send ? send->callback_url : NULL;

    if (!url) return false;
    report->generation = report->sim->server.generation;
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

    pthread_mutex_lock(&sim->server.lock);
    bool is_filled = fill_ordered(report, order);
    pthread_mutex_unlock(&sim->server.lock);
    if (!is_filled) {
        free_report(report);
        return false;
    }
    report->is_ordered = true;
    report->signature = order->signature;
    report->age_s = order->age_s;
    report->repeats_left = order->times - 1;
    report->post.done = on_posted;
    report->told = order->told;
    report->context = order->context;
    worker_run_after(sim->server.worker, 0, attempt, report);
    return true;
}
