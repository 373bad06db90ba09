/* Up and down. Both happen on the control API's loop, and at the start and the end of a program. */
#include "port.h"

#include <stdio.h>
#include <stdlib.h>

enum { DOWN_MS_MAX = 3600 * 1000, CONNECTIONS_MAX = 8192 };

bool port_open(struct port *port)
{
    const struct port_options *given = &port->options;
    struct http_options options = {
        .listen = port->address[0] ? port->address : given->listen,
        .loops = 1,
        .limits = http_limits_default,
        .handler = given->handler,
    };
    struct http_server *server;
    AUTO_BUF why;

    options.limits.connections_max = CONNECTIONS_MAX;
    buf_init(&why, 4096);
    if (http_server_start(&options, &server, &why)) {
        fprintf(stderr, "%s: %.*s\n", given->program, (int)why.len, why.data);
        return false;
    }
    pthread_mutex_lock(given->lock);
    port->server = server;
    port->is_down = false;
    if (!port->address[0])
        snprintf(port->address, sizeof(port->address), "%s", http_server_address(server));
    pthread_mutex_unlock(given->lock);
    return true;
}

void port_close(struct port *port)
{
    pthread_mutex_lock(port->options.lock);
    struct http_server *server = port->server;
    port->server = NULL;
    port->is_down = true;
    port->down_count++;
    pthread_mutex_unlock(port->options.lock);
    port->options.rush(port->options.sim);
    http_server_stop(server, 0);
}

void port_retire(struct port *port)
{
    pthread_mutex_lock(port->options.lock);
    port->is_over = true;
    pthread_mutex_unlock(port->options.lock);
}

bool port_is_down(struct port *port)
{
    pthread_mutex_lock(port->options.lock);
    bool is_down = port->is_down;
    pthread_mutex_unlock(port->options.lock);
    return is_down;
}

/* ---- for a time ---- */

/* Which down a timer ends, and the way from the thread of errands to the control API's loop: down
 * and up run there alone. */
struct return_ticket {
    struct port *port;
    struct http_server *control;
    uint64_t down_count;
};

static void come_back(void *arg)
{
    struct return_ticket *ticket = arg;
    struct port *port = ticket->port;

    pthread_mutex_lock(port->options.lock);
    bool is_due = port->is_down && !port->is_over && port->down_count == ticket->down_count;
    pthread_mutex_unlock(port->options.lock);
    if (is_due) port_open(port);
    free(ticket);
}

/* Under the lock, since the loop may go away as soon as the port has retired. */
static void on_time(void *arg)
{
    struct return_ticket *ticket = arg;
    pthread_mutex_t *lock = ticket->port->options.lock;

    pthread_mutex_lock(lock);
    bool is_over = ticket->port->is_over;
    if (!is_over) http_server_post(ticket->control, 0, come_back, ticket);
    pthread_mutex_unlock(lock);
    if (is_over) free(ticket);
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

int port_go_down(struct port *port, struct ask *ask)
{
    struct down down;
    int status = ask_decode(ask, &down_record, &down);

    if (status) return status;
    if (port_is_down(port)) return ask_refuse(ask, 409, "It is down already");
    port_close(port);
    if (down.for_ms == 0) return 204;
    struct return_ticket *ticket = calloc(1, sizeof(*ticket));
    if (!ticket) abort();
    *ticket = (struct return_ticket){port, control_server(ask->control), port->down_count};
    errands_after(port->options.errands, down.for_ms, on_time, ticket);
    return 204;
}

int port_go_up(struct port *port, struct ask *ask)
{
    if (!port_is_down(port)) return 204;
    if (port_open(port)) return 204;
    return ask_refuse(ask, 503, "The port is taken");
}
