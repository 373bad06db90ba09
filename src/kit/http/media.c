/* Parameters stand behind semicolons, and their values perhaps in quotes. */
#include "kit/http/media.h"

enum { CHARSET_MAX = 16 };

/* Takes the text before the next semicolon that is not within quotes. */
static struct str take_part(struct str *rest)
{
    bool is_quoted = false;
    size_t len = 0;

    for (; len < rest->len && (is_quoted || rest->data[len] != ';'); len++) {
        bool is_escape = is_quoted && rest->data[len] == '\\' && len + 1 < rest->len;
        if (rest->data[len] == '"') is_quoted = !is_quoted;
        len += is_escape;
    }
    struct str part = {rest->data, len};
    size_t taken = len < rest->len ? len + 1 : len;
    rest->data += taken;
    rest->len -= taken;
    return str_trim(part);
}

/* Removes quotes and backslashes; a text that is too long for a charset is cut. */
static struct str unquote(struct str text, char room[static CHARSET_MAX])
{
    size_t len = 0;

    if (text.len == 0 || text.data[0] != '"') return text;
    for (size_t i = 1; i < text.len && text.data[i] != '"' && len < CHARSET_MAX; i++) {
        if (text.data[i] == '\\' && i + 1 < text.len) i++;
        room[len++] = text.data[i];
    }
    return (struct str){room, len};
}

bool http_media_is(struct str value, const char *type)
{
    return str_is_nocase(take_part(&value), type);
}

struct str http_media_param(struct str value, const char *name)
{
    (void)take_part(&value);
    while (value.len > 0) {
        struct str part = take_part(&value);
        struct str key = str_until(part, '=');
        if (key.len < part.len && str_is_nocase(str_trim(key), name))
            return str_trim(str_behind(part, key.len + 1));
    }
    return (struct str){NULL, 0};
}

bool http_media_is_utf8(struct str value)
{
    char room[CHARSET_MAX];

    (void)take_part(&value);
    while (value.len > 0) {
        struct str part = take_part(&value);
        struct str name = str_until(part, '=');
        if (!str_is_nocase(str_trim(name), "charset")) continue;
        if (name.len == part.len) return false;
        struct str charset = unquote(str_trim(str_behind(part, name.len + 1)), room);
        if (!str_is_nocase(charset, "utf-8") && !str_is_nocase(charset, "utf8")) return false;
    }
    return true;
}
