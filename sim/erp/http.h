/* One kept-alive connection of the ERP, one request at a time, well sent or badly. */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { HTTP_ANSWER_MAX = 1024 * 1024 };

struct http_call {
    const char *url;
    const char *bearer;          /* NULL: no Authorization */
    const char *idempotency_key; /* NULL: none */
    const char *content_type;    /* NULL: a GET without body */
    struct str body;
    size_t break_after;  /* bytes of the body after which the connection is broken; 0: never */
    int64_t bytes_per_s; /* 0: as fast as it goes */
};

struct http_answer {
    long status;           /* 0: no whole answer came */
    const char *problem;   /* why not; NULL with a status */
    int64_t retry_after_s; /* 0: the answer does not say */
    int64_t took_us;
    struct buf body;
};

void http_answer_init(struct http_answer *answer);
void http_answer_done(struct http_answer *answer);

#define AUTO_ANSWER __attribute__((cleanup(http_answer_done))) struct http_answer

struct http;

/* `stop_fd`: a request under way is given up as soon as this descriptor is readable. NULL if
 * libcurl does not start. */
struct http *http_new(int64_t timeout_ms, int stop_fd);
void http_free(struct http *http);

/* Fills `answer`, which the caller has initialised. */
void http_send(struct http *http, const struct http_call *call, struct http_answer *answer);

/* Appends `text` as it stands in a path or a form. */
void http_escape(struct buf *out, const char *text);
