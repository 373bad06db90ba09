/* A browser says by Host, Origin and Sec-Fetch-Site where a request comes from. */
#include "app/api/console.h"

#include "app/api/api.h"
#include "app/api/routes.h"
#include "domain/operator/operator.h"

#include <stdio.h>

#define SECURE_COOKIE "__Host-herald"
#define PLAIN_COOKIE  "herald_session"

/* --- Routes ----------------------------------------------------------------------------------- */

/* An empty path is that of no request. */
static void hide(struct route *route)
{
    route->path = "";
    route->fixed_len = 0;
}

static bool is_for_console(const struct route *route)
{
    return route->auth == AUTH_CONSOLE || route->auth == AUTH_SESSION;
}

void console_add_routes(struct route_list *routes, struct route_list *ret_console)
{
    route_list_add(routes, &operator_console_routes);
    *ret_console = *routes;
    for (size_t i = 0; i < routes->count; i++) {
        struct route *route = &ret_console->rows[i];
        if (is_for_console(route))
            hide(&routes->rows[i]);
        else if (route->auth == AUTH_INTERNAL_KEY)
            route->auth = AUTH_SESSION;
        else
            hide(route);
    }
}

struct str console_path(const struct http_request *x)
{
    struct str path = http_path(x);
    size_t len = strlen(CONSOLE_API_PATH);

    return (struct str){path.data + len, path.len - len};
}

/* --- Where it comes from ---------------------------------------------------------------------- */

static bool is_https(const struct http_request *x, const struct api *api)
{
    if (http_is_tls(x)) return true;
    return http_addresses_have(&api->trusted_proxies, http_peer(x)) &&
           str_is_nocase(http_header_get(x, "X-Forwarded-Proto"), "https");
}

bool console_is_own_host(struct str host)
{
    struct in6_addr address;
    struct str name = host;

    for (size_t i = 0; i < host.len && host.data[0] != '['; i++) {
        if (host.data[i] == ':') name.len = i < name.len ? i : name.len;
    }
    if (str_is_nocase(name, "localhost")) return true;
    return http_address_parse_forwarded(host, &address) && http_address_is_loopback(&address);
}

static enum err check_transport(const struct http_request *x, const struct api *api)
{
    if (is_https(x, api)) return ERR_OK;
    bool is_local =
        http_address_is_loopback(http_peer(x)) && console_is_own_host(http_header_get(x, "Host"));
    return is_local ? ERR_OK : ERR_NO_HTTPS;
}

/* Every browser sends Origin with a change, and no other site can send the second header without
 * being asked for first (CORS), which nothing here answers. */
static bool is_of_own_page(const struct http_request *x, const struct api *api)
{
    const char *scheme = is_https(x, api) ? "https://" : "http://";
    struct str host = http_header_get(x, "Host"), origin = http_header_get(x, "Origin");
    size_t len = strlen(scheme);

    if (http_header_count(x, "Origin") != 1 || origin.len != len + host.len) return false;
    if (memcmp(origin.data, scheme, len) != 0) return false;
    if (memcmp(origin.data + len, host.data, host.len) != 0) return false;
    return str_is(http_header_get(x, "X-Herald-Console"), "1");
}

enum err console_check(const struct http_request *x, const struct api *api)
{
    struct str site = http_header_get(x, "Sec-Fetch-Site");
    struct str method = http_method(x);
    bool is_read = str_is(method, "GET") || str_is(method, "HEAD");

    enum err err = check_transport(x, api);
    if (err) return err;
    if (site.data && !str_is(site, "same-origin")) return ERR_CROSS_SITE;
    return is_read || is_of_own_page(x, api) ? ERR_OK : ERR_CROSS_SITE;
}

/* --- Cookies ---------------------------------------------------------------------------------- */

struct str console_session(const struct http_request *x, const struct api *api)
{
    const char *name = is_https(x, api) ? SECURE_COOKIE : PLAIN_COOKIE;
    struct str rest = http_header_get(x, "Cookie"), found = {0};
    size_t name_len = strlen(name);
    int count = 0;

    while (rest.len > 0) {
        const char *end = memchr(rest.data, ';', rest.len);
        size_t len = end ? (size_t)(end - rest.data) : rest.len;
        struct str pair = str_trim((struct str){rest.data, len});
        if (pair.len > name_len && memcmp(pair.data, name, name_len) == 0 &&
            pair.data[name_len] == '=') {
            found = (struct str){pair.data + name_len + 1, pair.len - name_len - 1};
            count++;
        }
        len += end ? 1 : 0;
        rest = (struct str){rest.data + len, rest.len - len};
    }
    /* Two of that name: another page of this host has set one. */
    return count == 1 ? found : (struct str){0};
}

const char *console_cookie(const struct http_request *x, const struct api *api, const char *token,
                           char ret_cookie[static CONSOLE_COOKIE_MAX])
{
    bool is_secure = is_https(x, api);
    int len = snprintf(
        ret_cookie, CONSOLE_COOKIE_MAX, "%s=%s; Path=%s; %sHttpOnly; SameSite=Strict; Max-Age=%d",
        is_secure ? SECURE_COOKIE : PLAIN_COOKIE, token, is_secure ? "/" : CONSOLE_PATH,
        is_secure ? "Secure; " : "", token[0] ? (int)(OPERATOR_SESSION_MS / 1000) : 0);
    assert(len > 0 && len < CONSOLE_COOKIE_MAX);
    return ret_cookie;
}
