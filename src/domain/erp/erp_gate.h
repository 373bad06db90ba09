/*
 * How many large bodies a process takes at once: each costs memory and time that all others wait
 * for. No integration may take all the places. Any thread.
 */
#pragma once

#include "kit/base/uuid.h"

enum {
    ERP_LARGE_BODIES_MAX = 8,    /* more are told to come again */
    ERP_LARGE_BODIES_OF_ONE = 4, /* the same for one integration */
};

struct erp_gate;
struct erp_gate *erp_gate_new(void);
void erp_gate_free(struct erp_gate *gate); /* all are through */

bool erp_gate_enter(struct erp_gate *gate, const struct uuid *integration_id);
void erp_gate_leave(struct erp_gate *gate, const struct uuid *integration_id);
