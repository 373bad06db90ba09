/* How a code goes out, by each channel, and what became of its sends. otp*.c only. */
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
/* A new code as the channel takes it; empty if its provider chooses the code. */
const char *otp_new_code(struct work *work, const struct otp *otp);
/* Queues the first send over the sender, which the active challenge then names, and shows it in
 * otp->sends. */
enum err otp_send_first(struct work *work, struct otp *otp,
                        const struct otp_sender *sender) MUST_CHECK;
/* Queues the SMS of a fallback from `gateway_number`, which was chosen for it. */
enum err otp_send_fallback(struct work *work, const struct otp *otp,
                           const char *gateway_number) MUST_CHECK;
/* The code is final: nothing more goes out. `right_code` after success, for providers that want to
 * hear of it; or NULL. */
enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code) MUST_CHECK;

/* --- otp_story.c --- */

/* The story of all sends, into otp->sends. */
enum err otp_read_sends(struct work *work, struct otp *otp) MUST_CHECK;
/* Whether a send may still arrive, or has: all but `failed_id` are looked at. */
enum err otp_has_living_send(struct work *work, const struct uuid *otp_id,
                             const struct uuid *failed_id, bool *ret_has) MUST_CHECK;
/* Whether its provider has yet to tell which code it chose. */
enum err otp_awaits_code(struct work *work, const struct uuid *otp_id, bool *ret_awaits) MUST_CHECK;
