/* A unit of work keeps the notes of its transaction until that is durable. */
#include "core/work.h"

void work_init(struct work *work, struct service *service, struct arena *arena, int64_t now_ms,
               const char *request_id)
{
    *work = (struct work){
        .arena = arena, .now_ms = now_ms, .service = service, .request_id = request_id};
    work->notes_end = &work->notes;
}

void work_restart(struct work *work, struct db_tx *tx)
{
    work->tx = tx;
    work->notes = NULL;
    work->notes_end = &work->notes;
}

static enum err run_task(struct db_task *task, struct db_tx *tx)
{
    struct work *work = (struct work *)task;
    work_restart(work, tx);
    return work->run(work);
}

static enum err run_waited_for(void *arg, struct db_tx *tx)
{
    struct work *work = arg;
    return run_task(&work->task, tx);
}

enum err work_run(struct work *work, struct db *db, enum err (*run)(struct work *work))
{
    work->run = run;
    return db_run(db, work->task.is_read, run_waited_for, work);
}

static void end_task(struct db_task *task, enum err err)
{
    struct work *work = (struct work *)task;
    work->end(work, err);
}

enum err work_start(struct work *work, struct db *db, enum err (*run)(struct work *work),
                    void (*end)(struct work *work, enum err err))
{
    work->run = run;
    work->end = end;
    work->task = (struct db_task){.run = run_task,
                                  .done = end_task,
                                  .is_read = work->task.is_read,
                                  .is_whole = work->task.is_whole,
                                  .is_bounded = work->task.is_bounded,
                                  .group = work->task.group};
    return db_submit(db, &work->task);
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
