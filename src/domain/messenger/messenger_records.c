/* How claims of messages look on the wire (contract, section 2, rule 9). */
#include "domain/messenger/messenger.h"

#include <stddef.h>

static const struct field claim_fields[] = {
    {.name = "account_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_claim_input, account_id),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .doc = "The phone's account to claim for.",
     .example = "\"shop-12\""},
};

const struct record message_claim_record = {
    .name = "ClaimMessage",
    .doc = "A phone asks for the next message of one of its accounts.",
    .size = sizeof(struct message_claim_input),
    RECORD_FIELDS(claim_fields),
};
