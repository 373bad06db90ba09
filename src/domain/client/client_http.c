/* Decode, call, reply. */
#include "domain/client/client_http.h"

#include "domain/client/client.h"

/* --- Integrations --- */

const struct field integration_list_params[] = {
    {.name = "limit",
     .type = FIELD_INTEGER,
     .min = 1,
     .max = LIST_LIMIT_MAX,
     .doc = "How many items to answer with; 50 if it is left out.",
     .example = "50"},
    {.name = "cursor",
     .type = FIELD_UUID,
     .doc = "`next_cursor` of the page before.",
     .example = "\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\""},
    {0},
};

static enum err answer_integration(struct request *rq, enum err err,
                                   const struct integration *integration, const char *fault)
{
    if (err == ERR_VALIDATION) return error_fault(rq, "erp.base_url", fault);
    if (err) return err;
    reply_record(rq, integration);
    return ERR_OK;
}

enum err integration_http_create(struct request *rq)
{
    struct integration integration;
    const char *fault = NULL;
    enum err err = integration_create(&rq->work, &rq->resource_id, rq->body, &integration, &fault);
    return answer_integration(rq, err, &integration, fault);
}

enum err integration_http_list(struct request *rq)
{
    struct integration_list list;
    struct uuid after = {0};
    long long limit = LIST_LIMIT_DEFAULT;

    /* The table has checked both. */
    if (rq->params[0] && !str_to_int64(str_of(rq->params[0]), &limit)) return ERR_INTERNAL;
    if (rq->params[1] && !uuid_parse(str_of(rq->params[1]), &after)) return ERR_INTERNAL;
    enum err err = integration_list(&rq->work, &after, (int)limit, &list);
    if (err) return err;
    reply_record(rq, &list);
    return ERR_OK;
}

enum err integration_http_read(struct request *rq)
{
    struct integration integration;
    enum err err = integration_read(&rq->work, &rq->path_ids[0], &integration);
    return answer_integration(rq, err, &integration, NULL);
}

enum err integration_http_change(struct request *rq)
{
    struct integration integration;
    const char *fault = NULL;
    enum err err = integration_change(&rq->work, &rq->path_ids[0], rq->body, &integration, &fault);
    return answer_integration(rq, err, &integration, fault);
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
    enum err err = client_list(&rq->work, &rq->path_ids[0], &list);
    if (err) return err;
    reply_record(rq, &list);
    return ERR_OK;
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
