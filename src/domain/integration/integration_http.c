/* The handlers of operations on integrations and their clients. */
#include "domain/integration/integration_http.h"

#include "domain/integration/integration.h"

/* --- Integrations --- */

static enum err answer_integration(struct request *rq, enum err err,
                                   const struct integration *integration,
                                   const struct integration_refusal *refusal)
{
    if (err == ERR_POINT_TAKEN) error_put_uuid(rq, "integration_id", &refusal->taken_by);
    if (err == ERR_VALIDATION) return error_fault(rq, refusal->fault.path, refusal->fault.message);
    if (err) return err;
    reply_record(rq, integration);
    return ERR_OK;
}

enum err integration_http_create(struct request *rq)
{
    struct integration integration;
    struct integration_refusal refusal;
    enum err err =
        integration_create(&rq->work, &rq->resource_id, rq->body, &integration, &refusal);
    return answer_integration(rq, err, &integration, &refusal);
}

static const struct field list_fields[] = {
    FIELD_AS("q", struct integration_filter, query, FIELD_STRING, 0,
             "Only integrations whose name has this in it, in upper or lower case, or the one "
             "whose id or point_id it is.",
             .min = 1, .max = INTEGRATION_NAME_MAX, .example = "shop 12"),
    FIELD_AS("enabled", struct integration_filter, is_enabled, FIELD_TRISTATE, 0,
             "Only those that are enabled, or only those that are not; all if it is left out.",
             .example = "true"),
    PAGE_LIMIT_ROW(struct integration_filter),
    PAGE_ID_CURSOR_ROW(struct integration_filter),
};
const struct record integration_list_query = {.size = sizeof(struct integration_filter),
                                              RECORD_FIELDS(list_fields)};

enum err integration_http_list(struct request *rq)
{
    struct integration_list list;
    enum err err = integration_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err integration_http_read(struct request *rq)
{
    struct integration integration;
    enum err err = integration_show(&rq->work, &rq->path_ids[0], &integration);
    if (err) return err;
    reply_record(rq, &integration);
    return ERR_OK;
}

enum err integration_http_change(struct request *rq)
{
    struct integration integration;
    struct integration_refusal refusal;
    enum err err =
        integration_change(&rq->work, &rq->path_ids[0], rq->body, &integration, &refusal);
    return answer_integration(rq, err, &integration, &refusal);
}

/* --- Clients --- */

enum err client_http_create(struct request *rq)
{
    struct client_credentials credentials;
    enum err err = client_create(&rq->work, &rq->path_ids[0], rq->body, &credentials);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "",
                           "This integration has 50 clients already, the most there can "
                           "be. Rotate the secret of one, and enable it.");
    if (err) return err;
    reply_record(rq, &credentials);
    return ERR_OK;
}

enum err client_http_list(struct request *rq)
{
    struct client_list list;
    enum err err = client_list(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err client_http_rotate_secret(struct request *rq)
{
    const struct rotate_input *input = rq->body;
    struct client_credentials credentials;
    enum err err =
        client_rotate_secret(&rq->work, &rq->path_ids[0], input->overlap_seconds, &credentials);
    if (err) return err;
    reply_record(rq, &credentials);
    return ERR_OK;
}

enum err client_http_revoke_secret(struct request *rq)
{
    const struct revoke_input *input = rq->body;
    enum err err = client_revoke_secret(&rq->work, &rq->path_ids[0], &input->secret_id);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err client_http_set_enabled(struct request *rq)
{
    const struct client_change *input = rq->body;
    enum err err = client_set_enabled(&rq->work, &rq->path_ids[0], input->enabled);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
