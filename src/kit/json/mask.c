/* The text is copied as it is between the values that are masked. */
#include "kit/json/mask.h"

#include "kit/json/reader.h"
#include "kit/json/writer.h"

/* Records within records are this deep at most; what is deeper is some JSON of a field. */
enum { RECORD_DEPTH_MAX = 16 };

struct copy {
    struct json_reader *reader;
    const struct record *records[RECORD_DEPTH_MAX]; /* whose members a depth has; NULL: nobody's */
    struct json_masks masks;
    mask_fn mask;   /* of all texts that come; NULL: they may be seen */
    unsigned depth; /* of the member that `mask` is of; 0: it is of the whole JSON */
    struct str json;
    size_t copied;
    struct buf *out;
};

mask_fn json_mask_of(const struct field *field, struct json_masks masks)
{
    if (field->flags & FIELD_PERSONAL) return masks.personal;
    return field->flags & FIELD_WORDS ? masks.words : NULL;
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

/* A record stands one level below its field, those of a list two. */
static void enter_member(struct copy *copy, struct str name, unsigned depth)
{
    const struct record *record = depth < RECORD_DEPTH_MAX ? copy->records[depth] : NULL;
    const struct field *field = record ? record_find(record, name) : NULL;
    bool is_inside = field && (field->type == FIELD_RECORD || field->type == FIELD_RECORDS);

    for (unsigned below = depth + 1; below < RECORD_DEPTH_MAX; below++)
        copy->records[below] = is_inside && below <= depth + 2 ? field->record : NULL;
    copy->mask = field ? json_mask_of(field, copy->masks) : NULL;
    copy->depth = depth;
}

static void take(struct copy *copy, enum json_token token, struct str text)
{
    unsigned depth = json_depth(copy->reader);
    bool is_behind = copy->mask && depth < copy->depth + (token == JSON_KEY);

    if (is_behind) copy->mask = NULL;
    if (token == JSON_KEY && !copy->mask)
        enter_member(copy, text, depth);
    else if (copy->mask && (token == JSON_STRING || token == JSON_NUMBER || token == JSON_KEY))
        copy_masked(copy, text);
}

static bool write_copy(struct copy *copy)
{
    enum json_token token;
    struct str text = {0};

    json_feed(copy->reader, copy->json, true);
    while ((token = json_next(copy->reader, &text)) > JSON_END)
        take(copy, token, text);
    json_reader_free(copy->reader);
    if (token != JSON_END) return false;
    buf_append(copy->out, copy->json.data + copy->copied, copy->json.len - copy->copied);
    return !copy->out->is_full;
}

bool json_mask(struct str json, mask_fn mask, struct buf *out)
{
    struct copy copy = {
        .reader = json_reader_new(json.len + 1), .mask = mask, .json = json, .out = out};
    return write_copy(&copy);
}

bool json_mask_record(struct str json, const struct record *record, struct json_masks masks,
                      struct buf *out)
{
    struct copy copy = {.reader = json_reader_new(json.len + 1),
                        .records[1] = record,
                        .masks = masks,
                        .json = json,
                        .out = out};
    return write_copy(&copy);
}
