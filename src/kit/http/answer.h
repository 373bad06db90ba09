/* Whole and streamed answers share these; only kit/http includes them. */
#pragma once

#include "kit/http/connection.h"

/* The head is composed in loop->head: begin, then lines of the calling function, then end. */
void http_answer_begin_head(struct http_request *x, int status, const struct http_header *headers,
                            size_t header_count);
void http_answer_end_head(struct http_request *x);

/* Decides whether the connection goes on after this answer; call it before the head is composed. */
void http_answer_decide_keep_alive(struct http_request *x, int status);
/* Decides, once an answer has begun, what becomes of the bytes that still come. */
void http_answer_settle_reading(struct http_request *x);

/* Returns false for a status whose answer ends with its head. */
bool http_status_has_content(int status);
