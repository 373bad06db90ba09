/* These operations manage integrations, workload clients and signing keys (doc B; contract, section
 * 4). */
#include "app/api/routes.h"
#include "domain/integration/integration.h"
#include "domain/integration/integration_http.h"
#include "domain/overview/overview.h"
#include "domain/token/token.h"

/* This record has no member yet, but a body that is sent is checked. */
static const struct record rotate_key_record = {
    .name = "RotateSigningKey",
    .doc = "Asks for the next signing key.",
    .size = sizeof(char),
};

static const struct route rows[] = {
    /* --- Integrations --- */
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
        .handle = integration_http_create,
    },
    {
        .method = "GET",
        .path = "/internal/v1/overview/exchange",
        .operation_id = "getExchangeOverview",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how the exchange stands",
        .description = "The packages and orders of all integrations at a glance.",
        .reply_doc = "The figures.",
        .reply = &exchange_overview_record,
        .handle = overview_http_read_exchange,
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
        .query = &integration_list_query,
        .handle = integration_http_list,
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
        .handle = integration_http_read,
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
        .handle = integration_http_change,
    },

    /* --- Workload clients --- */
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
        .handle = client_http_create,
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
        .handle = client_http_list,
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
        .handle = client_http_rotate_secret,
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
        .handle = client_http_revoke_secret,
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
        .handle = client_http_set_enabled,
    },

    /* --- Signing keys --- */
    {
        .method = "GET",
        .path = "/internal/v1/signing-keys",
        .operation_id = "listSigningKeys",
        .role = ROLE_VIEWER,
        .tag = "Tokens",
        .summary = "List the signing keys",
        .description =
            "The keys of the key set, oldest first: those that sign access tokens, will, "
            "or did until a moment ago.",
        .reply_doc = "The keys.",
        .reply = &signing_key_list_record,
        .query = &page_by_number_query,
        .handle = token_http_list_keys,
    },
    {
        .method = "POST",
        .path = "/internal/v1/signing-keys/rotate",
        .operation_id = "rotateSigningKey",
        .role = ROLE_ADMIN,
        .action = "signing_key.rotate",
        .tag = "Tokens",
        .summary = "Make the next signing key",
        .description = "It is published at once and signs from `signs_from`, when every cached key "
                       "set has it; the old one stays published until its last token has expired. "
                       "While one waits for its time already, that one is the answer. A key that "
                       "cannot be read is replaced; where nothing can be signed, the next one "
                       "signs at once.",
        .body = &rotate_key_record,
        .reply_doc = "The key that signs next.",
        .reply = &signing_key_record,
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = token_http_rotate_key,
    },
    {
        .method = "POST",
        .path = "/internal/v1/signing-keys/{*kid}/withdraw",
        .operation_id = "withdrawSigningKey",
        .role = ROLE_ADMIN,
        .action = "signing_key.withdraw",
        .tag = "Tokens",
        .summary = "Withdraw a signing key",
        .description = "The key leaves the key set at once, and every process refuses its tokens "
                       "within 10 seconds; clients fetch new ones. Where it is the key that signs, "
                       "the next one signs at once. For a key whose secret part may be known to "
                       "others. A key that is not published is 404.",
        .reply_doc = "The key is withdrawn.",
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = token_http_withdraw_key,
    },
};

const struct route_table routes_exchange = {
    .store = STORE_EXCHANGE,
    ROUTE_ROWS(rows),
};
