/*
 * The items of an object's arrays are found by their quotes and brackets alone. The text was
 * checked before; were it not, a scan would end at its end all the same, and never beyond.
 */
#include "kit/json/reader_string.h"
#include "kit/json/record_stream.h"

enum { NAME_MAX_LEN = 128 }; /* longer names are given as they stand, escapes and all */

struct scan {
    const char *at, *end;
};

static void skip_white_space(struct scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

static bool take(struct scan *scan, char c)
{
    skip_white_space(scan);
    if (scan->at == scan->end || *scan->at != c) return false;
    scan->at++;
    return true;
}

static bool is_escaped(const char *begin, const char *quote)
{
    const char *at = quote;
    while (at > begin && at[-1] == '\\')
        at--;
    return (quote - at) % 2 == 1;
}

/* Passes the string whose opening quote was passed. */
static void skip_string(struct scan *scan)
{
    const char *begin = scan->at, *quote;

    do {
        quote = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
        scan->at = quote ? quote + 1 : scan->end;
    } while (quote && is_escaped(begin, quote));
}

static void skip_brackets(struct scan *scan)
{
    size_t depth = 0;

    do {
        char c = *scan->at++;
        if (c == '"') skip_string(scan);
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
    } while (depth > 0 && scan->at < scan->end);
}

static void skip_value(struct scan *scan)
{
    skip_white_space(scan);
    if (scan->at == scan->end) return;
    if (*scan->at == '{' || *scan->at == '[') {
        skip_brackets(scan);
        return;
    }
    if (take(scan, '"')) {
        skip_string(scan);
        return;
    }
    while (scan->at < scan->end && !strchr(",]} \n\r\t", *scan->at))
        scan->at++;
}

/* Gives the name without escapes; it lies in `room` if it has any. */
static struct str plain_name(struct str name, char room[static NAME_MAX_LEN + UTF8_LEN_MAX])
{
    size_t len = 0;
    struct unit unit;

    if (!memchr(name.data, '\\', name.len)) return name;
    for (struct str rest = name; rest.len > 0;) {
        if (string_read_unit(rest, &unit) != UNIT_OK || len >= NAME_MAX_LEN) return name;
        memcpy(room + len, unit.bytes, (size_t)unit.len);
        len += (size_t)unit.len;
        rest.data += unit.source_len;
        rest.len -= unit.source_len;
    }
    return (struct str){room, len};
}

typedef enum err on_item_fn(void *arg, struct str list, size_t index, struct str item);

/* Calls `on_item` for each item of the array whose bracket was passed. */
static enum err each_of_array(struct scan *scan, struct str name, on_item_fn *on_item, void *arg)
{
    char room[NAME_MAX_LEN + UTF8_LEN_MAX];
    struct str list = plain_name(name, room);

    if (take(scan, ']')) return ERR_OK;
    for (size_t index = 0;; index++) {
        skip_white_space(scan);
        const char *begin = scan->at;
        skip_value(scan);
        if (scan->at == begin) return ERR_INTERNAL;
        enum err err = on_item(arg, list, index, (struct str){begin, (size_t)(scan->at - begin)});
        if (err) return err;
        if (take(scan, ']')) return ERR_OK;
        if (!take(scan, ',')) return ERR_INTERNAL;
    }
}

static enum err each_of_member(struct scan *scan, on_item_fn *on_item, void *arg)
{
    if (!take(scan, '"')) return ERR_INTERNAL;
    const char *begin = scan->at;
    skip_string(scan);
    struct str name = {begin, (size_t)(scan->at - begin) - 1};
    if (!take(scan, ':')) return ERR_INTERNAL;
    if (take(scan, '[')) return each_of_array(scan, name, on_item, arg);
    skip_value(scan);
    return ERR_OK;
}

enum err json_each_item(struct str text,
                        enum err (*on_item)(void *arg, struct str list, size_t index,
                                            struct str item),
                        void *arg)
{
    struct scan scan = {text.data, text.data + text.len};

    if (!take(&scan, '{')) return ERR_INTERNAL;
    if (take(&scan, '}')) return ERR_OK;
    do {
        enum err err = each_of_member(&scan, on_item, arg);
        if (err) return err;
    } while (take(&scan, ','));
    return take(&scan, '}') ? ERR_OK : ERR_INTERNAL;
}
