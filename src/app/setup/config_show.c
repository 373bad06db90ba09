/* Values are shown to people, without what is secret in them. */
#include "app/setup/config_settings.h"

#include <stdio.h>
#include <string.h>

enum { COMMENT_COLUMNS = 80 };

/* Prints a share without zeros at its end. */
static const char *print_share(int64_t ppm, char out[static 32])
{
    int len = snprintf(out, 32, "%lld.%06lld", (long long)(ppm / CONFIG_SHARE_ONE),
                       (long long)(ppm % CONFIG_SHARE_ONE));

    while (out[len - 1] == '0')
        len--;
    if (out[len - 1] == '.') len--;
    out[len] = '\0';
    return out;
}

/* Returns a URL without its user, password and values of its query, which may be secret. */
static const char *shown_url(const char *url, struct arena *arena)
{
    const char *scheme = strstr(url, "://");
    const char *query = strchr(url, '?');
    size_t len = query ? (size_t)(query - url) : strlen(url);
    const char *at = scheme ? memrchr(url, '@', len) : NULL;
    const char *end = query ? "?***" : "";

    if (!at) return arena_printf(arena, "%.*s%s", (int)len, url, end);
    return arena_printf(arena, "%.*s***%.*s%s", (int)(scheme + 3 - url), url, (int)(url + len - at),
                        at, end);
}

/* Returns the value of a setting that is a text; NULL: none. */
static const char *shown_text(const struct setting *setting, const char *text, struct arena *arena)
{
    if (text && setting->type == SETTING_URL) return shown_url(text, arena);
    bool is_template = setting->type == SETTING_TEMPLATE && text && strchr(text, '{');
    return is_template ? "(a template)" : text;
}

static const char *shown_number(int64_t number, struct arena *arena)
{
    return number == CONFIG_AUTO ? CONFIG_AUTO_WORD
                                 : arena_printf(arena, "%lld", (long long)number);
}

static struct shown_setting show_setting(const struct config *config, size_t index,
                                         struct arena *arena)
{
    const struct setting *setting = &config_settings[index];
    const void *value = (const char *)config + setting->offset;
    struct shown_setting shown = {
        .name = setting->name,
        .secret = setting->type == SETTING_SECRET,
        .source = config->sources[index].text,
        .meaning = setting->doc,
    };
    char share[32];

    switch (setting->type) {
    case SETTING_TEXT:
    case SETTING_URL:
    case SETTING_TEMPLATE:
        shown.value = shown_text(setting, *(const char *const *)value, arena);
        break;
    case SETTING_SECRET:
        shown.set = ((const struct secret *)value)->data;
        break;
    case SETTING_NUMBER:
        shown.value = shown_number(*(const int64_t *)value, arena);
        break;
    case SETTING_SHARE:
        shown.value = arena_text(arena, print_share(*(const int64_t *)value, share));
        break;
    case SETTING_WORD:
        shown.value = setting->words[*(const int64_t *)value];
        break;
    }
    if (!shown.secret) shown.set = shown.value != NULL;
    return shown;
}

struct record_list config_show(const struct config *config, struct arena *arena)
{
    struct shown_setting *settings = arena_array(arena, config_setting_count, sizeof(*settings));

    for (size_t i = 0; i < config_setting_count; i++)
        settings[i] = show_setting(config, i, arena);
    return (struct record_list){settings, config_setting_count};
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

static void print_setting(const struct shown_setting *setting, struct buf *out)
{
    const char *unseen = setting->set ? "(set)" : "(none)";

    print_comment(out, setting->meaning);
    buf_printf(out, "# From %s.\n%s=%s\n\n", setting->source, setting->name,
               setting->value ? setting->value : unseen);
}

void config_print(const struct config *config, const char *name, struct arena *arena,
                  struct buf *out)
{
    struct record_list list = config_show(config, arena);
    const struct shown_setting *settings = list.items;

    for (size_t i = 0; i < list.count; i++) {
        if (!name || strcmp(settings[i].name, name) == 0) print_setting(&settings[i], out);
    }
}
