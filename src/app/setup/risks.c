/* One table has the risks of an installation. */
#include "app/setup/risks.h"

#include "app/setup/config_settings.h"
#include "kit/base/macros.h"

#include <sys/stat.h>
#include <unistd.h>

enum { INTERNAL_KEY_MIN = 24, DETAIL_MAX = 2048 };

static bool has_short_key(const struct config *config, enum role role, struct arena *arena,
                          struct buf *detail)
{
    struct str keys = str_of(config->internal_keys.data), key;
    (void)role, (void)arena, (void)detail;

    while (keys.len > 0 && str_next_item(&keys, &key)) {
        if (key.len < INTERNAL_KEY_MIN) return true;
    }
    return false;
}

static bool has_open_folder(const struct config *config, enum role role, struct arena *arena,
                            struct buf *detail)
{
    struct stat status;
    (void)role;

    if (!config_is_embedded(config)) return false;
    const char *dir = config_database_dir(config, arena);
    if (stat(dir, &status) || !(status.st_mode & (S_IRWXG | S_IRWXO))) return false;
    buf_text(detail, dir);
    return true;
}

/* Returns the path in the source of a secret, "the file PATH" or "PATH, line N"; NULL for any
 * other. */
static const char *file_of(const char *source, struct arena *arena)
{
    static const char file[] = "the file ";
    const char *line = strstr(source, ", line ");

    if (strncmp(source, file, sizeof(file) - 1) == 0) return source + sizeof(file) - 1;
    return line ? arena_str(arena, (struct str){source, (size_t)(line - source)}) : NULL;
}

static bool has_open_key_file(const struct config *config, enum role role, struct arena *arena,
                              struct buf *detail)
{
    struct stat status;
    (void)role;

    for (size_t i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        const void *value = (const char *)config + setting->offset;
        const char *url = setting->type == SETTING_URL ? *(const char *const *)value : NULL;
        const char *path = file_of(config_source(config, setting->name), arena);
        /* A URL with a password or a query counts as secret. */
        bool is_secret = setting->type == SETTING_SECRET || (url && strpbrk(url, "@?"));
        if (!is_secret || !path || stat(path, &status)) continue;
        /* Root's group may read it, since systemd hands over credentials like that. */
        bool may_group_read = status.st_mode & S_IRGRP && status.st_gid != 0;
        if (!may_group_read && !(status.st_mode & S_IROTH)) continue;
        buf_text(detail, path);
        return true;
    }
    return false;
}

static bool is_plain_beyond_loopback(const struct config *config, enum role role,
                                     struct arena *arena, struct buf *detail)
{
    (void)arena;
    bool is_loopback = strncmp(config->listen, "127.", 4) == 0 ||
                       strncmp(config->listen, "[::1]:", 6) == 0 ||
                       strncmp(config->listen, "localhost:", 10) == 0;
    if (is_loopback || role == ROLE_WORKER) return false;
    buf_text(detail, config->listen);
    return true;
}

static bool is_root(const struct config *config, enum role role, struct arena *arena,
                    struct buf *detail)
{
    (void)config, (void)role, (void)arena, (void)detail;
    return geteuid() == 0;
}

const struct risk risks[] = {
    {"short_internal_key",
     "INTERNAL_API_KEY has fewer than 24 characters, so it might be guessed. Make a longer one, "
     "for "
     "example with `openssl rand -hex 32`, and give both, separated by a comma, while clients "
     "change.",
     has_short_key},
    {"open_state_folder",
     "Other users may enter the folder of the database and its keys. Run `chmod 700` on it.",
     has_open_folder},
    {"open_key_file",
     "Other users may read a file that holds a secret. Run `chmod 600` on it, and change the "
     "secret "
     "if they may have read it.",
     has_open_key_file},
    {"plain_http",
     "herald answers plain HTTP at an address that other machines may reach: keys and codes travel "
     "unencrypted. Let it listen at 127.0.0.1 behind a proxy that speaks HTTPS (docs/deploy.md).",
     is_plain_beyond_loopback},
    {"root",
     "herald runs as root and needs no right of root. Run it as a user of its own, as "
     "packaging/herald.service does.",
     is_root},
};

const size_t risk_count = COUNT_OF(risks);

void risks_warn(const struct config *config, enum role role)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < risk_count; i++) {
        AUTO_BUF detail = {0};
        buf_init(&detail, DETAIL_MAX);
        if (!risks[i].is_taken(config, role, &arena, &detail)) continue;
        const char *text = detail.len > 0 ? arena_str(&arena, buf_view(&detail)) : NULL;
        log_write(LOG_WARNING, risks[i].sentence,
                  LOG_FIELDS(log_text("risk", risks[i].name), log_text("where", text)));
    }
    arena_done(&arena);
}
