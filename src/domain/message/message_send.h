/* Declares how a message is sent, and what its sends mean for it. */
#pragma once

#include "domain/message/message.h"

/* The vault seals a text and binds it to the id: a stored text is worthless in another row. */
enum err message_seal_text(struct work *work, const struct uuid *id, const char *text,
                           struct str *ret_sealed) MUST_CHECK;

/* Moves a message that is held (message_lock). It moves forward only, so that a report that comes
 * late or twice changes nothing. Nothing of it will be sent any more, and its text is erased. For
 * MESSAGE_UNKNOWN `error` says why it is not known whether it was sent; NULL: all is well. `words`
 * say the same as its phone or provider does, which is no word of the log; NULL: they said nothing.
 */
enum err message_move(struct work *work, const struct message *message, enum message_state state,
                      const char *error, const char *words) MUST_CHECK;

/* Notes for the log what happened to a message: who gets it and where, never its text. */
void message_note(struct work *work, enum log_level level, const char *what,
                  const struct message *message);

/* Takes the turn of a new message in its chat. ERR_RATE_LIMITED, with `ret_retry_after_ms`: more
 * waits in the chat than it can take; the error takes the turn back with its transaction. */
enum err message_take_turn(struct work *work, const char *chat_id, int64_t *ret_run_at,
                           int64_t *ret_retry_after_ms) MUST_CHECK;
