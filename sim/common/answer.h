/* The answer to a call before it is sent, and the ways in which it can be spoiled. */
#pragma once

#include "kit/http/server.h"
#include "kit/json/writer.h"

enum { ANSWER_HEADERS_MAX = 32 };

struct answer {
    int status;
    const char *content_type; /* borrowed, as the headers are */
    struct http_header headers[ANSWER_HEADERS_MAX];
    size_t header_count;
    struct buf body;
};

/* The ending says how much of it the caller gets. */
enum ending { ENDING_ANSWER, ENDING_CUT, ENDING_CUT_WITHIN };

/* A body of nonsense looks like this. */
enum shape { SHAPE_HTML, SHAPE_TRUNCATED, SHAPE_HUGE, SHAPE_EMPTY, SHAPE_OTHER_JSON, SHAPE_COUNT };
extern const char *const shape_words[SHAPE_COUNT + 1]; /* NULL at the end */

/* Begins it anew: no headers, and a JSON object that the caller ends. */
struct json_writer answer_begin(struct answer *answer, int status);
/* Left out behind ANSWER_HEADERS_MAX. */
void answer_add_header(struct answer *answer, const char *name, const char *value);
/* Another body, without headers; the status stays. */
void answer_set_body(struct answer *answer, const char *content_type, const char *body);
void answer_set_html(struct answer *answer, int status, const char *title);
/* The huge one is an object that begins with `members`. */
void answer_set_nonsense(struct answer *answer, enum shape shape, const char *members);
/* `count` bytes `c` more. */
void answer_pad(struct answer *answer, char c, size_t count);

/* Once. What is sent is the exchange's from then on. */
void answer_send(struct answer *answer, struct http_request *x, enum ending ending);
/* Sends status and headers; the body is left to the caller. */
void answer_begin_stream(const struct answer *answer, struct http_request *x);
