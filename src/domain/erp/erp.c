/*
 * Packages are taken in, and asked about. A repeat is known by its event_id alone. The key of the
 * table sees to it, in the transaction that stores a package, that no two copies are both accepted.
 */
#include "domain/erp/erp.h"

#include "core/audit.h"
#include "domain/erp/erp_apply.h"
#include "domain/erp/erp_applying.h"
#include "domain/erp/erp_db.h"
#include "domain/erp/erp_intake.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

const char *const erp_package_type_words[] = {"snapshot", "delta", NULL};
const char *const erp_package_status_words[] = {"accepted", "processing", "applied",
                                                "retry",    "failed",     NULL};

METRIC(erp_package_outcomes, ERP_PACKAGE_TYPES *ERP_PACKAGE_STATUSES, 1,
       .name = "herald_packages_total",
       .help = "Packages of ERPs by the status that they came to; one that is tried again counts "
               "each time.",
       .labels = {"type", "status"}, .words = {erp_package_type_words, erp_package_status_words},
       .word_counts = {ERP_PACKAGE_TYPES, ERP_PACKAGE_STATUSES});

enum {
    DAY_MS = 24 * 3600 * 1000,
    TRIM_PAUSE_MS = 10 * 1000, /* where nothing could go */
    FULL_WAIT_MIN_MS = 1000,
    FULL_WAIT_MAX_MS = 5 * 60 * 1000, /* no package waits longer for its next attempt */
};

/* --- Intake ----------------------------------------------------------------------------------- */

/* Only a snapshot is told, as an event of the day; of changes there may be thousands a second. */
static void note_receipt(struct work *work, const struct uuid *integration_id,
                         const struct erp_package *package, int64_t row_count)
{
    if (package->event_type != ERP_PACKAGE_SNAPSHOT) return;
    work_note(work, LOG_INFO, "snapshot received",
              LOG_FIELDS(log_integration(integration_id), log_id("event_id", package->event_id),
                         log_int("receipt", package->receipt), log_int("rows", row_count),
                         log_int("bytes", package->body_length)));
}

void erp_count(struct work *work, int type, int status)
{
    size_t series = metric_series(&erp_package_outcomes, (size_t)type, (size_t)status);
    work_count(work, &erp_package_outcomes, series, 1);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns how long the package has to wait; 0: it may be stored. There is room for its body once
 * one of those that wait was applied, at its next attempt, and what is kept was looked at since. */
static enum err find_wait(struct work *work, const struct uuid *integration_id,
                          const struct erp_charge *charge, const struct erp_sender *sender,
                          int64_t *ret_wait_ms)
{
    int64_t due_at, wait_ms = erp_quota_wait_ms(charge, &sender->buckets);

    *ret_wait_ms = wait_ms;
    if (!erp_quota_is_full(charge, &sender->keep)) return ERR_OK;
    enum err err = erp_package_select_next_due(work, integration_id, &due_at);
    if (err) return err;
    bool is_unlooked = sender->keep.trim_at <= work->now_ms;
    int64_t free_at = due_at > 0 ? later(due_at, sender->keep.trim_at) : INT64_MAX;
    int64_t free_ms = is_unlooked ? FULL_WAIT_MIN_MS : free_at - work->now_ms;
    if (free_ms > FULL_WAIT_MAX_MS) free_ms = FULL_WAIT_MAX_MS;
    *ret_wait_ms = later(wait_ms, later(free_ms, FULL_WAIT_MIN_MS));
    return ERR_OK;
}

/* A package that was charged and not stored is a repeat, which does not count, or one too many,
 * which it was not when its transaction began. */
static enum err judge_unstored(struct work *work, const struct erp_arrival *arrival,
                               const struct erp_charge *charge, struct erp_refusal *ret_refusal)
{
    const char *event_id = erp_intake_event_id(arrival->intake);
    struct erp_sender sender;
    bool is_stored;

    enum err err = erp_package_is_stored(work, arrival->integration_id, event_id, &is_stored);
    if (err) return err;
    if (is_stored) return erp_charge_undo(work, arrival->integration_id, charge);
    err = erp_sender_select(work, arrival->claims, arrival->integration_id, &sender);
    if (err) return err;
    for (int i = 0; i < ERP_BUCKET_COUNT; i++)
        sender.buckets.full_at[i] -= charge->step_us[i];
    sender.keep.bytes -= charge->kept_bytes;
    err = find_wait(work, arrival->integration_id, charge, &sender, &ret_refusal->wait_ms);
    erp_quota_tell(charge, &sender.buckets, ret_refusal->limits);
    return err ? err : ERR_RATE_LIMITED;
}

static enum err take_new(struct work *work, const struct erp_arrival *arrival,
                         const struct erp_charge *charge, struct erp_sender *sender,
                         struct erp_acceptance *ret_acceptance, struct erp_refusal *ret_refusal)
{
    const struct uuid *integration_id = arrival->integration_id;
    struct erp_body body = erp_intake_body(arrival->intake);
    struct erp_package package = {
        .event_id = arena_text(work->arena, erp_intake_event_id(arrival->intake)),
        .event_type = erp_intake_type(arrival->intake),
        .received_at = work->now_ms,
        .generated_at = body.generated_at,
        .body_length = body.length,
        .warnings = body.warnings,
    };
    bool is_new;

    enum err err =
        erp_package_insert(work, integration_id, &package, body.row_count, charge, &is_new);
    if (!err && is_new) err = erp_body_insert(work, integration_id, package.receipt, body.packed);
    if (!err && !is_new) err = judge_unstored(work, arrival, charge, ret_refusal);
    if (err) return err;
    if (is_new) {
        erp_quota_take(charge, &sender->buckets, &sender->keep);
        erp_quota_tell(charge, &sender->buckets, ret_refusal->limits);
        db_notify(work->tx, ERP_TOPIC);
        note_receipt(work, integration_id, &package, body.row_count);
        erp_count(work, package.event_type, ERP_PACKAGE_ACCEPTED);
    }
    *ret_acceptance =
        (struct erp_acceptance){package.event_id, is_new ? ERP_ACCEPTED : ERP_DUPLICATE};
    return ERR_OK;
}

static enum err check_key(const struct erp_arrival *arrival)
{
    const char *event_id = erp_intake_event_id(arrival->intake);

    if (!event_id) return ERR_OK; /* which is among the faults of the content */
    bool is_it = arrival->key.data && str_is(arrival->key, event_id);
    return is_it ? ERR_OK : ERR_KEY_NOT_EVENT_ID;
}

static enum err check_head(struct work *work, const struct erp_arrival *arrival,
                           struct erp_sender **ret_sender, struct erp_refusal *ret_refusal)
{
    enum err err = erp_sender_find(work, arrival->claims, arrival->integration_id, ret_sender);
    if (!err)
        err = token_authorize(arrival->claims, arrival->integration_id, &(*ret_sender)->standing);
    if (!err) err = erp_intake_check_form(arrival->intake, work->arena, &ret_refusal->detail);
    return err ? err : check_key(arrival);
}

/* Looks whether the package is there already, or has faults. */
static enum err look_closer(struct work *work, const struct erp_arrival *arrival,
                            const struct erp_sender *sender, bool *ret_is_stored,
                            const char **ret_detail)
{
    const char *event_id = erp_intake_event_id(arrival->intake);

    *ret_is_stored = false;
    if (event_id) {
        enum err err =
            erp_package_is_stored(work, arrival->integration_id, event_id, ret_is_stored);
        if (err || *ret_is_stored) return err;
    }
    return erp_intake_check_content(arrival->intake, sender->keeps_absent, work->arena, ret_detail);
}

enum err erp_receive(struct work *work, const struct erp_arrival *arrival,
                     struct erp_acceptance *ret_acceptance, struct erp_refusal *ret_refusal)
{
    struct erp_sender *sender;
    bool is_stored = false;

    enum err err = check_head(work, arrival, &sender, ret_refusal);
    if (err) return err;
    struct erp_charge charge =
        erp_quota_charge(work->service, erp_intake_type(arrival->intake), sender->is_test,
                         erp_intake_body(arrival->intake).packed.len, work->now_ms);
    int64_t wait_ms;
    err = find_wait(work, arrival->integration_id, &charge, sender, &wait_ms);
    if (err) return err;
    /* If a package is good and may be stored, the insert tells whether it is a repeat. */
    if (work->task.is_read || wait_ms > 0 || !erp_intake_is_clean(arrival->intake))
        err = look_closer(work, arrival, sender, &is_stored, &ret_refusal->detail);
    if (err) return err;
    if (is_stored) {
        const char *event_id = arena_text(work->arena, erp_intake_event_id(arrival->intake));
        *ret_acceptance = (struct erp_acceptance){event_id, ERP_DUPLICATE};
        return ERR_OK;
    }
    if (wait_ms > 0) {
        ret_refusal->wait_ms = wait_ms;
        erp_quota_tell(&charge, &sender->buckets, ret_refusal->limits);
        return ERR_RATE_LIMITED;
    }
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    return take_new(work, arrival, &charge, sender, ret_acceptance, ret_refusal);
}

/* --- What ERPs ask ---------------------------------------------------------------------------- */

/* This process knows best how far a package is that it applies itself. */
static void refresh_progress(const struct work *work, const struct uuid *integration_id,
                             struct erp_package *package)
{
    int64_t rows_done;

    if (!package->progress) return;
    if (erp_applying_find(work->service->erp->applying, integration_id, package->receipt,
                          &rows_done))
        package->progress->rows_done = rows_done;
}

static enum err select_one(struct work *work, const struct uuid *integration_id,
                           const char *event_id, struct erp_package *ret_package)
{
    enum err err = erp_package_select(work, integration_id, event_id, ret_package);
    if (!err) refresh_progress(work, integration_id, ret_package);
    return err;
}

enum err erp_read_package(struct work *work, const struct token_claims *claims,
                          const struct uuid *integration_id, const char *event_id,
                          struct erp_package *ret_package)
{
    struct erp_sender sender;
    AUTO_STMT asked = NULL;
    enum err err = erp_package_start(work, integration_id, event_id, &asked);
    if (!err) err = erp_sender_select(work, claims, integration_id, &sender);
    if (!err) err = token_authorize(claims, integration_id, &sender.standing);
    if (!err) err = erp_package_read(work, asked, ret_package);
    if (!err) refresh_progress(work, integration_id, ret_package);
    return err;
}

/* --- What operators ask ----------------------------------------------------------------------- */

/* Shows with each which integration it is of. */
static void name_integration(struct record_list *list, const struct integration *integration)
{
    struct erp_package *packages = list->items;

    for (size_t i = 0; i < list->count; i++) {
        packages[i].integration_id = integration->id;
        packages[i].integration_name = integration->name;
        packages[i].environment = integration->environment;
    }
}

static void refresh_all(const struct work *work, struct record_list *list)
{
    struct erp_package *packages = list->items;

    for (size_t i = 0; i < list->count; i++)
        refresh_progress(work, &packages[i].integration_id, &packages[i]);
}

enum err erp_list_packages(struct work *work, const struct uuid *integration_id,
                           const struct erp_package_filter *filter,
                           struct erp_package_list *ret_list)
{
    static const struct page_key by_receipt = PAGE_BY_NUMBER(struct erp_package, receipt);
    struct erp_package_list list = {.next_cursor = NULL};
    struct page_place before = {.number = INT64_MAX};
    struct integration integration;

    enum err err = page_begin(filter->cursor, &by_receipt, &before);
    if (!err) err = integration_read(work, integration_id, &integration);
    if (!err)
        err = erp_package_select_page(work, integration_id, filter, before.number,
                                      filter->limit + 1, &list.events);
    if (err) return err;
    list.next_cursor = page_end(filter->limit, &by_receipt, &list.events, work->arena);
    name_integration(&list.events, &integration);
    refresh_all(work, &list.events);
    *ret_list = list;
    return ERR_OK;
}

/* Those of one integration are in order of receipt, which is that of time. */
static enum err select_all_page(struct work *work, const struct erp_package_filter *filter,
                                const struct page_place *before, struct record_list *ret_packages)
{
    struct integration integration;

    if (uuid_is_nil(&filter->integration_id))
        return erp_package_select_all(work, filter, before, filter->limit + 1, ret_packages);
    enum err err = integration_read(work, &filter->integration_id, &integration);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    err = erp_package_select_page(work, &integration.id, filter, before->rank, filter->limit + 1,
                                  ret_packages);
    if (!err) name_integration(ret_packages, &integration);
    return err;
}

enum err erp_list_all_packages(struct work *work, const struct erp_package_filter *filter,
                               struct erp_package_list *ret_list)
{
    static const struct page_key by_time =
        PAGE_BY_NUMBER_ID_AND_RANK(struct erp_package, received_at, integration_id, receipt);
    struct erp_package_list list = {.next_cursor = NULL};
    struct page_place before = {.number = INT64_MAX, .rank = INT64_MAX};

    enum err err = page_begin(filter->cursor, &by_time, &before);
    if (!err) err = select_all_page(work, filter, &before, &list.events);
    if (err) return err;
    list.next_cursor = page_end(filter->limit, &by_time, &list.events, work->arena);
    refresh_all(work, &list.events);
    *ret_list = list;
    return ERR_OK;
}

enum err erp_show_package(struct work *work, const struct uuid *integration_id,
                          const char *event_id, struct erp_package *ret_package)
{
    struct integration integration;
    enum err err = integration_read(work, integration_id, &integration);
    if (!err) err = select_one(work, integration_id, event_id, ret_package);
    if (!err) name_integration(&(struct record_list){ret_package, 1}, &integration);
    return err;
}

const char *erp_package_name(struct arena *arena, const struct uuid *integration_id,
                             const char *event_id)
{
    return arena_printf(arena, "%s/%s", uuid_text(integration_id, arena), event_id);
}

enum err erp_show_named_package(struct work *work, const char *name,
                                struct erp_package *ret_package)
{
    struct uuid integration_id;

    if (strlen(name) <= UUID_TEXT_LEN ||
        !uuid_parse((struct str){name, UUID_TEXT_LEN}, &integration_id))
        return ERR_NOT_FOUND;
    enum err err = erp_show_package(work, &integration_id, name + UUID_TEXT_LEN + 1, ret_package);
    if (!err) ret_package->errors = ret_package->warnings = (struct record_list){0};
    return err;
}

/* A package is named by its integration and its event_id. */
static void audit_package(struct work *work, const char *action, const struct uuid *integration_id,
                          const char *event_id)
{
    work_audit(work, action, "package",
               arena_printf(work->arena, "%s/%s", uuid_text(integration_id, work->arena),
                            audit_guard_text(work->arena, event_id)),
               NULL);
}

enum err erp_read_body(struct work *work, const struct uuid *integration_id, const char *event_id,
                       struct buf *ret_body)
{
    struct arena arena;
    struct str packed;
    bool is_stored;

    arena_init_large(&arena, 2 * PACK_MAX);
    buf_done(ret_body);
    buf_init_large(ret_body, ERP_BODY_MAX);
    enum err err = erp_body_select(work, integration_id, event_id, &arena, &packed);
    if (!err) err = unpack(work->service->erp->packs, packed, ERP_BODY_MAX, ret_body);
    arena_done(&arena);
    if (!err) audit_package(work, "package.read_body", integration_id, event_id);
    if (err != ERR_NOT_FOUND) return err;
    err = erp_package_is_stored(work, integration_id, event_id, &is_stored);
    if (err) return err;
    return is_stored ? ERR_PACKAGE_BODY_GONE : ERR_NOT_FOUND;
}

static enum err try_again(struct work *work, const struct uuid *integration_id,
                          const char *event_id, bool *ret_is_due)
{
    enum err err = erp_package_retry(work, integration_id, event_id, ret_is_due);
    if (!err && *ret_is_due) db_notify(work->tx, ERP_TOPIC);
    return err;
}

static void note_operation(struct work *work, const struct uuid *integration_id,
                           const char *event_id, const char *message)
{
    work_note(work, LOG_INFO, message,
              LOG_FIELDS(log_integration(integration_id), log_id("event_id", event_id)));
}

enum err erp_retry_package(struct work *work, const struct uuid *integration_id,
                           const char *event_id)
{
    struct erp_package package;
    bool is_due = false;

    enum err err = erp_package_select(work, integration_id, event_id, &package);
    if (!err) err = try_again(work, integration_id, event_id, &is_due);
    if (err || !is_due) return err;
    note_operation(work, integration_id, event_id, "package is tried again");
    audit_package(work, "package.retry", integration_id, event_id);
    return ERR_OK;
}

enum err erp_release_package(struct work *work, const struct uuid *integration_id,
                             const char *event_id)
{
    struct erp_package package;
    bool is_new = false, is_due = false;

    enum err err = erp_package_select(work, integration_id, event_id, &package);
    if (!err) err = erp_package_set_released(work, integration_id, event_id, &is_new);
    if (!err) err = try_again(work, integration_id, event_id, &is_due);
    /* This is told also of one that waits: from now on it may archive as much as it wants. */
    if (err || (!is_new && !is_due)) return err;
    note_operation(work, integration_id, event_id, "package is released");
    audit_package(work, "package.release", integration_id, event_id);
    return ERR_OK;
}

/* --- Sweeping --------------------------------------------------------------------------------- */

enum err erp_sweep_bodies(struct work *work, int max, int64_t *ret_swept)
{
    int64_t days = work->service->erp->body_days;
    struct record_list bodies = {0};

    *ret_swept = 0;
    if (days == 0) return ERR_OK;
    enum err err = erp_bodies_select_old(work, work->now_ms - days * DAY_MS, max, &bodies);
    if (err) return err;
    *ret_swept = (int64_t)bodies.count;
    return erp_bodies_delete(work, bodies.items, bodies.count);
}

/* Returns how many of the first bodies are too many, and their bytes. */
static size_t count_excess(const struct record_list *bodies, int64_t excess, int64_t *ret_bytes)
{
    const struct kept_body *rows = bodies->items;
    size_t count = 0;

    *ret_bytes = 0;
    while (count < bodies->count && *ret_bytes < excess)
        *ret_bytes += rows[count++].bytes;
    return count;
}

enum err erp_trim_bodies(struct work *work, int max, int64_t *ret_swept)
{
    int64_t bytes, limit = work->service->erp->bodies_max;
    struct record_list bodies = {0};
    struct erp_kept kept;

    *ret_swept = 0;
    enum err err = erp_kept_lock_next(work, &kept);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    int64_t due_at = kept.keep.trim_at;
    if (due_at > work->now_ms && due_at <= work->now_ms + TRIM_PAUSE_MS) return ERR_OK;
    int64_t excess = limit > 0 ? kept.keep.bytes - limit : 0;
    if (excess > 0) err = erp_bodies_select_first(work, &kept.integration_id, max, &bodies);
    if (err) return err;
    size_t count = count_excess(&bodies, excess, &bytes);
    err = erp_bodies_delete(work, bodies.items, count);
    if (err) return err;
    *ret_swept = max; /* which says that there may be more, of this integration or of another one */
    /* The integration is looked at again when it has stored more or, where nothing of it may go
     * until more of its packages are applied, after a while. */
    int64_t trim_at = bytes >= excess ? 0 : work->now_ms + (bytes > 0 ? 0 : TRIM_PAUSE_MS);
    return erp_kept_set_trim(work, &kept.integration_id, trim_at);
}

struct recount {
    struct work work;
    struct uuid id;   /* of the integration that was counted last; nil: none was */
    struct uuid next; /* of the one at hand */
};

static enum err run_recount(struct work *work)
{
    struct recount *recount = CONTAINER_OF(work, struct recount, work);
    recount->next = recount->id;
    return erp_kept_recount(work, &recount->next);
}

enum err erp_recount_bodies(struct service *service)
{
    struct recount recount = {.next = {{0}}};
    struct arena arena;
    enum err err = ERR_OK;

    arena_init(&arena);
    while (!err) {
        recount.id = recount.next;
        work_init(&recount.work, service, &arena, clock_now_ms(), NULL);
        err = work_run(&recount.work, service->exchange, run_recount);
    }
    arena_done(&arena);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
