/* A dispatch is made when the head has come, and freed when the connection is done with the
 * request. */
#include "app/api/dispatch.h"

#include "app/api/auth.h"
#include "app/api/counts.h"
#include "app/api/log_stream.h"
#include "app/api/phone_stream.h"
#include "core/request.h"
#include "core/service.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <stdlib.h>

enum { BODY_ALWAYS_TAKEN = 4096 }; /* also where memory is short; a code needs no more */

static struct dispatch *dispatch_new(struct api *api, struct http_request *x)
{
    struct dispatch *ex = must_calloc(1, sizeof(*ex));
    ex->api = api;
    ex->x = x;
    arena_init(&ex->arena);
    buf_init(&ex->body, BODY_MAX);
    return ex;
}

static void dispatch_free(struct dispatch *ex)
{
    /* Bodies, and what was decoded from them, hold codes and keys, so they are zeroed before they
     * go. The answer went to the HTTP server. */
    if (ex->body.data) secret_wipe(ex->body.data, ex->body.len);
    if (ex->rq.taken) ex->rq.route->taker->free(ex->rq.taken);
    free(ex->rq.password);
    buf_done(&ex->body);
    buf_done(&ex->rq.reply);
    arena_done(&ex->arena);
    ex->x = NULL;
    if (!ex->is_end_told) free(ex); /* otherwise end_body frees it */
}

static void open_stream(struct dispatch *ex)
{
    enum err err = log_stream_open(ex->api->log_stream, ex->x, &ex->rq, &ex->reader);
    if (err) {
        dispatch_answer(ex, err);
        return;
    }
    ex->is_answered = true;
    counts_add(ex->api->counts, ex->routes, ex->rq.route, 200, ERR_OK, ex->began_us);
    ex->rq.query = NULL; /* the reader has taken what it needs, and stays for long */
    ex->actor.name = NULL;
    arena_done(&ex->arena);
    log_stream_start(ex->reader, str_is(http_method(ex->x), "HEAD"));
}

/* The taker will not take the rest. By now the request may be over, or the body whole. */
static void end_body(void *arg)
{
    struct dispatch *ex = arg;

    ex->is_end_told = false;
    if (!ex->x) {
        free(ex);
        return;
    }
    if (!ex->is_taking) return;
    ex->is_taking = false;
    dispatch_answer(ex, ERR_OVERLOADED);
    ex->rq.route->taker->free(ex->rq.taken);
    ex->rq.taken = NULL;
}

/* Runs on the taker's thread, which makes sure that the body is still being taken; so the request
 * exists, and stays until its loop has heard of this. */
static void tell_end(void *arg)
{
    struct dispatch *ex = arg;

    ex->is_end_told = true;
    http_server_post(ex->api->server, http_loop_index(ex->x), end_body, ex);
}

/* The body is whole, or its rest would change nothing. */
static void finish_body(struct dispatch *ex)
{
    const struct auth_way *way = auth_of(ex->rq.route);

    ex->is_taking = false;
    ex->rq.work.now_ms = clock_now_ms();
    enum err err = way->check_again ? way->check_again(ex) : ERR_OK;
    if (!err) err = dispatch_decode(ex);
    /* A stream that is refused leaves no record of having been read (contract, section 10.3). */
    if (!err && ex->rq.route->is_stream) err = log_stream_check(ex->x, &ex->rq);
    if (err && !way->look_up) {
        dispatch_answer(ex, err);
        return;
    }
    ex->decode_err = err;
    if (!ex->rq.route->is_stream)
        dispatch_submit(ex);
    else if (ex->api->service->is_log_sensitive)
        dispatch_audit_stream(ex, open_stream);
    else
        open_stream(ex);
}

/* The transaction begins, and the rest of the body stays in the peer until there is an answer. */
static void stop_taking(struct dispatch *ex)
{
    http_body_pause(ex->x);
    finish_body(ex);
}

static enum err begin_body(struct dispatch *ex)
{
    const struct body_taker *taker = ex->rq.route->taker;
    enum route_auth auth = ex->rq.route->auth;
    int64_t length = http_body_length(ex->x);

    /* The other keys are known only once the body is whole. */
    if (auth == AUTH_INTERNAL_KEY || auth == AUTH_SESSION) http_vouch(ex->x, true);
    if (auth == AUTH_BEARER) http_vouch_body(ex->x, ex->claims->tenant_id.bytes);
    if (ex->rq.route->body_max > 0) ex->body.max = ex->rq.route->body_max;
    enum err err = dispatch_check_content(ex);
    bool is_small = length >= 0 && length <= BODY_ALWAYS_TAKEN;
    if (!err && !is_small && memory_is_short()) err = ERR_OVERLOADED;
    if (err || !taker) return err;
    err = taker->begin(&ex->rq, length, &(struct body_ending){tell_end, ex}, &ex->rq.taken);
    if (err) return err;
    ex->is_taking = true;
    /* The transaction tells first whether the client may send it at all. */
    if (length > (int64_t)taker->body_max) stop_taking(ex);
    return ERR_OK;
}

/* The transaction that would say which phone it is does not come. */
static void refuse_body(struct dispatch *ex, enum err err)
{
    if (auth_of(ex->rq.route)->look_up)
        dispatch_refuse(ex, err);
    else
        dispatch_answer(ex, err);
}

static void await_body(struct dispatch *ex, enum err err)
{
    if (err) {
        dispatch_answer(ex, err);
        return;
    }
    err = begin_body(ex);
    if (err) refuse_body(ex, err);
}

void dispatch_begin(struct api *api, struct http_request *x, bool is_console)
{
    struct dispatch *ex = dispatch_new(api, x);

    ex->is_console = is_console;
    ex->routes = is_console ? &api->console_routes : &api->routes;
    http_set_user(x, ex);
    enum err err = dispatch_check_head(ex);
    if (err)
        dispatch_refuse(ex, err);
    else
        auth_check(ex, await_body);
}

static void on_head(void *arg, struct http_request *x)
{
    struct api *api = arg;

    if (api->console && http_listener_of(x) >= api->console_listener)
        api->console(api, x);
    else
        dispatch_begin(api, x, false);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct dispatch *ex = http_user(x);
    (void)arg;
    if (!ex || ex->is_answered) return; /* a file of the console was answered at once */

    const struct body_taker *taker = ex->rq.route->taker;
    if (taker) {
        if (!taker->take(ex->rq.taken, bytes)) stop_taking(ex);
        return;
    }
    /* A body that is not wanted is counted, too, and passed over up to the limit. */
    buf_str(&ex->body, bytes);
    if (ex->body.is_full) refuse_body(ex, ERR_PAYLOAD_TOO_LARGE);
}

static void on_end(void *arg, struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    (void)arg;
    if (!ex || ex->is_answered) return; /* a file of the console was answered at once */

    if (ex->rq.route->taker) ex->rq.route->taker->end(ex->rq.taken);
    finish_body(ex);
}

static void on_close(void *arg, struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    (void)arg;
    if (!ex) return;
    log_stream_close(ex->reader);
    phone_stream_close(ex->phone_reader);
    http_set_user(x, NULL);
    dispatch_free(ex);
}

static void on_drain(void *arg, struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    (void)arg;
    log_stream_drain(ex->reader);
}

/* Health tells how the service is, which matters most when it is crowded (contract, section 7). */
static bool is_vital(void *arg, const struct http_request *x)
{
    struct str path = http_path(x);
    (void)arg;
    return str_is(path, "/health/live") || str_is(path, "/health/ready");
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    struct request rq = {.member_count = 0};
    char retry_at[CLOCK_TEXT_LEN + 1];
    const struct api *api = arg;

    counts_add_refused(api->counts, err);

    clock_format(clock_wall_ms() + HTTP_OVERLOADED_RETRY_S * 1000, retry_at);
    if (err == ERR_OVERLOADED) error_put_text(&rq, "retry_at", retry_at);
    error_encode(err, request_id, &rq, body);
}

struct http_handler api_handler(struct api *api)
{
    return (struct http_handler){
        .on_head = on_head,
        .on_body = on_body,
        .on_end = on_end,
        .on_close = on_close,
        .on_drain = on_drain,
        .is_vital = is_vital,
        .render_error = render_error,
        .arg = api,
    };
}
