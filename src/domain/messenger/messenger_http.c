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

static enum err handle_claim(struct request *rq)
{
    struct phone_task_claim_result result;
    enum err err = messenger_claim(&rq->work, rq->principal, rq->body, &result);
    return reply_with(rq, err, &result);
}

static enum err handle_report(struct request *rq)
{
    enum err err = phone_task_report(&rq->work, PHONE_TASK_PERSONAL_MESSENGER, rq->principal,
                                     &rq->path_ids[0], rq->body);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/device/v1/messages/claim",
        .operation_id = "claimMessage",
        .tag = "Phones",
        .summary = "Claim the next message",
        .description = "Polled every 5 seconds for each connected account. May return a task under "
                       "a lease of 90 seconds; asked again during the lease, it is the same task "
                       "under the same lease.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .body = &message_claim_record,
        .reply_doc = "A task, or none.",
        .reply = &message_claim_result_record,
        .link_path = "/device/v1/messages/{id}",
        .link_id = "/task/id",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_claim,
    },
    {
        .method = "POST",
        .path = "/device/v1/messages/{id}/result",
        .operation_id = "reportMessage",
        .tag = "Phones",
        .summary = "Report what became of a message",
        .description = "The same result can be reported again; sent may become delivered. A failed "
                       "message is sent again from the same account, at most 3 times in all.",
        .auth = AUTH_DEVICE_KEY,
        .body = &message_result_record,
        .reply_doc = "The result is recorded.",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_LEASE_LOST, ERR_RESULT_CONFLICT},
        .handle = handle_report,
    },
};

const struct route_table messenger_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
