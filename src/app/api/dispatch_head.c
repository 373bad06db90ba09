/*
 * What is checked before a byte of the body is read: request id, route, key, media type, size
 * (contract, section 1).
 */
#include "app/api/exchange.h"
#include "core/match.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/http/media.h"

static bool is_visible(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~') return false;
    }
    return text.len > 0;
}

static void take_request_id(struct dispatch *ex)
{
    struct str given = http_header_get(ex->x, "X-Request-Id");
    if (given.len <= REQUEST_ID_MAX && is_visible(given) &&
        http_header_count(ex->x, "X-Request-Id") == 1) {
        memcpy(ex->request_id, given.data, given.len);
        return;
    }
    struct uuid id = uuid_new(ex->rq.work.now_ms);
    uuid_format(&id, ex->request_id);
}

/* The client's address: what a trusted proxy says, from the right, up to the first address that is
 * no proxy of ours. Where a proxy names none, it speaks for itself. */
static void take_address(struct dispatch *ex)
{
    struct str chain = http_header_get(ex->x, "X-Forwarded-For");

    ex->address = *http_peer(ex->x);
    while (chain.len > 0 && http_addresses_have(&ex->app->trusted_proxies, &ex->address)) {
        size_t begin = chain.len;
        while (begin > 0 && chain.data[begin - 1] != ',')
            begin--;
        struct str hop = str_trim((struct str){chain.data + begin, chain.len - begin});
        if (!http_address_parse_forwarded(hop, &ex->address)) return;
        chain.len = begin > 0 ? begin - 1 : 0;
    }
}

static enum err check_internal_key(struct dispatch *ex)
{
    bool is_right = false;
    ex->key = http_header_get(ex->x, "X-Internal-API-Key");
    /* Both are compared, whichever it is. */
    for (int i = 0; i < INTERNAL_KEYS_MAX; i++)
        is_right |= secret_equals(&ex->app->internal_keys[i], ex->key);
    return is_right ? ERR_OK : ERR_UNAUTHORIZED;
}

/* Only its form here; whose key it is, the transaction asks. */
static enum err take_device_key(struct dispatch *ex)
{
    struct str bearer = http_header_get(ex->x, "Authorization");

    ex->key = http_header_get(ex->x, "X-Device-Key");
    if (!ex->key.data && bearer.len > 7 && str_is_nocase((struct str){bearer.data, 7}, "Bearer "))
        ex->key = str_trim((struct str){bearer.data + 7, bearer.len - 7});
    return ex->key.len > 0 ? ERR_OK : ERR_UNAUTHORIZED;
}

static bool is_bearer(struct str authorization)
{
    return authorization.len >= 6 && str_is_nocase((struct str){authorization.data, 6}, "Bearer");
}

/* Which of two would count, nobody could say (contract, section 9.10). */
static enum err check_headers_once(const struct dispatch *ex)
{
    static const char *const names[] = {"Authorization", "X-Device-Key", "X-Internal-API-Key",
                                        "Content-Type"};
    const struct route *route = ex->rq.route;
    bool is_oauth = route->error_style == ERRORS_OAUTH;

    if (route->auth == AUTH_NONE) return ERR_OK;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (http_header_count(ex->x, names[i]) > 1)
            return is_oauth ? ERR_INVALID_REQUEST : ERR_BAD_REQUEST;
    }
    bool has_two = route->auth == AUTH_DEVICE_KEY && http_header_count(ex->x, "X-Device-Key") > 0 &&
                   is_bearer(http_header_get(ex->x, "Authorization"));
    return has_two ? ERR_BAD_REQUEST : ERR_OK;
}

static enum err check_key(struct dispatch *ex)
{
    enum err err = check_headers_once(ex);
    if (err) return err;

    switch (ex->rq.route->auth) {
    case AUTH_INTERNAL_KEY:
        return check_internal_key(ex);
    case AUTH_DEVICE_KEY:
        return take_device_key(ex);
    case AUTH_BEARER:
        return dispatch_check_bearer(ex);
    case AUTH_NONE:
    case AUTH_CLIENT:    /* whose secret is in the body that is yet to come, or in a header */
    case AUTH_SIGNATURE: /* of a body that is yet to come */
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

/* Phones may leave the media type out, and so may who sends no body. Whoever signs a body says by
 * that what it is; a form is the handler's to read. */
static enum err check_media_type(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    struct str type = http_header_get(ex->x, "Content-Type");
    bool is_raw = route->auth == AUTH_SIGNATURE || route->auth == AUTH_CLIENT;
    bool may_omit = route->auth == AUTH_DEVICE_KEY;

    if (!route->body || is_raw) return ERR_OK;
    may_omit |= http_body_length(ex->x) == 0 && route_body_is_optional(route);
    if (!type.data && may_omit) return ERR_OK;
    if (type.data && http_media_is(type, "application/json") && http_media_is_utf8(type))
        return ERR_OK;
    error_tell_header(&ex->rq, "Content-Type", type, "Send the body as application/json in UTF-8.");
    return ERR_UNSUPPORTED_MEDIA_TYPE;
}

static enum err check_encoding(struct dispatch *ex)
{
    struct str encoding = http_header_get(ex->x, "Content-Encoding");

    if (!encoding.data) return ERR_OK;
    if (ex->rq.route->error_style == ERRORS_OAUTH) return ERR_INVALID_REQUEST;
    error_tell_header(&ex->rq, "Content-Encoding", encoding, "Send the body without one.");
    return ERR_UNSUPPORTED_MEDIA_TYPE;
}

enum err dispatch_check_content(struct dispatch *ex)
{
    enum err err = check_encoding(ex);
    if (!err) err = check_media_type(ex);
    if (err || ex->rq.route->taker) return err;
    return http_body_length(ex->x) > (int64_t)ex->body.max ? ERR_PAYLOAD_TOO_LARGE : ERR_OK;
}

static enum err find_route(struct dispatch *ex)
{
    struct request *rq = &ex->rq;
    struct route_match match;
    enum err err =
        route_match(&ex->app->routes, http_method(ex->x), http_path(ex->x), &ex->arena, &match);

    rq->route = match.route;
    memcpy(rq->path_ids, match.ids, sizeof(rq->path_ids));
    memcpy(rq->path_texts, match.texts, sizeof(rq->path_texts));
    ex->allow = match.allow;
    return err;
}

enum err dispatch_check_head(struct dispatch *ex)
{
    ex->rq.work.now_ms = clock_now_ms();
    take_request_id(ex);
    take_address(ex);
    work_init(&ex->rq.work, &ex->app->service, &ex->arena, ex->rq.work.now_ms, ex->request_id);

    enum err err = find_route(ex);
    if (!err) err = check_key(ex);
    if (err || ex->waits_for_keys) return err;
    return dispatch_await_body(ex);
}
