/*
 * PostgreSQL begins a transaction with the first statement that writes or locks, in the same
 * packet. Each statement before it sees its own moment, as it would within (READ COMMITTED).
 * Answers come whole and in binary, and their rows are read from memory.
 */
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/db/postgres.h"

#include <endian.h>
#include <stdlib.h>

enum {
    LATER_MAX = 64, /* with so many statements on their way, answers are read */
    /* With so many rows of one statement on their way, half of the answers are read, so that the
     * server always has some rows to run. libpq keeps in memory what the server does not take. */
    MANY_MAX = 512,
    MANY_BYTES_MAX = 256 * 1024,
    /* After so many repeats a statement is parsed anew: a plan from a time when its table was
     * nearly empty reads all of the table, also when it has grown. */
    REPEATS_MAX = 1024,
};

/* The types that portable SQL yields have fixed numbers in PostgreSQL. */
enum { TYPE_BOOL = 16, TYPE_INT8 = 20, TYPE_INT2 = 21, TYPE_INT4 = 23, TYPE_NUMERIC = 1700 };

struct pg_stmt {
    struct db_stmt base;
    struct pg_awaited awaited;
    int row;
};

static struct pg_stmt *stmt_of(const struct db_stmt *stmt)
{
    return (struct pg_stmt *)stmt;
}

/* --- Running --- */

/* A pooler stays on the connection that parsed the statement only within a transaction. */
static enum err send_sql(struct pg_tx *tx, const char *sql, const struct db_arg *args,
                         size_t arg_count)
{
    bool is_parsed =
        !tx->conn->names && tx->has_begun && tx->parsed == sql && ++tx->repeats < REPEATS_MAX;
    if (is_parsed) return pg_send_again(tx->conn, args, arg_count);
    tx->parsed = sql;
    tx->repeats = 0;
    return pg_send(tx->conn, sql, args, arg_count);
}

/* A task that reads may send these; a reading connection of SQLite refuses all else by itself. */
static bool is_read(const char *sql)
{
    bool is_query = strncmp(sql, "SELECT ", 7) == 0 || strncmp(sql, "WITH ", 5) == 0;
    return is_query && !strstr(sql, " FOR UPDATE");
}

/* Returns NULL where each statement may see its own moment. */
static const char *begin_of(const struct pg_tx *tx)
{
    if (!tx->base.is_read) return tx->needs_tx ? "BEGIN" : NULL;
    return tx->is_whole ? "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY" : NULL;
}

static enum err send_in_tx(struct pg_tx *tx, const char *sql, const struct db_arg *args,
                           size_t arg_count)
{
    if (tx->base.broken) return tx->base.broken;
    enum err err = ERR_OK;
    if (tx->base.is_read && !is_read(sql))
        return db_tx_broken(&tx->base,
                            LOG_BROKEN("a task that reads sent a statement that writes"));
    bool is_plain_select = strncmp(sql, "SELECT ", 7) == 0 && !strstr(sql, " FOR ");
    if (!is_plain_select) tx->needs_tx = true;
    if (!tx->has_begun && begin_of(tx)) {
        err = pg_send(tx->conn, begin_of(tx), DB_NO_ARGS);
        tx->has_begun = !err;
        tx->parsed = NULL;
    }
    if (!err) err = send_sql(tx, sql, args, arg_count);
    return err ? db_tx_broken(&tx->base, err) : ERR_OK;
}

bool pg_has_begun(const struct db_tx *base)
{
    const struct pg_tx *tx = (const struct pg_tx *)base;
    return tx->has_begun && tx->conn->sent == 0;
}

static enum err run(struct db_tx *base, const char *sql, const struct db_arg *args,
                    size_t arg_count, PGresult **ret_rows)
{
    struct pg_tx *tx = (struct pg_tx *)base;
    enum err err = send_in_tx(tx, sql, args, arg_count);
    if (err) return err;
    err = pg_receive(tx->conn, ret_rows);
    return err ? db_tx_broken(base, err) : ERR_OK;
}

static int64_t changed_by(PGresult *answer)
{
    bool is_select = strncmp(PQcmdStatus(answer), "SELECT", 6) == 0;
    return is_select ? 0 : strtoll(PQcmdTuples(answer), NULL, 10);
}

enum err pg_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                 int64_t *ret_changed)
{
    PGresult *answer;
    enum err err = run(tx, sql, args, arg_count, &answer);
    if (err) return err;
    if (ret_changed) *ret_changed = changed_by(answer);
    PQclear(answer);
    return ERR_OK;
}

enum err pg_exec_later(struct db_tx *base, const char *sql, const struct db_arg *args,
                       size_t arg_count)
{
    struct pg_tx *tx = (struct pg_tx *)base;
    enum err err = send_in_tx(tx, sql, args, arg_count);
    if (err || tx->conn->sent < LATER_MAX) return err;
    err = pg_receive(tx->conn, NULL);
    return err ? db_tx_broken(base, err) : ERR_OK;
}

/* Reads answers until `left` are still to come. The rows were sent last, so the statements before
 * them are answered first. */
static enum err read_rows(struct pg_conn *conn, size_t rows_sent, size_t left, int64_t *ret_changed)
{
    enum err err = pg_send_flush(conn);
    while (!err && conn->sent > left) {
        bool is_row = conn->sent <= rows_sent;
        size_t row = rows_sent - conn->sent;
        PGresult *answer = NULL;
        err = pg_receive_one(conn, &answer);
        if (!err && is_row && ret_changed) ret_changed[row] = changed_by(answer);
        PQclear(answer);
    }
    return err;
}

static size_t size_of(const struct db_arg *args, size_t arg_count)
{
    size_t size = 0;
    for (size_t i = 0; i < arg_count; i++)
        size += args[i].len;
    return size;
}

static enum err send_rows(struct pg_tx *tx, const char *sql, const struct db_arg *args,
                          size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    enum err err = ERR_OK;
    size_t bytes = 0;
    for (size_t row = 0; !err && row < row_count; row++) {
        err = send_in_tx(tx, sql, args + row * arg_count, arg_count);
        bytes += size_of(args + row * arg_count, arg_count);
        if (err || (tx->conn->sent < MANY_MAX && bytes < MANY_BYTES_MAX)) continue;
        err = read_rows(tx->conn, row + 1, tx->conn->sent / 2, ret_changed);
        bytes = 0;
    }
    return err ? err : read_rows(tx->conn, row_count, 0, ret_changed);
}

enum err pg_exec_many(struct db_tx *base, const char *sql, const struct db_arg *args,
                      size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    struct pg_tx *tx = (struct pg_tx *)base;
    enum err err = send_rows(tx, sql, args, arg_count, row_count, ret_changed);
    /* The server skips the rows behind one that failed, up to a sync. */
    if (err && tx->conn->failure && !tx->conn->is_lost) err = pg_receive(tx->conn, NULL);
    return err ? db_tx_broken(base, err) : ERR_OK;
}

enum err pg_query(struct db_tx *base, const char *sql, const struct db_arg *args, size_t arg_count,
                  struct db_stmt **ret_stmt)
{
    struct pg_tx *tx = (struct pg_tx *)base;
    enum err err = send_in_tx(tx, sql, args, arg_count);
    if (err) return err;

    struct pg_stmt *stmt = must_calloc(1, sizeof *stmt);
    stmt->row = -1;
    pg_await(tx->conn, &stmt->awaited);
    db_stmt_attach(&stmt->base, base, 0);
    *ret_stmt = &stmt->base;
    return ERR_OK;
}

/* The rows came with the answers to another statement, or come now, with all that was sent. */
static enum err have_rows(struct pg_stmt *stmt)
{
    struct pg_tx *tx = (struct pg_tx *)stmt->base.tx;
    enum err err = tx->base.broken;
    if (!stmt->awaited.rows && !err) err = pg_receive(tx->conn, NULL);
    if (err) return db_tx_broken(&tx->base, err);
    stmt->base.column_count = PQnfields(stmt->awaited.rows);
    return ERR_OK;
}

enum err pg_step(struct db_stmt *base)
{
    struct pg_stmt *stmt = stmt_of(base);
    enum err err = stmt->row < 0 ? have_rows(stmt) : ERR_OK;
    if (err) return err;
    if (stmt->row + 1 >= PQntuples(stmt->awaited.rows)) return ERR_NOT_FOUND;
    stmt->row++;
    return ERR_OK;
}

void pg_close_stmt(struct db_stmt *base)
{
    struct pg_stmt *stmt = stmt_of(base);
    pg_forget(((struct pg_tx *)base->tx)->conn, &stmt->awaited);
    free(stmt);
}

/* --- Columns --- */

const char *pg_column_name(const struct db_stmt *stmt, int column)
{
    return PQfname(stmt_of(stmt)->awaited.rows, column);
}

bool pg_column_is_null(const struct db_stmt *stmt, int column)
{
    return PQgetisnull(stmt_of(stmt)->awaited.rows, stmt_of(stmt)->row, column);
}

static const char *value_of(const struct db_stmt *stmt, int column)
{
    return PQgetvalue(stmt_of(stmt)->awaited.rows, stmt_of(stmt)->row, column);
}

struct str pg_column_data(const struct db_stmt *stmt, int column)
{
    int len = PQgetlength(stmt_of(stmt)->awaited.rows, stmt_of(stmt)->row, column);
    return (struct str){value_of(stmt, column), (size_t)len};
}

static int16_t int16_at(const char *data)
{
    uint16_t raw;
    memcpy(&raw, data, sizeof raw);
    return (int16_t)be16toh(raw);
}

static int32_t int32_at(const char *data)
{
    uint32_t raw;
    memcpy(&raw, data, sizeof raw);
    return (int32_t)be32toh(raw);
}

static int64_t int64_at(const char *data)
{
    uint64_t raw;
    memcpy(&raw, data, sizeof raw);
    return (int64_t)be64toh(raw);
}

/* sum() over BIGINT yields NUMERIC. It holds a count of digits to the base 10,000, the weight of
 * the first, the sign, the scale, then the digits; zeros at the end are left out. */
static int64_t numeric_at(const char *data)
{
    int digit_count = int16_at(data);
    int weight = int16_at(data + 2);
    int64_t number = 0;
    for (int i = 0; i <= weight; i++)
        number = number * 10000 + (i < digit_count ? int16_at(data + 8 + 2 * i) : 0);
    return int16_at(data + 4) == 0x4000 ? -number : number;
}

int64_t pg_column_number(const struct db_stmt *stmt, int column)
{
    const char *data = value_of(stmt, column);
    switch (PQftype(stmt_of(stmt)->awaited.rows, column)) {
    case TYPE_INT8:
        return int64_at(data);
    case TYPE_INT4:
        return int32_at(data);
    case TYPE_INT2:
        return int16_at(data);
    case TYPE_BOOL:
        return *data != 0;
    case TYPE_NUMERIC:
        return numeric_at(data);
    default:
        assert(!"a column of an integer type");
        __builtin_unreachable();
    }
}
