/* The command line of the simulated ERP. */
#pragma once

#include "sim/common/main.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verb {
    VERB_SNAPSHOT,
    VERB_CHANGES,
    VERB_PUSH_SNAPSHOT,
    VERB_PUSH_CHANGES,
    VERB_PUSH_QUEUE,
    VERB_RUN,
    VERB_SERVE,
};

struct options {
    enum verb verb;

    /* These say what is sent. */
    int64_t seed, product_count, bytes; /* bytes 0: as it comes */
    int64_t change_seed, change_ppm;
    const char *event_id;             /* NULL: a new one; in print, one that tells the seeds */
    const char *fault;                /* NULL: none */
    int64_t row_count;                /* halves are prices and stock ... */
    int64_t price_count, stock_count; /* ... unless given: -1 is not given */
    int64_t number;                   /* of the first package of changes */
    int64_t package_count;            /* of changes */

    /* These say where to. */
    const char *base_url, *token_url, *integration_id, *client_id;
    const char *client_secret, *client_secret_file; /* one of both */
    const char *scope;

    /* These say how. */
    const char *queue, *report; /* report NULL: none */
    int64_t hurry;              /* waits are so many times shorter */
    int64_t timeout_ms;
    int64_t give_up_ms; /* 0: never */
    bool does_not_watch;

    /* These say how it is sent wrongly. */
    int64_t repeat_count, connection_count;
    int64_t order_seed;    /* 0: in order */
    int64_t break_count;   /* so many attempts of each package break off */
    int64_t break_percent; /* behind so much of the body */
    int64_t bytes_per_s;   /* 0: as fast as it goes */
    bool has_wrong_key;

    /* run */
    int64_t pause_ms;
    int64_t snapshot_pause_ms; /* 0: one at the start only */

    /* serve */
    const char *listen, *control, *token, *order_path;
    const char *documents; /* NULL: none */
    int64_t misbehave_ppm; /* of the calls for orders */
    int64_t late_ms;       /* when a late answer comes */
};

/* The texts are borrowed from `argv` and the environment. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret_options);
