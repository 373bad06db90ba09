/* The search, once for each store (contract, section 18.5). */
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
        .description = "One question for codes, challenges, messages, phones, events and the "
                       "log. A number finds what it was sent, and what it called; an id "
                       "whatever has it; a word phones of that name, and requests of that id. "
                       "Sales points and what they exchange are found by "
                       "/internal/v1/search/exchange.",
        .reply_doc = "What was found.",
        .reply = &find_list_record,
        .query = &find_query_record,
        .handle = find_http_verification,
    },
};

const struct route_table routes_search = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};

static const struct route exchange_rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/search/exchange",
        .operation_id = "searchExchange",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "Find anything of the exchange",
        .description = "One question for integrations by name or point, packages by event_id, "
                       "and orders by id.",
        .reply_doc = "What was found.",
        .reply = &find_list_record,
        .query = &find_query_record,
        .handle = find_http_exchange,
    },
};

const struct route_table routes_search_exchange = {
    .store = STORE_EXCHANGE,
    ROUTE_ROWS(exchange_rows),
};
