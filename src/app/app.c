/* The parts of the process start and stop here, in the order in which they need each other. */
#include "app/app.h"

#include "app/api/key_set.h"
#include "app/api/log_stream.h"
#include "app/api/pulse.h"
#include "app/api/routes.h"
#include "app/api/throttle.h"
#include "app/jobs/erp_worker.h"
#include "app/jobs/worker.h"
#include "app/openapi/openapi.h"
#include "app/setup/channels.h"
#include "app/setup/stores.h"
#include "domain/catalog/catalog.h"
#include "domain/channel/channel_job.h"
#include "domain/erp/erp.h"
#include "domain/fleet/presence.h"
#include "domain/message/message.h"
#include "domain/order/order_job.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"
#include "kit/base/clock.h"
#include "kit/pack/pack.h"

#include <pthread.h>
#include <unistd.h>

enum {
    STOP_GRACE_MS = 20 * 1000,
    STOP_FETCHES_MS = 27 * 1000,
    STOP_MAX_S = 30,
    MIB = 1024 * 1024,
    OPENAPI_MAX = 4 * MIB,
    CONNECTIONS_SHARE_OF_ONE = 4, /* one address may have a quarter of all connections */
};

static const struct phone_task_line *const phone_task_lines[PHONE_TASK_CHANNEL_COUNT] = {
    [PHONE_TASK_SMS] = &sms_task_line,
    [PHONE_TASK_PERSONAL_MESSENGER] = &messenger_task_line,
};

static const struct phone_task_owner *const phone_task_owners[PHONE_TASK_OWNER_KIND_COUNT] = {
    [PHONE_TASK_OF_OTP] = &otp_task_owner,
    [PHONE_TASK_OF_MESSAGE] = &message_task_owner,
};

static void take_api_settings(struct app *app)
{
    struct str keys = str_of(app->config->internal_keys.data), key;
    bool is_list =
        http_addresses_parse(str_of(app->config->trusted_proxies), &app->api.trusted_proxies);

    assert(is_list); /* the table of settings saw to it */
    for (int i = 0; i < INTERNAL_KEYS_MAX && keys.len > 0 && str_next_item(&keys, &key); i++)
        secret_init(&app->api.internal_keys[i], key);
}

static void wake_log_stream(void *arg)
{
    struct app *app = arg;
    if (app->api.log_stream) log_stream_wake(app->api.log_stream);
}

static bool is_issuer(const struct app *app)
{
    bool has_identity = app->role == ROLE_SERVE || app->role == ROLE_IDP;
    return has_identity && !app->config->jwks_url;
}

/* Returns where workload clients fetch tokens. A process that issues none knows it only by
 * HERALD_PUBLIC_URL (contract, section 9.23). NULL: it is not known, or another service issues
 * them. */
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
}

/* Takes the port, so that the URLs are known before a request or a job needs them. */
static enum err open_server(struct app *app, struct config *config, struct arena *arena,
                            struct buf *why)
{
    struct http_options options = {
        .listen = config->listen,
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
    config_set_port(config, http_server_address(app->api.server), arena);
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

static enum err start_api(struct app *app, struct arena *arena, struct buf *why)
{
    print_openapi(app);
    add_issuer_route(app, arena);
    app->api.throttle = throttle_new();
    app->api.log_stream =
        log_stream_new(app->service.verification, http_server_loops(app->api.server));
    app->api.pulse =
        pulse_new(&app->api, app->role != ROLE_IDP /* an identity service needs no worker */);
    app->api.key_set = key_set_new(&app->service, app->config);
    enum err err = key_set_start(app->api.key_set, is_issuer(app), app->event_log, why);
    if (!err) err = http_server_run(app->api.server, why);
    if (err) return err;
    log_stream_serve(app->api.log_stream, app->api.server);
    db_subscribe(app->service.verification, EVENT_LOG_TOPIC, wake_log_stream, app);
    pulse_start(app->api.pulse);
    return ERR_OK;
}

/* Sets the issuer of our tokens, and where they are fetched; with HERALD_JWKS_URL there are none.
 */
static void set_urls(struct app *app)
{
    const struct config *config = app->config;

    app->tokens.own_url = config->own_url;
    app->tokens.issuer = config->issuer ? config->issuer : config->own_url;
    app->integrations.token_url = token_url_of(app);
}

static void set_exchange(struct app *app, struct arena *arena)
{
    const struct config *config = app->config;
    bool are_rates =
        catalog_vat_rates_read(str_of(config->erp_vat_rates), arena, &app->erp.vat_rates);
    bool is_list = networks_parse(str_of(config->erp_networks), &app->erp_networks);

    assert(are_rates && is_list); /* the table of settings saw to it */
    app->integrations = (struct integration_setup){
        .has_own_tokens = !config->jwks_url,
        .may_use_http = config->may_use_http_for_erp,
        .archive_share_ppm = config->erp_archive_share_ppm,
    };
    app->tokens.keyring = keyring_new();
    app->service.catalog_memory = catalog_memory_new();
    app->erp.packs = pack_pool_new();
    app->erp.gate = erp_gate_new();
    app->erp.applying = erp_applying_new();
    app->erp.body_days = config->erp_body_days;
    app->erp.snapshots_per_day = config->erp_snapshots_per_day;
    app->erp.packages_per_minute = config->erp_packages_per_minute;
    app->erp.bodies_max = config->erp_bodies_mib * MIB;
    app->deliveries =
        (struct order_setup){.networks = &app->erp_networks, .ca_file = config->erp_ca_file};
}

static void set_service(struct app *app)
{
    static const struct phone_task_setup phone_tasks = {phone_task_lines, phone_task_owners};
    struct service *service = &app->service;

    app->fleet = (struct fleet_setup){presence_new(), phone_task_return};
    app->sms.language = (enum sms_language)app->config->sms_language;
    service->fleet = &app->fleet;
    service->phone_tasks = &phone_tasks;
    service->sms = &app->sms;
    service->channels = channels_setup(app->channels);
    service->integrations = &app->integrations;
    service->tokens = &app->tokens;
    service->erp = &app->erp;
    service->orders = &app->deliveries;
    service->api = &app->api;
}

static enum err check_role(const struct config *config, enum role role, struct buf *why)
{
    if (role != ROLE_IDP || !config->jwks_url) return ERR_OK;
    buf_printf(why,
               "HERALD_JWKS_URL from %s names another identity service, whose tokens are taken "
               "instead of herald's own, so `herald idp` has no use. Unset it, or run only the "
               "other verbs.",
               config_source(config, "HERALD_JWKS_URL"));
    return ERR_VALIDATION;
}

/* Sets up masking, before any line logs a number or a text. */
static void mark_masks(const struct app *app)
{
    uint8_t key[MASK_KEY_LEN];

    vault_mask_key(app->service.vault, key);
    mask_set_key(key);
    secret_wipe(key, sizeof(key));
    for (int i = 0; i < INTERNAL_KEYS_MAX; i++)
        mask_add_secret(
            (struct str){app->api.internal_keys[i].data, app->api.internal_keys[i].len});
}

static enum err open_all(struct app *app, struct config *config, struct arena *arena,
                         struct buf *why)
{
    enum err err = check_role(config, app->role, why);
    if (!err) err = vault_new(str_of(config->secret_key.data), &app->service.vault);
    if (!err) err = channels_new(config, &app->channels, why);
    if (err) return err;
    mark_masks(app);
    set_service(app);
    set_exchange(app, arena);
    err = stores_open(&app->service, config, why);
    if (!err && app->role != ROLE_WORKER) err = open_server(app, config, arena, why);
    set_urls(app);
    return err;
}

/* Processes that share the work have an address each, none of which is that of the service. */
static void warn_of_url(const struct app *app)
{
    if (app->role == ROLE_SERVE || app->config->public_url) return;
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

enum err app_start(struct app *app, struct config *config, enum role role, struct arena *arena,
                   struct buf *why)
{
    *app = (struct app){.config = config, .role = role};
    atomic_init(&app->stop_began_ms, 0);
    app->api.service = app->jobs.service = &app->service;
    take_api_settings(app);
    routes_of_role(role, !config->jwks_url, &app->api.routes);
    enum err err = open_all(app, config, arena, why);
    config_forget_secrets(config); /* each has been copied to where it is used */
    if (err) return err;
    if (!vault_forms(app->service.vault).writes_form_2)
        log_write(LOG_WARNING,
                  "sealed values still have the form of herald 0.5.0: once no process of that "
                  "version runs, run `herald migrate finish`",
                  NULL, 0);

    warn_of_url(app);
    app->event_log = event_log_new(app->service.verification, config->is_log_sensitive);
    app->api.event_log = app->jobs.event_log = app->event_log;
    if (role == ROLE_SERVE || role == ROLE_WORKER) {
        warn_of_rivals(app);
        app->worker = worker_start(&app->jobs);
        app->channel_worker = channel_worker_start(&app->service, app->event_log);
        db_subscribe(app->service.verification, "job", channel_worker_wake, app->channel_worker);
        app->erp_worker = erp_worker_start(&app->jobs);
        app->order_worker = order_worker_start(&app->service, app->event_log);
        db_subscribe(app->service.exchange, ORDER_TOPIC, order_worker_wake, app->order_worker);
    }
    return role == ROLE_WORKER ? ERR_OK : start_api(app, arena, why);
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
    if (app->api.log_stream) log_stream_serve(app->api.log_stream, NULL);
    if (app->api.server) http_server_stop(app->api.server, grace_ms > 0 ? grace_ms : 0);
    pulse_stop(app->api.pulse);
    key_set_stop(app->api.key_set);
    log_stream_stop(app->api.log_stream);
    worker_stop(app->worker);
    order_worker_pause(app->order_worker);
    erp_worker_stop(app->erp_worker);
    channel_worker_stop(app->channel_worker, fetches_end_ms - clock_monotonic_ms());
    order_worker_stop(app->order_worker, fetches_end_ms - clock_monotonic_ms());
    event_log_free(app->event_log);
    stores_close(&app->service);
    pulse_free(app->api.pulse);
    key_set_free(app->api.key_set);
    log_stream_free(app->api.log_stream);
    throttle_free(app->api.throttle);
    channel_worker_free(app->channel_worker);
    channels_free(app->channels);
    erp_worker_free(app->erp_worker);
    order_worker_free(app->order_worker);
    presence_free(app->fleet.presence);
    keyring_free(app->tokens.keyring);
    pack_pool_free(app->erp.packs);
    erp_gate_free(app->erp.gate);
    erp_applying_free(app->erp.applying);
    catalog_memory_free(app->service.catalog_memory);
    vault_free(app->service.vault);
    buf_done(&app->api.openapi);
    for (int i = 0; i < INTERNAL_KEYS_MAX; i++)
        secret_done(&app->api.internal_keys[i]);
}
