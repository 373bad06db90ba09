/* How a code goes out, by each channel, and what became of its sends. otp*.c only. */
#pragma once

#include "domain/otp/otp.h"

/* What sends a code: chosen at its creation. */
struct otp_sender {
    const char *gateway_number; /* of an SMS */
    const char *account_id;     /* of a personal messenger */
};

/* How many digits a code of the channel has (doc A, section 8). */
int64_t otp_code_length(int channel);

/* Chooses what sends it. ERR_NOT_FOUND, ERR_NO_READY_SIM, ERR_CHANNEL_NOT_CONFIGURED,
 * ERR_ACCOUNT_NOT_CONNECTED, ERR_CIRCUIT_OPEN, which tells when to try again. */
enum err otp_take_sender(struct work *work, const struct otp_input *input,
                         struct otp_sender *ret_sender, int64_t *ret_retry_after_ms) MUST_CHECK;
/* A new code as the channel takes it; empty if its provider chooses the code. */
const char *otp_new_code(struct work *work, const struct otp *otp);
/* Makes sure that there is a code to send by SMS, also where the provider would choose it: then its
 * call is withdrawn. ERR_CALL_UNDER_WAY: it is being called at this moment. */
enum err otp_settle_code(struct work *work, const struct otp *otp) MUST_CHECK;
/* Queues the first send over the sender, which the active challenge then names, and shows it in
 * otp->sends. */
enum err otp_send_first(struct work *work, struct otp *otp,
                        const struct otp_sender *sender) MUST_CHECK;
/* A code that was undelivered takes the recipient's place as the active challenge again (contract,
 * section 9.14). ERR_ACTIVE_CHALLENGE_EXISTS: `ret_active` has it by now. Comes before the choice
 * of a number (`wanted_number`, or any for NULL). */
enum err otp_revive(struct work *work, const struct otp *otp, const char *wanted_number,
                    struct uuid *ret_active) MUST_CHECK;
/* Queues the SMS of a fallback from `gateway_number`, which was chosen for it. */
enum err otp_send_fallback(struct work *work, const struct otp *otp,
                           const char *gateway_number) MUST_CHECK;
/* The code is final: nothing more goes out. `right_code` after success, for providers that want to
 * hear of it; or NULL. */
enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code) MUST_CHECK;

/* All sends, oldest first, into otp->sends. */
enum err otp_read_sends(struct work *work, struct otp *otp) MUST_CHECK;
