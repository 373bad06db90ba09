/*
 * A worker of sends, and a server on the loopback that answers as a provider does. The clock is the
 * real one: where a wait of herald's own is too long for a test, its row is moved.
 */
#pragma once

#include "channel_scene.h"
#include "domain/channel/channel_worker.h"
#include "domain/event_log/event_log.h"
#include "fetch_fixture.h"

enum {
    TTL_MS = 5 * MINUTE_MS,
    CALLS_MAX = 1024,
};

#define TELEGRAM_GATEWAY_OK \
    "{\"ok\":true,\"result\":{\"request_id\":\"g-1\",\"phone_number\":\"x\"}}"
#define UCALLER_OK "{\"status\":true,\"ucaller_id\":103000,\"code\":\"0042\"}"
#define TELEGRAM_GATEWAY_STATUS(word)                                                         \
    "{\"ok\":true,\"result\":{\"request_id\":\"g-1\",\"delivery_status\":{\"status\":\"" word \
    "\"}}}"
#define BOT_OK        "{\"ok\":true,\"result\":{\"message_id\":7}}"
#define BOT_ME        "{\"ok\":true,\"result\":{\"id\":1,\"is_bot\":true}}"
#define BOT_REFUSAL   "{\"ok\":false,\"error_code\":401,\"description\":\"Unauthorized\"}"
#define REFUSAL(name) "{\"ok\":false,\"error\":\"" name "\"}"

/* --- The provider --- */

/* The provider reacts like this to a send. */
struct reaction {
    int status;       /* 0: 200 */
    const char *body; /* NULL: the connection is cut */
    bool is_slow;     /* waits until the provider is let go */
};

struct provider {
    struct reaction first; /* of the first `first_count` sends */
    struct reaction then;
    atomic_int first_count;
    bool is_ucaller_well; /* whatever the reactions say */
    /* The answers to the other fetches from Telegram Gateway and the bot. */
    _Atomic(const char *) ability, status, me;
    atomic_bool is_me_slow;
    atomic_bool is_let_go;
    atomic_int sends, at_once, at_once_max;
    pthread_mutex_t lock;
    char *requests[CALLS_MAX]; /* whole, of all methods */
    int request_count;
};

static inline void keep_request(struct provider *provider, const char *request)
{
    pthread_mutex_lock(&provider->lock);
    assert(provider->request_count < CALLS_MAX);
    provider->requests[provider->request_count++] = strdup(request);
    pthread_mutex_unlock(&provider->lock);
}

/* Returns how many requests hold `text`. */
static inline int count_requests(struct provider *provider, const char *text)
{
    int count = 0;
    pthread_mutex_lock(&provider->lock);
    for (int i = 0; i < provider->request_count; i++)
        count += strstr(provider->requests[i], text) != NULL;
    pthread_mutex_unlock(&provider->lock);
    return count;
}

static inline void count_at_once(struct provider *provider)
{
    int at_once = ++provider->at_once, most = provider->at_once_max;
    while (at_once > most && !atomic_compare_exchange_weak(&provider->at_once_max, &most, at_once))
        continue;
}

static inline void answer_with(struct visit *visit, int status, const char *body)
{
    char text[512];
    snprintf(text, sizeof text, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n%s",
             status ? status : 200, strlen(body), body);
    visit_send(visit, str_of(text));
}

/* False: the connection is cut. */
static inline bool react(struct visit *visit, struct provider *provider)
{
    bool is_first = ++provider->sends <= provider->first_count;
    const struct reaction *reaction = is_first ? &provider->first : &provider->then;

    count_at_once(provider);
    while (reaction->is_slow && !provider->is_let_go && !visit->server->is_open)
        usleep(1000);
    provider->at_once--;
    if (reaction->body) answer_with(visit, reaction->status, reaction->body);
    return reaction->body;
}

/* NULL: it is no send. */
static inline const char *answer_of(struct provider *provider, const char *request)
{
    if (provider->is_ucaller_well && strstr(request, "/initCall ")) return UCALLER_OK;
    if (strstr(request, "/checkSendAbility ")) return provider->ability;
    if (strstr(request, "/checkVerificationStatus ")) return provider->status;
    if (strstr(request, "/getMe ")) return provider->me;
    bool is_send = strstr(request, "/sendVerificationMessage ") || strstr(request, "/initCall ") ||
                   strstr(request, "/sendMessage ");
    return is_send ? NULL : TELEGRAM_GATEWAY_OK;
}

static inline void serve_provider(struct visit *visit)
{
    struct provider *provider = (struct provider *)visit->server->answer;
    bool goes_on = true;

    while (goes_on && visit_read(visit)) {
        const char *request = visit->request.data;
        keep_request(provider, request);
        const char *answer = answer_of(provider, request);
        bool is_slow = provider->is_me_slow && strstr(request, "/getMe ");
        while (is_slow && !provider->is_let_go && !visit->server->is_open)
            usleep(1000);
        if (answer)
            answer_with(visit, 200, answer);
        else
            goes_on = react(visit, provider);
    }
}

/* --- The stage --- */

struct stage {
    struct channel_scene scene;
    struct provider provider;
    struct server *server;
    struct secret token;
    char base_url[64];
    struct event_log *event_log;
    struct channel_worker *worker;
};

static inline void set_up_driver(struct stage *stage, enum channel channel,
                                 const struct channel_driver *driver)
{
    struct channel_setup *setup = &stage->scene.setups[channel];
    setup->driver = driver;
    setup->config = (struct driver_config){
        .base_url = stage->base_url,
        .token = &stage->token,
        .service_id = "1",
        .route = {.connect_timeout_ms = 5000, .timeout_ms = PATIENCE_MS},
    };
}

static inline void begin(struct stage *stage, struct store *store, struct reaction then)
{
    *stage = (struct stage){0};
    scene_open(&stage->scene, store);
    stage->scene.world.now_ms = clock_now_ms();
    stage->provider.then = then;
    stage->provider.ability = stage->provider.status = TELEGRAM_GATEWAY_OK;
    stage->provider.me = BOT_ME;
    pthread_mutex_init(&stage->provider.lock, NULL);
    stage->server = server_start(serve_provider, (const char *)&stage->provider);
    snprintf(stage->base_url, sizeof stage->base_url, "%.*s",
             (int)(strrchr(stage->server->url, '/') - stage->server->url), stage->server->url);
    secret_init(&stage->token, STR("token"));
    set_up_driver(stage, CHANNEL_FLASH_CALL, &driver_ucaller);
    set_up_driver(stage, CHANNEL_MESSENGER_GATEWAY, &driver_telegram_gateway);
    stage->event_log = event_log_new(store->db, false);
}

static inline void start_worker(struct stage *stage)
{
    stage->worker = channel_worker_start(&stage->scene.world.service, stage->event_log);
}

static inline void stop_worker(struct stage *stage, int grace_ms)
{
    channel_worker_stop(stage->worker, grace_ms);
    channel_worker_free(stage->worker);
    stage->worker = NULL;
}

static inline void end(struct stage *stage)
{
    stage->provider.is_let_go = true;
    stop_worker(stage, PATIENCE_MS);
    event_log_free(stage->event_log);
    server_stop(stage->server);
    for (int i = 0; i < stage->provider.request_count; i++)
        free(stage->provider.requests[i]);
    pthread_mutex_destroy(&stage->provider.lock);
    secret_done(&stage->token);
    scene_close(&stage->scene);
}

static inline void queue(struct stage *stage, enum channel channel, int first, int count)
{
    scene_queue(&stage->scene, channel, first, count, TTL_MS);
    if (stage->worker) channel_worker_wake(stage->worker);
}

/* Until `where` holds for that many rows. */
static inline void await_count(struct stage *stage, const char *where, int64_t count)
{
    int64_t end_ms = clock_monotonic_ms() + PATIENCE_MS, seen;
    while ((seen = scene_count(&stage->scene, where)) != count) {
        if (clock_monotonic_ms() > end_ms)
            fail_msg("%s: %lld, not %lld", where, (long long)seen, (long long)count);
        sleep_ms(5);
    }
}

static inline void await_requests(struct stage *stage, const char *text, int count)
{
    int64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (count_requests(&stage->provider, text) != count) {
        if (clock_monotonic_ms() > end_ms)
            fail_msg("%s: %d requests, not %d", text, count_requests(&stage->provider, text),
                     count);
        sleep_ms(5);
    }
}

static inline void the_clock_is_at_the_probe(struct stage *stage, enum channel channel)
{
    pthread_mutex_lock(&stage->worker->fetcher.lock);
    assert_true(stage->worker->lanes[channel].circuit.probe_at > 0);
    stage->worker->lanes[channel].circuit.probe_at = clock_monotonic_ms();
    pthread_mutex_unlock(&stage->worker->fetcher.lock);
}

/* Jobs have waited for so long that nobody can have a driver for them. */
static inline void nobody_serves(struct stage *stage)
{
    const char *sql = arena_printf(
        stage->scene.world.arena, "UPDATE job SET due_at_ms = due_at_ms - %d", CHANNEL_UNSERVED_MS);
    scene_sql(&stage->scene, sql);
}

/* Makes due at once what waits for a later time. */
static inline void hurry(struct stage *stage)
{
    scene_sql(&stage->scene, "UPDATE job SET due_at_ms = 1 WHERE lease_id IS NULL");
    channel_worker_wake(stage->worker);
}
