/* The places of large bodies, each with the integration that has it. */
#include "domain/erp/erp_gate.h"

#include <pthread.h>
#include <stdlib.h>

struct erp_gate {
    pthread_mutex_t mutex;
    struct uuid holders[ERP_LARGE_BODIES_MAX];
    size_t count;
};

struct erp_gate *erp_gate_new(void)
{
    struct erp_gate *gate = calloc(1, sizeof(*gate));
    if (!gate) abort();
    pthread_mutex_init(&gate->mutex, NULL);
    return gate;
}

void erp_gate_free(struct erp_gate *gate)
{
    if (!gate) return;
    assert(gate->count == 0);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
}

static bool is_holder(const struct erp_gate *gate, size_t place, const struct uuid *id)
{
    return memcmp(&gate->holders[place], id, sizeof(*id)) == 0;
}

static bool has_room(const struct erp_gate *gate, const struct uuid *integration_id)
{
    size_t own = 0;

    for (size_t i = 0; i < gate->count; i++)
        own += is_holder(gate, i, integration_id);
    return gate->count < ERP_LARGE_BODIES_MAX && own < ERP_LARGE_BODIES_OF_ONE;
}

bool erp_gate_enter(struct erp_gate *gate, const struct uuid *integration_id)
{
    pthread_mutex_lock(&gate->mutex);
    bool is_in = has_room(gate, integration_id);
    if (is_in) gate->holders[gate->count++] = *integration_id;
    pthread_mutex_unlock(&gate->mutex);
    return is_in;
}

void erp_gate_leave(struct erp_gate *gate, const struct uuid *integration_id)
{
    size_t place = 0;

    pthread_mutex_lock(&gate->mutex);
    while (place < gate->count && !is_holder(gate, place, integration_id))
        place++;
    assert(place < gate->count);
    gate->holders[place] = gate->holders[--gate->count];
    pthread_mutex_unlock(&gate->mutex);
}
