/* Entries of the log are searched by their words, as products are by their names (contract, section
 * 2, rule 12). */
#include "domain/event_log/event_log.h"
#include "kit/base/fold.h"

enum { TEXT_MAX = 64 * 1024 };

static void put_text(struct buf *out, struct str text)
{
    buf_str(out, text);
    buf_char(out, '\0');
}

/* Only what came whole is searched. */
static void put_values(struct buf *out, struct str fields)
{
    struct json_reader *reader = json_reader_new(fields.len);
    enum json_token token;
    struct str text;

    json_feed(reader, fields, true);
    while ((token = json_next(reader, &text)) > JSON_END) {
        if (token == JSON_STRING || token == JSON_NUMBER) put_text(out, text);
        if (token == JSON_TRUE) put_text(out, STR("true"));
        if (token == JSON_FALSE) put_text(out, STR("false"));
    }
    json_reader_free(reader);
}

struct str event_log_fold(const char *message, struct str fields, struct arena *arena)
{
    AUTO_BUF text = {0};

    buf_init(&text, TEXT_MAX);
    put_text(&text, str_of(message));
    put_values(&text, fields);
    return fold_str(arena, buf_view(&text));
}

/* Returns the text as entries have it as a value, folded. */
static const char *fold_value(const struct log_field *field, struct arena *arena)
{
    AUTO_BUF fields = {0};

    buf_init(&fields, TEXT_MAX);
    log_encode_fields(&fields, field, 1, false);
    return event_log_fold("", buf_view(&fields), arena).data + 1;
}

/* A number is found by its mark, which no other number has; what is hidden without a mark could be
 * anything, so it is not looked for. */
struct log_wanted event_log_want(const char *q, struct arena *arena)
{
    struct log_field plain = log_plain("q", q), masked = log_id("q", q);
    struct log_wanted wanted = {0};

    if (!q) return wanted;
    wanted.text = fold_value(&plain, arena);
    wanted.masked = fold_value(&masked, arena);
    if (!strchr(wanted.masked, '#')) wanted.masked = wanted.text;
    return wanted;
}

static bool has(struct str folded, const char *text)
{
    return memmem(folded.data, folded.len, text, strlen(text));
}

bool event_log_has(struct str folded, const struct log_wanted *wanted)
{
    return !wanted->text || has(folded, wanted->text) || has(folded, wanted->masked);
}
