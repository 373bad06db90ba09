/* An embedded database needs more than its file: a second one, a folder, and keys that are made at
 * the first start. */
#include "app/setup/config.h"
#include "app/setup/config_file.h"
#include "app/setup/key_file.h"
#include "app/setup/stores.h"

#include <errno.h>
#include <sys/stat.h>

static enum err make_folders(const char *path, struct buf *why)
{
    char partial[4096];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof(partial)) {
        buf_text(why, "HERALD_STATE_DIR is too long a path.");
        return ERR_VALIDATION;
    }
    memcpy(partial, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (partial[i] != '/' && partial[i] != '\0') continue;
        char kept = partial[i];
        partial[i] = '\0';
        if (mkdir(partial, 0700) && errno != EEXIST) {
            buf_printf(why, "The folder %s cannot be made: %s. Choose another HERALD_STATE_DIR.",
                       partial, strerror(errno));
            return ERR_VALIDATION;
        }
        partial[i] = kept;
    }
    return ERR_OK;
}

/* Reads the key `file` in `dir` into the setting `name`, and makes it first if there is none. */
static enum err read_or_make_key(struct config *config, const char *dir, const char *file,
                                 const char *name, struct arena *arena, struct buf *news,
                                 struct buf *why)
{
    const char *path = arena_printf(arena, "%s/%s", dir, file);
    char *key;
    enum err err = key_file_read(path, name, arena, &key, why);

    if (err == ERR_NOT_FOUND) {
        char *made = secret_new_token(arena, "");
        err = key_file_write(dir, path, made, arena, why);
        secret_wipe(made, SECRET_TOKEN_LEN);
        if (err) return err;
        buf_printf(news, "%s was made and lies in %s\n", file, path);
        err = key_file_read(path, name, arena, &key, why);
    }
    if (err) return err;
    return config_set_from_key_file(config, name, key, path, arena, why);
}

/* Refuses a database whose key is missing, since a new key would not open it. A database that was
 * only migrated holds no sealed value. */
static enum err check_not_lost(const struct config *config, const char *dir, struct arena *arena,
                               struct buf *why)
{
    const char *path = arena_printf(arena, "%s/secret-key", dir);
    struct stat status;
    bool are_sealed;

    if (lstat(path, &status) == 0) return ERR_OK; /* whatever it is, it will be read */
    enum err err = stores_are_sealed(config, &are_sealed, why);
    if (err || !are_sealed) return err;
    buf_printf(why,
               "The database is there, but its key file %s is missing. Restore it from a "
               "backup, or give HERALD_SECRET_KEY.",
               path);
    return ERR_VALIDATION;
}

/* There is one only while the key is being replaced. */
static enum err read_next_key(struct config *config, const char *path, struct arena *arena,
                              struct buf *why)
{
    char *key;

    config->secret_key_file = path;
    enum err err = key_file_read(key_file_next(path, arena), "HERALD_SECRET_KEY", arena, &key, why);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    secret_init(&config->next_secret_key, str_of(key));
    secret_wipe(key, strlen(key));
    return ERR_OK;
}

/* A relative file lies in the state folder, and the exchange store beside it: herald-exchange.db.
 */
static void place_databases(struct config *config, struct arena *arena)
{
    const char *path = config_database_path(config);
    if (path[0] != '/')
        config->database_url = arena_printf(arena, "sqlite:%s/%s", config->state_dir, path);

    const char *url = config->database_url;
    size_t len = strlen(url);
    const char *end = len > 3 && strcmp(url + len - 3, ".db") == 0 ? ".db" : "";
    config->exchange_url =
        arena_printf(arena, "%.*s-exchange%s", (int)(len - strlen(end)), url, end);
}

static enum err require_keys(const struct config *config, struct buf *why)
{
    if (!config->internal_keys.data) {
        buf_text(why, "INTERNAL_API_KEY is not set. On PostgreSQL it is never made by itself: set "
                      "it, or INTERNAL_API_KEY_FILE, alike for every process.");
        return ERR_VALIDATION;
    }
    if (!config->secret_key.data) {
        buf_text(why, "HERALD_SECRET_KEY is not set. On PostgreSQL it is never made by itself: set "
                      "it, or HERALD_SECRET_KEY_FILE, to the same 32 bytes as base64url for every "
                      "process.");
        return ERR_VALIDATION;
    }
    return ERR_OK;
}

static enum err check_alerts(const struct config *config, struct buf *why)
{
    if (!config->alert_chat_id || config->telegram_bot.token.data) return ERR_OK;
    buf_printf(why,
               "HERALD_ALERT_CHAT_ID from %s names a chat, and there is no messenger bot that "
               "could tell it anything. Set HERALD_TELEGRAM_BOT_TOKEN, or unset it.",
               config_source(config, "HERALD_ALERT_CHAT_ID"));
    return ERR_VALIDATION;
}

enum err config_complete(struct config *config, enum process_role role, struct arena *arena,
                         struct buf *news, struct buf *why)
{
    config_place_console(config, role);
    enum err err = config_check_tls(config, why);
    if (!err) err = check_alerts(config, why);
    if (err) return err;
    config_set_urls(config, arena);
    config->exchange_url = config->database_url;
    bool is_tool = role == PROCESS_TOOL || role == PROCESS_MIGRATE;
    if (!config_is_embedded(config)) return is_tool ? ERR_OK : require_keys(config, why);

    place_databases(config, arena);
    if (role == PROCESS_API || role == PROCESS_WORKER || role == PROCESS_IDP) {
        buf_text(why, "An embedded database is served by one process: run `herald serve`, or set "
                      "HERALD_DATABASE_URL to a PostgreSQL database.");
        return ERR_VALIDATION;
    }
    if (role == PROCESS_TOOL) return ERR_OK;
    const char *dir = config_database_dir(config, arena);
    err = make_folders(dir, why);
    if (err || role == PROCESS_MIGRATE) return err;
    if (!config->secret_key.data) {
        err = check_not_lost(config, dir, arena, why);
        if (!err)
            err =
                read_or_make_key(config, dir, "secret-key", "HERALD_SECRET_KEY", arena, news, why);
        if (!err)
            err = read_next_key(config, arena_printf(arena, "%s/secret-key", dir), arena, why);
    }
    if (!err && !config->internal_keys.data)
        err =
            read_or_make_key(config, dir, "internal-api-key", "INTERNAL_API_KEY", arena, news, why);
    return err;
}

/* Finds the setting `name` in `key`, or else in the file that an embedded `serve` made. */
static enum err find_key(struct config *config, const struct secret *key, const char *name,
                         const char *file, struct arena *arena, struct buf *why)
{
    char *text;

    if (key->data) return ERR_OK;
    if (!config_is_embedded(config)) {
        buf_printf(why,
                   "%s is not set. Give the one that the service runs with, or its file by "
                   "%s_FILE.",
                   name, name);
        return ERR_VALIDATION;
    }
    if (!config->exchange_url) place_databases(config, arena);
    const char *path = arena_printf(arena, "%s/%s", config_database_dir(config, arena), file);
    enum err err = key_file_read(path, name, arena, &text, why);
    if (err == ERR_NOT_FOUND) {
        buf_printf(why,
                   "There is neither %s nor the file %s, which `herald serve` makes at its first "
                   "start: give --state-dir DIR, or the key by %s or %s_FILE.",
                   name, path, name, name);
        return ERR_VALIDATION;
    }
    if (err) return err;
    return config_set_from_key_file(config, name, text, path, arena, why);
}

enum err config_find_internal_key(struct config *config, struct arena *arena, struct buf *why)
{
    return find_key(config, &config->internal_keys, "INTERNAL_API_KEY", "internal-api-key", arena,
                    why);
}

enum err config_find_secret_key(struct config *config, struct arena *arena, struct buf *why)
{
    return find_key(config, &config->secret_key, "HERALD_SECRET_KEY", "secret-key", arena, why);
}
