/* POST to herald with the key of the phone. */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { HTTP_ANSWER_MAX = 65536, HTTP_TIMEOUT_MS = 10000 };

struct http_answer {
    long status;           /* 0: no whole answer came */
    int64_t retry_after_s; /* 0: the answer does not say */
    struct buf body;
};

void http_answer_init(struct http_answer *answer);
void http_answer_done(struct http_answer *answer);

#define AUTO_ANSWER __attribute__((cleanup(http_answer_done))) struct http_answer

struct http;

/* `stop_fd`: a request under way is given up as soon as this descriptor is readable. The texts are
 * borrowed. NULL if libcurl does not start. */
struct http *http_new(const char *url, const char *key, int stop_fd);
void http_free(struct http *http);

/* Fills `answer`, which the caller has initialised. */
void http_post(struct http *http, const char *path, struct str body, struct http_answer *answer);
