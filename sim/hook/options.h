/* The command line of the simulated receiver. */
#pragma once

#include "sim/common/main.h"

#include <stdint.h>

struct options {
    const char *listen;  /* where it takes deliveries */
    const char *control; /* the control API */
    const char *calls_file;
    int64_t misbehave_percent; /* of the deliveries, by chance */
    int64_t seed;
    int64_t tolerance_s; /* so old, or so far ahead, a timestamp may be; 0: any is taken */
};

/* The texts in `ret_options` are borrowed from `argv`. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret_options);
