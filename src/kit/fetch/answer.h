/* The answer to one fetch is checked and bounded while it comes in. */
#pragma once

#include "kit/fetch/fetch.h"

enum { ANSWER_HEAD_MAX = 64 * 1024 };

struct answer {
    size_t head_len;        /* bytes of all heads, those of 1xx answers too */
    bool is_head_whole;     /* the empty line behind the headers has come */
    int64_t retry_after_ms; /* -1: none */
    size_t body_len;
    size_t body_max;
    char *body; /* room for body_max */
};

/* Make an empty answer, and end it. */
void answer_init(struct answer *answer, size_t body_max);
void answer_done(struct answer *answer);

/* Empties it, and zeroes the last body, which may hold a code. */
void answer_clear(struct answer *answer);

/* Adds a line of a head, with its line end. `now_ms` is wall time, for a date in Retry-After.
 * Returns false if the heads are too large. */
bool answer_add_line(struct answer *answer, struct str line, int64_t now_ms) MUST_CHECK;
/* Adds the next part of the body. Returns false if the body is too large. */
bool answer_add_body(struct answer *answer, struct str part) MUST_CHECK;
/* Returns the beginning of a part for which there is room. */
struct str answer_cut(const struct answer *answer, struct str part);
