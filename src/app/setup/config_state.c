/* An embedded database needs more than its file: a second one, a folder, and keys that are made at
 * the first start. */
#include "app/setup/config.h"
#include "app/setup/config_file.h"
#include "app/setup/stores.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

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

static void sync_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd); /* a folder that cannot be synced is no reason not to start */
    close(fd);
}

/* Writes a line into a file that only its owner can read, all or nothing, and never over another
 * one: of two first starts at one moment, the second finds the key of the first. The name of the
 * draft cannot be guessed, and a file that has it all the same is not written to. */
static enum err write_private(const char *dir, const char *path, const char *text,
                              struct arena *arena, struct buf *why)
{
    const char *draft = arena_printf(arena, "%s.%s", path, secret_new_token(arena, ""));
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const struct iovec line[] = {{(void *)text, strlen(text)}, {(void *)"\n", 1}};
    ssize_t len = (ssize_t)line[0].iov_len + 1;

    bool is_written = fd >= 0 && writev(fd, line, 2) == len && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    bool is_there = is_written && (link(draft, path) == 0 || errno == EEXIST);
    if (!is_there) buf_printf(why, "The file %s cannot be written: %s.", path, strerror(errno));
    if (fd >= 0) (void)unlink(draft);
    sync_folder(dir);
    return is_there ? ERR_OK : ERR_VALIDATION;
}

/* Gives the first line of the file of the setting `name`; wipe it. Returns ERR_NOT_FOUND if there
 * is no file. Any other failure has a sentence, since a key that cannot be read must not be
 * replaced. */
static enum err read_key(const char *path, const char *name, struct arena *arena, char **ret_line,
                         struct buf *why)
{
    char *text;
    enum err err = config_read_value(path, arena, &text, why);
    if (err == ERR_VALIDATION)
        buf_printf(why, " It must hold %s: put it back from a backup, or give %s_FILE.", name,
                   name);
    if (err) return err;
    size_t len = strcspn(text, "\r\n");
    secret_wipe(text + len, strlen(text + len));
    *ret_line = text;
    return ERR_OK;
}

/* Reads the key `file` in `dir` into the setting `name`, and makes it first if there is none. */
static enum err read_or_make_key(struct config *config, const char *dir, const char *file,
                                 const char *name, struct arena *arena, struct buf *news,
                                 struct buf *why)
{
    const char *path = arena_printf(arena, "%s/%s", dir, file);
    char *key;
    enum err err = read_key(path, name, arena, &key, why);

    if (err == ERR_NOT_FOUND) {
        char *made = secret_new_token(arena, "");
        err = write_private(dir, path, made, arena, why);
        secret_wipe(made, SECRET_TOKEN_LEN);
        if (err) return err;
        buf_printf(news, "%s was made and lies in %s\n", file, path);
        err = read_key(path, name, arena, &key, why);
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

enum err config_complete(struct config *config, enum role role, struct arena *arena,
                         struct buf *news, struct buf *why)
{
    config_set_urls(config, arena);
    config->exchange_url = config->database_url;
    bool is_tool = role == ROLE_TOOL || role == ROLE_MIGRATE;
    if (!config_is_embedded(config)) return is_tool ? ERR_OK : require_keys(config, why);

    place_databases(config, arena);
    if (role == ROLE_API || role == ROLE_WORKER || role == ROLE_IDP) {
        buf_text(why, "An embedded database is served by one process: run `herald serve`, or set "
                      "HERALD_DATABASE_URL to a PostgreSQL database.");
        return ERR_VALIDATION;
    }
    if (role == ROLE_TOOL) return ERR_OK;
    const char *dir = config_database_dir(config, arena);
    enum err err = make_folders(dir, why);
    if (err || role == ROLE_MIGRATE) return err;
    if (!config->secret_key.data) {
        err = check_not_lost(config, dir, arena, why);
        if (!err)
            err =
                read_or_make_key(config, dir, "secret-key", "HERALD_SECRET_KEY", arena, news, why);
    }
    if (!err && !config->internal_keys.data)
        err =
            read_or_make_key(config, dir, "internal-api-key", "INTERNAL_API_KEY", arena, news, why);
    return err;
}

enum err config_find_internal_key(struct config *config, struct arena *arena, struct buf *why)
{
    char *key;

    if (config->internal_keys.data) return ERR_OK;
    if (!config_is_embedded(config)) {
        buf_text(why, "INTERNAL_API_KEY is not set. Give the one that the service runs with, or "
                      "its file by INTERNAL_API_KEY_FILE.");
        return ERR_VALIDATION;
    }
    place_databases(config, arena);
    const char *path =
        arena_printf(arena, "%s/internal-api-key", config_database_dir(config, arena));
    enum err err = read_key(path, "INTERNAL_API_KEY", arena, &key, why);
    if (err == ERR_NOT_FOUND) {
        buf_printf(why,
                   "There is neither an INTERNAL_API_KEY nor the file %s, which `herald serve` "
                   "makes at its first start: give --state-dir DIR, or the key by INTERNAL_API_KEY "
                   "or INTERNAL_API_KEY_FILE.",
                   path);
        return ERR_VALIDATION;
    }
    if (err) return err;
    return config_set_from_key_file(config, "INTERNAL_API_KEY", key, path, arena, why);
}
