/* Declares how a code goes out by each channel, and the code as a secret (contract, section 2, rule
 * 5). A code that its provider chooses and has not told yet is the empty text: no guess equals it.
 */
#pragma once

#include "domain/otp/otp.h"

/* The sender of a code is chosen when the code is created. */
struct otp_sender {
    const char *gateway_number; /* of an SMS */
    const char *account_id;     /* of a personal messenger */
};

/* Tells how many digits a code of the channel has (doc A, section 8). */
int64_t otp_code_length(int channel);

/* Makes a code from `min` to `max`, `length` digits with its leading zeros, from the system's
 * randomness: each is as likely as the other. */
const char *otp_code_new(struct arena *arena, int min, int max, int length);
/* Makes a code as the channel takes it; it is empty if the provider chooses it. */
const char *otp_new_code(struct work *work, const struct otp *otp);
/* The vault seals a code and binds it to the id: a stored code is worthless in another row. */
enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed) MUST_CHECK;
enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code) MUST_CHECK;

/* Chooses the sender. ERR_NOT_FOUND, ERR_NO_READY_SIM, ERR_CHANNEL_NOT_CONFIGURED,
 * ERR_ACCOUNT_NOT_CONNECTED; with ERR_CIRCUIT_OPEN `ret_retry_after_ms` tells when to try again. */
enum err otp_take_sender(struct work *work, const struct otp_input *input,
                         struct otp_sender *ret_sender, int64_t *ret_retry_after_ms) MUST_CHECK;
/* Queues the first send over the sender, which the active challenge then names, and shows it in
 * otp->sends. */
enum err otp_send_first(struct work *work, struct otp *otp,
                        const struct otp_sender *sender) MUST_CHECK;
/* Queues the SMS of a fallback, from `wanted_number` or any ready one for NULL; the row of the code
 * is held, and its channel is not SMS. ERR_ACTIVE_CHALLENGE_EXISTS: the code was undelivered, and
 * `ret_active` has the recipient by now. ERR_CALL_UNDER_WAY: the provider is being called at this
 * moment, and may bring the code. */
enum err otp_send_fallback(struct work *work, const struct otp *otp, const char *wanted_number,
                           struct uuid *ret_active) MUST_CHECK;
/* Ends the sends of a code that is final. Providers that want to hear of a success are told
 * `right_code`; it is NULL if there was none. */
enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code) MUST_CHECK;

/* Reads all sends into otp->sends, oldest first. */
enum err otp_read_sends(struct work *work, struct otp *otp) MUST_CHECK;
