/*
 * The head gives the request id, the trace, the client's address and the route; after
 * authentication (auth.c) it gives the media type and the size of the body (contract, section 1).
 */
#include "app/api/auth.h"
#include "app/api/console.h"
#include "app/api/dispatch.h"
#include "core/route.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/http/media.h"

static void take_request_id(struct dispatch *ex)
{
    struct str given = http_header_get(ex->x, "X-Request-Id");
    if (given.len <= REQUEST_ID_MAX && str_is_visible(given) &&
        http_header_count(ex->x, "X-Request-Id") == 1) {
        memcpy(ex->request_id, given.data, given.len);
        return;
    }
    struct uuid id = uuid_new(ex->rq.work.now_ms);
    uuid_format(&id, ex->request_id);
}

/* A header that comes twice is none (W3C Trace Context). */
static const char *take_trace(struct dispatch *ex)
{
    struct str given = http_header_get(ex->x, "traceparent");
    bool has_one = given.data && http_header_count(ex->x, "traceparent") == 1;

    return has_one && trace_take(given, ex->traceparent) ? ex->traceparent : NULL;
}

/* Takes the client's address. Trusted proxies add addresses on the right; the first from there that
 * is no trusted proxy is the client. A proxy that adds none is the client itself. */
static void take_address(struct dispatch *ex)
{
    struct str chain = http_header_get(ex->x, "X-Forwarded-For");

    ex->address = *http_peer(ex->x);
    while (chain.len > 0 && http_addresses_have(&ex->api->trusted_proxies, &ex->address)) {
        size_t begin = chain.len;
        while (begin > 0 && chain.data[begin - 1] != ',')
            begin--;
        struct str hop = str_trim((struct str){chain.data + begin, chain.len - begin});
        if (!http_address_parse_forwarded(hop, &ex->address)) return;
        chain.len = begin > 0 ? begin - 1 : 0;
    }
}

/* Phones may leave the media type out. A body that is left out has none that would count; a signed
 * body needs none, and the handler itself reads a form. */
static enum err check_media_type(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    struct str type = http_header_get(ex->x, "Content-Type");
    bool is_left_out = http_body_length(ex->x) == 0 && auth_may_omit_body(route);

    if (!route->body || auth_of(route)->has_raw_body || is_left_out) return ERR_OK;
    if (!type.data && auth_of(route)->may_omit_type) return ERR_OK;
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
    struct str path = ex->is_console ? console_path(ex->x) : http_path(ex->x);
    enum err err = route_match(ex->routes, http_method(ex->x), path, &ex->arena, &match);

    rq->route = match.route;
    memcpy(rq->path_ids, match.ids, sizeof(rq->path_ids));
    memcpy(rq->path_texts, match.texts, sizeof(rq->path_texts));
    ex->allow = match.allow;
    return err;
}

enum err dispatch_check_head(struct dispatch *ex)
{
    ex->rq.work.now_ms = clock_now_ms();
    ex->began_us = clock_monotonic_us();
    take_request_id(ex);
    take_address(ex);
    work_init(&ex->rq.work, ex->api->service, &ex->arena, ex->rq.work.now_ms, ex->request_id);
    ex->rq.work.traceparent = take_trace(ex);
    return find_route(ex);
}
