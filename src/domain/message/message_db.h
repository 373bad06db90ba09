/* The statements on message and chat_turn, one function each. */
#pragma once

#include "domain/message/message.h"

enum err message_insert(struct work *work, const struct message *message) MUST_CHECK;
/* On PostgreSQL holds the row until the end of the transaction; first of the order of locks. */
enum err message_hold(struct work *work, const struct uuid *id) MUST_CHECK;
/* As message_read, and holds the row. */
enum err message_lock(struct work *work, const struct uuid *id,
                      struct message *ret_message) MUST_CHECK;
/* Moves it from the state that it was seen with, and erases its text. */
enum err message_set_state(struct work *work, const struct message *message,
                           enum message_state state, const char *error, bool *ret_moved) MUST_CHECK;
/* Messages whose time is over and whose text is still there; held as by message_lock. */
enum err message_select_over(struct work *work, int max,
                             struct record_list *ret_messages) MUST_CHECK;

/* Messages that were accepted under a clock that was ahead live no longer than others, at most
 * `max`.
 */
enum err message_shorten_lives(struct work *work, int max) MUST_CHECK;

/* The chat's next turn from `at_least_ms` on, which is then taken; the one behind it is `pace_ms`
 * later. A turn beyond a full chat is of a clock that was ahead. */
enum err chat_turn_take(struct work *work, const char *chat, int64_t pace_ms, int64_t at_least_ms,
                        int64_t *ret_turn) MUST_CHECK;
/* Lets one go to the chat now, if the last one that was let go so is `pace_ms` ago; no turn is
 * sooner than that after it. */
enum err chat_turn_go_late(struct work *work, const char *chat, int64_t pace_ms,
                           bool *ret_may_go) MUST_CHECK;
/* Chats whose next turn was before `before_ms` go. */
enum err chat_turn_delete_old(struct work *work, int64_t before_ms, int max,
                              int64_t *ret_deleted) MUST_CHECK;
