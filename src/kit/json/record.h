/*
 * One table describes a record: a JSON object and the C struct that holds it. The same table
 * decodes and validates (all faults at once), encodes, and describes itself as a JSON Schema of
 * OpenAPI 3.1 or 3.0.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/err.h"
#include "kit/base/macros.h"
#include "kit/base/uuid.h"
#include "kit/json/reader.h"
#include "kit/json/writer.h"

#include <stddef.h>

enum { FAULTS_MAX = 100 };

/* A time or UUID that stands for null is refused where null may be. */
enum field_type {
    FIELD_STRING,  /* const char *; NULL is absent or null */
    FIELD_INTEGER, /* int64_t; FIELD_NULLABLE: -1 is absent or null */
    FIELD_BOOLEAN, /* bool */
    FIELD_TIME,    /* int64_t, ms since the epoch; 0 is null */
    FIELD_UUID,    /* struct uuid; nil is null */
    FIELD_ENUM,   /* int, the index in `words`; -1 is absent or null. Where it never is: its enum */
    FIELD_WORD,   /* const char *, of `words` or a stream's own; NULL is absent */
    FIELD_RECORD, /* struct x *; NULL is absent or null */
    FIELD_RECORDS, /* struct record_list of struct x, laid side by side */
    FIELD_STRINGS, /* struct record_list of const char * */
    FIELD_OBJECT,  /* struct str, the text of any JSON object */
    FIELD_MAP,     /* const char *, the JSON text of an object whose values are strings, in
                      its shortest form and with its keys in order. NULL is absent or
                      empty. `items_max` bounds its keys, `max` the bytes of that text,
                      `format` is that of keys. Not for streams */
    FIELD_STRING_OR_INTEGER, /* struct string_or_integer; encoded as what it was */
    FIELD_TRISTATE,          /* int: true is 1, false is 0; -1 is absent or null */
    FIELD_DECIMAL,           /* const char *, the exact value ("-12.5"); NULL is absent or null */
    FIELD_SCALAR,            /* struct scalar: a string, a number or a boolean */
};

/* A decimal has at most so many digits before and after the point, and its text so many bytes with
 * the NUL. */
enum { DECIMAL_WHOLE_MAX = 15, DECIMAL_PLACES_MAX = 6, DECIMAL_SIZE = 1 + 15 + 1 + 6 + 1 };

/* A scalar is a value whose type is known later. */
struct scalar {
    enum { SCALAR_NONE, SCALAR_STRING, SCALAR_NUMBER, SCALAR_BOOLEAN } kind; /* NONE: absent */
    const char *text; /* the string; the digits as they were sent; "true" or "false" */
};

/* This is a string, or a whole number by its digits. */
struct string_or_integer {
    const char *text; /* NULL is absent or null */
    bool is_integer;
};

enum field_flag {
    FIELD_REQUIRED = 1 << 0,     /* decoding: must be there */
    FIELD_NULLABLE = 1 << 1,     /* null is a value of its own */
    FIELD_UNIQUE = 1 << 2,       /* FIELD_STRINGS whose items are distinct */
    FIELD_DEFAULT = 1 << 3,      /* absent means `default_value` (INTEGER, BOOLEAN, ENUM) */
    FIELD_SECRET = 1 << 4,       /* never echoed in a fault */
    FIELD_OMIT_NULL = 1 << 5,    /* encoding: an absent value is left out; without it, null. A
                                    BOOLEAN is left out where it is false */
    FIELD_NOT_NEGATIVE = 1 << 6, /* DECIMAL: at least 0 */
    FIELD_POSITIVE = 1 << 7,     /* DECIMAL: more than 0 */
    FIELD_NUMBER_WORDS = 1 << 8, /* WORD: a whole number is the word of its digits */
    FIELD_STREAMED = 1 << 9,     /* RECORDS of a stream's own record: each is handed over, none is
                                    kept (record_stream.h) */
    FIELD_LENIENT = 1 << 10,     /* decoding: a value that does not fit is absent, not a fault */
    FIELD_NULL_EMPTY = 1 << 11,  /* STRING, DECIMAL: null is "", which differs from absent */
    FIELD_SHARE = 1 << 12,       /* DECIMAL: from 0 to 1 */
    FIELD_PERSONAL = 1 << 14,    /* STRING, STRING_OR_INTEGER: encoding: by `masks` of the writer;
                                    so it has no `format` in an answer */
    FIELD_WORDS = 1 << 15,       /* STRING, MAP, OBJECT: the words of people or others, encoded by
                                    `masks` of the writer, too */
    FIELD_NOTE_BLANK = 1 << 16,  /* STRING of a stream: empty or of blanks is no fault, but told */
    FIELD_WALL = 1 << 17,  /* TIME: wall time, as somebody else told it; without it, store time
                              (kit/base/clock.h), which JSON has as wall time */
    FIELD_SINCE = 1 << 13, /* TIME: 1970-01-01T00:00:00Z may be given, as if it were absent */
};

/* A format is a named form of strings: what is checked, what people read, what the schema says. */
struct field_format {
    bool (*is_valid)(struct str text);
    const char *message; /* "Must be a date such as 2026-11-21." */
    const char *pattern; /* for the schema: an ECMA-262 pattern, or NULL */
    const char *format;  /* for the schema: "uuid", "date-time", ... or NULL */
    /* NULL, or returns what is wrong with this text; NULL: `message` says it. */
    const char *(*explain)(struct str text, struct arena *arena);
};

struct record;
struct record_faults;

struct field {
    const char *name;
    enum field_type type;
    unsigned flags;
    size_t offset;                /* in the record's struct */
    int64_t min;                  /* characters of a string, value of an integer */
    int64_t max;                  /* the same; 0 with min 0 is no limit, below min no upper limit */
    int64_t items_min, items_max; /* of a list; 0 as items_max is no limit */
    int64_t default_value;
    const char *const *words;          /* FIELD_ENUM, FIELD_WORD: ends with NULL */
    const struct record *record;       /* FIELD_RECORD, FIELD_RECORDS */
    const struct field_format *format; /* FIELD_STRING, FIELD_STRINGS, FIELD_MAP */
    const char *doc;                   /* a sentence for the OpenAPI document */
    /* The text of a FIELD_STRING or a word of a FIELD_ENUM; "null"; or any other value as JSON.
     * NULL: the example of its type, where that has one. */
    const char *example;
};

/* Makes a row of a record: the property is named as the member that holds it; its type, its flags
 * and what it means follow; then, by name, what else there is to say of it. */
#define FIELD(owner, member, type_of, flags_of, meaning, ...) \
    FIELD_AS(#member, owner, member, type_of, flags_of, meaning, __VA_ARGS__)
/* Makes the same of a property with a name of its own. */
#define FIELD_AS(property, owner, member, type_of, flags_of, meaning, ...) \
    {                                                                      \
        .name = (property), .type = (type_of), .flags = (flags_of),        \
        .offset = offsetof(owner, member), .doc = (meaning), __VA_ARGS__   \
    }

struct record {
    const char *name; /* "OTPChallenge", the schema's name */
    const char *doc;
    size_t size; /* of the C struct */
    const struct field *fields;
    size_t field_count; /* at most 64 */
    /* Rules over several fields; reports with record_fault, by paths from this record on. May be
     * NULL. It also runs when fields are missing or faulty, so that all faults are told at once:
     * such a field is then absent (NULL, nil, -1, 0) or has its default, and a fault at a path that
     * has one already is dropped. */
    void (*check)(struct record_faults *faults, const void *value);
};

struct record_list {
    void *items;
    size_t count;
};

/* Names the rows of a record: {RECORD_FIELDS(otp_fields)}. */
#define RECORD_FIELDS(array) .fields = (array), .field_count = COUNT_OF(array)

/* A fault says where something is wrong and what, in words for people. */
struct record_fault {
    const char *path; /* "numbers[1]", "erp.base_url"; "" is the body as a whole */
    const char *message;
};

struct record_faults {
    struct arena *arena;
    struct record_fault rows[FAULTS_MAX];
    size_t count;       /* rows filled; never more than FAULTS_MAX */
    bool is_truncated;  /* there were more */
    const char *prefix; /* the path of the record whose check runs, or NULL */
};

void record_faults_init(struct record_faults *faults, struct arena *arena);
/* Adds a fault; if its path has one, it is dropped. */
void record_fault(struct record_faults *faults, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the field of that name; NULL: there is none. */
const struct field *record_find(const struct record *record, struct str name);
/* Sets every field of the struct to absent, or to its default. */
void record_clear(const struct record *record, void *value);
/* Stores in the struct what came for the field as mere text, such as a query parameter. Returns
 * NULL, or a sentence that says what is wrong with it. */
const char *record_take_text(const struct field *field, struct str text, struct arena *arena,
                             void *value);

/*
 * Decodes the JSON text `body`, which must outlive the value, into `ret_value` (record->size bytes;
 * strings and lists in the arena). `is_strict`: an unknown property is a fault, else it is read
 * over. Duplicate keys are always a fault. ERR_VALIDATION if `faults` got a row; then `ret_value`
 * is not to be used.
 */
enum err record_decode(const struct record *record, struct str body, bool is_strict,
                       struct arena *arena, void *ret_value,
                       struct record_faults *faults) MUST_CHECK;

/* Decodes the body of a request in the same way, by these rules. */
enum body_rule {
    BODY_IS_STRICT = 1 << 0,
    /* Null for a field that may be left out is that field left out (contract, section 1
     * "Bodies"). */
    BODY_NULL_IS_ABSENT = 1 << 1,
};
enum err record_decode_body(const struct record *record, struct str body, unsigned rules,
                            struct arena *arena, void *ret_value,
                            struct record_faults *faults) MUST_CHECK;

/* Decodes what record_encode wrote, maybe that of another version or of a herald with words of its
 * own: null for a field that is not required is its absence, and a FIELD_WORD may be any. */
enum err record_decode_answer(const struct record *record, struct str text, struct arena *arena,
                              void *ret_value, struct record_faults *faults) MUST_CHECK;

/* Writes the value as a JSON object. */
void record_encode(const struct record *record, const void *value, struct json_writer *writer);
/* Tells whether the two values would be written differently. */
bool record_differs(const struct record *record, const void *a, const void *b);

/* A record stands for one of these in the document. */
enum record_use {
    RECORD_ANSWER,
    RECORD_BODY,        /* as record_decode takes it; unknown properties are read over */
    RECORD_STRICT_BODY, /* the same; an unknown property is a fault */
    RECORD_STREAM,      /* as record_stream.h takes it: null for what may be left out */
};

/* A set of words that several fields may share has a name in `components/schemas`. */
struct named_words {
    const char *name; /* "OTPState" */
    const char *const *words;
};

/* A schema is written in the words of one of these. */
enum schema_dialect {
    SCHEMA_2020_12,     /* that of OpenAPI 3.1: null is a type */
    SCHEMA_OPENAPI_3_0, /* `nullable`, one `example`, and nothing beside a $ref */
};

struct schema_style {
    enum schema_dialect dialect;
    const struct named_words *names; /* ends with a row without a name; NULL: no set has one */
};

/* Returns the row of a field of words; NULL: its words have no name. */
const struct named_words *schema_name_of(const struct schema_style *style,
                                         const struct field *field);

/* Writes the JSON Schema of the record for `components/schemas`: type, properties, required,
 * limits, descriptions, examples. Nested records and named words become
 * {"$ref": "#/components/schemas/Name"}. */
void record_describe(const struct record *record, enum record_use use,
                     const struct schema_style *style, struct json_writer *writer);
/* Writes the schema of named words. */
void record_describe_words(const struct named_words *words, struct json_writer *writer);

/* These write the same of a field by itself: its type and rules, as members of an object that was
 * begun; and the example that its row has. */
void record_describe_field(const struct field *field, const struct schema_style *style,
                           struct json_writer *writer);
void record_example_field(const struct field *field, struct json_writer *writer);

/* Writes a value of the record, made of the examples of its fields: of a body, those that are
 * required, or all where none is. */
void record_example(const struct record *record, enum record_use use, struct json_writer *writer);

/* These formats are at home here. */
extern const struct field_format format_visible; /* visible ASCII only */
