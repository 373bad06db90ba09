/* Phones that send from personal messenger accounts have these operations: their records, and
 * handlers that read the request, call the rules and reply (doc A, section 4 "Messages"; contract,
 * section 2, rule 9). */
#include "core/request.h"
#include "domain/messenger/messenger.h"

#include <stddef.h>

static const struct field claim_fields[] = {
    FIELD(struct message_claim_input, account_id, FIELD_STRING, FIELD_REQUIRED,
          "The phone's account to claim for.", .min = 1, .max = ACCOUNT_ID_MAX,
          .example = "shop-12"),
};

const struct record message_claim_record = {
    .name = "ClaimMessage",
    .doc = "A phone asks for the next message of one of its accounts.",
    .size = sizeof(struct message_claim_input),
    RECORD_FIELDS(claim_fields),
};

enum err messenger_http_claim(struct request *rq)
{
    struct phone_task_claim_result result;
    enum err err = messenger_claim(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

enum err messenger_http_report(struct request *rq)
{
    enum err err = phone_task_report(&rq->work, PHONE_TASK_PERSONAL_MESSENGER, rq->principal,
                                     &rq->path_ids[0], rq->body);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
