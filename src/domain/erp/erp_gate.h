/*
 * How many large bodies a process takes at once: each costs memory and time that all others wait
 * for. No integration may take all the places. Any thread.
 */
#pragma once

#include "domain/erp/erp.h"

enum {
    ERP_LARGE_BODIES_MAX = 8,    /* more are told to come again */
    ERP_LARGE_BODIES_OF_ONE = 4, /* the same for one integration */
};

bool erp_gate_enter(struct erp_gate *gate, const struct uuid *integration_id);
void erp_gate_leave(struct erp_gate *gate, const struct uuid *integration_id);
