/* The handler of the operation that reads the feed. */
#include "domain/event/event.h"

#define UNKNOWN_TYPE " is no type of events; otp.* means all of a subject, * all."

enum err event_http_list(struct request *rq)
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
