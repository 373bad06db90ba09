/*
 * The port of the ERP: takes a request, settles it as the ERP does or as it was told, records it,
 * and answers now, later, or never.
 */
#include "kit/http/connection.h" /* whether the peer has closed its side */
#include "visit.h"

#include <stdlib.h>

enum { BODY_MAX = 1024 * 1024, ANSWER_MAX = 16 * 1024 * 1024 };

/* ---- in flight ---- */

static void count_in(struct visit *visit)
{
    struct sim *sim = visit->sim;

    visit->is_counted = true;
    if (++sim->in_flight > sim->in_flight_max) sim->in_flight_max = sim->in_flight;
}

static void count_out(struct visit *visit)
{
    if (visit->is_counted) visit->sim->in_flight--;
    visit->is_counted = false;
}

/* Who waits no longer is not in flight: what a caller starts then is instead of that call, not
 * beside it. Nobody who calls an ERP closes only one side of a connection. */
static void count_out_those_who_left(struct sim *sim)
{
    for (struct visit *visit = sim->held; visit; visit = visit->next_held) {
        if (http_is_closed(visit->x) || visit->x->connection->is_peer_done) count_out(visit);
    }
}

static void hold(struct visit *visit, int64_t wait_ms, void (*wake)(void *x))
{
    struct sim *sim = visit->sim;

    http_hold(visit->x);
    visit->next_held = sim->held;
    visit->held_link = &sim->held;
    if (sim->held) sim->held->held_link = &visit->next_held;
    sim->held = visit;
    errands_after(sim->errands, wait_ms, wake, visit->x);
}

static void release(struct visit *visit)
{
    *visit->held_link = visit->next_held;
    if (visit->next_held) visit->next_held->held_link = visit->held_link;
    visit->held_link = NULL;
    http_release(visit->x);
}

/* ---- the answer ---- */

static size_t fill_headers(struct answer *answer, struct http_header *ret_headers)
{
    ret_headers[0] = (struct http_header){STR("Content-Type"), str_of(answer->content_type)};
    memcpy(ret_headers + 1, answer->headers, answer->header_count * sizeof(*ret_headers));
    return answer->header_count + 1;
}

static void reply(struct visit *visit)
{
    struct http_header headers[ANSWER_HEADERS_MAX + 1];
    size_t count = fill_headers(&visit->answer, headers);

    http_reply(visit->x, visit->answer.status, headers, count, &visit->answer.body);
}

static void begin_stream(struct visit *visit)
{
    struct http_header headers[ANSWER_HEADERS_MAX + 1];
    size_t count = fill_headers(&visit->answer, headers);

    http_stream_begin(visit->x, visit->answer.status, headers, count);
}

static void reply_half(struct visit *visit)
{
    begin_stream(visit);
    http_stream_write(visit->x, (struct str){visit->answer.body.data, visit->answer.body.len / 2});
    http_cut(visit->x);
}

static void wake_trickle(void *x);

static void trickle(struct visit *visit, size_t len)
{
    http_stream_write(visit->x, (struct str){visit->answer.body.data + visit->trickled, len});
    visit->trickled += len;
    if (visit->trickled == visit->answer.body.len) http_stream_end(visit->x);
}

/* Under the lock: how many bytes go now. Whether more have to wait is settled in the same breath,
 * so that who rushes what waits leaves nothing out. */
static size_t plan_trickle(struct visit *visit)
{
    struct sim *sim = visit->sim;
    size_t left = visit->answer.body.len - visit->trickled;
    bool is_rushed = sim->is_stopping || sim->port.is_down || visit->generation != sim->generation;

    if (left <= 1 || is_rushed) return left;
    errands_after(sim->errands, visit->behaviour.wait_ms, wake_trickle, visit->x);
    return 1;
}

static void go_on_trickling(struct http_exchange *x)
{
    struct visit *visit = http_user(x);
    struct sim *sim = visit->sim;
    size_t left = visit->answer.body.len - visit->trickled;
    size_t len = left;
    bool has_left = http_is_closed(x) || x->connection->is_peer_done;

    pthread_mutex_lock(&sim->lock);
    if (!has_left) len = plan_trickle(visit);
    if (len == left) count_out(visit);
    pthread_mutex_unlock(&sim->lock);
    if (has_left)
        http_cut(x);
    else
        trickle(visit, len);
    if (len == left) release(visit);
}

static void wake_trickle(void *x)
{
    http_defer(x, go_on_trickling);
}

/* Under the lock. A call is no more in flight when its caller can know so. */
static void end(struct visit *visit)
{
    bool is_answered = visit->ending != ENDING_CUT && !http_is_closed(visit->x);

    visit_record_end(visit, is_answered);
    if (visit->ending != ENDING_TRICKLE) count_out(visit);
}

static void deliver(struct visit *visit)
{
    if (http_is_closed(visit->x)) return;
    switch (visit->ending) {
    case ENDING_ANSWER:
        reply(visit);
        return;
    case ENDING_CUT:
        http_cut(visit->x);
        return;
    case ENDING_CUT_WITHIN:
        reply_half(visit);
        return;
    case ENDING_TRICKLE:
        begin_stream(visit);
        pthread_mutex_lock(&visit->sim->lock);
        hold(visit, 0, wake_trickle);
        pthread_mutex_unlock(&visit->sim->lock);
        return;
    }
}

/* ---- later ---- */

/* Of what died while it waited, nothing was done. */
static void deliver_held(struct http_exchange *x)
{
    struct visit *visit = http_user(x);
    struct sim *sim = visit->sim;

    pthread_mutex_lock(&sim->lock);
    bool is_lost = sim->port.is_down && !sim->is_stopping;
    if (is_lost) visit->ending = ENDING_CUT;
    if (!is_lost && !visit->is_settled) visit_settle(visit);
    end(visit);
    pthread_mutex_unlock(&sim->lock);
    release(visit);
    deliver(visit);
}

/* On the thread of errands. */
static void wake(void *x)
{
    http_defer(x, deliver_held);
}

void front_rush(struct sim *sim)
{
    errands_rush(sim->errands, wake);
    errands_rush(sim->errands, wake_trickle);
}

/* ---- the exchange ---- */

static void take(struct visit *visit)
{
    struct sim *sim = visit->sim;
    const struct behaviour *told = &visit->behaviour;
    int64_t wait_ms = told->deed == DEED_TRICKLE ? 0 : told->wait_ms;

    pthread_mutex_lock(&sim->lock);
    visit_record(visit);
    if (told->deed != DEED_SLOW || wait_ms == 0) visit_settle(visit);
    bool is_held = wait_ms > 0 && !sim->port.is_down;
    if (is_held)
        hold(visit, wait_ms, wake);
    else
        end(visit);
    pthread_mutex_unlock(&sim->lock);
    if (!is_held) deliver(visit);
}

static void read_key(struct visit *visit)
{
    struct str key = http_header_get(visit->x, "idempotency-key");
    struct uuid id;
    char *order;

    visit->key = arena_str(&visit->arena, key);
    if (!uuid_parse(key, &id)) return;
    order = arena_alloc(&visit->arena, ORDER_TEXT_LEN + 1);
    uuid_format(&id, order);
    visit->order = order;
}

/* Under the lock. */
static void meet(struct visit *visit)
{
    struct sim *sim = visit->sim;
    struct behaviour_scope scope = {visit->method, visit->order};

    sim->calls[visit->method]++;
    count_out_those_who_left(sim);
    count_in(visit);
    visit->behaviour = behaviours_take(sim->behaviours, &scope, &visit->arena);
}

static void on_head(void *arg, struct http_exchange *x)
{
    struct sim *sim = arg;
    struct visit *visit = calloc(1, sizeof(*visit));

    if (!visit) abort();
    visit->sim = sim;
    visit->x = x;
    visit->method = visit_method(sim, http_path(x));
    arena_init(&visit->arena);
    buf_init(&visit->body, BODY_MAX);
    buf_init(&visit->answer.body, ANSWER_MAX);
    http_set_user(x, visit);
    read_key(visit);
    pthread_mutex_lock(&sim->lock);
    meet(visit);
    pthread_mutex_unlock(&sim->lock);
}

static void on_body(void *arg, struct http_exchange *x, struct str bytes)
{
    struct visit *visit = http_user(x);

    (void)arg;
    buf_str(&visit->body, bytes);
}

static void refuse_size(struct visit *visit)
{
    pthread_mutex_lock(&visit->sim->lock);
    visit_refuse(visit, 413, "too_large", "The body is too large");
    visit_record(visit);
    end(visit);
    pthread_mutex_unlock(&visit->sim->lock);
    reply(visit);
}

static void on_end(void *arg, struct http_exchange *x)
{
    struct visit *visit = http_user(x);

    (void)arg;
    if (visit->body.is_full)
        refuse_size(visit);
    else
        take(visit);
}

static void on_close(void *arg, struct http_exchange *x)
{
    struct sim *sim = arg;
    struct visit *visit = http_user(x);

    pthread_mutex_lock(&sim->lock);
    count_out(visit);
    pthread_mutex_unlock(&sim->lock);
    buf_done(&visit->body);
    buf_done(&visit->answer.body);
    arena_done(&visit->arena);
    free(visit);
}

static void on_drain(void *arg, struct http_exchange *x)
{
    (void)arg, (void)x;
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    struct sim *sim = arg;

    (void)request_id;
    pthread_mutex_lock(&sim->lock);
    if (err != ERR_OVERLOADED) sim->malformed++;
    pthread_mutex_unlock(&sim->lock);
    buf_printf(body, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}", err_info(err)->code,
               err_info(err)->sentence);
}

struct http_handler front_handler(struct sim *sim)
{
    return (struct http_handler){on_head, on_body, on_end, on_close, on_drain, render_error, sim};
}
