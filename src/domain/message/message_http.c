/* The handlers of messages read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/message/message.h"

enum err message_http_create(struct request *rq)
{
    struct message message;
    int64_t retry_after_ms = 0;
    enum err err = message_create(&rq->work, &rq->resource_id, rq->body, &message, &retry_after_ms);
    if (err == ERR_RATE_LIMITED || err == ERR_CIRCUIT_OPEN) error_retry_after(rq, retry_after_ms);
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

enum err message_http_reveal(struct request *rq)
{
    struct message message;
    enum err err = message_reveal(&rq->work, &rq->path_ids[0], &message);
    if (err) return err;
    reply_record(rq, &message);
    return ERR_OK;
}

enum err message_http_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = message_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    if (err) return err;
    reply_record(rq, &timeline);
    return ERR_OK;
}

enum err message_http_list(struct request *rq)
{
    struct message_list list;
    enum err err = message_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}
