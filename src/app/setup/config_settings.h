/* The table of settings is read by config.c, config_show.c and risks.c. */
#pragma once

#include "app/setup/config.h"

enum setting_type {
    SETTING_TEXT,
    SETTING_NUMBER,
    SETTING_SHARE, /* from 0 to 1, kept as parts per million */
    SETTING_WORD,
    SETTING_SECRET,   /* is never shown and never taken from a flag; may come from a file */
    SETTING_URL,      /* may hold a password, and is shown without it; may come from a file */
    SETTING_TEMPLATE, /* is a name or a long JSON text, shown by its name; may come from a file */
};

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset;
    const char *default_text; /* NULL: none */
    int64_t min, max;         /* SETTING_NUMBER */
    bool may_be_auto;         /* likewise; the word auto is CONFIG_AUTO */
    const char *const *words; /* SETTING_WORD: the value is the index */
    bool (*is_valid)(const char *value);
    const char *allowed; /* what is allowed, as the end of "must be ..." */
    const char *doc;
};

#define CONFIG_AUTO_WORD   "auto"
#define CONFIG_ENVIRONMENT "the environment" /* a source */
enum { CONFIG_SHARE_ONE = 1000000 };         /* parts per million */

struct config_source {
    const char *text; /* "the default", "the environment", "--listen", "herald.conf, line 3" */
};

extern const struct setting config_settings[];
extern const size_t config_setting_count;

/* Tells whether a variable that is no setting is a service link of Kubernetes or Docker, by its
 * name and its value. */
bool config_is_service_link(const char *name, const char *value);

/* These check the values of settings (config_values.c). */
bool config_is_listen_list(const char *value);
bool config_is_address_list(const char *value);
bool config_is_prefix_list(const char *value);
bool config_is_test_number_list(const char *value);
bool config_is_network_list(const char *value);
bool config_is_chat_id(const char *value);
bool config_is_number(const char *value);
bool config_is_vat_list(const char *value);
bool config_is_database_url(const char *value);
bool config_is_visible(const char *value);
bool config_is_web_url(const char *value);
bool config_is_base_url(const char *value);
bool config_is_proxy_url(const char *value);
bool config_is_readable(const char *value);
bool config_is_sender(const char *value);
bool config_is_vault_key(const char *value);
bool config_is_key_list(const char *value);
#define CONFIG_CONSOLE_OFF "off"
enum { CONFIG_LISTENERS_MAX = 8 }; /* of one setting */
bool config_is_console_listen(const char *value);
bool config_is_api_key(const char *value);
