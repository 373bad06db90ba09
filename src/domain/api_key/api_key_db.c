/* Statements on api_key and api_key_change. */
#include "domain/api_key/api_key_db.h"

#include "core/columns.h"

/* --- Changes --- */

enum err api_key_count_change(struct work *work)
{
    return db_exec(work->tx, "UPDATE api_key_change SET number = number + 1 WHERE id = 1", NULL, 0,
                   NULL);
}

enum err api_key_read_change(struct work *work, int64_t *ret_number)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT number FROM api_key_change WHERE id = 1", NULL, 0, &stmt);
    if (err) return err;
    *ret_number = db_get_int(stmt, "number");
    return ERR_OK;
}

/* --- Keys --- */

static struct str view_hash(const uint8_t hash[static SECRET_HASH_LEN])
{
    return (struct str){(const char *)hash, SECRET_HASH_LEN};
}

static struct db_arg rate_arg(const struct api_key *key)
{
    return key->requests_per_minute < 0 ? db_null() : db_int(key->requests_per_minute);
}

enum err api_key_insert(struct work *work, const struct api_key *key)
{
    return db_exec(work->tx,
                   "INSERT INTO api_key"
                   " (id, name, role, is_test, requests_per_minute, hash, created_at, expires_at)"
                   " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                   DB_ARGS(db_uuid(&key->id), db_text(key->name), db_text(role_words[key->role]),
                           db_int(key->is_test), rate_arg(key), db_blob(view_hash(key->hash)),
                           db_int(key->created_at), db_int_or_null(key->expires_at)),
                   NULL);
}

enum err api_key_count(struct work *work, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT count(*) AS n FROM"
                                " (SELECT id FROM api_key WHERE revoked_at IS NULL LIMIT $1) k",
                                DB_ARGS(db_int(API_KEYS_MAX)), &stmt);
    if (err) return err;
    *ret_count = db_get_int(stmt, "n");
    return ERR_OK;
}

static enum err read_hash(struct db_stmt *stmt, const char *column, struct arena *arena,
                          uint8_t ret_hash[static SECRET_HASH_LEN])
{
    struct str hash = db_get_blob(stmt, column, arena);
    if (hash.len != SECRET_HASH_LEN) return LOG_BROKEN("an API key has no hash");
    memcpy(ret_hash, hash.data, hash.len);
    return ERR_OK;
}

#define KEY_ROW(FIRST, NEXT)                                   \
    FIRST(id, id, UUID)                                        \
    NEXT(name, name, TEXT)                                     \
    NEXT(role, role, WORD(role_words))                         \
    NEXT(is_test, is_test, BOOL)                               \
    NEXT(requests_per_minute, requests_per_minute, INT_OR(-1)) \
    NEXT(old_until, old_until, INT)                            \
    NEXT(created_at, created_at, INT)                          \
    NEXT(expires_at, expires_at, INT)                          \
    NEXT(rotated_at, rotated_at, INT)                          \
    NEXT(revoked_at, revoked_at, INT)
#define SELECT_KEY "SELECT hash, old_hash, " COLUMNS(KEY_ROW) " FROM api_key WHERE "
COLUMNS_READER(read_columns, struct api_key *, KEY_ROW)

static enum err read_key(struct work *work, struct db_stmt *stmt, struct api_key *ret_key)
{
    struct api_key key = {0};

    bool has_old = !db_get_null(stmt, "old_hash");
    enum err err = read_hash(stmt, "hash", work->arena, key.hash);
    if (!err && has_old) err = read_hash(stmt, "old_hash", work->arena, key.old_hash);
    if (err) return err;
    if (!read_columns(work, stmt, &key)) return LOG_BROKEN("an API key has an unknown role");
    *ret_key = key;
    return ERR_OK;
}

enum err api_key_select(struct work *work, const struct uuid *id, struct api_key *ret_key)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, SELECT_KEY "id = $1", DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_key(work, stmt, ret_key);
}

static enum err collect(struct work *work, struct db_stmt *stmt, int64_t limit,
                        struct record_list *ret_keys)
{
    struct api_key *keys = arena_array(work->arena, (size_t)limit, sizeof(*keys));
    size_t count = 0;
    enum err err;

    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_key(work, stmt, &keys[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_keys = (struct record_list){keys, count};
    return ERR_OK;
}

enum err api_key_select_page(struct work *work, const struct uuid *after, int64_t limit,
                             struct record_list *ret_keys)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, SELECT_KEY "id > $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(after), db_int(limit)), &stmt);
    return err ? err : collect(work, stmt, limit, ret_keys);
}

enum err api_key_select_live(struct work *work, struct record_list *ret_keys)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, SELECT_KEY "revoked_at IS NULL ORDER BY id LIMIT $1",
                            DB_ARGS(db_int(API_KEYS_MAX)), &stmt);
    return err ? err : collect(work, stmt, API_KEYS_MAX, ret_keys);
}

enum err api_key_update_hashes(struct work *work, const struct api_key *key)
{
    struct db_arg old = key->old_until > 0 ? db_blob(view_hash(key->old_hash)) : db_null();

    return db_exec(work->tx,
                   "UPDATE api_key SET hash = $2, old_hash = $3, old_until = $4, rotated_at = $5"
                   " WHERE id = $1",
                   DB_ARGS(db_uuid(&key->id), db_blob(view_hash(key->hash)), old,
                           db_int_or_null(key->old_until), db_int(key->rotated_at)),
                   NULL);
}

enum err api_key_update_revoked(struct work *work, const struct uuid *id)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx, "UPDATE api_key SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
                DB_ARGS(db_uuid(id), db_int(work->now_ms)), &changed);
    if (err) return err;
    return changed == 1 ? ERR_OK : ERR_NOT_FOUND;
}
