/*
 * This decoder reads streams. It decodes an item of a streamed list into an arena that is rewound
 * behind it; the envelope stays (contract, section 5: a package of any number of products). It says
 * what is wrong in the words of pydantic v2 (contract, section 1, exception 1), once a place.
 */
#include "kit/json/record_stream.h"

#include "kit/base/must.h"
#include "kit/json/number.h"
#include "kit/json/record_walk.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    ITEM_ARENA_SIZE = 64 * 1024,       /* kept from item to item */
    ARENA_MAX = 4 * STREAM_MEMORY_MAX, /* with its texts, and while a list moves into it */
    LOC_MAX = JSON_DEPTH_MAX * (6 * (WALK_KEY_MAX + 4) + 24),
    INPUT_BYTES_MAX = 6 * STREAM_INPUT_MAX + 2,
    WORDS_MAX = 4000,
};

struct record_stream {
    struct record_stream_options options;
    enum stream_state state;
    bool is_in_on_item;

    void *value;        /* the struct of the record */
    struct arena whole; /* what lives as long as the stream */
    struct arena item;  /* the item of a streamed list */
    struct arena_mark item_begin;

    struct arena fault_arena;
    size_t fault_count;

    /* These are set when the stream is first used. */
    struct record_walk walk; /* is_mute: there are more faults than are told */
    struct stream_fault faults[STREAM_FAULTS_MAX];
};

/* --- Words --- */

static const struct stream_words kind_words[] = {
    [FIELD_STRING] = {"string_type", "Input should be a valid string"},
    [FIELD_INTEGER] = {"int_type", "Input should be a valid integer"},
    [FIELD_BOOLEAN] = {"bool_type", "Input should be a valid boolean"},
    [FIELD_TIME] = {"datetime_type", "Input should be a valid datetime"},
    [FIELD_UUID] = {"uuid_type", "UUID input should be a string"},
    [FIELD_RECORD] = {"dict_type", "Input should be a valid dictionary"},
    [FIELD_RECORDS] = {"list_type", "Input should be a valid list"},
    [FIELD_STRINGS] = {"list_type", "Input should be a valid list"},
    [FIELD_OBJECT] = {"dict_type", "Input should be a valid dictionary"},
    [FIELD_MAP] = {"dict_type", "Input should be a valid dictionary"},
    [FIELD_STRING_OR_INTEGER] = {"string_type", "Input should be a valid string"},
    [FIELD_TRISTATE] = {"bool_type", "Input should be a valid boolean"},
    [FIELD_DECIMAL] = {"float_type", "Input should be a valid number"},
    [FIELD_SCALAR] = {"string_type", "Input should be a valid string"},
};

static_assert(DECIMAL_WHOLE_MAX == 15 && DECIMAL_PLACES_MAX == 6, "as the words say");
static_assert(STREAM_UNKNOWN_KEYS_MAX == 65536, "as the words say");

static const struct stream_words flaw_words[] = {
    [FLAW_FRACTION] = {"int_from_float",
                       "Input should be a valid integer, got a number with a fractional part"},
    [FLAW_NO_INT64] = {"int_parsing_size",
                       "Unable to parse input string as an integer, exceeded maximum size"},
    [FLAW_DIGITS] = {"decimal_max_digits",
                     "Decimal input should have no more than 21 digits in total",
                     "{\"max_digits\":21}"},
    [FLAW_WHOLE_DIGITS] =
        {"decimal_whole_digits",
         "Decimal input should have no more than 15 digits before the decimal point",
         "{\"whole_digits\":15}"},
    [FLAW_PLACES] = {"decimal_max_places",
                     "Decimal input should have no more than 6 decimal places",
                     "{\"decimal_places\":6}"},
    [FLAW_TIME_WITHOUT_ZONE] = {"timezone_aware", "Input should have timezone info"},
    [FLAW_UUID] = {"uuid_parsing", "Input should be a valid UUID"},
    [FLAW_LIST_MEMORY] = {"too_large", "List is too large to be read"},
    [FLAW_REPEATED_ITEM] = {"duplicate_id", "This value stands twice in the list"},
    [FLAW_REPEATED_KEY] = {"duplicate_key", "This key stands twice in its object"},
    [FLAW_TOO_MANY_KEYS] = {"too_many_keys", "Object should have at most 65536 unknown keys"},
    [FLAW_MISSING] = {"missing", "Field required"},
    [FLAW_NO_OBJECT] = {"dict_type", "Input should be a valid dictionary"},
};

/* These name a limit: the words in front of it, and what it counts. */
static const struct limit_words {
    const char *type, *front, *noun;
    const char *key; /* of the limit in `ctx` */
} limit_words[] = {
    [FLAW_TOO_SHORT] = {"string_too_short", "String should have at least", " character",
                        "min_length"},
    [FLAW_TOO_LONG] = {"string_too_long", "String should have at most", " character", "max_length"},
    [FLAW_TOO_SMALL] = {"greater_than_equal", "Input should be greater than or equal to", "", "ge"},
    [FLAW_TOO_LARGE] = {"less_than_equal", "Input should be less than or equal to", "", "le"},
    [FLAW_NOT_MORE] = {"greater_than", "Input should be greater than", "", "gt"},
    [FLAW_TOO_FEW] = {"too_short", "List should have at least", " item", "min_length"},
    [FLAW_TOO_MANY] = {"too_long", "List should have at most", " item", "max_length"},
};

static struct stream_words say_limit(const struct verdict *verdict, struct arena *arena)
{
    const struct limit_words *words = &limit_words[verdict->flaw];
    const char *plural = words->noun[0] && verdict->limit != 1 ? "s" : "";
    const char *message = arena_printf(arena, "%s %" PRId64 "%s%s", words->front, verdict->limit,
                                       words->noun, plural);
    const char *limit = arena_printf(arena, "\"%s\":%" PRId64, words->key, verdict->limit);

    if (!verdict_is_of_frame(verdict))
        return (struct stream_words){words->type, message, arena_printf(arena, "{%s}", limit)};
    return (struct stream_words){
        words->type, arena_printf(arena, "%s after validation, not %zu", message, verdict->count),
        arena_printf(arena, "{\"field_type\":\"List\",%s,\"actual_length\":%zu}", limit,
                     verdict->count)};
}

/* Returns a JSON object with one text. */
static const char *say_ctx(const char *key, struct str text, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF ctx = {0};

    buf_init(&ctx, 6 * text.len + WORDS_MAX);
    json_writer_init(&writer, &ctx);
    json_object_begin(&writer);
    json_key(&writer, key);
    json_str(&writer, text);
    json_object_end(&writer);
    return arena_str(arena, buf_view(&ctx));
}

static struct stream_words say_format(const struct field_format *format, struct arena *arena)
{
    if (!format->pattern)
        return (struct stream_words){"value_error",
                                     arena_printf(arena, "Value error, %s", format->message)};
    return (struct stream_words){
        "string_pattern_mismatch",
        arena_printf(arena, "String should match pattern '%s'", format->pattern),
        say_ctx("pattern", str_of(format->pattern), arena)};
}

/* Lists the words as 'a', 'b' or 'c'. */
static struct stream_words say_words(const char *const *words, struct arena *arena)
{
    AUTO_BUF list = {0};

    buf_init(&list, WORDS_MAX);
    for (size_t i = 0; words[i]; i++)
        buf_printf(&list, "%s'%s'", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    assert(!list.is_full);
    return (struct stream_words){
        "enum", arena_printf(arena, "Input should be %.*s", (int)list.len, list.data),
        say_ctx("expected", buf_view(&list), arena)};
}

static struct stream_words say_kind(const struct field_source *source,
                                    const struct verdict *verdict, struct arena *arena)
{
    enum field_type type = verdict->field->type;

    if (type == FIELD_ENUM || type == FIELD_WORD)
        return say_words(field_words(source, verdict->field), arena);
    if (verdict->is_item) type = type == FIELD_RECORDS ? FIELD_RECORD : FIELD_STRING;
    return kind_words[type];
}

static struct stream_words say(const struct field_source *source, const struct verdict *verdict,
                               struct arena *arena)
{
    enum record_flaw flaw = verdict->flaw;

    if (flaw == FLAW_KIND) return say_kind(source, verdict, arena);
    if (flaw == FLAW_FORMAT) return say_format(verdict->field->format, arena);
    if (flaw == FLAW_TIME)
        return (struct stream_words){
            "datetime_parsing",
            arena_printf(arena, "Input should be a valid datetime, %s", verdict->reason),
            say_ctx("error", str_of(verdict->reason), arena)};
    bool has_limit = flaw < COUNT_OF(limit_words) && limit_words[flaw].type;
    assert(has_limit || (flaw < COUNT_OF(flaw_words) && flaw_words[flaw].type));
    return has_limit ? say_limit(verdict, arena) : flaw_words[flaw];
}

const struct stream_words *stream_judge(enum field_type type, const struct scalar *value)
{
    static const enum json_token tokens[] = {[SCALAR_NONE] = JSON_NULL,
                                             [SCALAR_STRING] = JSON_STRING,
                                             [SCALAR_NUMBER] = JSON_NUMBER,
                                             [SCALAR_BOOLEAN] = JSON_TRUE};
    enum record_flaw flaw = field_judge(type, tokens[value->kind], str_of(value->text));

    if (flaw == FLAW_NONE) return NULL;
    return flaw == FLAW_KIND ? &kind_words[type] : &flaw_words[flaw];
}

/* --- Faults --- */

/* Writes a place into `out` as the items of an array, without its brackets: what the innermost of
 * `depth` frames is at, then `loc`, which begins there. */
static const char *place_of(const struct record_stream *stream, unsigned depth, const char *loc,
                            struct buf *out)
{
    struct json_writer writer;

    buf_init(out, LOC_MAX + strlen(loc));
    json_writer_init(&writer, out);
    json_array_begin(&writer);
    for (unsigned i = 0; i < depth; i++) {
        const struct walk_frame *frame = &stream->walk.frames[i];
        if (frame->kind == WALK_LIST || frame->kind == WALK_ARRAY)
            json_int(&writer, (int64_t)frame->index - 1);
        else
            json_str(&writer, frame->key);
    }
    if (loc[0]) json_raw(&writer, str_of(loc));
    json_array_end(&writer);
    assert(out->len >= 2 && !out->is_full);
    out->data[out->len - 1] = '\0';
    return out->data + 1;
}

static bool is_repeated_key(const char *type)
{
    return strcmp(type, flaw_words[FLAW_REPEATED_KEY].type) == 0;
}

/* That a key stands twice and that its value is wrong are faults of two kinds at one place. */
static bool is_told(const struct record_stream *stream, const char *loc, bool is_repetition)
{
    for (size_t i = 0; i < stream->fault_count; i++) {
        const struct stream_fault *fault = &stream->faults[i];
        if (is_repeated_key(fault->type) != is_repetition) continue;
        if (strcmp(fault->loc, loc) == 0) return true;
    }
    return false;
}

/* Returns a row for a fault at this place. NULL: the place has one, or there are as many as are
 * told; then the next ones cost nothing, so hostile texts gain nothing by having many. */
static struct stream_fault *next_fault(struct record_stream *stream, unsigned depth,
                                       const char *loc, bool is_repetition)
{
    AUTO_BUF out = {0};

    if (stream->walk.is_mute) return NULL;
    const char *place = place_of(stream, depth, loc, &out);
    if (is_told(stream, place, is_repetition)) return NULL;
    if (stream->fault_count == STREAM_FAULTS_MAX) {
        stream->walk.is_mute = true;
        return NULL;
    }
    struct stream_fault *fault = &stream->faults[stream->fault_count++];
    *fault = (struct stream_fault){.loc = arena_text(&stream->fault_arena, place)};
    return fault;
}

/* Returns the scalar at hand as JSON; NULL: it is none. */
static const char *input_of(const struct field_source *source, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF out = {0};

    buf_init(&out, INPUT_BYTES_MAX);
    json_writer_init(&writer, &out);
    switch ((int)source->token) {
    case JSON_STRING:
    case JSON_KEY:
        json_str(&writer, utf8_cut(source->text, STREAM_INPUT_MAX));
        break;
    case JSON_NUMBER:
        json_raw(&writer, number_cut(source->text, STREAM_INPUT_MAX));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_bool(&writer, source->token == JSON_TRUE);
        break;
    case JSON_NULL:
        json_null(&writer);
        break;
    default:
        return NULL;
    }
    return arena_str(arena, buf_view(&out));
}

static uint64_t *tell(struct record_walk *walk, const struct verdict *verdict)
{
    struct record_stream *stream = CONTAINER_OF(walk, struct record_stream, walk);
    struct arena *arena = &stream->fault_arena;
    bool is_of_frame = verdict_is_of_frame(verdict);
    struct stream_fault *fault =
        next_fault(stream, walk->depth - is_of_frame, "", verdict->flaw == FLAW_REPEATED_KEY);

    if (!fault) return NULL;
    struct stream_words words = say(&walk->source, verdict, arena);
    fault->type = words.type;
    fault->message = words.message;
    fault->ctx = words.ctx;
    /* A missing value cannot be shown; the object that lacks it is. */
    is_of_frame = is_of_frame || verdict->flaw == FLAW_MISSING;
    if (!is_of_frame) fault->input = input_of(&walk->source, arena);
    fault->begin = is_of_frame ? walk->frames[walk->depth - 1].begin : json_offset(walk->reader);
    fault->end = json_end_offset(walk->reader);
    return fault->input ? NULL : &fault->end;
}

/* Places that are told from outside begin there. */
static unsigned outer_depth(const struct record_stream *stream)
{
    return stream->is_in_on_item ? stream->walk.depth - 1 : 0;
}

void record_stream_fault(struct record_stream *stream, const struct stream_fault *fault)
{
    struct arena *arena = &stream->fault_arena;
    struct stream_fault *copy =
        next_fault(stream, outer_depth(stream), fault->loc, is_repeated_key(fault->type));

    if (!copy) return;
    copy->type = arena_text(arena, fault->type);
    copy->message = arena_text(arena, fault->message);
    copy->ctx = arena_text(arena, fault->ctx);
    copy->input = arena_text(arena, fault->input);
    copy->begin = fault->begin;
    copy->end = fault->end;
}

bool record_stream_has_fault(const struct record_stream *stream, const char *loc)
{
    AUTO_BUF out = {0};
    const char *place = place_of(stream, outer_depth(stream), loc, &out);

    return is_told(stream, place, false) || is_told(stream, place, true);
}

const struct stream_fault *record_stream_faults(const struct record_stream *stream,
                                                size_t *ret_count, bool *ret_is_truncated)
{
    *ret_count = stream->fault_count;
    *ret_is_truncated = stream->walk.is_mute;
    return stream->faults;
}

/* --- The stream --- */

/* Tables of streams must not have what nothing here would heed. */
static void check_tables(const struct record *record, unsigned depth)
{
    assert(!record->check);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        bool is_streamed = field->flags & FIELD_STREAMED;
        assert(!(field->flags & (FIELD_SECRET | FIELD_SHARE)));
        assert(!is_streamed || (depth == 0 && field->type == FIELD_RECORDS));
        assert(!(field->flags & FIELD_UNIQUE) || field->items_max > 0);
        (void)is_streamed;
        if (field->record && depth < JSON_DEPTH_MAX) check_tables(field->record, depth + 1);
    }
}

/* Returns the item of a streamed list, as far as it was read. */
static struct stream_item item_of(const struct record_stream *stream, const struct walk_frame *list,
                                  const struct walk_frame *record)
{
    return (struct stream_item){.list = list->field,
                                .index = list->index - 1,
                                .value = record->slot,
                                .begin = record->begin,
                                .seen = record->seen,
                                .end = json_end_offset(stream->walk.reader)};
}

/* Hands over the item of a streamed list. Its memory is used again. */
static void hand_over(struct record_stream *stream, const struct walk_frame *list,
                      const struct walk_frame *record)
{
    struct stream_item item = item_of(stream, list, record);

    assert(stream->options.on_item);
    stream->is_in_on_item = true;
    if (!stream->walk.is_mute) stream->options.on_item(stream->options.arg, stream, &item);
    stream->is_in_on_item = false;
    arena_rewind(&stream->item, stream->item_begin);
    walk_use_arena(&stream->walk, &stream->whole);
}

static void close_value(struct record_walk *walk, struct walk_frame *frame)
{
    struct record_stream *stream = CONTAINER_OF(walk, struct record_stream, walk);

    if (frame->kind != WALK_RECORD || walk->depth == 1) return;
    const struct walk_frame *outer = frame - 1;
    if (outer->kind == WALK_LIST && outer->is_streamed) hand_over(stream, outer, frame);
}

static void hand_over_remark(struct record_walk *walk, const struct field *field)
{
    struct record_stream *stream = CONTAINER_OF(walk, struct record_stream, walk);
    const struct walk_frame *frames = walk->frames, *frame = &frames[walk->depth - 1];
    struct stream_remark remark = {.blank = field, .record = frame->record, .key = frame->key};

    if (!stream->options.on_remark) return;
    if (walk->depth > 1) remark.holder = frame[-1].field;
    if (walk->depth > 2 && frames[1].is_streamed)
        remark.item = item_of(stream, &frames[1], &frames[2]);
    stream->options.on_remark(stream->options.arg, stream, &remark);
}

size_t record_stream_form(const struct record_stream *stream, struct arena *arena,
                          const char **ret_parts)
{
    for (unsigned i = 0; i < stream->walk.depth; i++) {
        const struct walk_frame *frame = &stream->walk.frames[i];
        ret_parts[i] = frame->kind == WALK_LIST ? "[]" : arena_str(arena, frame->key);
    }
    return stream->walk.depth;
}

static const struct walk_voice stream_voice = {
    .tell = tell, .close = close_value, .remark = hand_over_remark};

struct record_stream *record_stream_new(const struct record_stream_options *options)
{
    struct record_stream *stream = must_malloc(sizeof(*stream));

    check_tables(options->record, 0);
    memset(stream, 0, offsetof(struct record_stream, walk));
    stream->options = *options;
    arena_init_large(&stream->whole, ARENA_MAX);
    arena_init_large(&stream->item, ARENA_MAX);
    stream->value = arena_alloc(&stream->whole, options->record->size);
    record_clear(options->record, stream->value);
    /* A chunk of its own, so that items that fit in it allocate nothing. */
    arena_alloc(&stream->item, ITEM_ARENA_SIZE);
    stream->item_begin = arena_mark(&stream->item);
    stream->item_begin.chunk_used = stream->item_begin.used = 0;
    arena_rewind(&stream->item, stream->item_begin);
    walk_init(&stream->walk, &(struct walk_options){.voice = &stream_voice,
                                                    .rules = DECODE_PIECES | DECODE_PYDANTIC,
                                                    .record = options->record,
                                                    .value = stream->value,
                                                    .arena = &stream->whole,
                                                    .item_arena = &stream->item,
                                                    .words = options->words,
                                                    .token_max = options->token_max,
                                                    .keys_max = STREAM_UNKNOWN_KEYS_MAX,
                                                    .memory_max = STREAM_MEMORY_MAX});
    if (options->skips_mark) json_skip_mark(stream->walk.reader);
    return stream;
}

void record_stream_free(struct record_stream *stream)
{
    if (!stream) return;
    walk_done(&stream->walk);
    arena_done(&stream->whole);
    arena_done(&stream->item);
    arena_done(&stream->fault_arena);
    free(stream);
}

static enum stream_state state_of(const struct record_walk *walk, enum json_token token)
{
    if (walk->source.lacks_memory) return STREAM_LACKS_MEMORY;
    if (token == JSON_FAULT)
        return json_lacks_memory(walk->reader) ? STREAM_LACKS_MEMORY : STREAM_FAULT;
    return token == JSON_END ? STREAM_END : STREAM_MORE;
}

enum stream_state record_stream_feed(struct record_stream *stream, struct str bytes, bool is_last)
{
    if (stream->state != STREAM_MORE) return stream->state;
    return stream->state = state_of(&stream->walk, walk_feed(&stream->walk, bytes, is_last));
}

size_t record_stream_memory(const struct record_stream *stream)
{
    return walk_memory(&stream->walk) + stream->whole.used + stream->item.used +
           stream->fault_arena.used;
}

const void *record_stream_value(const struct record_stream *stream)
{
    return stream->value;
}

bool record_stream_has(const struct record_stream *stream, const struct field *field)
{
    return walk_seen(&stream->walk) >> (field - stream->options.record->fields) & 1;
}

const char *record_stream_why(const struct record_stream *stream)
{
    return json_fault(stream->walk.reader);
}

uint64_t record_stream_offset(const struct record_stream *stream)
{
    return json_offset(stream->walk.reader);
}

/* --- Known texts --- */

struct known {
    bool is_unsound;
    struct record_walk walk;
};

static uint64_t *note(struct record_walk *walk, const struct verdict *verdict)
{
    (void)verdict;
    CONTAINER_OF(walk, struct known, walk)->is_unsound = true;
    return NULL;
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
    static const struct walk_voice voice = {.tell = note};
    struct known *known = must_malloc(sizeof(*known));

    known->is_unsound = false;
    walk_init(&known->walk,
              &(struct walk_options){.voice = &voice,
                                     .rules = DECODE_PIECES | DECODE_PYDANTIC | DECODE_KNOWN,
                                     .record = record,
                                     .value = ret_value,
                                     .arena = arena,
                                     .token_max = text.len,
                                     .memory_max = SIZE_MAX});
    enum stream_state state = state_of(&known->walk, walk_feed(&known->walk, text, true));
    bool is_sound = state == STREAM_END && !known->is_unsound;
    *ret_seen = walk_seen(&known->walk);
    walk_done(&known->walk);
    free(known);
    if (state == STREAM_LACKS_MEMORY) return ERR_OVERLOADED;
    return is_sound ? ERR_OK : ERR_INTERNAL;
}
