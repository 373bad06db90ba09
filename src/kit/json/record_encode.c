/* Records are written as JSON, recursively over the tables, which are ours, and not over anything
 * from outside. */
#include "kit/base/clock.h"
#include "kit/json/mask.h"
#include "kit/json/record_value.h"

#include <assert.h>

enum { COMPARED_MAX = 1024 * 1024 /* bytes of a record that is compared with another */ };

static void encode_time(struct json_writer *writer, const struct field *field, int64_t ms)
{
    char text[CLOCK_TEXT_LEN + 1];
    clock_format(field->flags & FIELD_WALL ? ms : clock_to_wall(ms), text);
    json_text(writer, text);
}

static void encode_uuid(struct json_writer *writer, const struct uuid *id)
{
    char text[UUID_TEXT_LEN + 1];
    uuid_format(id, text);
    json_text(writer, text);
}

static void encode_records(struct json_writer *writer, const struct field *field,
                           const struct record_list *list)
{
    const char *item = list->items;

    json_array_begin(writer);
    for (size_t i = 0; i < list->count; i++, item += field->record->size)
        record_encode(field->record, item, writer);
    json_array_end(writer);
}

static void encode_strings(struct json_writer *writer, const struct record_list *list)
{
    const char *const *texts = list->items;

    json_array_begin(writer);
    for (size_t i = 0; i < list->count; i++)
        json_text(writer, texts[i]);
    json_array_end(writer);
}

static void encode_string_or_integer(struct json_writer *writer,
                                     const struct string_or_integer *value)
{
    if (value->is_integer)
        json_raw(writer, str_of(value->text));
    else
        json_text(writer, value->text);
}

static void encode_scalar(struct json_writer *writer, const struct scalar *value)
{
    if (value->kind == SCALAR_STRING)
        json_text(writer, value->text);
    else
        json_raw(writer, str_of(value->text));
}

/* Writes what stands for a text; an integer is masked as its digits are. Returns false if it may be
 * seen. */
static bool encode_masked(struct json_writer *writer, const struct field *field, const void *slot)
{
    const struct string_or_integer *either = slot;
    bool is_string = field->type == FIELD_STRING;
    mask_fn mask = json_mask_of(field, writer->masks);
    AUTO_BUF masked = {0};

    if (!mask || (!is_string && field->type != FIELD_STRING_OR_INTEGER)) return false;
    struct str text = str_of(is_string ? *(const char *const *)slot : either->text);
    buf_init(&masked, text.len + MASK_LEN_MAX);
    if (!mask(text, &masked)) return false;
    json_str(writer, buf_view(&masked));
    return true;
}

static void encode_json(struct json_writer *writer, const struct field *field, struct str json)
{
    mask_fn mask = json_mask_of(field, writer->masks);
    AUTO_BUF masked = {0};

    buf_init(&masked, MASK_GROWTH * json.len);
    bool is_shown = !mask || json_mask(json, mask, &masked);
    json_raw(writer, !is_shown ? STR("null") : mask ? buf_view(&masked) : json);
}

static void encode_value(struct json_writer *writer, const struct field *field, const void *slot)
{
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_WORD:
        json_text(writer, *(const char *const *)slot);
        break;
    case FIELD_STRING_OR_INTEGER:
        encode_string_or_integer(writer, slot);
        break;
    case FIELD_INTEGER:
        json_int(writer, *(const int64_t *)slot);
        break;
    case FIELD_BOOLEAN:
        json_bool(writer, *(const bool *)slot);
        break;
    case FIELD_TRISTATE:
        json_bool(writer, *(const int *)slot > 0);
        break;
    case FIELD_TIME:
        encode_time(writer, field, *(const int64_t *)slot);
        break;
    case FIELD_UUID:
        encode_uuid(writer, slot);
        break;
    case FIELD_ENUM:
        json_text(writer, field->words[*(const int *)slot]);
        break;
    case FIELD_RECORD:
        record_encode(field->record, *(const void *const *)slot, writer);
        break;
    case FIELD_RECORDS:
        encode_records(writer, field, slot);
        break;
    case FIELD_STRINGS:
        encode_strings(writer, slot);
        break;
    case FIELD_OBJECT:
        encode_json(writer, field, *(const struct str *)slot);
        break;
    case FIELD_MAP:
        encode_json(writer, field, str_of(*(const char *const *)slot));
        break;
    case FIELD_DECIMAL:
        json_raw(writer, str_of(*(const char *const *)slot));
        break;
    case FIELD_SCALAR:
        encode_scalar(writer, slot);
        break;
    }
}

/* A list that is absent is empty, unless its null is a value of its own. */
static bool is_null(const struct field *field, const void *slot)
{
    if (!field_is_absent(field, slot)) return false;
    return !field_is_list(field) || (field->flags & FIELD_NULLABLE);
}

static bool is_omitted(const struct field *field, const void *slot)
{
    if (!(field->flags & FIELD_OMIT_NULL)) return false;
    return field->type == FIELD_BOOLEAN ? !*(const bool *)slot : field_is_absent(field, slot);
}

void record_encode(const struct record *record, const void *value, struct json_writer *writer)
{
    json_object_begin(writer);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        const void *slot = (const char *)value + field->offset;
        if (is_omitted(field, slot)) continue;
        json_key(writer, field->name);
        if (is_null(field, slot))
            json_null(writer);
        else if (!encode_masked(writer, field, slot))
            encode_value(writer, field, slot);
    }
    json_object_end(writer);
}

bool record_differs(const struct record *record, const void *a, const void *b)
{
    AUTO_BUF text_a = {0}, text_b = {0};
    struct json_writer writer;

    buf_init(&text_a, COMPARED_MAX);
    buf_init(&text_b, COMPARED_MAX);
    json_writer_init(&writer, &text_a);
    record_encode(record, a, &writer);
    json_writer_init(&writer, &text_b);
    record_encode(record, b, &writer);
    assert(!text_a.is_full && !text_b.is_full);
    return text_a.len != text_b.len || memcmp(text_a.data, text_b.data, text_a.len) != 0;
}
