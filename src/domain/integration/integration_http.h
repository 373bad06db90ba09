/* The operations of operators on integrations and their clients (contract, section 4). */
#pragma once

#include "core/request.h"

extern const struct record integration_list_query;

enum err integration_http_create(struct request *rq) MUST_CHECK;
enum err integration_http_list(struct request *rq) MUST_CHECK;
enum err integration_http_read(struct request *rq) MUST_CHECK;
enum err integration_http_change(struct request *rq) MUST_CHECK;

enum err client_http_create(struct request *rq) MUST_CHECK;
enum err client_http_list(struct request *rq) MUST_CHECK;
enum err client_http_rotate_secret(struct request *rq) MUST_CHECK;
enum err client_http_revoke_secret(struct request *rq) MUST_CHECK;
enum err client_http_set_enabled(struct request *rq) MUST_CHECK;
