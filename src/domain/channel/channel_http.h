/* What providers call: signed delivery reports of Telegram Gateway (contract, section 3). */
#pragma once

#include "core/request.h"
#include "domain/channel/driver.h" /* gateway_delivery_record */

/* Is the report signed by the messenger gateway's token, and fresh? ERR_UNAUTHORIZED, also where
 * the channel has no token; ERR_VALIDATION: signed, but no report. */
enum err channel_http_authenticate_gateway(struct request *rq) MUST_CHECK;
enum err channel_http_report_gateway(struct request *rq) MUST_CHECK;

extern const struct field channel_gateway_headers[];
