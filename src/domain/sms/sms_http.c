/* Phones that send SMS have these operations: their records, and handlers that read the request,
 * call the rules and reply (doc A, sections 2 and 4 "SMS tasks for phones"; contract, section 2).
 */
#include "core/request.h"
#include "domain/sms/sms.h"

#include <stddef.h>

static const struct field claim_fields[] = {
    FIELD(struct sms_claim_input, gateway_number, FIELD_STRING, FIELD_REQUIRED,
          "The phone's number to claim for.", .format = &format_phone, .example = "+79160000001"),
    FIELD(struct sms_claim_input, sim_ready, FIELD_BOOLEAN, FIELD_DEFAULT,
          "Whether its SIM can send; good for 60 seconds. False withdraws it and gets no task.",
          .default_value = 1),
};

static const struct record claim_record = {
    .name = "ClaimSMS",
    .doc = "A phone asks for its next SMS.",
    .size = sizeof(struct sms_claim_input),
    RECORD_FIELDS(claim_fields),
};

static enum err handle_claim(struct request *rq)
{
    struct phone_task_claim_result result;
    enum err err = sms_claim(&rq->work, rq->principal, rq->body, &result);
    return reply_with(rq, err, &result);
}

static enum err handle_report(struct request *rq)
{
    enum err err =
        phone_task_report(&rq->work, PHONE_TASK_SMS, rq->principal, &rq->path_ids[0], rq->body);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/device/v1/sms/claim",
        .operation_id = "claimSms",
        .tag = "Phones",
        .summary = "Claim the next SMS",
        .description = "Polled every 5 seconds. Declares that the SIM is ready for 60 seconds and "
                       "may return a task under a lease of 90 seconds; asked again during the "
                       "lease, it is the same task under the same lease.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .body = &claim_record,
        .reply_doc = "A task, or none.",
        .reply = &claim_result_record,
        .link_path = "/device/v1/sms/{id}",
        .link_id = "/task/id",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_claim,
    },
    {
        .method = "POST",
        .path = "/device/v1/sms/{id}/result",
        .operation_id = "reportSms",
        .tag = "Phones",
        .summary = "Report what became of an SMS",
        .description = "The same result can be reported again; sent may become delivered.",
        .auth = AUTH_DEVICE_KEY,
        .body = &sms_result_record,
        .reply_doc = "The result is recorded.",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_LEASE_LOST, ERR_RESULT_CONFLICT},
        .handle = handle_report,
    },
};

const struct route_table sms_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
