/* The operations of the identity service and on its keys (doc B, section 4 "Token"; contract,
 * section 4): handlers read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/token/token_form.h"
#include "domain/token/token_records.h"

static const struct field issue_headers[] = {
    {.name = "Authorization",
     .type = FIELD_STRING,
     .doc = "`Basic`, with the base64 of `client_id:client_secret`: instead of the two in the "
            "body.",
     .example = "Basic Y2xpZW50OnNlY3JldA=="},
    {.name = "Content-Type",
     .type = FIELD_STRING,
     .doc = "application/x-www-form-urlencoded.",
     .example = "application/x-www-form-urlencoded"},
    {0},
};

static const char *const grant_types[] = {"client_credentials"};
static const char *const auth_methods[] = {"client_secret_basic", "client_secret_post"};

METRIC(token_issued, 1, 1, .name = "herald_tokens_issued_total",
       .help = "Access tokens that were issued.", .word_counts = {1, 1});

/* Needs the raw body, which is a form. */
static enum err handle_issue(struct request *rq)
{
    struct token_request request;
    struct token_answer answer;

    enum err err =
        token_form_read(rq->headers[0], rq->headers[1], rq->raw_body, rq->work.arena, &request);
    if (err) return err;
    err = token_issue(&rq->work, &request, &answer);
    token_form_wipe(&request);
    if (err) return err;
    work_count(&rq->work, &token_issued, 0, 1);
    reply_record(rq, &answer);
    secret_wipe((char *)answer.access_token, strlen(answer.access_token));
    return ERR_OK;
}

static enum err handle_key_set(struct request *rq)
{
    const struct keyring *keyring = rq->work.service->tokens->keyring;
    buf_text(&rq->reply, keyring_publish(keyring, rq->work.now_ms, rq->work.arena));
    rq->status = rq->route->status;
    return ERR_OK;
}

static enum err handle_metadata(struct request *rq)
{
    const struct service *service = rq->work.service;
    struct authorization_server server = {
        .issuer = service->tokens->issuer,
        .token_endpoint = service->integrations->token_url,
        .jwks_uri = arena_printf(rq->work.arena, "%s" KEY_SET_PATH, service->tokens->own_url),
        .scopes_supported = {(void *)scope_words, SCOPE_COUNT},
        .response_types_supported = {(void *)grant_types, 0},
        .grant_types_supported = {(void *)grant_types, 1},
        .token_endpoint_auth_methods_supported = {(void *)auth_methods, 2},
    };
    reply_record(rq, &server);
    return ERR_OK;
}

static enum err handle_list_keys(struct request *rq)
{
    struct signing_key_list page;
    enum err err = token_page_keys(&rq->work, rq->query, &page);
    return reply_page(rq, err, &page);
}

static enum err handle_rotate_key(struct request *rq)
{
    struct signing_key key;
    if (!rq->work.service->integrations->has_own_tokens) return ERR_TOKENS_ELSEWHERE;
    enum err err = token_rotate_key(&rq->work, &key);
    return reply_with(rq, err, &key);
}

static enum err handle_withdraw_key(struct request *rq)
{
    if (!rq->work.service->integrations->has_own_tokens) return ERR_TOKENS_ELSEWHERE;
    enum err err = token_withdraw_key(&rq->work, rq->path_texts[0]);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

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
        .headers = issue_headers,
        .errors = {ERR_UNSUPPORTED_GRANT_TYPE, ERR_INVALID_SCOPE},
        .handle = handle_issue,
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
        .handle = handle_key_set,
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
        .handle = handle_metadata,
    },
};

const struct route_table token_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(rows)};

/* This record has no member yet, but a body that is sent is checked. */
static const struct record rotate_key_record = {
    .name = "RotateSigningKey",
    .doc = "Asks for the next signing key.",
    .size = sizeof(char),
};

static const struct route key_rows[] = {
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
        .handle = handle_list_keys,
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
        .handle = handle_rotate_key,
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
        .handle = handle_withdraw_key,
    },
};

const struct route_table token_key_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(key_rows)};
