/* An installation may be set up in a risky way (contract, section 7 "Risks"). A start warns of
 * that, and refuses nothing. */
#pragma once

#include "app/setup/config.h"

struct risk {
    const char *name;     /* for programs */
    const char *sentence; /* tells operators what it is and what to do */
    /* Tells whether the risk is taken, and writes into `detail` the file, folder or address that it
     * is about, if any. `arena` is for scratch memory. */
    bool (*is_taken)(const struct config *config, enum process_role role, struct arena *arena,
                     struct buf *detail);
};

extern const struct risk risks[];
extern const size_t risk_count;

/* Warns on stderr of each risk that is taken. The settings must be complete and still have their
 * secrets. */
void risks_warn(const struct config *config, enum process_role role);
