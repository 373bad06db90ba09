/* A schema is brought up to date in the same order, and refused for the same reasons, on both
 * engines. */
#pragma once

#include "kit/db/db.h"

enum { MIGRATION_VERSION_MAX = 9999 };

/* Says which versions a database has. */
struct schema_versions {
    bool has[MIGRATION_VERSION_MAX + 1];
    int highest; /* 0: none */
};

/* An engine does its part of a migration by these functions, on its own connection. */
struct schema_ops {
    /* Reads table schema_migration into the zeroed `versions`; no such table is an empty schema. */
    enum err (*list)(void *connection, struct schema_versions *versions, struct buf *why);
    /* Runs and records one migration in one transaction, unless another process just did. */
    enum err (*apply)(void *connection, const struct db_migration *migration, struct buf *why);
    /* Rewrites the database, so that what was erased from it is gone (db_options.rewrite_before).
     * NULL: the engine does so by itself. */
    enum err (*rewrite)(void *connection, struct buf *why);
    bool has_all_stores; /* one database holds every store */
};

/* Applies the missing migrations if `apply`; gives the version of the schema then, and the newest.
 */
enum err schema_update(const struct schema_ops *ops, void *connection,
                       const struct db_options *options, bool apply, int *ret_version,
                       int *ret_newest, struct buf *why) MUST_CHECK;
/* Returns ERR_STORAGE_UNAVAILABLE unless the schema has all that this program needs; it may be
 * newer. */
enum err schema_open(const struct schema_ops *ops, void *connection,
                     const struct db_options *options, struct buf *why) MUST_CHECK;
