/* libcurl's easy interface asks, its multi interface listens. */
#include "server.h"

#include "sim/common/trust.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

enum { URL_MAX = 1024, HEADER_MAX = 600, EVENTS_MAX = 65536, ASK_MS = 10000 };

struct server {
    const char *url;
    int stop_fd;
    char authorization[HEADER_MAX];
    CURLM *multi;
    CURL *asking, *listening; /* the second is NULL while there is no stream */
    struct curl_slist *stream_headers;
    struct buf events;
};

static size_t take_bytes(char *data, size_t size, size_t count, void *context)
{
    struct buf *buf = context;
    buf_append(buf, data, size * count);
    return buf->is_full ? 0 : size * count;
}

struct server *server_new(const char *url, int stop_fd)
{
    struct server *server = calloc(1, sizeof(*server));

    if (!server) abort();
    server->url = url;
    server->stop_fd = stop_fd;
    server->multi = curl_multi_init();
    server->asking = curl_easy_init();
    buf_init(&server->events, EVENTS_MAX);
    if (server->multi && server->asking) return server;
    server_free(server);
    return NULL;
}

void server_free(struct server *server)
{
    if (!server) return;
    server_deafen(server);
    curl_easy_cleanup(server->asking);
    curl_multi_cleanup(server->multi);
    buf_done(&server->events);
    free(server);
}

void server_authorize(struct server *server, const char *authorization)
{
    snprintf(server->authorization, sizeof(server->authorization), "Authorization: %s",
             authorization);
}

static struct curl_slist *set_up(const struct server *server, CURL *curl, const char *path,
                                 struct buf *out)
{
    char url[URL_MAX];
    struct curl_slist *headers = NULL;

    headers = curl_slist_append(headers, "User-Agent: me.capcom.smsgateway/1.68.0");
    headers = curl_slist_append(headers, "Content-Type: application/json; charset=UTF-8");
    if (server->authorization[0]) headers = curl_slist_append(headers, server->authorization);
    snprintf(url, sizeof(url), "%s%s", server->url, path);
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
    trust(curl);
    return headers;
}

long server_ask(struct server *server, const char *method, const char *path, struct str body,
                struct buf *ret_answer)
{
    struct curl_slist *headers = set_up(server, server->asking, path, ret_answer);
    long status = 0;

    curl_easy_setopt(server->asking, CURLOPT_TIMEOUT_MS, (long)ASK_MS);
    curl_easy_setopt(server->asking, CURLOPT_CUSTOMREQUEST, method);
    if (body.len > 0) {
        curl_easy_setopt(server->asking, CURLOPT_POSTFIELDS, body.data);
        curl_easy_setopt(server->asking, CURLOPT_POSTFIELDSIZE, (long)body.len);
    }
    if (curl_easy_perform(server->asking) == CURLE_OK)
        curl_easy_getinfo(server->asking, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    return status;
}

/* --- The stream ------------------------------------------------------------------------------- */

void server_deafen(struct server *server)
{
    if (!server->listening) return;
    curl_multi_remove_handle(server->multi, server->listening);
    curl_easy_cleanup(server->listening);
    curl_slist_free_all(server->stream_headers);
    server->listening = NULL;
    server->stream_headers = NULL;
    buf_clear(&server->events);
}

void server_listen(struct server *server)
{
    server_deafen(server);
    server->listening = curl_easy_init();
    if (!server->listening) return;
    server->stream_headers = set_up(server, server->listening, "/events", &server->events);
    curl_multi_add_handle(server->multi, server->listening);
}

bool server_is_listening(const struct server *server)
{
    return server->listening;
}

/* Takes the whole events and comments out of what has come, and tells the last event. */
static bool take_event(struct buf *events, char *ret_event, size_t event_size)
{
    static const char name[] = "event: ";
    const char *end;
    bool has_one = false;

    while ((end = memmem(events->data, events->len, "\n\n", 2))) {
        const char *found = memmem(events->data, (size_t)(end - events->data), name, strlen(name));
        if (found) {
            found += strlen(name);
            snprintf(ret_event, event_size, "%.*s", (int)strcspn(found, "\n"), found);
            has_one = true;
        }
        buf_consume(events, (size_t)(end - events->data) + 2);
    }
    return has_one;
}

bool server_wait(struct server *server, int64_t ms, char *ret_event, size_t event_size)
{
    struct curl_waitfd stop = {.fd = server->stop_fd, .events = CURL_WAIT_POLLIN};
    int running = 0, left;

    ret_event[0] = '\0';
    curl_multi_perform(server->multi, &running);
    curl_multi_poll(server->multi, &stop, 1, (int)(ms > 0 ? ms : 0), NULL);
    curl_multi_perform(server->multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(server->multi, &left));) {
        if (message->easy_handle == server->listening) server_deafen(server);
    }
    if (server->events.len == 0) return false;
    return take_event(&server->events, ret_event, event_size);
}
