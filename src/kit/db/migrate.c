/*
 * Migrations (contract, section 7) are applied in order, each in a transaction of its own, and
 * never around a gap. A schema newer than the program is fine as long as it lacks nothing that the
 * program knows: so the version before an update keeps running.
 */
#include "kit/db/migrate.h"

#include "kit/base/must.h"

#include <stdlib.h>

/* Looks for a store in a list of words. */
static bool names_store(const char *stores, const char *store)
{
    size_t len = strlen(store);
    for (const char *at = stores; (at = strstr(at, store)); at += len)
        if ((at == stores || at[-1] == ' ') && (at[len] == ' ' || !at[len])) return true;
    return false;
}

static bool is_needed(const struct schema_ops *ops, const struct db_options *options,
                      const struct db_migration *migration)
{
    return ops->has_all_stores || !options->store || names_store(migration->store, options->store);
}

static int newest_needed(const struct schema_ops *ops, const struct db_options *options)
{
    int newest = 0;
    for (size_t i = 0; i < options->migration_count; i++)
        if (is_needed(ops, options, &options->migrations[i]))
            newest = options->migrations[i].version;
    return newest;
}

static const struct db_migration *first_missing(const struct schema_ops *ops,
                                                const struct db_options *options,
                                                const struct schema_versions *versions)
{
    for (size_t i = 0; i < options->migration_count; i++) {
        const struct db_migration *migration = &options->migrations[i];
        assert(migration->version == (int)i + 1 && migration->version <= MIGRATION_VERSION_MAX);
        if (is_needed(ops, options, migration) && !versions->has[migration->version])
            return migration;
    }
    return NULL;
}

static enum err refuse_gap(const struct db_migration *missing, int highest, struct buf *why)
{
    buf_printf(why,
               "The schema has version %d but not migration %s: another program made it. "
               "Restore a backup, or use the herald that made this database.",
               highest, missing->name);
    return ERR_STORAGE_UNAVAILABLE;
}

static enum err update(const struct schema_ops *ops, void *connection,
                       const struct db_options *options, bool apply,
                       struct schema_versions *versions, struct buf *why)
{
    enum err err = ops->list(connection, versions, why);
    if (err) return err;

    bool is_new = versions->highest == 0;
    const struct db_migration *missing;
    while ((missing = first_missing(ops, options, versions))) {
        if (missing->version < versions->highest)
            return refuse_gap(missing, versions->highest, why);
        if (!apply) return ERR_OK;
        /* It comes before the migration, so that a start that is cut off does it again. */
        if (ops->rewrite && !is_new && missing->version == options->rewrite_before)
            err = ops->rewrite(connection, why);
        if (!err) err = ops->apply(connection, missing, why);
        if (err) return err;
        versions->has[missing->version] = true;
        versions->highest = missing->version;
    }
    return ERR_OK;
}

enum err schema_update(const struct schema_ops *ops, void *connection,
                       const struct db_options *options, bool apply, int *ret_version,
                       int *ret_newest, struct buf *why)
{
    struct schema_versions *versions = must_calloc(1, sizeof *versions);
    enum err err = update(ops, connection, options, apply, versions, why);
    if (!err) {
        *ret_version = versions->highest;
        *ret_newest = newest_needed(ops, options);
    }
    free(versions);
    return err;
}

enum err schema_open(const struct schema_ops *ops, void *connection,
                     const struct db_options *options, struct buf *why)
{
    int version, newest;
    enum err err =
        schema_update(ops, connection, options, options->may_migrate, &version, &newest, why);
    if (err) return err;
    if (version >= newest) return ERR_OK;

    buf_printf(why,
               "The database schema is at version %d and this herald needs %d. "
               "Run `herald migrate up` once, then start again.",
               version, newest);
    return ERR_STORAGE_UNAVAILABLE;
}
