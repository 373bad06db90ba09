/* Up, down, and from the beginning. */
#include "control.h"

static int go_down(struct ask *ask)
{
    return port_go_down(&ask->sim->port, ask);
}

static int go_up(struct ask *ask)
{
    return port_go_up(&ask->sim->port, ask);
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
    json_put_bool(&ask->json, "down", port_is_down(&ask->sim->port));
    json_put_text(&ask->json, "listen", ask->sim->port.address);
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

const struct route *const control_routes[] = {call_routes, order_routes, life_routes, NULL};
