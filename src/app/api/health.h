/* Liveness, readiness and the OpenAPI document: answered without a transaction. */
#pragma once

#include "core/request.h"

enum err health_http_live(struct request *rq) MUST_CHECK;
enum err health_http_ready(struct request *rq) MUST_CHECK;
enum err health_http_openapi(struct request *rq) MUST_CHECK;

extern const struct record health_record;
