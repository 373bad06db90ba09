/* Operators manage integrations and their clients by these operations (doc B; contract, section 4).
 */
#include "core/request.h"
#include "domain/integration/integration.h"

/* --- Integrations --- */

static enum err answer_integration(struct request *rq, enum err err,
                                   const struct integration *integration,
                                   const struct integration_refusal *refusal)
{
    if (err == ERR_POINT_TAKEN) error_put_uuid(rq, "integration_id", &refusal->taken_by);
    if (err == ERR_VALIDATION) return error_fault(rq, refusal->fault.path, refusal->fault.message);
    return reply_with(rq, err, integration);
}

static enum err handle_create(struct request *rq)
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
static const struct record list_query = {.size = sizeof(struct integration_filter),
                                         RECORD_FIELDS(list_fields)};

static enum err handle_list(struct request *rq)
{
    struct integration_list list;
    enum err err = integration_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_read(struct request *rq)
{
    struct integration integration;
    enum err err = integration_show(&rq->work, &rq->path_ids[0], &integration);
    return reply_with(rq, err, &integration);
}

static enum err handle_change(struct request *rq)
{
    struct integration integration;
    struct integration_refusal refusal;
    enum err err =
        integration_change(&rq->work, &rq->path_ids[0], rq->body, &integration, &refusal);
    return answer_integration(rq, err, &integration, &refusal);
}

/* --- Clients --- */

static enum err handle_create_client(struct request *rq)
{
    struct client_credentials credentials;
    enum err err = client_create(&rq->work, &rq->path_ids[0], rq->body, &credentials);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "",
                           "This integration has 50 clients already, the most there can "
                           "be. Rotate the secret of one, and enable it.");
    return reply_with(rq, err, &credentials);
}

static enum err handle_list_clients(struct request *rq)
{
    struct client_list list;
    enum err err = client_list(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_rotate_secret(struct request *rq)
{
    const struct rotate_input *input = rq->body;
    struct client_credentials credentials;
    enum err err =
        client_rotate_secret(&rq->work, &rq->path_ids[0], input->overlap_seconds, &credentials);
    return reply_with(rq, err, &credentials);
}

static enum err handle_revoke_secret(struct request *rq)
{
    const struct revoke_input *input = rq->body;
    enum err err = client_revoke_secret(&rq->work, &rq->path_ids[0], &input->secret_id);
    return reply_done(rq, err);
}

static enum err handle_set_client_enabled(struct request *rq)
{
    const struct client_change *input = rq->body;
    enum err err = client_set_enabled(&rq->work, &rq->path_ids[0], input->enabled);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/integrations",
        .operation_id = "createIntegration",
        .role = ROLE_OPERATOR,
        .action = "integration.create",
        .tag = "Integrations",
        .summary = "Connect a sales point with its ERP",
        .description = "Stores a sales point of a tenant and how its ERP is reached. The ERP's "
                       "token is kept encrypted and never shown. Workload clients, which fetch "
                       "tokens for the integration, are created apart. Of one tenant, point and "
                       "environment, one integration may be enabled: where there is one already, "
                       "it is 409.",
        .body = &integration_input_record,
        .status = 201,
        .reply_doc = "The integration is created.",
        .reply = &integration_record,
        .link_path = "/internal/v1/integrations/{id}",
        .link_id = "/id",
        .errors = {ERR_POINT_TAKEN},
        .handle = handle_create,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations",
        .operation_id = "listIntegrations",
        .role = ROLE_VIEWER,
        .tag = "Integrations",
        .summary = "List the integrations",
        .description = "A page of integrations in order of creation, each with how its exchange "
                       "stands: the age of its catalog, packages that wait or failed, orders that "
                       "wait, and whether its ERP takes them.",
        .reply_doc = "The integrations.",
        .reply = &integration_list_record,
        .query = &list_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations/{id}",
        .operation_id = "getIntegration",
        .role = ROLE_VIEWER,
        .tag = "Integrations",
        .summary = "Read an integration",
        .description =
            "The integration as it stands now, with how its exchange stands, and without the "
            "token of its ERP.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The integration.",
        .reply = &integration_record,
        .handle = handle_read,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/integrations/{id}",
        .operation_id = "changeIntegration",
        .role = ROLE_OPERATOR,
        .action = "integration.change",
        .tag = "Integrations",
        .summary = "Change an integration",
        .description =
            "What is left out stays, within `erp` too; where nothing becomes another, "
            "`updated_at` stays. Enabled while another of its tenant, point and "
            "environment is, it is 409. Disabled, the integration gets no new tokens, and "
            "those that it has are refused at once.",
        .body = &integration_change_record,
        .reply_doc = "The integration as it is now.",
        .reply = &integration_record,
        .errors = {ERR_POINT_TAKEN},
        .handle = handle_change,
    },
    {
        .method = "POST",
        .path = "/internal/v1/integrations/{id}/clients",
        .operation_id = "createClient",
        .role = ROLE_OPERATOR,
        .action = "client.create",
        .tag = "Integrations",
        .summary = "Create a workload client",
        .description = "Makes a client that may fetch tokens for the integration, and its secret, "
                       "which is shown in this answer only. An integration has at most 50 clients. "
                       "Where another identity service issues the tokens (HERALD_JWKS_URL), its "
                       "clients are made there.",
        .body = &client_input_record,
        .status = 201,
        .reply_doc = "What the team of the ERP needs to fetch tokens.",
        .reply = &client_credentials_record,
        .link_path = "/internal/v1/clients/{client_id}",
        .link_id = "/client_id",
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = handle_create_client,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations/{id}/clients",
        .operation_id = "listClients",
        .role = ROLE_VIEWER,
        .tag = "Integrations",
        .summary = "List the clients of an integration",
        .description = "A page of clients in order of creation, with the ids of their live "
                       "secrets. An integration has at most 50.",
        .reply_doc = "The clients.",
        .reply = &client_list_record,
        .query = &page_by_id_query,
        .handle = handle_list_clients,
    },
    {
        .method = "POST",
        .path = "/internal/v1/clients/{client_id}/rotate-secret",
        .operation_id = "rotateClientSecret",
        .role = ROLE_OPERATOR,
        .action = "client.rotate_secret",
        .tag = "Integrations",
        .summary = "Make a new secret for a client",
        .description = "The newest old secret stays good for `overlap_seconds`, all others end "
                       "now: there are never more than two. Tokens that were issued stay good "
                       "until they expire.",
        .body = &rotate_input_record,
        .reply_doc = "The new secret, shown this once.",
        .reply = &client_credentials_record,
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = handle_rotate_secret,
    },
    {
        .method = "POST",
        .path = "/internal/v1/clients/{client_id}/revoke-secret",
        .operation_id = "revokeClientSecret",
        .role = ROLE_OPERATOR,
        .action = "client.revoke_secret",
        .tag = "Integrations",
        .summary = "Revoke a secret of a client",
        .description = "No token is issued for the secret from now on; those that were stay good "
                       "until they expire, 600 seconds at most. May be repeated.",
        .body = &revoke_input_record,
        .reply_doc = "Done.",
        .handle = handle_revoke_secret,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/clients/{client_id}",
        .operation_id = "setClientEnabled",
        .role = ROLE_OPERATOR,
        .action = "client.enable",
        .tag = "Integrations",
        .summary = "Enable or disable a client",
        .description = "A disabled client gets no tokens, and those that it has are refused.",
        .body = &client_change_record,
        .reply_doc = "Done.",
        .handle = handle_set_client_enabled,
    },
};

const struct route_table integration_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(rows)};
