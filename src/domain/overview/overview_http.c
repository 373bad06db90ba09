/* The operations that tell how all stands. */
#include "core/request.h"
#include "domain/overview/overview.h"

static enum err handle_list_channels(struct request *rq)
{
    struct channel_status_list list;
    enum err err = overview_list_channels(&rq->work, &list.channels);
    return reply_with(rq, err, &list);
}

static enum err handle_read(struct request *rq)
{
    struct overview overview;
    enum err err = overview_read(&rq->work, &overview);
    if (!err) err = overview_read_troubles(&rq->work, &overview);
    return reply_with(rq, err, &overview);
}

static enum err handle_read_exchange(struct request *rq)
{
    struct exchange_overview overview;
    enum err err = exchange_overview_select(&rq->work, &overview);
    return reply_with(rq, err, &overview);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/channels",
        .operation_id = "listChannels",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "List the channels",
        .description = "Each channel with whether it can send, what is under way and waits, and "
                       "when a send last went well. It is the same for all processes.",
        .reply_doc = "The channels.",
        .reply = &channel_status_list_record,
        .handle = handle_list_channels,
    },
    {
        .method = "GET",
        .path = "/internal/v1/overview",
        .operation_id = "getOverview",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how all stands",
        .description = "What is wrong now, the worst first, each with what it concerns and what to "
                       "do; and the fleet, the channels and the processes at a glance. A worker "
                       "looks every 2 seconds what is wrong, in both stores. The figures of "
                       "integrations are told by getExchangeOverview.",
        .reply_doc = "The troubles and the figures.",
        .reply = &overview_record,
        .handle = handle_read,
    },
};

const struct route_table overview_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};

static const struct route exchange_rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/overview/exchange",
        .operation_id = "getExchangeOverview",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how the exchange stands",
        .description = "The packages and orders of all integrations at a glance.",
        .reply_doc = "The figures.",
        .reply = &exchange_overview_record,
        .handle = handle_read_exchange,
    },
};

const struct route_table overview_exchange_routes = {.store = STORE_EXCHANGE,
                                                     ROUTE_ROWS(exchange_rows)};
