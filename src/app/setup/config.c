/* Values are taken from their sources by weight, checked, and shown. */
#include "app/setup/config_file.h"
#include "app/setup/config_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARE_PLACES = 6, SHARE_ONE = 1000000, COMMENT_COLUMNS = 80 };

struct config_source {
    const char *text; /* "the default", "the environment", "--listen", "herald.conf, line 3" */
};

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

static const char auto_word[] = "auto";

static enum err complain(struct buf *why, const struct setting *setting, const char *source,
                         const char *value)
{
    /* A secret is not repeated, not even a wrong one. */
    bool is_secret = setting->type == SETTING_SECRET || setting->type == SETTING_URL;
    buf_printf(why, "%s from %s %s%.200s%s: it must be ", setting->name, source,
               is_secret ? "has a bad value" : "is \"", is_secret ? "" : value,
               is_secret ? "" : "\"");
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
    if (!str_to_int64(str_of(digits), &ppm) || ppm > SHARE_ONE) return false;
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
        if (setting->may_be_auto && strcmp(value, auto_word) == 0)
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
    err = set_value(config, setting, value, arena_printf(arena, "the file %s", path), why);
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
        enum err err = set_value(config, setting, kept, source, why);
        if (may_be_secret) secret_wipe(value, strlen(value));
        return err;
    }

    if (ends_with(name, "_FILE")) {
        setting = find_setting((struct str){name.data, name.len - strlen("_FILE")});
        bool may_lie_in_file =
            setting && (setting->type == SETTING_SECRET || setting->type == SETTING_URL ||
                        setting->type == SETTING_TEMPLATE);
        if (may_lie_in_file) return set_from_file(config, setting, value, source, arena, why);
    }
    buf_printf(why,
               "%.*s from %s is no setting of herald: remove it, or correct its name. "
               "`herald config` lists them all.",
               (int)name.len, name.data, source);
    return ERR_VALIDATION;
}

static enum err load_line(struct config *config, const char *path, int number, struct str line,
                          struct arena *arena, struct buf *why)
{
    const char *source = arena_printf(arena, "%s, line %d", path, number);
    while (line.len > 0 && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r'))
        line.len--;
    line = str_trim(line);
    if (line.len == 0 || line.data[0] == '#') return ERR_OK;

    const char *equals = memchr(line.data, '=', line.len);
    if (!equals) {
        buf_printf(why, "%s is no KEY=value.", source);
        return ERR_VALIDATION;
    }
    struct str name = str_trim((struct str){line.data, (size_t)(equals - line.data)});
    struct str value =
        str_trim((struct str){equals + 1, line.len - (size_t)(equals + 1 - line.data)});
    return set_named(config, name, arena_str(arena, value), source, arena, why);
}

static enum err load_file(struct config *config, const char *path, struct arena *arena,
                          struct buf *why)
{
    struct str text;
    enum err err = config_read_file(path, arena, &text, why);
    if (err) return err;

    struct str rest = text;
    for (int number = 1; !err && rest.len > 0; number++) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.data) + 1 : rest.len;
        err = load_line(config, path, number, (struct str){rest.data, len}, arena, why);
        rest.data += len;
        rest.len -= len;
    }
    secret_wipe((char *)text.data, text.len);
    return err;
}

static enum err load_environment(struct config *config, struct arena *arena, struct buf *why)
{
    for (char **entry = environ; *entry; entry++) {
        char *equals = strchr(*entry, '=');
        if (!equals) continue;
        struct str name = {*entry, (size_t)(equals - *entry)};
        bool is_ours = strncmp(*entry, "HERALD_", 7) == 0 || find_setting(name) ||
                       str_is(name, "INTERNAL_API_KEY_FILE");
        if (!is_ours) continue;
        if (!find_setting(name) && ends_with(name, "_FILE") &&
            getenv(arena_str(arena, (struct str){name.data, name.len - strlen("_FILE")}))) {
            buf_printf(why,
                       "%.*s and the same without _FILE are both in the environment: "
                       "which one counts? Unset one of them.",
                       (int)name.len, name.data);
            return ERR_VALIDATION;
        }
        enum err err = set_named(config, name, equals + 1, "the environment", arena, why);
        if (err) return err;
    }
    return ERR_OK;
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
        err = setting ? set_value(config, setting, value, arena_str(arena, source), why)
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

enum err config_load(int arg_count, char **args, struct arena *arena, struct config *ret_config,
                     struct buf *why)
{
    *ret_config = (struct config){0};
    ret_config->sources = arena_array(arena, config_setting_count, sizeof(struct config_source));

    enum err err = load_defaults(ret_config, why);
    if (!err) err = load_flags(ret_config, arg_count, args, true, arena, why);
    if (!err) err = load_environment(ret_config, arena, why);
    if (!err) err = load_flags(ret_config, arg_count, args, false, arena, why);
    return err;
}

static const char *make_own_url(const struct config *config, struct arena *arena)
{
    if (!config->public_url) return arena_printf(arena, "http://%s", config->listen);
    size_t len = strlen(config->public_url);
    while (len > 0 && config->public_url[len - 1] == '/')
        len--;
    return arena_str(arena, (struct str){config->public_url, len});
}

void config_set_urls(struct config *config, struct arena *arena)
{
    config->own_url = make_own_url(config, arena);
    config->token_url = arena_printf(arena, "%s" TOKEN_PATH, config->own_url);
}

void config_set_port(struct config *config, const char *address, struct arena *arena)
{
    const char *colon = strrchr(config->listen, ':');
    const char *port = strrchr(address, ':');
    long long number;

    assert(colon && port);
    if (!str_to_int64(str_of(colon + 1), &number) || number != 0) return;
    config->listen =
        arena_printf(arena, "%.*s%s", (int)(colon - config->listen), config->listen, port);
    config_set_urls(config, arena);
}

/* Prints a share without zeros at its end. */
static const char *print_share(int64_t ppm, char out[static 32])
{
    int len = snprintf(out, 32, "%lld.%06lld", (long long)(ppm / SHARE_ONE),
                       (long long)(ppm % SHARE_ONE));

    while (out[len - 1] == '0')
        len--;
    if (out[len - 1] == '.') len--;
    out[len] = '\0';
    return out;
}

static const char *shown_value(const struct config *config, const struct setting *setting,
                               char number[static 32])
{
    const void *value = (const char *)config + setting->offset;
    const char *text;

    switch (setting->type) {
    case SETTING_TEXT:
    case SETTING_URL:
        text = *(const char *const *)value;
        return text ? text : "(none)";
    case SETTING_TEMPLATE:
        text = *(const char *const *)value;
        if (!text) return "(none)";
        return strchr(text, '{') ? "(a template)" : text;
    case SETTING_SECRET:
        return ((const struct secret *)value)->data ? "(set)" : "(none)";
    case SETTING_NUMBER:
        if (*(const int64_t *)value == CONFIG_AUTO) return auto_word;
        snprintf(number, 32, "%lld", (long long)*(const int64_t *)value);
        return number;
    case SETTING_SHARE:
        return print_share(*(const int64_t *)value, number);
    case SETTING_WORD:
        return setting->words[*(const int64_t *)value];
    }
    return "";
}

/* Prints a URL without its user, password and values of its query, which may be secret. */
static void print_url(struct buf *out, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *query = strchr(url, '?');
    size_t len = query ? (size_t)(query - url) : strlen(url);
    const char *at = scheme ? memrchr(url, '@', len) : NULL;

    if (at)
        buf_printf(out, "%.*s***%.*s", (int)(scheme + 3 - url), url, (int)(url + len - at), at);
    else
        buf_printf(out, "%.*s", (int)len, url);
    if (query) buf_text(out, "?***");
}

/* Prints a comment on as many lines as a terminal needs. */
static void print_comment(struct buf *out, const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t len = strcspn(text, " ");
        if (column > 0 && column + 1 + len > COMMENT_COLUMNS) {
            buf_char(out, '\n');
            column = 0;
        }
        const char *begin = column > 0 ? " " : "# ";
        buf_printf(out, "%s%.*s", begin, (int)len, text);
        column += strlen(begin) + len;
        text += len + strspn(text + len, " ");
    }
    buf_char(out, '\n');
}

void config_print(const struct config *config, struct buf *out)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        char number[32];
        print_comment(out, config_settings[i].doc);
        buf_printf(out, "# From %s.\n%s=", config->sources[i].text, config_settings[i].name);
        const char *value = shown_value(config, &config_settings[i], number);
        if (config_settings[i].type == SETTING_URL)
            print_url(out, value);
        else
            buf_text(out, value);
        buf_text(out, "\n\n");
    }
}

enum err config_set_from_key_file(struct config *config, const char *name, char *value,
                                  const char *path, struct arena *arena, struct buf *why)
{
    const struct setting *setting = find_setting(str_of(name));
    assert(setting);
    enum err err = set_value(config, setting, value, arena_printf(arena, "the file %s", path), why);
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
