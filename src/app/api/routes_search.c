/* One question is asked of both stores (contract, section 18.5). */
#include "app/api/routes.h"
#include "domain/find/find.h"

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
        .handle = find_http_begin,
        .handle_beside = find_http_end,
    },
};

const struct route_table routes_search = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};
