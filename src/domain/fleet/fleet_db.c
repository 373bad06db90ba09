/*
 * These are the statements on device and device_number; they also read active_challenge, to count
 * what a number is busy with.
 */
#include "domain/fleet/fleet_db.h"

#include "core/columns.h"
#include "domain/fleet/fleet_watch_db.h"
#include "kit/base/clock.h"
#include "kit/base/log_names.h"

enum { ITEMS_FIRST = 2 }; /* most phones have one number or two, and as many accounts */

enum err device_insert(struct work *work, const struct device *device, struct str key_hash)
{
    log_keep_name(&device->id, device->name);
    return db_exec(work->tx,
                   "INSERT INTO device (id, name, key_hash, is_enabled, created_at)"
                   " VALUES ($1, $2, $3, 1, $4)",
                   DB_ARGS(db_uuid(&device->id), db_text(device->name), db_blob(key_hash),
                           db_int(device->created_at)),
                   NULL);
}

/* The SIM may have been in another phone: it is ready no more until this one says so. */
static enum err take_up_watch(struct work *work, const char *number)
{
    struct free_sender known;
    enum err err = free_sender_take(work, FREE_NUMBER, number, &known);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    return db_exec_later(work->tx,
                         "UPDATE device_number SET sim_ready_until = $2, watch_at = $3,"
                         " silent_since = $4 WHERE number = $1",
                         DB_ARGS(db_text(number), db_int(known.heard_until),
                                 db_int_or_null(known.watch_at),
                                 db_int_or_null(known.silent_since)));
}

enum err device_number_insert(struct work *work, const struct device *device, int position,
                              int slot, const char *number)
{
    int64_t inserted;
    enum err err =
        db_exec(work->tx,
                "INSERT INTO device_number (number, device_id, position, is_enabled, changes, slot)"
                " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (number) DO NOTHING",
                DB_ARGS(db_text(number), db_uuid(&device->id), db_int(position),
                        db_int(device->enabled), db_int(work->now_ms), db_int(slot)),
                &inserted);
    if (err) return err;
    return inserted == 1 ? take_up_watch(work, number) : ERR_NUMBER_TAKEN;
}

enum err device_number_delete(struct work *work, const struct uuid *device_id, const char *number)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "DELETE FROM device_number WHERE number = $1 AND device_id = $2"
                                " RETURNING sim_ready_until, watch_at, silent_since",
                                DB_ARGS(db_text(number), db_uuid(device_id)), &stmt);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    struct free_sender known = {.heard_until = db_get_int(stmt, "sim_ready_until"),
                                .watch_at = db_get_int(stmt, "watch_at"),
                                .silent_since = db_get_int(stmt, "silent_since")};
    return free_sender_keep(work, FREE_NUMBER, number, &known);
}

enum err device_number_set_position(struct work *work, const char *number, int position)
{
    return db_exec(work->tx, "UPDATE device_number SET position = $2 WHERE number = $1",
                   DB_ARGS(db_text(number), db_int(position)), NULL);
}

enum err device_number_set_slot(struct work *work, const char *number, int slot)
{
    return db_exec(work->tx,
                   "UPDATE device_number SET slot = $2, is_slot_confirmed = 1 WHERE number = $1",
                   DB_ARGS(db_text(number), slot > 0 ? db_int(slot) : db_null()), NULL);
}

/* The memory of a list doubles whenever it is full. */
void *fleet_list_add(struct arena *arena, struct record_list *list, size_t size)
{
    bool is_power_of_two = (list->count & (list->count - 1)) == 0;
    if (list->count == 0 || (is_power_of_two && list->count >= ITEMS_FIRST)) {
        size_t capacity = list->count == 0 ? ITEMS_FIRST : 2 * list->count;
        void *items = arena_array(arena, capacity, size);
        if (list->count > 0) memcpy(items, list->items, list->count * size);
        list->items = items;
    }
    return (char *)list->items + size * list->count++;
}

/* read_device reads these of a device, which the statement calls d. */
#define DEVICE_ROW(FIRST, NEXT)             \
    FIRST(d.id, id, UUID)                   \
    NEXT(d.name, name, TEXT)                \
    NEXT(d.is_enabled, enabled, BOOL)       \
    NEXT(d.created_at, created_at, INT)     \
    NEXT(d.last_seen_at, last_seen_at, INT) \
    NEXT(d.clock_lag_ms, clock_lag_ms, INT) \
    NEXT(d.clock_lag_at, clock_lag_at, INT) \
    NEXT(d.changes, changes, INT)
#define DEVICE_COLUMNS COLUMNS(DEVICE_ROW)
COLUMNS_READER(read_columns, struct device *, DEVICE_ROW)

static void read_device(struct work *work, struct db_stmt *stmt, struct device *device)
{
    (void)read_columns(work, stmt, device); /* it has no words */
    /* It is stored by store time, so that a step of herald's clock is none of the phone's. */
    device->clock_lag_ms -= clock_offset_ms();
    log_keep_name(&device->id, device->name);
}

/* read_status reads these, in a statement with this join. */
#define STATUS_COLUMNS "s.at AS status_at, s.raw AS status"
#define STATUS_JOIN    " LEFT JOIN device_status s ON s.device_id = d.id"

/* A phone that only sends pings was last seen by the last one: that is written once. */
static void read_status(struct work *work, struct db_stmt *stmt, struct device *device)
{
    int64_t at = db_get_int(stmt, "status_at");
    if (db_get_null(stmt, "status_at")) return;
    device->status =
        fleet_read_status(work->arena, str_of(db_get_text(stmt, "status", work->arena)), at);
    if (device->last_seen_at < at) device->last_seen_at = at;
}

static void add_number(struct work *work, struct db_stmt *stmt, struct device *device)
{
    if (db_get_null(stmt, "number")) return;
    struct device_number *number =
        fleet_list_add(work->arena, &device->numbers, sizeof(struct device_number));
    number->number = db_get_text(stmt, "number", work->arena);
    number->sim_ready_until = db_get_int(stmt, "sim_ready_until");
    number->sim_ready = fleet_is_ready(number->sim_ready_until, work->now_ms);
    number->active_challenges = db_get_int(stmt, "active");
    number->slot = db_get_int(stmt, "slot");
    number->is_slot_confirmed = db_get_int(stmt, "is_slot_confirmed") != 0;
    number->silent_since = db_get_int(stmt, "silent_since");
    number->changes = db_get_int(stmt, "number_changes");
}

/* Gathers rows of devices joined with their numbers into devices. */
static enum err collect_devices(struct work *work, struct db_stmt *stmt, struct record_list *list)
{
    struct device *device = NULL;
    enum err err;

    while ((err = db_step(stmt)) == ERR_OK) {
        struct uuid id = db_get_uuid(stmt, "id");
        if (!device || !uuid_equal(&device->id, &id)) {
            device = fleet_list_add(work->arena, list, sizeof(struct device));
            read_device(work, stmt, device);
            read_status(work, stmt, device);
        }
        add_number(work, stmt, device);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define NUMBER_COLUMNS                                                                      \
    "n.number, n.sim_ready_until, n.active_challenges - coalesce(over.count, 0) AS active," \
    " n.slot, n.is_slot_confirmed, n.silent_since, n.changes AS number_changes"
/* Some challenges have been ended by the clock, and nobody has taken them off the count yet. */
#define OVERDUE                                                                  \
    " LEFT JOIN (SELECT gateway_number, count(*) AS count FROM active_challenge" \
    "  WHERE expires_at < $1 GROUP BY gateway_number) over ON over.gateway_number = n.number"

enum err device_select(struct work *work, const struct uuid *after, int64_t limit,
                       struct record_list *ret_devices)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " DEVICE_COLUMNS ", " STATUS_COLUMNS ", " NUMBER_COLUMNS
                            " FROM (SELECT * FROM device WHERE id > $2 AND removed_at IS NULL"
                            "  ORDER BY id LIMIT $3) d" STATUS_JOIN
                            " LEFT JOIN device_number n ON n.device_id = d.id" OVERDUE
                            " ORDER BY d.id, n.position",
                            DB_ARGS(db_int(work->now_ms), db_uuid(after), db_int(limit)), &stmt);
    if (err) return err;
    return collect_devices(work, stmt, ret_devices);
}

enum err device_select_named(struct work *work, int64_t max, struct record_list *ret_devices)
{
    struct device *device = NULL;
    struct uuid last;
    AUTO_STMT stmt = NULL;

    memset(&last, 0xff, sizeof(last));
    enum err err = db_query(work->tx,
                            "SELECT d.id, d.name, n.number FROM (SELECT id, name FROM device"
                            " WHERE id < $1 AND removed_at IS NULL ORDER BY id DESC LIMIT $2) d"
                            " LEFT JOIN device_number n ON n.device_id = d.id ORDER BY d.id DESC",
                            DB_ARGS(db_uuid(&last), db_int(max)), &stmt);
    while (!err && !(err = db_step(stmt))) {
        struct uuid id = db_get_uuid(stmt, "id");
        if (!device || !uuid_equal(&device->id, &id)) {
            device = fleet_list_add(work->arena, ret_devices, sizeof(*device));
            device->id = id;
            device->name = db_get_text(stmt, "name", work->arena);
        }
        if (db_get_null(stmt, "number")) continue;
        struct device_number *number =
            fleet_list_add(work->arena, &device->numbers, sizeof(*number));
        number->number = db_get_text(stmt, "number", work->arena);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err device_select_one(struct work *work, const struct uuid *id, struct device *ret_device)
{
    struct record_list list = {0};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " DEVICE_COLUMNS ", " STATUS_COLUMNS ", " NUMBER_COLUMNS
                            " FROM device d" STATUS_JOIN
                            " LEFT JOIN device_number n ON n.device_id = d.id" OVERDUE
                            " WHERE d.id = $2 AND d.removed_at IS NULL ORDER BY n.position",
                            DB_ARGS(db_int(work->now_ms), db_uuid(id)), &stmt);
    if (err) return err;
    err = collect_devices(work, stmt, &list);
    if (err) return err;
    if (list.count == 0) return ERR_NOT_FOUND;
    *ret_device = *(struct device *)list.items;
    return ERR_OK;
}

enum err device_select_by_key(struct work *work, struct str key_hash, struct device *ret_device)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT " DEVICE_COLUMNS " FROM device d WHERE d.key_hash = $1",
                     DB_ARGS(db_blob(key_hash)), &stmt);
    if (err) return err;
    *ret_device = (struct device){0};
    read_device(work, stmt, ret_device);
    return ERR_OK;
}

enum err device_select_key(struct work *work, const struct uuid *id, struct device *ret_device,
                           struct str *ret_key_hash)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT " DEVICE_COLUMNS ", d.key_hash FROM device d"
                                " WHERE d.id = $1 AND d.removed_at IS NULL",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    *ret_device = (struct device){0};
    read_device(work, stmt, ret_device);
    *ret_key_hash = db_get_blob(stmt, "key_hash", work->arena);
    return ERR_OK;
}

/* On PostgreSQL everybody locks numbers in this order. */
static enum err lock_numbers(struct work *work, const struct uuid *device_id)
{
    const char *sql = DB_FOR_UPDATE(
        work->tx, "SELECT number FROM device_number WHERE device_id = $1 ORDER BY number");
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_uuid(device_id)), &stmt);
    while (!err)
        err = db_step(stmt);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err device_update_enabled(struct work *work, const struct uuid *id, bool is_enabled)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE device SET is_enabled = $2,"
                           " changes = changes + CASE WHEN is_enabled = $2 THEN 0 ELSE 1 END"
                           " WHERE id = $1 AND removed_at IS NULL",
                           DB_ARGS(db_uuid(id), db_int(is_enabled)), &changed);
    if (!err && changed != 1) err = ERR_NOT_FOUND;
    if (!err) err = lock_numbers(work, id);
    if (err) return err;
    /* A phone that is enabled again has time to be heard of. */
    return db_exec(work->tx,
                   "UPDATE device_number SET is_enabled = $2, watch_at = CASE"
                   " WHEN watch_at IS NULL OR is_enabled = $2 THEN watch_at"
                   " ELSE CAST($3 AS BIGINT) END"
                   " WHERE device_id = $1",
                   DB_ARGS(db_uuid(id), db_int(is_enabled),
                           db_int(work->now_ms + work->service->fleet->silent_ms)),
                   NULL);
}

enum err device_update_name(struct work *work, const struct uuid *id, const char *name)
{
    log_keep_name(id, name);
    return db_exec(work->tx, "UPDATE device SET name = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_text(name)), NULL);
}

enum err device_select_removed(struct work *work, const struct uuid *id, int64_t *ret_removed_at)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT removed_at FROM device WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_removed_at = db_get_int(stmt, "removed_at");
    return err;
}

enum err device_select_name(struct work *work, const struct uuid *id, const char **ret_name)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT name FROM device WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (err) return err;
    *ret_name = db_get_text(stmt, "name", work->arena);
    log_keep_name(id, *ret_name);
    return ERR_OK;
}

enum err device_update_removed(struct work *work, const struct uuid *id, struct str key_hash)
{
    return db_exec(work->tx,
                   "UPDATE device SET is_enabled = 0, key_hash = $2, removed_at = $3 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_blob(key_hash), db_int(work->now_ms)), NULL);
}

enum err device_status_upsert(struct work *work, const struct uuid *device_id, struct str raw,
                              int64_t at)
{
    return db_exec_later(work->tx,
                         "INSERT INTO device_status (device_id, at, raw) VALUES ($1, $2, $3)"
                         " ON CONFLICT (device_id) DO UPDATE SET at = excluded.at,"
                         " raw = excluded.raw"
                         " WHERE device_status.at < excluded.at",
                         DB_ARGS(db_uuid(device_id), db_int(at), db_str(raw)));
}

enum err device_update_key(struct work *work, const struct uuid *id, struct str key_hash)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE device SET key_hash = $2, clock_lag_at = NULL"
                           " WHERE id = $1 AND removed_at IS NULL",
                           DB_ARGS(db_uuid(id), db_blob(key_hash)), &changed);
    return !err && changed != 1 ? ERR_NOT_FOUND : err;
}

enum err device_hold(struct work *work, const struct uuid *id)
{
    /* NO KEY lets rows come in that refer to it. */
    return db_hold_rows(work->tx, "SELECT id FROM device WHERE id = $1 FOR NO KEY UPDATE",
                        DB_ARGS(db_uuid(id)));
}

enum err device_update_clock(struct work *work, const struct uuid *id, int64_t lag_ms)
{
    return db_exec_later(
        work->tx, "UPDATE device SET clock_lag_ms = $2, clock_lag_at = $3 WHERE id = $1",
        DB_ARGS(db_uuid(id), db_int(lag_ms + clock_offset_ms()), db_int(work->now_ms)));
}

enum err device_update_seen(struct work *work, const struct uuid *id, int64_t seen_at)
{
    /* The time moves forward only. */
    return db_exec_later(work->tx,
                         "UPDATE device SET last_seen_at = $2 WHERE id = $1"
                         " AND (last_seen_at IS NULL OR last_seen_at < $2)",
                         DB_ARGS(db_uuid(id), db_int(seen_at)));
}

#define SIM_COLUMNS "number, sim_ready_until, watch_at, silent_since, slot, unready_told_at"

static struct sim_state read_sim(struct db_stmt *stmt)
{
    return (struct sim_state){.ready_until = db_get_int(stmt, "sim_ready_until"),
                              .watch_at = db_get_int(stmt, "watch_at"),
                              .silent_since = db_get_int(stmt, "silent_since"),
                              .slot = db_get_int(stmt, "slot"),
                              .unready_told_at = db_get_int(stmt, "unready_told_at")};
}

enum err device_number_select(struct work *work, const char *number, struct uuid *ret_device_id,
                              bool *ret_is_enabled, struct sim_state *ret_sim)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT device_id, is_enabled, " SIM_COLUMNS
                                " FROM device_number WHERE number = $1",
                                DB_ARGS(db_text(number)), &stmt);
    if (err) return err;
    *ret_device_id = db_get_uuid(stmt, "device_id");
    *ret_is_enabled = db_get_int(stmt, "is_enabled") != 0;
    *ret_sim = read_sim(stmt);
    return ERR_OK;
}

enum err device_number_set_ready(struct work *work, const struct uuid *device_id,
                                 const char *number, int64_t ready_until)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE device_number SET sim_ready_until = $2, is_ready = $3, watch_at = $4"
                " WHERE number = $1 AND device_id = $5",
                DB_ARGS(db_text(number), db_int(ready_until), db_int(ready_until > 0),
                        db_int(work->now_ms + work->service->fleet->silent_ms), db_uuid(device_id)),
                &changed);
    return !err && changed != 1 ? ERR_NUMBER_NOT_OWNED : err;
}

enum err device_number_end_silence(struct work *work, const char *number, bool *ret_was)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE device_number SET silent_since = NULL, changes = changes + 1"
                           " WHERE number = $1 AND silent_since IS NOT NULL",
                           DB_ARGS(db_text(number)), &changed);
    *ret_was = changed == 1;
    return err;
}

enum err device_number_extend_ready(struct work *work, const char *number, int64_t ready_until)
{
    return db_exec_later(work->tx,
                         "UPDATE device_number SET sim_ready_until = $2"
                         " WHERE number = $1 AND is_ready = 1"
                         " AND sim_ready_until < $2",
                         DB_ARGS(db_text(number), db_int(ready_until)));
}

enum err fleet_sweep(struct work *work)
{
    return db_exec(work->tx,
                   "UPDATE device_number SET is_ready = 0 WHERE is_enabled = 1 AND is_ready = 1"
                   " AND sim_ready_until <= $1",
                   DB_ARGS(db_int(work->now_ms)), NULL);
}

/* A SIM is ready whose time lies after `now`. The form with + 0 is for
 * PostgreSQL's estimate: its statistics are older than any readiness, so it takes a plain range to
 * match no row, and then reads and sorts all numbers. Here it expects half of them, and uses the
 * index. */
#define READY_AT(now) " AND n.is_ready = 1 AND n.sim_ready_until + 0 > " now

enum err fleet_has_ready(struct work *work, bool *ret_has)
{
    /* The order is that of the index, so that only what is ready is read. */
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT n.number FROM device_number n"
                     " WHERE n.is_enabled = 1" READY_AT(
                         "$1") " ORDER BY n.active_challenges, n.last_used_at, n.number LIMIT 1",
                     DB_ARGS(db_int(work->now_ms)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_has = err == ERR_OK;
    return ERR_OK;
}

enum err device_number_use(struct work *work, const char *number)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE device_number SET active_challenges = active_challenges + 1,"
                           " last_used_at = $2 WHERE number = $1",
                           DB_ARGS(db_text(number), db_int(uuid_tick(work->now_ms))), &changed);
    /* On PostgreSQL it may have left its phone since it was read. */
    return !err && changed != 1 ? ERR_NOT_FOUND : err;
}

enum err fleet_hold_number(struct work *work, const char *number)
{
    return db_hold(work->tx, "SELECT number FROM device_number WHERE number = $1",
                   DB_ARGS(db_text(number)));
}

enum err device_number_add_load(struct work *work, const char *number, int change)
{
    return db_exec_later(work->tx,
                         "UPDATE device_number SET active_challenges = active_challenges + $2"
                         " WHERE number = $1",
                         DB_ARGS(db_text(number), db_int(change)));
}

/* This takes the first row of an index, so the cost does not grow with the fleet. */
#define TAKE_LEAST_BUSY(such, lock)                                                         \
    "UPDATE device_number SET last_used_at = $1, active_challenges = active_challenges + 1" \
    " WHERE number = (SELECT n.number FROM device_number n"                                 \
    "  WHERE n.is_enabled = 1 AND n.number <> $2" such                                      \
    "  ORDER BY n.active_challenges, n.last_used_at, n.number LIMIT 1" lock                 \
    ") RETURNING " SIM_COLUMNS
#define READY_NOW READY_AT("$3")
/* It is ready, and no other is less busy. */
#define READY_OF_LEAST_BUSY                                                      \
    READY_NOW " AND n.active_challenges = (SELECT m.active_challenges"           \
              "  FROM device_number m WHERE m.is_enabled = 1 AND m.number <> $2" \
              "  ORDER BY m.active_challenges, m.last_used_at, m.number LIMIT 1)"
#define PASSING " FOR UPDATE OF n SKIP LOCKED"

enum such { SUCH_ANY, SUCH_READY, SUCH_READY_OF_LEAST_BUSY };

/* On PostgreSQL a number that is being taken at this moment is passed over rather than waited for;
 * only if all of them are being taken does one wait. */
static const struct {
    const char *waiting, *passing;
    size_t arg_count;
} takes[] = {
    [SUCH_ANY] = {TAKE_LEAST_BUSY("", ""), TAKE_LEAST_BUSY("", PASSING), 2},
    [SUCH_READY] = {TAKE_LEAST_BUSY(READY_NOW, ""), TAKE_LEAST_BUSY(READY_NOW, PASSING), 3},
    [SUCH_READY_OF_LEAST_BUSY] = {TAKE_LEAST_BUSY(READY_OF_LEAST_BUSY, ""),
                                  TAKE_LEAST_BUSY(READY_OF_LEAST_BUSY, PASSING), 3},
};

static enum err take_by(struct work *work, const char *sql, size_t arg_count, const char *avoided,
                        const char **ret_number, struct sim_state *ret_sim)
{
    const struct db_arg args[] = {
        db_int(uuid_tick(work->now_ms)), db_text(avoided ? avoided : ""),
        db_int(work->now_ms), /* only where readiness is asked for */
    };
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, args, arg_count, &stmt);
    if (err) return err;
    *ret_number = db_get_text(stmt, "number", work->arena);
    *ret_sim = read_sim(stmt);
    return ERR_OK;
}

static enum err take_such(struct work *work, enum such such, bool never_waits, const char *avoided,
                          const char **ret_number, struct sim_state *ret_sim)
{
    const char *waiting = takes[such].waiting;
    const char *sql = db_sql(work->tx, waiting, takes[such].passing);
    size_t count = takes[such].arg_count;

    enum err err = take_by(work, sql, count, avoided, ret_number, ret_sim);
    if (err != ERR_NOT_FOUND || sql == waiting || never_waits) return err;
    return take_by(work, waiting, count, avoided, ret_number, ret_sim);
}

enum err device_number_take(struct work *work, const struct number_choice *choice,
                            const char *avoided, const char **ret_number, struct sim_state *ret_sim)
{
    enum such such = choice->must_be_ready ? SUCH_READY : SUCH_ANY;
    enum err err = ERR_NOT_FOUND;

    if (choice->prefers_ready)
        err = take_such(work, SUCH_READY_OF_LEAST_BUSY, choice->never_waits, avoided, ret_number,
                        ret_sim);
    if (err != ERR_NOT_FOUND) return err;
    return take_such(work, such, choice->never_waits, avoided, ret_number, ret_sim);
}

enum err device_number_set_unready_told(struct work *work, const char *number)
{
    return db_exec_later(work->tx,
                         "UPDATE device_number SET unready_told_at = $2 WHERE number = $1",
                         DB_ARGS(db_text(number), db_int(work->now_ms)));
}
