/* The console shares the server with the API: its addresses come behind those of the API. */
#include "app/console/console_place.h"

#include "app/console/console_files.h"

#include <unistd.h>

enum { WHY_MAX = 1024 };

void console_choose(struct config *config, struct api *api)
{
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    if (!config->console_listen) return;
    if (console_file_count == 0)
        log_write(config->is_console_default ? LOG_INFO : LOG_WARNING,
                  "there is no console: this herald was built where its parts could not be fetched",
                  NULL, 0);
    else if (config->is_console_default && !http_can_listen(CONFIG_CONSOLE_DEFAULT, &why)) {
        buf_char(&why, '\0');
        log_write(LOG_WARNING,
                  "there is no console: name another address, or off, in HERALD_CONSOLE_LISTEN",
                  LOG_FIELDS(log_plain("cause", why.data)));
    } else
        api->console = console_take_head;
    if (!api->console) config->console_listen = NULL;
    api->console_listener = http_listen_count(config->listen);
}

/* The address of all interfaces is none that a browser can go to. Over plain HTTP the console
 * answers this machine alone (console_check). */
static const char *reachable(const struct http_listen_item *item, struct arena *arena)
{
    char host[HTTP_HOST_LEN_MAX] = "localhost";

    if (!http_listen_is_any(item->address)) return arena_text(arena, item->address);
    if (item->is_tls) (void)gethostname(host, sizeof(host) - 1);
    return arena_printf(arena, "%s%s", host, strrchr(item->address, ':'));
}

const char *console_find_url(const struct api *api, const char *bound, struct arena *arena)
{
    struct str list = str_of(bound);
    struct http_listen_item item;

    for (int i = 0; api->console && http_listen_next(&list, false, &item); i++) {
        if (i == api->console_listener)
            return arena_printf(arena, "%s://%s", item.is_tls ? "https" : "http",
                                reachable(&item, arena));
    }
    return NULL;
}
