/* The operations on codes (doc A, section 4). */
#pragma once

#include "core/request.h"

enum err otp_http_create(struct request *rq) MUST_CHECK;
enum err otp_http_replay(struct request *rq) MUST_CHECK;
enum err otp_http_read(struct request *rq) MUST_CHECK;
enum err otp_http_verify(struct request *rq) MUST_CHECK;
enum err otp_http_fall_back(struct request *rq) MUST_CHECK;
enum err otp_http_cancel(struct request *rq) MUST_CHECK;
