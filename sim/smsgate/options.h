/* The command line of the simulated app. */
#pragma once

#include "sim/common/main.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTION_SIMS_MAX = 3 };

struct options {
    const char *url;      /* with /smsgate/v1 */
    const char *code;     /* pairs once, */
    const char *key;      /* or stands in place of that */
    const char *key_file; /* keeps key and settings between runs; NULL: they are forgotten */
    const char *sims[OPTION_SIMS_MAX];
    size_t sim_count;
    const char *sms_file;     /* NULL: what is sent is printed only */
    const char *memory_file;  /* NULL: what was sent is forgotten at the end */
    int64_t ping_ms;          /* 0: as herald says */
    int64_t doze_ms;          /* it sleeps so long between a pull and the send */
    int64_t clock_off_ms;     /* its clock is ahead by so much; below 0: behind */
    int64_t stuck_each;       /* each so many-th send stays Processed; 0: none */
    int64_t fail_each;        /* each so many-th fails by the radio; 0: none */
    int64_t undelivered_each; /* each so many-th is reported as not delivered; 0: none */
    int64_t lose_stream_ms;   /* the stream is lost after so long; 0: never */
    const char *die_at;       /* a step: pull, stored, memory, processed, air, sent; NULL: never */
    bool hides_numbers;
    bool has_google; /* a push token, so it does not listen before it is told to */
    bool skips_sent;
    bool pulls_twice;
    bool has_no_stream;
};

/* The texts in `ret_options` are borrowed from `argv`. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret_options);
