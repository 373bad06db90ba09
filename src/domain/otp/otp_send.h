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
/* Makes a code as the channel takes it; it is empty if the provider chooses it, and zeros for a
 * test number. */
const char *otp_new_code(struct work *work, const struct otp *otp);
/* The vault seals a code and binds it to the id: a stored code is worthless in another row. */
enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed) MUST_CHECK;
enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code) MUST_CHECK;

/* Chooses the sender. ERR_NUMBER_NOT_FOUND, ERR_ACCOUNT_NOT_FOUND, ERR_NO_READY_SIM,
 * ERR_SIM_NOT_READY, ERR_CHANNEL_NOT_CONFIGURED, ERR_ACCOUNT_NOT_CONNECTED; with ERR_CIRCUIT_OPEN,
 * and ERR_RATE_LIMITED of a test number, `refusal` tells when to try again. A test number takes
 * any sender that is named, and none is looked up. */
enum err otp_take_sender(struct work *work, const struct otp_input *input, bool is_test,
                         struct otp_sender *ret_sender, struct otp_refusal *refusal) MUST_CHECK;
/* Queues the first send over the sender, which the active challenge then names, and shows it in
 * otp->sends. */
enum err otp_send_first(struct work *work, struct otp *otp,
                        const struct otp_sender *sender) MUST_CHECK;
/* Queues the SMS of a fallback, from `wanted_number` or any ready one for NULL; the row of the code
 * is held, and its channel is not SMS. ERR_ACTIVE_CHALLENGE_EXISTS: the code was undelivered, and
 * `ret_active` has the recipient by now. ERR_CALL_UNDER_WAY: a fetch from the provider is under way
 * at this moment, and may bring the code. */
enum err otp_send_fallback(struct work *work, const struct otp *otp, const char *wanted_number,
                           struct uuid *ret_active) MUST_CHECK;
/* Ends the sends of a code that is final. Providers that want to hear of a success are told
 * `right_code`; it is NULL if there was none. */
enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code) MUST_CHECK;

/* Tells whether a provider sends the codes of the channel. */
bool otp_has_provider(int channel);

/* Reads all sends into otp->sends, oldest first. */
enum err otp_read_sends(struct work *work, struct otp *otp) MUST_CHECK;
/* Does the same for each of these codes. */
enum err otp_read_sends_of(struct work *work, struct otp *otps, size_t count) MUST_CHECK;
/* Tells whether a send other than `failed_id` may still reach the recipient. */
enum err otp_has_living_send(struct work *work, const struct uuid *otp_id, bool is_test,
                             const struct uuid *failed_id, bool *ret_has) MUST_CHECK;

/* Tells in the log that a code ended without being confirmed, with the state of its last send
 * (otp->sends) and the kind of its failure (contract, section 2, rule 12). */
void otp_note_end(struct work *work, enum log_level level, const char *message,
                  const struct otp *otp);
/* Tells those who listen that this transaction has moved the code there. */
void otp_tell(struct work *work, const struct uuid *id, enum otp_state state);
