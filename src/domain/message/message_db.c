/* These are the statements on message and chat_turn. */
#include "domain/message/message_db.h"

#include "core/columns.h"
#include "core/rows.h"
#include "core/said.h"
#include "kit/base/macros.h"

/* 0.5.0, which may run beside, has no word for an unknown outcome: the row says `accepted`, and its
 * text is gone. */
static const char *stored_word(int state)
{
    return message_state_words[state == MESSAGE_UNKNOWN ? MESSAGE_ACCEPTED : state];
}

enum err message_insert(struct work *work, const struct message *message)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO message (id, channel, state, account_id, recipient, chat_id, chat_is_integer,"
        " text, created_at, updated_at, expires_at, is_test, metadata)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        DB_ARGS(db_uuid(&message->id), db_text(message_channel_words[message->channel]),
                db_text(stored_word(message->state)), db_text(message->account_id),
                db_text(message->recipient), db_text(message->chat_id.text),
                db_int(message->chat_id.is_integer), db_blob(message->sealed_text),
                db_int(message->created_at), db_int(message->updated_at),
                db_int(message->expires_at), db_int(message->test), db_text(message->metadata)));
}

#define MESSAGE_ROW(FIRST, NEXT)                        \
    FIRST(id, id, UUID)                                 \
    NEXT(channel, channel, WORD(message_channel_words)) \
    NEXT(state, state, WORD(message_state_words))       \
    NEXT(account_id, account_id, TEXT)                  \
    NEXT(recipient, recipient, TEXT)                    \
    NEXT(text, sealed_text, BLOB)                       \
    NEXT(created_at, created_at, INT)                   \
    NEXT(updated_at, updated_at, INT)                   \
    NEXT(expires_at, expires_at, INT)                   \
    NEXT(is_test, test, BOOL)                           \
    NEXT(metadata, metadata, TEXT)                      \
    NEXT(erased, erased, IS_THERE)                      \
    NEXT(changes, changes, INT)                         \
    NEXT(chat_id, chat_id.text, TEXT)                   \
    NEXT(chat_is_integer, chat_id.is_integer, BOOL)
#define MESSAGE_COLUMNS COLUMNS(MESSAGE_ROW) ", error, words"
#define SELECT_MESSAGE  "SELECT " MESSAGE_COLUMNS " FROM message WHERE "
COLUMNS_READER(read_columns, struct message *, MESSAGE_ROW)

static enum err read_message(struct work *work, struct db_stmt *stmt, struct message *ret_message)
{
    struct message message = {0};

    if (!read_columns(work, stmt, &message)) return LOG_BROKEN("a message has an unknown word");
    message.error =
        said_show(work, SEALED_MESSAGE_WORDS, uuid_view(&message.id),
                  db_get_blob(stmt, "words", work->arena), db_get_text(stmt, "error", work->arena));
    bool has_text = message.sealed_text.len > 0;
    if (message.state == MESSAGE_ACCEPTED && !has_text) message.state = MESSAGE_UNKNOWN;
    *ret_message = message;
    return ERR_OK;
}

enum err message_read(struct work *work, const struct uuid *id, struct message *ret_message)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, SELECT_MESSAGE "id = $1", DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_message(work, stmt, ret_message);
}

enum err message_hold(struct work *work, const struct uuid *id)
{
    return db_hold(work->tx, "SELECT id FROM message WHERE id = $1", DB_ARGS(db_uuid(id)));
}

enum err message_lock(struct work *work, const struct uuid *id, struct message *ret_message)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, DB_FOR_UPDATE(work->tx, SELECT_MESSAGE "id = $1"),
                                DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_message(work, stmt, ret_message);
}

enum err message_set_state(struct work *work, const struct message *message,
                           enum message_state state, const char *error, struct str words,
                           bool *ret_moved)
{
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE message SET state = $2, text = NULL, error = $3, updated_at = $4, words = $6,"
        " changes = changes + 1"
        " WHERE id = $1 AND state = $5",
        DB_ARGS(db_uuid(&message->id), db_text(stored_word(state)), db_text(error),
                db_int(work->now_ms), db_text(stored_word(message->state)), db_blob(words)),
        &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

#define SELECT_OVER \
    SELECT_MESSAGE "text IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2"

enum err message_select_over(struct work *work, int max, struct record_list *ret_messages)
{
    /* On PostgreSQL a message that is being reported on now is left to that transaction. */
    const char *sql = db_sql(work->tx, SELECT_OVER, SELECT_OVER " FOR UPDATE SKIP LOCKED");
    struct message *messages = arena_array(work->arena, (size_t)max, sizeof(*messages));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_message(work, stmt, &messages[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_messages = (struct record_list){messages, count};
    return ERR_OK;
}

/* --- Erasing --- */

static enum err select_messages(struct work *work, const char *sql, const struct db_arg *args,
                                size_t arg_count, int max, struct record_list *ret_messages)
{
    struct message *messages = arena_array(work->arena, (size_t)max, sizeof(*messages));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, args, arg_count, &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_message(work, stmt, &messages[count++]);
    *ret_messages = (struct record_list){messages, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define SELECT_OF_NUMBER SELECT_MESSAGE "recipient = $1 ORDER BY created_at, id LIMIT $2"

enum err message_select_of(struct work *work, const char *number, int max,
                           struct record_list *ret_messages)
{
    const struct db_arg args[] = {db_text(number), db_int(max)};
    return select_messages(work, DB_FOR_UPDATE(work->tx, SELECT_OF_NUMBER), args, COUNT_OF(args),
                           max, ret_messages);
}

#define SELECT_OLD SELECT_MESSAGE "id > $1 AND id < $2 ORDER BY id LIMIT $3"

enum err message_select_old(struct work *work, const struct personal_span *span, int max,
                            struct record_list *ret_messages)
{
    const struct db_arg args[] = {db_uuid(&span->after), db_uuid(&span->before), db_int(max)};
    return select_messages(work, DB_FOR_UPDATE(work->tx, SELECT_OLD), args, COUNT_OF(args), max,
                           ret_messages);
}

enum err message_erase(struct work *work, const struct uuid *id)
{
    return db_exec_later(work->tx,
                         "UPDATE message SET recipient = NULL, chat_id = NULL, metadata = NULL, "
                         "words = NULL," PERSONAL_TEXT_GONE(" error") ", erased = 2 WHERE id = $1",
                         DB_ARGS(db_uuid(id)));
}

/* --- Searches --- */

#define OF_RECIPIENT SEARCH_OF_NUMBER("recipient", "$9", "$10", "$11")

enum err message_cut_search(struct work *work, struct search *search)
{
    return search_cut(work, search, SEARCH_CUT_OF_ALL("message"),
                      SEARCH_CUT_OF_NUMBER("message", "recipient", ""));
}

/* As read_message has it. */
#define SHOWN_STATE \
    "CASE WHEN r.state = 'accepted' AND r.text IS NULL THEN 'unknown' ELSE r.state END"
#define PAGE(where, order)                                                                      \
    "SELECT " MESSAGE_COLUMNS " FROM message AS r WHERE " where " AND ($4 = '' OR " SHOWN_STATE \
    " = $4) AND ($5 = '' OR r.channel = $5)"                                                    \
    " AND ($6 = '' OR r.account_id = $6) AND ($7 = '' OR r.chat_id = $7)"                       \
    " AND ($8 = '' OR " SEARCH_IS_OVER("$8") ")" order

static enum err read_item(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    return read_message(work, stmt, ret_row);
}

enum err message_select_page(struct work *work, const struct message_filter *filter,
                             const struct search *search, int64_t limit,
                             struct record_list *ret_messages)
{
    const struct db_arg own[] = {
        db_text(search_word(message_state_words, filter->state)),
        db_text(search_word(message_channel_words, filter->channel)),
        db_text(filter->account_id ? filter->account_id : ""),
        db_text(filter->chat_id ? filter->chat_id : ""),
        db_text(search_number(filter->gateway_number, work->arena)),
    };
    AUTO_STMT stmt = NULL;
    enum err err = search_select(work, search, limit, PAGE(SEARCH_OF_ALL, SEARCH_BY_ID),
                                 PAGE(OF_RECIPIENT, SEARCH_BY_TIME), own, COUNT_OF(own), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct message), read_item, ret_messages);
}

enum err chat_turn_take(struct work *work, const char *chat, int64_t pace_ms, int64_t at_least_ms,
                        int64_t *ret_turn)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "INSERT INTO chat_turn (chat, next_at) VALUES ($1, $2) ON CONFLICT (chat) DO UPDATE"
        " SET next_at = CASE WHEN chat_turn.next_at > $3 THEN chat_turn.next_at ELSE $3 END + $4 "
        "RETURNING next_at",
        DB_ARGS(db_text(chat), db_int(at_least_ms + pace_ms), db_int(at_least_ms), db_int(pace_ms)),
        &stmt);
    if (err) return err;
    *ret_turn = db_get_int(stmt, "next_at") - pace_ms;
    return ERR_OK;
}

enum err chat_turn_go_late(struct work *work, const char *chat, int64_t pace_ms, bool *ret_may_go)
{
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "INSERT INTO chat_turn (chat, next_at, late_at) VALUES ($1, $2, $2)"
        " ON CONFLICT (chat) DO UPDATE SET late_at = $2,"
        " next_at = CASE WHEN chat_turn.next_at > $2 THEN chat_turn.next_at ELSE $2 END"
        " WHERE chat_turn.late_at <= $3",
        DB_ARGS(db_text(chat), db_int(work->now_ms + pace_ms), db_int(work->now_ms)), &changed);
    if (err) return err;
    *ret_may_go = changed == 1;
    return ERR_OK;
}

enum err chat_turn_delete_old(struct work *work, int64_t before_ms, int max, int64_t *ret_deleted)
{
    /* The time is asked for once more, since a turn may be taken in between. */
    return db_exec(work->tx,
                   "DELETE FROM chat_turn WHERE next_at < $1 AND chat IN"
                   " (SELECT chat FROM chat_turn WHERE next_at < $1 ORDER BY next_at LIMIT $2)",
                   DB_ARGS(db_int(before_ms), db_int(max)), ret_deleted);
}
