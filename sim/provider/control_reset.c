/* From the beginning, the providers there are, and all routes of the control API. */
#include "control.h"
#include "sim/common/port.h"

static int reset(struct control_request *request)
{
    sim_reset(request->sim);
    return port_go_up(request);
}

static void put_faults(struct json_writer *json, const struct provider *provider)
{
    json_key(json, "errors");
    json_array_begin(json);
    for (size_t i = 0; i < provider->fault_count; i++)
        json_text(json, provider->faults[i].name);
    json_array_end(json);
}

static int list_providers(struct control_request *request)
{
    json_object_begin(&request->json);
    for (size_t i = 0; providers[i]; i++) {
        json_key(&request->json, providers[i]->name);
        json_object_begin(&request->json);
        json_put_text(&request->json, "stands_for", providers[i]->home);
        json_key(&request->json, "methods");
        json_array_begin(&request->json);
        for (size_t k = 0; k < providers[i]->method_count; k++)
            json_text(&request->json, providers[i]->methods[k].name);
        json_array_end(&request->json);
        put_faults(&request->json, providers[i]);
        json_object_end(&request->json);
    }
    json_object_end(&request->json);
    return 200;
}

const struct route reset_routes[] = {
    {"POST", "/_control/reset",
     "forgets calls, behaviours, outcomes, codes and reports; gives slow answers now; comes up "
     "again",
     reset},
    {"GET", "/_control/providers", "the providers, their methods and their errors", list_providers},
    {0},
};

const struct route *const control_routes[] = {call_routes,  behave_routes, report_routes,
                                              reset_routes, port_routes,   NULL};
