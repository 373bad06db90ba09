/* The phone's connection to herald: libcurl, one kept-alive connection, one request at a time. */
#include "http.h"

#include "sim/common/trust.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { URL_MAX = 1024, HEADER_MAX = 512 };

struct http {
    CURL *curl;
    struct curl_slist *headers;
    const char *url;
    int stop_fd;
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

static size_t on_body(char *data, size_t size, size_t count, void *context)
{
    struct buf *body = context;

    buf_append(body, data, size * count);
    return body->is_full ? 0 : size * count;
}

/* libcurl asks about once a second, and on every piece of data. */
static int on_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                       curl_off_t up)
{
    const struct http *http = context;
    struct pollfd stop = {.fd = http->stop_fd, .events = POLLIN};

    (void)down_total, (void)down, (void)up_total, (void)up;
    return poll(&stop, 1, 0) > 0;
}

static void set_up(struct http *http)
{
    CURL *curl = http->curl;

    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)HTTP_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    trust(curl);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
}

struct http *http_new(const char *url, const char *key, int stop_fd)
{
    char key_header[HEADER_MAX];
    struct http *http = calloc(1, sizeof *http);

    if (!http) abort();
    http->url = url;
    http->stop_fd = stop_fd;
    http->curl = curl_easy_init();
    if (!http->curl) {
        free(http);
        return NULL;
    }
    snprintf(key_header, sizeof key_header, "X-Device-Key: %s", key);
    http->headers = curl_slist_append(NULL, key_header);
    http->headers = curl_slist_append(http->headers, "Content-Type: application/json");
    set_up(http);
    return http;
}

void http_free(struct http *http)
{
    if (!http) return;
    curl_slist_free_all(http->headers);
    curl_easy_cleanup(http->curl);
    free(http);
}

void http_post(struct http *http, const char *path, struct str body, struct http_answer *answer)
{
    char url[URL_MAX];
    curl_off_t retry_after = 0;

    snprintf(url, sizeof url, "%s%s", http->url, path);
    curl_easy_setopt(http->curl, CURLOPT_URL, url);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, body.data);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE, (long)body.len);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, &answer->body);
    if (curl_easy_perform(http->curl) != CURLE_OK) return;
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
    answer->retry_after_s = retry_after;
}
