/* The handlers of inbound calls read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/inbound_call/inbound_call.h"

enum err inbound_call_http_create(struct request *rq)
{
    struct call_challenge challenge;
    struct uuid active;
    enum err err = inbound_call_create(&rq->work, &rq->resource_id, rq->body, &challenge, &active);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &active);
    if (err) return err;
    reply_record(rq, &challenge);
    return ERR_OK;
}

enum err inbound_call_http_read(struct request *rq)
{
    struct call_challenge challenge;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = inbound_call_read(&rq->work, id, &challenge);
    if (err) return err;
    reply_record(rq, &challenge);
    return ERR_OK;
}

enum err inbound_call_http_reveal(struct request *rq)
{
    struct call_challenge challenge;
    enum err err = inbound_call_reveal(&rq->work, &rq->path_ids[0], &challenge);
    if (err) return err;
    reply_record(rq, &challenge);
    return ERR_OK;
}

enum err inbound_call_http_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = inbound_call_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    if (err) return err;
    reply_record(rq, &timeline);
    return ERR_OK;
}

enum err inbound_call_http_list(struct request *rq)
{
    struct call_challenge_list list;
    enum err err = inbound_call_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err inbound_call_http_cancel(struct request *rq)
{
    enum err err = inbound_call_cancel(&rq->work, &rq->path_ids[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err inbound_call_http_event(struct request *rq)
{
    struct event_result result;
    enum err err = inbound_call_apply_event(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}
