/* A simulator tells here what it saw. */
#include "calls.h"

#include "server.h"

enum { SHOWN = 1000, SHOWN_MAX = 100000, LEFTOVER_SHOWN = 100 };

int calls_read_page(struct control_request *request, struct call_filter *filter, int64_t *ret_limit)
{
    int64_t after = 0;
    int status = control_flag(request, "claimed", &filter->claimed);

    *ret_limit = SHOWN;
    if (!status) status = control_flag(request, "had_effect", &filter->had_effect);
    if (!status) status = control_count(request, "after", INT64_MAX, &after);
    if (!status) status = control_count(request, "limit", SHOWN_MAX, ret_limit);
    filter->after = (uint64_t)after;
    return status;
}

int calls_list(struct control_request *request, const struct call_filter *filter, int64_t limit)
{
    struct server *server = request->server;

    pthread_mutex_lock(&server->lock);
    json_object_begin(&request->json);
    json_put_int(&request->json, "count", (int64_t)ledger_count(server->ledger, *filter));
    json_put_int(&request->json, "dropped", (int64_t)ledger_dropped(server->ledger));
    ledger_put_calls(server->ledger, *filter, limit, &request->json);
    json_object_end(&request->json);
    pthread_mutex_unlock(&server->lock);
    return 200;
}

int calls_list_leftover(struct control_request *request, const struct call_filter *filter,
                        int64_t awaited)
{
    struct server *server = request->server;
    struct call_filter unclaimed = *filter;

    unclaimed.claimed = 0;
    pthread_mutex_lock(&server->lock);
    json_object_begin(&request->json);
    json_put_int(&request->json, "count", (int64_t)ledger_count(server->ledger, unclaimed));
    json_put_int(&request->json, "orders_left", awaited);
    ledger_put_calls(server->ledger, unclaimed, LEFTOVER_SHOWN, &request->json);
    json_object_end(&request->json);
    pthread_mutex_unlock(&server->lock);
    return 200;
}

int calls_claim(struct control_request *request, const struct call_filter *filter)
{
    struct server *server = request->server;

    pthread_mutex_lock(&server->lock);
    const struct call_record *call = ledger_claim(server->ledger, *filter);
    if (call) call_record_write(call, &request->answer);
    pthread_mutex_unlock(&server->lock);
    return call ? 200 : control_refuse(request, 404, "No unclaimed call fits");
}
