/* The operations of phones that send from personal messenger accounts (doc A, section 4
 * "Messages"; contract, section 2, rule 9). */
#pragma once

#include "core/request.h"

enum err messenger_http_claim(struct request *rq) MUST_CHECK;
enum err messenger_http_report(struct request *rq) MUST_CHECK;
