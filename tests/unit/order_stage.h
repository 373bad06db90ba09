/*
 * Workers that deliver orders, and an ERP on the loopback that makes documents of them. The clock
 * is the real one: where a wait of herald's own is too long for a test, its row is moved.
 */
#pragma once

#include "domain/event_log/event_log.h"
#include "domain/order/order_body.h"
#include "domain/order/order_job.h"
#include "domain/order/order_lane.h"
#include "fetch_fixture.h"
#include "kit/fetch/networks.h"
#include "order_sample.h"
#include "world.h"

enum {
    POSTS_MAX = 4096,
    REACTIONS_MAX = 16,
    IN_FLIGHT = ORDER_FETCHES_MAX + ORDER_PROBES_MAX,
    TIMEOUT_S = 15, /* longer than what is quick takes on a busy machine */
};

#define ERP_TOKEN "the-token-of-this-erp"

/* --- The ERP ---------------------------------------------------------------------------------- */

/* The ERP reacts like this to an order. */
struct reaction {
    int status;          /* 0: 200 */
    const char *headers; /* further ones, with line ends; NULL: none */
    const char *body;    /* NULL: an acceptance with the document's number */
    bool is_slow;        /* waits until the ERP is let go */
    bool is_cut;         /* makes the document, and no answer */
    bool makes_none;     /* no document */
};

struct post {
    char key[UUID_TEXT_LEN + 1];
    char *request;
    int port; /* of the ERP's side: which worker, which integration */
};

struct erp_server {
    struct server *server;
    struct reaction first[REACTIONS_MAX]; /* of the first orders, in turn */
    int first_count;
    struct reaction then;
    atomic_int health;   /* status; 0: 200 */
    const char *refused; /* 422 where a request holds it; NULL: none */
    atomic_bool is_let_go;
    atomic_int work_us; /* how long each order takes */
    atomic_int orders, probes, at_once, at_once_max;
    pthread_mutex_t lock;
    struct post posts[POSTS_MAX];
    int post_count;
    char (*documents)[UUID_TEXT_LEN + 1]; /* by number */
    int document_count;
};

/* The number of the document; one is made unless it is there. */
static inline int make_document(struct erp_server *erp, const char *key)
{
    int number = 0;
    while (number < erp->document_count && strcmp(erp->documents[number], key) != 0)
        number++;
    if (number == erp->document_count) memcpy(erp->documents[erp->document_count++], key, 37);
    return number;
}

/* The uuid in the header. */
static inline void read_key(const char *request, char ret_key[static UUID_TEXT_LEN + 1])
{
    const char *at = strstr(request, "Idempotency-Key: ");
    snprintf(ret_key, UUID_TEXT_LEN + 1, "%.36s", at ? at + strlen("Idempotency-Key: ") : "");
}

static inline int take_order(struct erp_server *erp, const char *request, bool makes_document)
{
    char key[UUID_TEXT_LEN + 1];
    int number = -1;

    read_key(request, key);
    pthread_mutex_lock(&erp->lock);
    assert(erp->post_count < POSTS_MAX);
    struct post *post = &erp->posts[erp->post_count++];
    memcpy(post->key, key, sizeof key);
    post->request = strdup(request);
    if (makes_document) number = make_document(erp, key);
    pthread_mutex_unlock(&erp->lock);
    return number;
}

static inline void answer_erp(struct visit *visit, int status, const char *headers,
                              const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "HTTP/1.1 %d X\r\n%sContent-Length: %zu\r\n\r\n%s",
             status ? status : 200, headers ? headers : "", strlen(body), body);
    visit_send(visit, str_of(text));
}

static inline void count_at_once(struct erp_server *erp)
{
    int at_once = ++erp->at_once, most = erp->at_once_max;
    while (at_once > most && !atomic_compare_exchange_weak(&erp->at_once_max, &most, at_once))
        continue;
}

/* False: the connection is cut. */
static inline bool serve_order(struct visit *visit, struct erp_server *erp)
{
    static const struct reaction refusal = {.status = 422, .body = "", .makes_none = true};
    int turn = erp->orders++;
    const struct reaction *reaction = turn < erp->first_count ? &erp->first[turn] : &erp->then;
    char text[128];

    if (erp->refused && strstr(visit->request.data, erp->refused)) reaction = &refusal;

    count_at_once(erp);
    int number = take_order(erp, visit->request.data, !reaction->makes_none);
    while (reaction->is_slow && !erp->is_let_go && !visit->server->is_open)
        usleep(1000);
    if (erp->work_us > 0) usleep((useconds_t)erp->work_us);
    erp->at_once--;
    if (reaction->is_cut) return false;
    snprintf(text, sizeof text, "{\"accepted\":true,\"order_id\":\"d-%d\",\"number\":\"N%d\"}",
             number, number);
    answer_erp(visit, reaction->status, reaction->headers, reaction->body ? reaction->body : text);
    return true;
}

static inline void serve_erp(struct visit *visit)
{
    struct erp_server *erp = (struct erp_server *)visit->server->answer;
    bool goes_on = true;

    while (goes_on && visit_read(visit)) {
        if (strncmp(visit->request.data, "POST ", 5) == 0) {
            goes_on = serve_order(visit, erp);
        } else {
            erp->probes++;
            take_order(erp, visit->request.data, false);
            answer_erp(visit, erp->health, NULL, "{\"status\":\"ok\"}");
        }
    }
}

static inline struct erp_server *erp_start(struct reaction then)
{
    struct erp_server *erp = calloc(1, sizeof *erp);
    assert_non_null(erp);
    erp->then = then;
    erp->documents = calloc(POSTS_MAX, sizeof *erp->documents);
    assert_non_null(erp->documents);
    pthread_mutex_init(&erp->lock, NULL);
    erp->server = server_start(serve_erp, (const char *)erp);
    return erp;
}

static inline void erp_stop(struct erp_server *erp)
{
    erp->is_let_go = true;
    server_stop(erp->server);
    for (int i = 0; i < erp->post_count; i++)
        free(erp->posts[i].request);
    pthread_mutex_destroy(&erp->lock);
    free(erp->documents);
    free(erp);
}

static inline int count_documents(struct erp_server *erp)
{
    pthread_mutex_lock(&erp->lock);
    int count = erp->document_count;
    pthread_mutex_unlock(&erp->lock);
    return count;
}

/* Returns how many requests hold `text`. */
static inline int count_requests(struct erp_server *erp, const char *text)
{
    int count = 0;
    pthread_mutex_lock(&erp->lock);
    for (int i = 0; i < erp->post_count; i++)
        count += strstr(erp->posts[i].request, text) != NULL;
    pthread_mutex_unlock(&erp->lock);
    return count;
}

/* --- The stage -------------------------------------------------------------------------------- */

struct stage {
    struct world world;
    struct erp_server *erp;
    struct networks networks;
    struct event_log *event_log;
    struct order_worker *worker;
};

static inline struct order_worker *worker_start(struct stage *stage)
{
    return order_worker_start(&stage->world.service, stage->event_log);
}

static inline void worker_stop(struct order_worker **worker, int grace_ms)
{
    order_worker_stop(*worker, grace_ms);
    order_worker_free(*worker);
    *worker = NULL;
}

static inline void begin(struct stage *stage, struct store *store, struct reaction then)
{
    *stage = (struct stage){0};
    world_open(&stage->world, store);
    stage->world.now_ms = clock_now_ms();
    stage->world.integrations.may_use_http = true;
    assert_true(networks_parse(STR("loopback"), &stage->networks));
    stage->world.orders.networks = &stage->networks;
    stage->erp = erp_start(then);
    stage->event_log = event_log_new(store->db, false);
}

/* An ERP that takes connections and never answers; returns its port. `ret_fd` is to be closed. */
static inline int listen_in_silence(int *ret_fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, IN_FLIGHT), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    *ret_fd = fd;
    return ntohs(address.sin_port);
}

static inline void start(struct stage *stage)
{
    stage->worker = worker_start(stage);
}

static inline void stop(struct stage *stage)
{
    stage->erp->is_let_go = true;
    worker_stop(&stage->worker, PATIENCE_MS);
    if (stage->event_log) event_log_free(stage->event_log);
    stage->event_log = NULL;
}

static inline void end(struct stage *stage)
{
    stop(stage);
    erp_stop(stage->erp);
    world_close(&stage->world);
}

static inline void wake(struct stage *stage)
{
    if (stage->worker) order_worker_wake(stage->worker);
}

/* --- Integrations ----------------------------------------------------------------------------- */

struct integrating {
    struct uuid id;
    struct integration_input input;
    struct integration integration;
};

static inline enum err run_integrate(struct work *work, void *arg)
{
    struct integrating *step = arg;
    struct integration_refusal refusal;
    return integration_create(work, &step->id, &step->input, &step->integration, &refusal);
}

/* One whose ERP is at `port`. */
static inline struct uuid integrate_at(struct stage *stage, int port, int timeout_s)
{
    struct erp_input erp = {
        .base_url = arena_printf(stage->world.arena, "http://127.0.0.1:%d", port),
        .token = ERP_TOKEN,
        .timeout_seconds = timeout_s,
    };
    struct integrating step = {
        .id = uuid_new(stage->world.now_ms),
        .input = {.tenant_id = uuid_new(stage->world.now_ms), .name = "shop", .erp = &erp}};
    assert_true(uuid_parse(STR(SAMPLE_POINT), &step.input.point_id));
    assert_ok(world_run(&stage->world, run_integrate, &step));
    return step.id;
}

static inline struct uuid integrate(struct stage *stage)
{
    return integrate_at(stage, stage->erp->server->port, TIMEOUT_S);
}

struct changing {
    struct uuid id;
    struct integration_change change;
};

static inline enum err run_change(struct work *work, void *arg)
{
    struct changing *step = arg;
    struct integration integration;
    struct integration_refusal refusal;
    return integration_change(work, &step->id, &step->change, &integration, &refusal);
}

static inline void set_enabled(struct stage *stage, const struct uuid *id, bool is_enabled)
{
    struct changing step = {*id, {.enabled = is_enabled}};
    assert_ok(world_run(&stage->world, run_change, &step));
}

/* --- Orders ----------------------------------------------------------------------------------- */

struct ordering {
    struct uuid integration_id;
    struct order order;
    int count;
    struct uuid first;
};

static inline enum err run_order(struct work *work, void *arg)
{
    struct ordering *step = arg;
    enum err err = ERR_OK;
    for (int i = 0; !err && i < step->count; i++) {
        struct order_delivery delivery;
        struct record_fault fault;
        struct uuid id = uuid_new(work->now_ms);
        struct order_input input = {step->integration_id, &step->order};
        err = order_create(work, &id, &input, &delivery, &fault);
        if (i == 0) step->first = id;
    }
    return err;
}

/* `count` orders with this number for people; the id of the first one. */
static inline struct uuid order_numbered(struct stage *stage, const struct uuid *integration_id,
                                         int count, const char *number)
{
    struct ordering step = {.integration_id = *integration_id, .count = count};
    assert_string_equal(decode_order(stage->world.arena, SAMPLE_ORDER, &step.order), "");
    step.order.id = (struct uuid){0};
    step.order.number = number;
    stage->world.now_ms = clock_now_ms();
    assert_ok(world_run(&stage->world, run_order, &step));
    wake(stage);
    return step.first;
}

static inline struct uuid order_some(struct stage *stage, const struct uuid *integration_id,
                                     int count)
{
    return order_numbered(stage, integration_id, count, "A-1042");
}

static inline struct uuid order_one(struct stage *stage, const struct uuid *integration_id)
{
    return order_some(stage, integration_id, 1);
}

struct asking {
    struct uuid id;
    struct order_delivery delivery;
    struct order_attempt_list attempts;
};

static inline enum err run_ask(struct work *work, void *arg)
{
    struct asking *step = arg;
    enum err err = order_read(work, &step->id, &step->delivery);
    return err ? err
               : order_list_attempts(work, &step->id, &(struct page_query){.limit = 100},
                                     &step->attempts);
}

static inline struct order_delivery delivery_of(struct stage *stage, const struct uuid *id)
{
    struct asking step = {.id = *id};
    assert_ok(world_read(&stage->world, run_ask, &step));
    return step.delivery;
}

/* The attempt with this number, which is there. */
static inline struct order_attempt attempt_of(struct stage *stage, const struct uuid *id,
                                              size_t number)
{
    struct asking step = {.id = *id};
    assert_ok(world_read(&stage->world, run_ask, &step));
    assert_true(step.attempts.attempts.count >= number);
    struct order_attempt attempt =
        ((const struct order_attempt *)step.attempts.attempts.items)[number - 1];
    assert_int_equal(attempt.attempt, number);
    return attempt;
}

static inline enum err run_retry(struct work *work, void *arg)
{
    return order_retry(work, arg);
}

static inline void retry(struct stage *stage, struct uuid id)
{
    stage->world.now_ms = clock_now_ms();
    assert_ok(world_run(&stage->world, run_retry, &id));
    wake(stage);
}

/* --- The database ----------------------------------------------------------------------------- */

static inline enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

static inline void sql(struct stage *stage, const char *text)
{
    assert_ok(world_run(&stage->world, run_sql, (void *)text));
}

static inline int64_t count_of(struct stage *stage, const char *where)
{
    return store_number(stage->world.store,
                        arena_printf(stage->world.arena, "SELECT COUNT(*) AS n FROM %s", where));
}

/* Until `where` holds for that many rows. */
static inline void await_count(struct stage *stage, const char *where, int64_t count)
{
    int64_t end_ms = clock_monotonic_ms() + 3 * PATIENCE_MS, seen;
    while ((seen = count_of(stage, where)) != count) {
        if (clock_monotonic_ms() > end_ms)
            fail_msg("%s: %lld, not %lld", where, (long long)seen, (long long)count);
        sleep_ms(5);
    }
}

static inline void await_state(struct stage *stage, const char *state, int64_t count)
{
    await_count(stage, arena_printf(stage->world.arena, "order_delivery WHERE state = '%s'", state),
                count);
}

static inline void await_number(const atomic_int *number, int least)
{
    int64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (*number < least) {
        if (clock_monotonic_ms() > end_ms) fail_msg("%d, not %d", *number, least);
        sleep_ms(2);
    }
}

/* Attempts that have ended and will be made again, later. */
static inline void await_retry(struct stage *stage, int64_t attempts)
{
    await_count(stage,
                arena_printf(stage->world.arena,
                             "order_delivery WHERE state = 'queued' AND attempts = %lld",
                             (long long)attempts),
                1);
}

/* As another worker would. */
static inline void hold_lanes(struct stage *stage)
{
    sql(stage, arena_printf(stage->world.arena,
                            "UPDATE order_lane SET holder = integration_id, held_until = %lld",
                            (long long)clock_now_ms() + ORDER_LANE_LEASE_MS));
}

/* Makes due what waits for its next attempt. */
static inline void hurry(struct stage *stage)
{
    sql(stage, "UPDATE order_delivery SET due_at = 1 WHERE state = 'queued'");
    wake(stage);
}

/* The same for the ERPs that are to be asked. */
static inline void the_clock_is_at_the_probe(struct stage *stage)
{
    sql(stage, "UPDATE order_lane SET probe_at = 1 WHERE probe_at IS NOT NULL");
    hurry(stage);
}

/* Entries of the log, with the worker and the log stopped. */
static inline int64_t count_said(struct stage *stage, const char *words)
{
    return count_of(
        stage, arena_printf(stage->world.arena, "log_entry WHERE message LIKE '%%%s%%'", words));
}
