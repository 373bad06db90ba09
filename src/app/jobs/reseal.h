/* Values that are stored in an older form are sealed anew (contract, section 9.6). */
#pragma once

#include "app/jobs/worker.h"

enum { RESEAL_PAUSE_MS = 60 * 1000 };

/* Does a page of the walk through the sealed columns of a store. The walk begins RESEAL_PAUSE_MS
 * after all processes were told to write the new form, and ends when it has seen every row once;
 * then the old form is taken no more. */
enum err reseal_page(struct work *work, enum route_store store) MUST_CHECK;
