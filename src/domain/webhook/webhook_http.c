/* The handlers of operations on webhook endpoints. */
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

enum err webhook_http_create(struct request *rq)
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
    if (!err) reply_record(rq, &endpoint);
    return err;
}

enum err webhook_http_list(struct request *rq)
{
    struct webhook_endpoint_list list;
    enum err err = webhook_list(&rq->work, &list);
    if (!err) reply_record(rq, &list);
    return err;
}

enum err webhook_http_read(struct request *rq)
{
    struct webhook_endpoint endpoint;
    enum err err = webhook_read(&rq->work, &rq->path_ids[0], &endpoint);
    if (!err) reply_record(rq, &endpoint);
    return err;
}

enum err webhook_http_change(struct request *rq)
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
    if (!err) reply_record(rq, &endpoint);
    return err;
}

enum err webhook_http_delete(struct request *rq)
{
    enum err err = webhook_delete(&rq->work, &rq->path_ids[0]);
    if (!err) reply_empty(rq);
    return err;
}

enum err webhook_http_rotate(struct request *rq)
{
    const struct webhook_rotation *input = rq->body;
    struct webhook_endpoint endpoint;
    enum err err = webhook_rotate(&rq->work, &rq->path_ids[0], input->overlap_seconds, &endpoint);
    if (!err) reply_record(rq, &endpoint);
    return err;
}

/* The worker delivers it; the answer waits for what comes back. */
enum err webhook_http_recheck_test(struct request *rq)
{
    struct webhook_delivery delivery;
    enum err err = webhook_read_delivery(&rq->work, &rq->resource_id, &delivery);

    if (err) return err;
    rq->is_unfinished = !delivery.answer;
    reply_record(rq, &delivery);
    if (!rq->is_unfinished) rq->status = 200;
    return ERR_OK;
}

enum err webhook_http_test(struct request *rq)
{
    enum err err = webhook_test(&rq->work, &rq->path_ids[0], &rq->resource_id);
    return err ? err : webhook_http_recheck_test(rq);
}

enum err webhook_http_list_deliveries(struct request *rq)
{
    struct webhook_delivery_list list;
    enum err err = webhook_list_deliveries(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err webhook_http_replay(struct request *rq)
{
    struct webhook_delivery delivery;
    enum err err = webhook_replay(&rq->work, &rq->path_ids[0], &rq->path_ids[1], &delivery);
    if (!err) reply_record(rq, &delivery);
    return err;
}

enum err webhook_http_recover(struct request *rq)
{
    const struct webhook_recovery *input = rq->body;
    struct webhook_recovered recovered;
    enum err err = webhook_recover(&rq->work, &rq->path_ids[0], input->since, &recovered);
    if (!err) reply_record(rq, &recovered);
    return err;
}
