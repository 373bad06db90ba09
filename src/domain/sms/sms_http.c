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

const struct record claim_sms_record = {
    .name = "ClaimSMS",
    .doc = "A phone asks for its next SMS.",
    .size = sizeof(struct sms_claim_input),
    RECORD_FIELDS(claim_fields),
};

enum err sms_http_claim(struct request *rq)
{
    struct phone_task_claim_result result;
    enum err err = sms_claim(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

enum err sms_http_report(struct request *rq)
{
    enum err err =
        phone_task_report(&rq->work, PHONE_TASK_SMS, rq->principal, &rq->path_ids[0], rq->body);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
