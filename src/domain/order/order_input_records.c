/* The order itself: what is asked for, and byte for byte what ERPs are sent (doc B, section 2
 * "Order sent to the ERP"; contract, section 6). The order of the rows is that of the body. */
#include "domain/order/order.h"

#include <stddef.h>

static const char *const type_words[] = {"delivery", "pickup", NULL};
static const char *const method_words[] = {"cash", "card_offline", "card_online", "sbp", NULL};
static const char *const payment_words[] = {"pending", "paid", "refunded", "failed", NULL};

/* --- Forms of texts --------------------------------------------------------------------------- */

static size_t count_digits(struct str text)
{
    size_t count = 0;
    while (count < text.len && text.data[count] >= '0' && text.data[count] <= '9')
        count++;
    return count;
}

static struct str skip(struct str text, size_t count)
{
    return (struct str){text.data + count, text.len - count};
}

static bool is_not_negative(struct str text)
{
    size_t whole = count_digits(text);

    if (whole == 0 || whole > DECIMAL_WHOLE_MAX) return false;
    if (whole == text.len) return true;
    struct str places = skip(text, whole + 1);
    return text.data[whole] == '.' && places.len > 0 && places.len <= DECIMAL_PLACES_MAX &&
           count_digits(places) == places.len;
}

static bool is_decimal(struct str text)
{
    return is_not_negative(text.len > 0 && text.data[0] == '-' ? skip(text, 1) : text);
}

static bool is_positive(struct str text)
{
    if (!is_not_negative(text)) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= '1' && text.data[i] <= '9') return true;
    }
    return false;
}

#define DECIMAL_PATTERN "[0-9]{1,15}(\\.[0-9]{1,6})?$"
#define DECIMAL_MESSAGE \
    "such as \"1290.00\", with at most 15 digits before the point and 6 after it."

static const struct field_format format_money = {
    .is_valid = is_not_negative,
    .message = "Must be a decimal that is not negative, " DECIMAL_MESSAGE,
    .pattern = "^" DECIMAL_PATTERN,
};
static const struct field_format format_difference = {
    .is_valid = is_decimal,
    .message = "Must be a decimal " DECIMAL_MESSAGE,
    .pattern = "^-?" DECIMAL_PATTERN,
};
static const struct field_format format_quantity = {
    .is_valid = is_positive,
    .message = "Must be a decimal above 0, " DECIMAL_MESSAGE,
    .pattern = "^(?=.*[1-9])" DECIMAL_PATTERN,
};

static bool is_word(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_letter = text.data[i] >= 'a' && text.data[i] <= 'z';
        if (!is_letter && text.data[i] != '_') return false;
    }
    return true;
}

static const struct field_format format_word = {
    .is_valid = is_word,
    .message = "Must be a word of lower-case letters, such as confirmed.",
    .pattern = "^[a-z_]{1,32}$",
};

static bool is_currency(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < 'A' || text.data[i] > 'Z') return false;
    }
    return true;
}

static const struct field_format format_currency = {
    .is_valid = is_currency,
    .message = "Must be a currency code of ISO 4217, such as RUB.",
    .pattern = "^[A-Z]{3}$",
};

/* --- Times ---------------------------------------------------------------------------------- */

/* The first moment of all stands for an absent time; what a zone has carried out of the four digits
 * of a year cannot be written. */
static void check_time(struct record_faults *faults, const char *path, int64_t ms)
{
    static const int64_t last_ms = 253402300799999; /* 9999-12-31T23:59:59.999Z */

    if (ms <= 0) record_fault(faults, path, "Must be later than 1970-01-01T00:00:00Z.");
    if (ms > last_ms) record_fault(faults, path, "Must be before the year 10000 in UTC.");
}

/* --- Customer and place ----------------------------------------------------------------------- */

static const struct field customer_fields[] = {
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_customer, name),
     .max = ORDER_NAME_MAX,
     .doc = "Who ordered.",
     .example = "\"Anna\""},
    {.name = "phone",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_customer, phone),
     .max = ORDER_PHONE_MAX,
     .doc = "How to call them.",
     .example = "\"+79161234567\""},
};

static const struct record customer_record = {
    .name = "OrderCustomer",
    .doc = "Who ordered.",
    .size = sizeof(struct order_customer),
    RECORD_FIELDS(customer_fields),
};

static const struct field place_fields[] = {
    {.name = "address",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_delivery_place, address),
     .max = ORDER_ADDRESS_MAX,
     .doc = "Where it goes; may be empty, as for a pickup.",
     .example = "\"Moscow, Tverskaya 1, 12\""},
    {.name = "scheduled_for",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order_delivery_place, scheduled_for),
     .doc = "For when it is wanted; null: as soon as can be.",
     .example = "null"},
};

static void check_place(struct record_faults *faults, const void *value)
{
    const struct order_delivery_place *place = value;
    if (place->scheduled_for != 0) check_time(faults, "scheduled_for", place->scheduled_for);
}

static const struct record place_record = {
    .name = "OrderPlace",
    .doc = "Where and when the order is wanted.",
    .size = sizeof(struct order_delivery_place),
    RECORD_FIELDS(place_fields),
    .check = check_place,
};

/* --- Items ------------------------------------------------------------------------------------ */

static const struct field modifier_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, id),
     .min = 1,
     .max = ORDER_ERP_ID_MAX,
     .doc = "The ERP's id of the option.",
     .example = "\"o-1\""},
    {.name = "group_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, group_id),
     .min = 1,
     .max = ORDER_ERP_ID_MAX,
     .doc = "The ERP's id of the option group.",
     .example = "\"g-1\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, name),
     .max = ORDER_NAME_MAX,
     .doc = "What people call it.",
     .example = "\"Oat milk\""},
    {.name = "quantity",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, quantity),
     .format = &format_quantity,
     .doc = "How many.",
     .example = "\"1\""},
    {.name = "unit_price",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, unit_price),
     .format = &format_difference,
     .doc = "What one adds to the price; may be negative.",
     .example = "\"40.00\""},
    {.name = "line_total",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_modifier, line_total),
     .format = &format_difference,
     .doc = "What all of them add; may be negative.",
     .example = "\"40.00\""},
};

static const struct record modifier_record = {
    .name = "OrderModifier",
    .doc = "An option that was chosen with an item.",
    .size = sizeof(struct order_modifier),
    RECORD_FIELDS(modifier_fields),
};

static const struct field item_fields[] = {
    {.name = "product_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, product_id),
     .min = 1,
     .max = ORDER_ERP_ID_MAX,
     .doc = "The ERP's id of the product.",
     .example = "\"p-1\""},
    {.name = "variant_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, variant_id),
     .min = 1,
     .max = ORDER_ERP_ID_MAX,
     .doc = "The ERP's id of the variant.",
     .example = "\"v-1\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, name),
     .max = ORDER_NAME_MAX,
     .doc = "What people call it.",
     .example = "\"Cappuccino\""},
    {.name = "quantity",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, quantity),
     .format = &format_quantity,
     .doc = "How many.",
     .example = "\"2\""},
    {.name = "unit_price",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, unit_price),
     .format = &format_money,
     .doc = "The price of one.",
     .example = "\"250.00\""},
    {.name = "line_total",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, line_total),
     .format = &format_money,
     .doc = "The price of all of them.",
     .example = "\"580.00\""},
    {.name = "modifiers",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_item, modifiers),
     .items_max = ORDER_MODIFIERS_MAX,
     .record = &modifier_record,
     .doc = "The options that were chosen; may be empty."},
};

static const struct record item_record = {
    .name = "OrderItem",
    .doc = "A line of an order.",
    .size = sizeof(struct order_item),
    RECORD_FIELDS(item_fields),
};

/* --- The order -------------------------------------------------------------------------------- */

static const struct field order_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .offset = offsetof(struct order, id),
     .doc = "The id of the order, the same on every attempt; one is made if it is left out.",
     .example = ORDER_EXAMPLE_ID},
    {.name = "number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, number),
     .min = 1,
     .max = ORDER_NUMBER_MAX,
     .doc = "What people call the order.",
     .example = "\"A-1042\""},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, created_at),
     .doc = "When it was made. ERPs get it in UTC, with milliseconds.",
     .example = ORDER_EXAMPLE_TIME},
    {.name = "point_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, point_id),
     .doc = "The sales point: that of the integration.",
     .example = ORDER_EXAMPLE_POINT},
    {.name = "type",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, type),
     .words = type_words,
     .doc = "Whether it is brought or fetched.",
     .example = "\"delivery\""},
    {.name = "status",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, status),
     .min = 1,
     .max = 32,
     .format = &format_word,
     .doc = "Its status; `confirmed` is the normal one.",
     .example = "\"confirmed\""},
    {.name = "payment_method",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct order, payment_method),
     .words = method_words,
     .doc = "How it is paid; null: not known.",
     .example = "\"card_online\""},
    {.name = "payment_status",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, payment_status),
     .words = payment_words,
     .doc = "Whether it is paid.",
     .example = "\"paid\""},
    {.name = "currency",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, currency),
     .min = 3,
     .max = 3,
     .format = &format_currency,
     .doc = "The currency of all amounts.",
     .example = "\"RUB\""},
    {.name = "subtotal",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, subtotal),
     .format = &format_money,
     .doc = "The price of the items. Amounts and quantities are strings, and ERPs get each digit "
            "of them as it was given.",
     .example = "\"580.00\""},
    {.name = "delivery_fee",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, delivery_fee),
     .format = &format_money,
     .doc = "The price of the delivery.",
     .example = "\"99.00\""},
    {.name = "total",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, total),
     .format = &format_money,
     .doc = "What is to be paid in all.",
     .example = "\"679.00\""},
    {.name = "customer",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, customer),
     .record = &customer_record,
     .doc = "Who ordered."},
    {.name = "delivery",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, delivery),
     .record = &place_record,
     .doc = "Where and when it is wanted."},
    {.name = "comment",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, comment),
     .max = ORDER_COMMENT_MAX,
     .doc = "What the customer added; may be empty.",
     .example = "\"\""},
    {.name = "items",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order, items),
     .items_min = 1,
     .items_max = ORDER_ITEMS_MAX,
     .record = &item_record,
     .doc = "What was ordered."},
};

static void check_order(struct record_faults *faults, const void *value)
{
    const struct order *order = value;
    check_time(faults, "created_at", order->created_at);
}

const struct record order_record = {
    .name = "Order",
    .doc = "An order as its ERP gets it.",
    .size = sizeof(struct order),
    RECORD_FIELDS(order_fields),
    .check = check_order,
};

static const struct field input_fields[] = {
    {.name = "integration_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_input, integration_id),
     .doc = "The integration whose ERP gets it.",
     .example = ORDER_EXAMPLE_INTEGRATION},
    {.name = "order",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct order_input, order),
     .record = &order_record,
     .doc = "The order."},
};

const struct record order_input_record = {
    .name = "OrderInput",
    .doc = "Asks for the delivery of an order.",
    .size = sizeof(struct order_input),
    RECORD_FIELDS(input_fields),
};
