/*
 * The port of the ERP: takes a request, answers it as the ERP does or as it was told, records it,
 * and answers now, later, or never.
 */
#include "call.h"
#include "kit/http/connection.h" /* whether the peer has closed its side */
#include "sim/common/memory.h"

enum { BODY_MAX = 1024 * 1024, ANSWER_MAX = 16 * 1024 * 1024 };

/* ---- in flight ---- */

static void count_in(struct call *call)
{
    struct sim *sim = call->sim;

    call->is_counted = true;
    if (++sim->in_flight > sim->in_flight_max) sim->in_flight_max = sim->in_flight;
}

static void count_out(struct call *call)
{
    if (call->is_counted) call->sim->in_flight--;
    call->is_counted = false;
}

/* A caller that waits no longer is not in flight: the call that it starts then is instead of that
 * one, not beside it. Nobody who calls an ERP closes only one side of a connection. */
static void count_out_those_who_left(struct sim *sim)
{
    for (struct call *call = sim->held; call; call = call->next_held) {
        if (http_is_closed(call->x) || call->x->connection->is_peer_done) count_out(call);
    }
}

static void hold(struct call *call, int64_t wait_ms, void (*wake)(void *x))
{
    struct sim *sim = call->sim;

    http_hold(call->x);
    call->next_held = sim->held;
    call->held_link = &sim->held;
    if (sim->held) sim->held->held_link = &call->next_held;
    sim->held = call;
    worker_run_after(sim->server.worker, wait_ms, wake, call->x);
}

static void release(struct call *call)
{
    *call->held_link = call->next_held;
    if (call->next_held) call->next_held->held_link = call->held_link;
    call->held_link = NULL;
    http_release(call->x);
}

/* ---- the answer ---- */

static bool is_trickled(const struct call *call)
{
    return call->has_answer && call->ending == ENDING_ANSWER &&
           call->behaviour.kind == BEHAVIOUR_TRICKLE;
}

static void wake_trickle(void *x);

static void trickle(struct call *call, size_t len)
{
    http_stream_write(call->x, (struct str){call->answer.body.data + call->trickled, len});
    call->trickled += len;
    if (call->trickled == call->answer.body.len) http_stream_end(call->x);
}

/* Under the lock: how many bytes go now. Whether more have to wait is settled in the same breath,
 * so that who flushes what waits leaves nothing out. */
static size_t plan_trickle(struct call *call)
{
    struct sim *sim = call->sim;
    size_t left = call->answer.body.len - call->trickled;
    bool is_flushed = sim->server.is_stopping || sim->server.port.is_down ||
                      call->generation != sim->server.generation;

    if (left <= 1 || is_flushed) return left;
    worker_run_after(sim->server.worker, call->behaviour.wait_ms, wake_trickle, call->x);
    return 1;
}

static void go_on_trickling(struct http_request *x)
{
    struct call *call = http_user(x);
    struct sim *sim = call->sim;
    size_t left = call->answer.body.len - call->trickled;
    size_t len = left;
    bool has_left = http_is_closed(x) || x->connection->is_peer_done;

    pthread_mutex_lock(&sim->server.lock);
    if (!has_left) len = plan_trickle(call);
    if (len == left) count_out(call);
    pthread_mutex_unlock(&sim->server.lock);
    if (has_left)
        http_cut(x);
    else
        trickle(call, len);
    if (len == left) release(call);
}

static void wake_trickle(void *x)
{
    http_defer(x, go_on_trickling);
}

/* Under the lock. A call is no more in flight when its caller can know so. */
static void end(struct call *call)
{
    bool is_answered = call->ending != ENDING_CUT && !http_is_closed(call->x);

    call_end_record(call, is_answered);
    if (!is_trickled(call)) count_out(call);
}

static void begin_trickle(struct call *call)
{
    answer_begin_stream(&call->answer, call->x);
    pthread_mutex_lock(&call->sim->server.lock);
    hold(call, 0, wake_trickle);
    pthread_mutex_unlock(&call->sim->server.lock);
}

static void deliver(struct call *call)
{
    if (http_is_closed(call->x)) return;
    if (is_trickled(call))
        begin_trickle(call);
    else
        answer_send(&call->answer, call->x, call->ending);
}

/* ---- later ---- */

/* Of what died while it waited, nothing was done. */
static void deliver_held(struct http_request *x)
{
    struct call *call = http_user(x);
    struct sim *sim = call->sim;

    pthread_mutex_lock(&sim->server.lock);
    bool is_lost = sim->server.port.is_down && !sim->server.is_stopping;
    if (is_lost) call->ending = ENDING_CUT;
    if (!is_lost && !call->has_answer) call_answer(call);
    end(call);
    pthread_mutex_unlock(&sim->server.lock);
    release(call);
    deliver(call);
}

/* On the worker's thread. */
static void wake(void *x)
{
    http_defer(x, deliver_held);
}

void front_flush(struct sim *sim)
{
    worker_run_now(sim->server.worker, wake);
    worker_run_now(sim->server.worker, wake_trickle);
}

/* ---- the exchange ---- */

static void take(struct call *call)
{
    struct sim *sim = call->sim;
    const struct behaviour *told = &call->behaviour;
    int64_t wait_ms = told->kind == BEHAVIOUR_TRICKLE ? 0 : told->wait_ms;

    pthread_mutex_lock(&sim->server.lock);
    call_write_record(call);
    bool is_held = wait_ms > 0 && !sim->server.port.is_down;
    if (told->kind != BEHAVIOUR_SLOW || wait_ms == 0)
        call_answer(call);
    else if (!is_held) /* it came as the port went down */
        call->ending = ENDING_CUT;
    if (is_held)
        hold(call, wait_ms, wake);
    else
        end(call);
    pthread_mutex_unlock(&sim->server.lock);
    if (!is_held) deliver(call);
}

static void read_key(struct call *call)
{
    struct str key = http_header_get(call->x, "idempotency-key");
    struct uuid id;
    char *order;

    call->key = arena_str(&call->arena, key);
    if (!uuid_parse(key, &id)) return;
    order = arena_alloc(&call->arena, ORDER_TEXT_LEN + 1);
    uuid_format(&id, order);
    call->order = order;
}

/* Under the lock. */
static void begin(struct call *call)
{
    struct sim *sim = call->sim;
    struct behaviour_scope scope = {call->method, call->order};

    sim->calls[call->method]++;
    count_out_those_who_left(sim);
    count_in(call);
    call->behaviour = behaviours_take(sim->behaviours, &scope, &call->arena);
}

static void on_head(void *arg, struct http_request *x)
{
    struct sim *sim = arg;
    struct call *call = memory_new(sizeof(*call));

    call->sim = sim;
    call->x = x;
    call->method = call_method(sim, http_path(x));
    arena_init(&call->arena);
    buf_init(&call->body, BODY_MAX);
    buf_init(&call->answer.body, ANSWER_MAX);
    http_set_user(x, call);
    read_key(call);
    pthread_mutex_lock(&sim->server.lock);
    begin(call);
    pthread_mutex_unlock(&sim->server.lock);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct call *call = http_user(x);

    (void)arg;
    buf_str(&call->body, bytes);
}

static void refuse_size(struct call *call)
{
    pthread_mutex_lock(&call->sim->server.lock);
    call_refuse(call, 413, "too_large", "The body is too large");
    call_write_record(call);
    end(call);
    pthread_mutex_unlock(&call->sim->server.lock);
    answer_send(&call->answer, call->x, ENDING_ANSWER);
}

static void on_end(void *arg, struct http_request *x)
{
    struct call *call = http_user(x);

    (void)arg;
    if (call->body.is_full)
        refuse_size(call);
    else
        take(call);
}

static void on_close(void *arg, struct http_request *x)
{
    struct sim *sim = arg;
    struct call *call = http_user(x);

    pthread_mutex_lock(&sim->server.lock);
    count_out(call);
    pthread_mutex_unlock(&sim->server.lock);
    buf_done(&call->body);
    buf_done(&call->answer.body);
    arena_done(&call->arena);
    free(call);
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    struct sim *sim = arg;

    (void)request_id;
    pthread_mutex_lock(&sim->server.lock);
    if (err != ERR_OVERLOADED) sim->malformed++;
    pthread_mutex_unlock(&sim->server.lock);
    buf_printf(body, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}", err_info(err)->code,
               err_info(err)->sentence);
}

struct http_handler front_handler(struct sim *sim)
{
    return (struct http_handler){on_head, on_body, on_end, on_close, NULL, render_error, sim};
}
