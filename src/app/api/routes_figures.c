/* What was counted, over time (contract, section 18.6). */
#include "app/api/routes.h"
#include "app/metrics/figures.h"

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/figures",
        .operation_id = "getFigures",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See the last hours",
        .description = "Codes, SIMs and orders by the hour, from the counters of the metrics. A "
                       "process keeps what it counted each minute, so the newest is missing for "
                       "so long. Codes of test numbers do not count.",
        .query = &figures_query_record,
        .reply_doc = "The hours.",
        .reply = &figures_record,
        .handle = figures_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/figures/funnel",
        .operation_id = "getFunnel",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how far codes came",
        .description = "How many codes were created, sent, delivered and confirmed, by channel, "
                       "SIM, prefix or hour. Each step counts when it happened, and a code with "
                       "a fallback may be sent twice; so a step may have more than the one "
                       "before it.",
        .query = &funnel_query_record,
        .reply_doc = "The funnel.",
        .reply = &funnel_record,
        .handle = figures_http_read_funnel,
    },
    {
        .method = "GET",
        .path = "/internal/v1/figures/sims",
        .operation_id = "getSimFigures",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how the SIMs stood",
        .description = "How each SIM stood in the last 24 hours, as the worker saw it twice a "
                       "minute; what went on for a part of a minute counts as the worse.",
        .query = &sim_figures_query_record,
        .reply_doc = "The SIMs.",
        .reply = &sim_figures_list_record,
        .handle = figures_http_read_sims,
    },
};

const struct route_table routes_figures = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};
