/* How claims of SMS look on the wire (doc A, section 2; contract, section 2). */
#include "domain/sms/sms.h"

#include <stddef.h>

static const struct field claim_fields[] = {
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_claim_input, gateway_number),
     .format = &format_phone,
     .doc = "The phone's number to claim for.",
     .example = "\"+79160000001\""},
    {.name = "sim_ready",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct sms_claim_input, sim_ready),
     .default_value = 1,
     .doc = "Whether its SIM can send; good for 60 seconds. False withdraws it and gets no task.",
     .example = "true"},
};

const struct record claim_sms_record = {
    .name = "ClaimSMS",
    .doc = "A phone asks for its next SMS.",
    .size = sizeof(struct sms_claim_input),
    RECORD_FIELDS(claim_fields),
};
