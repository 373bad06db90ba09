/* These are the statements on signing_key. */
#include "domain/token/token_key.h"

#include <stdio.h>

enum err signing_key_insert(struct work *work, const struct signing_key *key, bool *ret_is_added)
{
    int64_t changed = 0;
    struct str public_key = {(const char *)key->key.public_key, JOSE_PUBLIC_LEN};
    enum err err = db_exec(
        work->tx,
        "INSERT INTO signing_key (number, kid, public_key, sealed_seed, created_at, signs_from)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (number) DO NOTHING",
        DB_ARGS(db_int(key->number), db_text(key->kid), db_blob(public_key),
                db_blob(key->sealed_seed), db_int(key->created_at), db_int(key->signs_from)),
        &changed);
    if (err) return err;
    *ret_is_added = changed == 1;
    return ERR_OK;
}

#define SELECT_KEY \
    "SELECT number, kid, public_key, sealed_seed, created_at, signs_from FROM signing_key "

/* A row may hold no key: then `fault` says why. */
static void read_key(struct work *work, struct db_stmt *stmt, struct signing_key *ret_key)
{
    struct str public_key = db_get_blob(stmt, "public_key", work->arena);
    struct signing_key key = {
        .number = db_get_int(stmt, "number"),
        .kid = db_get_text(stmt, "kid", work->arena),
        .created_at = db_get_int(stmt, "created_at"),
        .signs_from = db_get_int(stmt, "signs_from"),
        .sealed_seed = db_get_blob(stmt, "sealed_seed", work->arena),
    };

    snprintf(key.key.kid, sizeof(key.key.kid), "%s", key.kid);
    if (public_key.len != JOSE_PUBLIC_LEN) {
        key.fault = "Its public key has another length.";
    } else {
        memcpy(key.key.public_key, public_key.data, JOSE_PUBLIC_LEN);
        if (!jose_key_is_named(&key.key)) key.fault = "Its public key is not the one of that kid.";
    }
    *ret_key = key;
}

enum err signing_key_select_newest(struct work *work, struct signing_key *ret_key)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, SELECT_KEY "ORDER BY number DESC LIMIT 1", DB_NO_ARGS, &stmt);
    if (err) return err;
    read_key(work, stmt, ret_key);
    return ERR_OK;
}

enum err signing_key_select_since(struct work *work, int64_t since_ms, struct record_list *ret_keys)
{
    struct signing_key *keys = arena_array(work->arena, JOSE_KEYS_MAX, sizeof(*keys));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        SELECT_KEY "WHERE number >="
                   " COALESCE((SELECT MAX(number) FROM signing_key WHERE signs_from <= $1), 0)"
                   " ORDER BY number LIMIT $2",
        DB_ARGS(db_int(since_ms), db_int(JOSE_KEYS_MAX)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        read_key(work, stmt, &keys[count++]);
    if (err != ERR_NOT_FOUND) return err;
    *ret_keys = (struct record_list){keys, count};
    return ERR_OK;
}

enum err signing_key_delete(struct work *work, const struct signing_key *key)
{
    return db_exec(work->tx, "DELETE FROM signing_key WHERE number = $1 AND kid = $2",
                   DB_ARGS(db_int(key->number), db_text(key->kid)), NULL);
}

enum err signing_key_take(struct work *work, const struct signing_key *key, int64_t *ret_signs_from)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, "DELETE FROM signing_key WHERE number = $1 AND kid = $2 RETURNING signs_from",
        DB_ARGS(db_int(key->number), db_text(key->kid)), &stmt);
    if (err) return err;
    *ret_signs_from = db_get_int(stmt, "signs_from");
    return ERR_OK;
}

enum err signing_key_advance(struct work *work, const struct signing_key *key, bool *ret_is_done)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx, "UPDATE signing_key SET signs_from = $1 WHERE number = $2 AND kid = $3",
                DB_ARGS(db_int(work->now_ms), db_int(key->number), db_text(key->kid)), &changed);
    *ret_is_done = changed == 1;
    return err;
}

enum err token_sweep_keys(struct work *work)
{
    int64_t before_ms = work->now_ms - KEY_PUBLISHED_AFTER_MS - KEY_KEPT_S * 1000;
    return db_exec(work->tx,
                   "DELETE FROM signing_key WHERE number <"
                   " (SELECT MAX(number) FROM signing_key WHERE signs_from <= $1)",
                   DB_ARGS(db_int(before_ms)), NULL);
}
