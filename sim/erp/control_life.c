/* Up, down, and from the beginning. */
#include "sim.h"

struct reset {
    bool documents;
};

static const struct field reset_fields[] = {
    {.name = "documents", .type = FIELD_BOOLEAN, .offset = offsetof(struct reset, documents)},
};

static const struct record reset_record = {
    .name = "Reset",
    .size = sizeof(struct reset),
    RECORD_FIELDS(reset_fields),
};

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
    struct reset reset;
    int status = ask_decode(ask, &reset_record, &reset);

    if (status) return status;
    sim_reset(ask->sim, reset.documents);
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

const struct route life_routes[] = {
    {"POST", "/_control/reset",
     "{documents?}: forgets calls and behaviours, and with documents true those too; gives slow "
     "answers now; comes up again",
     reset},
    {"POST", "/_control/down",
     "{for_ms?}: cuts all connections and refuses new ones, for that time or until up", go_down},
    {"POST", "/_control/up", "ends down", go_up},
    {"GET", "/_control/health", "whether it runs, and where orders are taken", is_alive},
    {0},
};

const struct route *const control_routes[] = {call_routes, behave_routes, life_routes, NULL};
