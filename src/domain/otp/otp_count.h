/*
 * Codes are counted by what became of them, for metrics by the channel (contract, section 17.1),
 * and for the figures also by the SIM and by the beginning of the recipient's number
 * (section 18.6).
 */
#pragma once

#include "domain/otp/otp.h"

struct otp_counted {
    int channel;                /* enum otp_channel */
    const char *recipient;      /* NULL: not known */
    const char *gateway_number; /* the SIM of an SMS; NULL: it went otherwise */
};

/* Counts once the transaction is durable. */
void otp_count(struct work *work, const struct otp_counted *counted, enum otp_outcome outcome);
