/* The operation that lists processes. */
#include "core/request.h"
#include "domain/process/process.h"

static enum err handle_list(struct request *rq)
{
    struct process_list list;
    enum err err = process_list(&rq->work, &list);
    return reply_with(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/processes",
        .operation_id = "listProcesses",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "List the processes",
        .description = "Every process that runs. One that ended without a word is shown as lost "
                       "from 15 seconds after its last sign of life, for a day. At most the 200 "
                       "that were heard of last are listed.",
        .reply_doc = "The processes.",
        .reply = &process_list_record,
        .handle = handle_list,
    },
};

const struct route_table process_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
