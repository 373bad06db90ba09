/* The walk takes keys, values, objects and arrays, in this order here. */
#include "kit/json/record_walk.h"

#include <stdlib.h>

enum { TEXT_CHUNK_SIZE = 2000 }; /* of an allocation that short texts share */

void walk_init(struct record_walk *walk, const struct walk_options *options)
{
    bool is_large = options->rules & DECODE_PIECES;
    size_t token_max = options->token_max;

    memset(walk, 0, offsetof(struct record_walk, frames));
    walk->options = *options;
    walk->reader = is_large ? json_reader_new_large(token_max) : json_reader_new(token_max);
    /* All texts of a short text are hardly longer than itself. */
    walk->source = (struct field_source){
        .rules = options->rules,
        .words = options->words,
        .arena = options->arena,
        .chunk_size = token_max < TEXT_CHUNK_SIZE ? token_max : TEXT_CHUNK_SIZE};
    walk->frames[0].seen = 0;
    buf_init_large(&walk->object_text, SIZE_MAX / 2);
    if (is_large)
        open_keys_init_large(&walk->keys, options->keys_max);
    else
        open_keys_init(&walk->keys, options->keys_max);
}

void walk_done(struct record_walk *walk)
{
    json_reader_free(walk->reader);
    for (size_t i = 0; i < walk->list_levels; i++)
        free(walk->items[i].data);
    open_keys_done(&walk->keys);
    buf_done(&walk->object_text);
}

static struct walk_frame *top_frame(struct record_walk *walk)
{
    assert(walk->depth > 0);
    return &walk->frames[walk->depth - 1];
}

static struct walk_frame *push(struct record_walk *walk, enum walk_frame_kind kind)
{
    assert(walk->depth < JSON_DEPTH_MAX);
    struct walk_frame *frame = &walk->frames[walk->depth++];
    memset(frame, 0, offsetof(struct walk_frame, foreign_key));
    frame->kind = kind;
    frame->begin = json_offset(walk->reader);
    return frame;
}

/* --- Keys --- */

/* Senders keep an order, mostly that of the table. */
static const struct field *find_field(struct walk_frame *frame, struct str key)
{
    const struct record *record = frame->record;

    for (size_t tried = 0; tried < record->field_count; tried++) {
        if (frame->next >= record->field_count) frame->next = 0;
        const struct field *field = &record->fields[frame->next++];
        if (field_is_named(field, key)) return field;
    }
    return NULL;
}

static void refuse_more_keys(struct record_walk *walk, struct walk_frame *frame)
{
    uint64_t *end = walk_tell(walk, FLAW_TOO_MANY_KEYS);
    if (end) frame->ret_end = end;
    frame->has_too_many_keys = true;
}

/* Looks whether a foreign key of an object, or an item of a list, was there before, and tells that
 * it was. True: it is new. */
static bool watch(struct record_walk *walk, struct walk_frame *frame, enum record_flaw flaw)
{
    bool is_told_again = !(walk->options.rules & DECODE_PIECES);

    if ((walk->options.rules & DECODE_KNOWN) || walk->is_mute || frame->has_too_many_keys)
        return false;
    switch (open_keys_add(&walk->keys, walk->depth, walk->source.text)) {
    case KEY_IS_NEW:
        return true;
    case KEY_IS_REPEATED:
        walk_tell(walk, flaw);
        break;
    case KEY_IS_REPEATED_AGAIN:
        if (is_told_again) walk_tell(walk, flaw);
        break;
    case KEY_IS_TOO_MANY:
        refuse_more_keys(walk, frame);
        break;
    case KEY_LACKS_MEMORY:
        walk_lack_memory(walk);
        break;
    }
    return false;
}

/* Keeps the key as places show it. */
static void keep_foreign_key(struct walk_frame *frame, struct str key)
{
    size_t len = utf8_fit(key, WALK_KEY_MAX).len;

    memcpy(frame->foreign_key, key.data, len);
    memcpy(frame->foreign_key + len, "...", 3);
    frame->key = (struct str){frame->foreign_key, len < key.len ? len + 3 : len};
}

static void take_foreign_key(struct record_walk *walk, struct walk_frame *frame)
{
    keep_foreign_key(frame, walk->source.text);
    if (!watch(walk, frame, FLAW_REPEATED_KEY) || frame->kind != WALK_RECORD) return;
    if (walk->options.rules & DECODE_STRICT) walk_tell(walk, FLAW_UNKNOWN_KEY);
    if (walk->options.voice->remark) walk->options.voice->remark(walk, NULL);
}

static void take_known_key(struct record_walk *walk, struct walk_frame *frame,
                           const struct field *field)
{
    uint64_t bit = 1ULL << (field - frame->record->fields);
    bool is_told_again = !(walk->options.rules & DECODE_PIECES);

    frame->field = field;
    frame->key = (struct str){field->name, walk->source.text.len};
    if (!(frame->seen & bit)) {
        frame->seen |= bit;
        return;
    }
    frame->field = NULL; /* the second value is read over */
    if (is_told_again || !(frame->repeated & bit)) walk_tell(walk, FLAW_REPEATED_KEY);
    frame->repeated |= bit;
}

static void take_key(struct record_walk *walk)
{
    struct walk_frame *frame = top_frame(walk);

    if (frame->kind == WALK_RECORD) {
        frame->field = find_field(frame, walk->source.text);
        if (frame->field) {
            take_known_key(walk, frame, frame->field);
            return;
        }
    }
    take_foreign_key(walk, frame);
}

/* --- Values --- */

/* A target is where the value at hand belongs; without a field, the value is read over. */
struct target {
    const struct field *field;
    bool is_item;
    void *slot;
};

static struct target next_target(struct record_walk *walk)
{
    struct walk_frame *frame = top_frame(walk);
    const struct field *field = frame->field;
    void *item;

    switch (frame->kind) {
    case WALK_RECORD:
        if (!field) break;
        return (struct target){.field = field, .slot = frame->slot + field->offset};
    case WALK_LIST:
        item = walk_next_item(walk, frame);
        if (!item) break;
        return (struct target){.field = field, .is_item = true, .slot = item};
    case WALK_ARRAY:
        frame->index++;
        break;
    case WALK_OBJECT:
        break;
    }
    return (struct target){.field = NULL};
}

/* Tells the verdict on a value that does not fit its field. */
static uint64_t *tell_misfit(struct record_walk *walk, const struct target *target)
{
    struct verdict *verdict = &walk->source.verdict;

    if (target->field->flags & FIELD_LENIENT) return NULL;
    verdict->field = target->field;
    verdict->is_item = target->is_item;
    return walk->options.voice->tell(walk, verdict);
}

/* Tells that the field takes no object, or no array. */
static uint64_t *tell_kind(struct record_walk *walk, const struct target *target)
{
    if (!target->field) return NULL;
    walk->source.verdict = (struct verdict){FLAW_KIND};
    return tell_misfit(walk, target);
}

static bool take_null(const struct record_walk *walk, const struct target *target)
{
    const struct field *field = target->field;

    if (field->flags & FIELD_NULLABLE) {
        field_take_null(field, target->slot);
        return true;
    }
    bool is_absent = walk->options.rules & (DECODE_PYDANTIC | DECODE_NULL_IS_ABSENT);
    return is_absent && !(field->flags & FIELD_REQUIRED);
}

static void remark_blank(struct record_walk *walk, const struct field *field)
{
    struct str text = walk->source.text;
    size_t blanks = 0;

    while (blanks < text.len && strchr(" \t\r\n", text.data[blanks]))
        blanks++;
    if (blanks == text.len && walk->options.voice->remark) walk->options.voice->remark(walk, field);
}

static void take_scalar(struct record_walk *walk)
{
    struct field_source *source = &walk->source;

    if (walk->depth == 0) {
        walk_tell(walk, FLAW_NO_OBJECT);
        return;
    }
    struct target target = next_target(walk);
    const struct field *field = target.field;

    if (!field) return;
    if (source->token == JSON_NULL && !target.is_item && take_null(walk, &target)) return;
    bool is_taken = field_take(source, field, target.is_item, target.slot);
    if (!is_taken) tell_misfit(walk, &target);
    if (is_taken && (field->flags & FIELD_NOTE_BLANK)) remark_blank(walk, field);
    /* A decoder of whole bodies tells that at the end of the list. */
    if (is_taken && (field->flags & FIELD_UNIQUE) && (walk->options.rules & DECODE_PIECES))
        watch(walk, top_frame(walk), FLAW_REPEATED_ITEM);
}

/* --- Objects and arrays --- */

static void push_record(struct record_walk *walk, const struct record *record, void *value)
{
    struct walk_frame *frame = push(walk, WALK_RECORD);

    assert(record->field_count <= 64);
    frame->record = record;
    frame->slot = value;
    record_clear(record, value);
}

static void push_text(struct record_walk *walk, const struct target *target)
{
    struct walk_frame *frame = push(walk, WALK_OBJECT);

    frame->field = target->field;
    frame->slot = target->slot;
    walk->object = frame;
}

void walk_use_arena(struct record_walk *walk, struct arena *arena)
{
    walk->source.arena = arena;
    walk->source.chunk_left = 0;
}

static void open_object(struct record_walk *walk)
{
    if (walk->depth == 0) {
        push_record(walk, walk->options.record, walk->options.value);
        return;
    }
    struct target target = next_target(walk);
    const struct field *field = target.field;

    if (field && field->type == FIELD_RECORDS && target.is_item) {
        if (top_frame(walk)->is_streamed) walk_use_arena(walk, walk->options.item_arena);
        push_record(walk, field->record, target.slot);
    } else if (field && field->type == FIELD_RECORD) {
        void *value = field_take_memory(&walk->source, 1, field->record->size);
        if (!value) return;
        *(void **)target.slot = value;
        push_record(walk, field->record, value);
    } else if (field && (field->type == FIELD_OBJECT || field->type == FIELD_MAP)) {
        push_text(walk, &target);
    } else {
        uint64_t *end = tell_kind(walk, &target);
        push(walk, WALK_OBJECT)->ret_end = end;
    }
}

static void push_list(struct record_walk *walk, const struct target *target)
{
    struct walk_frame *frame = push(walk, WALK_LIST);

    frame->field = target->field;
    frame->slot = target->slot;
    frame->is_streamed = (target->field->flags & FIELD_STREAMED) && walk->options.item_arena;
    walk_begin_list(walk, frame);
}

static void open_array(struct record_walk *walk)
{
    uint64_t *end;

    if (walk->depth == 0) {
        end = walk_tell(walk, FLAW_NO_OBJECT);
        push(walk, WALK_ARRAY)->ret_end = end;
        return;
    }
    struct target target = next_target(walk);
    const struct field *field = target.field;

    if (field && field_is_list(field) && !target.is_item) {
        push_list(walk, &target);
        return;
    }
    end = tell_kind(walk, &target);
    push(walk, WALK_ARRAY)->ret_end = end;
}

static void check_missing(struct record_walk *walk, struct walk_frame *frame)
{
    const struct record *record = frame->record;

    if (walk->options.rules & DECODE_KNOWN) return;
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (!(field->flags & FIELD_REQUIRED) || frame->seen >> i & 1) continue;
        frame->key = str_of(field->name);
        walk_tell(walk, FLAW_MISSING);
    }
}

/* Returns the bytes of the open FIELD_OBJECT that the present piece has. */
static struct str object_in_piece(const struct record_walk *walk, uint64_t end)
{
    uint64_t begin = walk->object->begin;

    if (begin < walk->piece_begin) begin = walk->piece_begin;
    return (struct str){walk->piece.data + (begin - walk->piece_begin), end - begin};
}

static void keep_object_text(struct record_walk *walk, uint64_t end)
{
    buf_str(&walk->object_text, object_in_piece(walk, end));
    if (walk->object_text.lacks_memory) walk_lack_memory(walk);
}

static void close_text(struct record_walk *walk, struct walk_frame *frame)
{
    struct str *slot = (struct str *)frame->slot;
    uint64_t end = json_end_offset(walk->reader);

    if (frame->field->type == FIELD_MAP) {
        assert(!(walk->options.rules & DECODE_PIECES));
        walk_close_map(walk, frame, object_in_piece(walk, end));
    } else if (walk->options.rules & DECODE_PIECES) {
        keep_object_text(walk, end);
        struct str text = buf_view(&walk->object_text);
        *slot = (struct str){field_keep_text(&walk->source, text), text.len};
        buf_clear(&walk->object_text);
    } else {
        *slot = object_in_piece(walk, end);
    }
    walk->object = NULL;
}

static void close_level(struct record_walk *walk)
{
    struct walk_frame *frame = top_frame(walk);

    if (frame->kind == WALK_RECORD) check_missing(walk, frame);
    if (frame->kind == WALK_LIST) walk_close_list(walk, frame);
    if (frame == walk->object) close_text(walk, frame);
    if (frame->ret_end) *frame->ret_end = json_end_offset(walk->reader);
    open_keys_close(&walk->keys, walk->depth);
    bool has_value = frame->kind == WALK_RECORD || frame->kind == WALK_LIST;
    if (has_value && walk->options.voice->close) walk->options.voice->close(walk, frame);
    walk->depth--;
}

/* --- The text --- */

static void take_token(struct record_walk *walk)
{
    switch (walk->source.token) {
    case JSON_KEY:
        take_key(walk);
        break;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        take_scalar(walk);
        break;
    case JSON_OBJECT_BEGIN:
        open_object(walk);
        break;
    case JSON_ARRAY_BEGIN:
        open_array(walk);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        close_level(walk);
        break;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        assert(false && "no token of a value");
    }
}

enum json_token walk_feed(struct record_walk *walk, struct str bytes, bool is_last)
{
    struct field_source *source = &walk->source;

    walk->piece_begin += walk->piece.len;
    walk->piece = bytes;
    json_feed(walk->reader, bytes, is_last);
    while (!source->is_over) {
        source->token = json_next(walk->reader, &source->text);
        if (source->token <= JSON_END) break;
        take_token(walk);
    }
    if (source->token == JSON_MORE && walk->object)
        keep_object_text(walk, walk->piece_begin + bytes.len);
    return source->token;
}
