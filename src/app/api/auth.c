/*
 * Clients are authenticated here (contract, sections 1, 4 and 10). The process knows the root
 * key and the API keys; only the database knows a phone's key and a workload client's secret.
 * Access tokens (RFC 6750) come in the Authorization header alone, and are checked on the event
 * thread without a database. A token whose key is not known waits until the keys are fetched anew,
 * which is rare (app/api/key_set.h); so does an API key that is not known (app/api/api_key_set.h).
 */
#include "app/api/auth.h"

#include "app/api/api_key_set.h"
#include "app/api/console.h"
#include "app/api/dispatch.h"
#include "app/api/key_set.h"
#include "core/words.h"
#include "domain/api_key/api_key.h"
#include "domain/call_report/call_report.h"
#include "domain/operator/operator.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

/* --- Keys ------------------------------------------------------------------------------------- */

/* A header that comes twice has no value, since either could count (contract, section 1). */
static bool comes_once(const struct dispatch *ex)
{
    static const char *const names[] = {"Authorization", "X-Device-Key", "X-API-Key",
                                        "X-Internal-API-Key", "Content-Type"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (http_header_count(ex->x, names[i]) > 1) return false;
    }
    return true;
}

static enum err check_once(struct dispatch *ex)
{
    if (comes_once(ex)) return ERR_OK;
    return ex->rq.route->error_style == ERRORS_OAUTH ? ERR_INVALID_REQUEST : ERR_BAD_REQUEST;
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

/* --- Waiting for keys ------------------------------------------------------------------------- */

static void resume(struct http_request *x)
{
    struct dispatch *ex = http_user(x);

    ex->waits_for_keys = false;
    http_body_resume(x);
    ex->then(ex, ex->key_waiter.err ? ex->key_waiter.err : ex->verify(ex));
    http_release(x);
}

static void keys_are_there(struct refresh_waiter *waiter)
{
    struct dispatch *ex = CONTAINER_OF(waiter, struct dispatch, key_waiter);
    http_defer(ex->x, resume);
}

/* Asks `verify` again once the keys were read anew. */
static enum err wait_for_keys(struct dispatch *ex, enum err (*verify)(struct dispatch *ex))
{
    bool is_bearer = ex->rq.route->auth == AUTH_BEARER;

    ex->key_waiter.done = keys_are_there;
    ex->verify = verify;
    http_hold(ex->x);
    http_body_pause(ex->x);
    enum err err = is_bearer ? key_set_wait(ex->api->key_set, &ex->key_waiter)
                             : api_key_set_wait(ex->api->api_keys, &ex->key_waiter);
    if (!err) {
        ex->waits_for_keys = true;
        return ERR_OK;
    }
    http_body_resume(ex->x);
    http_release(ex->x);
    return err;
}

/* --- Internal keys ---------------------------------------------------------------------------- */

/* The unmasked log is for admins alone (contract, section 10.2). */
static enum role least_role(const struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    return route->tells_the_log && ex->api->is_log_sensitive ? ROLE_ADMIN : route->role;
}

static void take_client(struct dispatch *ex)
{
    char address[HTTP_PEER_LEN];

    http_address_format(&ex->address, address);
    ex->rq.work.address = arena_text(&ex->arena, address);
}

static void take_actor(struct dispatch *ex, const struct actor *actor)
{
    take_client(ex);
    ex->has_right_key = true;
    ex->actor = *actor;
    ex->rq.work.actor = &ex->actor;
}

/* Whoever has a right key is let in as far as its role goes. */
static enum err check_role(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    enum role least = least_role(ex);

    if (role_may(ex->rq.work.actor->role, least, route->is_for_core)) return ERR_OK;
    error_put_text(&ex->rq, "role", role_words[role_wanted(least, route->is_for_core)]);
    return ERR_INSUFFICIENT_ROLE;
}

/* Every request by a key counts for its limit, whatever becomes of it. */
static enum err count_request(struct dispatch *ex)
{
    struct rate_limit limit;

    if (ex->rq.work.actor->kind != ACTOR_API_KEY) return ERR_OK;
    enum err err = api_key_set_count(ex->api->api_keys, &ex->rq.work.actor->id, &limit);

    if (!err) return ERR_OK;
    reply_limit(&ex->rq, &limit);
    error_retry_after(&ex->rq, limit.refill_ms);
    return err;
}

/* Finds who has the API key or session of ex->key_hash. */
static enum err find_api_key(struct dispatch *ex)
{
    struct actor actor;
    enum err err =
        api_key_set_find(ex->api->api_keys, ex->key_hash, ex->rq.work.now_ms, &ex->arena, &actor);

    if (err) return err;
    ex->has_api_key = true;
    take_actor(ex, &actor);
    return ERR_OK;
}

static enum err let_in(struct dispatch *ex)
{
    enum err err = count_request(ex);
    return err ? err : check_role(ex);
}

static enum err verify_api_key(struct dispatch *ex)
{
    enum err err = find_api_key(ex);
    return err ? err : let_in(ex);
}

static bool has_prefix(struct str key)
{
    size_t len = strlen(API_KEY_PREFIX);
    return key.data && key.len >= len && memcmp(key.data, API_KEY_PREFIX, len) == 0;
}

static bool is_api_key(struct str key)
{
    return has_prefix(key) && key.len == strlen(API_KEY_PREFIX) + SECRET_TOKEN_LEN;
}

/* Finds who has the internal key that came. The root key comes in its own header alone. */
static enum err find_actor(struct dispatch *ex)
{
    struct str key = http_header_get(ex->x, "X-Internal-API-Key"), token = {0};
    bool has_bearer = read_bearer(ex, &token) && has_prefix(token);

    if (key.data && has_bearer) return ERR_BAD_REQUEST;
    ex->key = has_bearer ? token : key;
    if (root_keys_have(&ex->api->root_keys, key)) {
        take_actor(ex, &actor_root);
        return ERR_OK;
    }
    if (!is_api_key(ex->key)) return ERR_UNAUTHORIZED;
    secret_hash(ex->key, ex->key_hash);
    return find_api_key(ex);
}

static enum err check_internal_key(struct dispatch *ex)
{
    enum err err = check_once(ex);

    if (!err) err = find_actor(ex);
    if (!err) return let_in(ex);
    bool may_be_new = err == ERR_UNAUTHORIZED && is_api_key(ex->key);
    return may_be_new ? wait_for_keys(ex, verify_api_key) : err;
}

/* The operator of a session may have got another role (contract, section 18.2). */
static enum err check_internal_key_again(struct dispatch *ex)
{
    if (!ex->has_api_key) return ERR_OK;
    enum err err =
        api_key_set_find_role(ex->api->api_keys, ex->key_hash, ex->rq.work.now_ms, &ex->actor.role);
    return err ? err : check_role(ex);
}

/* --- The console ------------------------------------------------------------------------------ */

static enum err check_console(struct dispatch *ex)
{
    take_client(ex);
    return console_check(ex->x, ex->api);
}

/* A session is a key that its browser keeps; so no key serves as one, and no session as a key. */
static enum err check_session(struct dispatch *ex)
{
    size_t len = strlen(OPERATOR_SESSION_PREFIX);
    struct str token;

    enum err err = console_check(ex->x, ex->api);
    if (err) return err;
    token = console_session(ex->x, ex->api);
    if (token.len != len + SECRET_TOKEN_LEN ||
        memcmp(token.data, OPERATOR_SESSION_PREFIX, len) != 0)
        return ERR_UNAUTHORIZED;
    secret_hash(token, ex->key_hash);
    err = verify_api_key(ex);
    return err == ERR_UNAUTHORIZED ? wait_for_keys(ex, verify_api_key) : err;
}

/* --- Keys of phones and clients --------------------------------------------------------------- */

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

/* The handler looks the code up, and tells the audit from where it came. */
static enum err check_pairing(struct dispatch *ex)
{
    take_client(ex);
    return check_once(ex);
}

/* httpSMS has one header for keys, of whatever server. */
static enum err check_httpsms_key(struct dispatch *ex)
{
    enum err err = check_once(ex);

    if (err) return err;
    ex->key = http_header_get(ex->x, "X-API-Key");
    return ex->key.len > 0 ? ERR_OK : ERR_UNAUTHORIZED;
}

static enum err take_device(struct dispatch *ex, const struct device *device)
{
    ex->rq.principal = device;
    ex->device_id = device->id;
    ex->has_right_key = true;
    return ERR_OK;
}

static enum err look_up_device(struct dispatch *ex)
{
    struct device *device = ARENA_NEW(&ex->arena, struct device);
    enum err err = fleet_authenticate(&ex->rq.work, ex->key, device);
    return err ? err : take_device(ex, device);
}

/* The body has not come yet; a signature is looked at once it has. */
static enum err check_signature(struct dispatch *ex)
{
    enum err err = check_once(ex);

    if (err) return err;
    return http_header_get(ex->x, "X-Signature").len > 0 ? ERR_OK : ERR_UNAUTHORIZED;
}

static enum err look_up_signer(struct dispatch *ex)
{
    struct device *device = ARENA_NEW(&ex->arena, struct device);
    enum err err = call_report_http_authenticate_callgate(&ex->rq, device);
    return err ? err : take_device(ex, device);
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
    ex->is_key_unknown = key_set_is_unsure(ex->api->key_set);
    if (ex->is_key_unknown) return ERR_KEYS_UNAVAILABLE;
    ex->claims = ARENA_NEW(&ex->arena, struct token_claims);
    enum err err = token_verify(key_set_verifier(ex->api->key_set), token, clock_wall_ms(),
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
    ex->has_right_key = !err;
    if (err) return err;
    ex->rq.principal = ex->claims;
    ex->token_fault =
        "disabled"; /* its workload client or integration may be; the transaction looks */
    ex->token_client = ex->claims->client_id;
    return ex->claims->scope_set & 1U << wanted ? ERR_OK : ERR_INSUFFICIENT_SCOPE;
}

static enum err check_bearer(struct dispatch *ex)
{
    enum err err = check_once(ex);

    if (err) return err;
    err = verify_scope(ex);
    return err && ex->is_key_unknown ? wait_for_keys(ex, verify_scope) : err;
}

static enum err check_bearer_again(struct dispatch *ex)
{
    struct key_set *key_set = ex->api->key_set;

    if (key_set_is_stale(key_set)) return ERR_KEY_SET_UNAVAILABLE;
    if (key_set_is_unsure(key_set)) return ERR_KEYS_UNAVAILABLE;
    if (token_holds_still(key_set_verifier(key_set), ex->claims, clock_wall_ms())) return ERR_OK;
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

/* No browser knows this scheme, so none asks for a password by itself. */
#define SESSION_CHALLENGE "Session realm=\"herald\""

const struct auth_way auth_ways[AUTH_COUNT] = {
    [AUTH_NONE] = {.check = NULL},
    [AUTH_INTERNAL_KEY] =
        {
            .check = check_internal_key,
            .check_again = check_internal_key_again,
            .challenge = "X-Internal-API-Key realm=\"herald\"",
            .takes_bearer = true,
            .unauthorized = "This operation wants an internal key in the header "
                            "X-Internal-API-Key, or an API key as Authorization: Bearer hk_...; "
                            "it is missing, wrong, or no longer good.",
            .is_body_strict = true,
            .is_query_strict = true,
            .may_omit_body = true,
            .errors = {ERR_UNAUTHORIZED, ERR_INSUFFICIENT_ROLE, ERR_RATE_LIMITED,
                       ERR_STORAGE_UNAVAILABLE, ERR_OVERLOADED},
            .errors_of_verification = {ERR_NUMBER_NOT_OWNED, ERR_NOT_FOUND,
                                       ERR_IDEMPOTENCY_CONFLICT, ERR_VALIDATION,
                                       ERR_STORAGE_UNAVAILABLE},
            .schemes = {{"InternalKey",
                         "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Internal-API-Key\","
                         "\"description\":\"The root key of INTERNAL_API_KEY, or an API key; never "
                         "given to phones or browsers.\"}"},
                        {"InternalKeyBearer",
                         "{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"An API key "
                         "(hk_...), as a bearer.\"}"}},
        },
    [AUTH_DEVICE_KEY] =
        {
            .check = check_device_key,
            .look_up = look_up_device,
            .takes_turns = true,
            .challenge = "Bearer realm=\"herald\"",
            .takes_bearer = true,
            .unauthorized = "This operation wants the key of a phone in the header X-Device-Key, "
                            "or as Authorization: Bearer KEY; it is missing or wrong.",
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
    [AUTH_HTTPSMS_KEY] =
        {
            .check = check_httpsms_key,
            .look_up = look_up_device,
            .takes_turns = true,
            .challenge = "X-API-Key realm=\"herald\"",
            .unauthorized = "This operation wants the key of a phone in the header X-API-Key; it "
                            "is missing or wrong.",
            .may_omit_type = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .errors_of_verification = {ERR_DEVICE_DISABLED},
            .schemes = {{"HttpSmsKey",
                         "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-API-Key\","
                         "\"description\":\"The key of a phone, as httpSMS sends it.\"}"}},
        },
    [AUTH_DEVICE_SIGNATURE] =
        {
            .check = check_signature,
            .look_up = look_up_signer,
            .takes_turns = true,
            .challenge = "Signature realm=\"herald\"",
            .unauthorized = "This operation wants X-Timestamp and X-Signature, made by the signing "
                            "key of the phone in the path; it is missing or wrong.",
            .may_omit_type = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .errors_of_verification = {ERR_DEVICE_DISABLED},
            .schemes = {{NULL,
                         NULL}}, /* OpenAPI has no such scheme, so the operation describes it */
        },
    [AUTH_PAIRING] =
        {
            .check = check_pairing,
            .takes_turns = true,
            .challenge = "Code realm=\"herald\"",
            .unauthorized = "This operation wants a pairing code that is open: 8 digits, good once "
                            "and for 10 minutes. Ask for a new one.",
            .may_omit_type = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED, ERR_STORAGE_UNAVAILABLE},
            .schemes = {{NULL, NULL}}, /* the code is in the body */
        },
    [AUTH_SIGNATURE] =
        {
            .check = check_once,
            .challenge = "Signature realm=\"herald\"",
            .unauthorized = "This operation wants a signature of its body, in the headers that the "
                            "provider sends; it is missing, wrong or too old.",
            .has_raw_body = true,
            .errors = {ERR_UNAUTHORIZED, ERR_RATE_LIMITED},
            .schemes = {{NULL,
                         NULL}}, /* OpenAPI has no such scheme, so the operation describes it */
        },
    [AUTH_BEARER] =
        {
            .check = check_bearer,
            .check_again = check_bearer_again,
            .takes_bearer = true,
            .unauthorized = "This operation wants an access token as Authorization: Bearer TOKEN; "
                            "it is missing, has expired or is not good here.",
            .make_challenge = challenge_of_bearer,
            .is_query_strict = true,
            .errors = {ERR_UNAUTHORIZED, ERR_INSUFFICIENT_SCOPE, ERR_INTEGRATION_MISMATCH,
                       ERR_RATE_LIMITED, ERR_STORAGE_UNAVAILABLE, ERR_KEY_SET_UNAVAILABLE},
            .schemes = {{"AccessToken", NULL}},
        },
    [AUTH_CONSOLE] =
        {
            .check = check_console,
            .challenge = SESSION_CHALLENGE,
            .unauthorized = "The name and the password, or the link, are not right.",
            .is_body_strict = true,
            .is_query_strict = true,
            .errors = {ERR_UNAUTHORIZED, ERR_CROSS_SITE, ERR_NO_HTTPS, ERR_RATE_LIMITED,
                       ERR_STORAGE_UNAVAILABLE, ERR_OVERLOADED},
            .schemes = {{NULL, NULL}},
        },
    [AUTH_SESSION] =
        {
            .check = check_session,
            .check_again = check_internal_key_again,
            .challenge = SESSION_CHALLENGE,
            .unauthorized = "Nobody is logged in, or the session has ended. Log in again.",
            .is_body_strict = true,
            .is_query_strict = true,
            .may_omit_body = true,
            .errors = {ERR_UNAUTHORIZED, ERR_CROSS_SITE, ERR_NO_HTTPS, ERR_INSUFFICIENT_ROLE,
                       ERR_RATE_LIMITED, ERR_STORAGE_UNAVAILABLE, ERR_OVERLOADED},
            .schemes = {{NULL, NULL}},
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

/* Says what is missing where a token or key stands in the header without its scheme. */
const char *auth_unauthorized(const struct dispatch *ex)
{
    const struct auth_way *way = auth_of(ex->rq.route);
    struct str header = http_header_get(ex->x, "Authorization");
    bool is_one_word = header.len > 0 && str_until(header, ' ').len == header.len;
    /* The root key has a header of its own, which the general sentence names. */
    bool is_root_key = way == &auth_ways[AUTH_INTERNAL_KEY] && !has_prefix(header);

    if (!way->takes_bearer || !is_one_word || str_is_nocase(header, "Bearer") || is_root_key)
        return way->unauthorized;
    return "The header Authorization has a value without its scheme: write Bearer and a space in "
           "front of it.";
}

bool auth_may_omit_body(const struct route *route)
{
    const struct record *record = route->body;

    if (!record || route->taker || !auth_of(route)->may_omit_body) return false;
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].flags & FIELD_REQUIRED) return false;
    }
    return true;
}

static bool find_device_key(struct dispatch *ex)
{
    static const char *const names[] = {"X-Device-Key", "X-API-Key"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        ex->key = http_header_get(ex->x, names[i]);
        if (fleet_is_key(ex->key)) return true;
    }
    return read_bearer(ex, &ex->key) && fleet_is_key(ex->key);
}

bool auth_know(struct dispatch *ex)
{
    if (ex->is_console || !comes_once(ex) || !find_actor(ex)) return false;
    if (find_device_key(ex)) return true;
    ex->has_right_key = !verify_token(ex);
    return false;
}

enum err auth_know_phone(struct dispatch *ex)
{
    enum err err = look_up_device(ex);
    ex->rq.principal = NULL; /* the operation of a 405 is not the phone's */
    return err;
}

void auth_check(struct dispatch *ex, void (*then)(struct dispatch *ex, enum err err))
{
    const struct auth_way *way = auth_of(ex->rq.route);

    ex->then = then;
    enum err err = way->check ? way->check(ex) : ERR_OK;
    if (!ex->waits_for_keys) then(ex, err);
}
