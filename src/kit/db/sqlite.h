/* The files of the SQLite engine share their connections and statements. */
#pragma once

#include "kit/db/engine.h"

#include <sqlite3.h>

enum {
    SQLITE_STMT_BUCKETS = 256,
    SQLITE_WAIT_MS = 2000, /* a lock of another connection is awaited so long */
};

struct sqlite_stmt {
    struct db_stmt base;
    struct sqlite_stmt *next; /* of the same bucket */
    const char *sql;
    sqlite3_stmt *handle;
    int *params; /* SQLite's numbers of $1, $2 ... */
    int param_count;
    char **names; /* of the columns; SQLite's own copies die when it prepares again */
    bool is_open;
    bool is_spare;  /* it is not in the cache, where the statement was in use */
    bool is_at_end; /* stepping on would start it again */
};

struct sqlite_conn {
    sqlite3 *handle;
    struct sqlite_stmt *statements[SQLITE_STMT_BUCKETS]; /* by the address of their text */
};

struct sqlite_tx {
    struct db_tx base;
    struct sqlite_conn *conn;
};

/* --- sqlite_conn.c --- */

/* Creates the file if it is missing, makes it readable by its owner alone, and holds it against
 * other processes until the descriptor is closed. */
enum err sqlite_lock_file(const char *path, int *ret_fd, struct buf *why) MUST_CHECK;

enum err sqlite_conn_open(const char *path, bool is_reader, struct sqlite_conn **ret_conn,
                          struct buf *why) MUST_CHECK;
/* Opens it for reads, whether or not a process holds it, and leaves nothing beside the file. */
enum err sqlite_conn_open_beside(const char *path, struct sqlite_conn **ret_conn,
                                 struct buf *why) MUST_CHECK;
void sqlite_conn_close(struct sqlite_conn *conn);

/* Runs SQL text without parameters and rows; returns SQLite's result code. */
int sqlite_conn_run(struct sqlite_conn *conn, const char *sql);
/* Says in a sentence why the file at `path` cannot be used. */
void sqlite_explain(struct sqlite_conn *conn, const char *path, struct buf *why);

enum err sqlite_path(const struct db_options *options, const char **ret_path,
                     struct buf *why) MUST_CHECK;
/* SQLite's part of a migration (migrate.h); the connection is a struct sqlite_conn. */
extern const struct schema_ops sqlite_schema;
enum err sqlite_migrate(const struct db_options *options, bool apply, int *ret_version,
                        int *ret_newest, struct buf *why) MUST_CHECK;

/* --- sqlite_paced.c --- */

/* Returns the name of a VFS that syncs its files while much is written to them. Any thread may
 * call. */
const char *sqlite_paced_vfs(void);

/* --- sqlite_stmt.c --- */

enum err sqlite_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                     int64_t *ret_changed) MUST_CHECK;
enum err sqlite_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                           size_t arg_count) MUST_CHECK;
enum err sqlite_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                          size_t arg_count, size_t row_count, int64_t *ret_changed) MUST_CHECK;
enum err sqlite_query(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, struct db_stmt **ret_stmt) MUST_CHECK;
enum err sqlite_step(struct db_stmt *stmt) MUST_CHECK;
void sqlite_close_stmt(struct db_stmt *stmt);
const char *sqlite_column_name_at(const struct db_stmt *stmt, int column);
bool sqlite_column_is_null(const struct db_stmt *stmt, int column);
int64_t sqlite_column_number(const struct db_stmt *stmt, int column);
struct str sqlite_column_data(const struct db_stmt *stmt, int column);

/* Does what sqlite_conn_run does, for a literal of one statement that is run again and again. */
int sqlite_conn_step(struct sqlite_conn *conn, const char *sql);
/* Frees the statements of a connection that closes. */
void sqlite_conn_drop_statements(struct sqlite_conn *conn);
