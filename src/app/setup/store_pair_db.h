/* An embedded store knows its pair of files (migration 0001). The newest ids of a store are read
 * here, too. */
#pragma once

#include "core/route.h"
#include "kit/db/db.h"

struct store_pair {
    struct uuid id;   /* the same in both stores; nil: none yet */
    bool is_complete; /* the other store has it, too */
};

enum err store_pair_read(struct db_tx *tx, struct store_pair *ret_pair) MUST_CHECK;
/* A second write only changes whether it is complete. */
enum err store_pair_write(struct db_tx *tx, const struct store_pair *pair) MUST_CHECK;

enum { NEWEST_IDS_MAX = 6 };
/* Reads the newest id of each table whose ids herald makes and that is read in their order. */
enum err newest_ids_read(struct db_tx *tx, enum route_store store,
                         struct uuid ret_ids[static NEWEST_IDS_MAX], int *ret_count) MUST_CHECK;
