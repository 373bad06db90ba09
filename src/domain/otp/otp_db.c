/* These are the statements on otp and wrong_code. */
#include "domain/otp/otp_db.h"

#include "core/columns.h"
#include "core/personal.h"
#include "core/rows.h"
#include "kit/base/macros.h"

/* No rule leaves these states again. */
#define IS_LIVING "state NOT IN ('confirmed', 'expired', 'exhausted', 'canceled')"

/* One that was undelivered has given its place up, and may be entered all the same. */
#define HAS_PLACE "(state = 'undelivered' OR " CHALLENGE_HOLDS("otp.recipient", "otp.id") ")"

enum err otp_insert(struct work *work, const struct otp *otp, const char *account_id)
{
    return db_exec_later(work->tx,
                         "INSERT INTO otp (id, channel, recipient, state, code, code_length,"
                         " attempts_left, account_id, app_hash, origin, created_at, expires_at,"
                         " is_test, metadata)"
                         " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
                         DB_ARGS(db_uuid(&otp->id), db_text(otp_channel_words[otp->channel]),
                                 db_text(otp->recipient), db_text(otp_state_words[otp->state]),
                                 db_blob(otp->sealed_code), db_int(otp->code_length),
                                 db_int(otp->attempts_left), db_text(account_id),
                                 db_text(otp->app_hash), db_text(otp->origin),
                                 db_int(otp->created_at), db_int(otp->expires_at),
                                 db_int(otp->test), db_text(otp->metadata)));
}

#define OTP_ROW(FIRST, NEXT)                        \
    FIRST(id, id, UUID)                             \
    NEXT(channel, channel, WORD(otp_channel_words)) \
    NEXT(recipient, recipient, TEXT)                \
    NEXT(state, state, WORD(otp_state_words))       \
    NEXT(code, sealed_code, BLOB)                   \
    NEXT(code_length, code_length, INT)             \
    NEXT(attempts_left, attempts_left, INT)         \
    NEXT(app_hash, app_hash, TEXT)                  \
    NEXT(origin, origin, TEXT)                      \
    NEXT(created_at, created_at, INT)               \
    NEXT(expires_at, expires_at, INT)               \
    NEXT(confirmed_at, confirmed_at, INT)           \
    NEXT(is_test, test, BOOL)                       \
    NEXT(metadata, metadata, TEXT)                  \
    NEXT(erased, erased, IS_THERE)                  \
    NEXT(changes, changes, INT)
#define OTP_COLUMNS COLUMNS(OTP_ROW)
COLUMNS_READER(read_columns, struct otp *, OTP_ROW)

static enum err read_otp(struct work *work, struct db_stmt *stmt, struct otp *ret_otp)
{
    *ret_otp = (struct otp){0};
    if (!read_columns(work, stmt, ret_otp)) return LOG_BROKEN("a code has an unknown word");
    if (ret_otp->erased) ret_otp->recipient = NULL;
    return ERR_OK;
}

#define SELECT_BY_ID "SELECT " OTP_COLUMNS " FROM otp WHERE id = $1"

static enum err select_by(struct work *work, const char *sql, const struct uuid *id,
                          struct otp *ret_otp)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_otp(work, stmt, ret_otp);
}

enum err otp_select(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    return select_by(work, SELECT_BY_ID, id, ret_otp);
}

enum err otp_select_locked(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    return select_by(work, DB_FOR_UPDATE(work->tx, SELECT_BY_ID), id, ret_otp);
}

enum err otp_select_unless_held(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    return select_by(work, db_sql(work->tx, SELECT_BY_ID, SELECT_BY_ID " FOR UPDATE SKIP LOCKED"),
                     id, ret_otp);
}

enum err otp_hold(struct work *work, const struct uuid *id)
{
    return db_hold(work->tx, "SELECT id FROM otp WHERE id = $1", DB_ARGS(db_uuid(id)));
}

/* The line of what happens to a code now. */
static struct db_arg line_of(const struct work *work, enum timeline_word word)
{
    struct timeline_step step = timeline_step_of(word, work->now_ms);
    return db_text(timeline_line(work->arena, &step));
}

enum err otp_select_steps(struct work *work, const struct uuid *id, const char **ret_steps)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT steps FROM otp WHERE id = $1", DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_steps = db_get_text(stmt, "steps", work->arena);
    return err;
}

#define APPEND_TRY TIMELINE_APPEND_SHORT("$3")

enum err otp_take_attempt(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "UPDATE otp SET attempts_left = attempts_left - 1," APPEND_TRY
        " WHERE id = $1 AND attempts_left > 0 AND expires_at >= $2 AND " HAS_PLACE " AND " IS_LIVING
        " RETURNING " OTP_COLUMNS,
        DB_ARGS(db_uuid(id), db_int(work->now_ms), line_of(work, TIMELINE_WRONG_CODE)), &stmt);
    if (err) return err;
    return read_otp(work, stmt, ret_otp);
}

#define APPEND_END TIMELINE_APPEND_LAST("$5")

/* The time of these two ends is in no other column. */
static struct db_arg last_line_of(const struct work *work, enum otp_state state)
{
    if (state == OTP_EXHAUSTED) return line_of(work, TIMELINE_EXHAUSTED);
    return state == OTP_CANCELED ? line_of(work, TIMELINE_CANCELED) : db_text("");
}

enum err otp_move(struct work *work, const struct otp *otp, enum otp_state state, bool *ret_moved)
{
    bool is_confirmed = state == OTP_CONFIRMED;
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE otp SET state = $2, code = NULL, confirmed_at = $3,"
                           " changes = changes + 1, attempts_left = attempts_left + $4," APPEND_END
                           " WHERE id = $1 AND " IS_LIVING,
                           DB_ARGS(db_uuid(&otp->id), db_text(otp_state_words[state]),
                                   db_int_or_null(is_confirmed ? work->now_ms : 0),
                                   db_int(is_confirmed), last_line_of(work, state)),
                           &changed);
    if (err) return err;
    *ret_moved = changed == 1;
    return ERR_OK;
}

/* PostgreSQL is waited for only if somebody wants to know. */
static enum err exec(struct work *work, const char *sql, const struct db_arg *args,
                     size_t arg_count, int64_t *ret_changed)
{
    return ret_changed ? db_exec(work->tx, sql, args, arg_count, ret_changed)
                       : db_exec_later(work->tx, sql, args, arg_count);
}

/* Reports overtake each other, so the state that is further stays. */
enum err otp_raise_sending(struct work *work, const struct uuid *id, enum otp_state state,
                           int64_t *ret_changed)
{
    bool is_past_accepted = state >= OTP_SENT, is_past_sent = state >= OTP_DELIVERED;
    return exec(work,
                "UPDATE otp SET state = $2, changes = changes + 1"
                " WHERE id = $1 AND (state IN ('queued', 'undelivered')"
                " OR (state = 'accepted' AND $3 = 1) OR (state = 'sent' AND $4 = 1))",
                DB_ARGS(db_uuid(id), db_text(otp_state_words[state]), db_int(is_past_accepted),
                        db_int(is_past_sent)),
                ret_changed);
}

enum err otp_set_code(struct work *work, const struct uuid *id, struct str sealed_code)
{
    return db_exec_later(work->tx, "UPDATE otp SET code = $2 WHERE id = $1 AND " IS_LIVING,
                         DB_ARGS(db_uuid(id), db_blob(sealed_code)));
}

enum err otp_set_sending(struct work *work, const struct uuid *id, enum otp_state state,
                         int64_t *ret_changed)
{
    bool is_told = state == OTP_UNDELIVERED;
    return exec(work,
                "UPDATE otp SET state = $2, changes = changes + $4," TIMELINE_APPEND_SHORT(
                    "$3") " WHERE id = $1 AND state <> $2 AND " HAS_PLACE " AND " IS_LIVING,
                DB_ARGS(db_uuid(id), db_text(otp_state_words[state]),
                        is_told ? line_of(work, TIMELINE_UNDELIVERED) : db_text(""),
                        db_int(is_told)),
                ret_changed);
}

/* The times of the number's own rows, and of those where its stand-in is, newest first. SQLite
 * merges both from the index, but would fill a table with what has a limit of its own; PostgreSQL
 * reads no more of each than it must only where that is said. */
#define TIMES(column, table, number) \
    "SELECT " column " AS at FROM " table " WHERE recipient = " number
#define NEWEST " ORDER BY at DESC LIMIT $3"
#define NEWEST_TIMES(column, table, number) \
    "SELECT at FROM (" TIMES(column, table, number) NEWEST ") AS "
#define SELECT_TIMES(tx, column, table)                                                    \
    db_sql(tx, TIMES(column, table, "$1") " UNION ALL " TIMES(column, table, "$2") NEWEST, \
           NEWEST_TIMES(column, table, "$1") "own UNION ALL " NEWEST_TIMES(                \
               column, table, "$2") "stood_in" NEWEST)

static enum err start_limit(struct work *work, const char *sql, const char *recipient, int max,
                            struct db_stmt **ret_stmt)
{
    return db_query(
        work->tx, sql,
        DB_ARGS(db_text(recipient), db_text(personal_stand_in(work, recipient)), db_int(max)),
        ret_stmt);
}

static enum err start_rate(struct work *work, const char *recipient, struct db_stmt **ret_stmt)
{
    return start_limit(work, SELECT_TIMES(work->tx, "created_at", "otp"), recipient, OTP_RATE_COUNT,
                       ret_stmt);
}

static enum err start_wrong_codes(struct work *work, const char *recipient,
                                  struct db_stmt **ret_stmt)
{
    return start_limit(work, SELECT_TIMES(work->tx, "at", "wrong_code"), recipient, OTP_WRONG_MAX,
                       ret_stmt);
}

/* Counts the times after `since`. The oldest is 0 if there is none. */
static enum err read_limit(struct db_stmt *stmt, int64_t since, int64_t *ret_count,
                           int64_t *ret_oldest)
{
    enum err err;

    *ret_count = *ret_oldest = 0;
    while ((err = db_step(stmt)) == ERR_OK) {
        int64_t at = db_get_int(stmt, "at");
        if (at <= since) continue;
        ++*ret_count;
        *ret_oldest = at;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err read_wrong_codes(struct work *work, struct db_stmt *stmt, int64_t *ret_oldest)
{
    int64_t count;
    enum err err = read_limit(stmt, work->now_ms - OTP_WRONG_WINDOW_MS, &count, ret_oldest);
    if (count < OTP_WRONG_MAX) *ret_oldest = 0;
    return err;
}

enum err otp_select_limits(struct work *work, const char *recipient, struct otp_limits *ret_limits)
{
    int64_t since = work->now_ms - OTP_RATE_WINDOW_MS;
    AUTO_STMT rate = NULL;
    AUTO_STMT wrong = NULL;
    enum err err = start_rate(work, recipient, &rate);
    if (!err) err = start_wrong_codes(work, recipient, &wrong);
    if (!err) err = read_limit(rate, since, &ret_limits->codes, &ret_limits->code_at);
    return err ? err : read_wrong_codes(work, wrong, &ret_limits->wrong_code_at);
}

enum err wrong_code_select_limit(struct work *work, const char *recipient, int64_t *ret_oldest)
{
    AUTO_STMT stmt = NULL;
    enum err err = start_wrong_codes(work, recipient, &stmt);
    return err ? err : read_wrong_codes(work, stmt, ret_oldest);
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

#define SELECT_OVER                                                              \
    "SELECT " OTP_COLUMNS " FROM otp WHERE code IS NOT NULL AND expires_at < $1" \
    " ORDER BY expires_at LIMIT $2"

enum err otp_select_over(struct work *work, int max, struct record_list *ret_otps)
{
    /* PostgreSQL: a code that is being verified at this moment is left to that transaction. */
    const char *sql = db_sql(work->tx, SELECT_OVER, SELECT_OVER " FOR UPDATE SKIP LOCKED");
    struct otp *otps = arena_array(work->arena, (size_t)max, sizeof(*otps));
    size_t count = 0;
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_otp(work, stmt, &otps[count++]);
    *ret_otps = (struct record_list){otps, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define APPEND_FALLBACK TIMELINE_APPEND_SHORT("$2")

enum err otp_take_fallback(struct work *work, const struct uuid *id, bool *ret_is_first)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE otp SET has_fallback = 1," APPEND_FALLBACK
                           " WHERE id = $1 AND has_fallback = 0",
                           DB_ARGS(db_uuid(id), line_of(work, TIMELINE_FALLBACK)), &changed);
    if (err) return err;
    *ret_is_first = changed == 1;
    return ERR_OK;
}

/* --- Erasing --- */

static enum err select_codes(struct work *work, const char *sql, const struct db_arg *args,
                             size_t arg_count, int max, struct record_list *ret_otps)
{
    struct otp *otps = arena_array(work->arena, (size_t)max, sizeof(*otps));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, args, arg_count, &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_otp(work, stmt, &otps[count++]);
    *ret_otps = (struct record_list){otps, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define SELECT_OF_NUMBER \
    "SELECT " OTP_COLUMNS " FROM otp WHERE recipient = $1 ORDER BY created_at LIMIT $2"

enum err otp_select_of(struct work *work, const char *number, int max, struct record_list *ret_otps)
{
    const struct db_arg args[] = {db_text(number), db_int(max)};
    return select_codes(work, DB_FOR_UPDATE(work->tx, SELECT_OF_NUMBER), args, COUNT_OF(args), max,
                        ret_otps);
}

#define SELECT_OLD "SELECT " OTP_COLUMNS " FROM otp WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3"

enum err otp_select_old(struct work *work, const struct personal_span *span, int max,
                        struct record_list *ret_otps)
{
    const struct db_arg args[] = {db_uuid(&span->after), db_uuid(&span->before), db_int(max)};
    return select_codes(work, DB_FOR_UPDATE(work->tx, SELECT_OLD), args, COUNT_OF(args), max,
                        ret_otps);
}

enum err otp_erase(struct work *work, const struct otp *otp)
{
    bool is_counted = otp->created_at > work->now_ms - OTP_RATE_WINDOW_MS;
    const char *instead = is_counted ? personal_stand_in(work, otp->recipient) : "";

    return db_exec_later(
        work->tx, "UPDATE otp SET recipient = $2, metadata = NULL, erased = $3 WHERE id = $1",
        DB_ARGS(db_uuid(&otp->id), db_text(instead),
                db_int(is_counted ? PERSONAL_STANDS_IN : PERSONAL_ERASED)));
}

enum err wrong_code_erase(struct work *work, const char *number)
{
    return db_exec(work->tx, "UPDATE wrong_code SET recipient = $2 WHERE recipient = $1",
                   DB_ARGS(db_text(number), db_text(personal_stand_in(work, number))), NULL);
}

enum err otp_sweep_stand_ins(struct work *work, int max, int64_t *ret_swept)
{
    return db_exec(work->tx,
                   "UPDATE otp SET recipient = '', erased = 2 WHERE id IN"
                   " (SELECT id FROM otp WHERE erased = 1 AND created_at <= $1"
                   "  ORDER BY created_at LIMIT $2)",
                   DB_ARGS(db_int(work->now_ms - OTP_RATE_WINDOW_MS), db_int(max)), ret_swept);
}

/* --- Searches --- */

#define OF_RECIPIENT SEARCH_OF_NUMBER("recipient", "$8", "$9", "$10")

enum err otp_cut_search(struct work *work, struct search *search)
{
    return search_cut(work, search, SEARCH_CUT_OF_ALL("otp"),
                      SEARCH_CUT_OF_NUMBER("otp", "recipient", ""));
}

/* The clock alone makes a code expired, before its row says so. */
#define SHOWN_STATE \
    "CASE WHEN r." IS_LIVING " AND r.expires_at < $6 THEN 'expired' ELSE r.state END"
#define PAGE(where, order)                                                                 \
    "SELECT " OTP_COLUMNS " FROM otp AS r WHERE " where " AND ($4 = '' OR r.channel = $4)" \
    " AND ($5 = '' OR " SHOWN_STATE " = $5) AND ($7 = '' OR " SEARCH_IS_OVER("$7") ")" order

static enum err read_item(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    return read_otp(work, stmt, ret_row);
}

enum err otp_select_page(struct work *work, const struct otp_filter *filter,
                         const struct search *search, int64_t limit, struct record_list *ret_otps)
{
    const struct db_arg own[] = {
        db_text(search_word(otp_channel_words, filter->channel)),
        db_text(search_word(otp_state_words, filter->state)),
        db_int(work->now_ms),
        db_text(search_number(filter->gateway_number, work->arena)),
    };
    AUTO_STMT stmt = NULL;
    enum err err = search_select(work, search, limit, PAGE(SEARCH_OF_ALL, SEARCH_BY_ID),
                                 PAGE(OF_RECIPIENT, SEARCH_BY_TIME), own, COUNT_OF(own), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct otp), read_item, ret_otps);
}
