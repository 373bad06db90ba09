/* One call on one of libcurl's easy handles: its options, what arrives, and the verdict. */
#pragma once

#include "kit/fetch/answer.h"
#include "kit/fetch/fetch.h"

#include <curl/curl.h>

enum { TRANSFER_HEADERS_MAX = FETCH_HEADERS_MAX + 2 }; /* Expect and Content-Type are ours */

struct transfer {
    CURL *easy;
    struct fetch_call *call; /* NULL while it waits for one */
    bool was_sent;           /* libcurl began to write the request */
    bool has_opened;         /* a socket for a connection of its own */
    bool has_refused;        /* an address that its route does not allow */
    bool must_reconnect;     /* libcurl chose a kept connection to such an address */
    struct curl_slist headers[TRANSFER_HEADERS_MAX];
    size_t header_count;
    char *header_text; /* what the headers point into */
    size_t header_text_len;
    struct answer answer;
    struct transfer *next_idle;
};

/* Used for many calls, one after the other, each with an answer of up to `answer_max` bytes: keeps
 * libcurl's TLS sessions. Never NULL. */
struct transfer *transfer_new(size_t answer_max) __attribute__((returns_nonnull));
void transfer_free(struct transfer *transfer);

/* Makes the handle ready for curl_multi_add_handle; `timeout_ms` is what is left of the call's. */
void transfer_begin(struct transfer *transfer, struct fetch_call *call, long timeout_ms);
/* After curl_multi_remove_handle: whether the call has only lost its connection, with no byte sent,
 * and the handle is ready for curl_multi_add_handle once more, to make a new one. */
bool transfer_reconnect(struct transfer *transfer, long timeout_ms);
/* After curl_multi_remove_handle: writes into the call how it ended, and forgets it. */
void transfer_end(struct transfer *transfer, CURLcode code);
void transfer_cancel(struct transfer *transfer);
