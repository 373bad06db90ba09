/* Statements on integration. */
#include "domain/integration/integration_db.h"

#include "core/columns.h"
#include "domain/integration/erp_address.h"
#include "kit/base/fold.h"
#include "kit/base/log_names.h"
#include "kit/base/macros.h"

enum { INTEGRATIONS_MAX = INT32_MAX }; /* all that there are: a filter reads one after the other */

enum err integration_insert(struct work *work, const struct integration *integration)
{
    const struct erp *erp = integration->erp;

    log_keep_name(&integration->id, integration->name);
    return db_exec(work->tx,
                   "INSERT INTO integration (id, tenant_id, point_id, name, is_enabled, erp_url,"
                   " erp_token, erp_path, erp_timeout_s, max_archive_share, created_at,"
                   " updated_at, environment, absent)"
                   " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
                   DB_ARGS(db_uuid(&integration->id), db_uuid(&integration->tenant_id),
                           db_uuid(&integration->point_id), db_text(integration->name),
                           db_int(integration->enabled), db_text(erp->base_url),
                           db_blob(integration->sealed_erp_token), db_text(erp->order_path),
                           db_int(erp->timeout_seconds), db_text(integration->max_archive_share),
                           db_int(integration->created_at), db_int(integration->updated_at),
                           db_text(integration_environment_words[integration->environment]),
                           db_text(integration_absent_words[integration->absent])),
                   NULL);
}

#define INTEGRATION_ROW(FIRST, NEXT)                                    \
    FIRST(id, id, UUID)                                                 \
    NEXT(tenant_id, tenant_id, UUID)                                    \
    NEXT(point_id, point_id, UUID)                                      \
    NEXT(name, name, TEXT)                                              \
    NEXT(is_enabled, enabled, BOOL)                                     \
    NEXT(erp_url, erp->base_url, TEXT)                                  \
    NEXT(erp_token, sealed_erp_token, BLOB)                             \
    NEXT(erp_path, erp->order_path, TEXT)                               \
    NEXT(erp_timeout_s, erp->timeout_seconds, INT)                      \
    NEXT(max_archive_share, max_archive_share, TEXT)                    \
    NEXT(created_at, created_at, INT)                                   \
    NEXT(updated_at, updated_at, INT)                                   \
    NEXT(environment, environment, WORD(integration_environment_words)) \
    NEXT(absent, absent, WORD(integration_absent_words))
#define SELECT_INTEGRATION "SELECT " COLUMNS(INTEGRATION_ROW) " FROM integration WHERE "
COLUMNS_READER(read_columns, struct integration *, INTEGRATION_ROW)

/* A word of a later version of herald is ERR_INTERNAL. */
static enum err read_integration(struct work *work, struct db_stmt *stmt,
                                 struct integration *ret_integration)
{
    *ret_integration = (struct integration){.erp = ARENA_NEW(work->arena, struct erp)};
    if (!read_columns(work, stmt, ret_integration))
        return LOG_BROKEN("an integration has an unknown word");
    log_keep_name(&ret_integration->id, ret_integration->name);
    return ERR_OK;
}

static enum err select_one(struct work *work, const char *sql, const struct uuid *id,
                           struct integration *ret_integration)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_integration(work, stmt, ret_integration);
}

enum err integration_read(struct work *work, const struct uuid *id,
                          struct integration *ret_integration)
{
    return select_one(work, SELECT_INTEGRATION "id = $1", id, ret_integration);
}

enum err integration_learn_name(struct work *work, const struct uuid *id)
{
    struct integration integration;
    if (log_name_is_fresh(id)) return ERR_OK;
    enum err err = integration_read(work, id, &integration);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err integration_lock(struct work *work, const struct uuid *id,
                          struct integration *ret_integration)
{
    /* SQLite has one writer, so there the plain read will do. Rows that refer to it may come in. */
    const char *sql = db_sql(work->tx, SELECT_INTEGRATION "id = $1",
                             SELECT_INTEGRATION "id = $1 FOR NO KEY UPDATE");
    return select_one(work, sql, id, ret_integration);
}

static bool is_wanted(const struct integration_wanted *wanted,
                      const struct integration *integration, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);

    if (wanted->is_enabled >= 0 && wanted->is_enabled != integration->enabled) return false;
    if (wanted->has_id)
        return uuid_equal(&wanted->id, &integration->id) ||
               uuid_equal(&wanted->id, &integration->point_id);
    if (!wanted->folded) return true;
    bool is_named = strstr(fold_text(arena, integration->name), wanted->folded);
    arena_rewind(arena, mark);
    return is_named;
}

static enum err query_page(struct work *work, const struct integration_wanted *wanted,
                           const struct uuid *after, int64_t limit, struct db_stmt **ret_stmt)
{
    bool is_any = wanted->is_enabled < 0 && !wanted->has_id && !wanted->folded;

    if (wanted->looked_max > 0)
        return db_query(work->tx, SELECT_INTEGRATION "id > $1 ORDER BY id DESC LIMIT $2",
                        DB_ARGS(db_uuid(after), db_int(wanted->looked_max)), ret_stmt);
    return db_query(work->tx, SELECT_INTEGRATION "id > $1 ORDER BY id LIMIT $2",
                    DB_ARGS(db_uuid(after), db_int(is_any ? limit : INTEGRATIONS_MAX)), ret_stmt);
}

/* SQL knows no case of letters but those of ASCII, so names are compared here. */
enum err integration_select_page(struct work *work, const struct integration_wanted *wanted,
                                 const struct uuid *after, int64_t limit,
                                 struct record_list *ret_integrations)
{
    struct integration *integrations =
        arena_array(work->arena, (size_t)limit, sizeof(*integrations));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = query_page(work, wanted, after, limit, &stmt);
    if (err) return err;
    while (count < (size_t)limit && (err = db_step(stmt)) == ERR_OK) {
        struct arena_mark mark = arena_mark(work->arena);
        err = read_integration(work, stmt, &integrations[count]);
        if (err) return err;
        if (is_wanted(wanted, &integrations[count], work->arena))
            count++;
        else
            arena_rewind(work->arena, mark);
    }
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_integrations = (struct record_list){integrations, count};
    return ERR_OK;
}

enum err integration_update(struct work *work, const struct integration *integration)
{
    const struct erp *erp = integration->erp;

    log_keep_name(&integration->id, integration->name);
    return db_exec(work->tx,
                   "UPDATE integration SET name = $2, is_enabled = $3, erp_url = $4,"
                   " erp_token = $5, erp_path = $6, erp_timeout_s = $7, updated_at = $8,"
                   " max_archive_share = $9, absent = $10"
                   " WHERE id = $1",
                   DB_ARGS(db_uuid(&integration->id), db_text(integration->name),
                           db_int(integration->enabled), db_text(erp->base_url),
                           db_blob(integration->sealed_erp_token), db_text(erp->order_path),
                           db_int(erp->timeout_seconds), db_int(integration->updated_at),
                           db_text(integration->max_archive_share),
                           db_text(integration_absent_words[integration->absent])),
                   NULL);
}

/* --- Those of one point ----------------------------------------------------------------------- */

enum err integration_point_hold(struct work *work, const struct integration *integration)
{
    const struct db_arg args[] = {db_uuid(&integration->tenant_id), db_uuid(&integration->point_id),
                                  db_text(integration_environment_words[integration->environment])};
    enum { COUNT = COUNT_OF(args) };

    enum err err = db_exec(work->tx,
                           "INSERT INTO integration_point (tenant_id, point_id, environment)"
                           " VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                           args, COUNT, NULL);
    if (err) return err;
    return db_hold(work->tx,
                   "SELECT tenant_id FROM integration_point"
                   " WHERE tenant_id = $1 AND point_id = $2 AND environment = $3",
                   args, COUNT);
}

enum err integration_select_rival(struct work *work, const struct integration *integration,
                                  struct uuid *ret_id)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT id FROM integration WHERE tenant_id = $1 AND point_id = $2"
                     " AND environment = $3 AND is_enabled = 1 AND id <> $4 ORDER BY id LIMIT 1",
                     DB_ARGS(db_uuid(&integration->tenant_id), db_uuid(&integration->point_id),
                             db_text(integration_environment_words[integration->environment]),
                             db_uuid(&integration->id)),
                     &stmt);
    if (err) return err;
    *ret_id = db_get_uuid(stmt, "id");
    return ERR_OK;
}

/* No integration has the point that is all zeros. */
enum err integration_places_hold(struct work *work)
{
    return integration_point_hold(work, &(struct integration){.environment = ENVIRONMENT_TEST});
}

enum err integration_select_neighbour(struct work *work, const struct integration *integration,
                                      bool *ret_has_one)
{
    const struct erp *erp = integration->erp;
    struct arena_mark mark = arena_mark(work->arena);
    AUTO_STMT stmt = NULL;

    *ret_has_one = false;
    enum err err =
        db_query(work->tx,
                 "SELECT erp_url, erp_path FROM integration WHERE environment <> $1"
                 " AND is_enabled = 1",
                 DB_ARGS(db_text(integration_environment_words[integration->environment])), &stmt);
    while (!err && !*ret_has_one && (err = db_step(stmt)) == ERR_OK) {
        *ret_has_one = erp_urls_meet(str_of(erp->base_url), str_of(erp->order_path),
                                     str_of(db_get_text(stmt, "erp_url", work->arena)),
                                     str_of(db_get_text(stmt, "erp_path", work->arena)));
        arena_rewind(work->arena, mark);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err integration_select_rivals(struct work *work, int limit, struct record_list *ret_rivals)
{
    struct integration_rivals *rivals = arena_array(work->arena, (size_t)limit, sizeof(*rivals));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT a.id, a.name, b.id AS other_id, a.tenant_id, a.point_id, a.environment"
                 " FROM integration AS a JOIN integration AS b ON b.tenant_id = a.tenant_id"
                 " AND b.point_id = a.point_id AND b.environment = a.environment AND b.id > a.id"
                 " WHERE a.is_enabled = 1 AND b.is_enabled = 1 LIMIT $1",
                 DB_ARGS(db_int(limit)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        struct uuid id = db_get_uuid(stmt, "id");
        log_keep_name(&id, db_get_text(stmt, "name", work->arena));
        rivals[count++] = (struct integration_rivals){
            .id = id,
            .other_id = db_get_uuid(stmt, "other_id"),
            .tenant_id = db_get_uuid(stmt, "tenant_id"),
            .point_id = db_get_uuid(stmt, "point_id"),
            .environment = db_get_text(stmt, "environment", work->arena),
        };
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_rivals = (struct record_list){rivals, count};
    return ERR_OK;
}
