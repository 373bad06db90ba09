/* The operations on webhook endpoints (contract, section 13). */
#include "core/request.h"
#include "domain/webhook/webhook.h"

/* Waits until every process writes events. `ret_waits`: the request runs again. */
static enum err prepare(struct request *rq, bool *ret_waits)
{
    bool is_ready;
    enum err err = webhook_prepare(&rq->work, &is_ready);

    *ret_waits = false;
    if (err || is_ready) return err;
    if (!rq->may_wait) return ERR_EVENTS_UNCONFIRMED;
    rq->wait_ms = EVENT_LISTEN_MS;
    *ret_waits = true;
    return ERR_OK;
}

static enum err refuse_role(struct request *rq)
{
    error_put_text(rq, "role", role_words[ROLE_ADMIN]);
    return ERR_INSUFFICIENT_ROLE;
}

static enum err handle_create(struct request *rq)
{
    const struct webhook_endpoint_input *input = rq->body;
    struct webhook_endpoint endpoint;
    struct record_fault fault;
    bool waits;

    if (input->full_numbers && !webhook_may_send_numbers(&rq->work)) return refuse_role(rq);
    enum err err = prepare(rq, &waits);
    if (err || waits) return err;
    err = webhook_create(&rq->work, input, &endpoint, &fault);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    return reply_with(rq, err, &endpoint);
}

static enum err handle_list(struct request *rq)
{
    struct webhook_endpoint_list list;
    enum err err = webhook_list(&rq->work, &list);
    return reply_with(rq, err, &list);
}

static enum err handle_read(struct request *rq)
{
    struct webhook_endpoint endpoint;
    enum err err = webhook_read(&rq->work, &rq->path_ids[0], &endpoint);
    return reply_with(rq, err, &endpoint);
}

static enum err handle_change(struct request *rq)
{
    const struct webhook_endpoint_change *change = rq->body;
    struct webhook_endpoint endpoint;
    struct record_fault fault;
    bool waits = false;

    enum err err = change->enabled == 1 ? prepare(rq, &waits) : ERR_OK;
    if (err || waits) return err;
    err = webhook_change(&rq->work, &rq->path_ids[0], change, &endpoint, &fault);
    if (err == ERR_INSUFFICIENT_ROLE) return refuse_role(rq);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    return reply_with(rq, err, &endpoint);
}

static enum err handle_delete(struct request *rq)
{
    enum err err = webhook_delete(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

static enum err handle_rotate(struct request *rq)
{
    const struct webhook_rotation *input = rq->body;
    struct webhook_endpoint endpoint;
    enum err err = webhook_rotate(&rq->work, &rq->path_ids[0], input->overlap_seconds, &endpoint);
    return reply_with(rq, err, &endpoint);
}

/* The worker delivers it; the answer waits for what comes back. */
static enum err recheck_test(struct request *rq)
{
    struct webhook_delivery delivery;
    enum err err = webhook_read_delivery(&rq->work, &rq->resource_id, &delivery);

    if (err) return err;
    rq->is_unfinished = !delivery.answer;
    reply_record(rq, &delivery);
    if (!rq->is_unfinished) rq->status = 200;
    return ERR_OK;
}

static enum err handle_test(struct request *rq)
{
    enum err err = webhook_test(&rq->work, &rq->path_ids[0], &rq->resource_id);
    return err ? err : recheck_test(rq);
}

static enum err handle_list_deliveries(struct request *rq)
{
    struct webhook_delivery_list list;
    enum err err = webhook_list_deliveries(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_replay(struct request *rq)
{
    struct webhook_delivery delivery;
    enum err err = webhook_replay(&rq->work, &rq->path_ids[0], &rq->path_ids[1], &delivery);
    return reply_with(rq, err, &delivery);
}

static enum err handle_recover(struct request *rq)
{
    const struct webhook_recovery *input = rq->body;
    struct webhook_recovered recovered;
    enum err err = webhook_recover(&rq->work, &rq->path_ids[0], input->since, &recovered);
    return reply_with(rq, err, &recovered);
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define WEBHOOKS "/internal/v1/webhook-endpoints"

enum { TEST_MS = 16 * 1000 }; /* a delivery has 15 s */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = WEBHOOKS,
        .operation_id = "createWebhookEndpoint",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.create",
        .tag = "Events",
        .summary = "Make a webhook endpoint",
        .description =
            "Events are delivered to it from `active_from` on, signed with the secret "
            "that this answer alone shows (Standard Webhooks 1.0). It answers when every "
            "process has confirmed that it writes events. There are at most 50. With "
            "`full_numbers` it wants the role `admin`.",
        .waits = true,
        .body = &webhook_endpoint_input_record,
        .status = 201,
        .reply_doc = "The endpoint with its secret, shown this once.",
        .reply = &webhook_endpoint_shown_record,
        .link_path = WEBHOOKS "/{id}",
        .link_id = "/id",
        .errors = {ERR_EVENTS_OFF, ERR_EVENTS_UNCONFIRMED},
        .handle = handle_create,
    },
    {
        .method = "GET",
        .path = WEBHOOKS,
        .operation_id = "listWebhookEndpoints",
        .role = ROLE_VIEWER,
        .tag = "Events",
        .summary = "List the webhook endpoints",
        .description = "All of them, oldest first, without their secrets.",
        .reply_doc = "The endpoints.",
        .reply = &webhook_endpoint_list_record,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = WEBHOOKS "/{id}",
        .operation_id = "getWebhookEndpoint",
        .role = ROLE_VIEWER,
        .tag = "Events",
        .summary = "Read a webhook endpoint",
        .description = "The endpoint without its secret.",
        .reply_doc = "The endpoint.",
        .reply = &webhook_endpoint_record,
        .handle = handle_read,
    },
    {
        .method = "PATCH",
        .path = WEBHOOKS "/{id}",
        .operation_id = "changeWebhookEndpoint",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.change",
        .tag = "Events",
        .summary = "Change a webhook endpoint",
        .description = "What is given becomes different; the rest stays. To have full numbers sent "
                       "to another place, or for the first time, wants the role `admin`.",
        .waits = true,
        .body = &webhook_endpoint_change_record,
        .reply_doc = "The endpoint as it is now.",
        .reply = &webhook_endpoint_record,
        .errors = {ERR_EVENTS_OFF, ERR_EVENTS_UNCONFIRMED},
        .handle = handle_change,
    },
    {
        .method = "DELETE",
        .path = WEBHOOKS "/{id}",
        .operation_id = "deleteWebhookEndpoint",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.delete",
        .tag = "Events",
        .summary = "Delete a webhook endpoint",
        .description = "Nothing is delivered to it any more, also of what is due.",
        .reply_doc = "It is deleted.",
        .handle = handle_delete,
    },
    {
        .method = "POST",
        .path = WEBHOOKS "/{id}/rotate-secret",
        .operation_id = "rotateWebhookSecret",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.rotate_secret",
        .tag = "Events",
        .summary = "Make a new secret for a webhook endpoint",
        .description = "Both secrets sign until the overlap is over.",
        .body = &webhook_rotation_record,
        .reply_doc = "The endpoint with its new secret, shown this once.",
        .reply = &webhook_endpoint_shown_record,
        .handle = handle_rotate,
    },
    {
        .method = "POST",
        .path = WEBHOOKS "/{id}/test",
        .operation_id = "testWebhookEndpoint",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.test",
        .tag = "Events",
        .summary = "Test a webhook endpoint",
        .description = "Delivers a `test.ping` once, and answers what came back.",
        .status = 202,
        .reply_doc = "It was not answered within 16 s, or no worker runs: read its deliveries.",
        .reply = &webhook_delivery_record,
        .errors = {ERR_WEBHOOK_DISABLED},
        .handle = handle_test,
        .recheck = recheck_test,
        .recheck_ms = TEST_MS,
        .at_once_doc = "What came back.",
    },
    {
        .method = "GET",
        .path = WEBHOOKS "/{id}/deliveries",
        .operation_id = "listWebhookDeliveries",
        .role = ROLE_VIEWER,
        .tag = "Events",
        .summary = "List the deliveries to a webhook endpoint",
        .description = "A page of them, newest first, as long as the feed keeps their events.",
        .reply_doc = "The deliveries.",
        .reply = &webhook_delivery_list_record,
        .query = &webhook_delivery_filter_query,
        .handle = handle_list_deliveries,
    },
    {
        .method = "POST",
        .path = WEBHOOKS "/{id}/deliveries/{delivery_id}/replay",
        .operation_id = "replayWebhookDelivery",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.replay",
        .tag = "Events",
        .summary = "Deliver an event once more",
        .description = "It is due now, whatever became of it; its attempts begin anew.",
        .reply_doc = "The delivery.",
        .reply = &webhook_delivery_record,
        .handle = handle_replay,
    },
    {
        .method = "POST",
        .path = WEBHOOKS "/{id}/recover",
        .operation_id = "recoverWebhookDeliveries",
        .role = ROLE_OPERATOR,
        .action = "webhook_endpoint.recover",
        .tag = "Events",
        .summary = "Deliver again what failed",
        .description = "All deliveries that failed, of events since then, are due now; 10,000 at "
                       "most at once.",
        .body = &webhook_recovery_record,
        .reply_doc = "How many there are.",
        .reply = &webhook_recovered_record,
        .handle = handle_recover,
    },
};

const struct route_table webhook_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
