/* The operation that pages through the log. app/api/routes.c has the one that streams it. */
#include "core/audit.h"
#include "core/request.h"
#include "domain/event_log/event_log.h"

/* Entries may have been written unmasked earlier, or by another process. */
static bool shows_unmasked(const struct record_list *entries)
{
    const struct log_entry *list = entries->items;

    for (size_t i = 0; i < entries->count; i++)
        if (event_log_is_unmasked(list[i].fields)) return true;
    return false;
}

static enum err handle_list(struct request *rq)
{
    struct log_entry_list list;
    enum err err = event_log_list(&rq->work, rq->query, &list);
    if (!err && (rq->work.service->is_log_sensitive || shows_unmasked(&list.entries)))
        work_audit(&rq->work, "log.read", "log", NULL, NULL);
    return reply_page(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/logs",
        .operation_id = "listLogEntries",
        .role = ROLE_VIEWER,
        .tells_the_log = true,
        .action = "log.read",
        .tag = "Log and health",
        .summary = "Search the log",
        .description = "The entries that are kept, of the last 24 hours, newest first. One request "
                       "looks at 20,000 of them at most: while next_cursor is not null there may "
                       "be more, also behind a page without entries.",
        .reply_doc = "A page of entries.",
        .reply = &log_entry_list_record,
        .query = &log_filter_query,
        .handle = handle_list,
    },
};

const struct route_table event_log_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
