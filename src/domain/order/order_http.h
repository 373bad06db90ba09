/* The operations of core systems, which give orders, and of operators (contract, section 6). */
#pragma once

#include "core/request.h"

extern const struct record order_list_query; /* struct order_filter */

enum err order_http_create(struct request *rq) MUST_CHECK;
enum err order_http_replay(struct request *rq) MUST_CHECK;
enum err order_http_list(struct request *rq) MUST_CHECK;
enum err order_http_read(struct request *rq) MUST_CHECK;
enum err order_http_reveal(struct request *rq) MUST_CHECK;
enum err order_http_list_attempts(struct request *rq) MUST_CHECK;
enum err order_http_read_timeline(struct request *rq) MUST_CHECK;
enum err order_http_retry(struct request *rq) MUST_CHECK;
