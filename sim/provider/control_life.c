/* Up, down, and from the beginning. */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>

enum { DOWN_MS_MAX = 3600 * 1000 };

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

static bool is_down(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    bool is = sim->is_down;
    pthread_mutex_unlock(&sim->lock);
    return is;
}

/* Which down a timer ends, and the way from the courier's thread to the control API's loop: down
 * and up run there alone. */
struct return_ticket {
    struct sim *sim;
    struct http_server *server;
    uint64_t down_count;
};

static void come_back(void *arg)
{
    struct return_ticket *ticket = arg;
    struct sim *sim = ticket->sim;

    pthread_mutex_lock(&sim->lock);
    bool is_due = sim->is_down && sim->down_count == ticket->down_count;
    pthread_mutex_unlock(&sim->lock);
    if (is_due && !atomic_load(&sim->is_stopping)) front_start(sim, sim->front_address);
    free(ticket);
}

/* Under the lock, since the loop may go away as soon as is_stopping is set. */
static void on_time(void *arg)
{
    struct return_ticket *ticket = arg;
    struct sim *sim = ticket->sim;

    pthread_mutex_lock(&sim->lock);
    bool is_stopping = atomic_load(&sim->is_stopping);
    if (!is_stopping) http_server_post(ticket->server, 0, come_back, ticket);
    pthread_mutex_unlock(&sim->lock);
    if (is_stopping) free(ticket);
}

static int go_down(struct ask *ask)
{
    struct down down;
    int status = ask_decode(ask, &down_record, &down);

    if (status) return status;
    if (is_down(ask->sim)) return ask_refuse(ask, 409, "It is down already");
    front_stop(ask->sim);
    if (down.for_ms == 0) return 204;
    struct return_ticket *ticket = calloc(1, sizeof(*ticket));
    if (!ticket) abort();
    *ticket = (struct return_ticket){ask->sim, control_server(ask->control), ask->sim->down_count};
    courier_after(ask->sim->courier, down.for_ms, on_time, ticket);
    return 204;
}

static int go_up(struct ask *ask)
{
    if (!is_down(ask->sim)) return 204;
    if (front_start(ask->sim, ask->sim->front_address)) return 204;
    return ask_refuse(ask, 503, "The port is taken");
}

static int reset(struct ask *ask)
{
    sim_reset(ask->sim);
    return go_up(ask);
}

static int is_alive(struct ask *ask)
{
    json_object_begin(&ask->json);
    json_put_bool(&ask->json, "ok", true);
    json_put_bool(&ask->json, "down", is_down(ask->sim));
    json_put_text(&ask->json, "listen", ask->sim->front_address);
    json_object_end(&ask->json);
    return 200;
}

static void put_faults(struct json_writer *json, const struct provider *provider)
{
    json_key(json, "errors");
    json_array_begin(json);
    for (size_t i = 0; i < provider->fault_count; i++)
        json_text(json, provider->faults[i].name);
    json_array_end(json);
}

static int list_providers(struct ask *ask)
{
    json_object_begin(&ask->json);
    for (size_t i = 0; providers[i]; i++) {
        json_key(&ask->json, providers[i]->name);
        json_object_begin(&ask->json);
        json_put_text(&ask->json, "stands_for", providers[i]->home);
        json_key(&ask->json, "methods");
        json_array_begin(&ask->json);
        for (size_t k = 0; k < providers[i]->method_count; k++)
            json_text(&ask->json, providers[i]->methods[k].name);
        json_array_end(&ask->json);
        put_faults(&ask->json, providers[i]);
        json_object_end(&ask->json);
    }
    json_object_end(&ask->json);
    return 200;
}

const struct route life_routes[] = {
    {"POST", "/_control/reset",
     "forgets calls, orders, outcomes, codes and reports; gives slow answers now; comes up again",
     reset},
    {"POST", "/_control/down",
     "{for_ms?}: cuts all connections to the providers and refuses new ones, for that time or "
     "until up",
     go_down},
    {"POST", "/_control/up", "ends down", go_up},
    {"GET", "/_control/providers", "the providers, their methods and their errors", list_providers},
    {"GET", "/_control/health", "whether it runs, and where the providers listen", is_alive},
    {0},
};
