/*
 * Settings (contract, section 7): one table says each setting's name, default, form and meaning.
 * In rising order of weight: built-in default, the file of --config, the environment, a flag.
 */
#pragma once

#include "core/service.h"

enum { INTERNAL_KEYS_MAX = 2 };
#define TOKEN_PATH "/v1/oauth/token"

/* The value of a number that herald chooses itself. */
enum { CONFIG_AUTO = -1 };

/* The verb decides what is required, and what may be made: nothing by a tool. */
enum role { ROLE_SERVE, ROLE_API, ROLE_WORKER, ROLE_IDP, ROLE_MIGRATE, ROLE_TOOL };

enum flash_call_driver { FLASH_CALL_AUTO, FLASH_CALL_UCALLER, FLASH_CALL_TEMPLATE };

/* How a provider is reached, as it was set: HERALD_<DRIVER>_... */
struct provider_settings {
    const char *url;        /* NULL: as its template says */
    struct secret token;    /* or key; no data: none */
    const char *service_id; /* NULL: none */
    const char *sender;     /* NULL: none */
    const char *proxy;      /* NULL: none */
    const char *ca_file;    /* NULL: the system's */
    int64_t connect_timeout_ms, timeout_ms;
    int64_t is_checking; /* telegram_gateway: ask first whether the recipient can be reached */
};

struct config {
    const char *listen; /* host:port; see config_set_port for port 0 */
    const char *database_url;
    const char *state_dir;
    struct secret secret_key;    /* 32 bytes base64url; no data: none */
    struct secret internal_keys; /* up to two, separated by a comma; no data: none */
    const char *public_url;      /* NULL: from listen */
    const char *issuer;          /* of the tokens that are taken; NULL: own_url */
    const char *jwks_url;        /* of an outside identity service; NULL: the own one */
    const char *jwks_ca_file;    /* NULL: the system's */
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
    int64_t sms_language;        /* enum sms_language */
    int64_t is_log_sensitive;
    int64_t database_connections;
    int64_t database_timeout_ms;
    int64_t loops;
    int64_t drain_s;
    int64_t connections_max;
    int64_t connections_per_address; /* 0: no limit; CONFIG_AUTO: a quarter of all */

    struct provider_settings telegram_gateway, telegram_bot, ucaller, flash_template;
    int64_t flash_call_driver; /* enum flash_call_driver */
    const char *template_text; /* HERALD_FLASH_TEMPLATE: a preset's name or a JSON text; NULL */

    /* Made by config_complete; the URLs anew by config_set_port. */
    const char *exchange_url; /* a second file beside an embedded database; else database_url */
    const char *own_url;      /* public_url, or http:// and listen; no slash at its end */
    const char *token_url;    /* own_url and TOKEN_PATH */

    /* Where each value came from, for messages and `herald config`. */
    struct config_source *sources;
};

/* The words behind the verb, copied into the arena. In `args` themselves, which `ps` shows to every
 * user of the machine, what may be secret of a URL is overwritten: user, password and query. */
char **config_take_args(int arg_count, char **args, struct arena *arena);

/* Reads all sources. `args` are the words behind the verb. On failure `why` says which setting,
 * from where, is wrong, and what is allowed. Everything lives in the arena, but the secrets, which
 * live in locked memory until config_forget_secrets. Where secrets and URLs came from the
 * environment, their text there is overwritten, so that it is read once only. */
enum err config_load(int arg_count, char **args, struct arena *arena, struct config *ret_config,
                     struct buf *why) MUST_CHECK;

/* Zeroes the secrets: whoever needs one has made it his own by then. */
void config_forget_secrets(struct config *config);

/* Whether the database is embedded (SQLite). */
bool config_is_embedded(const struct config *config);
/* The path of an embedded database, and the folder it lies in. */
const char *config_database_path(const struct config *config);
const char *config_database_dir(const struct config *config, struct arena *arena);

/* Places the databases and completes own_url. What an embedded `serve` makes at its first start:
 * the state folder, the secret key and the internal key, each in a file of mode 0600 beside the
 * database; `migrate up` makes the folder alone. Elsewhere: refuses to go on without them. `notes`
 * tells what was made and where. */
enum err config_complete(struct config *config, enum role role, struct arena *arena,
                         struct buf *notes, struct buf *why) MUST_CHECK;

/* Makes own_url and token_url: of public_url, or else of the address to listen at. */
void config_set_urls(struct config *config, struct arena *arena);
/* HERALD_LISTEN has port 0, and `address` is the one that is listened at: its port takes the place
 * of the 0, there and in the URLs. Any other port stays. */
void config_set_port(struct config *config, const char *address, struct arena *arena);

/* For a tool that asks the running service: INTERNAL_API_KEY, else the key in the file that an
 * embedded `serve` made. Makes nothing. */
enum err config_find_internal_key(struct config *config, struct arena *arena,
                                  struct buf *why) MUST_CHECK;

/* `herald config`: every setting with its value, source and meaning; secrets are not shown. */
void config_print(const struct config *config, struct buf *out);

/* Where the value of a setting came from: "the environment", "herald.conf, line 3". */
const char *config_source(const struct config *config, const char *name);

/* For config_complete: the value of a key file, checked like any other source. The text is wiped.
 */
enum err config_set_from_key_file(struct config *config, const char *name, char *value,
                                  const char *path, struct arena *arena,
                                  struct buf *why) MUST_CHECK;
