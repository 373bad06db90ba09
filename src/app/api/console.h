/*
 * The console's side of a request (contract, section 18.3): how it came, from whose page, and with
 * which session. The operations behind its door are those of everybody, with the session's role.
 */
#pragma once

#include "core/route.h"
#include "kit/http/server.h"

struct api;

#define CONSOLE_PATH     "/console/"
#define CONSOLE_API_PATH "/console/api"
enum { CONSOLE_COOKIE_MAX = 200 };

/* Adds the rows that the console alone has to `routes`, where no path leads to them, and makes the
 * list of its door: the same rows at the same places. There no path leads to what is not for
 * operators, and a session takes the place of an internal key. */
void console_add_routes(struct route_list *routes, struct route_list *ret_console);

/* Returns the path of a request below CONSOLE_API_PATH as the rows have it. */
struct str console_path(const struct http_request *x);

/* Returns whether a Host is `localhost` or an address of the loopback, with or without a port: the
 * machine's own name. Any other name may be pointed at this machine by another site. */
bool console_is_own_host(struct str host);

/* ERR_NO_HTTPS: it came neither over HTTPS nor from a browser of this machine. ERR_CROSS_SITE: it
 * comes from a page of another site, or it changes something and does not prove that it does not.
 */
enum err console_check(const struct http_request *x, const struct api *api) MUST_CHECK;
/* Returns the token of the session, or no data. */
struct str console_session(const struct http_request *x, const struct api *api);
/* Writes the value of Set-Cookie for that token; "" ends the session of the browser. */
const char *console_cookie(const struct http_request *x, const struct api *api, const char *token,
                           char ret_cookie[static CONSOLE_COOKIE_MAX]);
