/* This reads where herald listens, over plain HTTP and HTTPS, and makes the URLs that follow from
 * it (contract, section 19). */
#include "app/setup/config.h"
#include "app/setup/config_settings.h"
#include "domain/token/token.h"
#include "kit/base/macros.h"
#include "kit/http/address.h"

/* An address without http:// or https:// speaks HTTPS if there is a certificate. */
static bool next_address(const struct config *config, struct str *list,
                         struct http_listen_item *ret_item)
{
    return http_listen_next(list, config->tls_cert_file != NULL, ret_item);
}

bool config_is_loopback(const char *address)
{
    static const char *const beginnings[] = {"127.", "[::1]:", "localhost:"};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        if (strncmp(address, beginnings[i], strlen(beginnings[i])) == 0) return true;
    }
    return false;
}

/* --- URLs ------------------------------------------------------------------------------------- */

/* All addresses of a machine are none that anybody could be sent to, but one of them is the
 * loopback's (contract, section 7 "herald's own URL"). */
static const char *url_of(const struct http_listen_item *item, struct arena *arena)
{
    const char *scheme = item->is_tls ? "https" : "http";

    if (!http_listen_is_any(item->address))
        return arena_printf(arena, "%s://%s", scheme, item->address);
    return arena_printf(arena, "%s://127.0.0.1%s", scheme, strrchr(item->address, ':'));
}

const char *config_local_url(const struct config *config, struct arena *arena)
{
    struct str list = str_of(config->listen);
    struct http_listen_item item;
    const char *first = NULL;

    while (next_address(config, &list, &item)) {
        bool is_here = config_is_loopback(item.address) || http_listen_is_any(item.address);
        if (!item.is_tls && is_here) return url_of(&item, arena);
        if (!first) first = url_of(&item, arena);
    }
    return first;
}

/* Finds the first address that speaks HTTPS, or else the first. */
static struct http_listen_item find_own(const struct config *config)
{
    struct str list = str_of(config->listen);
    struct http_listen_item item, first = {.address = ""};

    while (next_address(config, &list, &item)) {
        if (item.is_tls) return item;
        if (!first.address[0]) first = item;
    }
    return first;
}

static const char *make_own_url(const struct config *config, struct arena *arena)
{
    struct http_listen_item own = find_own(config);

    if (!config->public_url) return url_of(&own, arena);
    size_t len = strlen(config->public_url);
    while (len > 0 && config->public_url[len - 1] == '/')
        len--;
    return arena_str(arena, (struct str){config->public_url, len});
}

bool config_is_url_local(const struct config *config)
{
    struct http_listen_item own = find_own(config);
    return !config->public_url && http_listen_is_any(own.address);
}

void config_set_urls(struct config *config, struct arena *arena)
{
    config->own_url = make_own_url(config, arena);
    config->token_url = arena_printf(arena, "%s" TOKEN_PATH, config->own_url);
}

/* --- Port 0 ----------------------------------------------------------------------------------- */

static bool has_port_0(const char *address)
{
    const char *colon = strrchr(address, ':');
    long long number;

    return colon && str_to_int64(str_of(colon + 1), &number) && number == 0;
}

void config_set_ports(struct config *config, const char *addresses, struct arena *arena)
{
    struct str list = str_of(config->listen), bound = str_of(addresses), text;
    struct http_listen_item item, real;
    const char *made = "";

    while (str_next_item(&list, &text) && http_listen_next(&bound, false, &real)) {
        struct str rest = text;
        bool is_item = http_listen_next(&rest, false, &item);
        const char *port = strrchr(real.address, ':');
        assert(is_item && port);
        size_t len = text.len;
        if (has_port_0(item.address)) len -= strlen(strrchr(item.address, ':'));
        made = arena_printf(arena, "%s%s%.*s%s", made, made[0] ? "," : "", (int)len, text.data,
                            len < text.len ? port : "");
    }
    config->listen = made;
    config_set_urls(config, arena);
}

/* --- The console ------------------------------------------------------------------------------ */

void config_place_console(struct config *config, enum process_role role)
{
    bool is_server = role == PROCESS_SERVE || role == PROCESS_API;

    config->is_console_default = !config->console_listen && role == PROCESS_SERVE;
    if (config->is_console_default) config->console_listen = "http://" CONFIG_CONSOLE_DEFAULT;
    if (!config->console_listen) return;
    if (!is_server || strcmp(config->console_listen, CONFIG_CONSOLE_OFF) == 0)
        config->console_listen = NULL;
}

/* --- The certificate -------------------------------------------------------------------------- */

/* Returns the name of the first setting that has an address that speaks HTTPS, or NULL. */
static const char *find_secure(const struct config *config)
{
    const struct {
        const char *name, *addresses;
    } rows[] = {{"HERALD_LISTEN", config->listen},
                {"HERALD_CONSOLE_LISTEN", config->console_listen},
                {"HERALD_METRICS_LISTEN", config->metrics_listen}};
    struct http_listen_item item;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str list = str_of(rows[i].addresses ? rows[i].addresses : "");
        while (list.len > 0 && next_address(config, &list, &item)) {
            if (item.is_tls) return rows[i].name;
        }
    }
    return NULL;
}

enum err config_check_tls(const struct config *config, struct buf *why)
{
    bool has_cert = config->tls_cert_file, has_key = config->tls_key_file;
    const char *secure = find_secure(config);

    if (has_cert != has_key)
        buf_printf(why,
                   "%s is set and %s is not: HTTPS needs the certificate and its key. Set both, or "
                   "none.",
                   has_cert ? "HERALD_TLS_CERT_FILE" : "HERALD_TLS_KEY_FILE",
                   has_cert ? "HERALD_TLS_KEY_FILE" : "HERALD_TLS_CERT_FILE");
    else if (secure && !has_cert)
        buf_printf(why,
                   "%s from %s has an https:// address, and there is no certificate for it. Set "
                   "HERALD_TLS_CERT_FILE and HERALD_TLS_KEY_FILE.",
                   secure, config_source(config, secure));
    else if (has_cert && !secure)
        buf_printf(why,
                   "HERALD_TLS_CERT_FILE is set, and HERALD_LISTEN from %s has http:// addresses "
                   "alone. Write https:// before one of them, or unset the certificate.",
                   config_source(config, "HERALD_LISTEN"));
    else
        return ERR_OK;
    return ERR_VALIDATION;
}
