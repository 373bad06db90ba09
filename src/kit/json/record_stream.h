/*
 * Decodes a JSON object that is too long to be held, as it arrives. The tables are those of
 * record.h; lists that are marked FIELD_STREAMED are not kept: each of their items is decoded and
 * handed over as soon as it is complete, and its memory is used again. So memory is bounded by the
 * longest item.
 *
 * Unknown properties are read over. Repeated keys are a fault in every object, also there. A null
 * is an absence where a field is not required. All faults are collected, each in the words of
 * pydantic v2 (type, message, place, value), since that is what teams of accounting systems know
 * from FastAPI. The same decoder reads a text that was checked before.
 *
 * Tables of streams have no `check` (on_item is the place for rules over several fields) and no
 * FIELD_SECRET, and a FIELD_UNIQUE list has an `items_max`.
 */
#pragma once

#include "kit/json/record.h"

enum {
    STREAM_FAULTS_MAX = 100,
    STREAM_INPUT_MAX = 200,          /* characters of an offending value that are shown */
    STREAM_UNKNOWN_KEYS_MAX = 65536, /* of the objects that are open at a time; more is a fault */
    STREAM_MEMORY_MAX = 32 * 1024 * 1024, /* of the values of one item, or of the envelope, with all
                                             lists; one that goes beyond is a fault */
};

struct record_stream;

/* Pydantic says this of all values with the same flaw. */
struct stream_words {
    const char *type, *message;
    const char *ctx; /* a JSON object, or NULL */
};

/* Returns what is wrong with a value where a FIELD_STRING, FIELD_INTEGER, FIELD_BOOLEAN or
 * FIELD_DECIMAL without any rules is wanted; NULL: nothing. */
const struct stream_words *stream_judge(enum field_type type, const struct scalar *value);

/* A fault says what is wrong, and where. */
struct stream_fault {
    const char *type;    /* "string_too_long" */
    const char *message; /* "String should have at most 255 characters" */
    const char *loc;     /* the place below the body, as items of a JSON array: `"products",0,"id"`;
                            "" is the body as a whole */
    const char *ctx;     /* a JSON object: {"max_length":255}; or NULL */
    const char *input;   /* the offending value as JSON, of a string or number its first
                            STREAM_INPUT_MAX characters; or NULL: */
    uint64_t begin, end; /* then it is the bytes [begin, end) of the text; the end is known as soon
                            as the value is whole */
};

/* An item of a streamed list is handed over like this. */
struct stream_item {
    const struct field *list;
    size_t index;
    /* Its struct; valid until the function returns. Fields that are missing or faulty are absent
     * (NULL, nil, -1, 0) or have their default. */
    const void *value;
    uint64_t seen;       /* its fields whose keys were there, null or not, one bit each */
    uint64_t begin, end; /* where it stands in the text */
};

/* A remark hands over what is no fault, but may not have been meant. */
struct stream_remark {
    const struct field *blank;   /* its text is blank; NULL: nobody reads the property */
    const struct record *record; /* of the object that has it ... */
    const struct field *holder;  /* ... as a value of this field; NULL: as the text */
    struct str key;              /* as places show it: a long one by its beginning */
    struct stream_item item;     /* where it stands, as far as that was read; list NULL: in none */
};

struct record_stream_options {
    const struct record *record; /* of the text as a whole; its streamed lists stand in it itself */
    size_t token_max;            /* the most bytes of one string or number */
    bool skips_mark;             /* a byte order mark before the text is passed */
    /* Items that are objects, in the order of the text, also those with faults; but none any more
     * once there are more faults than are told, and none beyond a list's `items_max`. May call
     * record_stream_fault, whose places then begin at the item. */
    void (*on_item)(void *arg, struct record_stream *stream, const struct stream_item *item);
    /* NULL: nobody wants to know. */
    void (*on_remark)(void *arg, struct record_stream *stream, const struct stream_remark *remark);
    void *arg;
    const char *const *words; /* of fields of FIELD_WORD, in place of their own; NULL: their own */
};

enum stream_state {
    STREAM_MORE,         /* feed more */
    STREAM_END,          /* the value is whole; final */
    STREAM_FAULT,        /* no JSON: record_stream_why; final */
    STREAM_LACKS_MEMORY, /* there is none for what comes next; final */
};

struct record_stream *record_stream_new(const struct record_stream_options *options);
void record_stream_free(struct record_stream *stream);

/* Takes the next bytes, which may go when it returns. `is_last`: nothing follows. */
enum stream_state record_stream_feed(struct record_stream *stream, struct str bytes,
                                     bool is_last) MUST_CHECK;

/* Returns how many bytes it holds by now in all: what a text takes may be many times its length. */
size_t record_stream_memory(const struct record_stream *stream);

/* Returns the struct of the record, which lives as long as the stream. Fields are filled as their
 * values are read, so a key of the envelope that came before can be used in on_item. A streamed
 * list has its count, and no items. */
const void *record_stream_value(const struct record_stream *stream);
/* Returns whether the key of this field was read. */
bool record_stream_has(const struct record_stream *stream, const struct field *field);

/* Returns the faults so far, in the order in which they were found, at most STREAM_FAULTS_MAX. */
const struct stream_fault *record_stream_faults(const struct record_stream *stream,
                                                size_t *ret_count, bool *ret_is_truncated);
/* Adds one; everything is copied. During on_item its place is told from the item on:
 * `"variants",3,"price"`. A second fault at the same place is dropped. */
void record_stream_fault(struct record_stream *stream, const struct stream_fault *fault);
/* During on_remark: writes the place in the form, its keys and "[]" for items of lists, in the
 * arena; returns how many parts it has, at most JSON_DEPTH_MAX. */
size_t record_stream_form(const struct record_stream *stream, struct arena *arena,
                          const char **ret_parts);
/* Returns whether one was told at this place, which is given as there. */
bool record_stream_has_fault(const struct record_stream *stream, const char *loc);

/* These return, after STREAM_FAULT, a sentence for people (a static text), and the byte where it
 * went wrong. */
const char *record_stream_why(const struct record_stream *stream);
uint64_t record_stream_offset(const struct record_stream *stream);

/* Decodes a text that was checked before by the same table, without streamed lists, into the arena:
 * what is missing is absent. ERR_INTERNAL: it was not. ERR_OVERLOADED: there is no memory for it,
 * or the arena, a large one, has no more. */
enum err record_decode_known(const struct record *record, struct str text, struct arena *arena,
                             void *ret_value) MUST_CHECK;
/* Does the same. `ret_seen` has one bit for each field of the record, by its place: whether its key
 * was there, null or not. */
enum err record_decode_seen(const struct record *record, struct str text, struct arena *arena,
                            void *ret_value, uint64_t *ret_seen) MUST_CHECK;

/* --- kit/json/items.c --- */

/* Calls `on_item` for each item of each array that is a member of the object `text`: the name of
 * the member, the place in the array, and the item's bytes. Fast, and without memory of its own;
 * `text` was checked before. Ends at the first error that `on_item` returns. ERR_INTERNAL: no JSON
 * object. */
enum err json_each_item(struct str text,
                        enum err (*on_item)(void *arg, struct str list, size_t index,
                                            struct str item),
                        void *arg) MUST_CHECK;
