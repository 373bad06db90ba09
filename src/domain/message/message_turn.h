/* When the bot may write to a chat. message*.c only. */
#pragma once

#include "domain/message/message.h"

/* For a new message. ERR_RATE_LIMITED, with `ret_retry_after_ms`: the chat has more waiting than it
 * can take; the error takes the turn back with its transaction. */
enum err message_take_turn(struct work *work, const char *chat_id, int64_t *ret_run_at,
                           int64_t *ret_retry_after_ms) MUST_CHECK;
/* For one that did not go out at its turn: at `at_least_ms` or later, now if that is over and no
 * other such message has just gone. */
enum err message_take_another_turn(struct work *work, const char *chat_id, int64_t at_least_ms,
                                   int64_t *ret_run_at) MUST_CHECK;
