/* These are the statements on personal_mark. */
#include "core/personal.h"

enum err personal_mark_select(struct work *work, const char *place, struct uuid *ret_id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT id FROM personal_mark WHERE place = $1",
                                DB_ARGS(db_text(place)), &stmt);
    if (!err) *ret_id = db_get_uuid(stmt, "id");
    return err;
}

enum err personal_end(struct work *work, const char *place, const struct uuid *last)
{
    return db_exec(work->tx,
                   "INSERT INTO personal_mark (place, id) VALUES ($1, $2)"
                   " ON CONFLICT (place) DO UPDATE SET id = excluded.id",
                   DB_ARGS(db_text(place), db_uuid(last)), NULL);
}
