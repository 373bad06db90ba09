/* The control API: by it a test tells the providers what to do, and reads what they saw. */
#pragma once

#include "sim.h"
#include "sim/common/control.h"

/* control_calls.c, control_behave.c, control_reports.c, control_reset.c; each ends with a row
 * without a verb. */
extern const struct route call_routes[], behave_routes[], report_routes[], reset_routes[];
/* They, and those of the port; then NULL. */
extern const struct route *const control_routes[];

/* Finds provider and method by their names, either of which may be NULL, and normalizes the
 * recipient; 0, or the status of the refusal that it has written. */
int control_read_scope(struct control_request *request, const char *provider, const char *method,
                       const char *recipient, struct behaviour_scope *ret_scope);
