/* How claims of messages look on the wire (contract, section 2, rule 9). */
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
