/* Statements on vault_check. */
#include "app/vault_db.h"

static const char known[] = "herald";
static const char context[] = "vault_check";

static enum err insert_known(struct db_tx *tx, const struct vault *vault)
{
    AUTO_BUF sealed = {0};
    buf_init(&sealed, sizeof(known) + VAULT_OVERHEAD);
    vault_seal(vault, STR(context), STR(known), &sealed);
    return db_exec(tx,
                   "INSERT INTO vault_check (one, sealed) VALUES (1, $1)"
                   " ON CONFLICT (one) DO NOTHING",
                   DB_ARGS(db_blob(buf_view(&sealed))), NULL);
}

static enum err open_known(struct db_tx *tx, const struct vault *vault, struct arena *arena)
{
    struct str plain;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(tx, "SELECT sealed FROM vault_check WHERE one = 1", DB_NO_ARGS, &stmt);
    if (err) return err;
    err = vault_open(vault, STR(context), db_get_blob(stmt, "sealed", arena), arena, &plain);
    return err ? ERR_UNAUTHORIZED : ERR_OK;
}

enum err vault_check(struct db_tx *tx, const struct vault *vault)
{
    struct arena arena;
    arena_init(&arena);
    enum err err = insert_known(tx, vault);
    if (!err) err = open_known(tx, vault, &arena);
    arena_done(&arena);
    return err;
}

enum err vault_ping(struct db_tx *tx)
{
    AUTO_STMT stmt = NULL;
    return db_query_one(tx, "SELECT one FROM vault_check WHERE one = 1", DB_NO_ARGS, &stmt);
}
