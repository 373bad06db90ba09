/* How a code goes out, by each channel, and what its sends mean for it. otp*.c only. */
#pragma once

#include "domain/otp/otp.h"

/* What sends a code: chosen at its creation. */
struct otp_sender {
    const char *gateway_number; /* of an SMS */
    const char *account_id;     /* of a personal messenger */
};

int64_t otp_code_length(int channel);

/* Chooses what sends it. ERR_NOT_FOUND, ERR_NO_READY_SIM, ERR_CHANNEL_UNAVAILABLE. */
enum err otp_choose_sender(struct work *work, const struct otp_input *input,
                           struct otp_sender *ret_sender) MUST_CHECK;
/* A new code as the channel takes it; NULL if its provider chooses the code. */
const char *otp_sender_code(struct work *work, const struct otp *otp,
                            const struct otp_sender *sender);
/* Queues the first send over the sender, which the active challenge then names, and shows it in
 * otp->sends. */
enum err otp_send_first(struct work *work, struct otp *otp,
                        const struct otp_sender *sender) MUST_CHECK;
/* The story of all sends, into otp->sends. */
enum err otp_read_sends(struct work *work, struct otp *otp) MUST_CHECK;
/* The code is final: nothing more goes out. */
enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state) MUST_CHECK;
