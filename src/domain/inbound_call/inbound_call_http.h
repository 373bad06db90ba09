/* Inbound-call operations (doc A, section 4 "Inbound-call confirmations"). */
#pragma once

#include "core/request.h"

enum err inbound_call_http_create(struct request *rq) MUST_CHECK;
enum err inbound_call_http_replay(struct request *rq) MUST_CHECK;
enum err inbound_call_http_read(struct request *rq) MUST_CHECK;
enum err inbound_call_http_cancel(struct request *rq) MUST_CHECK;
enum err inbound_call_http_event(struct request *rq) MUST_CHECK;
