/* One table has the risks of an installation. */
#include "app/setup/risks.h"

#include "app/setup/config_settings.h"
#include "kit/base/macros.h"
#include "kit/base/text_file.h"
#include "kit/http/address.h"

#include <sys/stat.h>
#include <unistd.h>

enum { INTERNAL_KEY_MIN = 24, DETAIL_MAX = 2048 };

static bool has_short_key(const struct config *config, enum process_role role, struct arena *arena,
                          struct buf *detail)
{
    struct str keys = str_of(config->internal_keys.data), key;
    (void)role, (void)arena, (void)detail;

    while (keys.len > 0 && str_next_item(&keys, &key)) {
        if (key.len < INTERNAL_KEY_MIN) return true;
    }
    return false;
}

static bool has_open_folder(const struct config *config, enum process_role role,
                            struct arena *arena, struct buf *detail)
{
    struct stat status;
    (void)role;

    if (!config_is_embedded(config)) return false;
    const char *dir = config_database_dir(config, arena);
    if (stat(dir, &status) || !(status.st_mode & (S_IRWXG | S_IRWXO))) return false;
    buf_text(detail, dir);
    return true;
}

/* Returns the file of its own, or of settings, that a secret came from; NULL: it came otherwise. */
static const char *file_of(const struct config *config, const char *name, struct arena *arena)
{
    const char *source = config_source(config, name), *line = strstr(source, ", line ");
    const char *own = config_source_file(config, name);

    if (own) return own;
    return line ? arena_str(arena, (struct str){source, (size_t)(line - source)}) : NULL;
}

/* Root's group may read it, since systemd hands over credentials like that. */
static bool may_others_read(const char *path)
{
    struct stat status;

    if (!path || stat(path, &status)) return false;
    bool may_group_read = status.st_mode & S_IRGRP && status.st_gid != 0;
    return may_group_read || status.st_mode & S_IROTH;
}

/* Returns the file from which a secret was read, or NULL. A URL with a password or a query counts
 * as secret. */
static const char *secret_file(const struct config *config, const struct setting *setting,
                               struct arena *arena)
{
    const void *value = (const char *)config + setting->offset;
    const char *url = setting->type == SETTING_URL ? *(const char *const *)value : NULL;
    bool is_secret = setting->type == SETTING_SECRET || (url && strpbrk(url, "@?"));

    return is_secret ? file_of(config, setting->name, arena) : NULL;
}

static bool has_open_key_file(const struct config *config, enum process_role role,
                              struct arena *arena, struct buf *detail)
{
    const char *path = config->tls_key_file;
    bool is_open = may_others_read(path);
    (void)role;

    for (size_t i = 0; i < config_setting_count && !is_open; i++) {
        path = secret_file(config, &config_settings[i], arena);
        is_open = may_others_read(path);
    }
    if (is_open) buf_text(detail, path);
    return is_open;
}

static bool is_plain_beyond_loopback(const struct config *config, enum process_role role,
                                     struct arena *arena, struct buf *detail)
{
    struct str list = str_of(config->listen);
    struct http_listen_item item;
    (void)arena;

    if (role == PROCESS_WORKER) return false;
    while (http_listen_next(&list, config->tls_cert_file != NULL, &item)) {
        if (item.is_tls || config_is_loopback(item.address)) continue;
        buf_printf(detail, "%s%s", detail->len > 0 ? ", " : "", item.address);
    }
    return detail->len > 0;
}

static bool is_root(const struct config *config, enum process_role role, struct arena *arena,
                    struct buf *detail)
{
    (void)config, (void)role, (void)arena, (void)detail;
    return geteuid() == 0;
}

static bool has_idle_test_numbers(const struct config *config, enum process_role role,
                                  struct arena *arena, struct buf *detail)
{
    (void)role, (void)arena;
    if (config->is_test_environment || !config->test_numbers[0]) return false;
    buf_text(detail, config->test_numbers);
    return true;
}

static bool has_test_numbers(const struct config *config, enum process_role role,
                             struct arena *arena, struct buf *detail)
{
    (void)role, (void)arena;
    if (!config->is_test_environment || !config->test_numbers[0]) return false;
    buf_text(detail, config->test_numbers);
    return true;
}

/* Docker's --env-file and Kubernetes hand quotes over with the value, and so does a file that holds
 * nothing else. */
static bool has_quoted_value(const struct config *config, enum process_role role,
                             struct arena *arena, struct buf *detail)
{
    (void)role;

    for (size_t i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        const void *value = (const char *)config + setting->offset;
        bool is_secret = setting->type == SETTING_SECRET;
        bool is_text = setting->type == SETTING_TEXT || setting->type == SETTING_URL ||
                       setting->type == SETTING_TEMPLATE;
        const char *text = is_secret ? ((const struct secret *)value)->data
                           : is_text ? *(const char *const *)value
                                     : NULL;
        bool is_as_given = strcmp(config->sources[i].text, CONFIG_ENVIRONMENT) == 0 ||
                           file_of(config, setting->name, arena);
        if (is_as_given && text_is_quoted(str_of(text)))
            buf_printf(detail, "%s%s", detail->len > 0 ? ", " : "", setting->name);
    }
    return detail->len > 0;
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
     "unencrypted. Give it a certificate (HERALD_TLS_CERT_FILE), or let it listen at 127.0.0.1 "
     "behind a proxy that speaks HTTPS (docs/deploy.md).",
     is_plain_beyond_loopback},
    {"quoted_value",
     "A value from the environment, or from a file of its own, stands within quotes, and they are "
     "part of it. Take them off unless they are meant: only a shell and a file of settings do that "
     "by themselves.",
     has_quoted_value},
    {"root",
     "herald runs as root and needs no right of root. Run it as a user of its own, as "
     "packaging/herald.service does.",
     is_root},
    {"test_numbers",
     "Anybody can confirm a test number, since its code is zeros. Where customers are, set "
     "HERALD_ENVIRONMENT=production.",
     has_test_numbers},
    {"idle_test_numbers",
     "HERALD_ENVIRONMENT is production, so the numbers of HERALD_TEST_NUMBERS work for API keys "
     "marked as test alone. Set it to test where developers are; without such a key, name no test "
     "numbers.",
     has_idle_test_numbers},
};

const size_t risk_count = COUNT_OF(risks);

void risks_warn(const struct config *config, enum process_role role)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < risk_count; i++) {
        AUTO_BUF detail = {0};
        buf_init(&detail, DETAIL_MAX);
        if (!risks[i].is_taken(config, role, &arena, &detail)) continue;
        const char *text = detail.len > 0 ? arena_str(&arena, buf_view(&detail)) : NULL;
        log_write(LOG_WARNING, risks[i].sentence,
                  LOG_FIELDS(log_plain("risk", risks[i].name), log_plain("where", text)));
    }
    arena_done(&arena);
}
