/* The control API: by it a test tells the providers what to do, and reads what they saw. */
#pragma once

#include "sim.h"
#include "sim/common/control.h"

/* control_calls.c, control_orders.c, control_life.c; each ends with a row without a verb. */
extern const struct route call_routes[], order_routes[], life_routes[];
/* The three, then NULL. */
extern const struct route *const control_routes[];

/* Finds provider and method by their names, either of which may be NULL, and normalizes the
 * recipient; 0, or the status of the refusal that it has written. */
int ask_scope(struct ask *ask, const char *provider, const char *method, const char *recipient,
              struct order_scope *ret_scope);
