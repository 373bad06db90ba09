/*
 * Faults of streams: their place, their value, and the sentences of pydantic that are the same for
 * several types. Faults are told once a place, and building one costs nothing more as soon as there
 * are more than are told, so that hostile texts gain nothing by having many.
 */
#include "kit/json/number.h"
#include "kit/json/record_stream_parts.h"

#include <stdio.h>

enum {
    LOC_MAX = JSON_DEPTH_MAX * (6 * (STREAM_PATH_KEY_MAX + 4) + 24),
    INPUT_BYTES_MAX = 6 * STREAM_INPUT_MAX + 2,
    WORDS_MAX = 4000,
};

#define REPEATED_KEY "duplicate_key"

/* A fault before it is kept. */
struct draft {
    unsigned depth;      /* the place: what the innermost of so many frames is at, */
    const char *lacking; /* and this key of it, or NULL; */
    const char *loc;     /* or, from outside, a place from there on */
    const char *type, *ctx, *message, *input;
    uint64_t begin, end;
};

/* Numbers are plain, whatever the text was; keys are those that places show. */
static void write_place(const struct record_stream *stream, unsigned depth, const char *lacking,
                        struct json_writer *writer)
{
    for (unsigned i = 0; i < depth; i++) {
        const struct stream_frame *frame = &stream->frames[i];
        if (frame->kind == STREAM_LIST || frame->kind == STREAM_ARRAY)
            json_int(writer, (int64_t)frame->index - 1);
        else
            json_str(writer, frame->key);
    }
    if (lacking) json_text(writer, lacking);
}

/* The items of an array, without its brackets. */
static const char *place_of(const struct record_stream *stream, const struct draft *draft,
                            struct buf *out)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_array_begin(&writer);
    write_place(stream, draft->depth, draft->lacking, &writer);
    if (draft->loc && draft->loc[0]) json_raw(&writer, str_of(draft->loc));
    json_array_end(&writer);
    assert(out->len >= 2);
    out->data[out->len - 1] = '\0';
    return out->data + 1;
}

static bool has_fault_at(const struct record_stream *stream, const char *loc)
{
    for (size_t i = 0; i < stream->fault_count; i++) {
        if (strcmp(stream->faults[i].loc, loc) == 0) return true;
    }
    return false;
}

static bool is_repeated_key(const char *type)
{
    return strcmp(type, REPEATED_KEY) == 0;
}

/* That a key stands twice and that its value is wrong are faults of two kinds at one place. */
static bool is_told(const struct record_stream *stream, const char *loc, const char *type)
{
    for (size_t i = 0; i < stream->fault_count; i++) {
        const struct stream_fault *fault = &stream->faults[i];
        if (is_repeated_key(fault->type) != is_repeated_key(type)) continue;
        if (strcmp(fault->loc, loc) == 0) return true;
    }
    return false;
}

static struct stream_fault *keep(struct record_stream *stream, const struct draft *draft)
{
    struct arena *arena = &stream->fault_arena;
    AUTO_BUF loc = {0};

    if (stream->is_truncated) return NULL;
    buf_init(&loc, LOC_MAX + (draft->loc ? strlen(draft->loc) : 0));
    const char *place = place_of(stream, draft, &loc);
    assert(!loc.is_full);
    if (is_told(stream, place, draft->type)) return NULL;
    if (stream->fault_count == STREAM_FAULTS_MAX) {
        stream->is_truncated = true;
        return NULL;
    }
    struct stream_fault *fault = &stream->faults[stream->fault_count++];
    *fault = (struct stream_fault){.type = arena_text(arena, draft->type),
                                   .message = arena_text(arena, draft->message),
                                   .loc = arena_text(arena, place),
                                   .ctx = arena_text(arena, draft->ctx),
                                   .input = arena_text(arena, draft->input),
                                   .begin = draft->begin,
                                   .end = draft->end};
    return fault;
}

static void write_string(struct buf *out, struct str text)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_str(&writer, utf8_cut(text, STREAM_INPUT_MAX));
}

/* The scalar at hand as JSON. False: it is none. */
static bool write_input(const struct record_stream *stream, struct buf *out)
{
    switch (stream->token) {
    case JSON_STRING:
    case JSON_KEY:
        write_string(out, stream->text);
        break;
    case JSON_NUMBER:
        buf_str(out, number_cut(stream->text, STREAM_INPUT_MAX));
        break;
    case JSON_TRUE:
        buf_text(out, "true");
        break;
    case JSON_FALSE:
        buf_text(out, "false");
        break;
    case JSON_NULL:
        buf_text(out, "null");
        break;
    case JSON_OBJECT_BEGIN:
    case JSON_OBJECT_END:
    case JSON_ARRAY_BEGIN:
    case JSON_ARRAY_END:
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        return false;
    }
    buf_char(out, '\0');
    return true;
}

static struct stream_fault *keep_value(struct record_stream *stream, struct draft *draft)
{
    AUTO_BUF input = {0};

    buf_init(&input, INPUT_BYTES_MAX + 1);
    bool is_scalar = write_input(stream, &input);
    draft->depth = stream->depth;
    draft->begin = json_offset(stream->reader);
    draft->end = json_end_offset(stream->reader);
    if (is_scalar) draft->input = input.data;
    struct stream_fault *fault = keep(stream, draft);
    return is_scalar ? NULL : fault;
}

struct stream_fault *stream_fault_value(struct record_stream *stream, const char *type,
                                        const char *ctx, const char *format, ...)
{
    char message[WORDS_MAX];
    va_list args;

    if (stream->is_truncated) return NULL;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    struct draft draft = {.type = type, .ctx = ctx, .message = message};
    return keep_value(stream, &draft);
}

const char *const *stream_words_of(const struct record_stream *stream, const struct field *field)
{
    bool has_others = field->type == FIELD_WORD && stream->options.words;
    return has_others ? stream->options.words : field->words;
}

struct stream_fault *stream_fault_words(struct record_stream *stream,
                                        const struct stream_words *words)
{
    return stream_fault_value(stream, words->type, words->ctx, "%s", words->message);
}

void stream_fault_key(struct record_stream *stream)
{
    stream_fault_value(stream, REPEATED_KEY, NULL, "This key stands twice in its object");
}

struct stream_fault *stream_fault_frame(struct record_stream *stream, const char *lacking,
                                        const char *type, const char *ctx, const char *format, ...)
{
    char message[WORDS_MAX];
    va_list args;

    if (stream->is_truncated) return NULL;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    struct draft draft = {.depth = stream->depth - 1,
                          .lacking = lacking,
                          .type = type,
                          .ctx = ctx,
                          .message = message,
                          .begin = stream->frames[stream->depth - 1].begin,
                          .end = json_end_offset(stream->reader)};
    return keep(stream, &draft);
}

/* 'a', 'b' or 'c' */
static void write_words(struct buf *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        buf_printf(out, "%s'%s'", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

static struct stream_fault *fault_enum(struct record_stream *stream, const struct field *field)
{
    struct json_writer writer;
    AUTO_BUF words = {0}, ctx = {0};

    buf_init(&words, WORDS_MAX / 2);
    buf_init(&ctx, WORDS_MAX);
    write_words(&words, stream_words_of(stream, field));
    json_writer_init(&writer, &ctx);
    json_object_begin(&writer);
    json_key(&writer, "expected");
    json_str(&writer, buf_view(&words));
    json_object_end(&writer);
    buf_char(&words, '\0');
    buf_char(&ctx, '\0');
    assert(!words.is_full && !ctx.is_full);
    return stream_fault_value(stream, "enum", ctx.data, "Input should be %s", words.data);
}

struct stream_fault *stream_fault_kind(struct record_stream *stream, const struct field *field,
                                       bool is_item)
{
    enum field_type type = field->type;

    if (stream->is_truncated) return NULL;
    if (type == FIELD_ENUM || type == FIELD_WORD) return fault_enum(stream, field);
    if (is_item) type = type == FIELD_RECORDS ? FIELD_RECORD : FIELD_STRING;
    return stream_fault_words(stream, stream_kind_words(type));
}

struct stream_fault *stream_fault_body(struct record_stream *stream)
{
    return stream_fault_words(stream, stream_kind_words(FIELD_OBJECT));
}

void record_stream_fault(struct record_stream *stream, const struct stream_fault *fault)
{
    struct draft draft = {.depth = stream->is_in_on_item ? stream->depth : 0,
                          .loc = fault->loc,
                          .type = fault->type,
                          .ctx = fault->ctx,
                          .message = fault->message,
                          .input = fault->input,
                          .begin = fault->begin,
                          .end = fault->end};
    keep(stream, &draft);
}

bool record_stream_has_fault(const struct record_stream *stream, const char *loc)
{
    struct draft draft = {.depth = stream->is_in_on_item ? stream->depth : 0, .loc = loc};
    AUTO_BUF place = {0};

    buf_init(&place, LOC_MAX + strlen(loc));
    return has_fault_at(stream, place_of(stream, &draft, &place));
}

const struct stream_fault *record_stream_faults(const struct record_stream *stream,
                                                size_t *ret_count, bool *ret_is_truncated)
{
    *ret_count = stream->fault_count;
    *ret_is_truncated = stream->is_truncated;
    return stream->faults;
}
