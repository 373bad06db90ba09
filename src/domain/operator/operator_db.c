/* Statements on operator, operator_session and operator_address. */
#include "domain/operator/operator_db.h"

#include "core/columns.h"
#include "core/rows.h"
#include "kit/base/fold.h"

static struct db_arg hash_arg(const uint8_t hash[static SECRET_HASH_LEN])
{
    return db_blob((struct str){(const char *)hash, SECRET_HASH_LEN});
}

/* --- Operators -------------------------------------------------------------------------------- */

enum err operator_insert(struct work *work, const struct operator* op, const char *name_key,
                         const uint8_t link_hash[static SECRET_HASH_LEN])
{
    return db_exec(work->tx,
                   "INSERT INTO operator"
                   " (id, name, name_key, role, link_hash, link_until, created_at)"
                   " VALUES ($1, $2, $3, $4, $5, $6, $7)",
                   DB_ARGS(db_uuid(&op->id), db_text(op->name), db_text(name_key),
                           db_text(role_words[op->role]), hash_arg(link_hash),
                           db_int(op->link_until), db_int(op->created_at)),
                   NULL);
}

enum err operator_count(struct work *work, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, "SELECT count(*) AS n FROM (SELECT id FROM operator ORDER BY id LIMIT $1) o",
        DB_ARGS(db_int(OPERATORS_MAX)), &stmt);
    if (err) return err;
    *ret_count = db_get_int(stmt, "n");
    return ERR_OK;
}

#define OPERATOR_ROW(FIRST, NEXT)      \
    FIRST(id, id, UUID)                \
    NEXT(name, name, TEXT)             \
    NEXT(role, role, WORD(role_words)) \
    NEXT(password, password, TEXT)     \
    NEXT(link_until, link_until, INT)  \
    NEXT(created_at, created_at, INT)  \
    NEXT(login_at, login_at, INT)
#define SELECT_OPERATOR "SELECT " COLUMNS(OPERATOR_ROW) " FROM operator WHERE "
COLUMNS_READER(read_operator_columns, struct operator*, OPERATOR_ROW)

static enum err read_operator(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct operator* ret_operator = ret_row;

    *ret_operator = (struct operator){0};
    if (!read_operator_columns(work, stmt, ret_operator))
        return LOG_BROKEN("an operator has an unknown role");
    ret_operator->has_password = ret_operator->password != NULL;
    return ERR_OK;
}

static enum err select_one(struct work *work, const char *sql, struct db_arg arg,
                           struct operator* ret_operator)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, &arg, 1, &stmt);
    return err ? err : read_operator(work, stmt, ret_operator);
}

enum err operator_select(struct work *work, const struct uuid *id, struct operator* ret_operator)
{
    return select_one(work, SELECT_OPERATOR "id = $1", db_uuid(id), ret_operator);
}

enum err operator_select_by_link(struct work *work, const uint8_t hash[static SECRET_HASH_LEN],
                                 struct operator* ret_operator)
{
    return select_one(work, SELECT_OPERATOR "link_hash = $1", hash_arg(hash), ret_operator);
}

enum err operator_select_page(struct work *work, const struct uuid *after, int64_t limit,
                              struct record_list *ret_operators)
{
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx, SELECT_OPERATOR "id > $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(after), db_int(limit)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct operator), read_operator,
                     ret_operators);
}

/* There are few, so their names are folded here, and not stored so. */
enum err operator_select_by_name(struct work *work, const char *name, struct operator* ret_operator)
{
    const char *folded = fold_text(work->arena, name);
    const struct uuid first = {0};
    struct record_list list;

    enum err err = operator_select_page(work, &first, OPERATORS_MAX, &list);
    if (err) return err;
    const struct operator* rows = list.items;
    for (size_t i = 0; i < list.count; i++) {
        *ret_operator = rows[i];
        if (strcmp(fold_text(work->arena, rows[i].name), folded) == 0) return ERR_OK;
    }
    return ERR_NOT_FOUND;
}

enum err operator_update(struct work *work, const struct operator* op, const char *name_key)
{
    return db_exec(work->tx,
                   "UPDATE operator SET name = $2, name_key = $3, role = $4 WHERE id = $1",
                   DB_ARGS(db_uuid(&op->id), db_text(op->name), db_text(name_key),
                           db_text(role_words[op->role])),
                   NULL);
}

enum err operator_update_link(struct work *work, const struct operator* op,
                              const uint8_t hash[static SECRET_HASH_LEN])
{
    return db_exec(work->tx, "UPDATE operator SET link_hash = $2, link_until = $3 WHERE id = $1",
                   DB_ARGS(db_uuid(&op->id), hash_arg(hash), db_int(op->link_until)), NULL);
}

enum err operator_update_password(struct work *work, const struct uuid *id, const char *password)
{
    return db_exec(
        work->tx,
        "UPDATE operator SET password = $2, link_hash = NULL, link_until = NULL WHERE id = $1",
        DB_ARGS(db_uuid(id), db_text(password)), NULL);
}

enum err operator_update_login(struct work *work, const struct uuid *id)
{
    return db_exec(work->tx, "UPDATE operator SET login_at = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_int(work->now_ms)), NULL);
}

enum err operator_delete(struct work *work, const struct uuid *id)
{
    int64_t deleted = 0;
    enum err err =
        db_exec(work->tx, "DELETE FROM operator WHERE id = $1", DB_ARGS(db_uuid(id)), &deleted);
    if (err) return err;
    return deleted == 1 ? ERR_OK : ERR_NOT_FOUND;
}

/* --- Sessions --------------------------------------------------------------------------------- */

enum err operator_session_insert(struct work *work, const struct operator_session *session)
{
    return db_exec(work->tx,
                   "INSERT INTO operator_session"
                   " (id, operator_id, hash, created_at, seen_at, address, agent)"
                   " VALUES ($1, $2, $3, $4, $5, $6, $7)",
                   DB_ARGS(db_uuid(&session->id), db_uuid(&session->operator_id),
                           hash_arg(session->hash), db_int(session->created_at),
                           db_int(session->seen_at), db_text(session->address),
                           db_text(session->agent)),
                   NULL);
}

#define SESSION_ROW(FIRST, NEXT)           \
    FIRST(s.id, id, UUID)                  \
    NEXT(s.operator_id, operator_id, UUID) \
    NEXT(s.created_at, created_at, INT)    \
    NEXT(s.seen_at, seen_at, INT)          \
    NEXT(s.address, address, TEXT)         \
    NEXT(s.agent, agent, TEXT)             \
    NEXT(o.name, name, TEXT)               \
    NEXT(o.role, role, WORD(role_words))
#define SELECT_SESSION                                                \
    "SELECT s.hash, " COLUMNS(SESSION_ROW) " FROM operator_session s" \
                                           " JOIN operator o ON o.id = s.operator_id WHERE "
COLUMNS_READER(read_session_columns, struct operator_session *, SESSION_ROW)

static enum err read_session(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct operator_session *ret_session = ret_row;
    struct str hash = db_get_blob(stmt, "hash", work->arena);

    if (hash.len != SECRET_HASH_LEN) return LOG_BROKEN("a session has no hash");
    *ret_session = (struct operator_session){0};
    memcpy(ret_session->hash, hash.data, hash.len);
    return read_session_columns(work, stmt, ret_session)
               ? ERR_OK
               : LOG_BROKEN("an operator has an unknown role");
}

enum err operator_session_select(struct work *work, const struct uuid *operator_id,
                                 struct record_list *ret_sessions)
{
    int64_t limit = operator_id ? OPERATOR_SESSIONS_MAX : OPERATORS_MAX * OPERATOR_SESSIONS_MAX;
    AUTO_STMT stmt = NULL;

    enum err err =
        operator_id ? db_query(work->tx, SELECT_SESSION "s.operator_id = $1 ORDER BY s.id LIMIT $2",
                               DB_ARGS(db_uuid(operator_id), db_int(limit)), &stmt)
                    : db_query(work->tx, SELECT_SESSION "true ORDER BY s.id LIMIT $1",
                               DB_ARGS(db_int(limit)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct operator_session), read_session,
                     ret_sessions);
}

enum err operator_session_delete(struct work *work, const struct uuid *operator_id,
                                 const struct uuid *id, int64_t *ret_deleted)
{
    if (!id)
        return db_exec(work->tx, "DELETE FROM operator_session WHERE operator_id = $1",
                       DB_ARGS(db_uuid(operator_id)), ret_deleted);
    return db_exec(work->tx, "DELETE FROM operator_session WHERE id = $1 AND operator_id = $2",
                   DB_ARGS(db_uuid(id), db_uuid(operator_id)), ret_deleted);
}

enum err operator_session_delete_idle(struct work *work, int64_t seen_before)
{
    return db_exec(work->tx, "DELETE FROM operator_session WHERE seen_at < $1",
                   DB_ARGS(db_int(seen_before)), NULL);
}

enum err operator_session_delete_oldest(struct work *work, const struct uuid *operator_id,
                                        int64_t kept)
{
    return db_exec(work->tx,
                   "DELETE FROM operator_session WHERE operator_id = $1 AND id NOT IN"
                   " (SELECT id FROM operator_session WHERE operator_id = $1"
                   " ORDER BY id DESC LIMIT $2)",
                   DB_ARGS(db_uuid(operator_id), db_int(kept)), NULL);
}

enum err operator_session_update_seen(struct work *work, const struct uuid *id, int64_t seen_at)
{
    return db_exec(work->tx,
                   "UPDATE operator_session SET seen_at = $2 WHERE id = $1 AND seen_at < $2",
                   DB_ARGS(db_uuid(id), db_int(seen_at)), NULL);
}

/* --- Addresses -------------------------------------------------------------------------------- */

enum err operator_address_select(struct work *work, const struct uuid *operator_id,
                                 const uint8_t source[static SECRET_HASH_LEN], bool *ret_is_known)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, "SELECT seen_at FROM operator_address WHERE operator_id = $1 AND source = $2",
        DB_ARGS(db_uuid(operator_id), hash_arg(source)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_known = !err;
    return ERR_OK;
}

enum err operator_address_upsert(struct work *work, const struct uuid *operator_id,
                                 const uint8_t source[static SECRET_HASH_LEN])
{
    enum err err =
        db_exec(work->tx,
                "INSERT INTO operator_address (operator_id, source, seen_at) VALUES ($1, $2, $3)"
                " ON CONFLICT (operator_id, source) DO UPDATE SET seen_at = excluded.seen_at",
                DB_ARGS(db_uuid(operator_id), hash_arg(source), db_int(work->now_ms)), NULL);
    if (err) return err;
    return db_exec(work->tx,
                   "DELETE FROM operator_address WHERE operator_id = $1 AND source NOT IN"
                   " (SELECT source FROM operator_address WHERE operator_id = $1"
                   " ORDER BY seen_at DESC, source LIMIT $2)",
                   DB_ARGS(db_uuid(operator_id), db_int(OPERATOR_ADDRESSES_MAX)), NULL);
}

enum err operator_address_delete(struct work *work, const struct uuid *operator_id)
{
    return db_exec(work->tx, "DELETE FROM operator_address WHERE operator_id = $1",
                   DB_ARGS(db_uuid(operator_id)), NULL);
}
