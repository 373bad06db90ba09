/* The statements of every unit of work that leaves events: on outbox. */
#include "core/event.h"

enum err outbox_insert(struct work *work, const struct event_row *row)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO outbox (id, type, subject_type, subject_id, sequence, at, data, traceparent)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        DB_ARGS(db_uuid(&row->id), db_text(row->type), db_text(event_subject_words[row->subject]),
                db_text(row->subject_id), db_int(row->sequence), db_int(row->at),
                db_text(row->data), db_text(row->traceparent)));
}

enum err outbox_has_erasures(struct work *work, bool *ret_has)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT place FROM outbox WHERE type = '' ORDER BY place LIMIT 1",
                     DB_NO_ARGS, &stmt);
    *ret_has = !err;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
