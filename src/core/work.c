/* A unit of work keeps the notes of its transaction until that is durable. Behind its last
 * statement it looks whether what it sealed holds, and writes its events and what it leaves for the
 * audit. */
#include "core/audit.h"
#include "core/event.h"
#include "core/service.h"
#include "kit/base/tally.h"

void work_init(struct work *work, struct service *service, struct arena *arena, int64_t now_ms,
               const char *request_id)
{
    *work = (struct work){
        .arena = arena, .now_ms = now_ms, .service = service, .request_id = request_id};
    work->notes_end = &work->notes;
    work->audits_end = &work->audits;
    work->events_end = &work->events;
}

void work_restart(struct work *work, struct db_tx *tx)
{
    work->tx = tx;
    work->notes = NULL;
    work->notes_end = &work->notes;
    work->counts = NULL;
    work->audits = NULL;
    work->audits_end = &work->audits;
    event_forget(work);
    work->key_in_force = NULL;
}

static enum route_store store_of_db(const struct work *work, const struct db *db)
{
    bool is_exchange = work->service && db == work->service->exchange;
    return is_exchange ? STORE_EXCHANGE : STORE_VERIFICATION;
}

static enum err run_task(struct db_task *task, struct db_tx *tx)
{
    struct work *work = (struct work *)task;
    work_restart(work, tx);
    enum err err = work->run(work);
    if (!err) err = work_check_seals(work);
    if (!err) err = event_write(work);
    return err ? err : audit_write(work);
}

static enum err run_waited_for(void *arg, struct db_tx *tx)
{
    struct work *work = arg;
    return run_task(&work->task, tx);
}

static void count_all(struct work *work)
{
    for (const struct work_count *count = work->counts; count; count = count->next) {
        if (!count->metric)
            tally_add(count->name, count->key, count->outcome);
        else if (count->metric->type == METRIC_COUNTER)
            metric_add(count->metric, count->series, (uint64_t)count->amount);
        else
            metric_observe(count->metric, count->series, count->amount);
    }
    work->counts = NULL;
}

enum err work_run(struct work *work, struct db *db, enum err (*run)(struct work *work))
{
    work->run = run;
    work->store = store_of_db(work, db);
    enum err err = db_run(db, work->task.is_read, run_waited_for, work);
    event_forget(work);
    if (!err) count_all(work);
    return err;
}

static void end_task(struct db_task *task, enum err err)
{
    struct work *work = (struct work *)task;
    event_forget(work);
    if (!err) count_all(work);
    work->end(work, err);
}

enum err work_start(struct work *work, struct db *db, enum err (*run)(struct work *work),
                    void (*end)(struct work *work, enum err err))
{
    work->run = run;
    work->end = end;
    work->store = store_of_db(work, db);
    work->task = (struct db_task){.run = run_task,
                                  .done = end_task,
                                  .is_read = work->task.is_read,
                                  .is_whole = work->task.is_whole,
                                  .is_bounded = work->task.is_bounded,
                                  .group = work->task.group};
    return db_submit(db, &work->task);
}

void work_count(struct work *work, const struct metric *metric, size_t series, int64_t amount)
{
    struct work_count *count = ARENA_NEW(work->arena, struct work_count);
    *count = (struct work_count){
        .next = work->counts, .metric = metric, .series = series, .amount = amount};
    work->counts = count;
}

void work_tally(struct work *work, const char *name, const char *key, const char *outcome)
{
    struct work_count *count = ARENA_NEW(work->arena, struct work_count);
    *count = (struct work_count){.next = work->counts,
                                 .name = name,
                                 .key = arena_text(work->arena, key),
                                 .outcome = outcome};
    work->counts = count;
}

static struct log_field *copy_fields(struct arena *arena, const struct log_field *fields,
                                     size_t count)
{
    struct log_field *copies = arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        copies[i] = fields[i];
        copies[i].name = arena_text(arena, fields[i].name);
        copies[i].text = arena_text(arena, fields[i].text);
    }
    return copies;
}

void work_note(struct work *work, enum log_level level, const char *message,
               const struct log_field *fields, size_t field_count)
{
    struct work_note *note = ARENA_NEW(work->arena, struct work_note);
    note->level = level;
    note->message = arena_text(work->arena, message);
    note->fields = copy_fields(work->arena, fields, field_count);
    note->field_count = field_count;
    *work->notes_end = note;
    work->notes_end = &note->next;
}
