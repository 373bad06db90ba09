/* The text is copied as it is between the values that are masked. */
#include "kit/json/mask.h"

#include "kit/json/reader.h"
#include "kit/json/writer.h"

struct copy {
    struct json_reader *reader;
    const struct record *record;
    mask_fn mask;
    struct str json;
    size_t copied;
    unsigned depth; /* of the member that holds words; 0: none is open */
    struct buf *out;
};

/* Tells whether the record, or one within it, has a member of that name that holds words. */
static bool has_words(const struct record *record, struct str name)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        bool is_inside = field->type == FIELD_RECORD || field->type == FIELD_RECORDS;
        if ((field->flags & FIELD_WORDS) && str_is(name, field->name)) return true;
        if (is_inside && has_words(field->record, name)) return true;
    }
    return false;
}

static void copy_masked(struct copy *copy, struct str text)
{
    struct json_writer writer;
    AUTO_BUF masked = {0};

    buf_init(&masked, text.len + MASK_LEN_MAX);
    if (!copy->mask(text, &masked)) return;
    buf_append(copy->out, copy->json.data + copy->copied,
               (size_t)json_offset(copy->reader) - copy->copied);
    json_writer_init(&writer, copy->out);
    json_str(&writer, buf_view(&masked));
    copy->copied = (size_t)json_end_offset(copy->reader);
}

static void take(struct copy *copy, enum json_token token, struct str text)
{
    unsigned depth = json_depth(copy->reader);
    bool is_text = token == JSON_STRING || token == JSON_NUMBER || token == JSON_KEY;

    if (token == JSON_OBJECT_END && depth < copy->depth) copy->depth = 0;
    if (token == JSON_KEY && copy->record && (copy->depth == 0 || depth <= copy->depth)) {
        copy->depth = has_words(copy->record, text) ? depth : 0;
        return;
    }
    if (is_text && (!copy->record || copy->depth > 0)) copy_masked(copy, text);
}

void json_mask(struct str json, const struct record *record, mask_fn mask, struct buf *out)
{
    struct copy copy = {.reader = json_reader_new(json.len + 1),
                        .record = record,
                        .mask = mask,
                        .json = json,
                        .out = out};
    enum json_token token;
    struct str text = {0};

    json_feed(copy.reader, json, true);
    while ((token = json_next(copy.reader, &text)) > JSON_END)
        take(&copy, token, text);
    json_reader_free(copy.reader);
    buf_append(out, json.data + copy.copied, json.len - copy.copied);
}
