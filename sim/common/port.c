/* Up and down. Both happen on the control API's loop, and at the start and the end of a program. */
#include "port.h"

#include "memory.h"

#include <stdio.h>

enum { DOWN_MS_MAX = 3600 * 1000, CONNECTIONS_MAX = 8192 };

bool port_open(struct server *server)
{
    struct port *port = &server->port;
    struct http_options options = {
        .listen = port->address[0] ? port->address : server->options.listen,
        .loops = 1,
        .limits = http_limits_default,
        .handler = server->options.handler,
    };
    struct http_server *http;
    AUTO_BUF why = {0};

    options.limits.connections_max = CONNECTIONS_MAX;
    buf_init(&why, 4096);
    if (http_server_start(&options, &http, &why)) {
        fprintf(stderr, "%s: %.*s\n", server->options.program, (int)why.len, why.data);
        return false;
    }
    pthread_mutex_lock(&server->lock);
    port->http = http;
    port->is_down = false;
    if (!port->address[0])
        snprintf(port->address, sizeof(port->address), "%s", http_server_address(http));
    pthread_mutex_unlock(&server->lock);
    return true;
}

void port_close(struct server *server)
{
    struct port *port = &server->port;

    pthread_mutex_lock(&server->lock);
    struct http_server *http = port->http;
    port->http = NULL;
    port->is_down = true;
    port->down_count++;
    pthread_mutex_unlock(&server->lock);
    server->options.flush(server->options.sim);
    http_server_stop(http, 0);
}

void port_retire(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->port.is_retired = true;
    pthread_mutex_unlock(&server->lock);
}

static bool is_down(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    bool is_down = server->port.is_down;
    pthread_mutex_unlock(&server->lock);
    return is_down;
}

/* ---- for a time ---- */

/* A timer that ends a down. It is the worker's, and goes on to the control API's loop, since down
 * and up happen there alone. */
struct timer {
    struct server *server;
    struct http_server *control;
    uint64_t down_count;
};

static void end_down(void *arg)
{
    struct timer *timer = arg;
    struct server *server = timer->server;
    const struct port *port = &server->port;

    pthread_mutex_lock(&server->lock);
    bool is_due = port->is_down && !port->is_retired && port->down_count == timer->down_count;
    pthread_mutex_unlock(&server->lock);
    if (is_due) port_open(server);
    free(timer);
}

/* Under the lock, since the loop may go away as soon as the port has retired. */
static void on_timer(void *arg)
{
    struct timer *timer = arg;
    struct server *server = timer->server;

    pthread_mutex_lock(&server->lock);
    bool is_retired = server->port.is_retired;
    if (!is_retired) http_server_post(timer->control, 0, end_down, timer);
    pthread_mutex_unlock(&server->lock);
    if (is_retired) free(timer);
}

static void start_timer(const struct control_request *request, int64_t wait_ms)
{
    struct server *server = request->server;
    struct timer *timer = memory_new(sizeof(*timer));

    *timer = (struct timer){server, control_http(request->control), server->port.down_count};
    worker_run_after(server->worker, wait_ms, on_timer, timer);
}

/* ---- the routes ---- */

struct down {
    int64_t for_ms;
};

static const struct field down_fields[] = {
    {.name = "for_ms",
     .type = FIELD_INTEGER,
     .min = 0,
     .max = DOWN_MS_MAX,
     .offset = offsetof(struct down, for_ms)},
};

static const struct record down_record = {
    .name = "Down",
    .size = sizeof(struct down),
    RECORD_FIELDS(down_fields),
};

static int go_down(struct control_request *request)
{
    struct down down;
    int status = control_decode(request, &down_record, &down);

    if (status) return status;
    if (is_down(request->server)) return control_refuse(request, 409, "It is down already");
    port_close(request->server);
    if (down.for_ms > 0) start_timer(request, down.for_ms);
    return 204;
}

int port_go_up(struct control_request *request)
{
    if (!is_down(request->server)) return 204;
    if (port_open(request->server)) return 204;
    return control_refuse(request, 503, "The port is taken");
}

static int tell_health(struct control_request *request)
{
    json_object_begin(&request->json);
    json_put_bool(&request->json, "ok", true);
    json_put_bool(&request->json, "down", is_down(request->server));
    json_put_text(&request->json, "listen", request->server->port.address);
    json_object_end(&request->json);
    return 200;
}

const struct route port_routes[] = {
    {"POST", "/_control/down",
     "{for_ms?}: cuts all connections and refuses new ones, for that time or until up", go_down},
    {"POST", "/_control/up", "ends down", port_go_up},
    {"GET", "/_control/health", "whether it runs, and where it listens", tell_health},
    {0},
};
