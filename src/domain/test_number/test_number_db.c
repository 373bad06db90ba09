/* These are the statements on test_send. */
#include "domain/test_number/test_number_db.h"

#include "core/columns.h"
#include "core/rows.h"
#include "kit/db/keys.h"

static const char *const owner_words[] = {"otp", "message", "call", NULL};

enum err test_send_insert(struct work *work, const struct test_send *send)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO test_send (id, owner_kind, owner_id, channel, gateway_number, scenario, step,"
        " state, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
        DB_ARGS(db_uuid(&send->id), db_text(owner_words[send->owner]), db_uuid(&send->owner_id),
                db_text(send->channel), db_text(send->gateway_number), db_int(send->scenario),
                db_int(send->step), db_text(channel_send_words[send->state]),
                db_int(send->created_at)));
}

#define SEND_ROW(FIRST, NEXT)                    \
    FIRST(id, id, UUID)                          \
    NEXT(owner_kind, owner, WORD(owner_words))   \
    NEXT(owner_id, owner_id, UUID)               \
    NEXT(channel, channel, TEXT)                 \
    NEXT(gateway_number, gateway_number, TEXT)   \
    NEXT(scenario, scenario, INT)                \
    NEXT(step, step, INT)                        \
    NEXT(state, state, WORD(channel_send_words)) \
    NEXT(error, error, TEXT)                     \
    NEXT(created_at, created_at, INT)            \
    NEXT(updated_at, updated_at, INT)
#define SEND_COLUMNS COLUMNS(SEND_ROW)
#define SELECT_SEND  "SELECT " SEND_COLUMNS " FROM test_send WHERE "
COLUMNS_READER(read_columns, struct test_send *, SEND_ROW)

static enum err read_send(struct work *work, struct db_stmt *stmt, struct test_send *ret_send)
{
    *ret_send = (struct test_send){0};
    return read_columns(work, stmt, ret_send) ? ERR_OK
                                              : LOG_BROKEN("a test send has an unknown word");
}

enum err test_send_select(struct work *work, const struct uuid *id, struct test_send *ret_send)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, SELECT_SEND "id = $1", DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_send(work, stmt, ret_send);
}

enum err test_send_list(struct work *work, const struct uuid *owner_id,
                        struct record_list *ret_sends)
{
    struct test_send *sends = arena_array(work->arena, TEST_SENDS_MAX, sizeof(*sends));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, SELECT_SEND "owner_id = $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(owner_id), db_int(TEST_SENDS_MAX)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        err = read_send(work, stmt, &sends[count++]);
    *ret_sends = (struct record_list){sends, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err read_traced(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct traced_test_send *traced = ret_row;
    traced->steps = db_get_text(stmt, "steps", work->arena);
    return read_send(work, stmt, &traced->send);
}

enum err test_send_select_traced(struct work *work, const struct uuid *owner_id,
                                 struct record_list *ret_sends)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " SEND_COLUMNS ", steps FROM test_send WHERE owner_id = $1"
                            " ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(owner_id), db_int(TEST_SENDS_MAX)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, TEST_SENDS_MAX, sizeof(struct traced_test_send), read_traced,
                     ret_sends);
}

enum err test_send_list_all(struct work *work, const struct uuid *owner_ids, size_t owner_count,
                            struct record_list *ret_sends)
{
    size_t max = owner_count * TEST_SENDS_MAX, count = 0;
    struct test_send *sends = arena_array(work->arena, max, sizeof(*sends));
    struct db_arg args[DB_KEYS_MAX];
    AUTO_STMT stmt = NULL;

    db_fill_keys(owner_ids, owner_count, args);
    enum err err = db_query(work->tx, SELECT_SEND "owner_id IN " DB_KEYS, args, DB_KEYS_MAX, &stmt);
    while (!err && !(err = db_step(stmt))) {
        assert(count < max);
        err = read_send(work, stmt, &sends[count++]);
    }
    *ret_sends = (struct record_list){sends, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define APPEND_REPLACED TIMELINE_APPEND("$7")

enum err test_send_move(struct work *work, const struct test_send *send, enum send_state from,
                        bool *ret_moved)
{
    /* The row tells its state by itself, until another one takes its place. */
    struct timeline_step replaced = timeline_step_of(TIMELINE_SENT, send->updated_at);
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE test_send SET state = $2, error = $3, step = $4, updated_at = $5," APPEND_REPLACED
        " WHERE id = $1 AND state = $6",
        DB_ARGS(db_uuid(&send->id), db_text(channel_send_words[send->state]), db_text(send->error),
                db_int(send->step), db_int(work->now_ms), db_text(channel_send_words[from]),
                db_text(from == SEND_SENT ? timeline_line(work->arena, &replaced) : "")),
        &changed);
    *ret_moved = changed == 1;
    return err;
}

enum err test_send_end(struct work *work, const struct uuid *owner_id, const char *reason)
{
    return db_exec_later(work->tx,
                         "UPDATE test_send SET state = 'failed', error = $2, updated_at = $3"
                         " WHERE owner_id = $1 AND state = 'queued'",
                         DB_ARGS(db_uuid(owner_id), db_text(reason), db_int(work->now_ms)));
}
