/* A 404 says what is not there (contract, section 1 "What is not there"). */
#pragma once

#include "core/route.h"

struct missing {
    const char *what;     /* for programs: "device"; NULL: the error is no 404 */
    const char *sentence; /* for people */
};

/* Returns what the error says is missing, at this route; NULL: no operation has the path. */
struct missing missing_of(enum err err, const struct route *route);
