/*
 * This decoder reads whole bodies. Its sentences say what to send, and its paths are those of
 * `error.details` (contract, section 1).
 */
#include "kit/base/must.h"
#include "kit/json/record_walk.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    UNKNOWN_KEYS_MAX = 16384, /* in a body */
    PATH_MAX_LEN = JSON_DEPTH_MAX * (WALK_KEY_MAX + 24),
    MESSAGE_MAX = 2000,
};

struct body {
    struct record_faults *faults;
    size_t faults_before;
    bool was_truncated;
    struct record_walk walk;
};

/* --- Sentences --- */

static const char *count_sentence(const struct limits *limits, const struct verdict *verdict,
                                  const char *noun, struct arena *arena)
{
    bool is_exact = limits->has_min && limits->has_max && limits->min == limits->max;
    bool is_low = verdict->flaw == FLAW_TOO_SHORT || verdict->flaw == FLAW_TOO_FEW;

    return arena_printf(arena, "Must have %s %" PRId64 " %s%s; this has %zu.",
                        is_exact ? "exactly"
                        : is_low ? "at least"
                                 : "at most",
                        verdict->limit, noun, verdict->limit == 1 ? "" : "s", verdict->count);
}

static const char *integer_sentence(const struct field *field, struct arena *arena)
{
    struct limits limits = field_limits(field);

    if (limits.has_max)
        return arena_printf(arena, "Must be an integer between %" PRId64 " and %" PRId64 ".",
                            limits.min, limits.max);
    if (limits.has_min)
        return arena_printf(arena, "Must be an integer of at least %" PRId64 ".", limits.min);
    return "Must be an integer.";
}

static const char *words_sentence(const struct field *field, struct arena *arena)
{
    AUTO_BUF message = {0};

    buf_init(&message, MESSAGE_MAX);
    buf_text(&message, "Must be one of: ");
    for (size_t i = 0; field->words[i]; i++)
        buf_printf(&message, "%s%s", i > 0 ? ", " : "", field->words[i]);
    buf_char(&message, '.');
    return arena_str(arena, buf_view(&message));
}

static const char *decimal_sentence(const struct field *field)
{
    if (field->flags & FIELD_SHARE)
        return "Must be a number from 0 to 1 with at most 6 digits after the point.";
    if (field->flags & FIELD_POSITIVE)
        return "Must be a number above 0 with at most 15 digits before the point and 6 after it.";
    if (field->flags & FIELD_NOT_NEGATIVE)
        return "Must be a number of at least 0 with at most 15 digits before the point and 6 after "
               "it.";
    return "Must be a number with at most 15 digits before the point and 6 after it.";
}

/* Says what to send for this field, or as one of its items. */
static const char *field_sentence(const struct field *field, bool is_item, struct arena *arena)
{
    static const char *const sentences[] = {
        [FIELD_STRING] = "Must be a string.",
        [FIELD_BOOLEAN] = "Must be true or false.",
        [FIELD_TIME] =
            "Must be a time with a time zone (RFC 3339), such as 2026-11-21T04:33:00.123Z.",
        [FIELD_UUID] = "Must be a UUID.",
        [FIELD_RECORD] = "Must be an object.",
        [FIELD_RECORDS] = "Must be a list of objects.",
        [FIELD_STRINGS] = "Must be a list of strings.",
        [FIELD_OBJECT] = "Must be an object.",
        [FIELD_MAP] = "Must be an object of strings.",
        [FIELD_STRING_OR_INTEGER] = "Must be a string or an integer.",
        [FIELD_TRISTATE] = "Must be true or false.",
        [FIELD_SCALAR] = "Must be a string, a number, true or false.",
    };
    enum field_type type = field->type;

    if (is_item) type = type == FIELD_RECORDS ? FIELD_RECORD : FIELD_STRING;
    if (type == FIELD_INTEGER) return integer_sentence(field, arena);
    if (type == FIELD_ENUM || type == FIELD_WORD) return words_sentence(field, arena);
    if (type == FIELD_DECIMAL) return decimal_sentence(field);
    return sentences[type];
}

/* Says what is wrong. The value itself is never part of that, since it may be a secret. */
static const char *sentence_of(const struct verdict *verdict, struct arena *arena)
{
    static const char *const sentences[] = {
        [FLAW_NULL_TIME] = "Must be another moment than 1970-01-01T00:00:00Z.",
        [FLAW_NULL_UUID] = "Must be a UUID that is not all zeros.",
        [FLAW_REPEATED_KEY] = "Duplicate key.",
        [FLAW_UNKNOWN_KEY] = "Unknown property.",
        [FLAW_TOO_MANY_KEYS] = "Has more than 16384 unknown properties.",
        [FLAW_MISSING] = "Required.",
        [FLAW_NO_OBJECT] = "Must be a JSON object.",
    };
    const struct field *field = verdict->field;
    struct limits limits;

    static_assert(UNKNOWN_KEYS_MAX == 16384, "as the sentence says");
    switch ((int)verdict->flaw) {
    case FLAW_FORMAT:
        return verdict->reason ? verdict->reason : field->format->message;
    case FLAW_TOO_SHORT:
    case FLAW_TOO_LONG:
        limits = field_limits(field);
        return count_sentence(&limits, verdict, "character", arena);
    case FLAW_TOO_FEW:
    case FLAW_TOO_MANY:
        limits = field_item_limits(field);
        return count_sentence(&limits, verdict, field->type == FIELD_MAP ? "key" : "item", arena);
    case FLAW_MAP_SIZE:
        return arena_printf(arena, "Must have at most %" PRId64 " bytes as JSON; this has %zu.",
                            verdict->limit, verdict->count);
    }
    const char *sentence = verdict->flaw < COUNT_OF(sentences) ? sentences[verdict->flaw] : NULL;
    return sentence ? sentence : field_sentence(field, verdict->is_item, arena);
}

const char *record_take_text(const struct field *field, struct str text, struct arena *arena,
                             void *value)
{
    bool is_boolean = field->type == FIELD_BOOLEAN || field->type == FIELD_TRISTATE;
    struct field_source source = {.token = JSON_STRING, .text = text, .arena = arena};
    long long number;

    if (is_boolean && str_is(text, "true")) source.token = JSON_TRUE;
    if (is_boolean && str_is(text, "false")) source.token = JSON_FALSE;
    if (field->type == FIELD_INTEGER && str_to_int64(text, &number)) source.token = JSON_NUMBER;
    if (field_take(&source, field, false, field_slot(field, value))) return NULL;
    source.verdict.field = field;
    return sentence_of(&source.verdict, arena);
}

/* --- Faults --- */

/* Returns the path of what the innermost of `depth` frames is at. */
static const char *path_of(const struct record_walk *walk, unsigned depth)
{
    AUTO_BUF path = {0};

    buf_init(&path, PATH_MAX_LEN);
    for (unsigned i = 0; i < depth; i++) {
        const struct walk_frame *frame = &walk->frames[i];
        if (frame->kind == WALK_LIST || frame->kind == WALK_ARRAY) {
            buf_printf(&path, "[%zu]", frame->index - 1);
            continue;
        }
        if (path.len > 0) buf_char(&path, '.');
        buf_str(&path, frame->key);
    }
    return arena_str(walk->source.arena, buf_view(&path));
}

/* Returns a row for one more fault. NULL: there are as many as are told, so the rest is not read,
 * and hostile bodies cost no more. */
static struct record_fault *next_fault(struct body *body)
{
    struct record_faults *faults = body->faults;

    if (faults->count < FAULTS_MAX) return &faults->rows[faults->count++];
    faults->is_truncated = true;
    body->walk.source.is_over = true;
    return NULL;
}

static uint64_t *tell(struct record_walk *walk, const struct verdict *verdict)
{
    struct body *body = CONTAINER_OF(walk, struct body, walk);
    struct record_fault *fault = next_fault(body);
    /* It is pointless to read on after these. */
    bool is_last = verdict->flaw == FLAW_NO_OBJECT || verdict->flaw == FLAW_TOO_MANY_KEYS;

    if (is_last) walk->source.is_over = true;
    if (!fault) return NULL;
    fault->path = is_last ? "" : path_of(walk, walk->depth - verdict_is_of_frame(verdict));
    fault->message = sentence_of(verdict, walk->source.arena);
    return NULL;
}

/* --- Values that are whole --- */

/* Applies the rules over several fields. */
static void check_record(struct body *body, const struct walk_frame *frame)
{
    if (!frame->record->check) return;
    body->faults->prefix = path_of(&body->walk, body->walk.depth - 1);
    frame->record->check(body->faults, frame->slot);
    body->faults->prefix = NULL;
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

/* Tells of each item that it equals an earlier one, and which. */
static void check_unique(struct body *body, struct walk_frame *frame)
{
    const struct record_list *list = (const struct record_list *)frame->slot;
    const char *const *texts = list->items;
    struct arena *arena = body->walk.source.arena;
    struct sorted_item *sorted = arena_array(arena, list->count, sizeof(*sorted));
    size_t count = 0;

    assert(frame->field->type == FIELD_STRINGS);
    for (size_t i = 0; i < list->count; i++) {
        if (texts[i]) sorted[count++] = (struct sorted_item){texts[i], i};
    }
    if (count > 1) qsort(sorted, count, sizeof(*sorted), compare_items);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].text, sorted[i].text) != 0) continue;
        struct record_fault *fault = next_fault(body);
        if (!fault) return;
        frame->index = sorted[i].index + 1;
        fault->path = path_of(&body->walk, body->walk.depth);
        fault->message = arena_printf(arena, "Must differ from item [%zu].", sorted[i - 1].index);
    }
}

static void close_value(struct record_walk *walk, struct walk_frame *frame)
{
    struct body *body = CONTAINER_OF(walk, struct body, walk);

    if (frame->kind == WALK_RECORD)
        check_record(body, frame);
    else if (frame->field->flags & FIELD_UNIQUE)
        check_unique(body, frame);
}

/* --- The body --- */

static const struct walk_voice body_voice = {.tell = tell, .close = close_value};

static struct body *new_body(struct record_faults *faults, const struct walk_options *options)
{
    struct body *body = must_malloc(sizeof(*body));

    body->faults = faults;
    body->faults_before = faults->count;
    body->was_truncated = faults->is_truncated;
    walk_init(&body->walk, options);
    return body;
}

/* Text that is no JSON has this one fault, since what was found before may follow from it. */
static void tell_malformed(struct body *body)
{
    struct record_walk *walk = &body->walk;

    body->faults->count = body->faults_before;
    body->faults->is_truncated = body->was_truncated;
    struct record_fault *fault = next_fault(body);
    if (!fault) return;
    fault->path = "";
    fault->message =
        arena_printf(walk->source.arena, "Malformed JSON at byte %llu: %s",
                     (unsigned long long)json_offset(walk->reader), json_fault(walk->reader));
}

static enum err decode_by(unsigned rules, const struct record *record, struct str text,
                          struct arena *arena, void *ret_value, struct record_faults *faults)
{
    struct body *body = new_body(faults, &(struct walk_options){.voice = &body_voice,
                                                                .rules = rules,
                                                                .record = record,
                                                                .value = ret_value,
                                                                .arena = arena,
                                                                .token_max = text.len,
                                                                .keys_max = UNKNOWN_KEYS_MAX,
                                                                .memory_max = SIZE_MAX});

    if (walk_feed(&body->walk, text, true) == JSON_FAULT) tell_malformed(body);
    bool is_sound = faults->count == body->faults_before && !faults->is_truncated;
    walk_done(&body->walk);
    free(body);
    return is_sound ? ERR_OK : ERR_VALIDATION;
}

enum err record_decode_body(const struct record *record, struct str text, unsigned rules,
                            struct arena *arena, void *ret_value, struct record_faults *faults)
{
    unsigned is_strict = rules & BODY_IS_STRICT ? DECODE_STRICT : 0;
    unsigned null_is_absent = rules & BODY_NULL_IS_ABSENT ? DECODE_NULL_IS_ABSENT : 0;

    return decode_by(is_strict | null_is_absent, record, text, arena, ret_value, faults);
}

enum err record_decode_answer(const struct record *record, struct str text, struct arena *arena,
                              void *ret_value, struct record_faults *faults)
{
    return decode_by(DECODE_NULL_IS_ABSENT | DECODE_ANY_WORD, record, text, arena, ret_value,
                     faults);
}

enum err record_decode(const struct record *record, struct str text, bool is_strict,
                       struct arena *arena, void *ret_value, struct record_faults *faults)
{
    return record_decode_body(record, text, is_strict ? BODY_IS_STRICT : 0, arena, ret_value,
                              faults);
}
