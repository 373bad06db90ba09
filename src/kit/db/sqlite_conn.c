/*
 * One process holds a SQLite file and one connection writes to it; a process that cannot open it
 * says why. SQLite's part of migrations is here, too.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/db/migrate.h"
#include "kit/db/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { URI_MAX = 16 * 1024 };

/* Every connection has these. There is no mmap, since a disk that fails under a mapping kills the
 * process. */
static const char pragmas_common[] = "PRAGMA foreign_keys = ON;"
                                     "PRAGMA trusted_schema = OFF;"
                                     "PRAGMA mmap_size = 0;"
                                     "PRAGMA temp_store = MEMORY;";

/*
 * synchronous is FULL, since with NORMAL a power cut loses acknowledged rows. secure_delete
 * overwrites erased rows with zeros (contract, section 10.4). It is ON, since FAST leaves copies of
 * rows on pages that became free when their neighbours took these rows in; only pages of large
 * values cost a further write, when they go. The writer checkpoints by itself once the answers are
 * on their way, so SQLite shall not do it within the commit. A log that one large transaction made
 * long shrinks again.
 */
static const char pragmas_writer[] = "PRAGMA synchronous = FULL;"
                                     "PRAGMA secure_delete = ON;"
                                     "PRAGMA wal_autocheckpoint = 0;"
                                     "PRAGMA journal_size_limit = 67108864;"
                                     "PRAGMA cache_size = -16384;";

/* The last statement maps the shared index. It lives as long as a reader is open, so the knowledge
 * of which frames of the log are committed survives while the writer reconnects. */
static const char pragmas_reader[] = "PRAGMA query_only = ON;"
                                     "PRAGMA cache_size = -8192;"
                                     "SELECT count(*) FROM sqlite_schema;";

/* --- The file --- */

enum err sqlite_path(const struct db_options *options, const char **ret_path, struct buf *why)
{
    const char *path = options->url + strlen("sqlite:");
    if (!*path || *path == ':') {
        buf_text(why, "The database URL must name a file, as in sqlite:herald.db.");
        return ERR_STORAGE_UNAVAILABLE;
    }
    *ret_path = path;
    return ERR_OK;
}

static enum err refuse_open(const char *path, int failure, struct buf *why)
{
    buf_printf(why,
               "The database file %s cannot be opened for writing: %s. "
               "Its folder must exist, and both must be writable by this user.",
               path, strerror(failure));
    return ERR_STORAGE_UNAVAILABLE;
}

enum err sqlite_lock_file(const char *path, int *ret_fd, struct buf *why)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return refuse_open(path, errno, why);
    /* SQLite gives the -wal and -shm files the mode of this one. A file of another owner keeps the
     * mode that its owner chose. */
    int mode_kept = fchmod(fd, 0600);
    (void)mode_kept;

    /* The lock is on a byte that SQLite does not use. It belongs to the open file: SQLite would
     * drop a POSIX lock when it closes another descriptor. */
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = INT64_C(1) << 62, .l_len = 1};
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
        *ret_fd = fd;
        return ERR_OK;
    }
    close(fd);
    buf_printf(why,
               "The database file %s is in use by another herald. One process holds a SQLite "
               "file: stop the other one, or use PostgreSQL for several.",
               path);
    return ERR_STORAGE_UNAVAILABLE;
}

/* --- Connections --- */

int sqlite_conn_run(struct sqlite_conn *conn, const char *sql)
{
    return sqlite3_exec(conn->handle, sql, NULL, NULL, NULL);
}

void sqlite_explain(struct sqlite_conn *conn, const char *path, struct buf *why)
{
    const char *message = sqlite3_errmsg(conn->handle);
    int code = sqlite3_extended_errcode(conn->handle);
    /* The file is too short for one of its pages. */
    if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_CORRUPT;
    /* There is no room for the shared index beside the file. */
    if (code == SQLITE_IOERR_SHMSIZE) code = SQLITE_FULL;
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        buf_printf(why, "The file %s is not a SQLite database. Move it away or name another.",
                   path);
        return;
    case SQLITE_CORRUPT:
        buf_printf(why, "The database file %s is damaged (%s). Restore it from a backup.", path,
                   message);
        return;
    case SQLITE_FULL:
        buf_printf(why, "The disk that holds %s is full. Make room and start again.", path);
        return;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        buf_printf(why,
                   "The database file %s cannot be opened for writing (%s). The file and its "
                   "folder must be writable by this user.",
                   path, message);
        return;
    case SQLITE_BUSY:
        buf_printf(why, "The database file %s is locked by another program.", path);
        return;
    default:
        buf_printf(why, "The database file %s cannot be used: %s.", path, message);
    }
}

static bool has_wal(struct sqlite_conn *conn)
{
    sqlite3_stmt *handle;
    if (sqlite3_prepare_v2(conn->handle, "PRAGMA journal_mode = WAL", -1, &handle, NULL))
        return false;
    bool is_wal = sqlite3_step(handle) == SQLITE_ROW &&
                  strcmp((const char *)sqlite3_column_text(handle, 0), "wal") == 0;
    sqlite3_finalize(handle);
    return is_wal;
}

static bool set_up(struct sqlite_conn *conn, bool is_reader)
{
    sqlite3_extended_result_codes(conn->handle, 1);
    sqlite3_busy_timeout(conn->handle, SQLITE_WAIT_MS);
    /* A text in double quotes is a mistake, not a string. */
    sqlite3_db_config(conn->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(conn->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    if (sqlite_conn_run(conn, pragmas_common)) return false;
    if (is_reader) return sqlite_conn_run(conn, pragmas_reader) == SQLITE_OK;
    return has_wal(conn) && sqlite_conn_run(conn, pragmas_writer) == SQLITE_OK;
}

/* `name` is the path or its URI. SQLITE_OPEN_CREATE is never needed: sqlite_lock_file made the
 * file, with its mode. */
static enum err conn_open(const char *path, const char *name, int flags,
                          struct sqlite_conn **ret_conn, struct buf *why)
{
    struct sqlite_conn *conn = must_calloc(1, sizeof *conn);
    const char *vfs = flags & SQLITE_OPEN_READONLY ? NULL : sqlite_paced_vfs();
    int code = sqlite3_open_v2(name, &conn->handle, flags | SQLITE_OPEN_NOMUTEX, vfs);
    if (code == SQLITE_OK && set_up(conn, flags & SQLITE_OPEN_READONLY)) {
        *ret_conn = conn;
        return ERR_OK;
    }
    sqlite_explain(conn, path, why);
    sqlite_conn_close(conn);
    return ERR_STORAGE_UNAVAILABLE;
}

enum err sqlite_conn_open(const char *path, bool is_reader, struct sqlite_conn **ret_conn,
                          struct buf *why)
{
    int flags = is_reader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    return conn_open(path, path, flags, ret_conn, why);
}

void sqlite_conn_close(struct sqlite_conn *conn)
{
    if (!conn) return;
    sqlite_conn_drop_statements(conn);
    int code = sqlite3_close(conn->handle);
    assert(code == SQLITE_OK); /* no statement of ours is left */
    free(conn);
}

/* --- The schema --- */

static int list_row(void *arg, int count, char **values, char **names)
{
    (void)count, (void)names;
    struct schema_versions *versions = arg;
    long long version;
    if (!str_to_int64(str_of(values[0]), &version)) return 0;
    if (version < 1 || version > MIGRATION_VERSION_MAX) return 0;
    versions->has[version] = true;
    versions->highest = (int)version;
    return 0;
}

static int exists_row(void *arg, int count, char **values, char **names)
{
    (void)count, (void)values, (void)names;
    *(bool *)arg = true;
    return 0;
}

static enum err sqlite_list(void *connection, struct schema_versions *versions, struct buf *why)
{
    struct sqlite_conn *conn = connection;
    bool exists = false;
    int code =
        sqlite3_exec(conn->handle, "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'",
                     exists_row, &exists, NULL);
    if (code == SQLITE_OK && exists)
        code = sqlite3_exec(conn->handle, "SELECT version FROM schema_migration ORDER BY version",
                            list_row, versions, NULL);
    if (code == SQLITE_OK) return ERR_OK;
    sqlite_explain(conn, sqlite3_db_filename(conn->handle, "main"), why);
    return ERR_STORAGE_UNAVAILABLE;
}

static int record(struct sqlite_conn *conn, const struct db_migration *migration)
{
    char *sql = sqlite3_mprintf("INSERT INTO schema_migration (version, name, applied_at_ms) "
                                "VALUES (%d, %Q, %lld)",
                                migration->version, migration->name, (long long)clock_now_ms());
    if (!sql) abort();
    int code = sqlite_conn_run(conn, sql);
    sqlite3_free(sql);
    return code;
}

/* Foreign keys are off while a migration rebuilds tables, so they are checked once before the
 * commit. */
static bool has_dangling_keys(struct sqlite_conn *conn)
{
    bool is_dangling = false;
    int code =
        sqlite3_exec(conn->handle, "PRAGMA foreign_key_check", exists_row, &is_dangling, NULL);
    return code != SQLITE_OK || is_dangling;
}

static bool apply_in_transaction(struct sqlite_conn *conn, const struct db_migration *migration)
{
    static const char table[] = "CREATE TABLE IF NOT EXISTS schema_migration ("
                                "version INTEGER PRIMARY KEY, "
                                "name TEXT NOT NULL, "
                                "applied_at_ms INTEGER NOT NULL) STRICT";
    return sqlite_conn_run(conn, "BEGIN IMMEDIATE") == SQLITE_OK &&
           sqlite_conn_run(conn, table) == SQLITE_OK &&
           sqlite_conn_run(conn, migration->sqlite_sql) == SQLITE_OK && !has_dangling_keys(conn) &&
           record(conn, migration) == SQLITE_OK && sqlite_conn_run(conn, "COMMIT") == SQLITE_OK;
}

static enum err sqlite_apply(void *connection, const struct db_migration *migration,
                             struct buf *why)
{
    struct sqlite_conn *conn = connection;
    sqlite_conn_run(conn, "PRAGMA foreign_keys = OFF");
    bool is_applied = apply_in_transaction(conn, migration);
    if (!is_applied) {
        int code = sqlite3_errcode(conn->handle);
        bool has_refused = code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
        buf_printf(why, "Migration %s failed, nothing of it was kept: %s.", migration->name,
                   has_refused ? sqlite3_errmsg(conn->handle)
                               : "rows would point at rows that do not exist");
        sqlite_conn_run(conn, "ROLLBACK");
    }
    sqlite_conn_run(conn, "PRAGMA foreign_keys = ON");
    return is_applied ? ERR_OK : ERR_STORAGE_UNAVAILABLE;
}

/* VACUUM makes its copy in a temporary file, since it may be larger than the memory. The file
 * itself has the old pages until the log is copied into it, as every opening does. */
static enum err sqlite_rewrite(void *connection, struct buf *why)
{
    struct sqlite_conn *conn = connection;
    const char *path = sqlite3_db_filename(conn->handle, "main");
    int64_t began_at_ms = clock_monotonic_ms();

    log_write(LOG_INFO,
              "The database file is rewritten once, so that erased data is gone from it; a large "
              "one takes minutes.",
              LOG_FIELDS(log_plain("file", path)));
    if (sqlite_conn_run(conn, "PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")) {
        sqlite_explain(conn, path, why);
        buf_text(why,
                 " It has to be rewritten, which needs as much free room as it takes itself, and "
                 "as much in the folder for temporary files (TMPDIR, or /var/tmp).");
        return ERR_STORAGE_UNAVAILABLE;
    }
    log_write(LOG_INFO, "The database file was rewritten.",
              LOG_FIELDS(log_plain("file", path),
                         log_int("duration_ms", clock_monotonic_ms() - began_at_ms)));
    return ERR_OK;
}

const struct schema_ops sqlite_schema = {
    .list = sqlite_list, .apply = sqlite_apply, .rewrite = sqlite_rewrite};

/* A file without a log is whole and not in use, so it is read as immutable. An ordinary reader
 * would leave an empty log beside it. */
enum err sqlite_conn_open_beside(const char *path, struct sqlite_conn **ret_conn, struct buf *why)
{
    AUTO_BUF log = {0}, uri = {0};
    buf_init(&log, URI_MAX);
    buf_init(&uri, URI_MAX);
    buf_printf(&log, "%s-wal%c", path, '\0');
    if (access(path, F_OK) != 0) return sqlite_conn_open(":memory:", true, ret_conn, why);
    if (access(log.data, F_OK) == 0) return sqlite_conn_open(path, true, ret_conn, why);

    buf_text(&uri, *path == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++)
        buf_printf(&uri, strchr("%?#", *at) ? "%%%02X" : "%c", *at);
    buf_printf(&uri, "?immutable=1%c", '\0');
    return conn_open(path, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, ret_conn, why);
}

static enum err migrate_file(const char *path, const struct db_options *options, bool apply,
                             int *ret_version, int *ret_newest, struct buf *why)
{
    struct sqlite_conn *conn;
    enum err err = apply ? sqlite_conn_open(path, false, &conn, why)
                         : sqlite_conn_open_beside(path, &conn, why);
    if (err) return err;
    err = schema_update(&sqlite_schema, conn, options, apply, ret_version, ret_newest, why);
    sqlite_conn_close(conn);
    return err;
}

/* A question alone makes no file, and needs no lock on one. */
enum err sqlite_migrate(const struct db_options *options, bool apply, int *ret_version,
                        int *ret_newest, struct buf *why)
{
    const char *path;
    enum err err = sqlite_path(options, &path, why);
    if (err) return err;
    if (!apply) return migrate_file(path, options, false, ret_version, ret_newest, why);

    int fd;
    err = sqlite_lock_file(path, &fd, why);
    if (err) return err;
    err = migrate_file(path, options, true, ret_version, ret_newest, why);
    close(fd);
    return err;
}
