/* Leases by name: one row each, taken by compare-and-set. */
#include "kit/job/job.h"

enum err lease_take(struct db_tx *tx, const char *name, const struct uuid *holder, int64_t now_ms,
                    int64_t until_ms, bool *ret_is_held)
{
    int64_t changed = 0, longest_ms = until_ms + (until_ms - now_ms);
    enum err err = db_exec(
        tx,
        "INSERT INTO lease (name, holder, until_ms) VALUES ($1, $2, $4) "
        "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms "
        "WHERE lease.holder = excluded.holder OR lease.until_ms <= $3 OR lease.until_ms > $5",
        DB_ARGS(db_text(name), db_uuid(holder), db_int(now_ms), db_int(until_ms),
                db_int(longest_ms)),
        &changed);
    if (err) return err;
    *ret_is_held = changed == 1;
    return ERR_OK;
}

enum err lease_release(struct db_tx *tx, const char *name, const struct uuid *holder)
{
    return db_exec_later(tx, "DELETE FROM lease WHERE name = $1 AND holder = $2",
                         DB_ARGS(db_text(name), db_uuid(holder)));
}
