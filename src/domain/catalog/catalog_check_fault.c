/* Faults as the stream tells them: the place as items of a JSON array, the value as JSON. */
#include "domain/catalog/catalog_check_fault.h"

#include "kit/json/number.h"

enum {
    PLACE_MAX = 16 * 1024, /* a few names, indices and ids, each character escaped at the worst */
    VALUE_MAX = 256 * 1024,
};

static void write_place(struct json_writer *writer, const struct place *place)
{
    if (!place) return;
    write_place(writer, place->parent);
    json_text(writer, place->list);
    if (!place->is_whole) json_int(writer, (int64_t)place->index);
}

/* The items of the array, without its brackets. */
static const char *make_place(const struct place *place, const char *field, struct buf *out)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_array_begin(&writer);
    write_place(&writer, place);
    json_text(&writer, field);
    json_array_end(&writer);
    assert(!out->is_full);
    out->data[out->len - 1] = '\0';
    return out->data + 1;
}

static void write_list(struct json_writer *writer, const struct flaw *flaw)
{
    const char *items = flaw->list->items;

    json_array_begin(writer);
    for (size_t i = 0; i < flaw->list->count && !writer->out->is_full; i++)
        record_encode(flaw->record, items + i * flaw->record->size, writer);
    json_array_end(writer);
}

static void write_scalar(struct json_writer *writer, const struct scalar *scalar)
{
    if (scalar->kind == SCALAR_STRING)
        json_text(writer, scalar->text);
    else if (scalar->kind == SCALAR_NUMBER)
        json_raw(writer, number_cut(str_of(scalar->text), STREAM_INPUT_MAX));
    else
        json_raw(writer, str_of(scalar->text));
}

static void write_value(struct json_writer *writer, const struct flaw *flaw)
{
    if (flaw->text)
        json_text(writer, flaw->text);
    else if (flaw->scalar)
        write_scalar(writer, flaw->scalar);
    else if (flaw->list)
        write_list(writer, flaw);
    else
        record_encode(flaw->record, flaw->value, writer);
}

/* A value that is too long is shown as a text that is cut off. */
static const char *make_input(const struct flaw *flaw, struct buf *out)
{
    struct json_writer writer;
    AUTO_BUF whole = {0};

    buf_init(&whole, VALUE_MAX);
    json_writer_init(&writer, &whole);
    write_value(&writer, flaw);
    struct str text = utf8_cut(buf_view(&whole), STREAM_INPUT_MAX);
    if (text.len == whole.len && !whole.is_full) {
        buf_str(out, text);
    } else if (flaw->text || (flaw->scalar && flaw->scalar->kind == SCALAR_STRING)) {
        json_writer_init(&writer, out);
        json_str(&writer,
                 utf8_cut(str_of(flaw->text ? flaw->text : flaw->scalar->text), STREAM_INPUT_MAX));
    } else {
        json_writer_init(&writer, out);
        json_str(&writer, text);
    }
    buf_char(out, '\0');
    return out->data;
}

static bool is_full(const struct record_stream *stream)
{
    size_t count;
    bool is_truncated;

    record_stream_faults(stream, &count, &is_truncated);
    return is_truncated;
}

void catalog_check_fault(struct record_stream *stream, const struct place *place, const char *field,
                         const struct flaw *flaw)
{
    AUTO_BUF loc = {0}, input = {0};

    buf_init(&loc, PLACE_MAX);
    buf_init(&input, PLACE_MAX);
    if (is_full(stream)) return;
    struct stream_fault fault = {
        .type = flaw->type,
        .message = flaw->message,
        .loc = make_place(place, field, &loc),
        .ctx = flaw->ctx,
        .input = make_input(flaw, &input),
    };
    record_stream_fault(stream, &fault);
}

bool catalog_check_has_fault(const struct record_stream *stream, const struct place *place,
                             const char *field)
{
    AUTO_BUF loc = {0};

    buf_init(&loc, PLACE_MAX);
    return record_stream_has_fault(stream, make_place(place, field, &loc));
}
