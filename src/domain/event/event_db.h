/* The statements on outbox, event and event_head have one function each. */
#pragma once

#include "domain/event/event.h"

struct event_head {
    int64_t last_seq;
    bool is_wanted;
    int64_t epoch; /* grows whenever it changes whether somebody listens */
};
/* `holds`: PostgreSQL locks it until the end of the transaction. */
enum err event_head_select(struct work *work, bool holds, struct event_head *ret_head) MUST_CHECK;
enum err event_head_set_last(struct work *work, int64_t last_seq) MUST_CHECK;
enum err event_head_set_wanted(struct work *work, bool is_wanted) MUST_CHECK;

/* Lists the oldest rows of the outbox, at most `max`. */
enum err outbox_select(struct work *work, int max, struct record_list *ret_rows) MUST_CHECK;
/* Deletes these rows (struct event_row) from the outbox. */
enum err outbox_delete(struct work *work, const struct record_list *rows) MUST_CHECK;

enum err event_is_there(struct work *work, const struct uuid *id, bool *ret_is_there) MUST_CHECK;
enum err event_insert(struct work *work, const struct record_list *rows) MUST_CHECK;
/* Takes away what is told of a subject, whose id is a UUID. */
enum err event_erase(struct work *work, const char *subject_id) MUST_CHECK;
/* Gives the number and the id of the oldest events, at most `max`, as rows without the rest. */
enum err event_select_oldest(struct work *work, int max, struct record_list *ret_rows) MUST_CHECK;
enum err event_delete_upto(struct work *work, int64_t seq) MUST_CHECK;
/* Lists events with numbers above `after` and not above `upto`; `types` is "" for all, or begins
 * and ends with a comma. */
enum err event_select_page(struct work *work, int64_t after, int64_t upto, const char *types,
                           int64_t limit, struct record_list *ret_rows) MUST_CHECK;
