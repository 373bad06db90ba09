/* The statements on message and chat_turn have one function each. */
#pragma once

#include "core/personal.h"
#include "domain/message/message.h"

enum err message_insert(struct work *work, const struct message *message) MUST_CHECK;
/* On PostgreSQL holds the row until the end of the transaction; it comes first in the order of
 * locks. */
enum err message_hold(struct work *work, const struct uuid *id) MUST_CHECK;
/* Does as message_read, and holds the row. */
enum err message_lock(struct work *work, const struct uuid *id,
                      struct message *ret_message) MUST_CHECK;
/* Cuts a search of messages, where it would look at more than it may. */
enum err message_cut_search(struct work *work, struct search *search) MUST_CHECK;
/* Reads up to `limit` messages of a search, newest first. filter->search is not looked at. */
enum err message_select_page(struct work *work, const struct message_filter *filter,
                             const struct search *search, int64_t limit,
                             struct record_list *ret_messages) MUST_CHECK;
/* Moves a message from the state that it was seen with, and erases its text. `words` are sealed. */
enum err message_set_state(struct work *work, const struct message *message,
                           enum message_state state, const char *error, struct str words,
                           bool *ret_moved) MUST_CHECK;
/* Reads messages whose time is over and whose text is still there, and holds them as message_lock
 * does. */
enum err message_select_over(struct work *work, int max,
                             struct record_list *ret_messages) MUST_CHECK;

/* Read messages to a number, and messages that are old, and hold them. */
enum err message_select_of(struct work *work, const char *number, int max,
                           struct record_list *ret_messages) MUST_CHECK;
enum err message_select_old(struct work *work, const struct personal_span *span, int max,
                            struct record_list *ret_messages) MUST_CHECK;
/* Erases what is personal in the row of a message that is held. */
enum err message_erase(struct work *work, const struct uuid *id) MUST_CHECK;

/* Takes the chat's next turn from `at_least_ms` on; the turn behind it is `pace_ms` later. */
enum err chat_turn_take(struct work *work, const char *chat, int64_t pace_ms, int64_t at_least_ms,
                        int64_t *ret_turn) MUST_CHECK;
/* Lets a late message go to the chat now, if the last one that was let go so is `pace_ms` ago; no
 * turn comes sooner than that after it. */
enum err chat_turn_go_late(struct work *work, const char *chat, int64_t pace_ms,
                           bool *ret_may_go) MUST_CHECK;
/* Deletes chats whose next turn was before `before_ms`. */
enum err chat_turn_delete_old(struct work *work, int64_t before_ms, int max,
                              int64_t *ret_deleted) MUST_CHECK;
