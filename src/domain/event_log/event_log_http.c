/* The handler of the operation that pages through the log. */
#include "core/audit.h"
#include "domain/event_log/event_log.h"

/* Entries may have been written unmasked earlier, or by another process. */
static bool shows_unmasked(const struct record_list *entries)
{
    const struct log_entry *list = entries->items;

    for (size_t i = 0; i < entries->count; i++)
        if (event_log_is_unmasked(list[i].fields)) return true;
    return false;
}

enum err event_log_http_list(struct request *rq)
{
    struct log_entry_list list;
    enum err err = event_log_list(&rq->work, rq->query, &list);
    if (!err && (rq->work.service->is_log_sensitive || shows_unmasked(&list.entries)))
        work_audit(&rq->work, "log.read", "log", NULL, NULL);
    return reply_page(rq, err, &list);
}
