/* Each setting has a row with its name, form, default and meaning, and a check of its value. */
#include "app/setup/config_settings.h"

#include "app/setup/config_file.h"
#include "core/phone.h"
#include "domain/api_key/api_key.h"
#include "domain/catalog/catalog.h"
#include "domain/event/event.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/test_number/test_number.h"
#include "kit/base/macros.h"
#include "kit/fetch/networks.h"
#include "kit/http/address.h"

#include <stddef.h>
#include <unistd.h>

enum {
    TIMEOUT_MIN_MS = 100,
    TIMEOUT_MAX_MS = 60 * 1000,
    RATE_MAX = 1000000,
    DRAIN_MAX_S = 10,
};

static const char *const boolean_words[] = {"false", "true", NULL};
static const char *const environment_words[] = {"production", "test", NULL};
static const char *const sms_language_words[] = {"ru", "en", NULL};
static const char *const flash_call_words[] = {"auto", "ucaller", "flash_template", NULL};

#define BASE_URL_ALLOWED                                                                       \
    "a URL that begins with https:// or http://, with a host and perhaps a path, and without " \
    "user and query"
#define LISTEN_ALLOWED                                                                          \
    "an address and a port, such as 127.0.0.1:8080 or [::]:8080, or up to 8 of them separated " \
    "by commas, with http:// or https:// before each if you like; * before the port is all "    \
    "addresses, port 0 takes a free one"
#define VISIBLE_ALLOWED "visible ASCII characters without spaces"
#define CA_FILE_ALLOWED "the path of a file that herald can read, with certificates in it"

#define OFFSET_IN(driver, member) \
    (offsetof(struct config, driver) + offsetof(struct provider_settings, member))

/* clang-format off */
/* Every driver has these settings about the way of its fetches. */
#define ROUTE_SETTINGS(prefix, driver, who)                                                        \
    {.name = prefix "_PROXY",                                                                      \
     .type = SETTING_URL,                                                                          \
     .offset = OFFSET_IN(driver, proxy),                                                           \
     .is_valid = config_is_proxy_url,                                                              \
     .allowed = "the URL of a proxy, such as http://USER:PASSWORD@HOST:PORT or "                   \
                "socks5h://HOST:PORT, with special characters of the password percent-encoded",    \
     .doc = "The proxy for fetches from " who "; without it none, whatever http_proxy says."},     \
    {.name = prefix "_CA_FILE",                                                                    \
     .type = SETTING_TEXT,                                                                         \
     .offset = OFFSET_IN(driver, ca_file),                                                         \
     .is_valid = config_is_readable,                                                               \
     .allowed = CA_FILE_ALLOWED,                                                                   \
     .doc = "The certificates (PEM) by which " who " is trusted; by default the system's."},       \
    {.name = prefix "_CONNECT_TIMEOUT_MS",                                                         \
     .type = SETTING_NUMBER,                                                                       \
     .offset = OFFSET_IN(driver, connect_timeout_ms),                                              \
     .default_text = "3000",                                                                       \
     .min = TIMEOUT_MIN_MS,                                                                        \
     .max = TIMEOUT_MAX_MS,                                                                        \
     .doc = "How long it may take to connect to " who "."},                                        \
    {.name = prefix "_TIMEOUT_MS",                                                                 \
     .type = SETTING_NUMBER,                                                                       \
     .offset = OFFSET_IN(driver, timeout_ms),                                                      \
     .default_text = "10000",                                                                      \
     .min = TIMEOUT_MIN_MS,                                                                        \
     .max = TIMEOUT_MAX_MS,                                                                        \
     .doc = "How long a fetch from " who " may take in all."}
/* clang-format on */

const struct setting config_settings[] = {
    {.name = "HERALD_LISTEN",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, listen),
     .default_text = "127.0.0.1:8080",
     .is_valid = config_is_listen_list,
     .allowed = LISTEN_ALLOWED,
     .doc = "Where the service listens, such as https://0.0.0.0:8443,http://127.0.0.1:8080; port 0 "
            "takes a free one. An address that says neither https:// nor http:// speaks HTTPS if "
            "HERALD_TLS_CERT_FILE is set, and plain HTTP otherwise."},
    {.name = "HERALD_TLS_CERT_FILE",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, tls_cert_file),
     .is_valid = config_is_readable,
     .allowed = CA_FILE_ALLOWED,
     .doc = "The certificate (PEM) for HTTPS of herald's own, with the rest of its chain behind "
            "it. It is read anew when it changes. `herald admin` and `herald doctor` trust this "
            "one alone when they ask the service."},
    {.name = "HERALD_TLS_KEY_FILE",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, tls_key_file),
     .doc = "The private key (PEM, without a password) of that certificate."},
    {.name = "HERALD_CONSOLE_LISTEN",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, console_listen),
     .is_valid = config_is_console_listen,
     .allowed = "off, or addresses as HERALD_LISTEN has them, such as 127.0.0.1:8081",
     .doc = "Where the console for operators is (docs/console.md), with the syntax of "
            "HERALD_LISTEN; by default `serve` has it at http://" CONFIG_CONSOLE_DEFAULT
            " unless that is taken, and `api` has none. Operators log in over HTTPS, or at "
            "localhost. off: there is none."},
    {.name = "HERALD_METRICS_LISTEN",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, metrics_listen),
     .is_valid = config_is_listen_list,
     .allowed = LISTEN_ALLOWED,
     .doc = "Where GET /metrics is answered without a key, for Prometheus (docs/monitoring.md), "
            "such as 127.0.0.1:9465; written as HERALD_LISTEN is. Whoever reaches it sees how much "
            "there is to do, but no number and no name."},
    {.name = "HERALD_STATE_DIR",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, state_dir),
     .default_text = "./var",
     .doc = "Where the embedded database and the keys made at the first start lie."},
    {.name = "HERALD_DATABASE_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, database_url),
     .default_text = "sqlite:herald.db",
     .is_valid = config_is_database_url,
     .allowed = "sqlite:FILE or postgresql://USER@HOST/DATABASE, with special characters of the "
                "password percent-encoded",
     .doc = "The database. A relative FILE lies in HERALD_STATE_DIR, and a second one beside it: "
            "herald-exchange.db beside herald.db, with clients, keys and all that is exchanged "
            "with ERPs. Several hosts are allowed."},
    {.name = "HERALD_DATABASE_CONNECTIONS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, database_connections),
     .default_text = "8",
     .min = 2,
     .max = DB_CONNECTIONS_MAX,
     .doc = "How many connections a process opens to PostgreSQL at most, when it needs them. One "
            "listens, one sees whether the server answers; codes and messages have half of the "
            "others, and what is exchanged with ERPs the rest, at least one each."},
    {.name = "HERALD_DATABASE_TIMEOUT_MS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, database_timeout_ms),
     .default_text = "5000",
     .min = DB_TIMEOUT_MIN_MS,
     .max = DB_TIMEOUT_MAX_MS,
     .doc = "How long a request waits for PostgreSQL before it is answered with "
            "storage_unavailable. Work in the background has the time that it needs."},
    {.name = "HERALD_DATABASE_SILENCE_MS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, database_silence_ms),
     .default_text = "1500",
     .min = DB_SILENCE_MIN_MS,
     .max = DB_SILENCE_MAX_MS,
     .doc = "A PostgreSQL that has not answered for so long hangs: its connections are given up, "
            "and the next host of the URL is tried. A machine that is starved now and then wants "
            "more."},
    {.name = "HERALD_SECRET_KEY",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, secret_key),
     .is_valid = config_is_vault_key,
     .allowed = "32 bytes as base64url, 43 characters without padding",
     .doc = "Encrypts what is stored. An embedded database makes one at the first start."},
    {.name = "HERALD_SECRET_KEY_OLD",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, old_secret_key),
     .is_valid = config_is_vault_key,
     .allowed = "32 bytes as base64url, 43 characters without padding",
     .doc =
         "The secret key before HERALD_SECRET_KEY, while values are sealed under it: from before "
         "`herald admin secret-key rotate` until `secret-key show` says that none is."},
    {.name = "INTERNAL_API_KEY",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, internal_keys),
     .is_valid = config_is_key_list,
     .allowed = "one key, or two separated by a comma, of visible characters",
     .doc = "The key of /internal/v1; two at once while it is being rotated."},
    {.name = "HERALD_API_KEY",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, api_key),
     .is_valid = config_is_api_key,
     .allowed = "hk_ and 43 characters",
     .doc =
         "The API key of `herald admin`; without one it uses INTERNAL_API_KEY. The service itself "
         "needs none."},
    {.name = "HERALD_PUBLIC_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, public_url),
     .is_valid = config_is_web_url,
     .allowed = "a URL that begins with https:// or http:// and has a host that others can reach, "
                "and neither a user nor a query",
     .doc = "How the service is reached from outside, and the issuer of its tokens; by default "
            "the first https:// address of HERALD_LISTEN, or else its first one. Providers report "
            "deliveries to it if it is https. With "
            "port 0 and without this setting, tokens issued before a restart are refused after "
            "it."},
    {.name = "HERALD_JWKS_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, jwks_url),
     .is_valid = config_is_base_url,
     .allowed = BASE_URL_ALLOWED,
     .doc = "The key set of an outside identity service, whose tokens are then taken instead of "
            "herald's own; https unless the way there is your own. Name its HERALD_ISSUER too. "
            "herald then issues no tokens: it answers neither the token endpoint nor the key set, "
            "and clients, secrets and keys are made at that service."},
    {.name = "HERALD_JWKS_CA_FILE",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, jwks_ca_file),
     .is_valid = config_is_readable,
     .allowed = CA_FILE_ALLOWED,
     .doc = "The certificates (PEM) by which that service is trusted; by default the system's."},
    {.name = "HERALD_JWKS_MAX_STALE_S",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, jwks_max_stale_s),
     .default_text = "3600",
     .min = 10,
     .max = 30 * 24 * 3600,
     .doc = "For how many seconds that key set is trusted while it cannot be fetched anew, since a "
            "key of it may have been withdrawn; then its tokens are refused with 503."},
    {.name = "HERALD_ISSUER",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, issuer),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "The `iss` of access tokens, issued and taken; by default HERALD_PUBLIC_URL. With "
            "HERALD_JWKS_URL it is what the tokens of that service say."},
    {.name = "HERALD_ERP_ALLOW_HTTP",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, may_use_http_for_erp),
     .default_text = "false",
     .words = boolean_words,
     .doc = "Whether the base_url of an ERP may be http: its token and orders then travel "
            "unencrypted. While it is off such an ERP is not called, whenever its address was "
            "given."},
    {.name = "HERALD_ERP_NETWORKS",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, erp_networks),
     .default_text = "public,private",
     .is_valid = config_is_network_list,
     .allowed = NETWORKS_ALLOWED,
     .doc = "Which addresses herald connects to when it fetches from an ERP: public, private, "
            "loopback, or networks such as 10.1.0.0/16, separated by commas. It looks at each "
            "connection, whatever the name of the ERP means by then. Link-local, unspecified, "
            "multicast and reserved addresses are always refused."},
    {.name = "HERALD_ERP_CA_FILE",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, erp_ca_file),
     .is_valid = config_is_readable,
     .allowed = CA_FILE_ALLOWED,
     .doc = "The certificates (PEM) by which ERPs are trusted, as those of a company's own "
            "authority; by default the system's."},
    {.name = "HERALD_ERP_MAX_ARCHIVE_SHARE",
     .type = SETTING_SHARE,
     .offset = offsetof(struct config, erp_archive_share_ppm),
     .default_text = "1",
     .doc = "Which share of the live products a snapshot may archive, such as 0.5; one that would "
            "archive more, and 20 products or more, fails until an operator releases it. 1 is no "
            "limit. An integration may have its own `max_archive_share`."},
    {.name = "HERALD_ERP_BODY_DAYS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, erp_body_days),
     .default_text = "30",
     .min = 0,
     .max = 3650,
     .doc = "How long the bodies of applied ERP packages are kept; 0 keeps them for ever."},
    {.name = "HERALD_ERP_BODIES_MIB",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, erp_bodies_mib),
     .default_text = "2048",
     .min = 0,
     .max = 1024 * 1024,
     .doc = "How many MiB of bodies, packed, are kept of one integration; beyond, the oldest of "
            "applied packages go before their time. Beyond twice as much of packages that are not "
            "applied, no more are taken. 0 is no limit."},
    {.name = "HERALD_ERP_SNAPSHOTS_PER_DAY",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, erp_snapshots_per_day),
     .default_text = "60",
     .min = 0,
     .max = RATE_MAX,
     .doc = "How many snapshots one integration may send a day: as many at once, and then as they "
            "come back evenly over a day; beyond, 429 with Retry-After. Repeats of stored packages "
            "do not count. 0 is no limit."},
    {.name = "HERALD_ERP_PACKAGES_PER_MINUTE",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, erp_packages_per_minute),
     .default_text = "600",
     .min = 0,
     .max = RATE_MAX,
     .doc =
         "How many packages of any kind one integration may send a minute, in the same way. 0 is "
         "no limit."},
    {.name = "HERALD_ERP_VAT_RATES",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, erp_vat_rates),
     .default_text = CATALOG_VAT_RATES,
     .is_valid = config_is_vat_list,
     .allowed =
         "at most 50 different rates separated by commas: none, a whole percentage below 100 "
         "such as 22, or one that a price includes such as 122/22",
     .doc = "The values of tax.vat_rate that snapshots may have. Name a new rate here when the law "
            "brings one; products that are stored keep theirs."},
    {.name = "HERALD_TRUSTED_PROXIES",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, trusted_proxies),
     .default_text = "",
     .is_valid = config_is_address_list,
     .allowed = "addresses separated by commas, such as 10.0.0.5,fd00::5; no networks",
     .doc = "Addresses of proxies, separated by commas, whose X-Forwarded-For counts."},
    {.name = "HERALD_NUMBER_PREFIXES",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, number_prefixes),
     .default_text = "+7",
     .is_valid = config_is_prefix_list,
     .allowed = PHONE_PREFIXES_ALLOWED,
     .doc = "How the numbers of SIMs, callers, and recipients of SMS and flash calls may begin, "
            "separated by commas; those of messengers may be any. Keep a prefix that phones or "
            "open codes still have."},
    {.name = "HERALD_ENVIRONMENT",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, is_test_environment),
     .default_text = "production",
     .words = environment_words,
     .doc = "Whether customers or developers use this herald. Where it is test, the numbers of "
            "HERALD_TEST_NUMBERS work for the root key, too."},
    {.name = "HERALD_TEST_NUMBERS",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, test_numbers),
     .default_text = "",
     .is_valid = config_is_test_number_list,
     .allowed = TEST_NUMBERS_ALLOWED,
     .doc =
         "Numbers whose codes are zeros and to which nothing is sent, in ranges separated by "
         "commas; the last two digits choose what happens (docs/contract.md, section 12.1). "
         "They work for API keys marked as test, and for the root key while HERALD_ENVIRONMENT is "
         "test; for all others they are numbers like any other."},
    {.name = "HERALD_SMS_LANGUAGE",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, sms_language),
     .default_text = "ru",
     .words = sms_language_words,
     .doc = "The language of an SMS with a code, and of what people are told of troubles."},
    {.name = "HERALD_LOG_LEVEL",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, log_level),
     .default_text = "info",
     .words = log_level_words,
     .doc = "The least level of what the process itself logs on stderr."},
    {.name = "HERALD_AUDIT_DAYS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, audit_days),
     .default_text = "400",
     .min = 0,
     .max = 3650,
     .doc = "How long the records of the audit are kept; 0 keeps them for ever."},
    {.name = "HERALD_PERSONAL_DAYS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, personal_days),
     .default_text = "0",
     .min = 0,
     .max = 3650,
     .doc = "How long codes, calls, messages and orders keep the number and whatever else is "
            "personal in them; then it is erased and the record stays. 0 keeps it for ever."},
    {.name = "HERALD_EVENTS",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, events),
     .default_text = "auto",
     .words = event_mode_words,
     .doc = "Whether events are written: auto writes them while a webhook endpoint is enabled, on "
            "always, so that the feed can be read without one, off never. Give the same value to "
            "every process."},
    {.name = "HERALD_EVENT_DAYS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, event_days),
     .default_text = "7",
     .min = 1,
     .max = EVENT_DAYS_MAX,
     .doc = "How long the feed keeps events."},
    {.name = "HERALD_ALERT_CHAT_ID",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, alert_chat_id),
     .is_valid = config_is_chat_id,
     .allowed = "the number of a chat, or the @name of a public one",
     .doc = "The chat in which the messenger bot tells people of troubles, and that they are over; "
            "without it none is told."},
    {.name = "HERALD_ALERT_NUMBER",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, alert_number),
     .is_valid = config_is_number,
     .allowed = "a phone number such as +79161234567",
     .doc = "The phone that gets an SMS of an own SIM about the same, at most 10 a day."},
    {.name = "HERALD_WEBHOOK_ALLOW_HTTP",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, may_use_http_for_webhooks),
     .default_text = "false",
     .words = boolean_words,
     .doc = "Whether the url of a webhook endpoint may be http: events then travel unencrypted."},
    {.name = "HERALD_WEBHOOK_NETWORKS",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, webhook_networks),
     .default_text = "public,private",
     .is_valid = config_is_network_list,
     .allowed = NETWORKS_ALLOWED,
     .doc = "Which addresses herald connects to when it delivers events to webhook endpoints, as "
            "in HERALD_ERP_NETWORKS. It looks at each connection."},
    {.name = "HERALD_WEBHOOK_CA_FILE",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, webhook_ca_file),
     .is_valid = config_is_readable,
     .allowed = CA_FILE_ALLOWED,
     .doc = "The certificates (PEM) by which webhook endpoints are trusted, as those of a "
            "company's own authority; by default the system's."},
    {.name = "LOG_SENSITIVE",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, is_log_sensitive),
     .default_text = "false",
     .words = boolean_words,
     .doc = "Whether the log stream shows full numbers, codes and used keys. For tests only."},
    {.name = "HERALD_EVENT_LOOPS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, loops),
     .default_text = "2",
     .min = 1,
     .max = 64,
     .doc = "How many threads serve connections."},
    {.name = "HERALD_SIM_SILENT_SECONDS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, sim_silent_s),
     .default_text = "180",
     .min = FLEET_SILENT_MIN_S,
     .max = FLEET_SILENT_MAX_S,
     .doc = "The log tells of a SIM whose phone has not claimed for so long, and of a messenger "
            "account that was connected and has not been declared for so long; and again when it "
            "is back."},
    {.name = "HERALD_DRAIN_SECONDS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, drain_s),
     .default_text = "3",
     .min = 0,
     .max = DRAIN_MAX_S,
     .doc = "For how long after SIGTERM ready answers 503 while all else goes on, so that a "
            "balancer sees it before connections are refused; a part of the 30 seconds within "
            "which the process ends. 0: not at all."},
    {.name = "HERALD_CONNECTIONS_MAX",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, connections_max),
     .default_text = "16000",
     .min = 10,
     .max = 1000000,
     .doc = "How many connections may be open at once. When all are taken, the longest idle one "
            "is closed for a new one, then the one whose request is the slowest to begin, then "
            "the slowest body without a right key, then the answer that nobody reads for longest; "
            "requests that run and log streams that are read stay. As many as the descriptors "
            "that the system allows, if those are fewer."},
    {.name = "HERALD_CONNECTIONS_PER_ADDRESS",
     .type = SETTING_NUMBER,
     .offset = offsetof(struct config, connections_per_address),
     .default_text = "auto",
     .may_be_auto = true,
     .min = 0,
     .max = 1000000,
     .doc = "How many of them one address may have, of IPv6 one /64; 0 is no limit. auto is a "
            "quarter of all, and no limit for this machine itself and for "
            "HERALD_TRUSTED_PROXIES; a number holds for them too."},
    {.name = "HERALD_TELEGRAM_GATEWAY_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, telegram_gateway.url),
     .default_text = "https://gatewayapi.telegram.org",
     .is_valid = config_is_base_url,
     .allowed = BASE_URL_ALLOWED,
     .doc = "Where Telegram Gateway is reached."},
    {.name = "HERALD_TELEGRAM_GATEWAY_TOKEN",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, telegram_gateway.token),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "The token of Telegram Gateway; with it, codes go out by messenger_gateway."},
    {.name = "HERALD_TELEGRAM_GATEWAY_SENDER",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, telegram_gateway.sender),
     .is_valid = config_is_sender,
     .allowed = "the user name of a channel, 4 to 32 letters, digits and underscores without @",
     .doc = "The verified Telegram channel that codes come from; without it, Telegram's own."},
    {.name = "HERALD_TELEGRAM_GATEWAY_CHECK_ABILITY",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, telegram_gateway.is_checking),
     .default_text = "false",
     .words = boolean_words,
     .doc = "Whether to ask first if a number can be reached. A send after that is free, and one "
            "whose outcome is unknown can be looked up; the asking itself is charged."},
    ROUTE_SETTINGS("HERALD_TELEGRAM_GATEWAY", telegram_gateway, "Telegram Gateway"),
    {.name = "HERALD_TELEGRAM_BOT_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, telegram_bot.url),
     .default_text = "https://api.telegram.org",
     .is_valid = config_is_base_url,
     .allowed = BASE_URL_ALLOWED,
     .doc = "Where the Bot API of Telegram is reached; it may be a server of your own."},
    {.name = "HERALD_TELEGRAM_BOT_TOKEN",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, telegram_bot.token),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "The token of the bot; with it, messages go out by messenger_bot."},
    ROUTE_SETTINGS("HERALD_TELEGRAM_BOT", telegram_bot, "the Bot API"),
    {.name = "HERALD_FLASH_CALL_DRIVER",
     .type = SETTING_WORD,
     .offset = offsetof(struct config, flash_call_driver),
     .default_text = "auto",
     .words = flash_call_words,
     .doc = "Who makes flash calls. auto: ucaller if its key is set, else flash_template if a "
            "template is, else nobody."},
    {.name = "HERALD_UCALLER_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, ucaller.url),
     .default_text = "https://api.ucaller.ru",
     .is_valid = config_is_base_url,
     .allowed = BASE_URL_ALLOWED,
     .doc = "Where uCaller is reached; /v1.0 follows."},
    {.name = "HERALD_UCALLER_KEY",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, ucaller.token),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "The secret key of uCaller."},
    {.name = "HERALD_UCALLER_SERVICE_ID",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, ucaller.service_id),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "The id of the service at uCaller that the key belongs to."},
    ROUTE_SETTINGS("HERALD_UCALLER", ucaller, "uCaller"),
    {.name = "HERALD_FLASH_TEMPLATE",
     .type = SETTING_TEMPLATE,
     .offset = offsetof(struct config, template_text),
     .doc = "Any other provider of flash calls: docs/flash-call-providers.md."},
    {.name = "HERALD_FLASH_TEMPLATE_URL",
     .type = SETTING_URL,
     .offset = offsetof(struct config, flash_template.url),
     .is_valid = config_is_base_url,
     .allowed = BASE_URL_ALLOWED,
     .doc = "Where that provider is reached, if not at the address in its template."},
    {.name = "HERALD_FLASH_TEMPLATE_KEY",
     .type = SETTING_SECRET,
     .offset = offsetof(struct config, flash_template.token),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "Its key or password: {key} in the template."},
    {.name = "HERALD_FLASH_TEMPLATE_SERVICE_ID",
     .type = SETTING_TEXT,
     .offset = offsetof(struct config, flash_template.service_id),
     .is_valid = config_is_visible,
     .allowed = VISIBLE_ALLOWED,
     .doc = "Its login, client or campaign: {service_id} in the template."},
    ROUTE_SETTINGS("HERALD_FLASH_TEMPLATE", flash_template, "the provider of the template"),
};

const size_t config_setting_count = COUNT_OF(config_settings);
