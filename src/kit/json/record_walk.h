/*
 * This is the record decoder, for record_*.c. It is driven token by token, with a stack of its own
 * in place of recursion, so that it can stop wherever the bytes do. One walk finds everything that
 * is wrong (contract, section 1), and its voice says so. What a record does not know is read over,
 * but its keys are watched, since a repeated key is a fault wherever it stands.
 */
#pragma once

#include "kit/json/open_keys.h"
#include "kit/json/record_value.h"

enum { WALK_KEY_MAX = 60 }; /* bytes of a foreign key that a place shows */

enum walk_frame_kind {
    WALK_RECORD,
    WALK_LIST,   /* of a record's field */
    WALK_OBJECT, /* read over, or kept as text */
    WALK_ARRAY,  /* read over */
};

/* An open object or array. */
struct walk_frame {
    enum walk_frame_kind kind;
    const struct record *record; /* RECORD */
    const struct field *field;   /* RECORD: of the value to come, NULL: it is read over.
                                  * LIST: the list's. OBJECT: that keeps the text, or NULL */
    char *slot;                  /* the struct of a RECORD, the value of a LIST or OBJECT */
    uint64_t seen;               /* RECORD: one bit a field */
    uint64_t repeated;           /* RECORD: the fields whose repetition was told */
    size_t next;                 /* RECORD: the field that comes next if they come in order */
    size_t index;                /* LIST, ARRAY: items begun */
    bool is_streamed;            /* LIST: each item is handed over, none is kept */
    bool is_too_large;           /* LIST: the rest is read over */
    bool has_too_many_keys;      /* the rest is not watched */
    uint64_t begin;              /* its bracket in the text */
    uint64_t *ret_end;           /* where its end is noted, or NULL */
    struct str key;              /* RECORD, OBJECT: the last key, as places show it */
    char foreign_key[WALK_KEY_MAX + 4];
};

/* The items of a list while it grows; one for each level, used again for the next list there. */
struct walk_items {
    char *data;
    size_t size;  /* in bytes, allocated */
    size_t count; /* of the present list's items */
};

struct record_walk;

/* A decoder has its own way to say what is wrong, and to use what is whole. */
struct walk_voice {
    /* Says what is wrong with the token at hand, or with the innermost frame. Returns where the end
     * of that is to be noted once it is known, or NULL. */
    uint64_t *(*tell)(struct record_walk *walk, const struct verdict *verdict);
    /* Takes the innermost frame, a RECORD or a LIST, when it is whole and what the walk finds wrong
     * with it was told. May be NULL. */
    void (*close)(struct record_walk *walk, struct walk_frame *frame);
    /* Takes note of what is no fault, but may not have been meant: the text at hand is blank, of a
     * field with FIELD_NOTE_BLANK; or the innermost frame, a RECORD, does not know the key at
     * hand, with `field` NULL. May be NULL. */
    void (*remark)(struct record_walk *walk, const struct field *field);
};

struct walk_options {
    const struct walk_voice *voice;
    unsigned rules; /* of enum decode_rule */
    const struct record *record;
    void *value;         /* the struct of the record */
    struct arena *arena; /* where values go */
    /* Items of lists with FIELD_STREAMED go here; NULL: these are lists as any other. */
    struct arena *item_arena;
    const char *const *words; /* of each FIELD_WORD, in place of its own; or NULL */
    size_t token_max;         /* the most bytes of one string or number */
    size_t keys_max;          /* unknown keys, as the rules count them */
    size_t memory_max;        /* bytes of the present values, with all lists */
};

struct record_walk {
    struct walk_options options;
    struct json_reader *reader;
    struct field_source source; /* the token at hand */

    /* The bytes that the token came with. */
    struct str piece;
    uint64_t piece_begin;

    bool is_mute;                    /* more is wrong than is told: lists are read over */
    const struct walk_frame *object; /* the OBJECT that keeps its text, or NULL */
    struct buf object_text;          /* what came of it: DECODE_PIECES */

    /* These are set when they are first used: a short text needs few of them. */
    unsigned depth;
    size_t list_levels; /* that had a list so far: of `items` */
    struct walk_frame frames[JSON_DEPTH_MAX];
    struct walk_items items[JSON_DEPTH_MAX]; /* of the LIST at this level */
    struct open_keys keys; /* of a level: those of what is open there, its depth */
};

void walk_init(struct record_walk *walk, const struct walk_options *options);
void walk_done(struct record_walk *walk);

/* Reads the next bytes. With DECODE_PIECES they may go when it returns. `is_last`: nothing follows.
 * Returns JSON_MORE, JSON_END or JSON_FAULT; or, once `source.is_over`, the last token. */
enum json_token walk_feed(struct record_walk *walk, struct str bytes, bool is_last) MUST_CHECK;

/* Puts all values there from now on. */
void walk_use_arena(struct record_walk *walk, struct arena *arena);

/* Returns how many bytes it holds beside its arenas. */
size_t walk_memory(const struct record_walk *walk);

/* Returns the fields of the record whose keys were read, one bit each. */
static inline uint64_t walk_seen(const struct record_walk *walk)
{
    return walk->frames[0].seen;
}

/* Returns whether the verdict is about the innermost frame as a whole, not the token at hand. */
static inline bool verdict_is_of_frame(const struct verdict *verdict)
{
    enum record_flaw flaw = verdict->flaw;
    return flaw == FLAW_TOO_FEW || flaw == FLAW_TOO_MANY || flaw == FLAW_LIST_MEMORY ||
           flaw == FLAW_TOO_MANY_KEYS || flaw == FLAW_MAP_SIZE;
}

/* Says that this is wrong with the key at hand, the innermost frame, or the text. */
static inline uint64_t *walk_tell(struct record_walk *walk, enum record_flaw flaw)
{
    return walk->options.voice->tell(walk, &(struct verdict){flaw});
}

/* Nothing more is read. */
static inline void walk_lack_memory(struct record_walk *walk)
{
    walk->source.lacks_memory = walk->source.is_over = true;
}

/* --- record_walk_list.c --- */

/* Begins the list that is open at this frame. */
void walk_begin_list(struct record_walk *walk, const struct walk_frame *frame);
/* Returns room for the next item; NULL: it is read over. */
void *walk_next_item(struct record_walk *walk, struct walk_frame *frame);
/* Moves the list to the other values, and tells whether it is too short or too long. */
void walk_close_list(struct record_walk *walk, struct walk_frame *frame);

/* --- record_walk_map.c --- */

/* Takes the text of the object that is open at this frame as the value of its FIELD_MAP, and tells
 * what is wrong with it. */
void walk_close_map(struct record_walk *walk, struct walk_frame *frame, struct str text);
