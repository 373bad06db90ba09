/* The operation of the search, which asks one store behind the other (contract, section 18.5). */
#include "core/request.h"
#include "domain/find/find.h"

static const char *question(const struct request *rq)
{
    const struct find_query *query = rq->query;
    return arena_str(rq->work.arena, str_trim(str_of(query->q)));
}

static enum err begin(struct request *rq)
{
    struct find_list *list = ARENA_NEW(rq->work.arena, struct find_list);
    const char *q = question(rq);

    if (!*q) return error_fault(rq, "q", "Must have more than blanks.");
    rq->gathered = list;
    return find_in_verification(&rq->work, q, list);
}

/* It may run twice, and begins with what the first store had each time. */
static enum err end(struct request *rq)
{
    struct find_list list = *(const struct find_list *)rq->gathered;
    enum err err = find_in_exchange(&rq->work, question(rq), &list);
    return reply_with(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/search",
        .operation_id = "search",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "Find anything",
        .description =
            "One question for whatever has an id. A number finds what it was sent, what it called "
            "and what it ordered; an id whatever has it, an order also that of its document in "
            "the ERP; a word phones and points of that name, packages of that event_id, messenger "
            "accounts, and requests of that id. What the role may not list is not found.",
        .reply_doc = "What was found.",
        .reply = &find_list_record,
        .query = &find_query_record,
        .handle = begin,
        .handle_beside = end,
    },
};

const struct route_table find_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
