/* The operation that reads the feed of events (contract, section 13). */
#include "core/request.h"
#include "domain/event/event.h"

#define UNKNOWN_TYPE " is no type of events; otp.* means all of a subject, * all."

static enum err handle_list(struct request *rq)
{
    const struct event_query *query = rq->query;
    struct event_list list;
    const char *fault;

    enum err err = event_list(&rq->work, query, &list, &fault);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "types", arena_printf(rq->work.arena, "%s" UNKNOWN_TYPE, fault));
    if (err == ERR_EVENTS_GONE) error_put_number(rq, "oldest_seq", list.oldest_seq);
    if (err) return err;
    /* The next event is waited for. */
    if (list.events.count == 0 && list.is_at_end) rq->wait_ms = query->wait_seconds * 1000;
    reply_record(rq, &list);
    return ERR_OK;
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/events",
        .operation_id = "listEvents",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Events",
        .summary = "Read the feed of events",
        .description = "What was committed behind `after`, in order and without a gap; the numbers "
                       "of the feed are given behind the commit. Where there is nothing yet, the "
                       "answer waits for `wait_seconds`.",
        .access = ACCESS_READ,
        .waits = true,
        .reply_doc = "The events.",
        .reply = &event_list_record,
        .query = &event_query_record,
        .errors = {ERR_EVENTS_OFF, ERR_EVENTS_GONE},
        .handle = handle_list,
    },
};

const struct route_table event_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
