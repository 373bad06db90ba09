/* These are the statements on otp and wrong_code. */
#include "domain/otp/otp_db.h"

#include "core/words.h"
#include "kit/base/clock.h"

/* No rule leaves these states again. */
#define IS_LIVING "state NOT IN ('confirmed', 'expired', 'exhausted', 'canceled')"

enum err otp_insert(struct work *work, const struct otp *otp, const char *account_id)
{
    return db_exec_later(work->tx,
                         "INSERT INTO otp (id, channel, recipient, state, code, code_length,"
                         " attempts_left, account_id, app_hash, origin, created_at, expires_at)"
                         " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                         DB_ARGS(db_uuid(&otp->id), db_text(otp_channel_words[otp->channel]),
                                 db_text(otp->recipient), db_text(otp_state_words[otp->state]),
                                 db_blob(otp->sealed_code), db_int(otp->code_length),
                                 db_int(otp->attempts_left), db_text(account_id),
                                 db_text(otp->app_hash), db_text(otp->origin),
                                 db_int(otp->created_at), db_int(otp->expires_at)));
}

#define OTP_COLUMNS                                                                      \
    "id, channel, recipient, state, code, code_length, attempts_left, app_hash, origin," \
    " created_at, expires_at, confirmed_at"

static enum err read_otp(struct work *work, struct db_stmt *stmt, struct otp *ret_otp)
{
    *ret_otp = (struct otp){
        .id = db_get_uuid(stmt, "id"),
        .channel = word_index(otp_channel_words, db_get_text(stmt, "channel", work->arena)),
        .recipient = db_get_text(stmt, "recipient", work->arena),
        .state = word_index(otp_state_words, db_get_text(stmt, "state", work->arena)),
        .code_length = db_get_int(stmt, "code_length"),
        .attempts_left = db_get_int(stmt, "attempts_left"),
        .created_at = db_get_int(stmt, "created_at"),
        .expires_at = db_get_int(stmt, "expires_at"),
        .confirmed_at = db_get_int(stmt, "confirmed_at"),
        .sealed_code = db_get_blob(stmt, "code", work->arena),
        .app_hash = db_get_text(stmt, "app_hash", work->arena),
        .origin = db_get_text(stmt, "origin", work->arena),
    };
    bool is_known = ret_otp->channel >= 0 && ret_otp->state >= 0;
    return is_known ? ERR_OK : LOG_BROKEN("a code has an unknown word");
}

#define SELECT_BY_ID "SELECT " OTP_COLUMNS " FROM otp WHERE id = $1"

enum err otp_select(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, SELECT_BY_ID, DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    return read_otp(work, stmt, ret_otp);
}

enum err otp_select_locked(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, DB_FOR_UPDATE(work->tx, SELECT_BY_ID), DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    return read_otp(work, stmt, ret_otp);
}

enum err otp_hold(struct work *work, const struct uuid *id)
{
    return db_hold(work->tx, "SELECT id FROM otp WHERE id = $1", DB_ARGS(db_uuid(id)));
}

enum err otp_take_attempt(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "UPDATE otp SET attempts_left = attempts_left - 1"
        " WHERE id = $1 AND attempts_left > 0 AND expires_at >= $2"
        " AND created_at <= $3 AND " IS_LIVING " RETURNING " OTP_COLUMNS,
        DB_ARGS(db_uuid(id), db_int(work->now_ms), db_int(clock_latest(work->now_ms, 0))), &stmt);
    if (err) return err;
    return read_otp(work, stmt, ret_otp);
}

enum err otp_move(struct work *work, const struct otp *otp, enum otp_state state, bool *ret_moved)
{
    bool is_confirmed = state == OTP_CONFIRMED;
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE otp SET state = $2, code = NULL, confirmed_at = $3,"
                " attempts_left = attempts_left + $4 WHERE id = $1 AND " IS_LIVING,
                DB_ARGS(db_uuid(&otp->id), db_text(otp_state_words[state]),
                        db_int_or_null(is_confirmed ? work->now_ms : 0), db_int(is_confirmed)),
                &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

/* Reports overtake each other, so the state that is further stays. */
enum err otp_raise_sending(struct work *work, const struct uuid *id, enum otp_state state)
{
    bool is_past_accepted = state >= OTP_SENT, is_past_sent = state >= OTP_DELIVERED;
    return db_exec_later(
        work->tx,
        "UPDATE otp SET state = $2 WHERE id = $1 AND (state IN ('queued', 'undelivered')"
        " OR (state = 'accepted' AND $3 = 1) OR (state = 'sent' AND $4 = 1))",
        DB_ARGS(db_uuid(id), db_text(otp_state_words[state]), db_int(is_past_accepted),
                db_int(is_past_sent)));
}

enum err otp_set_code(struct work *work, const struct uuid *id, struct str sealed_code)
{
    return db_exec_later(work->tx, "UPDATE otp SET code = $2 WHERE id = $1 AND " IS_LIVING,
                         DB_ARGS(db_uuid(id), db_blob(sealed_code)));
}

enum err otp_set_sending(struct work *work, const struct uuid *id, enum otp_state state)
{
    return db_exec_later(work->tx, "UPDATE otp SET state = $2 WHERE id = $1 AND " IS_LIVING,
                         DB_ARGS(db_uuid(id), db_text(otp_state_words[state])));
}

/* Reads the single time that the query of a limit answers with; 0 if it has no row, or one from
 * before the window. */
static enum err read_limit(struct work *work, struct db_stmt *stmt, int64_t window_ms,
                           int64_t *ret_at)
{
    enum err err = db_step(stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    int64_t at = err ? 0 : db_get_int(stmt, "at");
    *ret_at = at > work->now_ms - window_ms ? at : 0;
    return ERR_OK;
}

static enum err start_rate(struct work *work, const char *recipient, struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "SELECT created_at AS at FROM otp WHERE recipient = $1 AND created_at <= $2"
                    " ORDER BY created_at DESC LIMIT 1 OFFSET $3",
                    DB_ARGS(db_text(recipient), db_int(clock_latest(work->now_ms, 0)),
                            db_int(OTP_RATE_COUNT - 1)),
                    ret_stmt);
}

static enum err start_wrong_codes(struct work *work, const char *recipient,
                                  struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "SELECT at FROM wrong_code WHERE recipient = $1 AND at <= $2"
                    " ORDER BY at DESC LIMIT 1 OFFSET $3",
                    DB_ARGS(db_text(recipient), db_int(clock_latest(work->now_ms, 0)),
                            db_int(OTP_WRONG_MAX - 1)),
                    ret_stmt);
}

enum err otp_select_limits(struct work *work, const char *recipient, struct otp_limits *ret_limits)
{
    AUTO_STMT rate = NULL;
    AUTO_STMT wrong = NULL;
    enum err err = start_rate(work, recipient, &rate);
    if (!err) err = start_wrong_codes(work, recipient, &wrong);
    if (!err) err = read_limit(work, rate, OTP_RATE_WINDOW_MS, &ret_limits->code_at);
    return err ? err : read_limit(work, wrong, OTP_WRONG_WINDOW_MS, &ret_limits->wrong_code_at);
}

enum err wrong_code_select_limit(struct work *work, const char *recipient, int64_t *ret_oldest)
{
    AUTO_STMT stmt = NULL;
    enum err err = start_wrong_codes(work, recipient, &stmt);
    return err ? err : read_limit(work, stmt, OTP_WRONG_WINDOW_MS, ret_oldest);
}

enum err wrong_code_insert(struct work *work, const struct otp *otp)
{
    return db_exec_later(
        work->tx, "INSERT INTO wrong_code (recipient, at, otp_id, attempt) VALUES ($1, $2, $3, $4)",
        DB_ARGS(db_text(otp->recipient), db_int(work->now_ms), db_uuid(&otp->id),
                db_int(otp->attempts_left)));
}

enum err otp_sweep_wrong_codes(struct work *work, int max, int64_t *ret_deleted)
{
    return db_exec(work->tx,
                   "DELETE FROM wrong_code WHERE (recipient, at, otp_id, attempt) IN"
                   " (SELECT recipient, at, otp_id, attempt FROM wrong_code WHERE at <= $1"
                   "  ORDER BY at LIMIT $2)",
                   DB_ARGS(db_int(work->now_ms - OTP_WRONG_WINDOW_MS), db_int(max)), ret_deleted);
}

#define SELECT_OVER(condition)                                                               \
    "SELECT " OTP_COLUMNS " FROM otp WHERE code IS NOT NULL AND expires_at " condition " $1" \
    " ORDER BY expires_at LIMIT $2"
#define PASSING " FOR UPDATE SKIP LOCKED"

static enum err add_over(struct work *work, const char *sql, int64_t bound, int max,
                         struct otp *otps, size_t *count)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, sql, DB_ARGS(db_int(bound), db_int(max - (int)*count)), &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_otp(work, stmt, &otps[(*count)++]);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err otp_select_over(struct work *work, int max, struct record_list *ret_otps)
{
    /* PostgreSQL: a code that is being verified at this moment is left to that transaction. */
    const char *past = db_sql(work->tx, SELECT_OVER("<"), SELECT_OVER("<") PASSING);
    const char *absurd = db_sql(work->tx, SELECT_OVER(">"), SELECT_OVER(">") PASSING);
    int64_t latest = clock_latest(work->now_ms, OTP_TTL_MAX_S * 1000);
    struct otp *otps = arena_array(work->arena, (size_t)max, sizeof(*otps));
    size_t count = 0;

    enum err err = add_over(work, past, work->now_ms, max, otps, &count);
    if (!err) err = add_over(work, absurd, latest, max, otps, &count);
    *ret_otps = (struct record_list){otps, count};
    return err;
}

enum err otp_take_fallback(struct work *work, const struct uuid *id, bool *ret_is_first)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx, "UPDATE otp SET has_fallback = 1 WHERE id = $1 AND has_fallback = 0",
                DB_ARGS(db_uuid(id)), &changed);
    if (err) return err;
    *ret_is_first = changed == 1;
    return ERR_OK;
}
