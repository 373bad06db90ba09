/* How claims of SMS look on the wire (doc A, section 2; contract, section 2). */
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
