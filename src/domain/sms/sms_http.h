/* The operations of phones that send SMS (doc A, section 4 "SMS tasks for phones"). */
#pragma once

#include "core/request.h"

enum err sms_http_claim(struct request *rq) MUST_CHECK;
enum err sms_http_report(struct request *rq) MUST_CHECK;
