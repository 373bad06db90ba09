/* It has a loop of its own, so a scrape holds up no request of the service. */
#include "app/metrics/listener.h"

#include "kit/base/must.h"
#include "kit/http/server.h"

#include <stdlib.h>

enum { CONNECTIONS_MAX = 64, REPLY_MAX = 16 * 1024 * 1024, STOP_MS = 1000 };

struct listener {
    listener_write_fn write;
    void *arg;
    struct http_server *server;
};

static void reply(struct http_request *x, int status, const char *type, struct buf *take_body)
{
    const struct http_header headers[] = {{STR("Content-Type"), str_of(type)},
                                          {STR("Cache-Control"), STR("no-store")},
                                          {STR("Allow"), STR("GET, HEAD")}};
    bool is_refused_method = status == 405;

    http_reply(x, status, headers, COUNT_OF(headers) - !is_refused_method, take_body);
}

static void refuse(struct http_request *x, int status, const char *sentence)
{
    AUTO_BUF body = {0};

    buf_init(&body, REPLY_MAX);
    buf_text(&body, sentence);
    reply(x, status, "text/plain; charset=utf-8", &body);
}

static void on_head(void *arg, struct http_request *x)
{
    const struct listener *listener = arg;
    enum exposition_format format = exposition_choose(http_header_get(x, "Accept"));
    AUTO_BUF body = {0};

    if (!str_is(http_path(x), "/metrics")) {
        refuse(x, 404, "Here is /metrics alone.\n");
        return;
    }
    if (!str_is(http_method(x), "GET") && !str_is(http_method(x), "HEAD")) {
        refuse(x, 405, "/metrics takes GET.\n");
        return;
    }
    buf_init(&body, REPLY_MAX);
    listener->write(listener->arg, format, &body);
    reply(x, 200, exposition_media_types[format], &body);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    (void)arg;
    (void)x;
    (void)bytes;
}

static void on_event(void *arg, struct http_request *x)
{
    (void)arg;
    (void)x;
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg;
    (void)request_id;
    buf_printf(body, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}", err_info(err)->code,
               err_info(err)->sentence);
}

enum err listener_start(const char *listen, struct tls *tls, listener_write_fn write, void *arg,
                        struct listener **ret_listener, struct buf *why)
{
    struct listener *listener = must_calloc(1, sizeof(*listener));
    struct http_options options = {
        .listen = listen,
        .tls = tls,
        .loops = 1,
        .limits = http_limits_default,
        .handler = {.on_head = on_head,
                    .on_body = on_body,
                    .on_end = on_event,
                    .on_close = on_event,
                    .on_drain = on_event,
                    .render_error = render_error,
                    .arg = listener},
    };

    options.limits.connections_max = CONNECTIONS_MAX;
    options.limits.connections_per_address = 0;
    listener->write = write;
    listener->arg = arg;
    enum err err = http_server_start(&options, &listener->server, why);
    if (err)
        free(listener);
    else
        *ret_listener = listener;
    return err;
}

void listener_addresses(const struct listener *listener, struct buf *out)
{
    http_server_addresses(listener->server, out);
}

void listener_stop(struct listener *listener)
{
    if (!listener) return;
    http_server_stop(listener->server, STOP_MS);
    free(listener);
}
