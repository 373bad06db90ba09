/*
 * The worker's side: each step is a batch of one phase, in one transaction that also stores how far
 * the job is. Of orders the batch is in the other store, before; a crash in between repeats it, and
 * finds those orders done.
 */
#include "core/event.h"
#include "core/personal.h"
#include "core/sealed.h"
#include "core/service.h"
#include "domain/event_log/event_log.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/order/order.h"
#include "domain/otp/otp.h"
#include "domain/subject/subject_db.h"
#include "kit/base/macros.h"

enum { BATCH = 50, LOG_BATCH = 5000 };

struct step {
    struct work work;
    struct service *service;
    struct subject_job job;  /* as it was */
    struct subject_job done; /* where it is then, and what this step adds */
    const char *number;
    struct subject_export found;
    bool has_erasures; /* of a store, which the feed has not taken yet */
    const char *text;  /* of `found` */
};

static struct step *step_of(struct work *work)
{
    return CONTAINER_OF(work, struct step, work);
}

/* --- Erasing ---------------------------------------------------------------------------------- */

static void go_on(struct step *step, bool has_more)
{
    step->done.phase = step->job.phase + !has_more;
    step->done.place = has_more ? step->done.place : 0;
}

static enum err erase_orders(struct work *work)
{
    struct step *step = step_of(work);
    uint8_t customer[SECRET_HASH_LEN];

    personal_hash(work, step->number, customer);
    enum err err =
        order_erase_of(work, customer, BATCH, &step->done.orders, &step->done.orders_waiting);
    go_on(step, step->done.orders == BATCH);
    return err;
}

static enum err erase_codes(struct work *work)
{
    struct step *step = step_of(work);
    enum err err = otp_erase_of(work, step->number, BATCH, &step->done.codes);
    go_on(step, step->done.codes == BATCH);
    return err;
}

static enum err erase_calls(struct work *work)
{
    struct step *step = step_of(work);
    enum err err = inbound_call_erase_of(work, step->number, BATCH, &step->done.calls);
    go_on(step, step->done.calls == BATCH);
    return err;
}

static enum err erase_messages(struct work *work)
{
    struct step *step = step_of(work);
    enum err err = message_erase_of(work, step->number, BATCH, &step->done.messages);
    go_on(step, step->done.messages == BATCH);
    return err;
}

static enum err delete_exports(struct work *work)
{
    uint8_t mark[SECRET_HASH_LEN];

    personal_hash(work, step_of(work)->number, mark);
    return subject_delete_exports(work, mark);
}

/* An export may have read the log until its last batch is done. */
static enum err erase_log(struct work *work)
{
    struct step *step = step_of(work);
    bool has_more;

    step->done.place = step->job.place;
    enum err err = event_log_erase(work, step->number, LOG_BATCH, &step->done.place, &has_more,
                                   &step->done.log_entries);
    if (err) return err;
    go_on(step, has_more);
    return has_more ? ERR_OK : delete_exports(work);
}

static enum err (*const erasers[])(struct work *work) = {
    [SUBJECT_ORDERS] = erase_orders, [SUBJECT_CODES] = erase_codes,
    [SUBJECT_CALLS] = erase_calls,   [SUBJECT_MESSAGES] = erase_messages,
    [SUBJECT_LOG] = erase_log,
};
static_assert(COUNT_OF(erasers) == SUBJECT_FILES, "each phase but the last erases");

static enum err save(struct work *work)
{
    struct step *step = step_of(work);
    return subject_save(work, &step->job, &step->done);
}

static enum err erase_and_save(struct work *work)
{
    enum err err = erasers[step_of(work)->job.phase](work);
    return err ? err : save(work);
}

static enum err finish_erasing(struct work *work)
{
    return subject_finish(work, &step_of(work)->job, (struct str){NULL, 0});
}

static enum err look_for_erasures(struct work *work)
{
    return outbox_has_erasures(work, &step_of(work)->has_erasures);
}

/* The publisher takes what was told of the person out of the feed. ERR_OVERLOADED: not all yet. */
static enum err check_feed(struct step *step)
{
    struct service *service = step->service;
    enum err err = work_run(&step->work, service->verification, look_for_erasures);
    bool has_erasures = step->has_erasures;

    if (!err) err = work_run(&step->work, service->exchange, look_for_erasures);
    if (err) return err;
    return has_erasures || step->has_erasures ? ERR_OVERLOADED : ERR_OK;
}

/* While a backup reads, a log of writes cannot be emptied: then the job waits, behind others. */
static enum err empty_files(struct step *step, bool *ret_goes_on)
{
    struct service *service = step->service;
    enum err err = check_feed(step);

    if (!err) err = db_empty_log(service->verification);

    if (!err) err = db_empty_log(service->exchange);
    if (!err) return work_run(&step->work, service->verification, finish_erasing);
    *ret_goes_on = false;
    if (err != ERR_OVERLOADED) return err;
    step->done.phase = step->job.phase;
    return work_run(&step->work, service->verification, save);
}

static enum err erase(struct step *step, bool *ret_goes_on)
{
    struct service *service = step->service;

    if (step->job.phase == SUBJECT_FILES) return empty_files(step, ret_goes_on);
    if (step->job.phase != SUBJECT_ORDERS)
        return work_run(&step->work, service->verification, erase_and_save);
    enum err err = work_run(&step->work, service->exchange, erase_orders);
    return err ? err : work_run(&step->work, service->verification, save);
}

/* --- Exporting -------------------------------------------------------------------------------- */

static void cut(struct step *step, struct record_list *list, size_t max)
{
    if (list->count <= max) return;
    list->count = max;
    step->found.is_cut = true;
}

static enum err find_orders(struct work *work)
{
    struct step *step = step_of(work);
    uint8_t customer[SECRET_HASH_LEN];

    personal_hash(work, step->number, customer);
    return order_select_of(work, customer, SUBJECT_FOUND_MAX + 1, &step->found.orders);
}

static enum err find_records(struct work *work)
{
    struct step *step = step_of(work);
    const struct search_query search = {.number = step->number,
                                        .page = {.limit = SUBJECT_FOUND_MAX + 1}};
    struct otp_list codes;
    struct call_challenge_list calls;
    struct message_list messages;

    enum err err =
        otp_list(work, &(struct otp_filter){.search = search, .state = -1, .channel = -1}, &codes);
    if (!err)
        err = inbound_call_list(
            work, &(struct call_challenge_filter){.search = search, .state = -1}, &calls);
    if (!err)
        err = message_list(work,
                           &(struct message_filter){.search = search, .state = -1, .channel = -1},
                           &messages);
    if (err) return err;
    step->found.codes = codes.codes;
    step->found.calls = calls.challenges;
    step->found.messages = messages.messages;
    return ERR_OK;
}

static enum err find_in_log(struct work *work)
{
    struct step *step = step_of(work);
    return event_log_find(work, step->number, LOG_BATCH, &step->done.place, SUBJECT_FOUND_MAX + 1,
                          &step->found.log_entries);
}

static enum err keep_found(struct work *work)
{
    struct step *step = step_of(work);
    struct str sealed;

    enum err err = work_seal(work, SEALED_SUBJECT_RESULT, uuid_view(&step->job.id),
                             str_of(step->text), &sealed);
    if (!err) err = save(work);
    return err ? err : subject_finish(work, &step->job, sealed);
}

/* As many of the newest as there is room for, and the same many of each kind. */
static void write_found(struct step *step)
{
    struct subject_export *found = &step->found;
    struct record_list *const lists[] = {&found->codes, &found->calls, &found->messages,
                                         &found->orders, &found->log_entries};

    for (size_t max = SUBJECT_FOUND_MAX; !step->text; max /= 2) {
        for (size_t i = 0; i < COUNT_OF(lists); i++)
            cut(step, lists[i], max);
        step->text = subject_export_write(found, step->work.arena);
    }
}

static void count_found(struct step *step)
{
    const struct subject_export *found = &step->found;

    step->done.codes = (int64_t)found->codes.count;
    step->done.calls = (int64_t)found->calls.count;
    step->done.messages = (int64_t)found->messages.count;
    step->done.orders = (int64_t)found->orders.count;
    step->done.log_entries = (int64_t)found->log_entries.count;
    step->done.phase = step->job.phase;
    step->done.place = step->job.place;
}

/* An export writes nothing before its end; after a crash it is made anew. */
static enum err export(struct step *step) {
    struct service *service = step->service; enum err err;

    step->work.task.is_read = true;
    err = work_run(&step->work, service->exchange, find_orders);
    if (!err) err = work_run(&step->work, service->verification, find_records);
    for (step->done.place = 0; !err && step->done.place >= 0;)
        err = work_run(&step->work, service->verification, find_in_log);
    if (err) return err;
    write_found(step);
    count_found(step);
    step->work.task.is_read = false;
    return work_run(&step->work, service->verification, keep_found);
}

/* --- The job whose turn it is ----------------------------------------------------------------- */

static enum err select_next(struct work *work)
{
    return subject_select_next(work, &step_of(work)->job);
}

static enum err take_step(struct step *step, bool *ret_goes_on)
{
    struct vault_place place = sealed_at(SEALED_SUBJECT_NUMBER, uuid_view(&step->job.id));
    enum err err = vault_open_text(step->service->vault, place, step->job.number, step->work.arena,
                                   &step->number);
    if (err) return err;
    *ret_goes_on = true;
    step->done = (struct subject_job){.id = step->job.id};
    return step->job.kind == SUBJECT_ERASE ? erase(step, ret_goes_on) : export(step);
}

static enum err postpone(struct work *work)
{
    return subject_postpone(work, &step_of(work)->job.id);
}

/* A job that fails goes behind the others, so that it is in nobody's way. */
static enum err take_next(struct step *step, bool *ret_goes_on)
{
    struct db *db = step->service->verification;

    step->work.task.is_read = true;
    enum err err = work_run(&step->work, db, select_next);
    step->work.task.is_read = false;
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    err = take_step(step, ret_goes_on);
    if (!err) return ERR_OK;
    step->work.task.is_read = false; /* an export may have failed where it reads */
    enum err second = work_run(&step->work, db, postpone);
    (void)second; /* the first one is told */
    return err;
}

enum err subject_pass(struct service *service, int64_t now_ms, bool *ret_goes_on)
{
    struct arena arena;
    struct step step = {.service = service};

    *ret_goes_on = false;
    arena_init(&arena);
    work_init(&step.work, service, &arena, now_ms, NULL);
    enum err err = take_next(&step, ret_goes_on);
    arena_done(&arena);
    return err;
}
