/* The operations on messages (doc A, section 4 "Messages"). */
#pragma once

#include "core/request.h"

enum err message_http_create(struct request *rq) MUST_CHECK;
enum err message_http_replay(struct request *rq) MUST_CHECK;
enum err message_http_read(struct request *rq) MUST_CHECK;
