/* These records say how deliveries of orders look on the wire (contract, section 6). */
#include "core/personal.h"
#include "domain/order/order.h"
#include "kit/base/macros.h"

#include <stddef.h>

const char *const order_state_words[] = {"queued",   "delivering", "accepted",
                                         "rejected", "failed",     NULL};
const char *const order_outcome_words[] = {
    "accepted", "rejected", "contract_error", "refused", "unknown", "not_sent", NULL};

static const struct field products_fields[] = {
    FIELD(struct order_products, known, FIELD_INTEGER, FIELD_REQUIRED,
          "How many of them were in the catalog, and not archived.", .example = "2"),
    FIELD(struct order_products, of, FIELD_INTEGER, FIELD_REQUIRED,
          "How many different products the order has.", .example = "2"),
};

static const struct record products_record = {
    .name = "OrderKnownProducts",
    .doc = "How many of the products of an order its integration's catalog had.",
    .size = sizeof(struct order_products),
    RECORD_FIELDS(products_fields),
};

static const struct field contact_fields[] = {
    FIELD(struct order_contact, name, FIELD_STRING, FIELD_REQUIRED, "Who ordered.",
          .example = "Anna"),
    FIELD(struct order_contact, phone, FIELD_STRING, FIELD_REQUIRED,
          "How to call them, as the order has it.", .example = "+79161234567"),
};

static const struct record contact_record = {
    .name = "OrderContact",
    .doc = "Who ordered.",
    .size = sizeof(struct order_contact),
    RECORD_FIELDS(contact_fields),
};

/* --- OrderDelivery ---------------------------------------------------------------------------- */

/* The customer is the last field, so that the fields before it are those of every other answer. */
static const struct field delivery_fields[] = {
    FIELD(struct order_delivery, id, FIELD_UUID, FIELD_REQUIRED,
          "The id to ask for it by: that of the order, unless an order of another integration "
          "had that before; then one of its own."),
    FIELD(struct order_delivery, order_id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the order, which is also the Idempotency-Key of every attempt. It is unique "
          "in its integration."),
    FIELD(struct order_delivery, integration_id, FIELD_UUID, FIELD_REQUIRED,
          "The integration whose ERP gets it."),
    FIELD(struct order_delivery, integration_name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call it.", .example = "Shop on Lenin street"),
    FIELD(struct order_delivery, environment, FIELD_ENUM, FIELD_REQUIRED,
          "What this integration is for: production, or test for trying out.",
          .words = integration_environment_words),
    FIELD(struct order_delivery, state, FIELD_ENUM, FIELD_REQUIRED,
          "queued: it waits for its turn, or for its next attempt. delivering: an attempt has "
          "begun. accepted: the ERP has its document. rejected: the ERP does not want it. "
          "failed: 72 hours of attempts did not help. Rejected or failed, it is kept for 30 days "
          "and can be tried again.",
          .words = order_state_words, .example = "accepted"),
    FIELD(struct order_delivery, attempts, FIELD_INTEGER, FIELD_REQUIRED,
          "How many attempts were begun.", .example = "1"),
    FIELD(struct order_delivery, next_attempt_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "From when on it is tried, while it is queued; while its circuit is open not before the "
          "next probe, and never in the past: what is due waits for others or for a disabled "
          "integration, and shows the time of the answer."),
    FIELD(struct order_delivery, erp_order_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "`order_id` of the ERP's answer: the id of its document.", .example = "a3f1c2d4-0001"),
    FIELD(struct order_delivery, erp_number, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "`number` of the ERP's answer: the number of its document.", .example = "00-00001234"),
    FIELD(struct order_delivery, last_error, FIELD_STRING,
          FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "Why the last attempt did not succeed: the first 500 characters of what the ERP said, "
          "without herald's token; where it said nothing, herald's own word.",
          .example = "null"),
    FIELD(struct order_delivery, known_products, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "Whether its products were in the catalog when it was taken, which is no condition: an "
          "ERP may know more. null: it is from before they were counted.",
          .record = &products_record),
    FIELD(struct order_delivery, circuit, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "Why it waits, if it waits for its ERP: the circuit of its integration's orders, while "
          "that is not closed; else null, and so in the answer to its creation.",
          .record = &lane_circuit_record),
    FIELD(struct order_delivery, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was taken."),
    FIELD(struct order_delivery, updated_at, FIELD_TIME, FIELD_REQUIRED,
          "When its delivery last changed."),
    METADATA_ROW(struct order_delivery),
    PERSONAL_ERASED_ROW(struct order_delivery),
    FIELD(struct order_delivery, customer, FIELD_RECORD, FIELD_REQUIRED, "Who ordered.",
          .record = &contact_record),
};

const struct record order_delivery_record = {
    .name = "OrderDelivery",
    .doc = "How the delivery of an order stands. The order itself is not returned.",
    .size = sizeof(struct order_delivery),
    .fields = delivery_fields,
    .field_count = COUNT_OF(delivery_fields) - 1,
};

const struct record order_revealed_record = {
    .name = "OrderRevealed",
    .doc = "How the delivery of an order stands, and who ordered.",
    .size = sizeof(struct order_delivery),
    RECORD_FIELDS(delivery_fields),
};

static const struct field list_fields[] = {
    FIELD(struct order_list, orders, FIELD_RECORDS, FIELD_REQUIRED,
          "Newest first. Of a customer one request looks at 20,000 records at most, so a page in a "
          "state or of an integration may have fewer than `limit`, or none, while `next_cursor` "
          "leads on.",
          .record = &order_delivery_record),
    PAGE_NEXT_ROW(struct order_list),
};

const struct record order_list_record = {
    .name = "OrderList",
    .doc = "A page of orders.",
    .size = sizeof(struct order_list),
    RECORD_FIELDS(list_fields),
};

/* --- Attempts --------------------------------------------------------------------------------- */

static const struct field attempt_fields[] = {
    FIELD(struct order_attempt, attempt, FIELD_INTEGER, FIELD_REQUIRED,
          "Its number; 1 for the first.", .example = "1"),
    FIELD(struct order_attempt, started_at, FIELD_TIME, FIELD_REQUIRED, "When it began."),
    FIELD(struct order_attempt, duration_ms, FIELD_INTEGER, FIELD_REQUIRED,
          "How long it took; 0 where herald ended during it.", .example = "48"),
    FIELD(struct order_attempt, status, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "The HTTP status of the answer; null without a whole answer.", .example = "503"),
    FIELD(struct order_attempt, outcome, FIELD_ENUM, FIELD_REQUIRED,
          "accepted and rejected are final; all others are followed by another attempt. "
          "contract_error: 2xx, but no acceptance response, or none with an order_id. refused: "
          "3xx, 4xx or 5xx. unknown: the request left and no whole answer came, so the document "
          "may be there. not_sent: nothing of the request left.",
          .words = order_outcome_words, .example = "refused"),
    FIELD(struct order_attempt, error, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "What went wrong, as in `last_error`.", .example = "HTTP 503"),
};

static const struct record attempt_record = {
    .name = "OrderAttempt",
    .doc = "An attempt to deliver an order. What was sent and answered is not kept.",
    .size = sizeof(struct order_attempt),
    RECORD_FIELDS(attempt_fields),
};

static const struct field attempt_list_fields[] = {
    FIELD(struct order_attempt_list, attempts, FIELD_RECORDS, FIELD_REQUIRED, "Oldest first.",
          .record = &attempt_record),
    PAGE_NEXT_ROW(struct order_attempt_list),
};

const struct record order_attempt_list_record = {
    .name = "OrderAttemptList",
    .doc = "A page of the attempts to deliver an order.",
    .size = sizeof(struct order_attempt_list),
    RECORD_FIELDS(attempt_list_fields),
};
