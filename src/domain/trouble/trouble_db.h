/* The statements on trouble and trouble_watch have one function each. */
#pragma once

#include "domain/trouble/trouble.h"

/* Stores one, as new or as it is now. */
enum err trouble_put(struct work *work, const struct trouble *trouble) MUST_CHECK;
enum err trouble_delete(struct work *work, const struct trouble *trouble) MUST_CHECK;
/* Stores since when there is none; 0: there is one. */
enum err trouble_set_well(struct work *work, int64_t well_since) MUST_CHECK;
