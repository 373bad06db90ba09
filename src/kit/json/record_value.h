/*
 * This is what record_*.c share of the values of fields: their limits, what is absent, and the
 * check of a single value. All decoders check alike. They have different words for what is wrong,
 * so the check gives a verdict.
 */
#pragma once

#include "kit/json/record.h"

struct limits {
    bool has_min, has_max;
    int64_t min, max;
};

/* Returns the limits of a string's characters or an integer's value. */
struct limits field_limits(const struct field *field);
/* Returns the limits of a list's number of items. */
struct limits field_item_limits(const struct field *field);

/* Decoders differ by purpose in these rules, and in nothing else. The decoder without any reads the
 * body of a JSON request, which is whole, bounded in length, and outlives its values. */
enum decode_rule {
    /* An unknown property is a fault; else it is read over. */
    DECODE_STRICT = 1 << 0,
    /* The text comes in pieces and may have any length, so what it can make herald do and hold is
     * bounded. Items behind a list's maximum are read over. A repeated key or item is told once, as
     * soon as it comes. Unknown keys count only while their object is open. The text of an object
     * is copied. Where memory is lacking, the decoding ends and not the process. */
    DECODE_PIECES = 1 << 1,
    /* Values are taken as pydantic takes them, since senders of packages know that: null where a
     * field is not required, and a time or UUID that stands for null. */
    DECODE_PYDANTIC = 1 << 2,
    /* The text was checked before. What is missing is absent, unknown keys are not watched, and a
     * word may have ceased to be one. */
    DECODE_KNOWN = 1 << 3,
    /* Null for a field that is not required is that field left out. */
    DECODE_NULL_IS_ABSENT = 1 << 4,
    /* A word may be one that only its sender knows. */
    DECODE_ANY_WORD = 1 << 5,
};

/* These can be wrong with a text. */
enum record_flaw {
    FLAW_NONE,
    FLAW_KIND, /* another kind of value than the field's (or its items'), or none of its words */
    FLAW_TOO_SHORT, /* a string of `count` characters, fewer than `limit` */
    FLAW_TOO_LONG,
    FLAW_FORMAT,
    FLAW_TOO_SMALL, /* a number below `limit` */
    FLAW_TOO_LARGE,
    FLAW_NOT_MORE,     /* a number that is not above `limit` */
    FLAW_FRACTION,     /* a number that is no integer */
    FLAW_NO_INT64,     /* an integer beyond int64 */
    FLAW_DIGITS,       /* a decimal with too many digits: in all, */
    FLAW_WHOLE_DIGITS, /* before the point, */
    FLAW_PLACES,       /* behind it */
    FLAW_NO_SHARE,
    FLAW_TIME, /* no time; `reason` may say why */
    FLAW_TIME_WITHOUT_ZONE,
    FLAW_UUID,
    FLAW_NULL_TIME, /* a time that stands for null */
    FLAW_NULL_UUID,
    FLAW_TOO_FEW, /* a list of `count` items, fewer than `limit` */
    FLAW_TOO_MANY,
    FLAW_LIST_MEMORY, /* a list that takes too much memory */
    FLAW_MAP_SIZE,    /* a map of `count` bytes, more than `limit` */
    FLAW_REPEATED_ITEM,
    FLAW_REPEATED_KEY,
    FLAW_UNKNOWN_KEY,
    FLAW_TOO_MANY_KEYS, /* that are unknown */
    FLAW_MISSING,       /* the field that the object's last key names */
    FLAW_NO_OBJECT,     /* the text as a whole is none */
};

struct verdict {
    enum record_flaw flaw;
    const struct field *field; /* of a value or list */
    bool is_item;              /* the value is one of the field's items */
    int64_t limit;
    size_t count;
    const char *reason;
};

/* A source is a value as the reader gives it, with how it is taken, and what was wrong with the
 * last one. */
struct field_source {
    enum json_token token;
    struct str text;
    unsigned rules;
    const char *const *words; /* of each FIELD_WORD, in place of its own; or NULL */
    struct arena *arena;      /* where texts go */
    size_t chunk_size;        /* of an allocation that short texts share; 0: each has its own */
    char *chunk;              /* where the next one goes */
    size_t chunk_left;
    bool lacks_memory, is_over; /* the first implies the second: nothing more is read */
    struct verdict verdict;
};

/* Returns memory that lives as long as the present values. NULL: nothing more is read. */
static inline void *field_take_memory(struct field_source *source, size_t count, size_t size)
{
    void *memory = arena_try(source->arena, count, size);
    if (!memory) source->lacks_memory = source->is_over = true;
    return memory;
}

/* Returns a copy that lives as long as the present values; NULL where memory is lacking. */
const char *field_keep_text(struct field_source *source, struct str text);

/* Checks the value, a string, number, true, false or null, and stores it at `slot`. False: the
 * verdict says what is wrong with it, and nothing is stored, but for what stands for null. */
bool field_take(struct field_source *source, const struct field *field, bool is_item, void *slot);

/* Returns what is wrong with a value for a field of this type that has no rules: FIELD_STRING,
 * FIELD_INTEGER, FIELD_BOOLEAN or FIELD_DECIMAL. */
enum record_flaw field_judge(enum field_type type, enum json_token token, struct str text);

/* Returns what a FIELD_ENUM or FIELD_WORD may be. */
static inline const char *const *field_words(const struct field_source *source,
                                             const struct field *field)
{
    return field->type == FIELD_WORD && source->words ? source->words : field->words;
}

/* Stores an explicit null: absent, even where absence would mean the default. A boolean has no form
 * for that and keeps its default. */
void field_take_null(const struct field *field, void *slot);

/* Returns whether the field at `slot` holds what stands for "absent". A boolean never does, and an
 * integer only where it may be null. */
bool field_is_absent(const struct field *field, const void *slot);

static inline void *field_slot(const struct field *field, void *value)
{
    return (char *)value + field->offset;
}

static inline bool field_is_named(const struct field *field, struct str key)
{
    return strncmp(field->name, key.data, key.len) == 0 && field->name[key.len] == '\0';
}

/* Returns the size of an item of a list. */
static inline size_t field_item_size(const struct field *field)
{
    return field->type == FIELD_RECORDS ? field->record->size : sizeof(const char *);
}

static inline bool field_is_list(const struct field *field)
{
    return field->type == FIELD_RECORDS || field->type == FIELD_STRINGS;
}
