/* How a delivery report of Telegram Gateway looks on the wire; members that are not here are read
 * over. */
#include "domain/channel/channel_http.h"

#include <stddef.h>

struct gateway_delivery_status {
    const char *status;
    int64_t updated_at;
};

struct gateway_delivery {
    const char *request_id;
    const char *phone_number;
    struct gateway_delivery_status *delivery_status;
    const char *payload;
};

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
     .example = "\"2f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f00\""},
    {0},
};

static const struct field status_fields[] = {
    {.name = "status",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct gateway_delivery_status, status),
     .doc = "sent; delivered or read; expired or revoked, which is a failure.",
     .example = "\"delivered\""},
    {.name = "updated_at",
     .type = FIELD_INTEGER,
     .offset = offsetof(struct gateway_delivery_status, updated_at),
     .doc = "Since when, in seconds since 1970.",
     .example = "1795235579"},
};

static const struct record gateway_delivery_status_record = {
    .name = "GatewayDeliveryStatus",
    .doc = "How far a message of Telegram Gateway has come.",
    .size = sizeof(struct gateway_delivery_status),
    RECORD_FIELDS(status_fields),
};

static const struct field delivery_fields[] = {
    {.name = "request_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct gateway_delivery, request_id),
     .doc = "The provider's id of the message.",
     .example = "\"1042\""},
    {.name = "phone_number",
     .type = FIELD_STRING,
     .offset = offsetof(struct gateway_delivery, phone_number),
     .doc = "Whom the message is for.",
     .example = "\"+79161234567\""},
    {.name = "delivery_status",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct gateway_delivery, delivery_status),
     .record = &gateway_delivery_status_record,
     .doc = "How far it has come."},
    {.name = "payload",
     .type = FIELD_STRING,
     .offset = offsetof(struct gateway_delivery, payload),
     .doc = "What was given along with the message: herald's own id of the send.",
     .example = "\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\""},
};

const struct record gateway_delivery_record = {
    .name = "GatewayDelivery",
    .doc = "A delivery report of Telegram Gateway.",
    .size = sizeof(struct gateway_delivery),
    RECORD_FIELDS(delivery_fields),
};
