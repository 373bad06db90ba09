/* The identity service has these operations (doc B, section 4 "Token"; contract, section 4). */
#include "app/api/routes.h"
#include "domain/token/token.h"
#include "domain/token/token_records.h"

#define CACHE_KEY_SET "public, max-age=300"

static const struct route rows[] = {
    {
        .method = "POST",
        .path = TOKEN_PATH,
        .operation_id = "issueToken",
        .tag = "Tokens",
        .summary = "Fetch an access token",
        .description = "The client-credentials grant (RFC 6749, section 4.4). The client says who "
                       "it is in the body or by HTTP Basic, never both. A token lasts 600 seconds; "
                       "there are no refresh tokens. Errors have the shape of RFC 6749, section "
                       "5.2.",
        .auth = AUTH_CLIENT,
        .access = ACCESS_READ,
        .error_style = ERRORS_OAUTH,
        .body = &token_form_record,
        .media_type = "application/x-www-form-urlencoded",
        .body_example = "{\"grant_type\":\"client_credentials\","
                        "\"client_id\":\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\","
                        "\"client_secret\":\"hs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\","
                        "\"scope\":\"erp.catalog.write erp.events.read\"}",
        .reply_doc = "The token.",
        .reply = &token_answer_record,
        .headers = token_issue_headers,
        .errors = {ERR_UNSUPPORTED_GRANT_TYPE, ERR_INVALID_SCOPE},
        .handle = token_http_issue,
    },
    {
        .method = "GET",
        .path = KEY_SET_PATH,
        .operation_id = "getKeySet",
        .tag = "Tokens",
        .summary = "Read the key set",
        .description = "The public keys by which access tokens are verified (RFC 7517). May be "
                       "cached for 300 seconds: a key is published longer than that before it "
                       "signs.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "The keys.",
        .reply = &key_set_record,
        .cache_control = CACHE_KEY_SET,
        .handle = token_http_key_set,
    },
    {
        .method = "GET",
        .path = "/.well-known/oauth-authorization-server",
        .operation_id = "getAuthorizationServer",
        .tag = "Tokens",
        .summary = "Read what the identity service can do",
        .description = "Authorization server metadata (RFC 8414): where tokens are issued, and "
                       "where the keys are. Those of an issuer with a path are here and, as "
                       "section 3 wants it, at this path with that of the issuer behind it.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "The metadata.",
        .reply = &authorization_server_record,
        .cache_control = CACHE_KEY_SET,
        .handle = token_http_metadata,
    },
};

const struct route_table routes_identity = {
    .store = STORE_EXCHANGE,
    ROUTE_ROWS(rows),
};
