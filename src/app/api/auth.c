/*
 * Clients are authenticated here (contract, sections 1, 4 and 9.10). The process knows the internal
 * keys; only the database knows a phone's key and a workload client's secret. Access tokens (RFC
 * 6750) come in the Authorization header alone, and are checked on the event thread without a
 * database. A token whose key is not known waits until the keys are fetched anew, which is rare
 * (app/api/key_set.h).
 */
#include "app/api/auth.h"

#include "app/api/dispatch.h"
#include "app/api/key_set.h"
#include "core/words.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

/* --- Keys ------------------------------------------------------------------------------------- */

/* A header that comes twice is refused, since either could count (contract, section 9.10). */
static enum err check_once(struct dispatch *ex)
{
    static const char *const names[] = {"Authorization", "X-Device-Key", "X-Internal-API-Key",
                                        "Content-Type"};
    bool is_oauth = ex->rq.route->error_style == ERRORS_OAUTH;

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (http_header_count(ex->x, names[i]) > 1)
            return is_oauth ? ERR_INVALID_REQUEST : ERR_BAD_REQUEST;
    }
    return ERR_OK;
}

static enum err check_internal_key(struct dispatch *ex)
{
    enum err err = check_once(ex);
    bool is_right = false;

    if (err) return err;
    ex->key = http_header_get(ex->x, "X-Internal-API-Key");
    /* All keys are compared, whichever is right, so that the time tells nothing. */
    for (int i = 0; i < INTERNAL_KEYS_MAX; i++)
        is_right |= secret_equals(&ex->api->internal_keys[i], ex->key);
    return is_right ? ERR_OK : ERR_UNAUTHORIZED;
}

/* Returns false if there is no Authorization header, or one with another scheme. The token may be
 * empty. */
static bool read_bearer(const struct dispatch *ex, struct str *ret_token)
{
    static const char scheme[] = "Bearer";
    struct str header = http_header_get(ex->x, "Authorization");
    size_t len = strlen(scheme);

    if (header.len < len || !str_is_nocase((struct str){header.data, len}, scheme)) return false;
    if (header.len > len && header.data[len] != ' ') return false;
    *ret_token = str_trim((struct str){header.data + len, header.len - len});
    return true;
}

/* Checks only that there is one key; the transaction looks up whose it is. */
static enum err check_device_key(struct dispatch *ex)
{
    struct str token = {0};
    bool is_bearer = read_bearer(ex, &token);
    enum err err = check_once(ex);

    if (err) return err;
    ex->key = http_header_get(ex->x, "X-Device-Key");
    if (ex->key.data && is_bearer) return ERR_BAD_REQUEST;
    if (!ex->key.data) ex->key = token;
    return ex->key.len > 0 ? ERR_OK : ERR_UNAUTHORIZED;
}

static enum err look_up_device(struct dispatch *ex)
{
    struct device *device = ARENA_NEW(&ex->arena, struct device);
    enum err err = fleet_authenticate(&ex->rq.work, ex->key, device);
    if (!err) ex->rq.principal = device;
    return err;
}

/* The challenge is sent only if the client has tried by that header (RFC 6749, section 5.2). */
static const char *challenge_of_client(struct dispatch *ex, enum err err)
{
    (void)err;
    return http_header_count(ex->x, "Authorization") > 0 ? "Basic realm=\"herald\"" : NULL;
}

/* --- Access tokens ---------------------------------------------------------------------------- */

static enum err verify_token(struct dispatch *ex)
{
    struct str token = {0};
    struct token_refusal refusal;

    ex->is_key_unknown = false;
    ex->token_fault = ex->token_client = NULL;
    ex->has_token = read_bearer(ex, &token) && token.len > 0;
    if (!ex->has_token) {
        ex->token_fault = "no_token";
        return ERR_UNAUTHORIZED;
    }
    if (key_set_is_stale(ex->api->key_set)) return ERR_KEY_SET_UNAVAILABLE;
    ex->claims = ARENA_NEW(&ex->arena, struct token_claims);
    enum err err = token_verify(key_set_verifier(ex->api->key_set), token, clock_now_ms(),
                                &ex->arena, ex->claims, &refusal);
    if (!err) return ERR_OK;
    ex->token_fault = token_fault_words[refusal.fault];
    ex->token_client = refusal.client_id;
    ex->is_key_unknown = refusal.fault == TOKEN_UNKNOWN_KEY;
    return err;
}

/* A scope is asked for only here. */
static enum err verify_scope(struct dispatch *ex)
{
    enum err err = verify_token(ex);
    int wanted = word_index(scope_words, ex->rq.route->scope);

    assert(wanted >= 0);
    if (err) return err;
    ex->rq.principal = ex->claims;
    ex->token_fault =
        "disabled"; /* its workload client or integration may be; the transaction looks */
    ex->token_client = ex->claims->client_id;
    return ex->claims->scope_set & 1U << wanted ? ERR_OK : ERR_INSUFFICIENT_SCOPE;
}

static void resume(struct http_request *x)
{
    struct dispatch *ex = http_user(x);

    ex->waits_for_keys = false;
    http_body_resume(x);
    ex->then(ex, ex->key_waiter.err ? ex->key_waiter.err : verify_scope(ex));
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
    enum err err = key_set_wait(ex->api->key_set, &ex->key_waiter);
    if (!err) {
        ex->waits_for_keys = true;
        return ERR_OK;
    }
    http_body_resume(ex->x);
    http_release(ex->x);
    return err;
}

static enum err check_bearer(struct dispatch *ex)
{
    enum err err = check_once(ex);

    if (err) return err;
    err = verify_scope(ex);
    return err && ex->is_key_unknown ? wait_for_keys(ex) : err;
}

static enum err check_bearer_again(struct dispatch *ex)
{
    struct key_set *key_set = ex->api->key_set;

    if (key_set_is_stale(key_set)) return ERR_KEY_SET_UNAVAILABLE;
    if (token_holds_still(key_set_verifier(key_set), ex->claims, ex->rq.work.now_ms)) return ERR_OK;
    return verify_scope(ex);
}

/* The challenge is that of RFC 6750, section 3. */
static const char *challenge_of_bearer(struct dispatch *ex, enum err err)
{
    if (err == ERR_INSUFFICIENT_SCOPE)
        return arena_printf(&ex->arena, "Bearer error=\"insufficient_scope\", scope=\"%s\"",
                            ex->rq.route->scope);
    return ex->has_token ? "Bearer error=\"invalid_token\"" : "Bearer realm=\"herald\"";
}

/* --- The ways --------------------------------------------------------------------------------- */

const struct auth_way auth_ways[AUTH_COUNT] = {
    [AUTH_NONE] = {.check = NULL},
    [AUTH_INTERNAL_KEY] =
        {
            .check = check_internal_key,
            .challenge = "X-Internal-API-Key realm=\"herald\"",
            .is_body_strict = true,
            .is_query_strict = true,
            .may_omit_body = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .errors_of_verification = {ERR_NUMBER_NOT_OWNED, ERR_NOT_FOUND,
                                       ERR_IDEMPOTENCY_CONFLICT, ERR_VALIDATION,
                                       ERR_STORAGE_UNAVAILABLE},
            .schemes = {{"InternalKey",
                         "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Internal-API-Key\","
                         "\"description\":\"The key of the service backend; never given to phones "
                         "or browsers.\"}"}},
        },
    [AUTH_DEVICE_KEY] =
        {
            .check = check_device_key,
            .look_up = look_up_device,
            .takes_turns = true,
            .challenge = "Bearer realm=\"herald\"",
            .may_omit_type = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .errors_of_verification = {ERR_DEVICE_DISABLED, ERR_NOT_FOUND, ERR_LEASE_LOST,
                                       ERR_VALIDATION, ERR_STORAGE_UNAVAILABLE},
            .schemes = {{"DeviceKey",
                         "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Device-Key\","
                         "\"description\":\"The key of a phone, issued at registration and at "
                         "rotation.\"}"},
                        {"DeviceKeyBearer",
                         "{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"The key of a "
                         "phone, as a bearer.\"}"}},
        },
    [AUTH_SIGNATURE] =
        {
            .check = check_once,
            .challenge = "Signature realm=\"herald\"",
            .has_raw_body = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .schemes = {{NULL,
                         NULL}}, /* OpenAPI has no such scheme, so the operation describes it */
        },
    [AUTH_BEARER] =
        {
            .check = check_bearer,
            .check_again = check_bearer_again,
            .make_challenge = challenge_of_bearer,
            .is_query_strict = true,
            .errors = {ERR_UNAUTHORIZED, ERR_INSUFFICIENT_SCOPE, ERR_INTEGRATION_MISMATCH,
                       ERR_RATE_LIMITED, ERR_STORAGE_UNAVAILABLE, ERR_KEY_SET_UNAVAILABLE},
            .schemes = {{"AccessToken", NULL}},
        },
    [AUTH_CLIENT] =
        {
            .check = check_once,
            .takes_turns = true,
            .make_challenge = challenge_of_client,
            .has_raw_body = true,
            .errors = {ERR_INVALID_REQUEST, ERR_INVALID_CLIENT, ERR_RATE_LIMITED},
            .schemes = {{"ClientBasic",
                         "{\"type\":\"http\",\"scheme\":\"basic\",\"description\":\"client_id and "
                         "client_secret, each form-encoded (RFC 6749, section 2.3.1), instead of "
                         "the two in the body.\"}"},
                        {"", NULL}},
        },
};

bool auth_may_omit_body(const struct route *route)
{
    const struct record *record = route->body;

    if (!record || route->taker || !auth_of(route)->may_omit_body) return false;
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].flags & FIELD_REQUIRED) return false;
    }
    return true;
}

void auth_check(struct dispatch *ex, void (*then)(struct dispatch *ex, enum err err))
{
    const struct auth_way *way = auth_of(ex->rq.route);

    ex->then = then;
    enum err err = way->check ? way->check(ex) : ERR_OK;
    if (!ex->waits_for_keys) then(ex, err);
}
