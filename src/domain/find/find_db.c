/* Statements on event and erp_package. */
#include "domain/find/find_db.h"

#include "core/rows.h"

enum { INTEGRATIONS_MAX = 10000 };

enum err find_select_event(struct work *work, const struct uuid *id, struct find_result *ret_result)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT seq, type, at FROM event WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    *ret_result = (struct find_result){
        .type = FOUND_EVENT,
        .id = uuid_text(id, work->arena),
        .title = db_get_text(stmt, "type", work->arena),
        .at = db_get_int(stmt, "at"),
    };
    return ERR_OK;
}

static enum err read_package(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct uuid integration_id = db_get_uuid(stmt, "integration_id");

    *(struct find_result *)ret_row = (struct find_result){
        .type = FOUND_PACKAGE,
        .title = db_get_text(stmt, "name", work->arena),
        .state = db_get_text(stmt, "status", work->arena),
        .at = db_get_int(stmt, "received_at"),
        .integration_id = uuid_text(&integration_id, work->arena),
    };
    return ERR_OK;
}

/* Each integration is asked by the key of its packages, whatever the engine thinks of how many
 * there are: a subquery for one value is never joined the other way round. */
#define OF_PACKAGE(column) \
    "(SELECT p." column " FROM erp_package p WHERE p.integration_id = i.id AND p.event_id = $1)"

enum err find_select_packages(struct work *work, const char *event_id,
                              struct record_list *ret_results)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT integration_id, name, status, received_at FROM"
        " (SELECT i.id AS integration_id, i.name, " OF_PACKAGE("status") " AS status, " OF_PACKAGE(
            "received_at") " AS received_at FROM"
                           " (SELECT id, name FROM integration ORDER BY id LIMIT $2) i) f"
                           " WHERE received_at IS NOT NULL"
                           " ORDER BY received_at DESC, integration_id DESC LIMIT $3",
        DB_ARGS(db_text(event_id), db_int(INTEGRATIONS_MAX), db_int(FIND_OF_KIND_MAX)), &stmt);
    if (err) return err;
    err = rows_read(work, stmt, FIND_OF_KIND_MAX, sizeof(struct find_result), read_package,
                    ret_results);
    struct find_result *rows = ret_results->items;
    for (size_t i = 0; !err && i < ret_results->count; i++)
        rows[i].id = arena_text(work->arena, event_id);
    return err;
}
