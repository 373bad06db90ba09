/* Keys and certificates that lie in files may change while herald runs; then they are read anew. */
#include "app/app.h"
#include "app/setup/config_file.h"
#include "app/setup/config_settings.h"
#include "kit/base/text_file.h"
#include "kit/http/tls.h"

enum { WHY_MAX = 8 * 1024 };

static enum err read_root_keys(struct app *app, const char *path, struct arena *arena,
                               struct buf *why)
{
    char *keys;
    enum err err = config_read_value(path, arena, &keys, why);

    if (err == ERR_NOT_FOUND) buf_printf(why, "There is no file %s.", path);
    if (err) return err;
    bool is_list = config_is_key_list(keys);
    bool is_taken = is_list && root_keys_replace(&app->api.root_keys, str_of(keys));
    if (is_taken && text_is_quoted(str_of(keys)))
        log_write(LOG_WARNING,
                  "INTERNAL_API_KEY stands within quotes, and they are part of it: take them off "
                  "unless they are meant",
                  LOG_FIELDS(log_plain("file", path)));
    secret_wipe(keys, strlen(keys));
    if (is_taken) return ERR_OK;
    buf_text(why, is_list ? "It was replaced so often that only a new start takes another."
                          : "It must hold one key, or two that are separated by a comma.");
    return ERR_VALIDATION;
}

static void reload_root_keys(struct app *app, const char *path)
{
    struct log_field file = log_plain("file", path);
    AUTO_BUF why = {0};
    struct arena arena;

    arena_init(&arena);
    buf_init(&why, WHY_MAX);
    if (read_root_keys(app, path, &arena, &why) == ERR_OK)
        log_write(LOG_INFO, "INTERNAL_API_KEY was read anew", LOG_FIELDS(file));
    else
        log_write(LOG_ERROR, "INTERNAL_API_KEY cannot be read anew; the one before it stays in use",
                  LOG_FIELDS(file, log_plain("reason", arena_str(&arena, buf_view(&why)))));
    arena_done(&arena);
}

void app_reload(void *arg)
{
    struct app *app = arg;
    const char *path = config_source_file(app->config, "INTERNAL_API_KEY");

    log_write(LOG_INFO,
              "SIGHUP: keys and certificates that lie in files are read anew; any other setting "
              "takes a restart",
              LOG_FIELDS(log_plain("key_file", path),
                         log_plain("cert_file", app->tls ? app->config->tls_cert_file : NULL)));
    if (path && app->api.server) reload_root_keys(app, path);
    if (app->tls) tls_read_anew(app->tls);
}
