/* A lease is a row with a name, taken by compare-and-set. A sign of life is a lease, too, which no
 * other process takes: its name ends with its holder. */
#include "kit/job/job.h"

#include <stdio.h>

enum { NAME_MAX_LEN = 32 + UUID_TEXT_LEN };

enum err lease_take(struct db_tx *tx, const char *name, const struct uuid *holder, int64_t now_ms,
                    int64_t until_ms, bool *ret_is_held)
{
    int64_t changed = 0;
    enum err err = db_exec(
        tx,
        "INSERT INTO lease (name, holder, until_ms) VALUES ($1, $2, $4) "
        "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms "
        "WHERE lease.holder = excluded.holder OR lease.until_ms <= $3",
        DB_ARGS(db_text(name), db_uuid(holder), db_int(now_ms), db_int(until_ms)), &changed);
    if (err) return err;
    *ret_is_held = changed == 1;
    return ERR_OK;
}

enum err lease_release(struct db_tx *tx, const char *name, const struct uuid *holder)
{
    return db_exec_later(tx, "DELETE FROM lease WHERE name = $1 AND holder = $2",
                         DB_ARGS(db_text(name), db_uuid(holder)));
}

/* --- Signs of life ---------------------------------------------------------------------------- */

struct life_name {
    char text[NAME_MAX_LEN + 1];
};

static struct life_name name_of(const char *kind, const struct uuid *holder)
{
    struct life_name name;
    char id[UUID_TEXT_LEN + 1];

    uuid_format(holder, id);
    int len = snprintf(name.text, sizeof(name.text), "%s:%s", kind, id);
    assert(len > 0 && len < (int)sizeof(name.text));
    return name;
}

enum err life_show(struct db_tx *tx, const char *kind, const struct uuid *holder, int64_t now_ms)
{
    struct life_name name = name_of(kind, holder);
    return db_exec_later(tx,
                         "INSERT INTO lease (name, holder, until_ms) VALUES ($1, $2, $3) "
                         "ON CONFLICT (name) DO UPDATE SET until_ms = excluded.until_ms",
                         DB_ARGS(db_text(name.text), db_uuid(holder), db_int(now_ms)));
}

/* Hexadecimal digits lie between 0 and g in every collation, with the colon or without. */
enum err life_list(struct db_tx *tx, const char *kind, int max, struct arena *arena,
                   struct life_sign **ret_signs, size_t *ret_count)
{
    struct life_sign *signs = arena_array(arena, (size_t)max, sizeof(*signs));
    size_t count = 0;
    AUTO_STMT rows = NULL;
    enum err err = db_query(tx,
                            "SELECT holder, until_ms FROM lease WHERE name >= $1 AND name <= $2 "
                            "ORDER BY name LIMIT $3",
                            DB_ARGS(db_text(arena_printf(arena, "%s:0", kind)),
                                    db_text(arena_printf(arena, "%s:g", kind)), db_int(max)),
                            &rows);
    if (err) return err;
    while (!(err = db_step(rows)))
        signs[count++] =
            (struct life_sign){db_get_uuid(rows, "holder"), db_get_int(rows, "until_ms")};
    if (err != ERR_NOT_FOUND) return err;
    *ret_signs = signs;
    *ret_count = count;
    return ERR_OK;
}

#define END_SIGN(lock)                                                           \
    "DELETE FROM lease WHERE name = (SELECT name FROM lease WHERE name = $1 AND" \
    " until_ms = $2" lock ")"

enum err life_end(struct db_tx *tx, const char *kind, const struct life_sign *sign,
                  bool *ret_is_ended)
{
    struct life_name name = name_of(kind, &sign->holder);
    const char *sql = db_sql(tx, END_SIGN(""), END_SIGN(" FOR UPDATE SKIP LOCKED"));
    int64_t changed = 0;
    enum err err = db_exec(tx, sql, DB_ARGS(db_text(name.text), db_int(sign->shown_at)), &changed);
    if (!err) *ret_is_ended = changed == 1;
    return err;
}

enum err life_end_own(struct db_tx *tx, const char *kind, const struct uuid *holder)
{
    struct life_name name = name_of(kind, holder);
    return lease_release(tx, name.text, holder);
}
