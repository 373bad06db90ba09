/* The handlers of messages read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/message/message.h"

enum err message_http_create(struct request *rq)
{
    struct message message;
    int64_t retry_after_ms = 0;
    enum err err = message_create(&rq->work, &rq->resource_id, rq->body, &message, &retry_after_ms);
    if (err == ERR_RATE_LIMITED) error_retry_after(rq, retry_after_ms);
    if (err == ERR_CIRCUIT_OPEN) error_retry_at(rq, retry_after_ms);
    if (err) return err;
    reply_record(rq, &message);
    return ERR_OK;
}

enum err message_http_read(struct request *rq)
{
    struct message message;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = message_read(&rq->work, id, &message);
    if (err) return err;
    reply_record(rq, &message);
    return ERR_OK;
}
