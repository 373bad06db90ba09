/*
 * Settings (contract, section 7) are the rows of one table, with name, default, form and meaning.
 * Their sources, in rising order of weight, are the built-in default, the file of --config, the
 * environment and a flag.
 */
#pragma once

#include "core/service.h"
#include "kit/json/record.h"

#define CONFIG_CONSOLE_DEFAULT "127.0.0.1:8081"

/* With this value herald chooses the number by itself. */
enum { CONFIG_AUTO = -1 };

/* The role of a process decides which settings are required, and what may be made; a tool makes
 * nothing. */
enum process_role {
    PROCESS_SERVE,
    PROCESS_API,
    PROCESS_WORKER,
    PROCESS_IDP,
    PROCESS_MIGRATE,
    PROCESS_TOOL
};

enum flash_call_driver { FLASH_CALL_AUTO, FLASH_CALL_UCALLER, FLASH_CALL_TEMPLATE };

/* The settings HERALD_<DRIVER>_... tell how to reach a provider. */
struct provider_settings {
    const char *url;        /* NULL: that of its template */
    struct secret token;    /* a token or key; no data: none */
    const char *service_id; /* NULL: none */
    const char *sender;     /* NULL: none */
    const char *proxy;      /* NULL: none */
    const char *ca_file;    /* NULL: the system's */
    int64_t connect_timeout_ms, timeout_ms;
    int64_t is_checking; /* telegram_gateway: asks first whether the recipient can be reached */
};

struct config {
    const char *build;          /* no setting: main says which build this is; NULL: a test */
    const char *listen;         /* addresses, see http_listen_next; config_set_ports for port 0 */
    const char *tls_cert_file;  /* PEM; NULL: no HTTPS */
    const char *tls_key_file;   /* likewise */
    const char *console_listen; /* as `listen`; NULL: no console */
    bool is_console_default;    /* nobody asked for that address */
    const char *metrics_listen; /* likewise; NULL: /metrics is answered nowhere without a key */
    const char *database_url;
    const char *state_dir;
    struct secret secret_key;      /* 32 bytes base64url; no data: none */
    struct secret old_secret_key;  /* the one before it; no data: none */
    const char *secret_key_file;   /* herald made it and may replace it; NULL: none */
    struct secret next_secret_key; /* the one that lies beside that file; no data: none */
    struct secret api_key;         /* of `herald admin`; no data: none */
    struct secret internal_keys;   /* up to two, separated by a comma; no data: none */
    const char *public_url;        /* NULL: made from `listen` */
    const char *issuer;            /* issuer of the tokens that are taken; NULL: own_url */
    const char *jwks_url;     /* keys of an outside identity service; NULL: herald has its own */
    const char *jwks_ca_file; /* NULL: the system's */
    int64_t jwks_max_stale_s;
    int64_t may_use_http_for_erp;
    const char *erp_networks;      /* see kit/fetch/networks.h */
    const char *erp_ca_file;       /* NULL: the system's certificates */
    int64_t erp_archive_share_ppm; /* parts per million */
    int64_t erp_body_days;         /* 0: for ever */
    int64_t erp_snapshots_per_day, erp_packages_per_minute, erp_bodies_mib; /* 0: no limit */
    const char *erp_vat_rates;   /* see catalog_vat_rates_read */
    const char *trusted_proxies; /* addresses, separated by commas; "" is none */
    int64_t log_level;           /* enum log_level */
    const char *number_prefixes; /* see core/phone.h */
    const char *test_numbers;    /* see test_numbers_read */
    int64_t is_test_environment;
    int64_t sms_language; /* enum sms_language */
    int64_t is_log_sensitive;
    int64_t audit_days;    /* 0: for ever */
    int64_t personal_days; /* 0: for ever */
    int64_t events;        /* enum event_mode */
    int64_t event_days;
    const char *alert_chat_id, *alert_number; /* NULL: nobody is told */
    int64_t may_use_http_for_webhooks;
    const char *webhook_networks; /* see kit/fetch/networks.h */
    const char *webhook_ca_file;  /* NULL: the system's certificates */
    int64_t database_connections;
    int64_t database_timeout_ms;
    int64_t database_silence_ms;
    int64_t loops;
    int64_t drain_s;
    int64_t sim_silent_s;
    int64_t connections_max;
    int64_t connections_per_address; /* 0: no limit; CONFIG_AUTO: a quarter of all */

    struct provider_settings telegram_gateway, telegram_bot, ucaller, flash_template;
    int64_t flash_call_driver; /* enum flash_call_driver */
    const char *template_text; /* HERALD_FLASH_TEMPLATE: a preset's name or a JSON text; or NULL */

    /* config_complete makes these; config_set_ports makes the URLs anew. */
    const char *exchange_url; /* a second file beside an embedded database; else database_url */
    const char *own_url;      /* public_url, or one that answers here; no slash at its end */
    const char *token_url;    /* own_url and TOKEN_PATH */

    const char *service_links; /* variables that were passed over, separated by commas; or NULL */

    /* The source of each value, for messages and `herald config`. */
    struct config_source *sources;
};

/* Copies the words behind the verb into the arena. In `args`, which `ps` shows to every user of the
 * machine, it overwrites the parts of URLs that may be secret: user, password and query. */
char **config_take_args(int arg_count, char **args, struct arena *arena);

/* Reads all sources. `args` are the words behind the verb. On failure `why` says which setting,
 * from which source, is wrong, and what is allowed. All values live in the arena but secrets, which
 * live in locked memory until config_forget_secrets. The text of secrets and URLs in the
 * environment is overwritten once it is read. */
enum err config_load(int arg_count, char **args, struct arena *arena, struct config *ret_config,
                     struct buf *why) MUST_CHECK;

/* docs/deploy.md puts an installation here. */
struct config_installed {
    const char *file;      /* its settings */
    const char *state_dir; /* its unit sets it */
    bool is_read;          /* config_load_installed took the settings */
    bool is_closed;        /* the file is there, or may be, and this user may not read it */
};
#define CONFIG_INSTALLED                                                                    \
    (struct config_installed)                                                               \
    {                                                                                       \
        .file = "/etc/herald/herald.conf", .state_dir = "/var/lib/herald", .is_read = false \
    }

/* Does the same for what asks the service of this machine. Where neither flags nor environment say
 * which one that is (--config, --state-dir, --database-url), it is the installed one, if there is
 * one: its file and its folder then weigh as little as --config (contract, section 11.10). */
enum err config_load_installed(int arg_count, char **args, struct config_installed *installed,
                               struct arena *arena, struct config *ret_config,
                               struct buf *why) MUST_CHECK;
/* Says what to do about an installation that this user may not read; nothing otherwise. */
void config_explain_closed(const struct config_installed *installed, struct buf *why);

/* Zeroes the secrets, of which each part of the process has its own copy by then. */
void config_forget_secrets(struct config *config);

/* Tells whether the database is embedded (SQLite). */
bool config_is_embedded(const struct config *config);
/* Return the path of an embedded database, and the folder that it lies in. */
const char *config_database_path(const struct config *config);
const char *config_database_dir(const struct config *config, struct arena *arena);

/* Places the databases and completes own_url. At its first start an embedded `serve` makes the
 * state folder, the secret key and the internal key, each in a file of mode 0600 beside the
 * database; `migrate up` makes only the folder. On PostgreSQL it refuses to go on without the keys.
 * `news` says what was made, and where. */
enum err config_complete(struct config *config, enum process_role role, struct arena *arena,
                         struct buf *news, struct buf *why) MUST_CHECK;

/* Makes own_url and token_url from public_url, or else from the first address to listen at that
 * speaks HTTPS, or the first. */
void config_set_urls(struct config *config, struct arena *arena);
/* Tells whether own_url is the loopback's although herald listens at all addresses. */
bool config_is_url_local(const struct config *config);
/* Replaces each port 0 of HERALD_LISTEN, there and in the URLs, by the port that `addresses`, which
 * are listened at, have in its place. Any other port stays. */
void config_set_ports(struct config *config, const char *addresses, struct arena *arena);
/* Lets `serve` have a console at its usual place where nothing was said, and forgets what is off.
 */
void config_place_console(struct config *config, enum process_role role);
/* Returns the URL by which a tool of this machine asks the service: a plain address of the
 * loopback, if there is one. */
const char *config_local_url(const struct config *config, struct arena *arena);
/* Tells whether only this machine reaches the address. */
bool config_is_loopback(const char *address);
/* Returns ERR_VALIDATION, with a sentence in `why`, where certificate, key and addresses do not go
 * together. config_complete does that, too. */
enum err config_check_tls(const struct config *config, struct buf *why) MUST_CHECK;

/* Finds the internal key for a tool that asks the running service: INTERNAL_API_KEY, else the key
 * in the file that an embedded `serve` made. It makes nothing. */
enum err config_find_internal_key(struct config *config, struct arena *arena,
                                  struct buf *why) MUST_CHECK;
/* Finds the secret key in the same way. */
enum err config_find_secret_key(struct config *config, struct arena *arena,
                                struct buf *why) MUST_CHECK;

/* A setting for people. */
struct shown_setting {
    const char *name;
    const char *value; /* NULL: none, or a secret */
    bool secret;
    bool set; /* it has a value */
    const char *source, *meaning;
};
/* Lists all settings (struct shown_setting) in the order of their table, in the arena. Call it
 * before config_forget_secrets. */
struct record_list config_show(const struct config *config, struct arena *arena);
/* Prints them for `herald config`, or the one with this name. */
void config_print(const struct config *config, const char *name, struct arena *arena,
                  struct buf *out);
/* Returns the name of a setting, which may be written as its flag, too ("listen"); NULL: none has
 * it, and `ret_nearest` is what was probably meant, or NULL. */
const char *config_find_name(const char *word, const char **ret_nearest);

/* Returns the source of a value: "the environment", "herald.conf, line 3". */
const char *config_source(const struct config *config, const char *name);

/* Returns the file that holds nothing but the value, as NAME_FILE names it; NULL: it came
 * otherwise. */
const char *config_source_file(const struct config *config, const char *name);

/* Sets a secret to the value of a key file, checked like any other source; the text is wiped. */
enum err config_set_from_key_file(struct config *config, const char *name, char *value,
                                  const char *path, struct arena *arena,
                                  struct buf *why) MUST_CHECK;
