/* How packages are applied. */
#include "domain/erp/erp_apply.h"

#include "core/service.h"
#include "domain/erp/erp_apply_records.h"
#include "domain/erp/erp_applying.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/pack/pack.h"

#define BODY_GONE   "The stored body is gone."
#define OUR_MISTAKE "herald made a mistake; its own log tells more."
#define NEVER_ENDED "Attempts to apply the package ended without a result, again and again."

enum { BROKEN_ATTEMPTS_MAX = 3 }; /* that are followed by the next at once */

/* What became of a package, for the log. */
struct said {
    struct due_package package;
    struct apply_end end;
    struct catalog_result result; /* of an applied one */
};

struct apply {
    struct service *service;
    struct arena *arena;
    struct work work; /* of the transaction at hand */
    enum err (*run)(struct apply *apply);

    struct due_skips skips; /* for this call */
    bool was_due;
    bool is_found, is_empty; /* an integration; by now nothing of it is due any more */
    struct uuid integration_id;
    struct due_list due;
    size_t at;                    /* the package of changes that is being applied; SIZE_MAX: none */
    struct due_package *snapshot; /* that is being processed; NULL: none */
    struct str packed;            /* its body, as it is stored */
    struct erp_applied applied;
    struct buf body;
    struct catalog_outcome outcome;

    struct said said[ERP_APPLY_PACKAGES_MAX];
    size_t said_count;
};

/* --- Transactions ----------------------------------------------------------------------------- */

static enum err run_part(struct work *work)
{
    struct apply *apply = CONTAINER_OF(work, struct apply, work);
    apply->said_count = 0;
    return apply->run(apply);
}

static enum err run(struct apply *apply, bool is_read, enum err (*part)(struct apply *apply))
{
    apply->run = part;
    work_init(&apply->work, apply->service, apply->arena, clock_now_ms(), NULL);
    apply->work.is_read = is_read;
    return work_run(&apply->work, apply->service->exchange, run_part);
}

/* --- Endings ---------------------------------------------------------------------------------- */

int64_t erp_retry_delay_ms(int64_t attempts)
{
    static const int delays_s[] = {5, 15, 30, 60, 120};
    enum { LATER_S = 300, COUNT = COUNT_OF(delays_s) };
    bool is_early = attempts >= 1 && attempts <= COUNT;
    return 1000 * (is_early ? delays_s[attempts - 1] : LATER_S);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The last try is at the end of its time. */
static struct apply_end refused_end(const struct apply *apply, const struct due_package *due,
                                    int64_t attempts, int64_t now_ms)
{
    const struct catalog_outcome *outcome = &apply->outcome;
    bool is_final = outcome->is_final || now_ms >= due->give_up_at;
    int64_t due_at = earlier(now_ms + erp_retry_delay_ms(attempts), due->give_up_at);

    return (struct apply_end){
        .status = is_final ? ERP_PACKAGE_FAILED : ERP_PACKAGE_RETRY,
        .attempts = attempts,
        .ended_at = now_ms,
        .due_at = is_final ? 0 : due_at,
        .last_error = outcome->problem,
        .errors = erp_encode_errors(apply->arena, &outcome->faults),
    };
}

static struct apply_end applied_end(const struct apply *apply, const struct due_package *due,
                                    int64_t attempts, int64_t now_ms)
{
    return (struct apply_end){
        .status = ERP_PACKAGE_APPLIED,
        .attempts = attempts,
        .ended_at = now_ms,
        .result = erp_encode_result(apply->arena, &apply->outcome.result),
        .rows_done = due->row_count,
    };
}

/* `err` is what the catalog said. ERR_LEASE_LOST: somebody else has ended it. */
static enum err record_end(struct apply *apply, const struct due_package *due, enum err err,
                           int64_t attempts)
{
    bool is_ended;
    /* Not work.now_ms: a snapshot may have taken seconds, and waits are counted from its end. */
    int64_t now_ms = clock_now_ms();
    struct apply_end end =
        err ? refused_end(apply, due, attempts, now_ms) : applied_end(apply, due, attempts, now_ms);

    err = erp_package_end(&apply->work, &apply->integration_id, due, &end, &is_ended);
    if (err) return err;
    if (!is_ended) return ERR_LEASE_LOST;
    apply->said[apply->said_count++] = (struct said){*due, end, apply->outcome.result};
    return ERR_OK;
}

static bool is_mistake(enum err err)
{
    return err == ERR_INTERNAL || err == ERR_UNIQUE;
}

static void set_problem(struct apply *apply, const char *problem, bool is_final)
{
    apply->outcome = (struct catalog_outcome){.problem = problem, .is_final = is_final};
}

/* --- What is due ------------------------------------------------------------------------------ */

/* The next integration of which something is due and that nobody else is at work on, held until the
 * end of the transaction. ERR_NOT_FOUND: there is none. If `is_empty`, another one has begun with
 * it since it was found: whoever holds it then shall do nothing else, for the other needs it. */
static enum err find_due(struct apply *apply)
{
    struct due_skips skips = apply->skips;
    struct uuid *id = &apply->integration_id;
    bool is_held = false;

    apply->is_found = apply->is_empty = false;
    while (!is_held && skips.count < ERP_SKIPS_MAX) {
        enum err err = erp_due_select_integration(&apply->work, &skips, id);
        apply->is_found = !err;
        if (err) return err;
        err = catalog_try_hold(&apply->work, id, &is_held);
        if (err) return err;
        skips.ids[skips.count++] = *id;
    }
    if (!is_held) return ERR_NOT_FOUND;
    enum err err = erp_due_select(&apply->work, id, ERP_APPLY_PACKAGES_MAX, &apply->due);
    apply->is_empty = !err && apply->due.count == 0;
    return err;
}

/* --- Packages of changes ---------------------------------------------------------------------- */

static enum err unpack_body(struct apply *apply, const struct due_package *due, struct str packed)
{
    buf_done(&apply->body);
    buf_init_large(&apply->body, (size_t)due->body_length);
    return unpack(apply->service->packs, packed, (size_t)due->body_length, &apply->body);
}

/* What `err` of the reading and an unpacking of `packed` come to: ERR_PACKAGE_REFUSED with the
 * outcome, as the catalog says it. Where there is no memory for it now, it is read another time. */
static enum err open_body(struct apply *apply, const struct due_package *due, enum err err,
                          struct str packed)
{
    bool is_gone = err == ERR_NOT_FOUND;

    if (!err) err = unpack_body(apply, due, packed);
    bool is_damaged = err == ERR_INTERNAL;
    if (!is_gone && !is_damaged) return err;
    set_problem(apply, is_gone ? BODY_GONE : CATALOG_DAMAGED, true);
    return ERR_PACKAGE_REFUSED;
}

static enum err load_body(struct apply *apply, const struct due_package *due)
{
    struct arena_mark mark = arena_mark(apply->arena);
    struct str packed;

    enum err err = erp_due_select_body(&apply->work, &apply->integration_id, due->receipt,
                                       apply->arena, &packed);
    err = open_body(apply, due, err, packed);
    arena_rewind(apply->arena, mark);
    return err;
}

static struct catalog_package package_of(const struct apply *apply, const struct due_package *due,
                                         struct catalog_progress *progress)
{
    return (struct catalog_package){
        .integration_id = apply->integration_id,
        .receipt = due->receipt,
        .body = buf_view(&apply->body),
        .is_released = due->is_released,
        .progress = progress,
    };
}

static enum err apply_changes(struct apply *apply, const struct due_package *due)
{
    struct catalog_progress progress = {0};

    enum err err = load_body(apply, due);
    if (!err) {
        struct catalog_package package = package_of(apply, due, &progress);
        err = catalog_apply_changes(&apply->work, &package, &apply->outcome);
    }
    if (err && err != ERR_PACKAGE_REFUSED) return err;
    return record_end(apply, due, err, due->attempts + 1);
}

/* Packages of changes up to the next snapshot. */
static enum err apply_all_changes(struct apply *apply)
{
    int64_t rows = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < apply->due.count; i++) {
        const struct due_package *due = &apply->due.items[i];
        rows += due->row_count;
        if (due->type == ERP_PACKAGE_SNAPSHOT || (i > 0 && rows > ERP_APPLY_ROWS_MAX)) break;
        apply->at = i;
        err = apply_changes(apply, due);
    }
    return err;
}

/* --- Snapshots -------------------------------------------------------------------------------- */

/* As it is stored from now on. */
static enum err begin_snapshot(struct apply *apply, struct due_package *due)
{
    bool is_begun;
    enum err err = erp_package_begin(&apply->work, &apply->integration_id, due,
                                     apply->work.now_ms + ERP_LEASE_MS, &is_begun);
    if (err || !is_begun) return err;
    due->status = ERP_PACKAGE_PROCESSING;
    due->attempts++;
    apply->snapshot = due;
    return ERR_OK;
}

static enum err select_snapshot(struct apply *apply)
{
    return erp_due_select_body(&apply->work, &apply->integration_id, apply->snapshot->receipt,
                               apply->arena, &apply->packed);
}

/* Unpacked with no transaction open: others wait for its thread. */
static enum err load_snapshot(struct apply *apply)
{
    struct arena_mark mark = arena_mark(apply->arena);
    enum err err = run(apply, true, select_snapshot);
    err = open_body(apply, apply->snapshot, err, apply->packed);
    arena_rewind(apply->arena, mark);
    return err;
}

static enum err write_snapshot(struct apply *apply)
{
    struct work *work = &apply->work;
    const struct uuid *id = &apply->integration_id;
    struct catalog_package package = package_of(apply, apply->snapshot, &apply->applied.progress);
    struct integration integration;
    bool is_held, is_ours;

    enum err err = erp_package_is_ours(work, id, apply->snapshot, &is_ours);
    if (err) return err;
    if (!is_ours) return ERR_LEASE_LOST;
    err = catalog_try_hold(work, id, &is_held);
    if (err) return err;
    if (!is_held) return ERR_TX_RETRY; /* whoever looks what is due gives it back at once */

    err = integration_read(work, id, &integration);
    if (err) return err;
    package.archive_share_ppm = integration_archive_share_ppm(&integration, apply->service);
    package.keeps_absent = integration.absent == ABSENT_KEEP;
    err = catalog_apply_snapshot(work, &package, &apply->outcome);
    if (!err) err = record_end(apply, apply->snapshot, ERR_OK, apply->snapshot->attempts);
    return err ? err : erp_packages_wake(work, id); /* what it brought is what they waited for */
}

/* An operator lifted the brake while the package ran into it: it is due again. */
static enum err end_released(struct apply *apply)
{
    const struct due_package *due = apply->snapshot;
    struct apply_end end = {
        .status = ERP_PACKAGE_ACCEPTED,
        .attempts = due->attempts,
        .ended_at = apply->work.now_ms,
        .due_at = apply->work.now_ms,
    };
    bool is_ended;
    return erp_package_end(&apply->work, &apply->integration_id, due, &end, &is_ended);
}

static enum err refuse_snapshot(struct apply *apply)
{
    const struct due_package *due = apply->snapshot;
    bool is_released;

    enum err err = erp_package_is_released(&apply->work, &apply->integration_id, due, &is_released);
    if (err) return err;
    if (is_released && !due->is_released) return end_released(apply);
    return record_end(apply, due, ERR_PACKAGE_REFUSED, due->attempts);
}

static enum err apply_snapshot(struct apply *apply)
{
    enum err err = load_snapshot(apply);
    if (!err) err = run(apply, false, write_snapshot);
    if (is_mistake(err)) {
        set_problem(apply, OUR_MISTAKE, false);
        err = ERR_PACKAGE_REFUSED;
    }
    if (err == ERR_PACKAGE_REFUSED) err = run(apply, false, refuse_snapshot);
    /* Else it stays as it is until its lease ends. */
    if (err != ERR_LEASE_LOST) return err;
    apply->said_count = 0;
    return ERR_OK;
}

static enum err enter_snapshot(struct apply *apply)
{
    struct erp_applying *applying = apply->service->applying;

    apply->applied = (struct erp_applied){.integration_id = apply->integration_id,
                                          .receipt = apply->snapshot->receipt,
                                          .attempts = apply->snapshot->attempts};
    erp_applying_enter(applying, &apply->applied);
    enum err err = apply_snapshot(apply);
    erp_applying_leave(applying, &apply->applied);
    return err;
}

/* --- One call --------------------------------------------------------------------------------- */

/* Whoever processed it before did not come to an end of it. What takes the process down with it
 * shall not do so for ever, nor hold up what is behind it. */
static bool is_hopeless(const struct apply *apply, const struct due_package *due)
{
    if (due->status != ERP_PACKAGE_PROCESSING) return false;
    return due->attempts >= BROKEN_ATTEMPTS_MAX || apply->work.now_ms >= due->give_up_at;
}

static enum err put_off(struct apply *apply, const struct due_package *due)
{
    set_problem(apply, NEVER_ENDED, false);
    return record_end(apply, due, ERR_PACKAGE_REFUSED, due->attempts);
}

static enum err begin(struct apply *apply)
{
    apply->at = SIZE_MAX;
    apply->snapshot = NULL;
    enum err err = find_due(apply);
    apply->was_due = !err;
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    if (apply->is_empty) return ERR_OK;
    struct due_package *first = apply->due.items;
    if (is_hopeless(apply, first)) return put_off(apply, first);
    return first->type == ERP_PACKAGE_SNAPSHOT ? begin_snapshot(apply, first)
                                               : apply_all_changes(apply);
}

static enum err refuse_changes(struct apply *apply)
{
    const struct due_package *due = &apply->due.items[apply->at];
    return record_end(apply, due, ERR_PACKAGE_REFUSED, due->attempts + 1);
}

static void skip(struct apply *apply)
{
    struct due_skips *skips = &apply->skips;
    if (skips->count < ERP_SKIPS_MAX) skips->ids[skips->count++] = apply->integration_id;
}

/* The next one that is due, each look with a transaction of its own. */
static enum err begin_next(struct apply *apply)
{
    enum err err;

    apply->skips = (struct due_skips){.count = 0};
    apply->skips.count = erp_applying_list_aside(apply->service->applying, apply->skips.ids);
    do {
        err = run(apply, false, begin);
        if (!err && apply->is_empty) skip(apply);
    } while (!err && apply->is_empty && apply->skips.count < ERP_SKIPS_MAX);
    return err;
}

/* What cannot even be put down in a row of the package. Where too many are set aside already, the
 * error stays one, so that the worker takes its time. */
static enum err set_aside(struct apply *apply, struct event_log *event_log, enum err err)
{
    erp_applying_set_aside(apply->service->applying, &apply->integration_id,
                           clock_monotonic_ms() + ERP_ASIDE_MS);
    event_log_write(event_log, LOG_ERROR, "packages of an integration are set aside for a minute",
                    LOG_FIELDS(log_uuid("integration_id", &apply->integration_id),
                               log_text("error", err_info(err)->code)));
    if (apply->skips.count >= ERP_ASIDE_MAX) return err;
    apply->snapshot = NULL;
    apply->said_count = 0;
    apply->was_due = true; /* look for others */
    return ERR_OK;
}

/* Neither a package that herald itself cannot cope with nor an integration shall hold up those
 * behind it. */
static enum err begin_safely(struct apply *apply, struct event_log *event_log)
{
    enum err err = begin_next(apply);
    if (is_mistake(err) && apply->at != SIZE_MAX) {
        set_problem(apply, OUR_MISTAKE, false);
        err = run(apply, false, refuse_changes);
    }
    if (is_mistake(err) && apply->is_found) return set_aside(apply, event_log, err);
    if (err != ERR_LEASE_LOST) return err;
    apply->said_count = 0; /* nothing of it was kept */
    return ERR_OK;
}

/* --- The log ---------------------------------------------------------------------------------- */

static void say_applied(struct event_log *event_log, const struct apply *apply,
                        const struct said *said)
{
    const struct catalog_result *result = &said->result;

    event_log_write(
        event_log, LOG_INFO, "package applied",
        LOG_FIELDS(log_uuid("integration_id", &apply->integration_id),
                   log_plain("event_id", said->package.event_id),
                   log_text("event_type", erp_package_type_words[said->package.type]),
                   log_int("attempts", said->end.attempts),
                   log_int("added", result->products->added),
                   log_int("changed", result->products->changed),
                   log_int("archived", result->products->archived),
                   log_int("prices_changed", result->prices->changed),
                   log_int("stocks_changed", result->stocks->changed),
                   log_int("superseded", result->prices->superseded + result->stocks->superseded),
                   log_int("ms", clock_now_ms() - said->package.received_at)));
}

/* While the same problem goes on, the first warning is enough. */
static void say_refused(struct event_log *event_log, const struct apply *apply,
                        const struct said *said)
{
    const char *before = said->package.last_error;
    bool is_failed = said->end.status == ERP_PACKAGE_FAILED;

    if (!is_failed && before && strcmp(before, said->end.last_error) == 0) return;
    event_log_write(event_log, is_failed ? LOG_ERROR : LOG_WARNING,
                    is_failed ? "package failed" : "package cannot be applied yet",
                    LOG_FIELDS(log_uuid("integration_id", &apply->integration_id),
                               log_plain("event_id", said->package.event_id),
                               log_text("event_type", erp_package_type_words[said->package.type]),
                               log_int("attempts", said->end.attempts),
                               log_text("error", said->end.last_error)));
}

static void say(struct event_log *event_log, const struct apply *apply)
{
    for (size_t i = 0; i < apply->said_count; i++) {
        const struct said *said = &apply->said[i];
        if (said->end.status == ERP_PACKAGE_APPLIED)
            say_applied(event_log, apply, said);
        else
            say_refused(event_log, apply, said);
    }
}

/* --- The worker's side ------------------------------------------------------------------------ */

enum err erp_apply_due(struct service *service, struct event_log *event_log, struct arena *arena,
                       bool *ret_was_due)
{
    struct apply apply = {.service = service, .arena = arena};

    enum err err = begin_safely(&apply, event_log);
    if (!err && apply.snapshot) err = enter_snapshot(&apply);
    buf_done(&apply.body);
    if (err) return err;
    say(event_log, &apply);
    *ret_was_due = apply.was_due;
    return ERR_OK;
}

enum err erp_note_progress(struct work *work)
{
    struct erp_applied_rows rows[ERP_APPLYING_MAX];
    size_t count = erp_applying_list(work->service->applying, rows);
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++)
        err = erp_package_set_progress(work, &rows[i].integration_id, rows[i].receipt,
                                       rows[i].attempts, rows[i].rows_done,
                                       work->now_ms + ERP_LEASE_MS);
    return err;
}

enum err erp_release_leases(struct work *work)
{
    return erp_packages_release_leases(work);
}
