/* The values of a record's fields, for record_*.c: limits, single values, what is absent. */
#pragma once

#include "kit/json/record.h"

struct limits {
    bool has_min, has_max;
    int64_t min, max;
};

/* Of a string's characters or an integer's value. */
struct limits field_limits(const struct field *field);
/* Of a list's number of items. */
struct limits field_item_limits(const struct field *field);

/* NULL if `count` is within `limits`, else "Must have at most 8 items; this has 9." */
const char *limits_check(const struct limits *limits, const char *noun, size_t count,
                         struct arena *arena);

/* What to say of a value of another kind than the field's (or its items') own. */
const char *field_type_message(const struct field *field, bool is_item, struct arena *arena);

/* Checks a string, number, true or false, and stores it at `slot`. NULL, or the fault's message;
 * the value itself is never part of it. */
const char *field_take_scalar(const struct field *field, bool is_item, enum json_token token,
                              struct str text, struct arena *arena, void *slot);

/* The place of a word among those of a FIELD_ENUM or FIELD_WORD. False: it is none of them. */
bool field_take_word(const struct field *field, struct str text, int *slot);

/* An explicit null: absent, even where absence would mean the default. An integer or boolean has no
 * form for that and keeps its default. */
void field_take_null(const struct field *field, void *slot);

/* Whether the field at `slot` holds what stands for "absent" (an integer or boolean never does). */
bool field_is_absent(const struct field *field, const void *slot);

static inline void *field_slot(const struct field *field, void *value)
{
    return (char *)value + field->offset;
}

static inline bool field_is_named(const struct field *field, struct str key)
{
    return strncmp(field->name, key.data, key.len) == 0 && field->name[key.len] == '\0';
}

/* Of a list. */
static inline size_t field_item_size(const struct field *field)
{
    return field->type == FIELD_RECORDS ? field->record->size : sizeof(const char *);
}

static inline bool field_is_list(const struct field *field)
{
    return field->type == FIELD_RECORDS || field->type == FIELD_STRINGS;
}
