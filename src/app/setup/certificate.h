/* This finds what clients might not like about herald's own certificate (contract, section 19). */
#pragma once

#include "app/setup/config.h"

enum { CERTIFICATE_FAULTS_MAX = 3 };

struct certificate_fault {
    bool is_fatal;        /* clients refuse it, or it cannot be used */
    const char *sentence; /* tells what it is and what to do, in the arena */
};

/* Reads the files of HERALD_TLS_CERT_FILE and HERALD_TLS_KEY_FILE as they are now, which must be
 * set. Returns how many faults they have. */
size_t certificate_find_faults(const struct config *config, int64_t now_ms, struct arena *arena,
                               struct certificate_fault ret_faults[static CERTIFICATE_FAULTS_MAX]);
/* Warns of each on stderr, if there is a certificate. */
void certificate_warn(const struct config *config);
