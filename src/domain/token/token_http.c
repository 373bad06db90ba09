/* The handlers of tokens and keys read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/token/token_form.h"
#include "domain/token/token_records.h"

const struct field token_issue_headers[] = {
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

enum err token_http_issue(struct request *rq)
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

enum err token_http_key_set(struct request *rq)
{
    const struct keyring *keyring = rq->work.service->tokens->keyring;
    buf_text(&rq->reply, keyring_publish(keyring, rq->work.now_ms, rq->work.arena));
    rq->status = rq->route->status;
    return ERR_OK;
}

enum err token_http_metadata(struct request *rq)
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

enum err token_http_list_keys(struct request *rq)
{
    struct signing_key_list page;
    enum err err = token_page_keys(&rq->work, rq->query, &page);
    return reply_page(rq, err, &page);
}

enum err token_http_rotate_key(struct request *rq)
{
    struct signing_key key;
    if (!rq->work.service->integrations->has_own_tokens) return ERR_TOKENS_ELSEWHERE;
    enum err err = token_rotate_key(&rq->work, &key);
    if (err) return err;
    reply_record(rq, &key);
    return ERR_OK;
}

enum err token_http_withdraw_key(struct request *rq)
{
    if (!rq->work.service->integrations->has_own_tokens) return ERR_TOKENS_ELSEWHERE;
    enum err err = token_withdraw_key(&rq->work, rq->path_texts[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
