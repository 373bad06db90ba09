/* The ERP's side of HTTP: libcurl, with bodies that may break off or trickle. */
#include "http.h"

#include "kit/base/clock.h"
#include "sim/common/stop.h"
#include "sim/common/trust.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CONNECT_TIMEOUT_MS = 10000,
    PIECE_MAX = 512 * 1024,
    SLOW_STEPS = 10, /* pieces a second of a slow body */
};

struct http {
    CURL *curl;
    int stop_fd;
    const struct http_call *call; /* the one under way */
    size_t sent;
};

void http_answer_init(struct http_answer *answer)
{
    *answer = (struct http_answer){0};
    buf_init(&answer->body, HTTP_ANSWER_MAX);
}

void http_answer_done(struct http_answer *answer)
{
    buf_done(&answer->body);
}

/* --- What libcurl asks ------------------------------------------------------------------------ */

static size_t on_answer(char *data, size_t size, size_t count, void *context)
{
    struct buf *body = context;

    buf_append(body, data, size * count);
    return body->is_full ? 0 : size * count;
}

/* Tells libcurl the next bytes of the body, as many as the manner of the call allows. */
static size_t on_body(char *room, size_t size, size_t count, void *context)
{
    struct http *http = context;
    const struct http_call *call = http->call;
    size_t len = call->body.len - http->sent;

    if (len > size * count) len = size * count;
    if (call->break_after > 0) {
        if (http->sent >= call->break_after) return CURL_READFUNC_ABORT;
        if (len > call->break_after - http->sent) len = call->break_after - http->sent;
    }
    if (call->bytes_per_s > 0) {
        size_t step = (size_t)(call->bytes_per_s + SLOW_STEPS - 1) / SLOW_STEPS;
        if (len > step) len = step;
        int64_t pause_ms = (int64_t)len * 1000 / call->bytes_per_s;
        if (stop_wait(http->stop_fd, pause_ms)) return CURL_READFUNC_ABORT;
    }
    memcpy(room, call->body.data + http->sent, len);
    http->sent += len;
    return len;
}

/* A kept-alive connection turned out to be closed: the body goes again over another one. */
static int on_seek(void *context, curl_off_t offset, int origin)
{
    struct http *http = context;

    if (origin != SEEK_SET || offset < 0 || (size_t)offset > http->call->body.len)
        return CURL_SEEKFUNC_CANTSEEK;
    http->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* libcurl asks about once a second, and on every piece of data. */
static int on_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                       curl_off_t up)
{
    const struct http *http = context;

    (void)down_total, (void)down, (void)up_total, (void)up;
    return stop_wait(http->stop_fd, 0);
}

/* --- Life ------------------------------------------------------------------------------------- */

struct http *http_new(int64_t timeout_ms, int stop_fd)
{
    struct http *http = calloc(1, sizeof(*http));
    CURL *curl = curl_easy_init();

    if (!http) abort();
    if (!curl) {
        free(http);
        return NULL;
    }
    http->curl = curl;
    http->stop_fd = stop_fd;
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    trust(curl);
    curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, (long)PIECE_MAX);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_READDATA, http);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, http);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
    return http;
}

void http_free(struct http *http)
{
    if (!http) return;
    curl_easy_cleanup(http->curl);
    free(http);
}

/* --- A call ----------------------------------------------------------------------------------- */

static struct curl_slist *add_header(struct curl_slist *headers, const char *name,
                                     const char *value)
{
    AUTO_BUF line = {0};

    buf_init(&line, HTTP_ANSWER_MAX);
    if (!value) return headers;
    buf_printf(&line, "%s%s", name, value);
    buf_char(&line, '\0');
    struct curl_slist *longer = curl_slist_append(headers, line.data);
    if (!longer) abort();
    return longer;
}

static struct curl_slist *make_headers(const struct http_call *call)
{
    struct curl_slist *headers = add_header(NULL, "Authorization: Bearer ", call->bearer);

    headers = add_header(headers, "Idempotency-Key: ", call->idempotency_key);
    headers = add_header(headers, "Content-Type: ", call->content_type);
    return add_header(headers, "Expect:", ""); /* large bodies go at once, as ERPs send them */
}

static void set_up(struct http *http, const struct http_call *call, struct http_answer *answer)
{
    CURL *curl = http->curl;

    http->call = call;
    http->sent = 0;
    curl_easy_setopt(curl, CURLOPT_URL, call->url);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer->body);
    if (!call->content_type) {
        curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
        return;
    }
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
}

void http_send(struct http *http, const struct http_call *call, struct http_answer *answer)
{
    struct curl_slist *headers = make_headers(call);
    int64_t started_us = clock_monotonic_us();
    curl_off_t retry_after = 0;

    set_up(http, call, answer);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode code = curl_easy_perform(http->curl);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    answer->took_us = clock_monotonic_us() - started_us;
    if (code != CURLE_OK) {
        answer->problem = curl_easy_strerror(code);
        return;
    }
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
    answer->retry_after_s = retry_after;
}

void http_escape(struct buf *out, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || strchr("-._~", c);
        if (is_plain) {
            buf_char(out, (char)c);
            continue;
        }
        buf_char(out, '%');
        buf_char(out, digits[c >> 4]);
        buf_char(out, digits[c & 15]);
    }
}
