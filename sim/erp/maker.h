/* Makes the bodies that the command line asks for. */
#pragma once

#include "body.h"
#include "options.h"

struct maker {
    const struct options *options;
    struct catalog_plan plan;
};

/* False: a sentence went to stderr. */
bool maker_init(struct maker *maker, const struct options *options);

/* Both: of the catalog of `change_seed`; `event_id` and `generated_at_ms` go into the body. False:
 * a sentence went to stderr. */
bool maker_snapshot(const struct maker *maker, int64_t change_seed, const char *event_id,
                    int64_t generated_at_ms, struct buf *ret_body);
bool maker_changes(const struct maker *maker, int64_t change_seed, int64_t number,
                   const char *event_id, int64_t generated_at_ms, struct buf *ret_body);

/* The verbs that print. The exit status. */
int maker_print(const struct options *options);
