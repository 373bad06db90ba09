/*
 * The port of the providers: takes a request, lets the provider do it under the lock, applies what
 * the control API has told about it, records it, and answers now, later, or never.
 */
#include "kit/base/clock.h"
#include "report.h"
#include "sim.h"

#include <stdlib.h>

enum {
    BODY_MAX = 256 * 1024,
    RECORD_MAX = 2 * 1024 * 1024,
    ERROR_STATUS = 502,
    HUGE_BYTES = 8 * 1024 * 1024,
};

/* A request from its head to its answer; the user of its exchange. */
struct visit {
    struct sim *sim;
    struct arena arena;
    struct buf body;
    const char *path; /* without the first slash */
    const struct provider *provider;
    const struct method *method; /* NULL: unknown */
    struct answer answer;
    enum ending ending;
    bool is_counted; /* in flight */
};

/* ---- the answer ---- */

static void reply(struct http_exchange *x, struct answer *answer)
{
    struct http_header headers[ANSWER_HEADERS_MAX + 1];
    size_t count = 0;

    headers[count++] = (struct http_header){STR("Content-Type"), str_of(answer->content_type)};
    for (size_t i = 0; i < answer->header_count; i++)
        headers[count++] =
            (struct http_header){str_of(answer->headers[i].name), str_of(answer->headers[i].value)};
    http_reply(x, answer->status, headers, count, &answer->body);
}

static void reply_half(struct http_exchange *x, const struct answer *answer)
{
    const struct http_header type = {STR("Content-Type"), str_of(answer->content_type)};

    http_stream_begin(x, answer->status, &type, 1);
    http_stream_write(x, (struct str){answer->body.data, answer->body.len / 2});
    http_cut(x);
}

static void count_out(struct visit *visit)
{
    struct sim *sim = visit->sim;

    if (!visit->is_counted) return;
    visit->is_counted = false;
    pthread_mutex_lock(&sim->lock);
    sim->tallies[provider_index(visit->provider)].in_flight--;
    pthread_mutex_unlock(&sim->lock);
}

/* A call is no more in flight when its caller can know so. */
static void deliver(struct http_exchange *x)
{
    struct visit *visit = http_user(x);

    if (http_is_closed(x)) return;
    count_out(visit);
    switch (visit->ending) {
    case ENDING_ANSWER:
        reply(x, &visit->answer);
        return;
    case ENDING_CUT:
        http_cut(x);
        return;
    case ENDING_CUT_WITHIN:
        reply_half(x, &visit->answer);
        return;
    }
}

static void deliver_held(struct http_exchange *x)
{
    struct visit *visit = http_user(x);
    struct sim *sim = visit->sim;

    pthread_mutex_lock(&sim->lock);
    if (sim->port.is_down) visit->ending = ENDING_CUT;
    pthread_mutex_unlock(&sim->lock);
    deliver(x);
    http_release(x);
}

/* On the thread of errands. */
static void wake(void *x)
{
    http_defer(x, deliver_held);
}

void front_rush(struct sim *sim)
{
    errands_rush(sim->errands, wake);
}

/* ---- what was told about the call ---- */

static const struct fault *ordered_fault(const struct deal *deal)
{
    static const struct {
        enum deed deed;
        enum fault_kind kind;
    } rows[] = {
        {DEED_RATE_LIMIT, FAULT_RATE},
        {DEED_WRONG_CREDENTIALS, FAULT_CREDENTIALS},
        {DEED_NO_BALANCE, FAULT_BALANCE},
        {DEED_UNREACHABLE, FAULT_RECIPIENT},
    };
    enum deed deed = deal->order.deed;

    if (deed == DEED_FAULT) return deal->order.fault;
    if (deed == DEED_UNREACHABLE && deal->provider->tells_unreachable) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].deed == deed) return provider_fault_of_kind(deal->provider, rows[i].kind);
    }
    return NULL;
}

static void answer_html(struct answer *answer, int status, const char *title)
{
    buf_clear(&answer->body);
    answer->header_count = 0;
    answer->status = status;
    answer->content_type = "text/html";
    buf_printf(&answer->body,
               "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%s</h1></center>"
               "\r\n</body>\r\n</html>\r\n",
               title, title);
}

static void append_filling(struct buf *body)
{
    buf_text(body, "{\"ok\":true,\"status\":\"OK\",\"filling\":\"");
    char *room = buf_reserve(body, HUGE_BYTES);
    if (room) memset(room, 'x', HUGE_BYTES);
    buf_text(body, "\"}");
}

static void make_nonsense(struct answer *answer, enum shape shape)
{
    switch (shape) {
    case SHAPE_HTML:
        answer_html(answer, 200, "Welcome");
        return;
    case SHAPE_TRUNCATED:
        answer->body.len /= 2;
        return;
    case SHAPE_HUGE:
        buf_clear(&answer->body);
        append_filling(&answer->body);
        return;
    case SHAPE_EMPTY:
        buf_clear(&answer->body);
        return;
    case SHAPE_OTHER_JSON:
        buf_clear(&answer->body);
        buf_text(&answer->body, "[1, \"two\", null]");
        return;
    case SHAPE_COUNT:
        break;
    }
    abort();
}

static enum ending disguise(struct deal *deal)
{
    enum ending ending = ENDING_ANSWER;

    if (deal->order.deed == DEED_SERVER_ERROR)
        answer_html(&deal->answer, ERROR_STATUS, "502 Bad Gateway");
    if (deal->order.deed == DEED_NONSENSE) {
        deal->answer.status = 200;
        make_nonsense(&deal->answer, deal->order.shape);
    }
    if (deal->order.http_status > 0) deal->answer.status = deal->order.http_status;
    if (deal->order.deed == DEED_CUT_AFTER) ending = ENDING_CUT;
    if (deal->order.deed == DEED_CUT_WITHIN) ending = ENDING_CUT_WITHIN;
    return ending;
}

/* ---- doing it ---- */

static const struct fault *run_method(struct deal *deal)
{
    const struct provider *provider = deal->provider;
    const char *verb = deal->request.verb;

    const struct fault *fault = provider->check_credentials(deal);
    if (fault) return fault;
    if (!deal->method || !strstr(deal->method->verbs, verb))
        return deal_fault(deal, provider->unknown_method);
    if (deal->request.params.is_malformed) return deal_fault(deal, provider->unreadable);
    return deal->method->run(deal);
}

static void carry_out(struct deal *deal)
{
    const struct fault *fault = NULL;
    const struct fault *ordered = ordered_fault(deal);

    deal_begin_answer(deal, 200); /* for what is answered without the provider having its say */
    deal_end_answer(deal);
    bool is_silenced = ordered || deal->order.deed == DEED_SERVER_ERROR;
    if (deal->order.is_taken || !is_silenced) fault = run_method(deal);
    if (ordered) fault = ordered;
    if (fault) deal->provider->write_fault(deal, fault);
}

static const char *copy_header(struct http_exchange *x, const char *name, struct arena *arena)
{
    struct str value = http_header_get(x, name);

    return value.data ? arena_str(arena, value) : NULL;
}

/* JSON unless the caller says that it is a form. */
static void read_params(struct request *request, struct http_exchange *x, struct arena *arena)
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

static void read_request(struct visit *visit, struct http_exchange *x, struct request *request)
{
    struct arena *arena = &visit->arena;

    request->verb = arena_str(arena, http_method(x));
    request->path = visit->path;
    request->query = arena_str(arena, http_query(x));
    request->authorization = copy_header(x, "authorization", arena);
    request->x_authorization = copy_header(x, "x-authorization", arena);
    request->client = copy_header(x, "client", arena);
    request->body = buf_view(&visit->body);
    read_params(request, x, arena);
}

/* The recipient as the caller wrote it. */
static void find_recipient(struct deal *deal)
{
    const struct method *method = deal->method;
    const struct param *param;

    if (!method || !method->recipient) return;
    param = params_find(&deal->request.params, method->recipient);
    if (param->text) recipient_normalize(param->text, deal->recipient);
}

static struct order_scope scope_of(const struct deal *deal)
{
    struct order_scope scope = {.provider = deal->provider};

    if (deal->method) scope.method = deal->method->name;
    memcpy(scope.recipient, deal->recipient, sizeof(scope.recipient));
    return scope;
}

/* Under the lock: everything but the sending of the answer. */
static void settle(struct visit *visit, struct http_exchange *x, struct deal *deal)
{
    struct sim *sim = visit->sim;
    struct order_scope scope = scope_of(deal);
    struct tally *tally = &sim->tallies[provider_index(deal->provider)];
    struct call call = {.peer = deal->provider->name, .at_ms = deal->now_ms};
    struct buf record;

    deal->order = orders_take(sim->orders, &scope);
    carry_out(deal);
    visit->ending = disguise(deal);
    if (deal->wants_report) report_schedule(sim, deal->send);
    tally->calls++;
    if (deal->had_effect) tally->effects++;
    buf_init(&record, RECORD_MAX);
    record_write(deal, x, ledger_next_number(sim->ledger), visit->ending, &record);
    call.method = deal->method ? deal->method->name : "";
    call.had_effect = deal->had_effect;
    memcpy(call.subject, deal->recipient, sizeof(deal->recipient));
    ledger_add(sim->ledger, call, &record);
}

static void take(struct visit *visit, struct http_exchange *x)
{
    struct sim *sim = visit->sim;
    struct deal deal = {
        .arena = &visit->arena,
        .options = sim->options,
        .sends = sim->sends,
        .outcomes = sim->outcomes,
        .balance_cents = &sim->balances[provider_index(visit->provider)],
        .now_ms = clock_now_ms(),
        .provider = visit->provider,
        .method = visit->method,
    };

    buf_init(&deal.answer.body, ANSWER_BODY_MAX);
    read_request(visit, x, &deal.request);
    find_recipient(&deal);
    pthread_mutex_lock(&sim->lock);
    settle(visit, x, &deal);
    visit->answer = deal.answer;
    bool is_held = deal.order.wait_ms > 0 && !sim->port.is_down;
    if (is_held) {
        http_hold(x);
        errands_after(sim->errands, deal.order.wait_ms, wake, x);
    }
    pthread_mutex_unlock(&sim->lock);
    if (!is_held) deliver(x);
}

/* ---- the exchange ---- */

static void count_in(struct visit *visit)
{
    struct sim *sim = visit->sim;
    struct tally *tally = &sim->tallies[provider_index(visit->provider)];

    visit->is_counted = true;
    if (++tally->in_flight > tally->in_flight_max) tally->in_flight_max = tally->in_flight;
}

/* Under the lock: whether the connection is to be cut before the request is taken. */
static bool is_cut_before(struct visit *visit)
{
    struct order_scope scope = {.provider = visit->provider};

    if (visit->method) scope.method = visit->method->name;
    if (!orders_take_cut_before(visit->sim->orders, &scope)) return false;
    visit->sim->tallies[provider_index(visit->provider)].cut_before++;
    return true;
}

static void on_head(void *arg, struct http_exchange *x)
{
    struct sim *sim = arg;
    struct visit *visit = calloc(1, sizeof(*visit));
    struct str path = http_path(x);

    if (!visit) abort();
    visit->sim = sim;
    arena_init(&visit->arena);
    buf_init(&visit->body, BODY_MAX);
    http_set_user(x, visit);
    visit->path = arena_str(&visit->arena, (struct str){path.data + 1, path.len - 1});
    visit->provider = provider_by_path(visit->path, &visit->method);
    pthread_mutex_lock(&sim->lock);
    bool is_cut = is_cut_before(visit);
    if (!is_cut) count_in(visit);
    pthread_mutex_unlock(&sim->lock);
    if (is_cut) http_cut(x);
}

static void on_body(void *arg, struct http_exchange *x, struct str bytes)
{
    struct visit *visit = http_user(x);

    (void)arg;
    buf_str(&visit->body, bytes);
}

static void on_end(void *arg, struct http_exchange *x)
{
    struct visit *visit = http_user(x);

    (void)arg;
    if (!visit->body.is_full) {
        take(visit, x);
        return;
    }
    buf_init(&visit->answer.body, BODY_MAX);
    answer_html(&visit->answer, 413, "413 Request Entity Too Large");
    reply(x, &visit->answer);
}

static void on_close(void *arg, struct http_exchange *x)
{
    struct visit *visit = http_user(x);

    (void)arg;
    count_out(visit);
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
    (void)arg, (void)request_id;
    buf_printf(body, "{\"error\":\"%s\"}", err_info(err)->code);
}

struct http_handler front_handler(struct sim *sim)
{
    return (struct http_handler){on_head, on_body, on_end, on_close, on_drain, render_error, sim};
}
