/*
 * The table "Order sent to the ERP" of the exchange, with the members of a modifier as the contract
 * names them. Nothing of the service's own code of orders is used here, so that the two can differ.
 */
#include "judge.h"

#include "kit/json/record.h"

#include <stddef.h>

enum { ERP_ID_MAX = 128 };

static const char *const type_words[] = {"delivery", "pickup", NULL};
static const char *const payment_method_words[] = {"cash", "card_offline", "card_online", "sbp",
                                                   NULL};
static const char *const payment_status_words[] = {"pending", "paid", "refunded", "failed", NULL};

/* ---- forms ---- */

static bool is_uuid(struct str text)
{
    struct uuid id;

    return uuid_parse(text, &id);
}

static size_t span_digits(struct str text, size_t at)
{
    size_t from = at;

    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    return at - from;
}

/* -12.50: digits, and behind a point more of them; no exponent, no blank, no comma. */
static bool is_decimal(struct str text)
{
    size_t at = text.len > 0 && text.data[0] == '-' ? 1 : 0;
    size_t whole = span_digits(text, at);

    at += whole;
    if (whole == 0) return false;
    if (at == text.len) return true;
    if (text.data[at++] != '.') return false;
    size_t places = span_digits(text, at);
    return places > 0 && at + places == text.len;
}

static bool is_currency(struct str text)
{
    if (text.len != 3) return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < 'A' || text.data[i] > 'Z') return false;
    return true;
}

static const struct field_format format_uuid = {
    .is_valid = is_uuid,
    .message = "Must be a uuid",
};
static const struct field_format format_decimal = {
    .is_valid = is_decimal,
    .message = "Must be a decimal string such as \"12.50\"",
};
static const struct field_format format_currency = {
    .is_valid = is_currency,
    .message = "Must be a currency code",
};

/* ---- the table ---- */

/* Little of an order is of use. All else is checked on the way, into one and the same place. */
union looked_at {
    int word;
    int64_t time_ms;
    const char *text;
    struct record_list list;
    void *record;
};

struct judged {
    struct judged_order order;
    union looked_at rest;
};

#define MUST(kind)     .type = (kind), .flags = FIELD_REQUIRED
#define MAY_NULL(kind) .type = (kind), .flags = FIELD_REQUIRED | FIELD_NULLABLE
#define REST           .offset = offsetof(struct judged, rest)
#define KEPT(member)   .offset = offsetof(struct judged, order.member)
#define NOTHING_ELSE   .size = sizeof(struct judged)

static const struct field modifier_fields[] = {
    {.name = "id", MUST(FIELD_STRING), REST, .min = 1, .max = ERP_ID_MAX},
    {.name = "group_id", MUST(FIELD_STRING), REST, .min = 1, .max = ERP_ID_MAX},
    {.name = "name", MUST(FIELD_STRING), REST},
    {.name = "quantity", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "unit_price", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "line_total", MUST(FIELD_STRING), REST, .format = &format_decimal},
};
static const struct record modifier_record = {
    .name = "Modifier", NOTHING_ELSE, RECORD_FIELDS(modifier_fields)};

static const struct field item_fields[] = {
    {.name = "product_id", MUST(FIELD_STRING), REST, .min = 1, .max = ERP_ID_MAX},
    {.name = "variant_id", MUST(FIELD_STRING), REST, .min = 1, .max = ERP_ID_MAX},
    {.name = "name", MUST(FIELD_STRING), REST},
    {.name = "quantity", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "unit_price", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "line_total", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "modifiers", MUST(FIELD_RECORDS), REST, .record = &modifier_record},
};
static const struct record item_record = {.name = "Item", NOTHING_ELSE, RECORD_FIELDS(item_fields)};

static const struct field customer_fields[] = {
    {.name = "name", MUST(FIELD_STRING), REST},
    {.name = "phone", MUST(FIELD_STRING), REST},
};
static const struct record customer_record = {
    .name = "Customer", NOTHING_ELSE, RECORD_FIELDS(customer_fields)};

static const struct field delivery_fields[] = {
    {.name = "address", MUST(FIELD_STRING), REST},
    {.name = "scheduled_for", MAY_NULL(FIELD_TIME), REST},
};
static const struct record delivery_record = {
    .name = "Delivery", NOTHING_ELSE, RECORD_FIELDS(delivery_fields)};

static const struct field order_fields[] = {
    {.name = "id", MUST(FIELD_STRING), KEPT(id), .format = &format_uuid},
    {.name = "number", MUST(FIELD_STRING), KEPT(number), .min = 1},
    {.name = "created_at", MUST(FIELD_TIME), REST},
    {.name = "point_id", MUST(FIELD_STRING), KEPT(point_id), .format = &format_uuid},
    {.name = "type", MUST(FIELD_ENUM), REST, .words = type_words},
    {.name = "status", MUST(FIELD_STRING), REST, .min = 1},
    {.name = "payment_method", MAY_NULL(FIELD_ENUM), REST, .words = payment_method_words},
    {.name = "payment_status", MUST(FIELD_ENUM), REST, .words = payment_status_words},
    {.name = "currency", MUST(FIELD_STRING), REST, .format = &format_currency},
    {.name = "subtotal", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "delivery_fee", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "total", MUST(FIELD_STRING), REST, .format = &format_decimal},
    {.name = "customer", MUST(FIELD_RECORD), REST, .record = &customer_record},
    {.name = "delivery", MUST(FIELD_RECORD), REST, .record = &delivery_record},
    {.name = "comment", MUST(FIELD_STRING), REST},
    {.name = "items", MUST(FIELD_RECORDS), REST, .record = &item_record},
};
static const struct record order_record = {
    .name = "Order", NOTHING_ELSE, RECORD_FIELDS(order_fields)};

const char *judge_order(struct str body, const char *key, struct arena *arena,
                        struct judged_order *ret_order)
{
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    struct judged judged;

    record_faults_init(faults, arena);
    if (record_decode(&order_record, body, true, arena, &judged, faults))
        return arena_printf(arena, "%s: %s", faults->rows[0].path, faults->rows[0].message);
    if (strcmp(judged.order.id, key) != 0) return "Idempotency-Key must equal the id of the order";
    *ret_order = judged.order;
    return NULL;
}
