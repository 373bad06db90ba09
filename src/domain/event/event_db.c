/* These are the statements on outbox, event and event_head. */
#include "domain/event/event_db.h"

#include "core/columns.h"
#include "core/rows.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEAD "SELECT last_seq, is_wanted, epoch FROM event_head WHERE one = 1"

enum err event_head_select(struct work *work, bool holds, struct event_head *ret_head)
{
    AUTO_STMT stmt = NULL;
    const char *sql = holds ? DB_FOR_UPDATE(work->tx, HEAD) : HEAD;
    enum err err = db_query_one(work->tx, sql, DB_NO_ARGS, &stmt);
    if (err == ERR_NOT_FOUND) return LOG_BROKEN("the head of the feed");
    if (err) return err;
    *ret_head = (struct event_head){
        .last_seq = db_get_int(stmt, "last_seq"),
        .is_wanted = db_get_int(stmt, "is_wanted") != 0,
        .epoch = db_get_int(stmt, "epoch"),
    };
    return ERR_OK;
}

enum err event_head_set_last(struct work *work, int64_t last_seq)
{
    return db_exec_later(work->tx, "UPDATE event_head SET last_seq = $1 WHERE one = 1",
                         DB_ARGS(db_int(last_seq)));
}

enum err event_head_set_wanted(struct work *work, bool is_wanted)
{
    return db_exec(work->tx,
                   "UPDATE event_head SET is_wanted = $1, epoch = epoch + 1"
                   " WHERE one = 1 AND is_wanted <> $1",
                   DB_ARGS(db_int(is_wanted)), NULL);
}

/* --- Lists of numbers ------------------------------------------------------------------------- */

enum { NUMBER_TEXT_MAX = 21 };

static const char *write_numbers(struct work *work, const int64_t *numbers, size_t count)
{
    AUTO_BUF out = {0};

    buf_init(&out, count * NUMBER_TEXT_MAX + 2);
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%c%" PRId64, i > 0 ? ',' : '[', numbers[i]);
    buf_text(&out, "]");
    return arena_str(work->arena, buf_view(&out));
}

/* These stand behind a column: it is one of the numbers in $1. */
#define OF_NUMBERS_SQLITE " IN (SELECT value FROM json_each($1))"
#define OF_NUMBERS_POSTGRES                      \
    " = ANY (ARRAY(SELECT CAST(value AS bigint)" \
    " FROM json_array_elements_text(CAST($1 AS json))))"

/* --- Rows ------------------------------------------------------------------------------------- */

#define EVENT_ROW(FIRST, NEXT)                             \
    FIRST(id, id, UUID)                                    \
    NEXT(type, type, TEXT)                                 \
    NEXT(subject_type, subject, WORD(event_subject_words)) \
    NEXT(subject_id, subject_id, TEXT)                     \
    NEXT(sequence, sequence, INT)                          \
    NEXT(at, at, INT)                                      \
    NEXT(data, data, TEXT)                                 \
    NEXT(traceparent, traceparent, TEXT)
#define ROW_COLUMNS COLUMNS(EVENT_ROW)
COLUMNS_READER(read_columns, struct event_row *, EVENT_ROW)

static enum err read_row(struct work *work, struct db_stmt *stmt, struct event_row *ret_row)
{
    *ret_row = (struct event_row){0};
    return read_columns(work, stmt, ret_row) ? ERR_OK
                                             : LOG_BROKEN("an event has an unknown subject");
}

static enum err read_waiting(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct event_row *row = ret_row;
    enum err err = read_row(work, stmt, row);
    row->place = db_get_int(stmt, "place");
    return err;
}

static enum err read_numbered(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct event_row *row = ret_row;
    enum err err = read_row(work, stmt, row);
    row->seq = db_get_int(stmt, "seq");
    return err;
}

enum err outbox_select(struct work *work, int max, struct record_list *ret_rows)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, "SELECT place, " ROW_COLUMNS " FROM outbox ORDER BY place LIMIT $1",
                 DB_ARGS(db_int(max)), &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)max, sizeof(struct event_row), read_waiting,
                           ret_rows);
}

enum err outbox_delete(struct work *work, const struct record_list *rows)
{
    const char *sql = db_sql(work->tx, "DELETE FROM outbox WHERE place" OF_NUMBERS_SQLITE,
                             "DELETE FROM outbox WHERE place" OF_NUMBERS_POSTGRES);
    const struct event_row *items = rows->items;

    if (rows->count == 0) return ERR_OK;
    int64_t *places = arena_array(work->arena, rows->count, sizeof(*places));
    for (size_t i = 0; i < rows->count; i++)
        places[i] = items[i].place;
    return db_exec_later(work->tx, sql, DB_ARGS(db_text(write_numbers(work, places, rows->count))));
}

enum err event_is_there(struct work *work, const struct uuid *id, bool *ret_is_there)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT seq FROM event WHERE id = $1", DB_ARGS(db_uuid(id)), &stmt);
    *ret_is_there = !err;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err event_insert(struct work *work, const struct record_list *rows)
{
    const struct event_row *items = rows->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < rows->count; i++)
        err = db_exec_later(
            work->tx,
            "INSERT INTO event (seq, id, type, subject_type, subject_id, sequence, at, data,"
            " traceparent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            DB_ARGS(db_int(items[i].seq), db_uuid(&items[i].id), db_text(items[i].type),
                    db_text(event_subject_words[items[i].subject]), db_text(items[i].subject_id),
                    db_int(items[i].sequence), db_int(items[i].at), db_text(items[i].data),
                    db_text(items[i].traceparent)));
    return err;
}

/* A process of an earlier build may have stored what those see who may see no numbers. */
enum err event_erase(struct work *work, const char *subject_id)
{
    return db_exec_later(work->tx,
                         "UPDATE event SET data = NULL, masked = NULL WHERE subject_id = $1",
                         DB_ARGS(db_text(subject_id)));
}

/* --- Retention -------------------------------------------------------------------------------- */

static enum err read_age(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    (void)work;
    *(struct event_row *)ret_row =
        (struct event_row){.seq = db_get_int(stmt, "seq"), .id = db_get_uuid(stmt, "id")};
    return ERR_OK;
}

enum err event_select_oldest(struct work *work, int max, struct record_list *ret_rows)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, "SELECT seq, id FROM event ORDER BY seq LIMIT $1",
                            DB_ARGS(db_int(max)), &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)max, sizeof(struct event_row), read_age, ret_rows);
}

enum err event_delete_upto(struct work *work, int64_t seq)
{
    return db_exec(work->tx, "DELETE FROM event WHERE seq <= $1", DB_ARGS(db_int(seq)), NULL);
}

/* --- Reading ---------------------------------------------------------------------------------- */

enum err event_select_page(struct work *work, int64_t after, int64_t upto, const char *types,
                           int64_t limit, struct record_list *ret_rows)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT seq, " ROW_COLUMNS " FROM event WHERE seq > $1 AND seq <= $2"
                 " AND ($3 = '' OR $3 LIKE '%,' || type || ',%')"
                 " ORDER BY seq LIMIT $4",
                 DB_ARGS(db_int(after), db_int(upto), db_text(types), db_int(limit)), &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)limit, sizeof(struct event_row), read_numbered,
                           ret_rows);
}

#define BY_NUMBERS(numbers) \
    "SELECT seq, " ROW_COLUMNS " FROM event WHERE seq" numbers " ORDER BY seq"

enum err event_select_numbers(struct work *work, const int64_t *numbers, size_t count,
                              struct record_list *ret_rows)
{
    const char *sql =
        db_sql(work->tx, BY_NUMBERS(OF_NUMBERS_SQLITE), BY_NUMBERS(OF_NUMBERS_POSTGRES));
    AUTO_STMT stmt = NULL;

    *ret_rows = (struct record_list){0};
    if (count == 0) return ERR_OK;
    enum err err =
        db_query(work->tx, sql, DB_ARGS(db_text(write_numbers(work, numbers, count))), &stmt);
    return err ? err
               : rows_read(work, stmt, count, sizeof(struct event_row), read_numbered, ret_rows);
}

static int compare_seq(const void *seq, const void *row)
{
    int64_t wanted = *(const int64_t *)seq, found = ((const struct event_row *)row)->seq;
    return (wanted > found) - (wanted < found);
}

const struct event_row *event_find(const struct record_list *rows, int64_t seq)
{
    return rows->count == 0
               ? NULL
               : bsearch(&seq, rows->items, rows->count, sizeof(struct event_row), compare_seq);
}
