/* The handlers of operations on API keys. */
#include "domain/api_key/api_key.h"

enum err api_key_http_create(struct request *rq)
{
    struct record_fault fault;
    struct api_key key;
    enum err err = api_key_create(&rq->work, rq->body, &key, &fault);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    if (err) return err;
    reply_record(rq, &key);
    return ERR_OK;
}

enum err api_key_http_list(struct request *rq)
{
    struct api_key_list list;
    enum err err = api_key_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err api_key_http_read_self(struct request *rq)
{
    struct api_key_self self;
    enum err err = api_key_read_self(&rq->work, &self);
    if (err) return err;
    reply_record(rq, &self);
    return ERR_OK;
}

enum err api_key_http_rotate(struct request *rq)
{
    const struct api_key_rotation *input = rq->body;
    struct api_key key;
    enum err err = api_key_rotate(&rq->work, &rq->path_ids[0], input->overlap_seconds, &key);
    if (err) return err;
    reply_record(rq, &key);
    return ERR_OK;
}

enum err api_key_http_revoke(struct request *rq)
{
    enum err err = api_key_revoke(&rq->work, &rq->path_ids[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
