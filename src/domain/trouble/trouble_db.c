/* These are the statements on trouble and trouble_watch (migration 0058). */
#include "domain/trouble/trouble_db.h"

#include "core/rows.h"
#include "core/words.h"

enum { KEPT_MAX = TROUBLE_KIND_COUNT * TROUBLES_MAX };

static enum err read_trouble(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct trouble *trouble = ret_row;

    *trouble = (struct trouble){
        .kind = word_index(trouble_kind_words, db_get_text(stmt, "kind", work->arena)),
        .subject = db_get_text(stmt, "subject", work->arena),
        .name = db_get_text(stmt, "name", work->arena),
        .record_id = db_get_text(stmt, "record_id", work->arena),
        .reason = db_get_text(stmt, "reason", work->arena),
        .since = db_get_int(stmt, "since_at"),
    };
    return trouble->kind < 0 ? LOG_BROKEN("a trouble has an unknown kind") : ERR_OK;
}

static enum err read_well(struct work *work, struct trouble_watch *watch)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT well_since, (SELECT MAX(gap_at) FROM process) AS gap_at"
                                " FROM trouble_watch WHERE one = 1",
                                DB_NO_ARGS, &stmt);

    watch->well_since = -1;
    watch->gap_at = 0;
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    int64_t well_since = db_get_int(stmt, "well_since");
    watch->gap_at = db_get_int(stmt, "gap_at");
    if (well_since == 0 || well_since >= watch->gap_at) watch->well_since = well_since;
    return ERR_OK;
}

enum err trouble_read(struct work *work, struct trouble_watch *ret_watch)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT kind, subject, name, record_id, reason, since_at FROM trouble"
                            " ORDER BY kind, subject LIMIT $1",
                            DB_ARGS(db_int(KEPT_MAX)), &stmt);

    if (!err)
        err = rows_read(work, stmt, KEPT_MAX, sizeof(struct trouble), read_trouble,
                        &ret_watch->troubles);
    return err ? err : read_well(work, ret_watch);
}

enum err trouble_put(struct work *work, const struct trouble *trouble)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO trouble (kind, subject, name, record_id, reason, since_at)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, subject) DO UPDATE SET"
        " name = excluded.name, record_id = excluded.record_id, reason = excluded.reason,"
        " since_at = excluded.since_at",
        DB_ARGS(db_text(trouble_kind_words[trouble->kind]), db_text(trouble->subject),
                db_text(trouble->name), db_text(trouble->record_id), db_text(trouble->reason),
                db_int(trouble->since)));
}

enum err trouble_delete(struct work *work, const struct trouble *trouble)
{
    return db_exec_later(
        work->tx, "DELETE FROM trouble WHERE kind = $1 AND subject = $2",
        DB_ARGS(db_text(trouble_kind_words[trouble->kind]), db_text(trouble->subject)));
}

enum err trouble_set_well(struct work *work, int64_t well_since)
{
    return db_exec_later(work->tx,
                         "INSERT INTO trouble_watch (one, well_since) VALUES (1, $1)"
                         " ON CONFLICT (one) DO UPDATE SET well_since = excluded.well_since",
                         DB_ARGS(db_int_or_null(well_since)));
}
