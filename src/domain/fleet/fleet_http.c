/* Decode, call, reply. */
#include "domain/fleet/fleet_http.h"

#include "core/page.h"
#include "domain/fleet/fleet_account.h"

enum { PARAM_LIMIT, PARAM_CURSOR };

const struct field fleet_list_params[] = {
    [PARAM_LIMIT] = {.name = "limit",
                     .type = FIELD_INTEGER,
                     .min = 1,
                     .max = PAGE_LIMIT_MAX,
                     .doc = "How many items to answer with; 50 if only `cursor` is given.",
                     .example = "50"},
    [PARAM_CURSOR] = PAGE_UUID_CURSOR_PARAM,
    {0},
};

enum err fleet_http_register(struct request *rq)
{
    struct credentials credentials;
    struct fleet_taken taken;
    enum err err = fleet_register(&rq->work, rq->body, &credentials, &taken);
    if (err == ERR_NUMBER_TAKEN && taken.number) error_put_text(rq, "number", taken.number);
    if (err == ERR_NUMBER_TAKEN && !taken.number)
        error_put_text(rq, "account_id", taken.account_id);
    if (err) return err;
    reply_record(rq, &credentials);
    return ERR_OK;
}

enum err fleet_http_list(struct request *rq)
{
    const char *limit = rq->params[PARAM_LIMIT], *cursor = rq->params[PARAM_CURSOR];
    struct uuid after = page_uuid_cursor(cursor);
    struct device_list list = {0};

    enum err err =
        fleet_list(&rq->work, &after, limit || cursor ? page_limit(limit) : FLEET_WHOLE, &list);
    if (err) return err;
    reply_record(rq, &list);
    if (!rq->reply.is_full) return ERR_OK;
    return error_fault(rq, "limit", "Must be given: the fleet is too large for one answer.");
}

enum err fleet_http_set_enabled(struct request *rq)
{
    const struct enable_request *input = rq->body;
    enum err err = fleet_set_enabled(&rq->work, &rq->path_ids[0], input->enabled);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err fleet_http_rotate_key(struct request *rq)
{
    struct rotated_key key;
    enum err err = fleet_rotate_key(&rq->work, &rq->path_ids[0], &key);
    if (err) return err;
    reply_record(rq, &key);
    return ERR_OK;
}

enum err fleet_http_ping(struct request *rq)
{
    const struct device *caller = rq->principal;
    struct ping_result result = {.ok = true, .device = ARENA_NEW(rq->work.arena, struct device)};

    enum err err = fleet_read(&rq->work, &caller->id, result.device);
    if (err) return err;
    result.device->last_seen_at = rq->work.now_ms;
    fleet_note_seen(&rq->work, caller);
    reply_record(rq, &result);
    return ERR_OK;
}

enum err fleet_http_set_accounts(struct request *rq)
{
    struct device device;
    const char *taken;
    enum err err = fleet_set_accounts(&rq->work, &rq->path_ids[0], rq->body, &device, &taken);
    if (err == ERR_NUMBER_TAKEN) error_put_text(rq, "account_id", taken);
    if (err) return err;
    reply_record(rq, &device);
    return ERR_OK;
}

enum err fleet_http_declare_accounts(struct request *rq)
{
    enum err err = fleet_declare_accounts(&rq->work, rq->principal, rq->body);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "accounts",
                           "Together with those that the phone named within the last 60 seconds, "
                           "these are more than 16 accounts that it is not bound to.");
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
