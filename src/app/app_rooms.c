/* Each room of the domain gets what it stands on, which is made here from the settings. */
#include "app/app.h"
#include "app/setup/channels.h"
#include "app/setup/events.h"
#include "domain/catalog/catalog.h"
#include "domain/challenge/challenge.h"
#include "domain/erp/erp.h"
#include "domain/event/event.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/fleet/presence.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/operator/operator_guard.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"
#include "kit/pack/pack.h"

enum { MIB = 1024 * 1024 };

static const struct phone_task_line *const phone_task_lines[PHONE_TASK_CHANNEL_COUNT] = {
    [PHONE_TASK_SMS] = &sms_task_line,
    [PHONE_TASK_PERSONAL_MESSENGER] = &messenger_task_line,
};

static const struct phone_task_owner *const phone_task_owners[PHONE_TASK_OWNER_KIND_COUNT] = {
    [PHONE_TASK_OF_OTP] = &otp_task_owner,
    [PHONE_TASK_OF_MESSAGE] = &message_task_owner,
};

static const struct challenge_setup challenges = {.expire = {otp_expire, inbound_call_expire}};

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

static void set_test_numbers(struct app *app)
{
    bool is_list = test_numbers_read(str_of(app->config->test_numbers), &app->test_numbers.numbers);

    assert(is_list); /* the table of settings saw to it */
    app->test_numbers.is_test_environment = app->config->is_test_environment;
    app->test_numbers.apply[TEST_OF_OTP] = otp_apply_test;
    app->test_numbers.apply[TEST_OF_MESSAGE] = message_apply_test;
    app->test_numbers.apply[TEST_OF_CALL] = inbound_call_apply_test;
}

static void set_events(struct app *app)
{
    app->events.readers = event_readers;
    app->events.mode = (enum event_mode)app->config->events;
    app->events.days = app->config->event_days;
    atomic_init(&app->events.known_at_ms, INT64_MIN / 2);
    atomic_init(&app->events.has_feed, true); /* until it is known */
    app->events.on_published = webhook_fan_out;
    app->service.events = &app->events;
    bool is_list = networks_parse(str_of(app->config->webhook_networks), &app->webhook_networks);
    assert(is_list); /* the table of settings saw to it */
    app->webhooks = (struct webhook_setup){
        .networks = &app->webhook_networks,
        .ca_file = app->config->webhook_ca_file,
        .may_use_http = app->config->may_use_http_for_webhooks,
    };
    app->service.webhooks = &app->webhooks;
}

static void set_alerts(struct app *app, struct arena *arena)
{
    bool is_embedded = config_is_embedded(app->config);

    app->alerts = (struct alert_setup){
        .chat_id = app->config->alert_chat_id,
        .number = app->config->alert_number,
        .disk = is_embedded ? config_database_dir(app->config, arena) : NULL,
    };
    app->service.alerts = &app->alerts;
}

static void set_service(struct app *app)
{
    static const struct phone_task_setup phone_tasks = {phone_task_lines, phone_task_owners};
    struct service *service = &app->service;

    app->fleet = (struct fleet_setup){
        .presence = presence_new(),
        .watch = fleet_watch_new(),
        .silent_ms = app->config->sim_silent_s * 1000,
        .on_device_disabled = phone_task_return,
        .on_numbers_leave = challenge_hold_gateways,
        .on_numbers_left = challenge_forget_gateways,
    };
    app->sms.language = (enum sms_language)app->config->sms_language;
    set_test_numbers(app);
    set_events(app);
    service->is_log_sensitive = app->config->is_log_sensitive;
    service->audit_days = app->config->audit_days;
    service->personal_days = app->config->personal_days;
    service->fleet = &app->fleet;
    service->challenges = &challenges;
    service->phone_tasks = &phone_tasks;
    service->sms = &app->sms;
    service->test_numbers = &app->test_numbers;
    service->channels = channels_setup(app->channels);
    service->integrations = &app->integrations;
    service->tokens = &app->tokens;
    service->erp = &app->erp;
    service->orders = &app->deliveries;
    app->operators.guard = login_guard_new();
    service->operators = &app->operators;
    service->api = &app->api;
}

void app_set_rooms(struct app *app, struct arena *arena)
{
    set_service(app);
    set_alerts(app, arena);
    set_exchange(app, arena);
}
