/*
 * Access tokens (RFC 6750; contract, section 4): from the Authorization header alone, checked on
 * the event thread without a database. A token whose key is not known waits until the keys are
 * fetched anew, which happens seldom (app/api/key_set).
 */
#include "app/api/exchange.h"
#include "app/api/key_set.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

static const char scheme[] = "Bearer";

/* False: none was sent. */
static bool take_token(struct dispatch *ex, struct str *ret_token)
{
    struct str header = http_header_get(ex->x, "Authorization");
    size_t len = strlen(scheme);
    bool is_bearer = header.len > len && header.data[len] == ' ' &&
                     str_is_nocase((struct str){header.data, len}, scheme);

    ex->has_token = is_bearer;
    if (!is_bearer) return false;
    *ret_token = str_trim((struct str){header.data + len + 1, header.len - len - 1});
    return true;
}

static enum err verify(struct dispatch *ex, bool *ret_is_key_unknown)
{
    struct str token;
    struct token_refusal refusal;

    *ret_is_key_unknown = false;
    ex->token_fault = ex->token_client = NULL;
    if (!take_token(ex, &token)) {
        ex->token_fault = "no_token";
        return ERR_UNAUTHORIZED;
    }
    if (key_set_is_stale(ex->app->key_set)) return ERR_KEY_SET_UNAVAILABLE;
    ex->claims = ARENA_NEW(&ex->arena, struct token_claims);
    enum err err = token_verify(key_set_verifier(ex->app->key_set), token, clock_now_ms(),
                                &ex->arena, ex->claims, &refusal);
    if (!err) return ERR_OK;
    ex->token_fault = token_fault_words[refusal.fault];
    ex->token_client = refusal.client_id;
    *ret_is_key_unknown = refusal.fault == TOKEN_UNKNOWN_KEY;
    return err;
}

/* The rest, once the token was found good. */
static enum err admit(struct dispatch *ex)
{
    unsigned wanted = 0;
    bool is_scope = scopes_read(str_of(ex->rq.route->scope), &wanted);

    assert(is_scope);
    ex->rq.principal = ex->claims;
    ex->token_fault = "disabled"; /* its client or integration, which the transaction looks up */
    ex->token_client = ex->claims->client_id;
    return (ex->claims->scope_set & wanted) == wanted ? ERR_OK : ERR_INSUFFICIENT_SCOPE;
}

static enum err check_again(struct dispatch *ex)
{
    bool is_key_unknown;

    if (ex->key_waiter.err) return ex->key_waiter.err;
    enum err err = verify(ex, &is_key_unknown);
    if (!err) err = admit(ex);
    return err ? err : dispatch_await_body(ex);
}

static void resume(struct http_request *x)
{
    struct dispatch *ex = http_user(x);

    ex->waits_for_keys = false;
    http_body_resume(x);
    enum err err = check_again(ex);
    if (err) dispatch_answer(ex, err);
    http_release(x);
}

static void keys_are_there(struct refresh_waiter *waiter)
{
    struct dispatch *ex = CONTAINER_OF(waiter, struct dispatch, key_waiter);
    http_defer(ex->x, resume);
}

static enum err wait_for_keys(struct dispatch *ex)
{
    ex->key_waiter.done = keys_are_there;
    http_hold(ex->x);
    http_body_pause(ex->x);
    enum err err = key_set_wait(ex->app->key_set, &ex->key_waiter);
    if (!err) {
        ex->waits_for_keys = true;
        return ERR_OK;
    }
    http_body_resume(ex->x);
    http_release(ex->x);
    return err;
}

enum err dispatch_check_bearer(struct dispatch *ex)
{
    bool is_key_unknown;
    enum err err = verify(ex, &is_key_unknown);

    if (err && is_key_unknown) return wait_for_keys(ex);
    return err ? err : admit(ex);
}

enum err exchange_recheck_bearer(struct dispatch *ex)
{
    const struct token_verifier *verifier = key_set_verifier(ex->app->key_set);
    bool is_key_unknown;

    if (key_set_is_stale(ex->app->key_set)) return ERR_KEY_SET_UNAVAILABLE;
    if (token_holds_still(verifier, ex->claims, ex->rq.work.now_ms)) return ERR_OK;
    enum err err = verify(ex, &is_key_unknown);
    return err ? err : admit(ex);
}

const char *dispatch_bearer_challenge(struct dispatch *ex, enum err err)
{
    if (err == ERR_INSUFFICIENT_SCOPE)
        return arena_printf(&ex->arena, "Bearer error=\"insufficient_scope\", scope=\"%s\"",
                            ex->rq.route->scope);
    return ex->has_token ? "Bearer error=\"invalid_token\"" : "Bearer realm=\"herald\"";
}
