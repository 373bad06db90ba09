/* How a message is sent, and what its sending means for it. message*.c only. */
#pragma once

#include "domain/message/message.h"

/* Sealed by the vault and bound to the id: a stored text is worthless in another row. */
enum err message_seal_text(struct work *work, const struct uuid *id, const char *text,
                           struct str *ret_sealed) MUST_CHECK;

/* Moves a message that is held (message_lock): forward only, so that what comes late or twice
 * changes nothing. Nothing will be sent any more, and its text is erased. MESSAGE_UNKNOWN:
 * `error` says why it is not known whether it was sent. */
enum err message_move(struct work *work, const struct message *message, enum message_state state,
                      const char *error) MUST_CHECK;

/* For the log: who and where, never what. */
void message_note(struct work *work, enum log_level level, const char *what,
                  const struct message *message);

/* The turn of a new message in its chat. ERR_RATE_LIMITED, with `ret_retry_after_ms`: the chat has
 * more waiting than it can take; the error takes the turn back with its transaction. */
enum err message_take_turn(struct work *work, const char *chat_id, int64_t *ret_run_at,
                           int64_t *ret_retry_after_ms) MUST_CHECK;
/* The turn of one that did not go out at its first: at `at_least_ms` or later, now if that is over
 * and no other such message has just gone. */
enum err message_take_another_turn(struct work *work, const char *chat_id, int64_t at_least_ms,
                                   int64_t *ret_run_at) MUST_CHECK;
