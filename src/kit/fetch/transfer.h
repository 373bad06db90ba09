/* A transfer is one fetch on one of libcurl's easy handles. */
#pragma once

#include "kit/fetch/answer.h"
#include "kit/fetch/fetch.h"

#include <curl/curl.h>

enum { TRANSFER_HEADERS_MAX = FETCH_HEADERS_MAX + 2 }; /* herald adds Expect and Content-Type */

struct transfer {
    CURL *easy;
    struct fetch *fetch; /* NULL while it is idle */
    bool was_sent;       /* libcurl began to write the request */
    bool has_opened;     /* it opened a socket for a connection of its own */
    bool has_refused;    /* it refused an address that its route does not allow */
    bool is_cut;         /* the rest of a large body is left out, as its fetch wants it */
    bool must_reconnect; /* libcurl chose a kept connection to such an address */
    struct curl_slist headers[TRANSFER_HEADERS_MAX];
    size_t header_count;
    char *header_text; /* the headers point into it */
    size_t header_text_len;
    struct answer answer;
    struct transfer *next_idle;
};

/* Makes a transfer for many fetches, one after the other, each with an answer of up to `answer_max`
 * bytes. It keeps libcurl's TLS sessions. */
struct transfer *transfer_new(size_t answer_max) __attribute__((returns_nonnull));
void transfer_free(struct transfer *transfer);

/* Makes the handle ready for curl_multi_add_handle; `timeout_ms` is the time that the fetch has
 * left. */
void transfer_begin(struct transfer *transfer, struct fetch *fetch, long timeout_ms);
/* Call these after curl_multi_remove_handle. transfer_reconnect returns true if the fetch has only
 * lost its connection, with no byte sent; the handle is ready for curl_multi_add_handle then, to
 * make a new one. The others write into the fetch how it ended, and forget it. */
bool transfer_reconnect(struct transfer *transfer, long timeout_ms);
void transfer_end(struct transfer *transfer, CURLcode code);
void transfer_cancel(struct transfer *transfer);
