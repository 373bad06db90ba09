/* The headers of a signed delivery report; its body is read, and described, in gateway_report.c. */
#include "domain/channel/channel_http.h"

/* In the order in which channel_http_authenticate_gateway reads them. */
const struct field channel_gateway_headers[] = {
    {.name = "X-Request-Timestamp",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .doc = "When the report was signed, in seconds since 1970; at most 5 minutes ago.",
     .example = "1795235580"},
    {.name = "X-Request-Signature",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .min = 64,
     .max = 64,
     .doc = "The HMAC-SHA256, in hexadecimal digits, of the timestamp, a line feed and the body; "
            "its key is the SHA256 of the token.",
     .example = "2f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f00"},
    {0},
};
