/* These are the statements on call_challenge and call_event. */
#include "domain/inbound_call/inbound_call_db.h"

#include "core/columns.h"
#include "core/rows.h"
#include "domain/challenge/challenge.h"
#include "kit/base/macros.h"

enum err inbound_call_insert(struct work *work, const struct call_challenge *challenge)
{
    return db_exec(work->tx,
                   "INSERT INTO call_challenge"
                   " (id, caller, gateway_number, state, created_at, expires_at, is_test, metadata,"
                   " ends_at, gateway_ready) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $6, $9)",
                   DB_ARGS(db_uuid(&challenge->id), db_text(challenge->caller),
                           db_text(challenge->gateway_number),
                           db_text(inbound_call_state_words[challenge->state]),
                           db_int(challenge->created_at), db_int(challenge->expires_at),
                           db_int(challenge->test), db_text(challenge->metadata),
                           db_int(challenge->gateway_ready)),
                   NULL);
}

#define CHALLENGE_ROW(FIRST, NEXT)                     \
    FIRST(id, id, UUID)                                \
    NEXT(caller, caller, TEXT)                         \
    NEXT(gateway_number, gateway_number, TEXT)         \
    NEXT(state, state, WORD(inbound_call_state_words)) \
    NEXT(created_at, created_at, INT)                  \
    NEXT(expires_at, expires_at, INT)                  \
    NEXT(confirmed_at, confirmed_at, INT)              \
    NEXT(called_at, called_at, INT)                    \
    NEXT(is_test, test, BOOL)                          \
    NEXT(metadata, metadata, TEXT)                     \
    NEXT(erased, erased, IS_THERE)                     \
    NEXT(changes, changes, INT)                        \
    NEXT(gateway_ready, gateway_ready, TRISTATE)
#define CHALLENGE_COLUMNS COLUMNS(CHALLENGE_ROW)
COLUMNS_READER(read_columns, struct call_challenge *, CHALLENGE_ROW)

static enum err read_challenge(struct work *work, struct db_stmt *stmt,
                               struct call_challenge *ret_challenge)
{
    *ret_challenge = (struct call_challenge){0};
    if (!read_columns(work, stmt, ret_challenge))
        return LOG_BROKEN("a call challenge has an unknown state");
    if (ret_challenge->erased) ret_challenge->caller = NULL;
    return ERR_OK;
}

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

#define PAST(caller)                                                          \
    "SELECT " CHALLENGE_COLUMNS " FROM call_challenge WHERE caller = " caller \
    " AND gateway_number = $2 AND created_at <= $3"
#define NEWEST              " ORDER BY created_at DESC LIMIT $4"
#define NEWEST_PAST(caller) "SELECT * FROM (" PAST(caller) NEWEST ") AS "
/* SQLite merges both parts from the index; PostgreSQL must be told that few of each are enough. */
static const char past_sqlite[] = PAST("$1") " UNION ALL " PAST("$5") NEWEST;
static const char past_postgres[] =
    NEWEST_PAST("$1") "own UNION ALL " NEWEST_PAST("$5") "stood_in" NEWEST;

enum err inbound_call_select_past(struct work *work, const char *caller, const char *gateway_number,
                                  int64_t latest_ms, struct record_list *ret_past,
                                  int64_t *ret_rest_ms)
{
    struct call_challenge *past = arena_array(work->arena, CALL_PAST_MAX, sizeof(*past));
    size_t count = 0, seen = 0;
    int64_t oldest_ms = 0;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, db_sql(work->tx, past_sqlite, past_postgres),
                 DB_ARGS(db_text(caller), db_text(gateway_number), db_int(latest_ms),
                         db_int(CALL_PAST_MAX), db_text(personal_stand_in(work, caller))),
                 &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        err = read_challenge(work, stmt, &past[count]);
        oldest_ms = past[count].created_at;
        seen++;
        if (!past[count].test) count++;
    }
    *ret_past = (struct record_list){past, count};
    *ret_rest_ms = seen == CALL_PAST_MAX ? oldest_ms : 0;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err inbound_call_select_steps(struct work *work, const struct uuid *id, const char **ret_steps)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT steps FROM call_challenge WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_steps = db_get_text(stmt, "steps", work->arena);
    return err;
}

#define APPEND_CONFIRMED TIMELINE_APPEND_LAST("$6")

enum err inbound_call_set_confirmed(struct work *work, const struct uuid *id,
                                    const struct uuid *device_id, int64_t called_at,
                                    bool *ret_moved)
{
    struct timeline_step step = timeline_step_of(TIMELINE_CONFIRMED, work->now_ms);
    if (device_id) step.device_id = *device_id;
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE call_challenge SET state = $2, confirmed_at = $3, called_at = $4, ends_at = NULL,"
        " changes = changes + 1," APPEND_CONFIRMED " WHERE id = $1 AND state = $5"
        " AND " CHALLENGE_HOLDS("call_challenge.caller", "call_challenge.id"),
        DB_ARGS(db_uuid(id), db_text(inbound_call_state_words[INBOUND_CALL_CONFIRMED]),
                db_int(work->now_ms), db_int(called_at),
                db_text(inbound_call_state_words[INBOUND_CALL_PENDING]),
                db_text(timeline_line(work->arena, &step))),
        &changed);
    *ret_moved = changed == 1;
    return err;
}

#define APPEND_CANCELED TIMELINE_APPEND_LAST("$4")

enum err inbound_call_set_canceled(struct work *work, const struct uuid *id, bool *ret_moved)
{
    struct timeline_step step = timeline_step_of(TIMELINE_CANCELED, work->now_ms);
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE call_challenge SET state = $2, ends_at = NULL, changes = changes + "
                "1," APPEND_CANCELED " WHERE id = $1 AND state = $3",
                DB_ARGS(db_uuid(id), db_text(inbound_call_state_words[INBOUND_CALL_CANCELED]),
                        db_text(inbound_call_state_words[INBOUND_CALL_PENDING]),
                        db_text(timeline_line(work->arena, &step))),
                &changed);
    *ret_moved = changed == 1;
    return err;
}

#define SELECT_TOLD "SELECT ends_at FROM call_challenge WHERE id = $1"

enum err inbound_call_select_told(struct work *work, const struct uuid *id, bool *ret_is_told)
{
    const char *sql = db_sql(work->tx, SELECT_TOLD, SELECT_TOLD " FOR UPDATE SKIP LOCKED");
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_is_told = db_get_null(stmt, "ends_at");
    return err;
}

enum err inbound_call_set_expired(struct work *work, const struct uuid *id)
{
    return db_exec_later(work->tx,
                         "UPDATE call_challenge SET state = $2, ends_at = NULL,"
                         " changes = changes + (CASE WHEN ends_at IS NULL THEN 0 ELSE 1 END)"
                         " WHERE id = $1 AND state = $3",
                         DB_ARGS(db_uuid(id),
                                 db_text(inbound_call_state_words[INBOUND_CALL_EXPIRED]),
                                 db_text(inbound_call_state_words[INBOUND_CALL_PENDING])));
}

#define END_OVER(lock)                                                            \
    "UPDATE call_challenge SET ends_at = NULL, changes = changes + 1 WHERE id IN" \
    " (SELECT id FROM call_challenge WHERE ends_at IS NOT NULL AND ends_at < $1"  \
    "  ORDER BY ends_at LIMIT $2" lock ") RETURNING id"

/* On PostgreSQL a challenge that is being confirmed at this moment is left to that transaction. */
enum err inbound_call_end_over(struct work *work, int64_t before_ms, int max, struct uuid *ret_ids,
                               size_t *ret_count)
{
    const char *sql = db_sql(work->tx, END_OVER(""), END_OVER(" FOR UPDATE SKIP LOCKED"));
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(before_ms), db_int(max)), &stmt);

    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        ret_ids[(*ret_count)++] = db_get_uuid(stmt, "id");
    return err == ERR_NOT_FOUND ? ERR_OK : err;
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

/* --- Erasing --- */

static enum err select_challenges(struct work *work, const char *sql, const struct db_arg *args,
                                  size_t arg_count, int max, struct record_list *ret_challenges)
{
    struct call_challenge *challenges = arena_array(work->arena, (size_t)max, sizeof(*challenges));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, args, arg_count, &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_challenge(work, stmt, &challenges[count++]);
    *ret_challenges = (struct record_list){challenges, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define SELECT_OF_CALLER                                                                    \
    "SELECT " CHALLENGE_COLUMNS " FROM call_challenge WHERE caller = $1 AND created_at > 0" \
    " ORDER BY created_at LIMIT $2"

enum err inbound_call_select_of(struct work *work, const char *caller, int max,
                                struct record_list *ret_challenges)
{
    const struct db_arg args[] = {db_text(caller), db_int(max)};
    return select_challenges(work, DB_FOR_UPDATE(work->tx, SELECT_OF_CALLER), args, COUNT_OF(args),
                             max, ret_challenges);
}

#define SELECT_OLD                                                               \
    "SELECT " CHALLENGE_COLUMNS " FROM call_challenge WHERE id > $1 AND id < $2" \
    " ORDER BY id LIMIT $3"

enum err inbound_call_select_old(struct work *work, const struct personal_span *span, int max,
                                 struct record_list *ret_challenges)
{
    const struct db_arg args[] = {db_uuid(&span->after), db_uuid(&span->before), db_int(max)};
    return select_challenges(work, DB_FOR_UPDATE(work->tx, SELECT_OLD), args, COUNT_OF(args), max,
                             ret_challenges);
}

enum err inbound_call_erase(struct work *work, const struct call_challenge *challenge)
{
    bool is_recent = challenge->created_at > work->now_ms - CALL_PAST_MS;
    const char *instead = is_recent ? personal_stand_in(work, challenge->caller) : "";

    return db_exec_later(
        work->tx,
        "UPDATE call_challenge SET caller = $2, metadata = NULL, erased = $3 WHERE id = $1",
        DB_ARGS(db_uuid(&challenge->id), db_text(instead),
                db_int(is_recent ? PERSONAL_STANDS_IN : PERSONAL_ERASED)));
}

enum err inbound_call_sweep_stand_ins(struct work *work, int max, int64_t *ret_swept)
{
    return db_exec(work->tx,
                   "UPDATE call_challenge SET caller = '', erased = 2 WHERE id IN"
                   " (SELECT id FROM call_challenge WHERE erased = 1 AND created_at <= $1"
                   "  ORDER BY created_at LIMIT $2)",
                   DB_ARGS(db_int(work->now_ms - CALL_PAST_MS), db_int(max)), ret_swept);
}

/* --- Searches --- */

/* Only these say that a time is above 0, so that they alone use the index that was made for them.
 */
#define OF_CALLER SEARCH_OF_NUMBER("caller", "$7", "$8", "$9") " AND r.created_at > 0"

enum err inbound_call_cut_search(struct work *work, struct search *search)
{
    return search_cut(work, search, SEARCH_CUT_OF_ALL("call_challenge"),
                      SEARCH_CUT_OF_NUMBER("call_challenge", "caller", " AND r.created_at > 0"));
}

#define SHOWN_STATE \
    "CASE WHEN r.state = 'pending' AND r.expires_at < $5 THEN 'expired' ELSE r.state END"
#define PAGE(where, order)                                               \
    "SELECT " CHALLENGE_COLUMNS " FROM call_challenge AS r WHERE " where \
    " AND ($4 = '' OR " SHOWN_STATE " = $4) AND ($6 = '' OR r.gateway_number = $6)" order

static enum err read_item(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    return read_challenge(work, stmt, ret_row);
}

enum err inbound_call_select_page(struct work *work, const struct call_challenge_filter *filter,
                                  const struct search *search, int64_t limit,
                                  struct record_list *ret_challenges)
{
    const struct db_arg own[] = {
        db_text(search_word(inbound_call_state_words, filter->state)),
        db_int(work->now_ms),
        db_text(search_number(filter->gateway_number, work->arena)),
    };
    AUTO_STMT stmt = NULL;
    enum err err = search_select(work, search, limit, PAGE(SEARCH_OF_ALL, SEARCH_BY_ID),
                                 PAGE(OF_CALLER, SEARCH_BY_TIME), own, COUNT_OF(own), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct call_challenge), read_item,
                     ret_challenges);
}
