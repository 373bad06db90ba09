/* What the files of the stream decoder share: its state, values, faults. */
#pragma once

#include "kit/json/open_keys.h"
#include "kit/json/record_stream.h"
#include "kit/json/record_stream_words.h"
#include "kit/json/record_value.h"

enum { STREAM_PATH_KEY_MAX = 60 }; /* bytes of a foreign key that a place shows */

enum stream_frame_kind {
    STREAM_RECORD,
    STREAM_LIST,   /* of a record's field */
    STREAM_OBJECT, /* read over, or kept as text */
    STREAM_ARRAY,  /* read over */
};

/* An open object or array. */
struct stream_frame {
    enum stream_frame_kind kind;
    const struct record *record; /* RECORD */
    const struct field *field;   /* RECORD: of the value to come, NULL: it is read over.
                                  * LIST: the list's. OBJECT: that keeps the text, or NULL */
    char *slot;                  /* the struct of a RECORD, the value of a LIST or OBJECT */
    uint64_t seen;               /* RECORD: one bit a field */
    uint64_t repeated;           /* RECORD: the fields whose repetition was told */
    size_t next;                 /* RECORD: the field that comes next if they come in order */
    size_t index;                /* LIST, ARRAY: items begun */
    bool has_too_many_keys;
    bool is_too_large;          /* LIST: the rest is read over */
    uint64_t begin;             /* its bracket in the text */
    struct stream_fault *fault; /* that shows it whole, or NULL */
    struct str key;             /* RECORD, OBJECT: the last key, as places show it */
    char foreign_key[STREAM_PATH_KEY_MAX + 4];
};

/* The items of a list while it grows; one for each level, used again for the next list there. */
struct stream_items {
    char *data;
    size_t size;  /* in bytes, allocated */
    size_t count; /* of the present list's items */
};

struct record_stream {
    struct record_stream_options options;
    struct json_reader *reader;
    bool is_known;     /* checked before: what is missing is absent */
    bool lacks_memory; /* for a value: nothing more is read */
    enum stream_state state;

    /* The token at hand, and the bytes that it came with. */
    enum json_token token;
    struct str text;
    struct str piece;
    uint64_t piece_begin;

    bool is_in_on_item;

    char *value;         /* the struct of the record */
    uint64_t seen;       /* its fields whose keys were read, one bit each */
    struct arena *arena; /* where values go: one of the next two, or a caller's */
    struct arena whole;  /* what lives as long as the stream */
    struct arena item;   /* the item of a streamed list */
    struct arena_mark item_begin;
    char *short_texts; /* where the next short text goes: several share an allocation */
    size_t short_texts_left;
    const struct stream_frame *object; /* the OBJECT that keeps its text, or NULL */
    struct buf object_text;            /* what came of it */

    struct arena fault_arena;
    size_t fault_count;
    bool is_truncated;

    /* What follows is set when it is first used: a short text needs little of it. */
    unsigned depth;
    size_t list_levels; /* that had a list so far: of `items` */
    struct stream_frame frames[JSON_DEPTH_MAX];
    struct stream_items items[JSON_DEPTH_MAX]; /* of the LIST at this level */
    struct stream_fault faults[STREAM_FAULTS_MAX];
    struct open_keys keys; /* of a level: those of what is open there, its depth */
};

static inline bool stream_is_streamed(const struct stream_frame *list)
{
    return list->field->flags & FIELD_STREAMED;
}

/* Memory that lives as long as the present values. NULL: nothing more is read. */
static inline void *stream_take_memory(struct record_stream *stream, size_t count, size_t size)
{
    void *memory = arena_try(stream->arena, count, size);
    if (!memory) stream->lacks_memory = true;
    return memory;
}

/* --- record_stream_list.c --- */

/* Before the first item of the list that is open at this frame. */
void stream_begin_list(struct record_stream *stream, const struct stream_frame *frame);
/* Room for the next item; NULL: it is read over. What is behind the list's maximum is, since the
 * list is refused; and once more faults were found than are told, all is. */
void *stream_next_item(struct record_stream *stream, struct stream_frame *frame);
void stream_close_list(struct record_stream *stream, struct stream_frame *frame);

/* --- record_stream_value.c --- */

/* A copy that lives as long as the present values; NULL where the stream lacks memory. */
const char *stream_keep_text(struct record_stream *stream, struct str text);
/* Checks the token, a string, number, true, false or null, and stores it at `slot`. */
void stream_take_scalar(struct record_stream *stream, const struct field *field, bool is_item,
                        void *slot);

/* What a field of FIELD_ENUM or FIELD_WORD may be. */
const char *const *stream_words_of(const struct record_stream *stream, const struct field *field);

/* --- record_stream_faults.c --- */

/* A fault of the value that the token at hand is or begins. Where it begins one, the fault is given
 * back, so that its end is set when that is known; else, or if it was dropped, NULL. `ctx` may be
 * NULL. */
struct stream_fault *stream_fault_value(struct record_stream *stream, const char *type,
                                        const char *ctx, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
struct stream_fault *stream_fault_words(struct record_stream *stream,
                                        const struct stream_words *words);
/* A fault of the key at hand. */
void stream_fault_key(struct record_stream *stream);
/* A fault of the innermost object or array as a whole, up to what was read of it; or, with the name
 * of a field, of what it lacks. NULL: it was dropped. */
struct stream_fault *stream_fault_frame(struct record_stream *stream, const char *lacking,
                                        const char *type, const char *ctx, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* That a value is of another kind than the field's (or its items') own. */
struct stream_fault *stream_fault_kind(struct record_stream *stream, const struct field *field,
                                       bool is_item);
/* That the text as a whole is no object. */
struct stream_fault *stream_fault_body(struct record_stream *stream);
