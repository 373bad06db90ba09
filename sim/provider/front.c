/*
 * The port of the providers: takes a request, lets the provider do it under the lock, applies what
 * the control API has told about it, records it, and answers now, later, or never.
 */
#include "kit/base/clock.h"
#include "report.h"
#include "sim.h"
#include "sim/common/memory.h"

enum { BODY_MAX = 256 * 1024, RECORD_MAX = 2 * 1024 * 1024, ERROR_STATUS = 502 };

/* A request from its head to its answer; the user of the exchange. */
struct pending {
    struct sim *sim;
    struct arena arena;
    struct buf body;
    struct call call;
    enum ending ending;
    bool is_counted; /* in flight */
};

static struct tally *tally_of(const struct pending *pending)
{
    return &pending->sim->tallies[provider_index(pending->call.provider)];
}

/* ---- the answer ---- */

static void count_out(struct pending *pending)
{
    struct sim *sim = pending->sim;

    if (!pending->is_counted) return;
    pending->is_counted = false;
    pthread_mutex_lock(&sim->server.lock);
    tally_of(pending)->in_flight--;
    pthread_mutex_unlock(&sim->server.lock);
}

/* A call is no more in flight when its caller can know so. */
static void deliver(struct http_request *x)
{
    struct pending *pending = http_user(x);

    if (http_is_closed(x)) return;
    count_out(pending);
    answer_send(&pending->call.answer, x, pending->ending);
}

static void deliver_held(struct http_request *x)
{
    struct pending *pending = http_user(x);
    struct sim *sim = pending->sim;

    pthread_mutex_lock(&sim->server.lock);
    if (sim->server.port.is_down) pending->ending = ENDING_CUT;
    pthread_mutex_unlock(&sim->server.lock);
    deliver(x);
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

/* ---- what was told about the call ---- */

static const struct fault *told_fault(const struct call *call)
{
    const struct behaviour *told = &call->behaviour;
    enum fault_kind kind = behaviour_rows[told->kind].fault_kind;

    if (told->fault) return told->fault;
    if (told->kind == BEHAVIOUR_UNREACHABLE && call->provider->tells_unreachable) return NULL;
    return kind == FAULT_NONE ? NULL : provider_fault_of_kind(call->provider, kind);
}

static enum ending apply_behaviour(struct call *call)
{
    const struct behaviour *told = &call->behaviour;

    if (told->kind == BEHAVIOUR_SERVER_ERROR)
        answer_set_html(&call->answer, ERROR_STATUS, "502 Bad Gateway");
    if (told->kind == BEHAVIOUR_NONSENSE) {
        call->answer.status = 200;
        answer_set_nonsense(&call->answer, told->shape, "\"ok\":true,\"status\":\"OK\"");
    }
    if (told->http_status > 0) call->answer.status = told->http_status;
    if (told->kind == BEHAVIOUR_CUT_AFTER) return ENDING_CUT;
    return told->kind == BEHAVIOUR_CUT_WITHIN ? ENDING_CUT_WITHIN : ENDING_ANSWER;
}

/* ---- doing it ---- */

static const struct fault *run_method(struct call *call)
{
    const struct provider *provider = call->provider;
    const char *verb = call->request.verb;

    const struct fault *fault = provider->check_credentials(call);
    if (fault) return fault;
    if (!call->method || !strstr(call->method->verbs, verb))
        return call_fault(call, provider->unknown_method);
    if (call->request.params.is_malformed) return call_fault(call, provider->unreadable);
    return call->method->run(call);
}

static void carry_out(struct call *call)
{
    const struct fault *fault = NULL;
    const struct fault *told = told_fault(call);

    call_begin_answer(call, 200); /* for what is answered without the provider having its say */
    call_end_answer(call);
    bool is_silenced = told || call->behaviour.kind == BEHAVIOUR_SERVER_ERROR;
    if (call->behaviour.is_taken || !is_silenced) fault = run_method(call);
    if (told) fault = told;
    if (fault) call->provider->write_fault(call, fault);
}

static const char *copy_header(struct http_request *x, const char *name, struct arena *arena)
{
    struct str value = http_header_get(x, name);

    return value.data ? arena_str(arena, value) : NULL;
}

/* JSON unless the caller says that it is a form. */
static void read_params(struct request *request, struct http_request *x, struct arena *arena)
{
    struct str type = http_header_get(x, "content-type");
    bool is_form = memmem(type.data ? type.data : "", type.len, "form-urlencoded", 15) != NULL;

    params_add_query(&request->params, http_query(x), arena);
    if (request->body.len == 0) return;
    if (is_form)
        params_add_query(&request->params, request->body, arena);
    else
        params_add_json(&request->params, request->body, arena);
}

static void read_request(struct pending *pending, struct http_request *x)
{
    struct arena *arena = &pending->arena;
    struct request *request = &pending->call.request;

    request->verb = arena_str(arena, http_method(x));
    request->query = arena_str(arena, http_query(x));
    request->authorization = copy_header(x, "authorization", arena);
    request->x_authorization = copy_header(x, "x-authorization", arena);
    request->client = copy_header(x, "client", arena);
    request->body = buf_view(&pending->body);
    read_params(request, x, arena);
}

/* The recipient as the caller wrote it. */
static void find_recipient(struct call *call)
{
    const struct method *method = call->method;
    const struct param *param;

    if (!method || !method->recipient) return;
    param = params_find(&call->request.params, method->recipient);
    if (param->text) recipient_normalize(param->text, call->recipient);
}

static struct behaviour_scope scope_of(const struct call *call)
{
    struct behaviour_scope scope = {.provider = call->provider};

    if (call->method) scope.method = call->method->name;
    memcpy(scope.recipient, call->recipient, sizeof(scope.recipient));
    return scope;
}

/* Under the lock. */
static void record(struct pending *pending, struct http_request *x)
{
    const struct call *call = &pending->call;
    struct ledger *ledger = pending->sim->server.ledger;
    struct call_record record = {
        .peer = call->provider->name,
        .method = call->method ? call->method->name : "",
        .at_ms = call->now_ms,
        .had_effect = call->had_effect,
    };
    struct buf text;

    memcpy(record.subject, call->recipient, sizeof(call->recipient));
    buf_init(&text, RECORD_MAX);
    record_write(call, x, ledger_next_number(ledger), pending->ending, &text);
    ledger_add(ledger, record, &text);
}

/* Under the lock: everything but the sending of the answer. */
static void settle(struct pending *pending, struct http_request *x)
{
    struct sim *sim = pending->sim;
    struct call *call = &pending->call;
    struct behaviour_scope scope = scope_of(call);

    call->behaviour = behaviours_take(sim->rules, &scope);
    carry_out(call);
    pending->ending = apply_behaviour(call);
    if (call->wants_report) report_schedule(sim, call->send);
    tally_of(pending)->calls++;
    if (call->had_effect) tally_of(pending)->effects++;
    record(pending, x);
}

static void take(struct pending *pending, struct http_request *x)
{
    struct sim *sim = pending->sim;

    pending->call.now_ms = clock_now_ms();
    read_request(pending, x);
    find_recipient(&pending->call);
    pthread_mutex_lock(&sim->server.lock);
    settle(pending, x);
    int64_t wait_ms = pending->call.behaviour.wait_ms;
    bool is_held = wait_ms > 0 && !sim->server.port.is_down;
    if (is_held) {
        http_hold(x);
        worker_run_after(sim->server.worker, wait_ms, wake, x);
    }
    pthread_mutex_unlock(&sim->server.lock);
    if (!is_held) deliver(x);
}

/* ---- the exchange ---- */

static void count_in(struct pending *pending)
{
    struct tally *tally = tally_of(pending);

    pending->is_counted = true;
    if (++tally->in_flight > tally->in_flight_max) tally->in_flight_max = tally->in_flight;
}

/* Under the lock: whether the connection is to be cut before the request is taken. */
static bool is_cut_before(struct pending *pending)
{
    struct behaviour_scope scope = scope_of(&pending->call);

    if (!behaviours_take_cut_before(pending->sim->rules, &scope)) return false;
    tally_of(pending)->cut_before++;
    return true;
}

static void begin_call(struct pending *pending, struct str path)
{
    struct sim *sim = pending->sim;
    struct call *call = &pending->call;

    call->arena = &pending->arena;
    call->options = sim->options;
    call->sends = sim->sends;
    call->outcomes = sim->outcomes;
    call->request.path = arena_str(call->arena, (struct str){path.data + 1, path.len - 1});
    call->provider = provider_by_path(call->request.path, &call->method);
    call->balance_cents = &sim->balances[provider_index(call->provider)];
    buf_init(&call->answer.body, ANSWER_BODY_MAX);
}

static void on_head(void *arg, struct http_request *x)
{
    struct sim *sim = arg;
    struct pending *pending = memory_new(sizeof(*pending));

    pending->sim = sim;
    arena_init(&pending->arena);
    buf_init(&pending->body, BODY_MAX);
    begin_call(pending, http_path(x));
    http_set_user(x, pending);
    pthread_mutex_lock(&sim->server.lock);
    bool is_cut = is_cut_before(pending);
    if (!is_cut) count_in(pending);
    pthread_mutex_unlock(&sim->server.lock);
    if (is_cut) http_cut(x);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct pending *pending = http_user(x);

    (void)arg;
    buf_str(&pending->body, bytes);
}

static void on_end(void *arg, struct http_request *x)
{
    struct pending *pending = http_user(x);

    (void)arg;
    if (!pending->body.is_full) {
        take(pending, x);
        return;
    }
    answer_set_html(&pending->call.answer, 413, "413 Request Entity Too Large");
    answer_send(&pending->call.answer, x, ENDING_ANSWER);
}

static void on_close(void *arg, struct http_request *x)
{
    struct pending *pending = http_user(x);

    (void)arg;
    count_out(pending);
    buf_done(&pending->body);
    buf_done(&pending->call.answer.body);
    arena_done(&pending->arena);
    free(pending);
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
