/* The port: takes a delivery, checks and records it, and answers now, later, or never. */
#include "kit/base/clock.h"
#include "sim.h"
#include "sim/common/answer.h"
#include "sim/common/memory.h"
#include "sim/common/wire_text.h"

enum { BODY_MAX = 256 * 1024, RECORD_MAX = 2 * 1024 * 1024, ANSWER_MAX = 2 * 1024 * 1024 };

/* A request from its head to its answer; the user of the exchange. */
struct delivery {
    struct sim *sim;
    struct arena arena;
    struct buf body;
    struct answer answer;
    enum ending ending;
    struct behaviour behaviour;
};

/* ---- the answer ---- */

static void deliver_held(struct http_request *x)
{
    struct delivery *delivery = http_user(x);
    struct sim *sim = delivery->sim;

    pthread_mutex_lock(&sim->server.lock);
    if (sim->server.port.is_down) delivery->ending = ENDING_CUT;
    pthread_mutex_unlock(&sim->server.lock);
    if (!http_is_closed(x)) answer_send(&delivery->answer, x, delivery->ending);
    http_release(x);
}

/* On the worker's thread. */
static void wake(void *x)
{
    http_defer(x, deliver_held);
}

void front_flush(struct sim *sim)
{
    worker_run_now(sim->server.worker, wake);
}

static void write_answer(struct delivery *delivery)
{
    static const enum ending endings[BEHAVIOUR_COUNT] = {
        [BEHAVIOUR_CUT] = ENDING_CUT,
        [BEHAVIOUR_CUT_WITHIN] = ENDING_CUT_WITHIN,
    };
    struct answer *answer = &delivery->answer;
    const struct behaviour *told = &delivery->behaviour;
    struct json_writer json = answer_begin(answer, told->http_status);

    json_object_end(&json);
    if (told->kind == BEHAVIOUR_WRONG) answer_set_html(answer, told->http_status, "Oops");
    if (told->kind == BEHAVIOUR_BUSY) answer_add_header(answer, "Retry-After", "1");
    if (told->kind == BEHAVIOUR_REDIRECT) answer_add_header(answer, "Location", "/redirected");
    if (told->kind == BEHAVIOUR_HUGE) answer_pad(answer, ' ', 1024 * 1024);
    delivery->ending = endings[told->kind];
}

/* ---- the record ---- */

static void put_header(struct json_writer *json, struct http_request *x, const char *name,
                       struct arena *arena)
{
    struct str value = http_header_get(x, name);
    if (value.data) wire_text_put(json, name, value, arena);
}

/* Under the lock. */
static void record(struct delivery *delivery, struct http_request *x, int64_t now_ms)
{
    static const char *const names[] = {"webhook-id", "webhook-timestamp", "webhook-signature",
                                        "content-type", "user-agent"};
    struct ledger *ledger = delivery->sim->server.ledger;
    struct str body = buf_view(&delivery->body), id = http_header_get(x, "webhook-id");
    struct call_record call = {.method = verify(delivery->sim, x, body), .at_ms = now_ms};
    struct json_writer json;
    struct buf text;

    buf_init(&text, RECORD_MAX);
    json_writer_init(&json, &text);
    json_object_begin(&json);
    json_put_int(&json, "id", (int64_t)ledger_next_number(ledger));
    json_put_text(&json, "verdict", call.method);
    json_put_int(&json, "at_ms", now_ms);
    wire_text_put(&json, "path", http_path(x), &delivery->arena);
    wire_text_put(&json, "webhook_id", id, &delivery->arena);
    json_put_text(&json, "behaviour", behaviour_words[delivery->behaviour.kind]);
    json_key(&json, "headers");
    json_object_begin(&json);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_header(&json, x, names[i], &delivery->arena);
    json_object_end(&json);
    wire_text_put(&json, "body", body, &delivery->arena);
    json_object_end(&json);
    if (id.len <= LEDGER_SUBJECT_MAX) memcpy(call.subject, id.data ? id.data : "", id.len);
    ledger_add(ledger, call, &text);
}

/* ---- the exchange ---- */

static void take(struct delivery *delivery, struct http_request *x)
{
    struct sim *sim = delivery->sim;
    int64_t now_ms = clock_now_ms();

    pthread_mutex_lock(&sim->server.lock);
    delivery->behaviour = behaviours_take(sim, now_ms);
    record(delivery, x, now_ms);
    write_answer(delivery);
    bool is_held = delivery->behaviour.wait_ms > 0 && !sim->server.port.is_down;
    if (is_held) {
        http_hold(x);
        worker_run_after(sim->server.worker, delivery->behaviour.wait_ms, wake, x);
    }
    pthread_mutex_unlock(&sim->server.lock);
    if (!is_held) answer_send(&delivery->answer, x, delivery->ending);
}

static void on_head(void *arg, struct http_request *x)
{
    struct delivery *delivery = memory_new(sizeof(*delivery));

    delivery->sim = arg;
    arena_init(&delivery->arena);
    buf_init(&delivery->body, BODY_MAX);
    buf_init(&delivery->answer.body, ANSWER_MAX);
    http_set_user(x, delivery);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct delivery *delivery = http_user(x);

    (void)arg;
    buf_str(&delivery->body, bytes);
}

static void on_end(void *arg, struct http_request *x)
{
    struct delivery *delivery = http_user(x);

    (void)arg;
    if (!delivery->body.is_full) {
        take(delivery, x);
        return;
    }
    answer_set_html(&delivery->answer, 413, "413 Request Entity Too Large");
    answer_send(&delivery->answer, x, ENDING_ANSWER);
}

static void on_close(void *arg, struct http_request *x)
{
    struct delivery *delivery = http_user(x);

    (void)arg;
    buf_done(&delivery->body);
    buf_done(&delivery->answer.body);
    arena_done(&delivery->arena);
    free(delivery);
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg, (void)request_id;
    buf_printf(body, "{\"error\":\"%s\"}", err_info(err)->code);
}

struct http_handler front_handler(struct sim *sim)
{
    return (struct http_handler){on_head, on_body, on_end, on_close, NULL, render_error, sim};
}
