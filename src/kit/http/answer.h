/* What whole and streamed answers have in common. Inside of kit/http. */
#pragma once

#include "kit/http/connection.h"

/* The head is composed in loop->head: begin, then the caller's own lines, then end. */
void http_answer_begin_head(struct http_request *x, int status, const struct http_header *headers,
                            size_t header_count);
void http_answer_end_head(struct http_request *x);

/* Whether the connection can go on after this answer; to be called before the head is composed. */
void http_answer_decide_keep_alive(struct http_request *x, int status);
/* After an answer has begun: what becomes of the bytes that still come. */
void http_answer_settle_reading(struct http_request *x);

/* False for a status whose answer ends with its head. */
bool http_status_has_content(int status);
