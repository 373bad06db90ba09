/* These are the statements on channel_send and channel_circuit. */
#include "domain/channel/channel_db.h"

#include "core/words.h"

enum err send_insert(struct work *work, const struct channel_send *send)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO channel_send (id, channel, owner_id, state, attempt, created_at, updated_at,"
        " expires_at) VALUES ($1, $2, $3, $4, 0, $5, $5, $6)",
        DB_ARGS(db_uuid(&send->id), db_text(channel_words[send->channel]), db_uuid(&send->owner_id),
                db_text(channel_send_words[send->state]), db_int(send->created_at),
                db_int(send->expires_at)));
}

#define SEND_COLUMNS                                                                      \
    "id, channel, owner_id, state, attempt, provider_id, error, created_at, updated_at, " \
    "expires_at"

static enum err read_send(struct work *work, struct db_stmt *stmt, struct channel_send *ret_send)
{
    struct channel_send send = {
        .id = db_get_uuid(stmt, "id"),
        .channel = word_index(channel_words, db_get_text(stmt, "channel", work->arena)),
        .owner_id = db_get_uuid(stmt, "owner_id"),
        .state = word_index(channel_send_words, db_get_text(stmt, "state", work->arena)),
        .attempt = db_get_int(stmt, "attempt"),
        .provider_id = db_get_text(stmt, "provider_id", work->arena),
        .error = db_get_text(stmt, "error", work->arena),
        .created_at = db_get_int(stmt, "created_at"),
        .updated_at = db_get_int(stmt, "updated_at"),
        .expires_at = db_get_int(stmt, "expires_at"),
    };
    if (send.channel < 0 || send.state < 0) return LOG_BROKEN("a send has an unknown word");
    *ret_send = send;
    return ERR_OK;
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

enum err send_move(struct work *work, const struct channel_send *send, enum send_state from,
                   bool *ret_moved)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE channel_send SET state = $2, attempt = $3, provider_id = $4, error = $5,"
                " updated_at = $6 WHERE id = $1 AND state = $7",
                DB_ARGS(db_uuid(&send->id), db_text(channel_send_words[send->state]),
                        db_int(send->attempt), db_text(send->provider_id), db_text(send->error),
                        db_int(work->now_ms), db_text(channel_send_words[from])),
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

enum err circuit_set(struct work *work, enum channel channel, int64_t open_until,
                     const char *reason)
{
    return db_exec(work->tx,
                   "INSERT INTO channel_circuit (channel, open_until, reason) VALUES ($1, $2, $3)"
                   " ON CONFLICT (channel) DO UPDATE SET open_until = excluded.open_until,"
                   " reason = excluded.reason",
                   DB_ARGS(db_text(channel_words[channel]), db_int(open_until), db_text(reason)),
                   NULL);
}
