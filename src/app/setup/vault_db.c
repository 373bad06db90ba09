/* These are the statements on tables vault_check and resealing, and on every sealed column. */
#include "app/setup/vault_db.h"

#include "kit/base/clock.h"

static const char known[] = "herald";
static const struct vault_place known_place = {
    "vault_check", "sealed", {"vault_check", sizeof("vault_check") - 1}};

static const struct vault_place own_key_place = {
    "vault_check", "own_key", {"vault_check", sizeof("vault_check") - 1}};

static struct str text_of(const uint8_t key[static SECRET_KEY_LEN])
{
    return (struct str){(const char *)key, SECRET_KEY_LEN};
}

static enum err insert_known(struct db_tx *tx, const struct vault *vault, enum route_store store,
                             int64_t now_ms, struct arena *arena)
{
    struct str sealed = vault_seal_by_target(vault, known_place, STR(known), arena);
    struct str own_key = {0}; /* a new database gets a random one */
    uint8_t key[SECRET_KEY_LEN];

    vault_make_own_key(vault, own_key, key);
    if (store == STORE_VERIFICATION)
        own_key = vault_seal_by_target(vault, own_key_place, text_of(key), arena);
    secret_wipe(key, sizeof(key));
    return db_exec(
        tx,
        "INSERT INTO vault_check (one, sealed, prefix, prefix_since, is_resealed, own_key)"
        " VALUES (1, $1, $2, $3, 1, $4) ON CONFLICT (one) DO NOTHING",
        DB_ARGS(db_blob(sealed), db_blob(vault_target(vault)), db_int(now_ms), db_blob(own_key)),
        NULL);
}

static enum err open_known(struct db_tx *tx, struct vault *vault, struct arena *arena)
{
    struct str prefix;
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, "SELECT sealed, old_prefix FROM vault_check WHERE one = 1",
                                DB_NO_ARGS, &stmt);
    if (err) return err;
    if (vault_find_key(vault, known_place, db_get_blob(stmt, "sealed", arena), &prefix))
        return ERR_UNAUTHORIZED;
    bool is_known = vault_seal_by(vault, prefix);
    assert(is_known);
    bool is_old_wanted = !db_get_null(stmt, "old_prefix");
    return is_old_wanted && !vault_knows(vault, db_get_blob(stmt, "old_prefix", arena))
               ? ERR_LEASE_LOST
               : ERR_OK;
}

/* A database that was made before there was a key of fingerprints keeps the one that it has used.
 */
static enum err keep_own_key(struct db_tx *tx, const struct vault *vault, struct arena *arena)
{
    uint8_t key[SECRET_KEY_LEN];
    struct str sealed;

    vault_make_own_key(vault, vault_prefix(vault), key);
    enum err err = vault_seal(vault, own_key_place, text_of(key), arena, &sealed);
    secret_wipe(key, sizeof(key));
    if (err) return err;
    return db_exec(tx, "UPDATE vault_check SET own_key = $1 WHERE one = 1 AND own_key IS NULL",
                   DB_ARGS(db_blob(sealed)), NULL);
}

static enum err take_own_key(struct db_tx *tx, struct vault *vault, struct arena *arena)
{
    struct str key;
    AUTO_STMT stmt = NULL;
    enum err err = keep_own_key(tx, vault, arena);
    if (!err)
        err = db_query_one(tx, "SELECT own_key FROM vault_check WHERE one = 1", DB_NO_ARGS, &stmt);
    if (err) return err;
    err = vault_open(vault, own_key_place, db_get_blob(stmt, "own_key", arena), arena, &key);
    if (err || key.len != SECRET_KEY_LEN) return ERR_UNAUTHORIZED;
    vault_set_own_key(vault, (const uint8_t *)key.data);
    secret_wipe((char *)key.data, key.len);
    return ERR_OK;
}

enum err vault_check(struct db_tx *tx, struct vault *vault, enum route_store store, int64_t now_ms)
{
    struct arena arena;
    arena_init(&arena);
    enum err err = insert_known(tx, vault, store, now_ms, &arena);
    if (!err) err = open_known(tx, vault, &arena);
    if (!err && store == STORE_VERIFICATION) err = take_own_key(tx, vault, &arena);
    arena_done(&arena);
    return err;
}

enum err vault_check_only(struct db_tx *tx, struct vault *vault)
{
    struct arena arena;
    arena_init(&arena);
    enum err err = open_known(tx, vault, &arena);
    arena_done(&arena);
    return err;
}

#define SELECT_STATE                                                                 \
    "SELECT prefix, prefix_since, is_resealed, next_prefix, next_since, old_prefix," \
    " (SELECT place FROM resealing WHERE one = 1) AS place FROM vault_check WHERE one = 1"

static enum sealed_column column_of(const char *place);

enum err vault_select_state(struct db_tx *tx, struct arena *arena, struct vault_state *ret_state)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, SELECT_STATE, DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_state = (struct vault_state){
        .writes_form_2 = !db_get_null(stmt, "prefix"),
        .since_ms = db_get_int(stmt, "prefix_since"),
        .is_resealed = db_get_int(stmt, "is_resealed") != 0,
        .prefix = db_get_blob(stmt, "prefix", arena),
        .next_prefix = db_get_blob(stmt, "next_prefix", arena),
        .old_prefix = db_get_blob(stmt, "old_prefix", arena),
        .next_since_ms = db_get_int(stmt, "next_since"),
    };
    if (!db_get_null(stmt, "place"))
        ret_state->column = (int)column_of(db_get_text(stmt, "place", arena));
    return ERR_OK;
}

/* The known text is sealed in the new form as well, so that a herald that cannot read it does not
 * start. */
enum err vault_begin_form_2(struct db_tx *tx, const struct vault *vault, int64_t now_ms)
{
    struct arena arena;
    arena_init(&arena);
    struct str sealed;
    enum err err = vault_seal(vault, known_place, STR(known), &arena, &sealed);
    if (!err)
        err = db_exec(tx,
                      "UPDATE vault_check SET sealed = $1, prefix = $2, prefix_since = $3"
                      " WHERE one = 1 AND prefix IS NULL",
                      DB_ARGS(db_blob(sealed), db_blob(vault_prefix(vault)), db_int(now_ms)), NULL);
    arena_done(&arena);
    return err;
}

enum err vault_end_walk(struct db_tx *tx)
{
    enum err err = db_exec_later(tx, "DELETE FROM resealing WHERE one = 1", DB_NO_ARGS);
    if (err) return err;
    return db_exec(tx, "UPDATE vault_check SET is_resealed = 1, old_prefix = NULL WHERE one = 1",
                   DB_NO_ARGS, NULL);
}

enum err vault_announce(struct db_tx *tx, const struct vault *vault, int64_t now_ms,
                        bool *ret_is_begun)
{
    int64_t changed = 0;
    enum err err = db_exec(tx,
                           "UPDATE vault_check SET next_prefix = $1, next_since = $2 WHERE one = 1"
                           " AND next_prefix IS NULL AND old_prefix IS NULL AND is_resealed = 1"
                           " AND prefix <> $1",
                           DB_ARGS(db_blob(vault_target(vault)), db_int(now_ms)), &changed);
    *ret_is_begun = !err && changed == 1;
    return err;
}

/* The known text is sealed under the new key, so that only those who know it start from now on. */
static enum err change_key(struct db_tx *tx, const struct vault *vault, enum route_store store,
                           int64_t now_ms, struct arena *arena)
{
    uint8_t key[SECRET_KEY_LEN];
    struct str sealed = vault_seal_by_target(vault, known_place, STR(known), arena), own_key = {0};

    vault_get_own_key(vault, key);
    if (store == STORE_VERIFICATION)
        own_key = vault_seal_by_target(vault, own_key_place, text_of(key), arena);
    secret_wipe(key, sizeof(key));
    return db_exec(
        tx,
        "UPDATE vault_check SET sealed = $1, old_prefix = prefix, prefix = $2,"
        " prefix_since = $3, own_key = $4, is_resealed = 0, next_prefix = NULL,"
        " next_since = NULL WHERE one = 1 AND prefix <> $2 AND is_resealed = 1",
        DB_ARGS(db_blob(sealed), db_blob(vault_target(vault)), db_int(now_ms), db_blob(own_key)),
        NULL);
}

enum err vault_begin_key(struct db_tx *tx, const struct vault *vault, enum route_store store,
                         int64_t now_ms)
{
    struct arena arena;
    arena_init(&arena);
    enum err err = db_exec_later(tx, "DELETE FROM resealing WHERE one = 1", DB_NO_ARGS);
    if (!err) err = change_key(tx, vault, store, now_ms, &arena);
    arena_done(&arena);
    return err;
}

enum err vault_ping(struct db_tx *tx)
{
    AUTO_STMT stmt = NULL;
    return db_query_one(tx, "SELECT one FROM vault_check WHERE one = 1", DB_NO_ARGS, &stmt);
}

/* --- The walk through the sealed columns ------------------------------------------------------ */

/* The statements say IS NOT DISTINCT FROM. An equals sign would tell PostgreSQL that there is a
 * value, and so that the index of all rows with a value would do as well as the key. */
static const struct {
    enum route_store store;
    const char *name;
    int key_type; /* as in struct db_arg */
    int page_rows;
    const char *select_page, *replace;
} columns[] = {
#define SEALED_ROW(name, store, table, column, key, key_type, page_rows)                       \
    [SEALED_##name] = {store,                                                                  \
                       table "." column,                                                       \
                       key_type,                                                               \
                       page_rows,                                                              \
                       "SELECT " key " AS key, " column " AS sealed FROM " table " WHERE " key \
                       " > $1 ORDER BY " key " LIMIT $2",                                      \
                       "UPDATE " table " SET " column " = $1 WHERE " key " = $2 AND " column   \
                       " IS NOT DISTINCT FROM $3"},
    SEALED_COLUMNS(SEALED_ROW)
#undef SEALED_ROW
};

enum sealed_column sealed_column_from(int column, enum route_store store, bool are_one)
{
    while (column < SEALED_COLUMN_COUNT && !are_one && columns[column].store != store)
        column++;
    return (enum sealed_column)column;
}

const char *sealed_column_name(enum sealed_column column)
{
    return columns[column].name;
}

static enum sealed_column column_of(const char *place)
{
    int column = 0;
    while (column < SEALED_COLUMN_COUNT && strcmp(columns[column].name, place) != 0)
        column++;
    return (enum sealed_column)column;
}

/* This herald does not know a place of a later one, and begins anew then. */
enum err resealing_select(struct work *work, struct reseal_step *ret_step)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT place, after_key FROM resealing WHERE one = 1",
                                DB_NO_ARGS, &stmt);
    if (err) return err;
    enum sealed_column column = column_of(db_get_text(stmt, "place", work->arena));
    if (column == SEALED_COLUMN_COUNT) return ERR_NOT_FOUND;
    *ret_step = (struct reseal_step){.column = column,
                                     .after_key = db_get_blob(stmt, "after_key", work->arena)};
    return ERR_OK;
}

enum err resealing_save(struct work *work, const struct reseal_step *step)
{
    return db_exec(work->tx,
                   "INSERT INTO resealing (one, place, after_key) VALUES (1, $1, $2)"
                   " ON CONFLICT (one) DO UPDATE SET place = excluded.place,"
                   " after_key = excluded.after_key",
                   DB_ARGS(db_text(columns[step->column].name), db_blob(step->after_key)), NULL);
}

static struct db_arg key_arg(enum sealed_column column, struct str key)
{
    return (struct db_arg){
        .type = columns[column].key_type, .data = key.data ? key.data : "", .len = key.len};
}

enum err sealed_select_page(struct work *work, const struct reseal_step *step,
                            struct record_list *ret_rows, bool *ret_is_last)
{
    size_t max = (size_t)columns[step->column].page_rows, count = 0;
    struct sealed_row *rows = arena_array(work->arena, max, sizeof(*rows));
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, columns[step->column].select_page,
                 DB_ARGS(key_arg(step->column, step->after_key), db_int((int64_t)max)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        rows[count++] = (struct sealed_row){.key = db_get_blob(stmt, "key", work->arena),
                                            .sealed = db_get_blob(stmt, "sealed", work->arena)};
    if (err != ERR_NOT_FOUND) return err;
    *ret_rows = (struct record_list){rows, count};
    *ret_is_last = count < max;
    return ERR_OK;
}

enum err sealed_replace(struct work *work, enum sealed_column column, const struct sealed_row *row,
                        struct str sealed)
{
    return db_exec_later(work->tx, columns[column].replace,
                         DB_ARGS(db_blob(sealed), key_arg(column, row->key), db_blob(row->sealed)));
}
