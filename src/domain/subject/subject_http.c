/* The handlers of operations about a person. */
#include "core/phone.h"
#include "core/request.h"
#include "domain/subject/subject.h"

enum { STATUS_DONE = 200 };

static void reply_job(struct request *rq, const struct subject_job *job)
{
    reply_record(rq, job);
    rq->is_unfinished = job->state == SUBJECT_RUNNING;
    if (!rq->is_unfinished) rq->status = STATUS_DONE;
}

static enum err begin(struct request *rq, enum subject_kind kind)
{
    const struct subject_input *input = rq->body;
    struct subject_job job;
    char number[PHONE_MAX + 1];

    bool is_phone = phone_read(str_of(input->phone), number);
    assert(is_phone); /* the format of its field saw to it */
    enum err err = subject_begin(&rq->work, kind, number, &job);
    if (err) return err;
    rq->resource_id = job.id;
    reply_job(rq, &job);
    return ERR_OK;
}

enum err subject_http_erase(struct request *rq)
{
    return begin(rq, SUBJECT_ERASE);
}

enum err subject_http_export(struct request *rq)
{
    return begin(rq, SUBJECT_EXPORT);
}

static enum err show(struct request *rq, const struct uuid *id)
{
    struct subject_job job;
    enum err err = subject_read(&rq->work, id, &job);
    if (!err) reply_job(rq, &job);
    return err;
}

enum err subject_http_recheck(struct request *rq)
{
    return show(rq, &rq->resource_id);
}

enum err subject_http_read(struct request *rq)
{
    enum err err = show(rq, &rq->path_ids[0]);
    rq->is_unfinished = false;
    rq->status = STATUS_DONE;
    return err;
}
