/* The command line of the simulated phone. */
#pragma once

#include "sim/common/main.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many as one phone of herald may own and declare. */
enum { OPTION_NUMBERS_MAX = 8, OPTION_ACCOUNTS_MAX = 16 };

/* A personal messenger account. */
struct option_account {
    const char *id;
    const char *messenger;
};

struct options {
    const char *url;
    const char *key;      /* either the key itself */
    const char *key_file; /* or a file that holds it */
    const char *numbers[OPTION_NUMBERS_MAX];
    size_t number_count;
    struct option_account accounts[OPTION_ACCOUNTS_MAX];
    size_t account_count;
    int64_t poll_ms;
    bool is_once;

    const char *sms_file;    /* NULL: what is sent is printed only */
    const char *memory_file; /* NULL: what was sent is forgotten at the end */

    int64_t vanish_after_claim; /* 0: never */
    int64_t vanish_after_send;  /* 0: never */
    int64_t answer_late_ms;
    int64_t fail_count; /* how many sends fail; INT64_MAX: all */
    bool fails_for_good;
    bool answers_twice;
    bool reports_delivered;

    const char *caller; /* place this call instead of polling */
    const char *gateway;
    const char *event_id;
};

/* The texts in `ret_options` are borrowed from `argv`, where accounts are cut in two. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret_options);
