/* The values of settings are checked by these; a row of config_settings.c names its own. */
#include "app/setup/config_file.h"
#include "app/setup/config_settings.h"
#include "core/phone.h"
#include "domain/api_key/api_key.h"
#include "domain/catalog/catalog.h"
#include "domain/message/message.h"
#include "domain/test_number/test_number.h"
#include "kit/base/macros.h"
#include "kit/fetch/networks.h"
#include "kit/http/address.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { WHY_MAX = 8 * 1024 };

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

static bool is_address(const char *value)
{
    const char *colon = strrchr(value, ':');
    long long port;
    if (!colon || colon == value) return false;
    return str_to_int64(str_of(colon + 1), &port) && port >= 0 && port <= 65535;
}

bool config_is_listen_list(const char *value)
{
    struct str list = str_of(value);
    struct http_listen_item item;
    int count = 0;

    while (http_listen_next(&list, false, &item)) {
        if (++count > CONFIG_LISTENERS_MAX || !is_address(item.address)) return false;
    }
    return count > 0;
}

bool config_is_console_listen(const char *value)
{
    return strcmp(value, CONFIG_CONSOLE_OFF) == 0 || config_is_listen_list(value);
}

/* Takes addresses separated by commas, but no networks. */
bool config_is_address_list(const char *value)
{
    struct http_addresses addresses;
    return http_addresses_parse(str_of(value), &addresses);
}

bool config_is_prefix_list(const char *value)
{
    return phone_is_prefix_list(str_of(value));
}

bool config_is_test_number_list(const char *value)
{
    struct test_numbers numbers;
    return test_numbers_read(str_of(value), &numbers);
}

bool config_is_chat_id(const char *value)
{
    return message_format_chat_id.is_valid(str_of(value));
}

bool config_is_number(const char *value)
{
    return format_e164.is_valid(str_of(value));
}

bool config_is_network_list(const char *value)
{
    struct networks networks;
    return networks_parse(str_of(value), &networks);
}

bool config_is_vat_list(const char *value)
{
    const char *const *rates;
    struct arena arena;

    arena_init(&arena);
    bool is_list = catalog_vat_rates_read(str_of(value), &arena, &rates);
    arena_done(&arena);
    return is_list;
}

/* User and password end at the last '@', so they may hold no character that would end them earlier.
 */
static bool is_user_info_encoded(const char *url)
{
    const char *begin = strstr(url, "://");
    const char *at = strrchr(url, '@');
    if (!begin || !at) return true;
    begin += 3;
    return strcspn(begin, "/?#@ ") == (size_t)(at - begin);
}

bool config_is_database_url(const char *value)
{
    /* Only a file is taken: no :memory:, no parameters. */
    bool is_file =
        strncmp(value, "sqlite:", 7) == 0 && value[7] && value[7] != ':' && !strchr(value, '?');
    bool is_server =
        strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0;
    return is_file || (is_server && is_user_info_encoded(value));
}

bool config_is_visible(const char *value)
{
    return str_is_visible(str_of(value));
}

/* All addresses of a machine are none that a client could go to. */
static bool has_host_of_all(const char *url)
{
    char address[HTTP_HOST_LEN_MAX + sizeof(":65535")];
    const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "/");
    const char *bracket = memchr(host, ']', (size_t)(end - host));
    bool has_port =
        memchr(bracket ? bracket : host, ':', (size_t)(end - (bracket ? bracket : host)));

    snprintf(address, sizeof(address), "%.*s%s", (int)(end - host), host, has_port ? "" : ":1");
    return http_listen_is_any(address);
}

/* A URL that is shown to everybody has no password in it. */
bool config_is_web_url(const char *value)
{
    const char *host = strstr(value, "://");
    bool is_web = strncmp(value, "https://", 8) == 0 || strncmp(value, "http://", 7) == 0;
    return is_web && host[3] && host[3] != '/' && config_is_visible(value) &&
           !strpbrk(value, "?#@") && !has_host_of_all(value);
}

/* The paths of a provider follow it. */
bool config_is_base_url(const char *value)
{
    size_t len = strlen(value);
    if (!config_is_web_url(value) || strchr(value, '\\')) return false;
    return strstr(value, "://")[3] != ':' && strcmp(value + len - 2, "//") != 0;
}

/* Behind "//" and a user there must be a host, with a port and a slash at most. */
static bool has_host(const char *rest)
{
    const char *at = strrchr(rest, '@');
    const char *host = at ? at + 1 : rest;
    size_t len = strcspn(host, "/");
    return len > 0 && host[0] != ':' && (!host[len] || !host[len + 1]) && !strpbrk(host, "?#");
}

bool config_is_proxy_url(const char *value)
{
    static const char *const schemes[] = {"http://",    "https://",  "socks4://",
                                          "socks4a://", "socks5://", "socks5h://"};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        size_t len = strlen(schemes[i]);
        if (strncmp(value, schemes[i], len) != 0) continue;
        return config_is_visible(value) && is_user_info_encoded(value) && has_host(value + len);
    }
    return false;
}

bool config_is_readable(const char *value)
{
    AUTO_BUF why = {0};
    char byte;
    int fd;

    buf_init(&why, WHY_MAX);
    if (config_open_file(value, &fd, &why)) return false;
    bool has_byte = read(fd, &byte, 1) == 1;
    close(fd);
    return has_byte;
}

/* Takes a user name of Telegram. */
bool config_is_sender(const char *value)
{
    size_t len = strlen(value);
    return len >= 4 && len <= 32 && strspn(value, NAME_CHARS) == len;
}

bool config_is_vault_key(const char *value)
{
    struct vault *vault;
    if (vault_new(str_of(value), &vault)) return false;
    vault_free(vault);
    return true;
}

bool config_is_key_list(const char *value)
{
    const char *comma = strchr(value, ',');
    if (!config_is_visible(value)) return false;
    if (!comma) return true;
    return comma != value && comma[1] && !strchr(comma + 1, ',');
}

bool config_is_api_key(const char *value)
{
    size_t len = strlen(API_KEY_PREFIX);
    return strncmp(value, API_KEY_PREFIX, len) == 0 && strlen(value) == len + SECRET_TOKEN_LEN &&
           config_is_visible(value);
}
