/* What is risky about how an installation is set up (contract, section 9.10): a start warns of it,
 * and refuses nothing. */
#pragma once

#include "app/setup/config.h"

struct risk {
    const char *name;     /* for programs */
    const char *sentence; /* what it is and what to do, for whoever reads the log at night */
    /* Whether it is taken; says on `detail` which file, folder or address it is, if any. `arena` is
     * for what is needed on the way. */
    bool (*is_taken)(const struct config *config, enum role role, struct arena *arena,
                     struct buf *detail);
};

extern const struct risk risks[];
extern const size_t risk_count;

/* A warning on stderr for each that is taken. The settings are complete and still have their
 * secrets. */
void risks_warn(const struct config *config, enum role role);
