/* The files of the SQLite engine share their connections and statements. */
#pragma once

#include "kit/db/engine.h"

#include <sqlite3.h>
#include <sys/types.h>

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

/* --- sqlite_files.c: whether the files are where they were --- */

enum { SQLITE_FILES = 4 }; /* the path that was given; the file behind it, its log and its index */

struct sqlite_file {
    char *path;
    dev_t device;
    ino_t inode; /* 0: it was not there */
};

struct sqlite_files {
    struct sqlite_file rows[SQLITE_FILES];
    int fd;     /* of the file; the caller's */
    off_t size; /* of the file, when it was measured */
};

/* Remembers which files there are, once connections have opened them. */
void sqlite_files_learn(struct sqlite_files *files, const char *path, int fd);
void sqlite_files_done(struct sqlite_files *files);
/* Remembers how large the file is; for whoever has copied the log into it. */
void sqlite_files_measure(struct sqlite_files *files);
/* Returns a path that leads to another file by now, or to none; NULL: all are in their places. Any
 * thread may ask. */
const char *sqlite_files_missing(const struct sqlite_files *files);
/* Tells whether somebody has cut pages off the file. Nobody may be copying the log. */
bool sqlite_files_are_cut(const struct sqlite_files *files);

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
