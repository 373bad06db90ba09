/* These are the statements on channel_send and channel_circuit. */
#include "domain/channel/channel_db.h"

#include "core/columns.h"
#include "core/personal.h"
#include "core/rows.h"
#include "kit/db/keys.h"

static const int64_t PROVIDER_ID_KEPT_MS = 24 * 60 * 60 * 1000;

enum err send_insert(struct work *work, const struct channel_send *send)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO channel_send (id, channel, owner_id, state, attempt, created_at, updated_at,"
        " expires_at, traceparent) VALUES ($1, $2, $3, $4, 0, $5, $5, $6, $7)",
        DB_ARGS(db_uuid(&send->id), db_text(channel_words[send->channel]), db_uuid(&send->owner_id),
                db_text(channel_send_words[send->state]), db_int(send->created_at),
                db_int(send->expires_at), db_text(work->traceparent)));
}

#define SEND_ROW(FIRST, NEXT)                    \
    FIRST(id, id, UUID)                          \
    NEXT(channel, channel, WORD(channel_words))  \
    NEXT(owner_id, owner_id, UUID)               \
    NEXT(state, state, WORD(channel_send_words)) \
    NEXT(attempt, attempt, INT)                  \
    NEXT(provider_id, provider_id, TEXT)         \
    NEXT(error, error, TEXT)                     \
    NEXT(words, words, BLOB)                     \
    NEXT(created_at, created_at, INT)            \
    NEXT(updated_at, updated_at, INT)            \
    NEXT(expires_at, expires_at, INT)            \
    NEXT(traceparent, traceparent, TEXT)
#define SEND_COLUMNS COLUMNS(SEND_ROW)
COLUMNS_READER(read_columns, struct channel_send *, SEND_ROW)

static enum err read_send(struct work *work, struct db_stmt *stmt, struct channel_send *ret_send)
{
    *ret_send = (struct channel_send){0};
    return read_columns(work, stmt, ret_send) ? ERR_OK : LOG_BROKEN("a send has an unknown word");
}

enum err send_select(struct work *work, const struct uuid *id, struct channel_send *ret_send)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT " SEND_COLUMNS " FROM channel_send WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_send(work, stmt, ret_send);
}

enum err channel_list(struct work *work, const struct uuid *owner_id, struct record_list *ret_sends)
{
    struct channel_send *sends = arena_array(work->arena, CHANNEL_SENDS_MAX, sizeof(*sends));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " SEND_COLUMNS " FROM channel_send WHERE owner_id = $1"
                            " ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(owner_id), db_int(CHANNEL_SENDS_MAX)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_send(work, stmt, &sends[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_sends = (struct record_list){sends, count};
    return ERR_OK;
}

static enum err read_traced(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct traced_send *traced = ret_row;
    traced->steps = db_get_text(stmt, "steps", work->arena);
    return read_send(work, stmt, &traced->send);
}

enum err send_select_traced(struct work *work, const struct uuid *owner_id,
                            struct record_list *ret_sends)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " SEND_COLUMNS ", steps FROM channel_send WHERE owner_id = $1"
                            " ORDER BY id LIMIT $2",
                            DB_ARGS(db_uuid(owner_id), db_int(CHANNEL_SENDS_MAX)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, CHANNEL_SENDS_MAX, sizeof(struct traced_send), read_traced,
                     ret_sends);
}

enum err channel_list_all(struct work *work, const struct uuid *owner_ids, size_t owner_count,
                          struct record_list *ret_sends)
{
    size_t max = owner_count * CHANNEL_SENDS_MAX, count = 0;
    struct channel_send *sends = arena_array(work->arena, max, sizeof(*sends));
    struct db_arg args[DB_KEYS_MAX];
    AUTO_STMT stmt = NULL;

    db_fill_keys(owner_ids, owner_count, args);
    enum err err =
        db_query(work->tx, "SELECT " SEND_COLUMNS " FROM channel_send WHERE owner_id IN " DB_KEYS,
                 args, DB_KEYS_MAX, &stmt);
    while (!err && !(err = db_step(stmt))) {
        assert(count < max);
        err = read_send(work, stmt, &sends[count++]);
    }
    *ret_sends = (struct record_list){sends, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err send_select_by_provider_id(struct work *work, enum channel channel,
                                    const char *provider_id, struct channel_send *ret_send)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT " SEND_COLUMNS " FROM channel_send"
                     " WHERE provider_id = $1 AND channel = $2",
                     DB_ARGS(db_text(provider_id), db_text(channel_words[channel])), &stmt);
    return err ? err : read_send(work, stmt, ret_send);
}

/* The row tells its state by itself, until another one takes its place. */
static const char *lines_of(const struct work *work, const struct channel_send *send,
                            enum send_state from)
{
    static const int words[] = {[SEND_ACCEPTED] = TIMELINE_ACCEPTED,
                                [SEND_SENT] = TIMELINE_SENT,
                                [SEND_UNKNOWN] = TIMELINE_UNKNOWN};
    const char *line = send->line ? send->line : "";
    if (from != SEND_ACCEPTED && from != SEND_SENT && from != SEND_UNKNOWN) return line;
    struct timeline_step replaced =
        timeline_step_of((enum timeline_word)words[from], send->updated_at);
    return arena_printf(work->arena, "%s%s", timeline_line(work->arena, &replaced), line);
}

enum err send_move(struct work *work, const struct channel_send *send, enum send_state from,
                   bool *ret_moved)
{
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE channel_send SET state = $2, attempt = $3, provider_id = $4, error = $5,"
        " updated_at = $6, words = $9," TIMELINE_APPEND("$8") " WHERE id = $1 AND state = $7",
        DB_ARGS(db_uuid(&send->id), db_text(channel_send_words[send->state]), db_int(send->attempt),
                db_text(send->provider_id), db_text(send->error), db_int(work->now_ms),
                db_text(channel_send_words[from]), db_text(lines_of(work, send, from)),
                db_blob(send->words)),
        &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

enum err send_set_success_code(struct work *work, const struct uuid *id, struct str sealed)
{
    return db_exec_later(work->tx, "UPDATE channel_send SET success_code = $2 WHERE id = $1",
                         DB_ARGS(db_uuid(id), db_blob(sealed)));
}

enum err send_end_success(struct work *work, const struct uuid *id, const char *line)
{
    return db_exec_later(
        work->tx,
        "UPDATE channel_send SET success_code = NULL," TIMELINE_APPEND("$2") " WHERE id = $1",
        DB_ARGS(db_uuid(id), db_text(line)));
}

enum err send_select_success_code(struct work *work, const struct uuid *id, struct str *ret_sealed)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT success_code FROM channel_send"
                                " WHERE id = $1 AND success_code IS NOT NULL",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    *ret_sealed = db_get_blob(stmt, "success_code", work->arena);
    return ERR_OK;
}

enum err circuit_select(struct work *work, enum channel channel, int64_t *ret_open_until)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT open_until FROM channel_circuit WHERE channel = $1",
                     DB_ARGS(db_text(channel_words[channel])), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_open_until = err ? 0 : db_get_int(stmt, "open_until");
    return ERR_OK;
}

#define SELECT_CIRCUIT "SELECT open_until, changes FROM channel_circuit WHERE channel = $1"

enum err circuit_select_locked(struct work *work, enum channel channel, bool *ret_is_open)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, DB_FOR_UPDATE(work->tx, SELECT_CIRCUIT),
                                DB_ARGS(db_text(channel_words[channel])), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_open = !err && db_get_int(stmt, "open_until") > 0;
    return ERR_OK;
}

enum err channel_select_changes(struct work *work, enum channel channel, int64_t *ret_changes)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, SELECT_CIRCUIT, DB_ARGS(db_text(channel_words[channel])), &stmt);
    if (!err) *ret_changes = db_get_int(stmt, "changes");
    return err;
}

enum err circuit_set(struct work *work, enum channel channel, int64_t open_until,
                     const char *reason, bool is_edge)
{
    struct db_arg opened_at = open_until > 0 ? db_int(work->now_ms) : db_null();
    return db_exec(
        work->tx,
        "INSERT INTO channel_circuit (channel, open_until, reason, opened_at, changes)"
        " VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (channel) DO UPDATE SET open_until = excluded.open_until,"
        " reason = excluded.reason, changes = channel_circuit.changes + excluded.changes,"
        /* A probe that fails is the same trouble. */
        " opened_at = CASE WHEN channel_circuit.open_until > 0"
        " AND excluded.open_until > 0 THEN channel_circuit.opened_at"
        " ELSE excluded.opened_at END",
        DB_ARGS(db_text(channel_words[channel]), db_int(open_until), db_text(reason), opened_at,
                db_int(is_edge)),
        NULL);
}

/* A provider's own id of a send stays for a day, since the provider may still report on it. */
enum err channel_erase(struct work *work, const struct uuid *owner_id)
{
    return db_exec_later(
        work->tx,
        "UPDATE channel_send SET steps = NULL, words = NULL," PERSONAL_TEXT_GONE(
            " error") ", provider_id = CASE WHEN created_at >= $2 THEN provider_id END"
                      " WHERE owner_id = $1",
        DB_ARGS(db_uuid(owner_id), db_int(work->now_ms - PROVIDER_ID_KEPT_MS)));
}
