/*
 * SQLite statements are prepared once per connection and text, and kept by the text's address. They
 * are bound by name, because SQLite numbers $n by first appearance.
 */
#include "kit/base/must.h"
#include "kit/db/sqlite.h"

#include <stdlib.h>

static struct sqlite_stmt *stmt_of(const struct db_stmt *stmt)
{
    return (struct sqlite_stmt *)stmt;
}

/* --- Failures --- */

static enum err err_of(int code)
{
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
        return ERR_UNIQUE;
    default:
        break;
    }
    switch (code & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_TOOBIG:
        return ERR_INTERNAL;
    default:
        return ERR_STORAGE_UNAVAILABLE;
    }
}

static enum err fail(struct db_tx *tx, const char *sql)
{
    sqlite3 *handle = ((struct sqlite_tx *)tx)->conn->handle;
    enum err err = err_of(sqlite3_extended_errcode(handle));
    if (err == ERR_UNIQUE) return err;

    char detail[1024];
    snprintf(detail, sizeof detail, "%s: %s", sqlite3_errmsg(handle), sql);
    db_log(true, "SQLite could not run a statement.", detail);
    return db_tx_broken(tx, err);
}

/* --- Preparing --- */

static void stmt_free(struct sqlite_stmt *stmt)
{
    sqlite3_finalize(stmt->handle);
    for (int i = 0; stmt->names && i < stmt->base.column_count; i++)
        free(stmt->names[i]);
    free(stmt->names);
    free(stmt->params);
    free(stmt);
}

static void *zeroed(int count, size_t size)
{
    return must_calloc(count > 0 ? (size_t)count : 1, size);
}

static void find_params(struct sqlite_stmt *stmt)
{
    stmt->param_count = sqlite3_bind_parameter_count(stmt->handle);
    stmt->params = zeroed(stmt->param_count, sizeof *stmt->params);
    for (int i = 0; i < stmt->param_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "$%d", i + 1);
        stmt->params[i] = sqlite3_bind_parameter_index(stmt->handle, name);
        assert(stmt->params[i] > 0); /* $1 to $n without a gap */
    }
}

static void copy_names(struct sqlite_stmt *stmt)
{
    stmt->base.column_count = sqlite3_column_count(stmt->handle);
    stmt->names = zeroed(stmt->base.column_count, sizeof *stmt->names);
    for (int i = 0; i < stmt->base.column_count; i++) {
        stmt->names[i] = must_strdup(sqlite3_column_name(stmt->handle, i));
    }
}

static struct sqlite_stmt *stmt_new(struct sqlite_conn *conn, const char *sql)
{
    sqlite3_stmt *handle;
    const char *rest;
    int code = sqlite3_prepare_v3(conn->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, &rest);
    if (code != SQLITE_OK) return NULL;
    assert(handle && !*rest); /* one statement */

    struct sqlite_stmt *stmt = zeroed(1, sizeof *stmt);
    stmt->handle = handle;
    stmt->sql = sql;
    find_params(stmt);
    copy_names(stmt);
    return stmt;
}

static struct sqlite_stmt **bucket_of(struct sqlite_conn *conn, const char *sql)
{
    uint64_t mixed = (uint64_t)(uintptr_t)sql * UINT64_C(0x9e3779b97f4a7c15);
    return &conn->statements[mixed >> 56];
}
static_assert(SQLITE_STMT_BUCKETS == 256, "bucket_of takes 8 bits");

/* Returns a statement that is not in use, or NULL if SQLite refuses the text. */
static struct sqlite_stmt *stmt_take(struct sqlite_conn *conn, const char *sql)
{
    struct sqlite_stmt **bucket = bucket_of(conn, sql);
    struct sqlite_stmt *known = *bucket;
    while (known && known->sql != sql)
        known = known->next;
    if (known && !known->is_open) return known;

    struct sqlite_stmt *stmt = stmt_new(conn, sql);
    if (!stmt) return NULL;
    stmt->is_spare = known != NULL;
    if (!known) {
        stmt->next = *bucket;
        *bucket = stmt;
    }
    return stmt;
}

void sqlite_conn_drop_statements(struct sqlite_conn *conn)
{
    for (size_t i = 0; i < SQLITE_STMT_BUCKETS; i++)
        while (conn->statements[i]) {
            struct sqlite_stmt *stmt = conn->statements[i];
            conn->statements[i] = stmt->next;
            stmt_free(stmt);
        }
}

/* --- Binding --- */

static int bind_arg(sqlite3_stmt *handle, int param, const struct db_arg *arg,
                    sqlite3_destructor_type lifetime)
{
    switch (arg->type) {
    case DB_NULL:
        return sqlite3_bind_null(handle, param);
    case DB_INT:
        return sqlite3_bind_int64(handle, param, arg->number);
    case DB_TEXT:
        return sqlite3_bind_text64(handle, param, arg->data, arg->len, lifetime, SQLITE_UTF8);
    case DB_BLOB:
        return sqlite3_bind_blob64(handle, param, arg->data, arg->len, lifetime);
    }
    __builtin_unreachable();
}

static enum err bind_args(struct sqlite_stmt *stmt, const struct db_arg *args, size_t arg_count,
                          sqlite3_destructor_type lifetime)
{
    for (size_t i = 0; i < arg_count; i++)
        if (bind_arg(stmt->handle, stmt->params[i], &args[i], lifetime) != SQLITE_OK)
            return fail(stmt->base.tx, stmt->sql);
    return ERR_OK;
}

static enum err stmt_open(struct db_tx *tx, const char *sql, const struct db_arg *args,
                          size_t arg_count, sqlite3_destructor_type lifetime,
                          struct sqlite_stmt **ret_stmt)
{
    struct sqlite_stmt *stmt = stmt_take(((struct sqlite_tx *)tx)->conn, sql);
    if (!stmt) return fail(tx, sql);
    assert((size_t)stmt->param_count == arg_count);

    stmt->is_open = true;
    stmt->is_at_end = false;
    db_stmt_attach(&stmt->base, tx, stmt->base.column_count);
    *ret_stmt = stmt;
    return bind_args(stmt, args, arg_count, lifetime);
}

/* --- Running --- */

enum err sqlite_step(struct db_stmt *base)
{
    struct sqlite_stmt *stmt = stmt_of(base);
    if (stmt->is_at_end) return ERR_NOT_FOUND;

    int code = sqlite3_step(stmt->handle);
    if (code == SQLITE_ROW) return ERR_OK;
    stmt->is_at_end = true;
    return code == SQLITE_DONE ? ERR_NOT_FOUND : fail(base->tx, stmt->sql);
}

static enum err run_to_end(struct sqlite_stmt *stmt, int64_t *ret_changed)
{
    enum err err;
    do
        err = sqlite_step(&stmt->base);
    while (!err);
    if (err != ERR_NOT_FOUND) return err;

    bool is_write = !sqlite3_stmt_readonly(stmt->handle);
    if (ret_changed)
        *ret_changed = is_write ? sqlite3_changes64(sqlite3_db_handle(stmt->handle)) : 0;
    return ERR_OK;
}

int sqlite_conn_step(struct sqlite_conn *conn, const char *sql)
{
    struct sqlite_stmt *stmt = stmt_take(conn, sql);
    if (!stmt) return sqlite3_errcode(conn->handle);
    int code = sqlite3_step(stmt->handle);
    sqlite3_reset(stmt->handle);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

enum err sqlite_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                          size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    struct sqlite_stmt *stmt = NULL;
    enum err err = stmt_open(tx, sql, args, arg_count, SQLITE_STATIC, &stmt);
    if (!err) err = run_to_end(stmt, ret_changed);
    for (size_t row = 1; !err && row < row_count; row++) {
        sqlite3_reset(stmt->handle);
        stmt->is_at_end = false;
        err = bind_args(stmt, args + row * arg_count, arg_count, SQLITE_STATIC);
        if (!err) err = run_to_end(stmt, ret_changed ? &ret_changed[row] : NULL);
    }
    struct db_stmt *closing = stmt ? &stmt->base : NULL;
    db_stmt_done(&closing);
    return err;
}

enum err sqlite_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                     int64_t *ret_changed)
{
    return sqlite_exec_many(tx, sql, args, arg_count, 1, ret_changed);
}

enum err sqlite_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                           size_t arg_count)
{
    return sqlite_exec_many(tx, sql, args, arg_count, 1, NULL);
}

enum err sqlite_query(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, struct db_stmt **ret_stmt)
{
    /* SQLite copies the arguments, since they need not outlive this call and the steps come later.
     */
    struct sqlite_stmt *stmt = NULL;
    enum err err = stmt_open(tx, sql, args, arg_count, SQLITE_TRANSIENT, &stmt);
    struct db_stmt *opened = stmt ? &stmt->base : NULL;
    if (!err)
        *ret_stmt = opened;
    else
        db_stmt_done(&opened);
    return err;
}

void sqlite_close_stmt(struct db_stmt *base)
{
    struct sqlite_stmt *stmt = stmt_of(base);
    sqlite3_reset(stmt->handle);
    stmt->is_open = false;
    if (stmt->is_spare) stmt_free(stmt);
}

/* --- Columns --- */

const char *sqlite_column_name_at(const struct db_stmt *stmt, int column)
{
    return stmt_of(stmt)->names[column];
}

bool sqlite_column_is_null(const struct db_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt_of(stmt)->handle, column) == SQLITE_NULL;
}

int64_t sqlite_column_number(const struct db_stmt *stmt, int column)
{
    return sqlite3_column_int64(stmt_of(stmt)->handle, column);
}

struct str sqlite_column_data(const struct db_stmt *stmt, int column)
{
    sqlite3_stmt *handle = stmt_of(stmt)->handle;
    const void *data = sqlite3_column_blob(handle, column);
    return (struct str){data, (size_t)sqlite3_column_bytes(handle, column)};
}
