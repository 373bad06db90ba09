/* The routes of a control API that tell of calls have this in common. Which calls are meant is in
 * part the simulator's own to read; the answers are written here, and give their HTTP status. */
#pragma once

#include "control.h"
#include "ledger.h"

/* claimed, had_effect, after and limit of the query; `filter` keeps what it has. 0, or the status
 * of a refusal. */
int calls_read_page(struct control_request *request, struct call_filter *filter,
                    int64_t *ret_limit);
/* count, dropped, and the calls: the oldest `limit` of those that fit. */
int calls_list(struct control_request *request, const struct call_filter *filter, int64_t limit);
/* The same of unclaimed ones, and how many calls the counted behaviours still wait for. */
int calls_list_leftover(struct control_request *request, const struct call_filter *filter,
                        int64_t awaited);
/* The oldest unclaimed call that fits is claimed; 404 where there is none. */
int calls_claim(struct control_request *request, const struct call_filter *filter);
