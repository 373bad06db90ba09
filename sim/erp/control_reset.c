/* From the beginning, and all routes of the control API. */
#include "sim.h"
#include "sim/common/port.h"

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

static int reset(struct control_request *request)
{
    struct reset reset;
    int status = control_decode(request, &reset_record, &reset);

    if (status) return status;
    sim_reset(request->sim, reset.documents);
    return port_go_up(request);
}

const struct route reset_routes[] = {
    {"POST", "/_control/reset",
     "{documents?}: forgets calls and behaviours, and with documents true those too; gives slow "
     "answers now; comes up again",
     reset},
    {0},
};

const struct route *const control_routes[] = {call_routes, behave_routes, reset_routes, port_routes,
                                              NULL};
