/* The fleet's operations for operators and phones (doc A, section 4 "Phone fleet"). */
#pragma once

#include "core/request.h"

enum err fleet_http_register(struct request *rq) MUST_CHECK;
enum err fleet_http_list(struct request *rq) MUST_CHECK;
enum err fleet_http_set_enabled(struct request *rq) MUST_CHECK;
enum err fleet_http_rotate_key(struct request *rq) MUST_CHECK;
enum err fleet_http_set_accounts(struct request *rq) MUST_CHECK;
enum err fleet_http_ping(struct request *rq) MUST_CHECK;
enum err fleet_http_declare_accounts(struct request *rq) MUST_CHECK;

extern const struct record fleet_list_query; /* struct page_query; limit 0: none is given */
