/* Values that are stored in an older form, or under an earlier key, are sealed anew (contract,
 * section 10.4). */
#pragma once

#include "app/jobs/worker.h"

enum {
    RESEAL_ANNOUNCED_MS = 30 * 1000, /* before values are sealed under another key */
    RESEAL_PAUSE_MS = 60 * 1000,
};

/* Does a page of the walk through the sealed columns of a store. The walk begins RESEAL_PAUSE_MS
 * after all processes were told to write the new form, and ends when it has seen every row once;
 * then the old form is taken no more. A key that is announced for RESEAL_ANNOUNCED_MS begins to
 * seal, and the walk follows in the same way. */
enum err reseal_page(struct work *work, enum route_store store) MUST_CHECK;
