/* A request gets its transaction and its answer here. */
#include "app/api/auth.h"
#include "app/api/dispatch.h"
#include "app/setup/stores.h"
#include "core/request.h"
#include "kit/base/macros.h"

#include <stdio.h>

enum {
    HEADERS_MAX = 10,
    FAULTS_REPLY_MAX = 512 * 1024, /* FAULTS_MAX paths and sentences */
};

/* A repeat is answered with the original's status and the resource as it is now. */
static enum err handle_once(struct dispatch *ex)
{
    struct request *rq = &ex->rq;
    struct uuid original;
    bool is_replay;

    rq->resource_id = uuid_new(rq->work.now_ms);
    if (!ex->idem.family) return rq->route->handle(rq);
    enum err err = idem_take(rq->work.tx, &ex->idem, &rq->resource_id, &is_replay, &original);
    if (err) return err;
    if (!is_replay) return rq->route->handle(rq);
    rq->resource_id = original;
    rq->is_replayed = true;
    return rq->route->replay(rq);
}

static struct db *db_of(const struct dispatch *ex)
{
    return store_of(ex->api->service, ex->rq.route->store);
}

static bool begins_as_read(const struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    const struct body_taker *taker = route->taker;

    if (route->access != ACCESS_READ_FIRST) return route->access != ACCESS_WRITE;
    return taker ? !taker->is_clean(ex->rq.taken) : db_has_one_writer(db_of(ex));
}

static enum err run(struct work *work)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);
    const struct auth_way *way = auth_of(ex->rq.route);

    arena_rewind(&ex->arena, ex->mark);
    request_restart(&ex->rq, work->tx);
    ex->rq.faults = ex->decode_err ? ex->faults : NULL;
    enum err err = way->look_up ? way->look_up(ex) : ERR_OK;
    if (!err) err = ex->decode_err;
    if (!err && ex->has_turn && !begins_as_read(ex)) err = ERR_WRITE_NEEDED;
    return err ? err : handle_once(ex);
}

/* The arena is freed with the answer on its way, since a slow reader may take long. */
static void deliver(struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    dispatch_answer(ex, ex->err);
    arena_done(&ex->arena);
    http_release(x);
}

static void done(struct work *work, enum err err)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);

    if (ex->has_turn) {
        ex->has_turn = false;
        throttle_begin_next(ex->api->throttle);
    }
    if (err == ERR_WRITE_NEEDED && work->task.is_read) {
        work->task.is_read = false;
        err = db_submit(db_of(ex), &work->task);
        if (!err) return;
    }
    ex->err = err;
    if (!err && ex->rq.work.notes)
        event_log_publish(ex->api->event_log, &ex->rq.work, arena_str(&ex->arena, ex->key));
    http_defer(ex->x, deliver);
}

static enum err submit(struct dispatch *ex)
{
    return work_start(&ex->rq.work, db_of(ex), run, done);
}

/* The group is the last bytes of the id, which are random. */
static uint64_t group_of(const struct dispatch *ex)
{
    const struct uuid *id = &ex->rq.path_ids[0];
    uint64_t group;

    if (!ex->rq.route->is_in_turn) return 0;
    memcpy(&group, id->bytes + sizeof(id->bytes) - sizeof(group), sizeof(group));
    return group;
}

static bool begin_lookup(struct throttle_turn *turn)
{
    struct dispatch *ex = CONTAINER_OF(turn, struct dispatch, turn);

    enum err err = submit(ex);
    if (!err) return true;
    ex->has_turn = false;
    ex->err = err;
    http_defer(ex->x, deliver);
    return false;
}

/* After too many wrong keys from an address its requests queue: each first runs as a read that
 * looks up its key. If the key is good, a request that writes is submitted again as a write. */
static bool await_turn(struct dispatch *ex)
{
    struct throttle *throttle = ex->api->throttle;

    if (!auth_of(ex->rq.route)->takes_turns) return false;
    if (!throttle_is_in_turns(throttle, &ex->address, ex->rq.work.now_ms)) return false;
    ex->rq.work.task.is_read = true;
    ex->has_turn = true;
    ex->turn.begin = begin_lookup;
    throttle_await_turn(throttle, &ex->turn);
    return true;
}

void dispatch_submit(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;

    ex->mark = arena_mark(&ex->arena);
    ex->faults = ex->rq.faults;
    if (route->access == ACCESS_NONE) {
        request_restart(&ex->rq, NULL);
        dispatch_answer(ex, route->handle(&ex->rq));
        return;
    }
    ex->rq.work.task = (struct db_task){
        .is_read = begins_as_read(ex),
        .is_whole = route->access == ACCESS_READ,
        .is_bounded = true,
        .group = group_of(ex),
    };
    http_hold(ex->x);
    if (await_turn(ex)) return;
    enum err err = submit(ex);
    if (!err) return;
    dispatch_answer(ex, err);
    http_release(ex->x);
}

/* Where the rules compute no wait: a phone polls every 5 s, and a database is back in a moment. */
static int64_t default_retry_after_s(enum err err)
{
    static const enum err slow[] = {ERR_NO_READY_SIM,        ERR_CIRCUIT_OPEN,
                                    ERR_NO_ENABLED_NUMBER,   ERR_ACCOUNT_NOT_CONNECTED,
                                    ERR_CALL_UNDER_WAY,      ERR_KEYS_UNAVAILABLE,
                                    ERR_KEY_SET_UNAVAILABLE, ERR_SIGNING_KEY_UNAVAILABLE};

    if (err == ERR_CHANNEL_NOT_CONFIGURED) return 0; /* no wait would help */
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        if (err == slow[i]) return 5;
    }
    return err_info(err)->http_status == 503 ? 1 : 0;
}

struct answer_headers {
    struct http_header rows[HEADERS_MAX];
    size_t count;
    char retry_after[24];
};

static void add_header(struct answer_headers *headers, const char *name, const char *value)
{
    assert(headers->count < HEADERS_MAX);
    headers->rows[headers->count++] = (struct http_header){str_of(name), str_of(value)};
}

static void add_retry_after(struct answer_headers *headers, const struct dispatch *ex, enum err err)
{
    int64_t wait_s = ex->rq.retry_after_s > 0 ? ex->rq.retry_after_s : default_retry_after_s(err);
    int status = err_info(err)->http_status;
    if (wait_s == 0 || (status != 429 && status != 503)) return;
    snprintf(headers->retry_after, sizeof(headers->retry_after), "%lld", (long long)wait_s);
    add_header(headers, "Retry-After", headers->retry_after);
}

static bool is_failed_key(enum err err)
{
    return err == ERR_UNAUTHORIZED || err == ERR_INVALID_CLIENT;
}

static void add_error_headers(struct answer_headers *headers, struct dispatch *ex, enum err err)
{
    add_retry_after(headers, ex, err);
    if (err == ERR_METHOD_NOT_ALLOWED) add_header(headers, "Allow", ex->allow);
    if (!is_failed_key(err) && err != ERR_INSUFFICIENT_SCOPE) return;
    const struct auth_way *way = auth_of(ex->rq.route);
    const char *challenge = way->make_challenge ? way->make_challenge(ex, err) : way->challenge;
    if (challenge) add_header(headers, "WWW-Authenticate", challenge);
}

/* RFC 6749, section 5.1, wants the old header Pragma beside the new one. */
static void add_cache_headers(struct answer_headers *headers, const struct dispatch *ex,
                              bool is_refusal)
{
    const struct route *route = ex->rq.route;
    const char *own = route && !is_refusal ? route->cache_control : NULL;

    add_header(headers, "Cache-Control", own ? own : "no-store");
    if (route && route->error_style == ERRORS_OAUTH) add_header(headers, "Pragma", "no-cache");
}

/* Operators have to hear of our own mistakes and of the storage's. */
static void log_trouble(const struct dispatch *ex, enum err err)
{
    bool is_storage = err == ERR_STORAGE_UNAVAILABLE || err == ERR_CLIENTS_UNAVAILABLE;
    if (err_info(err)->http_status != 500 && !is_storage) return;
    log_write(LOG_ERROR, "request failed",
              LOG_FIELDS(log_text("error", err_info(err)->code),
                         log_text("operation", ex->rq.route ? ex->rq.route->operation_id : NULL),
                         log_text("request_id", ex->request_id)));
}

static void log_failed_key(const struct dispatch *ex)
{
    char address[HTTP_PEER_LEN];

    http_address_format(&ex->address, address);
    event_log_write(
        ex->api->event_log, LOG_WARNING, "authentication failed",
        LOG_FIELDS(log_text("request_id", ex->request_id), log_plain("address", address),
                   log_text("operation", ex->rq.route->operation_id),
                   log_text("cause", ex->token_fault), log_text("client_id", ex->token_client)));
}

/* A wrong key is answered as such, or, after too many, with the time to wait. */
static enum err count_failed_key(struct dispatch *ex, enum err err)
{
    struct throttle_failure failure =
        throttle_add_failure(ex->api->throttle, &ex->address, ex->rq.work.now_ms);

    if (failure.is_told) log_failed_key(ex);
    if (failure.wait_ms == 0) return err;
    error_retry_after(&ex->rq, failure.wait_ms);
    return ERR_RATE_LIMITED;
}

/* A transaction that could not end means that the storage does not serve. The token endpoint has an
 * error of its own for that, which names no Idempotency-Key. */
static enum err shown_error(const struct dispatch *ex, enum err err)
{
    const struct route *route = ex->rq.route;
    bool is_oauth = route && route->error_style == ERRORS_OAUTH;
    bool is_storage = err == ERR_STORAGE_UNAVAILABLE || err == ERR_TX_RETRY || err == ERR_UNIQUE ||
                      err == ERR_WRITE_NEEDED;

    if (!is_storage) return err;
    return is_oauth ? ERR_CLIENTS_UNAVAILABLE : ERR_STORAGE_UNAVAILABLE;
}

void dispatch_answer(struct dispatch *ex, enum err err)
{
    struct answer_headers headers = {.count = 0};
    struct request *rq = &ex->rq;
    enum err refusal = shown_error(ex, err ? err : rq->error);
    if (!refusal && rq->reply.is_full) refusal = LOG_BROKEN("the answer is too long");
    bool is_wrong_key = is_failed_key(refusal);
    if (is_wrong_key) refusal = count_failed_key(ex, refusal);
    if (is_wrong_key || rq->principal) http_vouch(ex->x, !is_wrong_key);
    int status = refusal ? err_info(refusal)->http_status : rq->status;

    add_header(&headers, "X-Request-Id", ex->request_id);
    add_cache_headers(&headers, ex, refusal != ERR_OK);
    if (refusal) {
        add_error_headers(&headers, ex, refusal);
        buf_done(&rq->reply);
        buf_init(&rq->reply, FAULTS_REPLY_MAX + (rq->detail ? strlen(rq->detail) : 0));
        error_encode(refusal, str_of(ex->request_id), rq, &rq->reply);
        log_trouble(ex, refusal);
    }
    if (rq->is_replayed && !refusal) add_header(&headers, "Idempotent-Replayed", "true");
    bool has_document = !refusal && rq->document.len > 0;
    if (has_document || rq->reply.len > 0) add_header(&headers, "Content-Type", "application/json");
    ex->is_answered = true;
    if (has_document)
        http_reply_shared(ex->x, status, headers.rows, headers.count, rq->document);
    else
        http_reply(ex->x, status, headers.rows, headers.count, &rq->reply);
}
