/* The parts of the process start and stop here, in the order in which they need each other. */
#include "app/app.h"

#include "app/api/api_key_set.h"
#include "app/api/console.h"
#include "app/api/counts.h"
#include "app/api/dispatch.h"
#include "app/api/key_set.h"
#include "app/api/log_stream.h"
#include "app/api/parking.h"
#include "app/api/password_pool.h"
#include "app/api/phone_stream.h"
#include "app/api/pulse.h"
#include "app/api/refusals.h"
#include "app/api/routes.h"
#include "app/api/throttle.h"
#include "app/api/waiter.h"
#include "app/console/console_place.h"
#include "app/jobs/erp_worker.h"
#include "app/jobs/worker.h"
#include "app/metrics/metrics.h"
#include "app/openapi/openapi.h"
#include "app/setup/certificate.h"
#include "app/setup/channels.h"
#include "app/setup/settings_seen.h"
#include "app/setup/stores.h"
#include "domain/channel/channel_job.h"
#include "domain/erp/erp.h"
#include "domain/event/event.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/fleet/presence.h"
#include "domain/operator/operator_guard.h"
#include "domain/order/order_job.h"
#include "domain/smsgate/smsgate.h"
#include "kit/base/clock.h"
#include "kit/http/tls.h"
#include "kit/pack/pack.h"

#include <pthread.h>
#include <unistd.h>

enum {
    STOP_GRACE_MS = 20 * 1000,
    STOP_FETCHES_MS = 27 * 1000,
    STOP_MAX_S = 30,
    MIB = 1024 * 1024,
    OPENAPI_MAX = 4 * MIB,
    ADDRESSES_MAX = 4 * 1024,
    KEY_WAITERS_SHARE = 4,        /* at most one connection in so many waits for API keys */
    CONNECTIONS_SHARE_OF_ONE = 4, /* one address may have a quarter of all connections */
};

static void take_api_settings(struct app *app)
{
    bool is_list =
        http_addresses_parse(str_of(app->config->trusted_proxies), &app->api.trusted_proxies);

    assert(is_list); /* the table of settings saw to it */
    app->api.is_log_sensitive = app->config->is_log_sensitive;
}

static void wake_log_stream(void *arg)
{
    struct app *app = arg;
    if (app->api.log_stream) log_stream_wake(app->api.log_stream);
}

static bool is_issuer(const struct app *app)
{
    bool has_identity = app->role == PROCESS_SERVE || app->role == PROCESS_IDP;
    return has_identity && !app->config->jwks_url;
}

/* Returns where workload clients fetch tokens. A process that issues none knows it only by
 * HERALD_PUBLIC_URL (contract, section 7 "herald's own URL"). NULL: it is not known, or another
 * service issues them. */
static const char *token_url_of(const struct app *app)
{
    const struct config *config = app->config;
    bool is_known = is_issuer(app) || (config->public_url && !config->jwks_url);
    return is_known ? config->token_url : NULL;
}

static void print_openapi(struct app *app)
{
    const struct config *config = app->config;
    const char *token_url = token_url_of(app);
    struct openapi_info info = {
        .version = HERALD_VERSION,
        .server_url = config->public_url,
        .token_url = token_url && !config->public_url ? TOKEN_PATH : token_url,
    };
    buf_init(&app->api.openapi, OPENAPI_MAX);
    openapi_print(&app->api.routes, &info, &app->api.openapi);
    buf_init(&app->api.docs_page, OPENAPI_MAX);
    docs_page_print(&app->api.routes, &info, &app->api.docs_page);
}

/* A worker has a certificate only for its metrics. */
static enum err open_tls(struct app *app, const struct config *config, struct buf *why)
{
    bool has_listener = app->role != PROCESS_WORKER || config->metrics_listen;

    if (!config->tls_cert_file || !has_listener) return ERR_OK;
    enum err err = tls_open(config->tls_cert_file, config->tls_key_file, &app->tls, why);
    if (!err) certificate_warn(config);
    return err;
}

/* Takes the ports, so that the URLs are known before a request or a job needs them. */
static enum err open_server(struct app *app, struct config *config, struct arena *arena,
                            struct buf *why)
{
    AUTO_BUF addresses = {0};
    console_choose(config, &app->api);
    const char *listen = config->listen;
    if (app->api.console) listen = arena_printf(arena, "%s,%s", listen, config->console_listen);
    struct http_options options = {
        .listen = listen,
        .tls = app->tls,
        .loops = (int)config->loops,
        .limits = http_limits_default,
        .handler = api_handler(&app->api),
    };
    options.limits.connections_max = (int)config->connections_max;
    options.limits.connections_per_address = (int)config->connections_per_address;
    if (config->connections_per_address == CONFIG_AUTO) {
        options.limits.connections_per_address =
            options.limits.connections_max / CONNECTIONS_SHARE_OF_ONE;
        options.uncounted = &app->api.trusted_proxies;
    }

    enum err err = http_server_open(&options, &app->api.server, why);
    if (err) return err;
    buf_init(&addresses, ADDRESSES_MAX);
    http_server_addresses(app->api.server, &addresses);
    const char *bound = arena_str(arena, buf_view(&addresses));
    config_set_ports(config, bound, arena);
    app->operators.console_url = console_find_url(&app->api, bound, arena);
    return ERR_OK;
}

/* The route is added after the document is printed, since only this installation has its path. */
static void add_issuer_route(struct app *app, struct arena *arena)
{
    if (!is_issuer(app)) return;
    if (routes_of_issuer(app->tokens.issuer, arena, &app->issuer_route))
        route_list_add(
            &app->api.routes,
            &(struct route_table){.store = STORE_EXCHANGE, .rows = &app->issuer_route, .count = 1});
}

/* Metrics are told by each process, also by one that has no server else. */
static enum err start_metrics(struct app *app, struct buf *why)
{
    struct metrics_setup setup = {
        .service = &app->service, .listen = app->config->metrics_listen, .tls = app->tls};
    const struct counts *counts = app->api.counts;
    AUTO_BUF addresses = {0};

    if (counts) {
        setup.own[setup.own_count++] = &counts->requests;
        setup.own[setup.own_count++] = &counts->seconds;
        setup.own[setup.own_count++] = &counts->refusals;
        setup.own[setup.own_count++] = &counts_auth_failures;
    }
    enum err err = metrics_start(&setup, &app->api.metrics, why);
    if (err || !setup.listen) return err;
    buf_init(&addresses, ADDRESSES_MAX);
    metrics_addresses(app->api.metrics, &addresses);
    buf_char(&addresses, '\0');
    log_write(LOG_INFO, "metrics are told", LOG_FIELDS(log_plain("address", addresses.data)));
    return ERR_OK;
}

/* Makes what the server needs before its first request. */
static void prepare_api(struct app *app, struct arena *arena)
{
    print_openapi(app);
    add_issuer_route(app, arena);
    /* They are another program's, so the document does not have them. */
    if (app->role == PROCESS_SERVE || app->role == PROCESS_API)
        route_list_add(&app->api.routes, &smsgate_routes);
    if (app->api.console) console_add_routes(&app->api.routes, &app->api.console_routes);
    app->api.counts = counts_new(&app->api.routes);
}

static enum err start_api(struct app *app, struct buf *why)
{
    app->erp.refusals = erp_refusals_new(&app->service);
    app->api.throttle = throttle_new();
    app->api.waiter = waiter_start();
    if (app->api.console)
        app->api.passwords = password_pool_start(dispatch_run_again, dispatch_deliver);
    app->api.parking = parking_start(dispatch_run_again);
    db_subscribe(app->service.verification, EVENT_TOPIC, parking_wake, app->api.parking);
    db_subscribe(app->service.verification, EVENT_CONFIRMED_TOPIC, parking_wake, app->api.parking);
    app->api.refusals = refusals_new();
    app->api.log_stream =
        log_stream_new(app->service.verification, http_server_loops(app->api.server));
    app->api.phone_stream =
        phone_stream_new(app->service.verification, http_server_loops(app->api.server));
    app->api.pulse =
        pulse_new(&app->api, app->role != PROCESS_IDP /* an identity service needs no worker */);
    app->api.key_set = key_set_new(&app->service, app->config);
    app->api.api_keys =
        api_key_set_new(&app->service, (int)(app->config->connections_max / KEY_WAITERS_SHARE));
    enum err err = key_set_start(app->api.key_set, is_issuer(app), app->event_log, why);
    if (!err) err = api_key_set_start(app->api.api_keys, why);
    if (!err) err = http_server_run(app->api.server, why);
    if (err) return err;
    log_stream_serve(app->api.log_stream, app->api.server);
    phone_stream_serve(app->api.phone_stream, app->api.server);
    db_subscribe(app->service.verification, EVENT_LOG_TOPIC, wake_log_stream, app);
    pulse_start(app->api.pulse);
    return ERR_OK;
}

/* Sets the issuer of our tokens, and where they are fetched; with HERALD_JWKS_URL there are none.
 */
static void set_urls(struct app *app)
{
    const struct config *config = app->config;

    app->fleet.own_url = config->own_url;
    app->tokens.own_url = config->own_url;
    app->tokens.issuer = config->issuer ? config->issuer : config->own_url;
    app->integrations.token_url = token_url_of(app);
}

/* From its first change on, the process knows whether somebody listens. */
static void start_listening(struct app *app)
{
    app->event_listener = event_listener_start(&app->service);
    if (app->event_listener)
        db_subscribe(app->service.verification, EVENT_LISTEN_TOPIC, event_listener_wake,
                     app->event_listener);
}

static void start_publisher(struct app *app)
{
    app->webhook_worker = webhook_worker_start(&app->service, app->event_log);
    db_subscribe(app->service.verification, WEBHOOK_TOPIC, webhook_worker_wake,
                 app->webhook_worker);
    app->publisher = event_publisher_start(&app->service);
    db_subscribe(app->service.verification, EVENT_OUTBOX_TOPIC, event_publisher_wake,
                 app->publisher);
    db_subscribe(app->service.exchange, EVENT_OUTBOX_TOPIC, event_publisher_wake, app->publisher);
}

static void set_process(struct app *app)
{
    static const enum process_verb verbs[] = {[PROCESS_SERVE] = VERB_SERVE,
                                              [PROCESS_API] = VERB_API,
                                              [PROCESS_WORKER] = VERB_WORKER,
                                              [PROCESS_IDP] = VERB_IDP};

    assert(app->role <= PROCESS_IDP); /* the others are tools, which start no app */
    own_process_init(&app->process, verbs[app->role], app->config->build, clock_now_ms());
    app->service.process = &app->process;
}

static enum err check_role(const struct config *config, enum process_role role, struct buf *why)
{
    if (role != PROCESS_IDP || !config->jwks_url) return ERR_OK;
    buf_printf(why,
               "HERALD_JWKS_URL from %s names another identity service, whose tokens are taken "
               "instead of herald's own, so `herald idp` has no use. Unset it, or run only the "
               "other verbs.",
               config_source(config, "HERALD_JWKS_URL"));
    return ERR_VALIDATION;
}

/* Sets up masking, before any line logs a number or a text; it hides the root key, too. */
static void mark_masks(struct app *app)
{
    uint8_t key[MASK_KEY_LEN];

    vault_mask_key(app->service.vault, key);
    mask_set_key(key);
    secret_wipe(key, sizeof(key));
    bool are_taken =
        root_keys_replace(&app->api.root_keys, str_of(app->config->internal_keys.data));
    assert(are_taken); /* there are no others yet */
}

static enum err open_all(struct app *app, struct config *config, struct arena *arena,
                         struct buf *why)
{
    enum err err = check_role(config, app->role, why);
    if (!err) err = stores_make_vault(config, &app->service.vault, why);
    if (!err) err = channels_new(config, &app->channels, why);
    if (err) return err;
    app->key_watch = (struct key_watch){.key_file = config->secret_key_file,
                                        .is_changing = config->next_secret_key.data != NULL};
    app->service.key_watch = &app->key_watch;
    secret_done(&config->next_secret_key);
    mark_masks(app);
    app_set_rooms(app, arena);
    err = stores_open(&app->service, config, why);
    set_process(app); /* it began in store time, which the stores tell */
    mark_masks(app);  /* the database has the key of marks */
    if (!err) app->started_with = settings_look(config, app->service.vault, arena);
    if (!err) err = open_tls(app, config, why);
    if (!err && app->role != PROCESS_WORKER) err = open_server(app, config, arena, why);
    set_urls(app);
    return err;
}

/* Processes that share the work have an address each, none of which is that of the service. */
static void warn_of_url(const struct app *app)
{
    if (config_is_url_local(app->config) && app->role != PROCESS_WORKER)
        log_write(LOG_WARNING,
                  "HERALD_PUBLIC_URL is not set, and HERALD_LISTEN names all addresses, which is "
                  "none to send anybody to: herald names one that this machine alone reaches; set "
                  "HERALD_PUBLIC_URL to the one that clients use",
                  LOG_FIELDS(log_plain("url", app->config->own_url)));
    if (app->role == PROCESS_SERVE || app->config->public_url) return;
    log_write(LOG_WARNING,
              "HERALD_PUBLIC_URL is not set: this process uses its own address as that of the "
              "service, so it refuses tokens that other processes issue, and cannot tell where "
              "tokens are fetched; set it to the same value for all",
              NULL, 0);
}

static void warn_of_rivals(struct app *app)
{
    struct arena arena;
    struct work work;

    arena_init(&arena);
    work_init(&work, &app->service, &arena, clock_now_ms(), NULL);
    work.task.is_read = true;
    if (work_run(&work, app->service.exchange, integration_warn_of_rivals) == ERR_OK)
        event_log_publish(app->event_log, &work, NULL);
    arena_done(&arena);
}

static int64_t silence_of_worker(const void *arg)
{
    const struct app *app = arg;
    return worker_silence_ms(app->worker);
}

static const char *trouble_of_api(const void *arg)
{
    const struct app *app = arg;
    return pulse_trouble(app->api.pulse);
}

static void supervise(struct app *app, struct arena *arena)
{
    struct http_server *server = app->api.server;
    AUTO_BUF status = {0};

    buf_init(&status, ADDRESSES_MAX);
    buf_text(&status, server ? "listens on " : "works");
    if (server) http_server_addresses(server, &status);
    app->supervised = (struct supervisor_setup){
        .server = server,
        .worker_silence_ms = app->worker ? silence_of_worker : NULL,
        .trouble = server ? trouble_of_api : NULL,
        .status = arena_str(arena, buf_view(&status)),
        .arg = app,
    };
    app->supervisor = supervisor_start(&app->supervised);
}

enum err app_start(struct app *app, struct config *config, enum process_role role,
                   struct arena *arena, struct buf *why)
{
    *app = (struct app){.config = config, .role = role};
    atomic_init(&app->stop_began_ms, 0);
    root_keys_init(&app->api.root_keys);
    app->api.service = app->jobs.service = &app->service;
    take_api_settings(app);
    routes_of_role(role, !config->jwks_url, &app->api.routes);
    enum err err = open_all(app, config, arena, why);
    app->api.settings = config_show(config, arena);
    config_forget_secrets(config); /* each has been copied to where it is used */
    if (err) return err;
    if (!vault_forms(app->service.vault).writes_form_2)
        log_write(LOG_WARNING,
                  "sealed values still have the form of herald 0.5.0: once no process of that "
                  "version runs, run `herald migrate finish`",
                  NULL, 0);

    process_sign_on(&app->service);
    start_listening(app);
    settings_record(&app->service, app->started_with);
    warn_of_url(app);
    app->event_log = event_log_new(app->service.verification, config->is_log_sensitive);
    app->api.event_log = app->jobs.event_log = app->event_log;
    if (role == PROCESS_SERVE || role == PROCESS_WORKER) {
        warn_of_rivals(app);
        app->worker = worker_start(&app->jobs);
        app->channel_worker = channel_worker_start(&app->service, app->event_log);
        db_subscribe(app->service.verification, "job", channel_worker_wake, app->channel_worker);
        app->erp_worker = erp_worker_start(&app->jobs);
        app->order_worker = order_worker_start(&app->service, app->event_log);
        db_subscribe(app->service.exchange, ORDER_TOPIC, order_worker_wake, app->order_worker);
        start_publisher(app);
    }
    if (role != PROCESS_WORKER) prepare_api(app, arena);
    err = start_metrics(app, why);
    if (!err && role != PROCESS_WORKER) err = start_api(app, why);
    if (!err) supervise(app, arena);
    return err;
}

/* The process ends even if something hangs, such as a database: all that was acknowledged is
 * durable. */
static void *end_in_time(void *arg)
{
    (void)arg;
    sleep(STOP_MAX_S);
    log_write(LOG_WARNING, "stopped before everything had ended", NULL, 0);
    _exit(0);
}

void app_begin_stop(struct app *app)
{
    pthread_t watchdog;

    atomic_store(&app->stop_began_ms, clock_monotonic_ms());
    atomic_store(&app->api.is_ending, true);
    supervisor_stopping(app->supervisor);
    if (pthread_create(&watchdog, NULL, end_in_time, NULL) == 0) pthread_detach(watchdog);
}

void app_stop(struct app *app)
{
    if (atomic_load(&app->stop_began_ms) == 0) app_begin_stop(app);
    int64_t began_ms = atomic_load(&app->stop_began_ms);
    int grace_ms = (int)(began_ms + STOP_GRACE_MS - clock_monotonic_ms());

    atomic_store(&app->jobs.is_stopping, true);
    int64_t fetches_end_ms = began_ms + STOP_FETCHES_MS; /* the end of fetches */
    /* Requests have time to end, but a fetch that begins now would be cut. */
    order_worker_begin_no_more(app->order_worker);
    parking_stop(app->api.parking);
    if (app->api.log_stream) log_stream_serve(app->api.log_stream, NULL);
    if (app->api.phone_stream) phone_stream_serve(app->api.phone_stream, NULL);
    metrics_stop_listening(app->api.metrics);
    if (app->api.server) http_server_stop(app->api.server, grace_ms > 0 ? grace_ms : 0);
    tls_close(app->tls);
    waiter_stop(app->api.waiter);
    password_pool_stop(app->api.passwords);
    pulse_stop(app->api.pulse);
    key_set_stop(app->api.key_set);
    log_stream_stop(app->api.log_stream);
    phone_stream_stop(app->api.phone_stream);
    worker_stop(app->worker);
    order_worker_pause(app->order_worker);
    erp_worker_stop(app->erp_worker);
    channel_worker_stop(app->channel_worker, fetches_end_ms - clock_monotonic_ms());
    order_worker_stop(app->order_worker, fetches_end_ms - clock_monotonic_ms());
    event_publisher_stop(app->publisher);
    webhook_worker_stop(app->webhook_worker, fetches_end_ms - clock_monotonic_ms());
    event_listener_stop(app->event_listener);
    metrics_stop(app->api.metrics);
    process_sign_off(&app->service);
    supervisor_free(app->supervisor);
    erp_refusals_free(app->erp.refusals);
    event_log_free(app->event_log);
    stores_close(&app->service);
    pulse_free(app->api.pulse);
    key_set_free(app->api.key_set);
    api_key_set_free(app->api.api_keys);
    log_stream_free(app->api.log_stream);
    phone_stream_free(app->api.phone_stream);
    parking_free(app->api.parking);
    event_publisher_free(app->publisher);
    webhook_worker_free(app->webhook_worker);
    event_listener_free(app->event_listener);
    throttle_free(app->api.throttle);
    refusals_free(app->api.refusals);
    metrics_free(app->api.metrics);
    counts_free(app->api.counts);
    channel_worker_free(app->channel_worker);
    channels_free(app->channels);
    erp_worker_free(app->erp_worker);
    order_worker_free(app->order_worker);
    presence_free(app->fleet.presence);
    fleet_watch_free(app->fleet.watch);
    login_guard_free(app->operators.guard);
    keyring_free(app->tokens.keyring);
    pack_pool_free(app->erp.packs);
    erp_gate_free(app->erp.gate);
    erp_applying_free(app->erp.applying);
    catalog_memory_free(app->service.catalog_memory);
    vault_free(app->service.vault);
    buf_done(&app->api.openapi);
    buf_done(&app->api.docs_page);
    root_keys_done(&app->api.root_keys);
}
