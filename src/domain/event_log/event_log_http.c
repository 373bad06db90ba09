/* The handler of the operation that pages through the log. */
#include "core/audit.h"
#include "domain/event_log/event_log.h"

enum err event_log_http_list(struct request *rq)
{
    struct log_entry_list list;
    enum err err = event_log_list(&rq->work, rq->query, &list);
    if (!err && rq->work.service->is_log_sensitive)
        work_audit(&rq->work, "log.read", "log", NULL, NULL);
    return reply_page(rq, err, &list);
}
