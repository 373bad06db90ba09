/* A server of kit/http with one loop, and a thread that gives the answers when they are due: all
 * wait the same time, so the order in which they came is that in which they are due. */
#include "sink.h"

#include "kit/base/clock.h"
#include "kit/http/server.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    RUN_LEN = 16,
    NUMBER_AT = 24, /* where an id has its number, of 12 hexadecimal digits */
    START_LEN = sizeof "{\"id\":\"" - 1 + SINK_ID_LEN + 1,
    BODY_MAX = 4096, /* as far as a body is looked at */
    ANSWER_MAX = 256,
    PAUSE_US = 500,
    STOP_GRACE_MS = 1000,
};

static const uint64_t NUMBER_MAX = UINT64_C(0xffffffffffff); /* of its digits */

/* An order that has come, until it is answered. */
struct visit {
    struct sink *sink;
    struct http_request *x;
    struct visit *next; /* of those that wait for their answer */
    int64_t n;
    int64_t came_us;
    char body[BODY_MAX];
    size_t body_len;
};

struct sink {
    struct http_server *server;
    char run[RUN_LEN + 1];
    sink_number_fn number_of;
    void *context;
    int64_t orders_max;
    _Atomic int64_t *came_us; /* by number */
    _Atomic int64_t came, repeated, foreign;
    _Atomic int64_t visits, answered;
    _Atomic int64_t last_answer_us;

    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t is_changed;
    struct visit *first, **end;
    int64_t opened_us;
    bool is_closed, is_ending;
};

void sink_order_id(const char *run, int64_t n, char ret_id[static SINK_ID_LEN + 1])
{
    snprintf(ret_id, SINK_ID_LEN + 1, "%.8s-%.4s-7%.3s-8%.3s-%012" PRIx64, run, run + 8, run + 12,
             run + 13, (uint64_t)n & NUMBER_MAX);
}

/* ---------------------------------------------------------------------------- the answers */

static void answer(struct http_request *x)
{
    const struct http_header type = {STR("Content-Type"), STR("application/json")};
    const struct visit *visit = http_user(x);
    struct sink *sink = visit->sink;
    struct buf body;

    buf_init(&body, ANSWER_MAX);
    buf_printf(&body,
               "{\"accepted\":true,\"order_id\":\"bench-%" PRId64 "\",\"number\":\"%" PRId64 "\"}",
               visit->n, visit->n);
    http_reply(x, 200, &type, 1, &body);
    atomic_store(&sink->last_answer_us, clock_monotonic_us());
    atomic_fetch_add(&sink->answered, 1);
    http_release(x);
}

static int64_t due_us(const struct sink *sink, const struct visit *visit)
{
    int64_t from_us = visit->came_us > sink->opened_us ? visit->came_us : sink->opened_us;

    return from_us + SINK_ANSWER_US;
}

/* When the next answer is due; false: there will be none any more. */
static bool wait_for_visit(struct sink *sink, int64_t *ret_due_us)
{
    pthread_mutex_lock(&sink->lock);
    while (!sink->is_ending && (!sink->first || sink->is_closed))
        pthread_cond_wait(&sink->is_changed, &sink->lock);
    bool has_visit = sink->first != NULL;
    if (has_visit) *ret_due_us = due_us(sink, sink->first);
    pthread_mutex_unlock(&sink->lock);
    return has_visit;
}

static void sleep_until(int64_t due)
{
    struct timespec at = {.tv_sec = due / 1000000, .tv_nsec = due % 1000000 * 1000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static struct visit *take_first_due(struct sink *sink, int64_t now_us)
{
    struct visit *visit = NULL;

    pthread_mutex_lock(&sink->lock);
    if (sink->first && !sink->is_closed && due_us(sink, sink->first) <= now_us) {
        visit = sink->first;
        sink->first = visit->next;
        if (!sink->first) sink->end = &sink->first;
    }
    pthread_mutex_unlock(&sink->lock);
    return visit;
}

static void *give_answers(void *arg)
{
    struct sink *sink = arg;
    struct visit *visit;
    int64_t due;

    while (wait_for_visit(sink, &due)) {
        sleep_until(due);
        int64_t now_us = clock_monotonic_us();
        while ((visit = take_first_due(sink, now_us)))
            http_defer(visit->x, answer);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------ the orders */

static void on_head(void *arg, struct http_request *x)
{
    struct visit *visit = calloc(1, sizeof *visit);

    if (!visit) abort();
    *visit = (struct visit){.sink = arg, .x = x};
    http_set_user(x, visit);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct visit *visit = http_user(x);
    size_t room = sizeof visit->body - visit->body_len;
    size_t len = bytes.len < room ? bytes.len : room;

    (void)arg;
    memcpy(visit->body + visit->body_len, bytes.data, len);
    visit->body_len += len;
}

/* The number of an order of this run, or -1: it is none, or its body is another's. */
static int64_t number_of_order(void *arg, struct http_request *x, struct str body)
{
    const struct sink *sink = arg;
    struct str key = http_header_get(x, "idempotency-key");
    char id[SINK_ID_LEN + 1] = "";
    char start[START_LEN + 1];

    if (key.len != SINK_ID_LEN) return -1;
    memcpy(id, key.data, key.len);
    int64_t n = strtoll(id + NUMBER_AT, NULL, 16);
    if (n < 0) return -1;
    sink_order_id(sink->run, n, id);
    snprintf(start, sizeof start, "{\"id\":\"%s\"", id);
    bool is_own = memcmp(id, key.data, key.len) == 0 && body.len >= START_LEN &&
                  memcmp(body.data, start, START_LEN) == 0;
    return is_own ? n : -1;
}

static void refuse(struct sink *sink, struct http_request *x)
{
    struct buf body;

    atomic_fetch_add(&sink->foreign, 1);
    buf_init(&body, ANSWER_MAX);
    http_reply(x, 400, NULL, 0, &body);
}

static void let_wait(struct sink *sink, struct visit *visit)
{
    http_hold(visit->x);
    pthread_mutex_lock(&sink->lock);
    bool is_first = sink->first == NULL;
    *sink->end = visit;
    sink->end = &visit->next;
    if (is_first) pthread_cond_signal(&sink->is_changed);
    pthread_mutex_unlock(&sink->lock);
}

static void on_end(void *arg, struct http_request *x)
{
    struct sink *sink = arg;
    struct visit *visit = http_user(x);

    visit->came_us = clock_monotonic_us();
    visit->n = sink->number_of(sink->context, x, (struct str){visit->body, visit->body_len});
    if (visit->n < 0 || visit->n >= sink->orders_max) {
        refuse(sink, x);
        return;
    }
    atomic_fetch_add(&sink->visits, 1);
    if (atomic_load(&sink->came_us[visit->n]) != 0) {
        atomic_fetch_add(&sink->repeated, 1);
    } else {
        atomic_store(&sink->came_us[visit->n], visit->came_us);
        atomic_fetch_add(&sink->came, 1);
    }
    let_wait(sink, visit);
}

static void on_close(void *arg, struct http_request *x)
{
    (void)arg;
    free(http_user(x));
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg;
    (void)request_id;
    buf_text(body, err_info(err)->code);
}

/* -------------------------------------------------------------------------- start and stop */

static void sink_free(struct sink *sink)
{
    pthread_cond_destroy(&sink->is_changed);
    pthread_mutex_destroy(&sink->lock);
    free(sink->came_us);
    free(sink);
}

static bool start_server(struct sink *sink, const char *listen)
{
    struct http_options options = {
        .listen = listen,
        .loops = 1,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, NULL, render_error, sink},
    };
    AUTO_BUF why = {0};

    buf_init(&why, ANSWER_MAX);
    if (http_server_start(&options, &sink->server, &why) == ERR_OK) return true;
    fprintf(stderr, "load: %.*s\n", (int)why.len, why.data);
    return false;
}

static struct sink *sink_new(int64_t orders_max)
{
    struct sink *sink = calloc(1, sizeof *sink);

    if (!sink) abort();
    sink->orders_max = orders_max;
    sink->came_us = calloc((size_t)orders_max, sizeof *sink->came_us);
    if (!sink->came_us) abort();
    pthread_mutex_init(&sink->lock, NULL);
    pthread_cond_init(&sink->is_changed, NULL);
    sink->end = &sink->first;
    return sink;
}

static struct sink *start(struct sink *sink, const char *listen)
{
    if (!start_server(sink, listen)) {
        sink_free(sink);
        return NULL;
    }
    if (pthread_create(&sink->thread, NULL, give_answers, sink) != 0) abort();
    return sink;
}

struct sink *sink_start(const char *listen, const char *run, int64_t orders_max)
{
    struct sink *sink = sink_new(orders_max);

    snprintf(sink->run, sizeof sink->run, "%s", run);
    sink->number_of = number_of_order;
    sink->context = sink;
    return start(sink, listen);
}

struct sink *sink_start_for(const char *listen, int64_t deliveries_max, sink_number_fn number_of,
                            void *context)
{
    struct sink *sink = sink_new(deliveries_max);

    sink->number_of = number_of;
    sink->context = context;
    return start(sink, listen);
}

void sink_stop(struct sink *sink)
{
    if (!sink) return;
    sink_open_gate(sink);
    http_server_stop(sink->server, STOP_GRACE_MS);
    pthread_mutex_lock(&sink->lock);
    sink->is_ending = true;
    pthread_cond_signal(&sink->is_changed);
    pthread_mutex_unlock(&sink->lock);
    pthread_join(sink->thread, NULL);
    sink_free(sink);
}

void sink_close_gate(struct sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    sink->is_closed = true;
    pthread_mutex_unlock(&sink->lock);
}

void sink_open_gate(struct sink *sink)
{
    pthread_mutex_lock(&sink->lock);
    sink->is_closed = false;
    sink->opened_us = clock_monotonic_us();
    pthread_cond_signal(&sink->is_changed);
    pthread_mutex_unlock(&sink->lock);
}

/* ---------------------------------------------------------------------------- what it knows */

int64_t sink_came(const struct sink *sink)
{
    return atomic_load(&sink->came);
}

static bool is_idle(const struct sink *sink)
{
    return atomic_load(&sink->answered) == atomic_load(&sink->visits);
}

bool sink_wait(const struct sink *sink, int64_t orders, int64_t max_ms)
{
    int64_t give_up_ms = clock_monotonic_ms() + max_ms;

    while (sink_came(sink) < orders || !is_idle(sink)) {
        if (clock_monotonic_ms() > give_up_ms) {
            fprintf(stderr, "load: only %" PRId64 " of %" PRId64 " deliveries came\n",
                    sink_came(sink), orders);
            return false;
        }
        usleep(PAUSE_US);
    }
    return true;
}

int64_t sink_last_answer_us(const struct sink *sink)
{
    return atomic_load(&sink->last_answer_us);
}

int64_t sink_came_us(const struct sink *sink, int64_t n)
{
    return atomic_load(&sink->came_us[n]);
}

bool sink_is_clean(const struct sink *sink)
{
    int64_t repeated = atomic_load(&sink->repeated);
    int64_t foreign = atomic_load(&sink->foreign);

    if (repeated == 0 && foreign == 0) return true;
    fprintf(stderr,
            "load: %" PRId64 " deliveries came again, and %" PRId64 " with another body or id\n",
            repeated, foreign);
    return false;
}
