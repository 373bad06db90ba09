/* A job about a person begins, and is asked about. */
#include "domain/subject/subject.h"

#include "core/audit.h"
#include "core/personal.h"
#include "core/sealed.h"
#include "core/service.h"
#include "domain/subject/subject_db.h"

const char *const subject_kind_words[] = {"erase", "export", NULL};
const char *const subject_state_words[] = {"running", "done", NULL};
const char *const subject_phase_words[] = {"orders", "codes", "calls", "messages",
                                           "log",    "files", NULL};

/* The audit masks the number. */
static void record(struct work *work, const struct subject_job *job, const char *number)
{
    struct audit_changes changes = {.arena = work->arena};
    const char *action = job->kind == SUBJECT_ERASE ? "subject.erase" : "subject.export";

    audit_change_text(&changes, "phone", NULL, number);
    work_audit_id(work, action, "subject_job", &job->id, &changes);
    work_note(work, LOG_INFO,
              job->kind == SUBJECT_ERASE ? "a person is being erased"
                                         : "what is known of a person is being exported",
              LOG_FIELDS(log_uuid("job_id", &job->id)));
}

enum err subject_begin(struct work *work, enum subject_kind kind, const char *number,
                       struct subject_job *ret_job)
{
    struct subject_job job = {
        .id = uuid_new(work->now_ms),
        .kind = kind,
        .created_at = work->now_ms,
        .updated_at = work->now_ms,
    };
    uint8_t mark[SECRET_HASH_LEN];
    int64_t running;

    enum err err = subject_count_running(work, SUBJECT_RUNNING_MAX, &running);
    if (!err && running >= SUBJECT_RUNNING_MAX) err = ERR_OVERLOADED;
    if (!err)
        err =
            work_seal(work, SEALED_SUBJECT_NUMBER, uuid_view(&job.id), str_of(number), &job.number);
    if (err) return err;
    personal_hash(work, number, mark);
    err = subject_insert(work, &job, mark);
    if (err) return err;
    record(work, &job, number);
    *ret_job = job;
    return ERR_OK;
}

enum err subject_read(struct work *work, const struct uuid *id, struct subject_job *ret_job)
{
    const char *text = NULL;

    enum err err = subject_select(work, id, ret_job);
    if (err) return err;
    if (ret_job->state == SUBJECT_DONE) ret_job->phase = -1;
    if (ret_job->result.len == 0) return ERR_OK;
    err = vault_open_text(work->service->vault, sealed_at(SEALED_SUBJECT_RESULT, uuid_view(id)),
                          ret_job->result, work->arena, &text);
    if (!err) ret_job->found = subject_export_read(text, work->arena);
    return err;
}
