/*
 * The stream decoder: driven token by token, with a stack of its own in place of recursion, so that
 * it can stop wherever the bytes do. An item of a streamed list is decoded into an arena that is
 * rewound behind it; the envelope stays (contract, section 5: a package of any number of products).
 */
#include "kit/base/must.h"
#include "kit/json/record_stream_parts.h"

#include <stdlib.h>

enum {
    ITEM_ARENA_SIZE = 64 * 1024,       /* kept from item to item */
    ARENA_MAX = 4 * STREAM_MEMORY_MAX, /* with its texts, and while a list moves into it */
};

/* What the tables of a stream must not have, since nothing here would heed it. */
static void check_tables(const struct record *record, unsigned depth)
{
    assert(record->field_count <= 64 && !record->check);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        bool is_streamed = field->flags & FIELD_STREAMED;
        assert(!(field->flags & FIELD_SECRET));
        assert(!is_streamed || (depth == 0 && field->type == FIELD_RECORDS));
        assert(!(field->flags & FIELD_UNIQUE) || field->items_max > 0);
        (void)is_streamed;
        if (field->record && depth < JSON_DEPTH_MAX) check_tables(field->record, depth + 1);
    }
}

static struct record_stream *new_stream(const struct record_stream_options *options)
{
    struct record_stream *stream = must_malloc(sizeof(*stream));

    memset(stream, 0, offsetof(struct record_stream, frames));
    stream->options = *options;
    stream->reader = json_reader_new_large(options->token_max);
    if (options->skips_mark) json_skip_mark(stream->reader);
    buf_init_large(&stream->object_text, SIZE_MAX / 2);
    open_keys_init_large(&stream->keys, STREAM_UNKNOWN_KEYS_MAX);
    arena_init_large(&stream->whole, ARENA_MAX);
    arena_init_large(&stream->item, ARENA_MAX);
    return stream;
}

struct record_stream *record_stream_new(const struct record_stream_options *options)
{
    check_tables(options->record, 0);
    struct record_stream *stream = new_stream(options);

    stream->arena = &stream->whole;
    stream->value = arena_alloc(&stream->whole, options->record->size);
    record_clear(options->record, stream->value);
    /* A chunk of its own, so that items that fit in it allocate nothing. */
    arena_alloc(&stream->item, ITEM_ARENA_SIZE);
    stream->item_begin = arena_mark(&stream->item);
    stream->item_begin.chunk_used = stream->item_begin.used = 0;
    arena_rewind(&stream->item, stream->item_begin);
    return stream;
}

void record_stream_free(struct record_stream *stream)
{
    if (!stream) return;
    json_reader_free(stream->reader);
    for (size_t i = 0; i < stream->list_levels; i++)
        free(stream->items[i].data);
    open_keys_done(&stream->keys);
    arena_done(&stream->whole);
    arena_done(&stream->item);
    arena_done(&stream->fault_arena);
    buf_done(&stream->object_text);
    free(stream);
}

static struct stream_frame *top_frame(struct record_stream *stream)
{
    assert(stream->depth > 0);
    return &stream->frames[stream->depth - 1];
}

static struct stream_frame *push(struct record_stream *stream, enum stream_frame_kind kind)
{
    assert(stream->depth < JSON_DEPTH_MAX);
    struct stream_frame *frame = &stream->frames[stream->depth++];
    memset(frame, 0, offsetof(struct stream_frame, foreign_key));
    frame->kind = kind;
    frame->begin = json_offset(stream->reader);
    return frame;
}

/* --- Keys --- */

/* Senders keep an order, mostly that of the table. */
static const struct field *find_field(struct stream_frame *frame, struct str key)
{
    const struct record *record = frame->record;

    for (size_t tried = 0; tried < record->field_count; tried++) {
        if (frame->next >= record->field_count) frame->next = 0;
        const struct field *field = &record->fields[frame->next++];
        if (field_is_named(field, key)) return field;
    }
    return NULL;
}

static void refuse_more_keys(struct record_stream *stream, struct stream_frame *frame)
{
    struct stream_fault *fault =
        stream_fault_frame(stream, NULL, "too_many_keys", NULL,
                           "Object should have at most %d unknown keys", STREAM_UNKNOWN_KEYS_MAX);
    if (fault) frame->fault = fault; /* its end is set at the bracket */
    frame->has_too_many_keys = true;
}

/* Finds a text that was there before, of the keys of an object or the items of a list. */
static bool is_repeated(struct record_stream *stream, struct stream_frame *frame, struct str text)
{
    if (stream->is_known || stream->is_truncated || frame->has_too_many_keys) return false;
    enum open_key key = open_keys_add(&stream->keys, stream->depth, text);
    if (key == KEY_IS_TOO_MANY) refuse_more_keys(stream, frame);
    if (key == KEY_LACKS_MEMORY) stream->lacks_memory = true;
    return key == KEY_IS_REPEATED;
}

/* As places show it. */
static void keep_foreign_key(struct stream_frame *frame, struct str key)
{
    size_t len = utf8_fit(key, STREAM_PATH_KEY_MAX).len;

    memcpy(frame->foreign_key, key.data, len);
    memcpy(frame->foreign_key + len, "...", 3);
    frame->key = (struct str){frame->foreign_key, len < key.len ? len + 3 : len};
}

static void take_known_key(struct record_stream *stream, struct stream_frame *frame,
                           const struct field *field)
{
    uint64_t bit = 1ULL << (field - frame->record->fields);

    frame->field = field;
    frame->key = (struct str){field->name, stream->text.len};
    if (!(frame->seen & bit)) {
        frame->seen |= bit;
        if (stream->depth == 1) stream->seen = frame->seen;
        return;
    }
    frame->field = NULL; /* the second value is read over */
    if (frame->repeated & bit) return;
    frame->repeated |= bit;
    stream_fault_key(stream);
}

static void take_key(struct record_stream *stream)
{
    struct stream_frame *frame = top_frame(stream);

    if (frame->kind == STREAM_RECORD) {
        const struct field *field = find_field(frame, stream->text);
        if (field) {
            take_known_key(stream, frame, field);
            return;
        }
        frame->field = NULL;
    }
    keep_foreign_key(frame, stream->text);
    if (is_repeated(stream, frame, stream->text)) stream_fault_key(stream);
}

/* --- Values --- */

/* Where the value at hand belongs; without a field nowhere, it is read over. */
struct target {
    const struct field *field;
    bool is_item;
    void *slot;
};

static struct target next_target(struct record_stream *stream)
{
    struct stream_frame *frame = top_frame(stream);
    const struct field *field = frame->field;
    void *item;

    switch (frame->kind) {
    case STREAM_RECORD:
        if (!field) break;
        return (struct target){.field = field, .slot = frame->slot + field->offset};
    case STREAM_LIST:
        item = stream_next_item(stream, frame);
        if (!item) break;
        return (struct target){.field = field, .is_item = true, .slot = item};
    case STREAM_ARRAY:
        frame->index++;
        break;
    case STREAM_OBJECT:
        break;
    }
    return (struct target){.field = NULL};
}

static void take_item_text(struct record_stream *stream, const struct target *target)
{
    const char *const *text = target->slot;

    if (!(target->field->flags & FIELD_UNIQUE) || !*text) return;
    if (is_repeated(stream, top_frame(stream), str_of(*text)))
        stream_fault_value(stream, "duplicate_id", NULL, "This value stands twice in the list");
}

static void take_scalar(struct record_stream *stream)
{
    if (stream->depth == 0) {
        stream_fault_body(stream);
        return;
    }
    struct target target = next_target(stream);
    const struct field *field = target.field;

    if (!field) return;
    if (stream->token == JSON_NULL && !target.is_item) {
        bool is_value = field->flags & FIELD_NULLABLE;
        if (is_value) field_take_null(field, target.slot);
        if (is_value || !(field->flags & FIELD_REQUIRED)) return;
    }
    stream_take_scalar(stream, field, target.is_item, target.slot);
    if (target.is_item && field->type == FIELD_STRINGS) take_item_text(stream, &target);
}

/* --- Objects and arrays --- */

static void push_record(struct record_stream *stream, const struct record *record, void *value)
{
    struct stream_frame *frame = push(stream, STREAM_RECORD);

    frame->record = record;
    frame->slot = value;
    record_clear(record, value);
}

static void push_item(struct record_stream *stream, const struct target *target)
{
    if (stream_is_streamed(top_frame(stream))) {
        stream->arena = &stream->item;
        stream->short_texts_left = 0;
    }
    push_record(stream, target->field->record, target->slot);
}

static void push_text(struct record_stream *stream, const struct target *target)
{
    struct stream_frame *frame = push(stream, STREAM_OBJECT);

    frame->field = target->field;
    frame->slot = target->slot;
    stream->object = frame;
}

static void open_object(struct record_stream *stream)
{
    if (stream->depth == 0) {
        push_record(stream, stream->options.record, stream->value);
        return;
    }
    struct target target = next_target(stream);
    const struct field *field = target.field;

    if (field && field->type == FIELD_RECORDS && target.is_item) {
        push_item(stream, &target);
        return;
    }
    if (field && field->type == FIELD_RECORD) {
        void *value = stream_take_memory(stream, 1, field->record->size);
        if (!value) return;
        *(void **)target.slot = value;
        push_record(stream, field->record, value);
        return;
    }
    if (field && field->type == FIELD_OBJECT) {
        push_text(stream, &target);
        return;
    }
    struct stream_fault *fault = field ? stream_fault_kind(stream, field, target.is_item) : NULL;
    push(stream, STREAM_OBJECT)->fault = fault;
}

static void open_array(struct record_stream *stream)
{
    struct stream_fault *fault = NULL;

    if (stream->depth == 0) {
        fault = stream_fault_body(stream);
        push(stream, STREAM_ARRAY)->fault = fault;
        return;
    }
    struct target target = next_target(stream);
    const struct field *field = target.field;

    if (field && field_is_list(field) && !target.is_item) {
        struct stream_frame *frame = push(stream, STREAM_LIST);
        frame->field = field;
        frame->slot = target.slot;
        stream_begin_list(stream, frame);
        return;
    }
    if (field) fault = stream_fault_kind(stream, field, target.is_item);
    push(stream, STREAM_ARRAY)->fault = fault;
}

static void hand_over(struct record_stream *stream, const struct stream_frame *record)
{
    const struct stream_frame *list = top_frame(stream);
    struct stream_item item = {.list = list->field,
                               .index = list->index - 1,
                               .value = record->slot,
                               .begin = record->begin,
                               .seen = record->seen,
                               .end = json_end_offset(stream->reader)};

    assert(stream->options.on_item);
    stream->is_in_on_item = true;
    if (!stream->is_truncated) stream->options.on_item(stream->options.arg, stream, &item);
    stream->is_in_on_item = false;
    arena_rewind(&stream->item, stream->item_begin);
    stream->arena = &stream->whole;
    stream->short_texts_left = 0;
}

static void check_missing(struct record_stream *stream, const struct stream_frame *frame)
{
    const struct record *record = frame->record;

    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (!(field->flags & FIELD_REQUIRED) || frame->seen >> i & 1) continue;
        stream_fault_frame(stream, field->name, "missing", NULL, "Field required");
    }
}

/* The bytes of the open FIELD_OBJECT that the present piece has. */
static void keep_object_text(struct record_stream *stream, uint64_t end)
{
    uint64_t begin = stream->object->begin;

    if (begin < stream->piece_begin) begin = stream->piece_begin;
    buf_append(&stream->object_text, stream->piece.data + (begin - stream->piece_begin),
               end - begin);
    if (stream->object_text.lacks_memory) stream->lacks_memory = true;
}

static void close_text(struct record_stream *stream, const struct stream_frame *frame)
{
    keep_object_text(stream, json_end_offset(stream->reader));
    struct str text = buf_view(&stream->object_text);
    *(struct str *)frame->slot = (struct str){stream_keep_text(stream, text), text.len};
    buf_clear(&stream->object_text);
    stream->object = NULL;
}

static void close_level(struct record_stream *stream)
{
    struct stream_frame *frame = top_frame(stream);

    if (frame->kind == STREAM_RECORD && !stream->is_known) check_missing(stream, frame);
    if (frame->kind == STREAM_LIST) stream_close_list(stream, frame);
    if (frame == stream->object) close_text(stream, frame);
    if (frame->fault) frame->fault->end = json_end_offset(stream->reader);
    open_keys_close(&stream->keys, stream->depth);
    stream->depth--;
    if (frame->kind != STREAM_RECORD || stream->depth == 0) return;
    const struct stream_frame *outer = top_frame(stream);
    if (outer->kind == STREAM_LIST && stream_is_streamed(outer)) hand_over(stream, frame);
}

/* --- The text --- */

static void take_token(struct record_stream *stream)
{
    switch (stream->token) {
    case JSON_KEY:
        take_key(stream);
        break;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        take_scalar(stream);
        break;
    case JSON_OBJECT_BEGIN:
        open_object(stream);
        break;
    case JSON_ARRAY_BEGIN:
        open_array(stream);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        close_level(stream);
        break;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        assert(false && "no token of a value");
    }
}

enum stream_state record_stream_feed(struct record_stream *stream, struct str bytes, bool is_last)
{
    if (stream->state != STREAM_MORE) return stream->state;
    stream->piece_begin += stream->piece.len;
    stream->piece = bytes;
    json_feed(stream->reader, bytes, is_last);
    for (;;) {
        stream->token = json_next(stream->reader, &stream->text);
        if (stream->token == JSON_MORE) break;
        if (stream->token == JSON_END) return stream->state = STREAM_END;
        if (stream->token == JSON_FAULT) break;
        take_token(stream);
        if (stream->lacks_memory) return stream->state = STREAM_LACKS_MEMORY;
    }
    if (stream->token == JSON_FAULT) {
        bool is_lack = json_lacks_memory(stream->reader);
        return stream->state = is_lack ? STREAM_LACKS_MEMORY : STREAM_FAULT;
    }
    if (stream->object) keep_object_text(stream, stream->piece_begin + bytes.len);
    return STREAM_MORE;
}

const void *record_stream_value(const struct record_stream *stream)
{
    return stream->value;
}

bool record_stream_has(const struct record_stream *stream, const struct field *field)
{
    return stream->seen >> (field - stream->options.record->fields) & 1;
}

const char *record_stream_why(const struct record_stream *stream)
{
    return json_fault(stream->reader);
}

uint64_t record_stream_offset(const struct record_stream *stream)
{
    return json_offset(stream->reader);
}

enum err record_decode_known(const struct record *record, struct str text, struct arena *arena,
                             void *ret_value)
{
    uint64_t seen;
    return record_decode_seen(record, text, arena, ret_value, &seen);
}

enum err record_decode_seen(const struct record *record, struct str text, struct arena *arena,
                            void *ret_value, uint64_t *ret_seen)
{
    struct record_stream *stream =
        new_stream(&(struct record_stream_options){.record = record, .token_max = text.len});

    stream->is_known = true;
    stream->arena = arena;
    stream->value = ret_value;
    enum stream_state state = record_stream_feed(stream, text, true);
    bool is_sound = state == STREAM_END && stream->fault_count == 0;
    *ret_seen = stream->seen;
    record_stream_free(stream);
    if (state == STREAM_LACKS_MEMORY) return ERR_OVERLOADED;
    return is_sound ? ERR_OK : ERR_INTERNAL;
}
