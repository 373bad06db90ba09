/* The handlers of the fleet read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/fleet/fleet_account.h"

static const struct field list_fields[] = {
    FIELD(struct fleet_query, limit, FIELD_INTEGER, 0,
          "How many items to answer with; 50 if only `cursor` is given.", .min = 1,
          .max = PAGE_LIMIT_MAX, .example = "50"),
    PAGE_ID_CURSOR_ROW(struct fleet_query),
    FIELD(struct fleet_query, ready, FIELD_TRISTATE, 0,
          "true: only phones of which a SIM can send now; false: only those without one.",
          .example = "false"),
    FIELD(struct fleet_query, enabled, FIELD_TRISTATE, 0,
          "Only phones that are enabled, or that are disabled.", .example = "true"),
    FIELD(struct fleet_query, q, FIELD_STRING, 0,
          "Only phones with this in their name, in letters of either case, or in one of their "
          "numbers, however that is written; of a number at least 3 digits.",
          .min = 1, .max = DEVICE_QUERY_MAX, .example = "8 (916) 000-00-01"),
};

const struct record fleet_list_query = {.size = sizeof(struct fleet_query),
                                        RECORD_FIELDS(list_fields)};

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

enum err fleet_http_read(struct request *rq)
{
    struct device device;
    enum err err = fleet_read(&rq->work, &rq->path_ids[0], &device);
    if (err) return err;
    reply_record(rq, &device);
    return ERR_OK;
}

enum err fleet_http_change(struct request *rq)
{
    struct device device;
    struct fleet_taken taken;
    enum err err = fleet_change(&rq->work, &rq->path_ids[0], rq->body, &device, &taken);
    if (err == ERR_NUMBER_TAKEN) error_put_text(rq, "number", taken.number);
    if (err) return err;
    reply_record(rq, &device);
    return ERR_OK;
}

enum err fleet_http_set_slots(struct request *rq)
{
    struct device device;
    const char *foreign = NULL;
    enum err err = fleet_set_slots(&rq->work, &rq->path_ids[0], rq->body, &device, &foreign);
    if (err == ERR_NUMBER_NOT_OWNED) error_put_text(rq, "number", foreign);
    if (err) return err;
    reply_record(rq, &device);
    return ERR_OK;
}

enum err fleet_http_remove(struct request *rq)
{
    enum err err = fleet_remove(&rq->work, &rq->path_ids[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err fleet_http_list(struct request *rq)
{
    struct fleet_query query = *(const struct fleet_query *)rq->query;
    struct device_list list = {0};

    if (query.limit == 0) query.limit = query.cursor ? PAGE_LIMIT_DEFAULT : FLEET_WHOLE;
    enum err err = fleet_list(&rq->work, &query, &list);
    err = reply_page(rq, err, &list);
    if (err || !rq->reply.is_full) return err;
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
    const struct device *phone = rq->principal;
    struct ping_result result = {.ok = true, .device = ARENA_NEW(rq->work.arena, struct device)};

    enum err err = fleet_read(&rq->work, &phone->id, result.device);
    if (err) return err;
    result.device->last_seen_at = rq->work.now_ms;
    result.device->status = fleet_read_status(rq->work.arena, rq->raw_body, rq->work.now_ms);
    fleet_renew_status(&rq->work, phone, rq->raw_body);
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
