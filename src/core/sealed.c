/*
 * No value is stored under a key that was replaced (contract, section 10.4), not even by a process
 * that stood still meanwhile. Whoever seals beside other processes has read which key is in force
 * within VAULT_FORMS_MS. What it began in the database by then is ended there within 15 s if it
 * stands still (kit/db/postgres_connect.c), and older values are sealed anew a minute after the
 * change (app/jobs/reseal.h). A transaction that has not begun there reads the key in force itself.
 */
#include "core/service.h"

/* It begins with WITH, so that it is in the transaction and not in front of it. */
static const char select_key_in_force[] =
    "WITH checked AS (SELECT prefix FROM vault_check WHERE one = 1) SELECT prefix FROM checked";

static bool is_sealed_by(const struct work *work, struct str prefix)
{
    return prefix.len == sizeof(work->sealed_by) &&
           memcmp(work->sealed_by, prefix.data, prefix.len) == 0;
}

/* An embedded database belongs to one process, which stands still altogether. Form 1 names no key.
 */
static bool has_rivals(const struct service *service)
{
    return !db_has_one_writer(service->verification) && vault_forms(service->vault).writes_form_2;
}

/* Asks which key is in force, and remembers which one sealed. */
static enum err ask_for_key(struct work *work, struct str prefix)
{
    if (work->key_in_force) return is_sealed_by(work, prefix) ? ERR_OK : ERR_TX_RETRY;
    memcpy(work->sealed_by, prefix.data, prefix.len);
    return db_query(work->tx, select_key_in_force, DB_NO_ARGS, &work->key_in_force);
}

enum err work_seal(struct work *work, enum sealed_column column, struct str row, struct str plain,
                   struct str *ret_sealed)
{
    const struct service *service = work->service;
    bool is_alone = !has_rivals(service);

    if (!is_alone && !vault_is_fresh(service->vault)) return ERR_STORAGE_UNAVAILABLE;
    enum err err =
        vault_seal(service->vault, sealed_at(column, row), plain, work->arena, ret_sealed);
    if (err || is_alone || db_has_begun(work->tx)) return err;
    return ask_for_key(work, (struct str){ret_sealed->data, VAULT_PREFIX_LEN});
}

enum err work_check_seals(struct work *work)
{
    if (!work->key_in_force) return ERR_OK;
    enum err err = db_step(work->key_in_force);
    if (err == ERR_NOT_FOUND) return ERR_OK; /* the database has no key yet */
    if (err) return err;
    struct vault *vault = work->service->vault;
    struct str prefix = db_get_blob(work->key_in_force, "prefix", work->arena);
    if (is_sealed_by(work, prefix)) return ERR_OK;
    bool is_known = vault_knows(vault, prefix) && vault_seal_by(vault, prefix);
    return is_known ? ERR_TX_RETRY : ERR_STORAGE_UNAVAILABLE;
}
