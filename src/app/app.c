/* Starting and stopping: what stands on what, in this order. */
#include "app/app.h"

#include "app/channels.h"
#include "app/dispatch.h"
#include "app/log_stream.h"
#include "app/migrations.h"
#include "app/pulse.h"
#include "app/throttle.h"
#include "app/vault_db.h"
#include "app/worker.h"
#include "domain/fleet/presence.h"
#include "domain/message/message.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"
#include "kit/base/clock.h"
#include "kit/route/openapi.h"

#include <pthread.h>
#include <unistd.h>

enum {
    STOP_GRACE_MS = 20 * 1000,
    STOP_CALLS_MS = 27 * 1000,
    STOP_MAX_S = 30,
    SQLITE_READERS = 1,
    OPENAPI_MAX = 4 * 1024 * 1024
};

static const struct task_line *const task_lines[TASK_CHANNEL_COUNT] = {
    [TASK_SMS] = &sms_task_line,
    [TASK_PERSONAL_MESSENGER] = &messenger_task_line,
};

static const struct task_owner *const task_owners[TASK_OWNER_KIND_COUNT] = {
    [TASK_OF_OTP] = &otp_task_owner,
    [TASK_OF_MESSAGE] = &message_task_owner,
};

static void take_internal_keys(struct app *app)
{
    const char *keys = app->config->internal_keys;
    for (int i = 0; i < INTERNAL_KEYS_MAX && *keys; i++) {
        size_t len = strcspn(keys, ",");
        secret_init(&app->internal_keys[i], (struct str){keys, len});
        keys += len + (keys[len] == ',');
    }
}

static enum err open_database(struct app *app, struct buf *why)
{
    struct db_options options = {
        .url = app->config->database_url,
        .store = "verification",
        .readers = SQLITE_READERS,
        .connections = (int)app->config->database_connections,
        .migrations = herald_migrations,
        .migration_count = herald_migration_count,
        .may_migrate = config_is_embedded(app->config),
    };
    return db_open(&options, &app->service.verification, why);
}

static enum err run_vault_check(void *arg, struct db_tx *tx)
{
    struct app *app = arg;
    return vault_check(tx, app->vault);
}

static enum err check_secret_key(struct app *app, struct buf *why)
{
    enum err err = db_run(app->service.verification, false, run_vault_check, app);
    if (err == ERR_UNAUTHORIZED)
        buf_text(why, "HERALD_SECRET_KEY is not the key that this database was made with. Give the "
                      "same key to every process; after a restore, restore the key file too.");
    else if (err)
        buf_text(why, "The database does not answer.");
    return err;
}

static void wake_log_stream(void *arg)
{
    struct app *app = arg;
    if (app->log_stream) log_stream_wake(app->log_stream);
}

static enum err start_api(struct app *app, struct buf *why)
{
    struct http_options options = {
        .listen = app->config->listen,
        .loops = (int)app->config->loops,
        .limits = http_limits_default,
        .handler = dispatch_handler(app),
    };
    options.limits.connections_max = (int)app->config->connections_max;
    options.limits.connections_per_address = (int)app->config->connections_per_address;

    buf_init(&app->openapi, OPENAPI_MAX);
    openapi_print(routes, route_count, HERALD_VERSION, app->config->public_url, &app->openapi);
    app->throttle = throttle_new();
    app->log_stream = log_stream_new(app->service.verification, options.loops);
    app->pulse = pulse_new(app);
    enum err err = http_server_start(&options, &app->server, why);
    if (err) return err;
    log_stream_serve(app->log_stream, app->server);
    db_subscribe(app->service.verification, AUDIT_CHANNEL, wake_log_stream, app);
    pulse_start(app->pulse);
    return ERR_OK;
}

static void set_service(struct app *app)
{
    struct service *service = &app->service;
    service->vault = app->vault;
    service->presence = presence_new();
    service->channels = channels_setup(app->channels);
    service->task_lines = task_lines;
    service->task_owners = task_owners;
    service->sms_language = (enum sms_language)app->config->sms_language;
    service->on_device_disabled = task_return;
}

enum err app_start(struct app *app, const struct config *config, enum role role, struct buf *why)
{
    *app = (struct app){.config = config};
    atomic_init(&app->is_stopping, false);
    take_internal_keys(app);
    enum err err = vault_new(str_of(config->secret_key), &app->vault);
    if (!err) err = channels_new(config, &app->channels, why);
    if (!err) err = open_database(app, why);
    if (!err) err = check_secret_key(app, why);
    if (err) return err;

    set_service(app);
    app->audit = audit_new(app->service.verification, config->is_log_sensitive);
    if (role != ROLE_API) {
        app->worker = worker_start(app);
        channels_start(app->channels, app);
    }
    if (role == ROLE_WORKER) return ERR_OK;
    return start_api(app, why);
}

/* Whatever hangs, a database above all: what was acknowledged is durable, so the process may end.
 */
static void *end_in_time(void *arg)
{
    (void)arg;
    sleep(STOP_MAX_S);
    log_write(LOG_WARNING, "stopped before everything had ended", NULL, 0);
    _exit(0);
}

static void start_watchdog(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_in_time, NULL) == 0) pthread_detach(thread);
}

void app_stop(struct app *app)
{
    atomic_store(&app->is_stopping, true);
    app->calls_end_ms = clock_monotonic_ms() + STOP_CALLS_MS;
    start_watchdog();
    if (app->log_stream) log_stream_serve(app->log_stream, NULL);
    if (app->server) http_server_stop(app->server, STOP_GRACE_MS);
    pulse_stop(app->pulse);
    log_stream_stop(app->log_stream);
    worker_stop(app->worker);
    channels_stop(app->channels);
    audit_free(app->audit);
    if (app->service.verification) db_close(app->service.verification);
    pulse_free(app->pulse);
    log_stream_free(app->log_stream);
    throttle_free(app->throttle);
    channels_free(app->channels);
    presence_free(app->service.presence);
    vault_free(app->vault);
    buf_done(&app->openapi);
    for (int i = 0; i < INTERNAL_KEYS_MAX; i++)
        secret_done(&app->internal_keys[i]);
}
