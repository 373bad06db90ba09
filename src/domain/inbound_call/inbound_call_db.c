/* These are the statements on call_challenge and call_event. */
#include "domain/inbound_call/inbound_call_db.h"

#include "core/words.h"
#include "kit/base/clock.h"

enum err inbound_call_insert(struct work *work, const struct call_challenge *challenge)
{
    return db_exec(work->tx,
                   "INSERT INTO call_challenge"
                   " (id, caller, gateway_number, state, created_at, expires_at)"
                   " VALUES ($1, $2, $3, $4, $5, $6)",
                   DB_ARGS(db_uuid(&challenge->id), db_text(challenge->caller),
                           db_text(challenge->gateway_number),
                           db_text(inbound_call_state_words[challenge->state]),
                           db_int(challenge->created_at), db_int(challenge->expires_at)),
                   NULL);
}

static enum err read_challenge(struct work *work, struct db_stmt *stmt,
                               struct call_challenge *ret_challenge)
{
    struct call_challenge challenge = {
        .id = db_get_uuid(stmt, "id"),
        .caller = db_get_text(stmt, "caller", work->arena),
        .gateway_number = db_get_text(stmt, "gateway_number", work->arena),
        .state = word_index(inbound_call_state_words, db_get_text(stmt, "state", work->arena)),
        .created_at = db_get_int(stmt, "created_at"),
        .expires_at = db_get_int(stmt, "expires_at"),
        .confirmed_at = db_get_int(stmt, "confirmed_at"),
        .called_at = db_get_int(stmt, "called_at"),
    };
    *ret_challenge = challenge;
    return challenge.state < 0 ? LOG_BROKEN("a call challenge has an unknown state") : ERR_OK;
}

#define CHALLENGE_COLUMNS \
    "id, caller, gateway_number, state, created_at, expires_at, confirmed_at, called_at"

enum err inbound_call_select(struct work *work, const struct uuid *id,
                             struct call_challenge *ret_challenge)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT " CHALLENGE_COLUMNS " FROM call_challenge WHERE id = $1",
                     DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    return read_challenge(work, stmt, ret_challenge);
}

enum err inbound_call_select_past(struct work *work, const char *caller, const char *gateway_number,
                                  struct record_list *ret_past)
{
    struct call_challenge *past = arena_array(work->arena, CALL_PAST_MAX, sizeof(*past));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " CHALLENGE_COLUMNS " FROM call_challenge"
                            " WHERE caller = $1 AND gateway_number = $2 AND created_at <= $3"
                            " ORDER BY created_at DESC LIMIT $4",
                            DB_ARGS(db_text(caller), db_text(gateway_number),
                                    db_int(clock_latest(work->now_ms, 0)), db_int(CALL_PAST_MAX)),
                            &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        err = read_challenge(work, stmt, &past[count++]);
    *ret_past = (struct record_list){past, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err inbound_call_set_confirmed(struct work *work, const struct uuid *id, int64_t called_at,
                                    bool *ret_moved)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE call_challenge SET state = $2, confirmed_at = $3, called_at = $4"
                " WHERE id = $1 AND state = $5",
                DB_ARGS(db_uuid(id), db_text(inbound_call_state_words[INBOUND_CALL_CONFIRMED]),
                        db_int(work->now_ms), db_int(called_at),
                        db_text(inbound_call_state_words[INBOUND_CALL_PENDING])),
                &changed);
    *ret_moved = changed == 1;
    return err;
}

enum err inbound_call_set_canceled(struct work *work, const struct uuid *id, bool *ret_moved)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx, "UPDATE call_challenge SET state = $2 WHERE id = $1 AND state = $3",
                DB_ARGS(db_uuid(id), db_text(inbound_call_state_words[INBOUND_CALL_CANCELED]),
                        db_text(inbound_call_state_words[INBOUND_CALL_PENDING])),
                &changed);
    *ret_moved = changed == 1;
    return err;
}

enum err inbound_call_event_select(struct work *work, const struct uuid *device_id,
                                   const char *event_id, struct event_result *ret_result)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT result, challenge_id FROM call_event"
                                " WHERE device_id = $1 AND event_id = $2",
                                DB_ARGS(db_uuid(device_id), db_text(event_id)), &stmt);
    if (err) return err;
    *ret_result = (struct event_result){
        .event_id = event_id,
        .result = word_index(event_result_words, db_get_text(stmt, "result", work->arena)),
        .challenge_id = db_get_uuid(stmt, "challenge_id"),
    };
    return ret_result->result < 0 ? LOG_BROKEN("an event has an unknown result") : ERR_OK;
}

enum err inbound_call_event_insert(struct work *work, const struct uuid *device_id,
                                   const struct event_result *result)
{
    const struct uuid *challenge_id =
        uuid_is_nil(&result->challenge_id) ? NULL : &result->challenge_id;
    int64_t inserted = 0;
    enum err err =
        db_exec(work->tx,
                "INSERT INTO call_event (device_id, event_id, result, challenge_id, arrived_at)"
                " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (device_id, event_id) DO NOTHING",
                DB_ARGS(db_uuid(device_id), db_text(result->event_id),
                        db_text(event_result_words[result->result]), db_uuid(challenge_id),
                        db_int(work->now_ms)),
                &inserted);
    if (err) return err;
    return inserted == 1 ? ERR_OK : ERR_TX_RETRY;
}

enum err inbound_call_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return db_exec(work->tx,
                   "DELETE FROM call_event WHERE (device_id, event_id) IN"
                   " (SELECT device_id, event_id FROM call_event WHERE arrived_at < $1"
                   "  ORDER BY arrived_at LIMIT $2)",
                   DB_ARGS(db_int(work->now_ms - INBOUND_CALL_EVENT_KEPT_MS), db_int(max)),
                   ret_swept);
}
