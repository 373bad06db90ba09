/* The chains of the audit as operators read them, and how their oldest records go (contract,
 * section 10.3). What writes them is core/audit.h. */
#pragma once

#include "core/audit.h"
#include "core/page.h"
#include "core/work.h"

enum { AUDIT_LOOKED_MAX = 20000 }; /* a request for a page looks at no more records */

/* The action of the record that a pruning leaves. Its only change tells how the anchor moved. */
#define AUDIT_PRUNING "audit.prune"

/* Says which records a page has. */
struct audit_filter {
    int store;                           /* enum route_store */
    const char *actor, *action, *target; /* NULL: any */
    int64_t since, until;                /* from `since` on, and before `until`; 0: no bound */
    int64_t limit;
    const char *cursor;
};

/* The head and the anchor are of the same moment as the records. */
struct audit_list {
    struct record_list records; /* of struct audit_record, newest first */
    const char *next_cursor;
    struct audit_place *head;   /* the newest record of the chain */
    struct audit_place *anchor; /* the newest one that was pruned */
};

extern const struct record audit_filter_query; /* for route->query */
extern const struct record audit_list_record;

/* Reads a page of the chain of the work's store, newest first. A page may be short, or empty, and
 * have a next one all the same. ERR_VALIDATION: the cursor. */
enum err audit_list(struct work *work, const struct audit_filter *filter,
                    struct audit_list *ret_list) MUST_CHECK;
/* Drops records that are older than HERALD_AUDIT_DAYS, up to `max` at once, keeps the place of the
 * newest of them as the anchor, and leaves a record of it. It begins once the oldest is late by a
 * day, so that its own records stay few. */
enum err audit_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

extern const struct route_table audit_chain_routes;

/* --- audit_chain_db.c --- */

/* The numbers of a page, and what its records have. */
struct audit_search {
    int64_t from_seq, to_seq; /* both are in it */
    const struct audit_filter *filter;
};

/* Reads the highest number up to `max` that is stored, whatever the head says; 0: none is. */
enum err audit_newest_select(struct work *work, int64_t max, int64_t *ret_newest) MUST_CHECK;
enum err audit_select_page(struct work *work, const struct audit_search *search, int64_t max,
                           struct record_list *ret_records) MUST_CHECK;
/* Finds, among the `max` oldest, the newest record from before `before_ms`; its `seq` is 0 if there
 * is none. `ret_oldest_at` is the least time of them, which need not be that of the first; 0: there
 * is none. */
enum err audit_select_end(struct work *work, int max, int64_t before_ms,
                          struct audit_place *ret_end, int64_t *ret_oldest_at) MUST_CHECK;
/* Deletes the records up to the anchor, and stores it. */
enum err audit_prune(struct work *work, const struct audit_place *anchor,
                     int64_t *ret_deleted) MUST_CHECK;
