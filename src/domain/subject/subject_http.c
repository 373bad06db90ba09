/* These operations erase, or tell, what is held of a person (contract, section 10.5). */
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

static enum err handle_erase(struct request *rq)
{
    return begin(rq, SUBJECT_ERASE);
}

static enum err handle_export(struct request *rq)
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

/* Tells how the job stands that this request began. */
static enum err recheck(struct request *rq)
{
    return show(rq, &rq->resource_id);
}

static enum err handle_read(struct request *rq)
{
    enum err err = show(rq, &rq->path_ids[0]);
    rq->is_unfinished = false;
    rq->status = STATUS_DONE;
    return err;
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define SUBJECTS_PATH "/internal/v1/subjects"
#define BEGINS_A_JOB                                                                         \
    .body = &subject_input_record, .status = 202,                                            \
    .reply_doc = "It is under way, and can be asked about.", .at_once_doc = "It is done.",   \
    .reply = &subject_job_record, .link_path = SUBJECTS_PATH "/jobs/{id}", .link_id = "/id", \
    .errors = {ERR_OVERLOADED}, .recheck = recheck

static const struct route rows[] = {
    {
        .method = "POST",
        .path = SUBJECTS_PATH "/erase",
        .operation_id = "eraseSubject",
        .role = ROLE_ADMIN,
        .action = "subject.erase",
        .tag = "Personal data",
        .summary = "Erase what is held of a person",
        .description =
            "The number goes out of codes, inbound calls, messages, orders and the log, with their "
            "metadata and whatever a phone, a provider or an ERP said of them; records, counts and "
            "limits stay. What is not sent yet is not sent any more; an order is delivered first. "
            "There is no way back.",
        BEGINS_A_JOB,
        .handle = handle_erase,
    },
    {
        .method = "POST",
        .path = SUBJECTS_PATH "/export",
        .operation_id = "exportSubject",
        .role = ROLE_ADMIN,
        .action = "subject.export",
        .tag = "Personal data",
        .summary = "Export what is held of a person",
        .description = "All records and entries of the log that have the number. Codes, texts and "
                       "keys are in none of them.",
        BEGINS_A_JOB,
        .handle = handle_export,
    },
    {
        .method = "GET",
        .path = SUBJECTS_PATH "/jobs/{id}",
        .operation_id = "getSubjectJob",
        .role = ROLE_ADMIN,
        .tag = "Personal data",
        .summary = "How an erasure or an export stands",
        .description = "It can be asked about while it is under way, and for 24 hours after.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The job.",
        .reply = &subject_job_record,
        .errors = {ERR_NOT_FOUND},
        .handle = handle_read,
    },
};

const struct route_table subject_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
