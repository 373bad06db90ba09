/* Drivers are made from the settings. */
#include "app/setup/channels.h"

#include "domain/message/message.h"
#include "domain/otp/otp.h"
#include "kit/base/must.h"

#include <stdlib.h>

enum {
    CALLBACK_URL_MAX = 256, /* Telegram Gateway takes so many bytes */
};

struct channels {
    struct arena arena;
    struct secret tokens[CHANNEL_COUNT];
    struct channel_setup setup[CHANNEL_COUNT];
};

/* The settings of one driver are read with this. */
struct reading {
    struct channels *channels;
    const struct config *config;
    struct buf *why;
};

/* --- Settings --------------------------------------------------------------------------------- */

static const char *without_slash(struct arena *arena, const char *url)
{
    if (!url) return NULL;
    size_t len = strlen(url);
    if (len > 0 && url[len - 1] == '/') len--;
    return arena_str(arena, (struct str){url, len});
}

static void set_driver(struct channels *channels, enum channel channel,
                       const struct channel_driver *driver,
                       const struct provider_settings *settings)
{
    struct channel_setup *setup = &channels->setup[channel];
    struct secret *token = &channels->tokens[channel];

    if (settings->token.data) secret_init(token, str_of(settings->token.data));
    setup->driver = driver;
    setup->config = (struct driver_config){
        .base_url = without_slash(&channels->arena, settings->url),
        .token = settings->token.data ? token : NULL,
        .service_id = settings->service_id,
        .sender = settings->sender,
        .is_checking = settings->is_checking != 0,
        .route = {.proxy = settings->proxy,
                  .ca_file = settings->ca_file,
                  .connect_timeout_ms = (int)settings->connect_timeout_ms,
                  .timeout_ms = (int)settings->timeout_ms},
    };
}

/* Returns the URL to which Telegram Gateway reports; NULL: it is asked for the state of a send
 * instead. */
static const char *make_callback_url(struct arena *arena, const char *public_url)
{
    if (!public_url || strncmp(public_url, "https://", 8) != 0) return NULL;
    const char *url =
        arena_printf(arena, "%s/callbacks/telegram-gateway", without_slash(arena, public_url));
    return strlen(url) <= CALLBACK_URL_MAX ? url : NULL;
}

static void set_messengers(struct channels *channels, const struct config *config)
{
    if (config->telegram_gateway.token.data) {
        set_driver(channels, CHANNEL_MESSENGER_GATEWAY, &driver_telegram_gateway,
                   &config->telegram_gateway);
        channels->setup[CHANNEL_MESSENGER_GATEWAY].config.callback_url =
            make_callback_url(&channels->arena, config->public_url);
    }
    if (config->telegram_bot.token.data)
        set_driver(channels, CHANNEL_MESSENGER_BOT, &driver_telegram_bot, &config->telegram_bot);
}

/* --- Flash calls ------------------------------------------------------------------------------ */

static enum flash_call_driver choose_flash_call(const struct config *config)
{
    if (config->flash_call_driver != FLASH_CALL_AUTO)
        return (enum flash_call_driver)config->flash_call_driver;
    if (config->ucaller.token.data) return FLASH_CALL_UCALLER;
    return config->template_text ? FLASH_CALL_TEMPLATE : FLASH_CALL_AUTO;
}

/* Refuses a setting that is missing and that flash calls through `who` need. */
static enum err require(const struct reading *reading, const char *value, const char *name,
                        const char *who)
{
    if (value) return ERR_OK;
    buf_printf(reading->why,
               "%s is not set, and flash calls through %s need it. Set it, or change "
               "HERALD_FLASH_CALL_DRIVER, which comes from %s.",
               name, who, config_source(reading->config, "HERALD_FLASH_CALL_DRIVER"));
    return ERR_VALIDATION;
}

static enum err set_ucaller(const struct reading *reading)
{
    const struct provider_settings *settings = &reading->config->ucaller;

    enum err err = require(reading, settings->token.data, "HERALD_UCALLER_KEY", "ucaller");
    if (!err) err = require(reading, settings->service_id, "HERALD_UCALLER_SERVICE_ID", "ucaller");
    if (err) return err;
    set_driver(reading->channels, CHANNEL_FLASH_CALL, &driver_ucaller, settings);
    return ERR_OK;
}

/* Reads the template also where it is not in use, so that its author hears of faults early.
 * `ret_template` is NULL if there is none. */
static enum err read_template(const struct reading *reading,
                              const struct flash_template **ret_template)
{
    const char *text = reading->config->template_text;
    *ret_template = NULL;
    if (!text) return ERR_OK;

    size_t from = reading->why->len;
    buf_printf(reading->why, "HERALD_FLASH_TEMPLATE from %s cannot be used: ",
               config_source(reading->config, "HERALD_FLASH_TEMPLATE"));
    enum err err = flash_template_read(text, &reading->channels->arena, ret_template, reading->why);
    if (!err) reading->why->len = from;
    return err;
}

static enum err set_template(const struct reading *reading, const struct flash_template *template)
{
    const struct provider_settings *settings = &reading->config->flash_template;

    enum err err =
        require(reading, reading->config->template_text, "HERALD_FLASH_TEMPLATE", "flash_template");
    if (!err && flash_template_uses(template, "key"))
        err = require(reading, settings->token.data, "HERALD_FLASH_TEMPLATE_KEY", "this template");
    if (!err && flash_template_uses(template, "service_id"))
        err = require(reading, settings->service_id, "HERALD_FLASH_TEMPLATE_SERVICE_ID",
                      "this template");
    if (err) return err;
    set_driver(reading->channels, CHANNEL_FLASH_CALL, flash_template_driver(template), settings);
    reading->channels->setup[CHANNEL_FLASH_CALL].config.template = template;
    return ERR_OK;
}

static enum err set_flash_call(const struct reading *reading)
{
    const struct flash_template *template;
    enum err err = read_template(reading, &template);
    if (err) return err;

    switch (choose_flash_call(reading->config)) {
    case FLASH_CALL_UCALLER:
        return set_ucaller(reading);
    case FLASH_CALL_TEMPLATE:
        return set_template(reading, template);
    case FLASH_CALL_AUTO:
        break;
    }
    return ERR_OK;
}

enum err channels_new(const struct config *config, struct channels **ret_channels, struct buf *why)
{
    struct channels *channels = must_calloc(1, sizeof(*channels));
    struct reading reading = {channels, config, why};

    arena_init(&channels->arena);
    /* Sends of a channel that has lost its driver have owners, too. */
    channels->setup[CHANNEL_FLASH_CALL].owner = otp_channel_owner;
    channels->setup[CHANNEL_MESSENGER_GATEWAY].owner = otp_channel_owner;
    channels->setup[CHANNEL_MESSENGER_BOT].owner = message_channel_owner;
    set_messengers(channels, config);
    enum err err = set_flash_call(&reading);
    if (err) {
        channels_free(channels);
        return err;
    }
    *ret_channels = channels;
    return ERR_OK;
}

const struct channel_setup *channels_setup(const struct channels *channels)
{
    return channels->setup;
}

void channels_free(struct channels *channels)
{
    if (!channels) return;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        secret_done(&channels->tokens[i]);
    arena_done(&channels->arena);
    free(channels);
}
