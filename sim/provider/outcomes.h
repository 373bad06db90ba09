/* Outcomes say what becomes of messages and calls, by provider and recipient, as the control API
 * has told. Not locked; their owner is. */
#pragma once

#include "behaviours.h"

struct outcomes;

/* `usual`: where nothing was told. */
struct outcomes *outcomes_new(struct outcome usual);
void outcomes_free(struct outcomes *outcomes);
void outcomes_clear(struct outcomes *outcomes);
/* From now on. False: there are too many. The scope's method counts for nothing. */
bool outcomes_set(struct outcomes *outcomes, const struct behaviour_scope *scope,
                  struct outcome outcome);
struct outcome outcomes_find(const struct outcomes *outcomes, const struct provider *provider,
                             const char *recipient);
