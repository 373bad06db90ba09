/* These records say how webhook endpoints and deliveries look on the wire (contract, section
 * 13.3). */
#include "domain/webhook/webhook.h"

#define URL_EXAMPLE "https://shop.example.com/hooks/herald"
#define TYPES_DOC   "Which events it is told of: types, `otp.*` for all of a subject, or `*`."
#define FULL_DOC    "Whether it is shown customers' numbers in full; otherwise they are masked."

/* --- Requests --- */

static const struct field input_fields[] = {
    FIELD(struct webhook_endpoint_input, url, FIELD_STRING, FIELD_REQUIRED,
          "Where events are delivered. http only where HERALD_WEBHOOK_ALLOW_HTTP is on.", .min = 8,
          .max = WEBHOOK_URL_MAX, .example = URL_EXAMPLE),
    FIELD(struct webhook_endpoint_input, types, FIELD_STRINGS, FIELD_REQUIRED | FIELD_UNIQUE,
          TYPES_DOC, .min = 1, .max = WEBHOOK_TYPE_MAX, .items_min = 1,
          .items_max = WEBHOOK_TYPES_MAX, .example = "[\"*\"]"),
    FIELD(struct webhook_endpoint_input, description, FIELD_STRING, 0, "What people call it.",
          .min = 1, .max = WEBHOOK_DESCRIPTION_MAX, .example = "The web shop"),
    FIELD(struct webhook_endpoint_input, full_numbers, FIELD_BOOLEAN, FIELD_DEFAULT, FULL_DOC,
          .default_value = false, .example = "false"),
};
const struct record webhook_endpoint_input_record = {
    .name = "WebhookEndpointInput",
    .doc = "An endpoint to make.",
    .size = sizeof(struct webhook_endpoint_input),
    RECORD_FIELDS(input_fields),
};

static const struct field change_fields[] = {
    FIELD(struct webhook_endpoint_change, url, FIELD_STRING, 0, "Where events are delivered.",
          .min = 8, .max = WEBHOOK_URL_MAX, .example = URL_EXAMPLE),
    FIELD(struct webhook_endpoint_change, types, FIELD_STRINGS, FIELD_UNIQUE, TYPES_DOC, .min = 1,
          .max = WEBHOOK_TYPE_MAX, .items_min = 1, .items_max = WEBHOOK_TYPES_MAX,
          .example = "[\"otp.*\"]"),
    FIELD(struct webhook_endpoint_change, description, FIELD_STRING, 0, "What people call it.",
          .min = 1, .max = WEBHOOK_DESCRIPTION_MAX, .example = "The web shop"),
    FIELD(struct webhook_endpoint_change, full_numbers, FIELD_TRISTATE, 0, FULL_DOC,
          .example = "false"),
    FIELD(struct webhook_endpoint_change, enabled, FIELD_TRISTATE, 0,
          "Whether it is told of events. What was due before it was disabled is delivered once it "
          "is enabled again; what happens meanwhile is not.",
          .example = "true"),
};
const struct record webhook_endpoint_change_record = {
    .name = "WebhookEndpointChange",
    .doc = "What is to become different of an endpoint; the rest stays.",
    .size = sizeof(struct webhook_endpoint_change),
    RECORD_FIELDS(change_fields),
};

static const struct field rotation_fields[] = {
    FIELD(struct webhook_rotation, overlap_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long the old secret signs beside the new one.", .min = 0,
          .max = WEBHOOK_OVERLAP_MAX_S, .default_value = WEBHOOK_OVERLAP_DEFAULT_S,
          .example = "86400"),
};
const struct record webhook_rotation_record = {
    .name = "RotateWebhookSecret",
    .doc = "Asks for a new secret in place of the old one.",
    .size = sizeof(struct webhook_rotation),
    RECORD_FIELDS(rotation_fields),
};

static const struct field recovery_fields[] = {
    FIELD(struct webhook_recovery, since, FIELD_TIME, FIELD_REQUIRED,
          "Deliveries that failed are made again, of events from then on; tests are not."),
};
const struct record webhook_recovery_record = {
    .name = "WebhookRecovery",
    .doc = "Asks for what failed to be delivered again.",
    .size = sizeof(struct webhook_recovery),
    RECORD_FIELDS(recovery_fields),
};

/* --- Answers --- */

#define ENDPOINT_MEMBERS                                                                           \
    FIELD(struct webhook_endpoint, id, FIELD_UUID, FIELD_REQUIRED, "The id of the endpoint."),     \
        FIELD(struct webhook_endpoint, url, FIELD_STRING, FIELD_REQUIRED,                          \
              "Where events are delivered.", .example = URL_EXAMPLE),                              \
        FIELD(struct webhook_endpoint, types, FIELD_STRINGS, FIELD_REQUIRED, TYPES_DOC,            \
              .example = "[\"*\"]"),                                                               \
        FIELD(struct webhook_endpoint, description, FIELD_STRING,                                  \
              FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE, "What people call it.",               \
              .example = "The web shop"),                                                          \
        FIELD(struct webhook_endpoint, full_numbers, FIELD_BOOLEAN, FIELD_REQUIRED, FULL_DOC,      \
              .example = "false"),                                                                 \
        FIELD(struct webhook_endpoint, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,                     \
              "Whether it is told of events.", .example = "true"),                                 \
        FIELD(struct webhook_endpoint, disabled_why, FIELD_STRING,                                 \
              FIELD_REQUIRED | FIELD_NULLABLE,                                                     \
              "Why herald disabled it; null: it is enabled, or somebody disabled it.",             \
              .example = "null"),                                                                  \
        FIELD(struct webhook_endpoint, failing_since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE, \
              "Since when nothing could be delivered; null: the last attempt went well."),         \
        FIELD(struct webhook_endpoint, old_secret_until, FIELD_TIME,                               \
              FIELD_REQUIRED | FIELD_NULLABLE,                                                     \
              "Until when the secret before the last rotation signs, too; null: it does not."),    \
        FIELD(struct webhook_endpoint, created_at, FIELD_TIME, FIELD_REQUIRED,                     \
              "When it was made."),                                                                \
        FIELD(struct webhook_endpoint, updated_at, FIELD_TIME, FIELD_REQUIRED,                     \
              "When it was last changed."),                                                        \
        FIELD(struct webhook_endpoint, active_from, FIELD_TIME, FIELD_REQUIRED,                    \
              "From when on every change is told to it.")

static const struct field endpoint_fields[] = {ENDPOINT_MEMBERS};
const struct record webhook_endpoint_record = {
    .name = "WebhookEndpoint",
    .doc = "Who is told of events over HTTP.",
    .size = sizeof(struct webhook_endpoint),
    RECORD_FIELDS(endpoint_fields),
};

static const struct field shown_fields[] = {
    ENDPOINT_MEMBERS,
    FIELD(struct webhook_endpoint, secret, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "What deliveries are signed with. It is shown this once.",
          .example = "whsec_3q2+7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw="),
};
const struct record webhook_endpoint_shown_record = {
    .name = "WebhookEndpointCreated",
    .doc = "An endpoint with its secret.",
    .size = sizeof(struct webhook_endpoint),
    RECORD_FIELDS(shown_fields),
};

static const struct field endpoint_list_fields[] = {
    FIELD(struct webhook_endpoint_list, endpoints, FIELD_RECORDS, FIELD_REQUIRED,
          "All endpoints, oldest first; at most 50.", .record = &webhook_endpoint_record),
};
const struct record webhook_endpoint_list_record = {
    .name = "WebhookEndpointList",
    .doc = "The endpoints.",
    .size = sizeof(struct webhook_endpoint_list),
    RECORD_FIELDS(endpoint_list_fields),
};

static const struct field delivery_fields[] = {
    FIELD(struct webhook_delivery, id, FIELD_UUID, FIELD_REQUIRED, "The id of the delivery."),
    FIELD(struct webhook_delivery, event_id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the event, which the endpoint gets as webhook-id."),
    FIELD(struct webhook_delivery, seq, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "The number of the event in the feed; null: a test.", .example = "4712"),
    FIELD(struct webhook_delivery, type, FIELD_STRING, FIELD_REQUIRED, "What happened.",
          .example = "otp.confirmed"),
    FIELD(struct webhook_delivery, state, FIELD_ENUM, FIELD_REQUIRED,
          "pending: an attempt is due or under way. delivered: it was answered with 2xx. failed: "
          "there is no further attempt.",
          .words = webhook_state_words, .example = "delivered"),
    FIELD(struct webhook_delivery, attempts, FIELD_INTEGER, FIELD_REQUIRED,
          "How often it was attempted.", .min = 0, .example = "1"),
    FIELD(struct webhook_delivery, next_attempt_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the next attempt is due; null: none is. It is never in the past: what is due shows "
          "the time of the answer."),
    FIELD(struct webhook_delivery, status, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "The HTTP status of the last answer; null: none came.", .example = "200"),
    FIELD(struct webhook_delivery, answer, FIELD_STRING,
          FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "The beginning of the last answer, or why none came.", .example = "ok"),
    FIELD(struct webhook_delivery, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was made."),
    FIELD(struct webhook_delivery, updated_at, FIELD_TIME, FIELD_REQUIRED,
          "When it was last attempted, or queued again."),
};
const struct record webhook_delivery_record = {
    .name = "WebhookDelivery",
    .doc = "An event on its way to an endpoint.",
    .size = sizeof(struct webhook_delivery),
    RECORD_FIELDS(delivery_fields),
};

static const struct field filter_fields[] = {
    FIELD(struct webhook_delivery_filter, state, FIELD_ENUM, 0, "Only deliveries in this state.",
          .words = webhook_state_words, .example = "failed"),
    PAGE_LIMIT_ROW(struct webhook_delivery_filter),
    PAGE_CURSOR_ROW(struct webhook_delivery_filter, .min = 1, .max = 60,
                    .example = "1795235580000.0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"),
};
const struct record webhook_delivery_filter_query = {.size = sizeof(struct webhook_delivery_filter),
                                                     RECORD_FIELDS(filter_fields)};

static const struct field delivery_list_fields[] = {
    FIELD(struct webhook_delivery_list, deliveries, FIELD_RECORDS, FIELD_REQUIRED,
          "The deliveries, newest first.", .record = &webhook_delivery_record),
    PAGE_NEXT_ROW(struct webhook_delivery_list),
};
const struct record webhook_delivery_list_record = {
    .name = "WebhookDeliveryList",
    .doc = "A page of deliveries.",
    .size = sizeof(struct webhook_delivery_list),
    RECORD_FIELDS(delivery_list_fields),
};

static const struct field recovered_fields[] = {
    FIELD(struct webhook_recovered, queued, FIELD_INTEGER, FIELD_REQUIRED,
          "How many deliveries are due again.", .min = 0, .example = "12"),
    FIELD(struct webhook_recovered, more, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether there may be more: ask again.", .example = "false"),
};
const struct record webhook_recovered_record = {
    .name = "WebhookRecovered",
    .doc = "What is delivered again.",
    .size = sizeof(struct webhook_recovered),
    RECORD_FIELDS(recovered_fields),
};
