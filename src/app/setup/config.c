/* Values are taken from their sources by weight, and checked. */
#include "app/setup/config_file.h"
#include "app/setup/config_settings.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARE_PLACES = 6 };

#define FILE_SOURCE "the file "

static const struct setting *find_setting(struct str name)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        if (str_is(name, config_settings[i].name)) return &config_settings[i];
    }
    return NULL;
}

/* Finds "HERALD_LISTEN" for "listen", and "LOG_SENSITIVE" for "log-sensitive". */
static const struct setting *find_flag(struct str flag)
{
    char name[64] = "HERALD_";
    size_t prefix = strlen(name);

    if (flag.len >= sizeof(name) - prefix) return NULL;
    for (size_t i = 0; i < flag.len; i++)
        name[prefix + i] = flag.data[i] == '-' ? '_' : (char)toupper((unsigned char)flag.data[i]);
    const struct setting *setting = find_setting(str_of(name + prefix));
    return setting ? setting : find_setting(str_of(name));
}

static enum err complain(struct buf *why, const struct setting *setting, const char *source,
                         const char *value)
{
    /* A secret is not repeated, not even a wrong one; nor is a URL that may have one in it. */
    bool is_secret = setting->type == SETTING_SECRET || setting->type == SETTING_URL;
    buf_printf(why, "%s from %s %s%.200s%s: it must be ", setting->name, source,
               is_secret ? "has a bad value" : "is \"", is_secret ? "" : value,
               is_secret ? "" : "\"");
    if (text_is_quoted(str_of(value))) buf_text(why, "without quotes around it, ");
    switch (setting->type) {
    case SETTING_NUMBER:
        buf_printf(why, "a whole number from %lld to %lld%s.", (long long)setting->min,
                   (long long)setting->max, setting->may_be_auto ? ", or auto" : "");
        break;
    case SETTING_SHARE:
        buf_text(why, "a number from 0 to 1 with up to 6 digits after the point, such as 0.5.");
        break;
    case SETTING_WORD:
        buf_text(why, "one of");
        for (int i = 0; setting->words[i]; i++)
            buf_printf(why, "%s %s", i > 0 ? "," : "", setting->words[i]);
        buf_char(why, '.');
        break;
    case SETTING_TEXT:
    case SETTING_SECRET:
    case SETTING_URL:
    case SETTING_TEMPLATE:
        buf_printf(why, "%s.", setting->allowed);
        break;
    }
    return ERR_VALIDATION;
}

static bool parse_word(const struct setting *setting, const char *value, int64_t *ret_index)
{
    for (int i = 0; setting->words[i]; i++) {
        if (strcmp(setting->words[i], value) == 0) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

/* Takes digits alone, as in 0, 1 or 0.25. */
static bool parse_share(const char *value, int64_t *ret_ppm)
{
    size_t whole_len = strspn(value, "0123456789");
    const char *places = value + whole_len + (value[whole_len] == '.');
    size_t place_count = strspn(places, "0123456789");
    char digits[1 + SHARE_PLACES + 1] = "0000000";
    long long ppm;

    bool is_decimal = whole_len == 1 && place_count <= SHARE_PLACES && !places[place_count];
    if (!is_decimal || (value[1] == '.' && place_count == 0)) return false;
    digits[0] = value[0];
    memcpy(digits + 1, places, place_count);
    if (!str_to_int64(str_of(digits), &ppm) || ppm > CONFIG_SHARE_ONE) return false;
    *ret_ppm = ppm;
    return true;
}

static enum err set_value(struct config *config, const struct setting *setting, const char *value,
                          const char *source, struct buf *why)
{
    void *target = (char *)config + setting->offset;
    int64_t word, share;
    long long number;

    config->sources[setting - config_settings].text = source;
    switch (setting->type) {
    case SETTING_TEXT:
    case SETTING_URL:
    case SETTING_TEMPLATE:
        if (setting->is_valid && !setting->is_valid(value))
            return complain(why, setting, source, value);
        *(const char **)target = value;
        return ERR_OK;
    case SETTING_SECRET:
        if (setting->is_valid && !setting->is_valid(value))
            return complain(why, setting, source, value);
        secret_done(target);
        secret_init(target, str_of(value));
        return ERR_OK;
    case SETTING_NUMBER:
        if (setting->may_be_auto && strcmp(value, CONFIG_AUTO_WORD) == 0)
            number = CONFIG_AUTO;
        else if (!str_to_int64(str_of(value), &number) || number < setting->min ||
                 number > setting->max)
            return complain(why, setting, source, value);
        *(int64_t *)target = number;
        return ERR_OK;
    case SETTING_SHARE:
        if (!parse_share(value, &share)) return complain(why, setting, source, value);
        *(int64_t *)target = share;
        return ERR_OK;
    case SETTING_WORD:
        if (!parse_word(setting, value, &word)) return complain(why, setting, source, value);
        *(int64_t *)target = word;
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

/* An empty value is an unset one, whatever its source. */
static enum err take_value(struct config *config, const struct setting *setting, const char *value,
                           const char *source, struct buf *why)
{
    return value[0] ? set_value(config, setting, value, source, why) : ERR_OK;
}

static bool ends_with(struct str text, const char *end)
{
    size_t len = strlen(end);
    return text.len > len && memcmp(text.data + text.len - len, end, len) == 0;
}

/* Sets the setting to the content of the file at `path`. */
static enum err set_from_file(struct config *config, const struct setting *setting,
                              const char *path, const char *source, struct arena *arena,
                              struct buf *why)
{
    char *value;
    enum err err = config_read_value(path, arena, &value, why);
    if (err) {
        if (err == ERR_NOT_FOUND) buf_printf(why, "There is no file %s.", path);
        buf_printf(why,
                   " %s_FILE from %s names it: it must be a file that herald can read, with the "
                   "value in it.",
                   setting->name, source);
        return ERR_VALIDATION;
    }
    err = set_value(config, setting, value, arena_printf(arena, FILE_SOURCE "%s", path), why);
    if (setting->type == SETTING_SECRET) secret_wipe(value, strlen(value));
    return err;
}

/* Takes NAME=value from a file or the environment; NAME_FILE reads a secret from a file. A value
 * that may be secret is copied and wiped. */
static enum err set_named(struct config *config, struct str name, char *value, const char *source,
                          struct arena *arena, struct buf *why)
{
    const struct setting *setting = find_setting(name);
    if (setting) {
        bool may_be_secret = setting->type == SETTING_SECRET || setting->type == SETTING_URL;
        const char *kept = setting->type == SETTING_URL ? arena_text(arena, value) : value;
        enum err err = take_value(config, setting, kept, source, why);
        if (may_be_secret) secret_wipe(value, strlen(value));
        return err;
    }

    if (ends_with(name, "_FILE")) {
        setting = find_setting((struct str){name.data, name.len - strlen("_FILE")});
        bool may_lie_in_file =
            setting && (setting->type == SETTING_SECRET || setting->type == SETTING_URL ||
                        setting->type == SETTING_TEMPLATE);
        if (may_lie_in_file && !value[0]) return ERR_OK;
        if (may_lie_in_file) return set_from_file(config, setting, value, source, arena, why);
    }
    buf_printf(why,
               "%.*s from %s is no setting of herald: remove it, or correct its name. "
               "`herald config` lists them all.",
               (int)name.len, name.data, source);
    return ERR_VALIDATION;
}

static enum err load_file(struct config *config, const char *path, struct arena *arena,
                          struct buf *why)
{
    struct text_setting line = {0};
    struct str text;
    enum err err = config_read_file(path, arena, &text, why);
    if (err) return err;

    struct str rest = text;
    while (!err && text_next_setting(&rest, &line)) {
        const char *source = arena_printf(arena, "%s, line %d", path, line.line);
        if (line.value.data) {
            err = set_named(config, line.name, arena_str(arena, line.value), source, arena, why);
            continue;
        }
        buf_printf(why, "%s is no KEY=value.", source);
        err = ERR_VALIDATION;
    }
    secret_wipe((char *)text.data, text.len);
    return err;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0];
}

/* Refuses a setting that the environment has itself and by its file. It comes before any value is
 * taken, since secret ones are wiped then. */
static enum err refuse_pairs(struct arena *arena, struct buf *why)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        const char *name = config_settings[i].name;
        if (!is_set(name) || !is_set(arena_printf(arena, "%s_FILE", name))) continue;
        buf_printf(why,
                   "%s and %s_FILE are both in the environment: which one counts? Unset one of "
                   "them.",
                   name, name);
        return ERR_VALIDATION;
    }
    return ERR_OK;
}

static enum err load_variable(struct config *config, struct str name, char *value,
                              struct arena *arena, struct buf *why)
{
    const char *text = arena_str(arena, name), *links = config->service_links;

    if (find_setting(name) || !config_is_service_link(text, value))
        return set_named(config, name, value, CONFIG_ENVIRONMENT, arena, why);
    config->service_links =
        arena_printf(arena, "%s%s%s", links ? links : "", links ? ", " : "", text);
    return ERR_OK;
}

static enum err load_environment(struct config *config, struct arena *arena, struct buf *why)
{
    enum err err = refuse_pairs(arena, why);

    for (char **entry = environ; *entry && !err; entry++) {
        char *equals = strchr(*entry, '=');
        if (!equals) continue;
        struct str name = {*entry, (size_t)(equals - *entry)};
        bool is_ours = strncmp(*entry, "HERALD_", 7) == 0 || find_setting(name) ||
                       str_is(name, "INTERNAL_API_KEY_FILE");
        if (is_ours) err = load_variable(config, name, equals + 1, arena, why);
    }
    return err;
}

char **config_take_args(int arg_count, char **args, struct arena *arena)
{
    char **copies = arena_array(arena, (size_t)(arg_count > 0 ? arg_count : 1), sizeof(*copies));
    for (int i = 0; i < arg_count; i++) {
        copies[i] = arena_text(arena, args[i]);
        char *host = strstr(args[i], "://");
        char *query = host ? strchr(host, '?') : NULL;
        char *at = host ? strrchr(host, '@') : NULL;
        if (query) memset(query + 1, '*', strlen(query + 1));
        if (at) memset(host + 3, '*', (size_t)(at - host - 3));
    }
    return copies;
}

/* Takes "--name=value" or "--name" "value" off the arguments; `ret_setting` is NULL for --config.
 */
static enum err take_flag(int arg_count, char **args, int *index,
                          const struct setting **ret_setting, const char **ret_value,
                          struct buf *why)
{
    const char *arg = args[*index];
    int len = (int)strcspn(arg, "=");

    if (strncmp(arg, "--", 2) != 0) {
        buf_printf(why, "\"%s\" is not understood here. `herald help` shows what is.", arg);
        return ERR_VALIDATION;
    }
    struct str name = {arg + 2, (size_t)len - 2};
    const struct setting *setting = find_flag(name);
    if (!setting && !str_is(name, "config")) {
        buf_printf(why, "%.*s is no flag of herald. `herald config` lists the settings.", len, arg);
        return ERR_VALIDATION;
    }
    if (setting && setting->type == SETTING_SECRET) {
        buf_printf(why,
                   "%s is a secret and a flag can be seen by others: give it by the "
                   "environment, or %s_FILE.",
                   setting->name, setting->name);
        return ERR_VALIDATION;
    }
    if (!arg[len] && *index + 1 >= arg_count) {
        buf_printf(why, "%s needs a value: %s=VALUE.", arg, arg);
        return ERR_VALIDATION;
    }
    *ret_setting = setting;
    *ret_value = arg[len] ? arg + len + 1 : args[++*index];
    return ERR_OK;
}

/* There are two passes, since the file of --config weighs less than the environment, and flags
 * more. */
static enum err load_flags(struct config *config, int arg_count, char **args, bool only_file,
                           struct arena *arena, struct buf *why)
{
    for (int i = 0; i < arg_count; i++) {
        const char *flag = args[i], *value;
        const struct setting *setting;
        enum err err = take_flag(arg_count, args, &i, &setting, &value, why);
        if (err) return err;
        if (!setting != only_file) continue;
        struct str source = {flag, strcspn(flag, "=")};
        err = setting ? take_value(config, setting, value, arena_str(arena, source), why)
                      : load_file(config, value, arena, why);
        if (err) return err;
    }
    return ERR_OK;
}

static enum err load_defaults(struct config *config, struct buf *why)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        config->sources[i].text = "the default";
        if (!config_settings[i].default_text) continue;
        enum err err = set_value(config, &config_settings[i], config_settings[i].default_text,
                                 "the default", why);
        if (err) return err;
    }
    return ERR_OK;
}

/* Tells whether the flags or the environment say which installation is meant. */
static bool is_one_named(int arg_count, char **args)
{
    static const char *const flags[] = {"--config", "--state-dir", "--database-url"};

    for (int i = 0; i < arg_count; i++) {
        for (size_t k = 0; k < COUNT_OF(flags); k++) {
            size_t len = strlen(flags[k]);
            bool is_it = strncmp(args[i], flags[k], len) == 0;
            if (is_it && (args[i][len] == '=' || args[i][len] == '\0')) return true;
        }
    }
    return is_set("HERALD_STATE_DIR") || is_set("HERALD_DATABASE_URL") ||
           is_set("HERALD_DATABASE_URL_FILE");
}

static enum err load_installed(struct config *config, struct config_installed *installed,
                               struct arena *arena, struct buf *why)
{
    if (access(installed->file, R_OK)) {
        installed->is_closed = errno == EACCES;
        return ERR_OK;
    }
    enum err err = set_value(config, find_setting(STR("HERALD_STATE_DIR")), installed->state_dir,
                             "the installed service", why);
    if (!err) err = load_file(config, installed->file, arena, why);
    installed->is_read = !err;
    return err;
}

void config_explain_closed(const struct config_installed *installed, struct buf *why)
{
    if (!installed->is_closed) return;
    buf_printf(
        why,
        "%sThe settings of the herald of this machine, %s, may not be read by this user: run "
        "the same by sudo, or name another herald by --config, --state-dir or "
        "--database-url.",
        why->len > 0 ? " " : "", installed->file);
}

enum err config_load(int arg_count, char **args, struct arena *arena, struct config *ret_config,
                     struct buf *why)
{
    return config_load_installed(arg_count, args, NULL, arena, ret_config, why);
}

enum err config_load_installed(int arg_count, char **args, struct config_installed *installed,
                               struct arena *arena, struct config *ret_config, struct buf *why)
{
    *ret_config = (struct config){0};
    ret_config->sources = arena_array(arena, config_setting_count, sizeof(struct config_source));

    enum err err = load_defaults(ret_config, why);
    if (!err && installed && !is_one_named(arg_count, args))
        err = load_installed(ret_config, installed, arena, why);
    if (!err) err = load_flags(ret_config, arg_count, args, true, arena, why);
    if (!err) err = load_environment(ret_config, arena, why);
    if (!err) err = load_flags(ret_config, arg_count, args, false, arena, why);
    return err;
}

const char *config_find_name(const char *word, const char **ret_nearest)
{
    const struct setting *setting = find_setting(str_of(word));
    const char **names = must_calloc(config_setting_count, sizeof(*names));

    for (size_t i = 0; i < config_setting_count; i++)
        names[i] = config_settings[i].name;
    *ret_nearest = str_nearest(word, names, config_setting_count);
    free(names);
    if (!setting) setting = find_flag(str_of(word));
    return setting ? setting->name : NULL;
}

enum err config_set_from_key_file(struct config *config, const char *name, char *value,
                                  const char *path, struct arena *arena, struct buf *why)
{
    const struct setting *setting = find_setting(str_of(name));
    assert(setting);
    enum err err =
        set_value(config, setting, value, arena_printf(arena, FILE_SOURCE "%s", path), why);
    secret_wipe(value, strlen(value));
    return err;
}

void config_forget_secrets(struct config *config)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        if (config_settings[i].type == SETTING_SECRET)
            secret_done((struct secret *)((char *)config + config_settings[i].offset));
    }
}

const char *config_source(const struct config *config, const char *name)
{
    const struct setting *setting = find_setting(str_of(name));
    assert(setting);
    return config->sources[setting - config_settings].text;
}

const char *config_source_file(const struct config *config, const char *name)
{
    const char *source = config_source(config, name);
    size_t len = strlen(FILE_SOURCE);

    return strncmp(source, FILE_SOURCE, len) == 0 ? source + len : NULL;
}

/* --- Values made from the settings -------------------------------------------------------------
 */

bool config_is_embedded(const struct config *config)
{
    return strncmp(config->database_url, "sqlite:", 7) == 0;
}

const char *config_database_path(const struct config *config)
{
    return config->database_url + strlen("sqlite:");
}

const char *config_database_dir(const struct config *config, struct arena *arena)
{
    const char *path = config_database_path(config);
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return arena_str(arena, (struct str){path, (size_t)(slash - path) + (slash == path)});
}
