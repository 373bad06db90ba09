/*
 * The transaction that inserts the row of an idempotency key creates the resource (contract,
 * section 1).
 *
 * Two transactions may come with one key at the same moment. SQLite runs them one after the other.
 * On PostgreSQL the second insert waits until the first transaction has ended, and then reads what
 * it committed.
 */
#include "kit/idem/idem.h"

enum { TAKE_TRIES_MAX = 3 };

static enum err insert_key(struct db_tx *tx, const struct idem_key *key,
                           const struct uuid *resource, bool *ret_is_new)
{
    int64_t changed = 0;
    enum err err = db_exec(
        tx,
        "INSERT INTO idempotency_key (family, key, fingerprint, resource_id) "
        "VALUES ($1, $2, $3, $4) ON CONFLICT (family, key) DO NOTHING",
        DB_ARGS(db_text(key->family), db_text(key->key),
                db_blob((struct str){(const char *)key->fingerprint, sizeof key->fingerprint}),
                db_uuid(resource)),
        &changed);
    if (err) return err;
    *ret_is_new = changed == 1;
    return ERR_OK;
}

/* Returns ERR_NOT_FOUND if the row is not there (any more). */
static enum err read_original(struct db_tx *tx, const struct idem_key *key,
                              struct uuid *ret_original)
{
    AUTO_STMT row = NULL;
    enum err err = db_query_one(
        tx,
        "SELECT resource_id, fingerprint = $3 AS is_same "
        "FROM idempotency_key WHERE family = $1 AND key = $2",
        DB_ARGS(db_text(key->family), db_text(key->key),
                db_blob((struct str){(const char *)key->fingerprint, sizeof key->fingerprint})),
        &row);
    if (err) return err;
    if (!db_get_int(row, "is_same")) return ERR_IDEMPOTENCY_CONFLICT;
    *ret_original = db_get_uuid(row, "resource_id");
    return ERR_OK;
}

enum err idem_take(struct db_tx *tx, const struct idem_key *key, const struct uuid *resource,
                   bool *ret_is_replay, struct uuid *ret_original)
{
    assert(*key->key && strlen(key->key) <= IDEM_KEY_BYTES_MAX);
    /* The row that was in the way may be gone when it is read, since its transaction was rolled
     * back. Then the key is free, and the next try takes it. */
    for (int tries = 0; tries < TAKE_TRIES_MAX; tries++) {
        bool is_new;
        enum err err = insert_key(tx, key, resource, &is_new);
        if (!err && !is_new) err = read_original(tx, key, ret_original);
        if (err == ERR_NOT_FOUND) continue;
        if (err) return err;
        *ret_is_replay = !is_new;
        return ERR_OK;
    }
    return ERR_TX_RETRY;
}
