/*
 * The record decoder: driven token by token, with a stack of its own in place of recursion, so that
 * its depth is the reader's and a stream could feed it as well as a text. Everything that is wrong
 * is told at once (contract, section 1); what a record does not know is read over, but its keys are
 * watched, since a repeated key is a fault wherever it stands.
 */
#include "kit/json/open_keys.h"
#include "kit/json/record_value.h"

#include <stdlib.h>

enum {
    FOREIGN_KEYS_MAX = 16384, /* that no record knows, in a body */
    PATH_KEY_MAX = 60,        /* bytes of a foreign key that a path shows */
    PATH_MAX_LEN = JSON_DEPTH_MAX * (PATH_KEY_MAX + 24),
    LIST_CAPACITY_FIRST = 4,
};

enum frame_kind {
    FRAME_RECORD,
    FRAME_LIST,   /* of a record's field */
    FRAME_OBJECT, /* read over, or kept as text */
    FRAME_ARRAY,  /* read over */
};

struct frame {
    enum frame_kind kind;
    const struct record *record; /* RECORD */
    const struct field *field;   /* RECORD: of the value to come, NULL: it is read over.
                                  * LIST: the list's. OBJECT: that keeps the text, or NULL */
    void *slot;                  /* the struct of a RECORD, the value of a LIST or OBJECT */
    uint64_t seen;               /* RECORD: one bit a field */
    struct str key;              /* RECORD, OBJECT: the last key */
    size_t index;                /* LIST, ARRAY: items begun */
    size_t capacity;             /* LIST */
    uint64_t offset;             /* OBJECT: of its bracket in the text */
};

/* Where the next value belongs. */
struct target {
    const struct field *field; /* NULL: nowhere, it is read over */
    bool is_item;
    void *slot;
};

struct decoder {
    const struct record *record;
    struct str body;
    bool is_strict;
    struct arena *arena;
    void *value;
    struct record_faults *faults;
    struct open_keys keys;
    size_t foreign_count; /* keys that no record knows */
    struct frame frames[JSON_DEPTH_MAX];
    unsigned depth;
    bool is_over; /* nothing after this can matter */
};

/* A token with its place in the text. */
struct token {
    enum json_token kind;
    struct str text;
    uint64_t offset, end_offset;
};

static struct frame *top_frame(struct decoder *decoder)
{
    assert(decoder->depth > 0);
    return &decoder->frames[decoder->depth - 1];
}

static void write_key(struct buf *path, struct str key)
{
    struct str front = utf8_fit(key, PATH_KEY_MAX);

    if (path->len > 0) buf_char(path, '.');
    buf_str(path, front);
    if (front.len < key.len) buf_text(path, "...");
}

/* The path of what the innermost of `depth` frames is at. */
static const char *path_of(const struct decoder *decoder, unsigned depth)
{
    AUTO_BUF path = {0};

    buf_init(&path, PATH_MAX_LEN);
    for (unsigned i = 0; i < depth; i++) {
        const struct frame *frame = &decoder->frames[i];
        if (frame->kind == FRAME_LIST || frame->kind == FRAME_ARRAY)
            buf_printf(&path, "[%zu]", frame->index - 1);
        else
            write_key(&path, frame->key);
    }
    return arena_str(decoder->arena, buf_view(&path));
}

/* Once there are more faults than are told, the rest is not read: hostile bodies cost no more. */
static void add_fault(struct decoder *decoder, const char *path, const char *message)
{
    struct record_faults *faults = decoder->faults;

    if (faults->count == FAULTS_MAX) {
        faults->is_truncated = true;
        decoder->is_over = true;
        return;
    }
    faults->rows[faults->count++] = (struct record_fault){.path = path, .message = message};
}

/* A fault of the value that the decoder is at, or with one frame less, of what holds it. */
static void add_fault_at(struct decoder *decoder, unsigned depth, const char *message)
{
    bool is_kept = decoder->faults->count < FAULTS_MAX;
    add_fault(decoder, is_kept ? path_of(decoder, depth) : "", message);
}

static void add_fault_here(struct decoder *decoder, const char *message)
{
    add_fault_at(decoder, decoder->depth, message);
}

/* A value that does not fit its field. */
static void add_misfit(struct decoder *decoder, const struct field *field, const char *message)
{
    if (!(field->flags & FIELD_LENIENT)) add_fault_here(decoder, message);
}

/* A fault that makes the rest of the body pointless to read. */
static void stop(struct decoder *decoder, const char *message)
{
    add_fault(decoder, "", message);
    decoder->is_over = true;
}

/* Room for the next item of a list. Items beyond the list's maximum are checked, but do not become
 * part of it. */
static void *next_item(struct decoder *decoder, struct frame *frame)
{
    struct record_list *list = frame->slot;
    size_t size = field_item_size(frame->field);
    struct limits limits = field_item_limits(frame->field);

    frame->index++;
    if (limits.has_max && frame->index > (size_t)limits.max)
        return arena_alloc(decoder->arena, size);
    if (list->count == frame->capacity) {
        frame->capacity = frame->capacity > 0 ? frame->capacity * 2 : LIST_CAPACITY_FIRST;
        void *items = arena_array(decoder->arena, frame->capacity, size);
        memcpy(items, list->items, list->count * size);
        list->items = items;
    }
    return (char *)list->items + list->count++ * size;
}

static struct target next_target(struct decoder *decoder)
{
    struct frame *frame = top_frame(decoder);

    switch (frame->kind) {
    case FRAME_RECORD:
        if (!frame->field) break;
        return (struct target){.field = frame->field,
                               .slot = field_slot(frame->field, frame->slot)};
    case FRAME_LIST:
        return (struct target){
            .field = frame->field, .is_item = true, .slot = next_item(decoder, frame)};
    case FRAME_ARRAY:
        frame->index++;
        break;
    case FRAME_OBJECT:
        break;
    }
    return (struct target){.field = NULL};
}

static struct frame *push(struct decoder *decoder, enum frame_kind kind)
{
    assert(decoder->depth < JSON_DEPTH_MAX);
    struct frame *frame = &decoder->frames[decoder->depth++];
    *frame = (struct frame){.kind = kind};
    return frame;
}

static void push_record(struct decoder *decoder, const struct record *record, void *value)
{
    struct frame *frame = push(decoder, FRAME_RECORD);

    assert(record->field_count <= 64);
    frame->record = record;
    frame->slot = value;
    record_clear(record, value);
}

static void open_object(struct decoder *decoder, const struct token *token)
{
    if (decoder->depth == 0) {
        push_record(decoder, decoder->record, decoder->value);
        return;
    }
    struct target target = next_target(decoder);
    const struct field *field = target.field;

    if (field && field->type == FIELD_RECORDS && target.is_item) {
        push_record(decoder, field->record, target.slot);
        return;
    }
    if (field && field->type == FIELD_RECORD) {
        void *value = arena_alloc(decoder->arena, field->record->size);
        *(void **)target.slot = value;
        push_record(decoder, field->record, value);
        return;
    }
    if (field && field->type == FIELD_OBJECT) {
        struct frame *frame = push(decoder, FRAME_OBJECT);
        frame->field = field;
        frame->slot = target.slot;
        frame->offset = token->offset;
        return;
    }
    if (field)
        add_misfit(decoder, field, field_type_message(field, target.is_item, decoder->arena));
    push(decoder, FRAME_OBJECT);
}

static void open_array(struct decoder *decoder)
{
    struct target target = next_target(decoder);
    const struct field *field = target.field;

    if (field && field_is_list(field) && !target.is_item) {
        struct frame *frame = push(decoder, FRAME_LIST);
        frame->field = field;
        frame->slot = target.slot;
        frame->capacity = LIST_CAPACITY_FIRST; /* an empty list is there, null is not */
        *(struct record_list *)target.slot = (struct record_list){
            .items = arena_array(decoder->arena, frame->capacity, field_item_size(field))};
        return;
    }
    if (field)
        add_misfit(decoder, field, field_type_message(field, target.is_item, decoder->arena));
    push(decoder, FRAME_ARRAY);
}

static void take_scalar(struct decoder *decoder, const struct token *token)
{
    struct target target = next_target(decoder);
    const struct field *field = target.field;

    if (!field) return;
    if (token->kind == JSON_NULL && !target.is_item && (field->flags & FIELD_NULLABLE)) {
        field_take_null(field, target.slot);
        return;
    }
    const char *message = field_take_scalar(field, target.is_item, token->kind, token->text,
                                            decoder->arena, target.slot);
    if (message) add_misfit(decoder, field, message);
}

const struct field *record_find(const struct record *record, struct str name)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (field_is_named(field, name)) return field;
    }
    return NULL;
}

/* A key that no field has. */
static void take_foreign_key(struct decoder *decoder, struct frame *frame, struct str key)
{
    enum open_key state = open_keys_add(&decoder->keys, decoder->depth, key);
    bool is_new = state == KEY_IS_NEW;

    if (is_new && decoder->foreign_count++ == FOREIGN_KEYS_MAX)
        stop(decoder, "Has more than 16384 unknown properties.");
    if (decoder->is_over) return;
    frame->key = (struct str){arena_str(decoder->arena, key), key.len};
    if (is_new && frame->kind == FRAME_RECORD && decoder->is_strict)
        add_fault_here(decoder, "Unknown property.");
    if (!is_new) add_fault_here(decoder, "Duplicate key.");
}

static void take_key(struct decoder *decoder, struct str key)
{
    struct frame *frame = top_frame(decoder);
    const struct field *field =
        frame->kind == FRAME_RECORD ? record_find(frame->record, key) : NULL;

    if (frame->kind == FRAME_RECORD) frame->field = field;
    if (!field) {
        take_foreign_key(decoder, frame, key);
        return;
    }
    uint64_t bit = 1ULL << (field - frame->record->fields);
    frame->key = str_of(field->name);
    if (frame->seen & bit) {
        add_fault_here(decoder, "Duplicate key.");
        frame->field = NULL; /* the second value is read over */
    }
    frame->seen |= bit;
}

/* At a record's end: what is missing, then the rules over several fields. */
static void close_record(struct decoder *decoder)
{
    struct frame *frame = top_frame(decoder);
    const struct record *record = frame->record;

    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (!(field->flags & FIELD_REQUIRED) || frame->seen >> i & 1) continue;
        frame->key = str_of(field->name);
        add_fault_here(decoder, "Required.");
    }
    if (!record->check) return;
    decoder->faults->prefix = path_of(decoder, decoder->depth - 1);
    record->check(decoder->faults, frame->slot);
    decoder->faults->prefix = NULL;
}

struct sorted_item {
    const char *text;
    size_t index;
};

static int compare_items(const void *left, const void *right)
{
    const struct sorted_item *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Reports each item that equals an earlier one. */
static void check_unique(struct decoder *decoder, struct frame *frame)
{
    const struct record_list *list = frame->slot;
    const char *const *texts = list->items;
    struct sorted_item *sorted = arena_array(decoder->arena, list->count, sizeof(*sorted));
    size_t count = 0;

    assert(frame->field->type == FIELD_STRINGS);
    for (size_t i = 0; i < list->count; i++) {
        if (texts[i]) sorted[count++] = (struct sorted_item){texts[i], i};
    }
    if (count > 1) qsort(sorted, count, sizeof(*sorted), compare_items);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].text, sorted[i].text) != 0) continue;
        frame->index = sorted[i].index + 1;
        add_fault_here(decoder, arena_printf(decoder->arena, "Must differ from item [%zu].",
                                             sorted[i - 1].index));
    }
}

static void close_list(struct decoder *decoder)
{
    struct frame *frame = top_frame(decoder);
    struct limits limits = field_item_limits(frame->field);
    const char *message = limits_check(&limits, "item", frame->index, decoder->arena);

    if (message) add_fault_at(decoder, decoder->depth - 1, message);
    if (frame->field->flags & FIELD_UNIQUE) check_unique(decoder, frame);
}

static void close_level(struct decoder *decoder, const struct token *token)
{
    struct frame *frame = top_frame(decoder);

    switch (frame->kind) {
    case FRAME_RECORD:
        close_record(decoder);
        break;
    case FRAME_LIST:
        close_list(decoder);
        break;
    case FRAME_OBJECT:
        if (!frame->field) break;
        *(struct str *)frame->slot =
            (struct str){decoder->body.data + frame->offset, token->end_offset - frame->offset};
        break;
    case FRAME_ARRAY:
        break;
    }
    open_keys_close(&decoder->keys, decoder->depth--);
}

static void take_token(struct decoder *decoder, const struct token *token)
{
    if (decoder->depth == 0 && token->kind != JSON_OBJECT_BEGIN) {
        stop(decoder, "Must be a JSON object.");
        return;
    }
    switch (token->kind) {
    case JSON_OBJECT_BEGIN:
        open_object(decoder, token);
        break;
    case JSON_ARRAY_BEGIN:
        open_array(decoder);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        close_level(decoder, token);
        break;
    case JSON_KEY:
        take_key(decoder, token->text);
        break;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        take_scalar(decoder, token);
        break;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        assert(false && "no token of a value");
    }
}

/* Text that is no JSON has this one fault: what was found before it may be a consequence. */
static void report_malformed(struct decoder *decoder, const struct json_reader *reader,
                             size_t faults_before)
{
    decoder->faults->count = faults_before;
    add_fault(decoder, "",
              arena_printf(decoder->arena, "Malformed JSON at byte %llu: %s",
                           (unsigned long long)json_offset(reader), json_fault(reader)));
}

static void read_body(struct decoder *decoder, struct json_reader *reader)
{
    size_t faults_before = decoder->faults->count;
    bool was_truncated = decoder->faults->is_truncated;
    struct token token = {.kind = JSON_NULL};

    json_feed(reader, decoder->body, true);
    while (!decoder->is_over) {
        token.kind = json_next(reader, &token.text);
        if (token.kind == JSON_END) return;
        if (token.kind == JSON_FAULT) {
            decoder->faults->is_truncated = was_truncated;
            report_malformed(decoder, reader, faults_before);
            return;
        }
        token.offset = json_offset(reader);
        token.end_offset = json_end_offset(reader);
        take_token(decoder, &token);
    }
}

enum err record_decode(const struct record *record, struct str body, bool is_strict,
                       struct arena *arena, void *ret_value, struct record_faults *faults)
{
    struct decoder decoder = {.record = record,
                              .body = body,
                              .is_strict = is_strict,
                              .arena = arena,
                              .value = ret_value,
                              .faults = faults};
    struct json_reader *reader = json_reader_new(body.len);
    size_t faults_before = faults->count;

    open_keys_init(&decoder.keys, FOREIGN_KEYS_MAX + 1);
    read_body(&decoder, reader);
    json_reader_free(reader);
    open_keys_done(&decoder.keys);
    return faults->count > faults_before || faults->is_truncated ? ERR_VALIDATION : ERR_OK;
}
