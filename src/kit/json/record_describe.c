/* Records are written here as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
#include "kit/json/record_value.h"

struct describer {
    struct json_writer *writer;
    enum record_use use;
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

/* Whether null may stand in place of a value although the field does not say so: record_encode may
 * write it, or a stream may bring it. */
static bool is_nullable(const struct describer *describer, const struct field *field)
{
    if (field->flags & FIELD_NULLABLE) return true;
    if (describer->use == RECORD_STREAM) return !(field->flags & FIELD_REQUIRED);
    if (describer->use != RECORD_ANSWER) return false;
    if (field->flags & (FIELD_REQUIRED | FIELD_OMIT_NULL)) return false;
    return field->type != FIELD_INTEGER && field->type != FIELD_BOOLEAN && !field_is_list(field);
}

static void put_type(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    bool has_null = is_nullable(describer, field);
    const char *const *words = type_words[field->type];

    if (!words[1] && !has_null) {
        json_put_text(writer, "type", words[0]);
        return;
    }
    json_key(writer, "type");
    json_array_begin(writer);
    for (size_t i = 0; words[i]; i++)
        json_text(writer, words[i]);
    if (has_null) json_text(writer, "null");
    json_array_end(writer);
}

static void put_ref(struct json_writer *writer, const struct record *record)
{
    AUTO_BUF ref = {0};

    buf_init(&ref, 300);
    buf_printf(&ref, "#/components/schemas/%s", record->name);
    json_key(writer, "$ref");
    json_str(writer, buf_view(&ref));
}

static void put_nullable_ref(struct json_writer *writer, const struct record *record)
{
    json_key(writer, "anyOf");
    json_array_begin(writer);
    json_object_begin(writer);
    put_ref(writer, record);
    json_object_end(writer);
    json_object_begin(writer);
    json_put_text(writer, "type", "null");
    json_object_end(writer);
    json_array_end(writer);
}

static void put_words(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;

    json_key(writer, "enum");
    json_array_begin(writer);
    for (size_t i = 0; field->words[i]; i++)
        json_text(writer, field->words[i]);
    if (is_nullable(describer, field)) json_null(writer);
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
        put_ref(writer, field->record);
    } else {
        json_put_text(writer, "type", "string");
        put_string_rules(writer, field);
    }
    json_object_end(writer);
    put_limits(writer, &limits, "minItems", "maxItems");
    if (field->flags & FIELD_UNIQUE) json_put_bool(writer, "uniqueItems", true);
}

/* The bound is one more than the largest number of DECIMAL_WHOLE_MAX digits. */
static void put_decimal_rules(struct json_writer *writer, const struct field *field)
{
    const int64_t bound = 1000000000000000;

    if (field->flags & (FIELD_NOT_NEGATIVE | FIELD_SHARE))
        json_put_int(writer, "minimum", 0);
    else
        json_put_int(writer, "exclusiveMinimum", field->flags & FIELD_POSITIVE ? 0 : -bound);
    if (field->flags & FIELD_SHARE)
        json_put_int(writer, "maximum", 1);
    else
        json_put_int(writer, "exclusiveMaximum", bound);
}

static void put_rules(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    struct limits limits = field_limits(field);

    switch (field->type) {
    case FIELD_STRING:
    case FIELD_STRING_OR_INTEGER:
        put_string_rules(writer, field);
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
        put_words(describer, field);
        break;
    case FIELD_RECORDS:
    case FIELD_STRINGS:
        put_items(writer, field);
        break;
    case FIELD_DECIMAL:
        put_decimal_rules(writer, field);
        break;
    case FIELD_BOOLEAN:
    case FIELD_TRISTATE:
    case FIELD_RECORD:
    case FIELD_OBJECT:
    case FIELD_SCALAR:
        break;
    }
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

static void put_examples(struct json_writer *writer, const struct field *field)
{
    const char *example = example_of(field);
    if (!example) return;

    json_key(writer, "examples");
    json_array_begin(writer);
    put_example_value(writer, field, example);
    json_array_end(writer);
}

static void put_field(const struct describer *describer, const struct field *field)
{
    struct json_writer *writer = describer->writer;
    bool is_ref = field->type == FIELD_RECORD;
    bool takes_any = describer->use != RECORD_ANSWER && (field->flags & FIELD_LENIENT);

    json_key(writer, field->name);
    json_object_begin(writer);
    if (is_ref && is_nullable(describer, field)) put_nullable_ref(writer, field->record);
    if (is_ref && !is_nullable(describer, field)) put_ref(writer, field->record);
    if (!is_ref && !takes_any) put_type(describer, field);
    if (!takes_any) put_rules(describer, field);
    if (describer->use != RECORD_ANSWER && (field->flags & FIELD_DEFAULT))
        put_default(writer, field);
    put_description(writer, field);
    put_examples(writer, field);
    json_object_end(writer);
}

/* Whether callers must send it, or always find it in an answer. */
static bool is_required(const struct describer *describer, const struct field *field)
{
    if (describer->use == RECORD_ANSWER) return !(field->flags & FIELD_OMIT_NULL);
    return field->flags & FIELD_REQUIRED;
}

static void put_required(const struct describer *describer, const struct record *record)
{
    struct json_writer *writer = describer->writer;

    json_key(writer, "required");
    json_array_begin(writer);
    for (size_t i = 0; i < record->field_count; i++) {
        if (is_required(describer, &record->fields[i])) json_text(writer, record->fields[i].name);
    }
    json_array_end(writer);
}

void record_describe(const struct record *record, enum record_use use, struct json_writer *writer)
{
    struct describer describer = {.writer = writer, .use = use};

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

void record_describe_field(const struct field *field, struct json_writer *writer)
{
    struct describer describer = {.writer = writer, .use = RECORD_BODY};

    put_type(&describer, field);
    put_rules(&describer, field);
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

/* What has no example of its own is null where that is a value, and else left out. */
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
