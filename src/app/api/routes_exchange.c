/* Integrations, their clients, and the keys of tokens (doc B; contract, section 4). */
#include "app/api/routes.h"
#include "domain/integration/client.h"
#include "domain/integration/client_http.h"
#include "domain/token/token.h"
#include "domain/token/token_http.h"

#define EXAMPLE_ERP                                                                   \
    "{\"base_url\":\"https://erp.example.com/hs\",\"order_path\":\"/svc/v1/orders\"," \
    "\"timeout_seconds\":10}"
#define EXAMPLE_INTEGRATION                                                                     \
    "{\"id\":\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\","                                         \
    "\"tenant_id\":\"5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4\","                                   \
    "\"point_id\":\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\","                                    \
    "\"environment\":\"production\",\"name\":\"Shop 12\","                                      \
    "\"enabled\":true,\"erp\":" EXAMPLE_ERP ",\"max_archive_share\":0.5,\"absent\":\"remove\"," \
    "\"created_at\":\"2026-11-21T04:33:00.123Z\","                                              \
    "\"updated_at\":\"2026-11-21T04:33:00.123Z\"}"
#define EXAMPLE_SCOPES "[\"erp.catalog.write\",\"erp.changes.write\",\"erp.events.read\"]"
#define EXAMPLE_CREDENTIALS                                                 \
    "{\"client_id\":\"0192f0c7-7777-7d3e-8f00-3b2a1c0d9e8f\","              \
    "\"client_secret\":\"hs_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw\"," \
    "\"secret_id\":\"0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f\","               \
    "\"token_url\":\"https://herald.example/v1/oauth/token\","              \
    "\"integration_id\":\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\",\"scopes\":" EXAMPLE_SCOPES "}"
#define EXAMPLE_CLIENT                                                            \
    "{\"client_id\":\"0192f0c7-7777-7d3e-8f00-3b2a1c0d9e8f\","                    \
    "\"integration_id\":\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\","                \
    "\"name\":\"ERP of shop 12\",\"scopes\":" EXAMPLE_SCOPES ",\"enabled\":true," \
    "\"created_at\":\"2026-11-21T04:33:00.123Z\","                                \
    "\"secrets\":[{\"id\":\"0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f\","              \
    "\"created_at\":\"2026-11-21T04:33:00.123Z\",\"expires_at\":null}]}"
#define EXAMPLE_KEY                                                                            \
    "{\"kid\":\"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k\",\"state\":\"next\","             \
    "\"created_at\":\"2026-11-21T04:33:00.123Z\",\"signs_from\":\"2026-11-21T04:38:15.123Z\"," \
    "\"signs_until\":null}"

/* Takes nothing yet; but what is sent is checked. */
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
        .tag = "Integrations",
        .summary = "Connect a sales point with its ERP",
        .description = "Stores a sales point of a tenant and how its ERP is reached. The ERP's "
                       "token is kept encrypted and never shown. Workload clients, which fetch "
                       "tokens for the integration, are created apart. Of one tenant, point and "
                       "environment, one integration may be enabled: where there is one already, "
                       "it is 409.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &integration_input_record,
        .body_example = "{\"tenant_id\":\"5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4\","
                        "\"point_id\":\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\","
                        "\"name\":\"Shop 12\",\"erp\":{\"base_url\":\"https://erp.example.com/hs\","
                        "\"token\":\"q7Vd0cWm3f\"},\"max_archive_share\":0.5}",
        .status = 201,
        .reply_doc = "The integration is created.",
        .reply = &integration_record,
        .reply_example = EXAMPLE_INTEGRATION,
        .link_path = "/internal/v1/integrations/{id}",
        .link_id = "/id",
        .errors = {ERR_POINT_TAKEN},
        .handle = integration_http_create,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations",
        .operation_id = "listIntegrations",
        .tag = "Integrations",
        .summary = "List the integrations",
        .description = "A page of integrations in order of creation.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The integrations.",
        .reply = &integration_list_record,
        .reply_example = "{\"integrations\":[" EXAMPLE_INTEGRATION "],\"next_cursor\":null}",
        .params = client_http_list_params,
        .handle = integration_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations/{id}",
        .operation_id = "getIntegration",
        .tag = "Integrations",
        .summary = "Read an integration",
        .description = "The integration as it stands now, without the token of its ERP.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ_ROW,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The integration.",
        .reply = &integration_record,
        .reply_example = EXAMPLE_INTEGRATION,
        .handle = integration_http_read,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/integrations/{id}",
        .operation_id = "changeIntegration",
        .tag = "Integrations",
        .summary = "Change an integration",
        .description =
            "What is left out stays, within `erp` too; where nothing becomes another, "
            "`updated_at` stays. Enabled while another of its tenant, point and "
            "environment is, it is 409. Disabled, the integration gets no new tokens, and "
            "those that it has are refused at once.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &integration_change_record,
        .body_example = "{\"erp\":{\"timeout_seconds\":20},\"enabled\":true}",
        .status = 200,
        .reply_doc = "The integration as it is now.",
        .reply = &integration_record,
        .reply_example = EXAMPLE_INTEGRATION,
        .errors = {ERR_POINT_TAKEN},
        .handle = integration_http_change,
    },

    /* --- Workload clients --- */
    {
        .method = "POST",
        .path = "/internal/v1/integrations/{id}/clients",
        .operation_id = "createClient",
        .tag = "Integrations",
        .summary = "Create a workload client",
        .description = "Makes a client that may fetch tokens for the integration, and its secret, "
                       "which is shown in this answer only. An integration has at most 50 clients. "
                       "Where another identity service issues the tokens (HERALD_JWKS_URL), its "
                       "clients are made there.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &client_input_record,
        .body_example = "{\"name\":\"ERP of shop 12\"}",
        .status = 201,
        .reply_doc = "What the team of the ERP needs to fetch tokens.",
        .reply = &client_credentials_record,
        .reply_example = EXAMPLE_CREDENTIALS,
        .link_path = "/internal/v1/clients/{client_id}",
        .link_id = "/client_id",
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = client_http_create,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations/{id}/clients",
        .operation_id = "listClients",
        .tag = "Integrations",
        .summary = "List the clients of an integration",
        .description = "A page of clients in order of creation, with the ids of their live "
                       "secrets. An integration has at most 50.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The clients.",
        .reply = &client_list_record,
        .reply_example = "{\"clients\":[" EXAMPLE_CLIENT "],\"next_cursor\":null}",
        .params = client_http_list_params,
        .handle = client_http_list,
    },
    {
        .method = "POST",
        .path = "/internal/v1/clients/{client_id}/rotate-secret",
        .operation_id = "rotateClientSecret",
        .tag = "Integrations",
        .summary = "Make a new secret for a client",
        .description = "The newest old secret stays good for `overlap_seconds`, all others end "
                       "now: there are never more than two. Tokens that were issued stay good "
                       "until they expire.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &rotate_input_record,
        .body_example = "{\"overlap_seconds\":3600}",
        .status = 200,
        .reply_doc = "The new secret, shown this once.",
        .reply = &client_credentials_record,
        .reply_example = EXAMPLE_CREDENTIALS,
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = client_http_rotate_secret,
    },
    {
        .method = "POST",
        .path = "/internal/v1/clients/{client_id}/revoke-secret",
        .operation_id = "revokeClientSecret",
        .tag = "Integrations",
        .summary = "Revoke a secret of a client",
        .description = "No token is issued for the secret from now on; those that were stay good "
                       "until they expire, 600 seconds at most. May be repeated.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &revoke_input_record,
        .body_example = "{\"secret_id\":\"0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f\"}",
        .status = 204,
        .reply_doc = "Done.",
        .handle = client_http_revoke_secret,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/clients/{client_id}",
        .operation_id = "setClientEnabled",
        .tag = "Integrations",
        .summary = "Enable or disable a client",
        .description = "A disabled client gets no tokens, and those that it has are refused.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &client_change_record,
        .body_example = "{\"enabled\":false}",
        .status = 204,
        .reply_doc = "Done.",
        .handle = client_http_set_enabled,
    },

    /* --- Signing keys --- */
    {
        .method = "GET",
        .path = "/internal/v1/signing-keys",
        .operation_id = "listSigningKeys",
        .tag = "Tokens",
        .summary = "List the signing keys",
        .description =
            "The keys of the key set, oldest first: those that sign access tokens, will, "
            "or did until a moment ago.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The keys.",
        .reply = &signing_key_list_record,
        .reply_example = "{\"keys\":[" EXAMPLE_KEY "],\"next_cursor\":null}",
        .params = token_http_list_params,
        .handle = token_http_list_keys,
    },
    {
        .method = "POST",
        .path = "/internal/v1/signing-keys/rotate",
        .operation_id = "rotateSigningKey",
        .tag = "Tokens",
        .summary = "Make the next signing key",
        .description = "It is published at once and signs from `signs_from`, when every cached key "
                       "set has it; the old one stays published until its last token has expired. "
                       "While one waits for its time already, that one is the answer. A key that "
                       "cannot be read is replaced; where nothing can be signed, the next one "
                       "signs at once.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_WRITE,
        .store = STORE_EXCHANGE,
        .is_strict = true,
        .body = &rotate_key_record,
        .body_example = "{}",
        .status = 200,
        .reply_doc = "The key that signs next.",
        .reply = &signing_key_record,
        .reply_example = EXAMPLE_KEY,
        .errors = {ERR_TOKENS_ELSEWHERE},
        .handle = token_http_rotate_key,
    },
};

const struct route_table routes_exchange = ROUTE_TABLE(rows);
