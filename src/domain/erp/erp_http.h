/* What ERPs call with an access token (doc B, section 4 "ERP to service"). */
#pragma once

#include "kit/route/request.h"

/* rq->principal is a struct token_claims. */
enum err erp_http_read_package(struct request *rq) MUST_CHECK;
