/*
 * The whole service is some tables with a row for each operation. The dispatcher and its checks
 * follow these rows, and the OpenAPI document is printed from them; each role answers some.
 */
#include "app/api/routes.h"

#include "app/api/log_stream.h"
#include "app/metrics/figures.h"
#include "domain/api_key/api_key.h"
#include "domain/audit_chain/audit_chain.h"
#include "domain/call_report/call_report.h"
#include "domain/catalog/catalog.h"
#include "domain/channel/channel.h"
#include "domain/erp/erp.h"
#include "domain/event/event.h"
#include "domain/event_log/event_log.h"
#include "domain/find/find.h"
#include "domain/fleet/fleet.h"
#include "domain/fleet/pairing.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/integration/integration.h"
#include "domain/message/message.h"
#include "domain/messenger/messenger.h"
#include "domain/operator/operator.h"
#include "domain/order/order.h"
#include "domain/otp/otp.h"
#include "domain/overview/overview.h"
#include "domain/process/process.h"
#include "domain/sms/sms.h"
#include "domain/subject/subject.h"
#include "domain/token/token.h"
#include "domain/webhook/webhook.h"

const struct route_tag route_tags[] = {
    {"Fleet", "Phones, their numbers and their keys."},
    {"Phones", "What the application on a phone calls."},
    {"Inbound calls", "A number is confirmed by a call that it makes."},
    {"One-time codes", "A number is confirmed by a code that it gets."},
    {"Messages", "Texts to messenger chats."},
    {"Providers", "What providers of channels call."},
    {"Integrations", "Sales points with an ERP, and the clients of their ERPs."},
    {"Tokens", "Access tokens, and the keys that sign them."},
    {"ERP exchange", "Packages of catalogs, prices and stock that ERPs send."},
    {"Catalog", "What the packages made of a sales point's catalog."},
    {"Orders", "Orders on their way to an ERP."},
    {"Events", "What happened, told to the core system."},
    {"Keys", "Keys for these operations, each with a role."},
    {"Operators", "People who use the console."},
    {"Audit", "Who changed what."},
    {"Personal data", "What is held of a person."},
    {"Log and health", "What the service does, how it is, and this document."},
    {NULL, NULL},
};

/* The dispatcher opens the stream itself (log_stream.h), so this row has no handler and no room. */
static const struct route log_stream_rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/logs/stream",
        .operation_id = "streamLog",
        .role = ROLE_VIEWER,
        .tells_the_log = true,
        .action = "log.read",
        .tag = "Log and health",
        .summary = "Follow the log",
        .description = "Server-sent events: each has an id line and a data line with a LogEntry. "
                       "The header Last-Event-ID or the parameter `after` continues behind that "
                       "entry, the header if both are there; without them, only new entries come. "
                       "A comment line every 15 seconds keeps the connection alive. Entries are "
                       "kept for 24 hours.",
        .access = ACCESS_NONE,
        .reply_doc = "The stream.",
        .reply = &log_entry_record,
        .query = &log_stream_query,
        .is_stream = true,
    },
};
static const struct route_table log_stream_routes = {.store = STORE_VERIFICATION,
                                                     ROUTE_ROWS(log_stream_rows)};

enum answering { OF_OPERATIONS, OF_IDENTITY, OF_ALL };

/* Each room has its rows under their handlers, in its files *_http.c. */
static const struct {
    const struct route_table *table;
    enum answering answering;
} tables[] = {
    {&fleet_routes, OF_OPERATIONS},
    {&inbound_call_routes, OF_OPERATIONS},
    {&otp_routes, OF_OPERATIONS},
    {&message_routes, OF_OPERATIONS},
    {&channel_routes, OF_OPERATIONS},
    {&overview_routes, OF_OPERATIONS},
    {&process_routes, OF_OPERATIONS},
    {&event_log_routes, OF_OPERATIONS},
    {&log_stream_routes, OF_OPERATIONS},
    {&sms_routes, OF_OPERATIONS},
    {&messenger_routes, OF_OPERATIONS},
    {&pairing_routes, OF_OPERATIONS},
    {&call_report_routes, OF_OPERATIONS},
    {&integration_routes, OF_OPERATIONS},
    {&overview_exchange_routes, OF_OPERATIONS},
    {&token_key_routes, OF_OPERATIONS},
    {&erp_routes, OF_OPERATIONS},
    {&catalog_routes, OF_OPERATIONS},
    {&order_routes, OF_OPERATIONS},
    {&api_key_routes, OF_OPERATIONS},
    {&operator_routes, OF_OPERATIONS},
    {&figures_routes, OF_OPERATIONS},
    {&find_routes, OF_OPERATIONS},
    {&audit_chain_routes, OF_OPERATIONS},
    {&settings_routes, OF_OPERATIONS},
    {&secret_key_routes, OF_OPERATIONS},
    {&subject_routes, OF_OPERATIONS},
    {&event_routes, OF_OPERATIONS},
    {&webhook_routes, OF_OPERATIONS},
    {&token_routes, OF_IDENTITY},
    {&about_routes, OF_ALL},
    {&health_routes, OF_ALL},
};

void routes_of_role(enum process_role role, bool has_own_tokens, struct route_list *ret_list)
{
    bool is_tool = role == PROCESS_TOOL, is_serve = role == PROCESS_SERVE;
    const bool answers[] = {
        [OF_OPERATIONS] = is_serve || role == PROCESS_API || is_tool,
        [OF_IDENTITY] = has_own_tokens && (is_serve || role == PROCESS_IDP || is_tool),
        [OF_ALL] = true,
    };

    ret_list->count = 0;
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        if (answers[tables[i].answering]) route_list_add(ret_list, tables[i].table);
}

const struct route *routes_find(const char *operation_id)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const struct route_table *table = tables[i].table;
        for (size_t k = 0; k < table->count; k++)
            if (strcmp(table->rows[k].operation_id, operation_id) == 0) return &table->rows[k];
    }
    return NULL;
}

/* Returns the path of the issuer without slashes at its end. It is "" if there is none, if the
 * issuer is no URL, or if the path would be read as a template. */
static struct str path_of(const char *issuer)
{
    const char *host = strstr(issuer, "://");
    const char *path = host ? strchr(host + strlen("://"), '/') : NULL;
    if (!path || strpbrk(path, "{?#")) return STR("");

    struct str trimmed = str_of(path);
    while (trimmed.len > 0 && trimmed.data[trimmed.len - 1] == '/')
        trimmed.len--;
    return trimmed;
}

bool routes_of_issuer(const char *issuer, struct arena *arena, struct route *ret_route)
{
    const struct route *metadata = routes_find("getAuthorizationServer");
    struct str path = path_of(issuer);

    assert(metadata);
    if (path.len == 0) return false;
    *ret_route = *metadata;
    ret_route->path = arena_printf(arena, "%s%.*s", metadata->path, (int)path.len, path.data);
    return true;
}
