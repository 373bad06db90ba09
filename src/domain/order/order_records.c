/* How deliveries of orders look on the wire (contract, section 6). */
#include "domain/order/order.h"

#include <stddef.h>

const char *const order_state_words[] = {"queued",   "delivering", "accepted",
                                         "rejected", "failed",     NULL};
const char *const order_outcome_words[] = {
    "accepted", "rejected", "contract_error", "refused", "unknown", "not_sent", NULL};

static const struct field products_fields[] = {
    {.name = "known",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_products, known),
     .doc = "How many of them were in the catalog, and not archived.",
     .example = "2"},
    {.name = "of",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_products, of),
     .doc = "How many different products the order has.",
     .example = "2"},
};

static const struct record products_record = {
    .name = "OrderKnownProducts",
    .doc = "How many of the products of an order its integration's catalog had.",
    .size = sizeof(struct order_products),
    RECORD_FIELDS(products_fields),
};

/* --- OrderDelivery ---------------------------------------------------------------------------- */

static const struct field delivery_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, id),
     .doc = "The id to ask for it by: that of the order, unless an order of another integration "
            "had that before; then one of its own.",
     .example = ORDER_EXAMPLE_ID},
    {.name = "order_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, order_id),
     .doc = "The id of the order, which is also the Idempotency-Key of every attempt. It is unique "
            "in its integration.",
     .example = ORDER_EXAMPLE_ID},
    {.name = "integration_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, integration_id),
     .doc = "The integration whose ERP gets it.",
     .example = ORDER_EXAMPLE_INTEGRATION},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, state),
     .words = order_state_words,
     .doc = "queued: it waits for its turn, or for its next attempt. delivering: an attempt has "
            "begun. accepted: the ERP has its document. rejected: the ERP does not want it. "
            "failed: 72 hours of attempts did not help. Rejected or failed, it is kept for 30 days "
            "and can be tried again.",
     .example = "\"accepted\""},
    {.name = "attempts",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, attempts),
     .doc = "How many attempts were begun.",
     .example = "1"},
    {.name = "next_attempt_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery, next_attempt_at),
     .doc = "From when on it is tried, while it is queued. It may wait longer: for others, for an "
            "ERP that is down, for a disabled integration.",
     .example = "null"},
    {.name = "erp_order_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery, erp_order_id),
     .doc = "`order_id` of the ERP's answer: the id of its document.",
     .example = "\"a3f1c2d4-0001\""},
    {.name = "erp_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery, erp_number),
     .doc = "`number` of the ERP's answer: the number of its document.",
     .example = "\"00-00001234\""},
    {.name = "last_error",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery, last_error),
     .doc = "Why the last attempt did not succeed. What an ERP says is cut, and what it repeats of "
            "the customer, the address and the comment is masked.",
     .example = "null"},
    {.name = "known_products",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery, known_products),
     .record = &products_record,
     .doc = "Whether its products were in the catalog when it was taken, which is no condition: an "
            "ERP may know more. null: it is from before they were counted."},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, created_at),
     .doc = "When it was taken.",
     .example = ORDER_EXAMPLE_TIME},
    {.name = "updated_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery, updated_at),
     .doc = "When its delivery last changed.",
     .example = ORDER_EXAMPLE_TIME},
};

const struct record order_delivery_record = {
    .name = "OrderDelivery",
    .doc = "How the delivery of an order stands. The order itself is not returned.",
    .size = sizeof(struct order_delivery),
    RECORD_FIELDS(delivery_fields),
};

static const struct field list_fields[] = {
    {.name = "orders",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_list, orders),
     .record = &order_delivery_record,
     .doc = "Newest first."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_list, next_cursor),
     .doc = "For the next page; null on the last.",
     .example = "null"},
};

const struct record order_list_record = {
    .name = "OrderList",
    .doc = "A page of orders.",
    .size = sizeof(struct order_list),
    RECORD_FIELDS(list_fields),
};

/* --- Attempts --------------------------------------------------------------------------------- */

static const struct field attempt_fields[] = {
    {.name = "attempt",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_attempt, attempt),
     .doc = "Its number; 1 for the first.",
     .example = "1"},
    {.name = "started_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_attempt, started_at),
     .doc = "When it began.",
     .example = ORDER_EXAMPLE_TIME},
    {.name = "duration_ms",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_attempt, duration_ms),
     .doc = "How long it took; 0 where herald ended during it.",
     .example = "48"},
    {.name = "status",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_attempt, status),
     .doc = "The HTTP status of the answer; null without a whole answer.",
     .example = "503"},
    {.name = "outcome",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_attempt, outcome),
     .words = order_outcome_words,
     .doc = "accepted and rejected are final; all others are followed by another attempt. "
            "contract_error: 2xx, but no acceptance response, or none with an order_id. refused: "
            "3xx, 4xx or 5xx. unknown: the request left and no whole answer came, so the document "
            "may be there. not_sent: nothing of the request left.",
     .example = "\"refused\""},
    {.name = "error",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_attempt, error),
     .doc = "What went wrong, as in `last_error`.",
     .example = "\"HTTP 503\""},
};

static const struct record attempt_record = {
    .name = "OrderAttempt",
    .doc = "An attempt to deliver an order. What was sent and answered is not kept.",
    .size = sizeof(struct order_attempt),
    RECORD_FIELDS(attempt_fields),
};

static const struct field attempt_list_fields[] = {
    {.name = "attempts",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_attempt_list, attempts),
     .record = &attempt_record,
     .doc = "Oldest first."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_attempt_list, next_cursor),
     .doc = "For the next page; null on the last.",
     .example = "null"},
};

const struct record order_attempt_list_record = {
    .name = "OrderAttemptList",
    .doc = "A page of the attempts to deliver an order.",
    .size = sizeof(struct order_attempt_list),
    RECORD_FIELDS(attempt_list_fields),
};
