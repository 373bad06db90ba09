/*
 * Packages are applied in turns. A turn finds what is due of one integration and holds its catalog:
 * it applies packages of changes there and then, or begins a snapshot, which is written and ended
 * in transactions of its own.
 */
#include "domain/erp/erp_apply.h"

#include "core/event.h"
#include "core/service.h"
#include "domain/erp/erp_applying.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"
#include "kit/pack/pack.h"

#define BODY_GONE   "The stored body is gone."
#define OUR_MISTAKE "herald made a mistake; its own log tells more."
#define OVERLOADED  "herald is overloaded at the moment: it lacks memory, or has too much to do."
#define NEVER_ENDED "Attempts to apply the package ended without a result, again and again."

enum { BROKEN_ATTEMPTS_MAX = 3 }; /* that are followed by the next at once */

METRIC(erp_apply_seconds, ERP_PACKAGE_TYPES, METRIC_HISTOGRAM_CELLS,
       .name = "herald_package_apply_seconds",
       .help = "How long it took to bring a package into its catalog.", .type = METRIC_HISTOGRAM,
       .labels = {"type"}, .words = {erp_package_type_words}, .word_counts = {ERP_PACKAGE_TYPES, 1},
       .bounds = &metric_bounds_apply);

/* An attempt that has ended, for the log. */
struct ended {
    struct due_package package;
    struct apply_end end;
};

enum turn_state {
    TURN_EMPTY, /* nothing is due */
    TURN_TAKEN, /* another one has begun with what was due, or it is set aside: look again */
    TURN_OURS,
};

struct turn {
    struct service *service;
    struct event_log *event_log;
    struct arena *arena;
    struct work work;                    /* of the transaction at hand ... */
    enum err (*part)(struct turn *turn); /* ... and what is done in it */
    enum turn_state state;
    struct due_skips skips;         /* integrations that are not looked at */
    struct uuid integration_id;     /* nil: none was found */
    struct due_list due;            /* of it */
    struct due_package *at;         /* the one that is being applied; NULL: none */
    int64_t began_us;               /* with it, by the monotonic clock */
    struct arena packed_arena;      /* for ... */
    struct str packed;              /* its body, as it is stored ... */
    struct buf body;                /* ... and as it was sent */
    struct erp_applied applied;     /* a snapshot */
    struct catalog_outcome outcome; /* what the catalog said of it */
    struct ended ended[ERP_APPLY_PACKAGES_MAX];
    size_t ended_count;
};

static enum err run_part(struct work *work)
{
    struct turn *turn = CONTAINER_OF(work, struct turn, work);
    turn->ended_count = 0;
    return turn->part(turn);
}

static enum err run(struct turn *turn, bool is_read, enum err (*part)(struct turn *turn))
{
    turn->part = part;
    work_init(&turn->work, turn->service, turn->arena, clock_now_ms(), NULL);
    turn->work.task.is_read = is_read;
    return work_run(&turn->work, turn->service->exchange, run_part);
}

/* --- Endings ---------------------------------------------------------------------------------- */

int64_t erp_retry_delay_ms(int64_t attempts)
{
    static const int delays_s[] = {5, 15, 30, 60, 120};
    enum { LATER_S = 300, COUNT = COUNT_OF(delays_s) };
    bool is_early = attempts >= 1 && attempts <= COUNT;
    return 1000 * (is_early ? delays_s[attempts - 1] : LATER_S);
}

/* A package that will be tried again has no event. */
static void tell_end(struct turn *turn, const struct due_package *due, int status)
{
    struct work *work = &turn->work;
    if (!work_is_heard(work) || (status != ERP_PACKAGE_APPLIED && status != ERP_PACKAGE_FAILED))
        return;
    const char *id = erp_package_name(work->arena, &turn->integration_id, due->event_id);
    work_event(work, status == ERP_PACKAGE_APPLIED ? EVENT_PACKAGE_APPLIED : EVENT_PACKAGE_FAILED,
               id);
}

/* Records what the attempt has come to: `err` is what the catalog said. ERR_LEASE_LOST: somebody
 * else has ended it. */
static enum err end_attempt(struct turn *turn, const struct due_package *due, enum err err,
                            int64_t attempts)
{
    const struct catalog_outcome *outcome = &turn->outcome;
    /* Not work.now_ms: a snapshot may have taken seconds, and waits are counted from its end. */
    int64_t now_ms = clock_now_ms(), due_at = now_ms + erp_retry_delay_ms(attempts);
    struct apply_end end = {.attempts = attempts, .ended_at = now_ms};
    bool is_ended, is_final = outcome->is_final || now_ms >= due->give_up_at;

    if (!err) {
        end.status = ERP_PACKAGE_APPLIED;
        end.result = outcome->result;
        end.rows_done = due->row_count;
    } else {
        /* The last try is at the end of its time. */
        if (due_at > due->give_up_at) due_at = due->give_up_at;
        end.status = is_final ? ERP_PACKAGE_FAILED : ERP_PACKAGE_RETRY;
        end.due_at = is_final ? 0 : due_at;
        end.last_error = outcome->problem;
        end.errors = outcome->faults;
    }
    err = erp_package_end(&turn->work, &turn->integration_id, due, &end, &is_ended);
    if (err) return err;
    if (!is_ended) return ERR_LEASE_LOST;
    tell_end(turn, due, end.status);
    turn->ended[turn->ended_count++] = (struct ended){*due, end};
    erp_count(&turn->work, due->type, end.status);
    if (end.status == ERP_PACKAGE_APPLIED)
        work_count(&turn->work, &erp_apply_seconds, (size_t)due->type,
                   clock_monotonic_us() - turn->began_us);
    return ERR_OK;
}

/* Returns whether it is herald itself that cannot cope with the package: by a mistake, or for lack
 * of memory. Then it is tried again later, and others go on meanwhile. */
static bool is_own_trouble(enum err err)
{
    return err == ERR_INTERNAL || err == ERR_UNIQUE || err == ERR_OVERLOADED;
}

static void set_problem(struct turn *turn, const char *problem, bool is_final)
{
    turn->outcome = (struct catalog_outcome){.problem = problem, .is_final = is_final};
}

static void set_own_trouble(struct turn *turn, enum err err)
{
    set_problem(turn, err == ERR_OVERLOADED ? OVERLOADED : OUR_MISTAKE, false);
}

/* --- Bodies ----------------------------------------------------------------------------------- */

static enum err select_body(struct turn *turn)
{
    arena_done(&turn->packed_arena); /* of a run before, which was undone */
    return erp_due_select_body(&turn->work, &turn->integration_id, turn->at->receipt,
                               &turn->packed_arena, &turn->packed);
}

/* Loads the body of the package at hand. ERR_PACKAGE_REFUSED with the outcome, as the catalog says
 * it: it is gone or damaged. ERR_OVERLOADED: there is no memory for it now. A snapshot is unpacked
 * with no transaction open, whose thread others wait for. */
static enum err load_body(struct turn *turn)
{
    size_t length = (size_t)turn->at->body_length;
    bool is_snapshot = turn->at->type == ERP_PACKAGE_SNAPSHOT;

    enum err err = is_snapshot ? run(turn, true, select_body) : select_body(turn);
    bool is_gone = err == ERR_NOT_FOUND;
    if (!err) {
        buf_done(&turn->body);
        buf_init_large(&turn->body, length);
        err = unpack(turn->service->erp->packs, turn->packed, length, &turn->body);
    }
    arena_done(&turn->packed_arena);
    if (!is_gone && err != ERR_INTERNAL) return err;
    set_problem(turn, is_gone ? BODY_GONE : CATALOG_DAMAGED, true);
    return ERR_PACKAGE_REFUSED;
}

static struct catalog_package package_of(const struct turn *turn, struct catalog_progress *progress)
{
    return (struct catalog_package){
        .integration_id = turn->integration_id,
        .receipt = turn->at->receipt,
        .body = buf_view(&turn->body),
        .is_released = turn->at->is_released,
        .progress = progress,
    };
}

/* --- Packages of changes ---------------------------------------------------------------------- */

/* Applies the packages of changes up to the next snapshot. */
static enum err apply_changes(struct turn *turn)
{
    struct catalog_progress progress = {0};
    int64_t rows = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < turn->due.count; i++) {
        struct due_package *due = &turn->due.items[i];
        rows += due->row_count;
        if (due->type == ERP_PACKAGE_SNAPSHOT || (i > 0 && rows > ERP_APPLY_ROWS_MAX)) break;
        turn->at = due;
        turn->began_us = clock_monotonic_us();
        err = load_body(turn);
        if (!err) {
            struct catalog_package package = package_of(turn, &progress);
            err = catalog_apply_changes(&turn->work, &package, &turn->outcome);
        }
        if (!err || err == ERR_PACKAGE_REFUSED)
            err = end_attempt(turn, due, err, due->attempts + 1);
    }
    return err;
}

/* Refuses the one at hand, after what it had written is undone. */
static enum err refuse_changes(struct turn *turn)
{
    return end_attempt(turn, turn->at, ERR_PACKAGE_REFUSED, turn->at->attempts + 1);
}

/* --- Snapshots -------------------------------------------------------------------------------- */

static enum err begin_snapshot(struct turn *turn, struct due_package *due)
{
    bool is_begun;
    enum err err = erp_package_begin(&turn->work, &turn->integration_id, due,
                                     turn->work.now_ms + ERP_LEASE_MS, &is_begun);
    if (err || !is_begun) return err;
    due->status = ERP_PACKAGE_PROCESSING; /* as it is stored from now on */
    due->attempts++;
    turn->at = due;
    return ERR_OK;
}

static enum err write_snapshot(struct turn *turn)
{
    struct work *work = &turn->work;
    const struct uuid *id = &turn->integration_id;
    struct catalog_package package = package_of(turn, &turn->applied.progress);
    struct integration integration;
    bool is_held, is_ours;

    enum err err = erp_package_is_ours(work, id, turn->at, &is_ours);
    if (err) return err;
    if (!is_ours) return ERR_LEASE_LOST;
    err = catalog_try_hold(work, id, &is_held);
    if (err) return err;
    /* Another one that looks for due packages holds it, and gives it back at once. */
    if (!is_held) return ERR_TX_RETRY;

    err = integration_read(work, id, &integration);
    if (err) return err;
    package.archive_share_ppm = integration_archive_share_ppm(&integration, turn->service);
    package.keeps_absent = integration.absent == ABSENT_KEEP;
    err = catalog_apply_snapshot(work, &package, &turn->outcome);
    if (!err) err = end_attempt(turn, turn->at, ERR_OK, turn->at->attempts);
    return err ? err : erp_packages_wake(work, id); /* what it brought is what they waited for */
}

static enum err refuse_snapshot(struct turn *turn)
{
    const struct due_package *due = turn->at;
    bool is_released, is_ended;

    enum err err = erp_package_is_released(&turn->work, &turn->integration_id, due, &is_released);
    if (err) return err;
    if (!is_released || due->is_released)
        return end_attempt(turn, due, ERR_PACKAGE_REFUSED, due->attempts);
    /* An operator lifted the brake while the package ran into it: it is due again. */
    struct apply_end end = {
        .status = ERP_PACKAGE_ACCEPTED,
        .attempts = due->attempts,
        .ended_at = turn->work.now_ms,
        .due_at = turn->work.now_ms,
    };
    return erp_package_end(&turn->work, &turn->integration_id, due, &end, &is_ended);
}

static enum err apply_snapshot(struct turn *turn)
{
    struct erp_applying *applying = turn->service->erp->applying;

    turn->applied = (struct erp_applied){.integration_id = turn->integration_id,
                                         .receipt = turn->at->receipt,
                                         .attempts = turn->at->attempts};
    turn->began_us = clock_monotonic_us();
    erp_applying_enter(applying, &turn->applied);
    enum err err = load_body(turn);
    if (!err) err = run(turn, false, write_snapshot);
    if (is_own_trouble(err)) {
        set_own_trouble(turn, err);
        err = ERR_PACKAGE_REFUSED;
    }
    buf_done(&turn->body); /* memory may be short, also for the refusal */
    if (err == ERR_PACKAGE_REFUSED) err = run(turn, false, refuse_snapshot);
    erp_applying_leave(applying, &turn->applied);
    /* With any other error the package stays as it is until its lease ends. */
    if (err != ERR_LEASE_LOST) return err;
    turn->ended_count = 0;
    return ERR_OK;
}

/* --- A turn ----------------------------------------------------------------------------------- */

/* Finds the next integration of which something is due and that nobody else works on, and holds it
 * until the end of the transaction. TURN_TAKEN: another one has begun with it since it was found,
 * and needs it; so this transaction must do nothing else. */
static enum err find_due(struct turn *turn)
{
    struct due_skips skips = turn->skips;
    struct uuid *id = &turn->integration_id;
    bool is_held = false;

    turn->state = TURN_EMPTY;
    while (!is_held && skips.count < ERP_SKIPS_MAX) {
        *id = (struct uuid){0};
        enum err err = erp_due_select_integration(&turn->work, &skips, id);
        if (!err) err = catalog_try_hold(&turn->work, id, &is_held);
        if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
        skips.ids[skips.count++] = *id;
    }
    if (!is_held) return ERR_OK;
    enum err err = erp_due_select(&turn->work, id, ERP_APPLY_PACKAGES_MAX, &turn->due);
    if (!err) turn->state = turn->due.count > 0 ? TURN_OURS : TURN_TAKEN;
    return err ? err : integration_learn_name(&turn->work, id); /* for what the log says of it */
}

static enum err begin(struct turn *turn)
{
    turn->at = NULL;
    enum err err = find_due(turn);
    if (err || turn->state != TURN_OURS) return err;

    struct due_package *first = turn->due.items;
    /* Whoever processed it before did not come to its end. A package that takes the process down
     * with it must not do so for ever, nor hold up those behind it. */
    if (first->status == ERP_PACKAGE_PROCESSING &&
        (first->attempts >= BROKEN_ATTEMPTS_MAX || turn->work.now_ms >= first->give_up_at)) {
        set_problem(turn, NEVER_ENDED, false);
        return end_attempt(turn, first, ERR_PACKAGE_REFUSED, first->attempts);
    }
    return first->type == ERP_PACKAGE_SNAPSHOT ? begin_snapshot(turn, first) : apply_changes(turn);
}

/* Begins the next one that is due; each look has a transaction of its own. */
static enum err begin_next(struct turn *turn)
{
    struct due_skips *skips = &turn->skips;

    skips->count = erp_applying_list_aside(turn->service->erp->applying, skips->ids);
    for (;;) {
        enum err err = run(turn, false, begin);
        if (err || turn->state != TURN_TAKEN || skips->count == ERP_SKIPS_MAX) return err;
        skips->ids[skips->count++] = turn->integration_id;
    }
}

/* Sets an integration aside whose trouble cannot even be recorded with the package. Where too many
 * are set aside already, the error stays, so that the worker takes its time. */
static enum err set_aside(struct turn *turn, enum err err)
{
    erp_applying_set_aside(turn->service->erp->applying, &turn->integration_id,
                           clock_monotonic_ms() + ERP_ASIDE_MS);
    event_log_write(turn->event_log, LOG_ERROR,
                    "packages of an integration are set aside for a minute",
                    LOG_FIELDS(log_integration(&turn->integration_id),
                               log_plain("error", err_info(err)->code)));
    if (turn->skips.count >= ERP_ASIDE_MAX) return err;
    turn->state = TURN_TAKEN;
    turn->at = NULL;
    turn->ended_count = 0;
    return ERR_OK;
}

/* Begins so that neither a package nor an integration that herald itself cannot cope with holds up
 * those behind it. */
static enum err begin_safely(struct turn *turn)
{
    enum err err = begin_next(turn);
    if (is_own_trouble(err) && turn->at && turn->at->type == ERP_PACKAGE_DELTA) {
        set_own_trouble(turn, err);
        err = run(turn, false, refuse_changes);
    }
    if (is_own_trouble(err) && !uuid_is_nil(&turn->integration_id)) return set_aside(turn, err);
    if (err != ERR_LEASE_LOST) return err;
    turn->ended_count = 0; /* nothing of it was kept */
    return ERR_OK;
}

/* --- The log ---------------------------------------------------------------------------------- */

static void log_applied(const struct turn *turn, const struct ended *ended)
{
    const struct catalog_result *result = &ended->end.result;

    event_log_write(
        turn->event_log, LOG_INFO, "package applied",
        LOG_FIELDS(
            log_integration(&turn->integration_id), log_id("event_id", ended->package.event_id),
            log_plain("event_type", erp_package_type_words[ended->package.type]),
            log_int("attempts", ended->end.attempts), log_int("added", result->products->added),
            log_int("changed", result->products->changed),
            log_int("archived", result->products->archived),
            log_int("prices_changed", result->prices->changed),
            log_int("stocks_changed", result->stocks->changed),
            log_int("superseded", result->prices->superseded + result->stocks->superseded),
            log_int("ms", clock_now_ms() - ended->package.received_at)));
}

/* Returns what an operator types to have the package applied all the same. */
static const char *release_command(const struct turn *turn, const struct due_package *package)
{
    return arena_printf(turn->arena, "herald admin packages release %s %s",
                        uuid_text(&turn->integration_id, turn->arena),
                        terminal_quote(package->event_id, turn->arena));
}

/* While the same problem goes on, the first warning is enough. */
static void log_refused(const struct turn *turn, const struct ended *ended)
{
    const char *before = ended->package.last_error;
    bool is_failed = ended->end.status == ERP_PACKAGE_FAILED;

    if (!is_failed && before && strcmp(before, ended->end.last_error) == 0) return;
    bool is_braked = strcmp(ended->end.last_error, CATALOG_ARCHIVE_LIMIT) == 0;
    const struct catalog_row_fault *faults = ended->end.errors.items;
    const char *detail = is_braked && ended->end.errors.count > 0 ? faults->message : NULL;
    event_log_write(
        turn->event_log, is_failed ? LOG_ERROR : LOG_WARNING,
        is_failed ? "package failed" : "package cannot be applied yet",
        LOG_FIELDS(
            log_integration(&turn->integration_id), log_id("event_id", ended->package.event_id),
            log_plain("event_type", erp_package_type_words[ended->package.type]),
            log_int("attempts", ended->end.attempts), log_plain("error", ended->end.last_error),
            log_plain("detail", detail),
            log_plain("command", is_braked ? release_command(turn, &ended->package) : NULL)));
}

/* --- The worker's side ------------------------------------------------------------------------ */

enum err erp_apply_due(struct service *service, struct event_log *event_log, struct arena *arena,
                       bool *ret_was_due)
{
    struct turn turn = {.service = service, .event_log = event_log, .arena = arena};

    arena_init_large(&turn.packed_arena, 2 * PACK_MAX);
    enum err err = begin_safely(&turn);
    if (!err && turn.at && turn.at->type == ERP_PACKAGE_SNAPSHOT) err = apply_snapshot(&turn);
    buf_done(&turn.body);
    arena_done(&turn.packed_arena);
    if (err) return err;
    for (size_t i = 0; i < turn.ended_count; i++) {
        if (turn.ended[i].end.status == ERP_PACKAGE_APPLIED)
            log_applied(&turn, &turn.ended[i]);
        else
            log_refused(&turn, &turn.ended[i]);
    }
    *ret_was_due = turn.state != TURN_EMPTY;
    return ERR_OK;
}

enum err erp_note_progress(struct work *work)
{
    struct erp_applied_rows rows[ERP_APPLYING_MAX];
    size_t count = erp_applying_list(work->service->erp->applying, rows);
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++)
        err = erp_package_set_progress(work, &rows[i].integration_id, rows[i].receipt,
                                       rows[i].attempts, rows[i].rows_done,
                                       work->now_ms + ERP_LEASE_MS);
    return err;
}
