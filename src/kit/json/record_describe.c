/*
 * Records are written here as JSON Schema: in the dialect 2020-12 of OpenAPI 3.1, or as OpenAPI 3.0
 * has it. What has several types, null among them, is an `anyOf` with a branch for each, since
 * generators of clients stumble over a `type` that is a list.
 */
#include "kit/json/record_value.h"

struct describer {
    struct json_writer *writer;
    enum record_use use;
    const struct schema_style *style;
};

enum { TYPE_WORDS_MAX = 3, DESCRIPTION_MAX = 4000 };

static const char *const type_words[][TYPE_WORDS_MAX + 1] = {
    [FIELD_STRING] = {"string"},
    [FIELD_INTEGER] = {"integer"},
    [FIELD_BOOLEAN] = {"boolean"},
    [FIELD_TIME] = {"string"},
    [FIELD_UUID] = {"string"},
    [FIELD_ENUM] = {"string"},
    [FIELD_WORD] = {"string"},
    [FIELD_RECORD] = {"object"},
    [FIELD_RECORDS] = {"array"},
    [FIELD_STRINGS] = {"array"},
    [FIELD_OBJECT] = {"object"},
    [FIELD_MAP] = {"object"},
    [FIELD_STRING_OR_INTEGER] = {"string", "integer"},
    [FIELD_TRISTATE] = {"boolean"},
    [FIELD_DECIMAL] = {"number"},
    [FIELD_SCALAR] = {"string", "number", "boolean"},
};

static void put_limits(struct json_writer *writer, const struct limits *limits, const char *min_key,
                       const char *max_key)
{
    if (limits->has_min) json_put_int(writer, min_key, limits->min);
    if (limits->has_max) json_put_int(writer, max_key, limits->max);
}

/* Returns whether null may stand in place of a value although the field does not say so:
 * record_encode may write it, or a stream may bring it. */
static bool is_nullable(const struct describer *describer, const struct field *field)
{
    if (field->flags & FIELD_NULLABLE) return true;
    if (describer->use == RECORD_STREAM) return !(field->flags & FIELD_REQUIRED);
    if (describer->use != RECORD_ANSWER) return false;
    if (field->flags & (FIELD_REQUIRED | FIELD_OMIT_NULL)) return false;
    return field->type != FIELD_INTEGER && field->type != FIELD_BOOLEAN && !field_is_list(field);
}

static bool is_3_0(const struct describer *describer)
{
    return describer->style->dialect == SCHEMA_OPENAPI_3_0;
}

const struct named_words *schema_name_of(const struct schema_style *style,
                                         const struct field *field)
{
    for (const struct named_words *row = style->names; row && row->name; row++) {
        if (row->words == field->words) return row;
    }
    return NULL;
}

/* Returns the name of the schema that a value of the field has; NULL: it is described in place. */
static const char *ref_of(const struct describer *describer, const struct field *field)
{
    if (field->type == FIELD_RECORD) return field->record->name;
    if (!field->words) return NULL;
    const struct named_words *named = schema_name_of(describer->style, field);
    return named ? named->name : NULL;
}

static void put_ref(struct json_writer *writer, const char *name)
{
    AUTO_BUF ref = {0};

    buf_init(&ref, 300);
    buf_printf(&ref, "#/components/schemas/%s", name);
    json_key(writer, "$ref");
    json_str(writer, buf_view(&ref));
}

static void put_words(struct json_writer *writer, const char *const *words)
{
    json_key(writer, "enum");
    json_array_begin(writer);
    for (size_t i = 0; words[i]; i++)
        json_text(writer, words[i]);
    json_array_end(writer);
}

static void put_string_rules(struct json_writer *writer, const struct field *field)
{
    struct limits limits = field_limits(field);
    const struct field_format *format = field->format;
    bool is_secret = field->flags & FIELD_SECRET;

    put_limits(writer, &limits, "minLength", "maxLength");
    if (format && format->pattern) json_put_text(writer, "pattern", format->pattern);
    if (format && format->format)
        json_put_text(writer, "format", format->format);
    else if (is_secret)
        json_put_text(writer, "format", "password");
}

static void put_items(struct json_writer *writer, const struct field *field)
{
    struct limits limits = field_item_limits(field);

    json_key(writer, "items");
    json_object_begin(writer);
    if (field->type == FIELD_RECORDS) {
        put_ref(writer, field->record->name);
    } else {
        json_put_text(writer, "type", "string");
        put_string_rules(writer, field);
    }
    json_object_end(writer);
    put_limits(writer, &limits, "minItems", "maxItems");
    if (field->flags & FIELD_UNIQUE) json_put_bool(writer, "uniqueItems", true);
}

/* In 3.0 the bound stands apart from the word that it does not belong to the range. */
static void put_exclusive(const struct describer *describer, const char *key, const char *old_key,
                          int64_t bound)
{
    struct json_writer *writer = describer->writer;

    json_put_int(writer, is_3_0(describer) ? old_key : key, bound);
    if (is_3_0(describer)) json_put_bool(writer, key, true);
}

/* The bound is one more than the largest number of DECIMAL_WHOLE_MAX digits. */
static void put_decimal_rules(const struct describer *describer, const struct field *field)
{
    const int64_t bound = 1000000000000000;
    bool is_positive = field->flags & FIELD_POSITIVE;

    if (field->flags & (FIELD_NOT_NEGATIVE | FIELD_SHARE))
        json_put_int(describer->writer, "minimum", 0);
    else
        put_exclusive(describer, "exclusiveMinimum", "minimum", is_positive ? 0 : -bound);
    if (field->flags & FIELD_SHARE)
        json_put_int(describer->writer, "maximum", 1);
    else
        put_exclusive(describer, "exclusiveMaximum", "maximum", bound);
}

/* OpenAPI 3.0 has no words for what keys may be, nor for how long the whole is; the description
 * says it. */
static void put_map_rules(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;

    json_key(writer, "additionalProperties");
    json_object_begin(writer);
    json_put_text(writer, "type", "string");
    json_object_end(writer);
    json_put_int(writer, "maxProperties", field->items_max);
    if (is_3_0(describer)) return;
    json_key(writer, "propertyNames");
    json_object_begin(writer);
    json_put_text(writer, "pattern", field->format->pattern);
    json_object_end(writer);
}

/* Writes the rules of values of the field that have the type `word`. */
static void put_rules(const struct describer *describer, const struct field *field,
                      const char *word)
{
    struct json_writer *writer = describer->writer;
    struct limits limits = field_limits(field);
    bool is_string = strcmp(word, "string") == 0;

    switch (field->type) {
    case FIELD_STRING:
        put_string_rules(writer, field);
        break;
    case FIELD_STRING_OR_INTEGER: /* its rules are those of the string */
        if (is_string)
            put_string_rules(writer, field);
        else
            json_put_text(writer, "format", "int64");
        break;
    case FIELD_INTEGER:
        json_put_text(writer, "format", "int64");
        put_limits(writer, &limits, "minimum", "maximum");
        break;
    case FIELD_TIME:
        json_put_text(writer, "format", "date-time");
        break;
    case FIELD_UUID:
        json_put_text(writer, "format", "uuid");
        break;
    case FIELD_ENUM:
    case FIELD_WORD:
        put_words(writer, field->words);
        break;
    case FIELD_RECORDS:
    case FIELD_STRINGS:
        put_items(writer, field);
        break;
    case FIELD_MAP:
        put_map_rules(describer, field);
        break;
    case FIELD_DECIMAL:
        put_decimal_rules(describer, field);
        break;
    case FIELD_BOOLEAN:
    case FIELD_TRISTATE:
    case FIELD_RECORD:
    case FIELD_OBJECT:
    case FIELD_SCALAR:
        break;
    }
}

/* Writes what values of the field with the type `word` are, as members of an object. */
static void put_branch(const struct describer *describer, const struct field *field,
                       const char *word)
{
    struct json_writer *writer = describer->writer;
    const char *ref = ref_of(describer, field);

    if (ref) {
        put_ref(writer, ref);
        return;
    }
    json_put_text(writer, "type", word);
    if (is_3_0(describer) && is_nullable(describer, field)) json_put_bool(writer, "nullable", true);
    put_rules(describer, field, word);
}

/* Returns the word under which branches stand; NULL: there is one, which stands by itself. */
static const char *combiner_of(const struct describer *describer, const struct field *field)
{
    if (type_words[field->type][1]) return "anyOf";
    if (is_3_0(describer)) return ref_of(describer, field) ? "allOf" : NULL;
    return is_nullable(describer, field) ? "anyOf" : NULL;
}

static void put_null_branch(struct json_writer *writer)
{
    json_object_begin(writer);
    json_put_text(writer, "type", "null");
    json_object_end(writer);
}

/* Writes what a value of the field may be. */
static void put_types(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    const char *combiner = combiner_of(describer, field);
    const char *const *words = type_words[field->type];
    bool has_null = is_nullable(describer, field);

    if (!combiner) {
        put_branch(describer, field, words[0]);
        return;
    }
    if (has_null && is_3_0(describer) && ref_of(describer, field))
        json_put_bool(writer, "nullable", true);
    json_key(writer, combiner);
    json_array_begin(writer);
    for (size_t i = 0; words[i]; i++) {
        json_object_begin(writer);
        put_branch(describer, field, words[i]);
        json_object_end(writer);
    }
    if (has_null && !is_3_0(describer)) put_null_branch(writer);
    json_array_end(writer);
}

static void put_default(struct json_writer *writer, const struct field *field)
{
    json_key(writer, "default");
    if (field->type == FIELD_ENUM)
        json_text(writer, field->words[field->default_value]);
    else if (field->type == FIELD_BOOLEAN)
        json_bool(writer, field->default_value != 0);
    else
        json_int(writer, field->default_value);
}

/* The schema does not say how many places a decimal may have. */
static void put_description(struct json_writer *writer, const struct field *field)
{
    static const char digits[] = "At most 15 digits before the point and 6 after it, kept exactly.";
    AUTO_BUF text = {0};

    buf_init(&text, DESCRIPTION_MAX);
    if (field->doc) buf_text(&text, field->doc);
    if (field->type == FIELD_DECIMAL) buf_printf(&text, "%s%s", field->doc ? " " : "", digits);
    if (text.len == 0) return;
    json_key(writer, "description");
    json_str(writer, buf_view(&text));
}

/* Returns the example of a field, or of its type; NULL if neither has one. */
static const char *example_of(const struct field *field)
{
    static const char *const of_types[] = {
        [FIELD_BOOLEAN] = "true",
        [FIELD_TIME] = "2026-11-21T04:33:00.123Z",
        [FIELD_UUID] = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f",
        [FIELD_SCALAR] = NULL,
    };

    if (field->example) return field->example;
    return field->type == FIELD_ENUM ? field->words[0] : of_types[field->type];
}

static void put_example_value(struct json_writer *writer, const struct field *field,
                              const char *example)
{
    const char *const *words = type_words[field->type];
    bool is_text = !words[1] && strcmp(words[0], "string") == 0;

    if (is_text && strcmp(example, "null") != 0)
        json_text(writer, example);
    else
        json_raw(writer, str_of(example));
}

static void put_examples(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    const char *example = example_of(field);
    if (!example) return;

    json_key(writer, is_3_0(describer) ? "example" : "examples");
    if (!is_3_0(describer)) json_array_begin(writer);
    put_example_value(writer, field, example);
    if (!is_3_0(describer)) json_array_end(writer);
}

static void put_field(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    bool takes_any = describer->use != RECORD_ANSWER && (field->flags & FIELD_LENIENT);

    json_key(writer, field->name);
    json_object_begin(writer);
    if (!takes_any) put_types(describer, field);
    if (describer->use != RECORD_ANSWER && (field->flags & FIELD_DEFAULT))
        put_default(writer, field);
    put_description(writer, field);
    put_examples(describer, field);
    json_object_end(writer);
}

/* Returns whether callers must send it, or always find it in an answer. */
static bool is_required(const struct describer *describer, const struct field *field)
{
    if (describer->use == RECORD_ANSWER) return !(field->flags & FIELD_OMIT_NULL);
    return field->flags & FIELD_REQUIRED;
}

/* A list without a name has no place in OpenAPI 3.0. */
static void put_required(const struct describer *describer, const struct record *record)
{
    struct json_writer *writer = describer->writer;
    bool has_any = false;

    for (size_t i = 0; i < record->field_count; i++) {
        if (!is_required(describer, &record->fields[i])) continue;
        if (!has_any) {
            json_key(writer, "required");
            json_array_begin(writer);
        }
        has_any = true;
        json_text(writer, record->fields[i].name);
    }
    if (has_any) json_array_end(writer);
}

void record_describe(const struct record *record, enum record_use use,
                     const struct schema_style *style, struct json_writer *writer)
{
    struct describer describer = {.writer = writer, .use = use, .style = style};

    json_object_begin(writer);
    json_put_text(writer, "type", "object");
    if (record->doc) json_put_text(writer, "description", record->doc);
    json_key(writer, "properties");
    json_object_begin(writer);
    for (size_t i = 0; i < record->field_count; i++)
        put_field(&describer, &record->fields[i]);
    json_object_end(writer);
    put_required(&describer, record);
    if (use == RECORD_STRICT_BODY) json_put_bool(writer, "additionalProperties", false);
    json_object_end(writer);
}

void record_describe_words(const struct named_words *words, struct json_writer *writer)
{
    json_object_begin(writer);
    json_put_text(writer, "type", "string");
    put_words(writer, words->words);
    json_object_end(writer);
}

void record_describe_field(const struct field *field, const struct schema_style *style,
                           struct json_writer *writer)
{
    struct describer describer = {.writer = writer, .use = RECORD_BODY, .style = style};

    put_types(&describer, field);
}

void record_example_field(const struct field *field, struct json_writer *writer)
{
    put_example_value(writer, field, field->example);
}

static bool has_required(const struct record *record)
{
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].flags & FIELD_REQUIRED) return true;
    }
    return false;
}

/* A field that has no example of its own is null where that is a value, and else left out. */
static void put_field_of_example(struct json_writer *writer, const struct field *field,
                                 enum record_use use)
{
    const char *example = example_of(field);
    bool is_null = !field->example && !field->record && (field->flags & FIELD_NULLABLE);
    bool is_list = field->type == FIELD_RECORDS;

    if (!example && !is_null && !field->record) return;
    json_key(writer, field->name);
    if (is_list) json_array_begin(writer);
    if (is_null)
        json_null(writer);
    else if (field->record)
        record_example(field->record, use, writer);
    else
        put_example_value(writer, field, example);
    if (is_list) json_array_end(writer);
}

void record_example(const struct record *record, enum record_use use, struct json_writer *writer)
{
    bool has_only_required = use != RECORD_ANSWER && has_required(record);

    json_object_begin(writer);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (use == RECORD_ANSWER && (field->flags & FIELD_OMIT_NULL)) continue;
        if (has_only_required && !(field->flags & FIELD_REQUIRED)) continue;
        put_field_of_example(writer, field, use);
    }
    json_object_end(writer);
}
