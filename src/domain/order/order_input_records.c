/* The order itself, as it is given and, byte for byte, as ERPs are sent it (doc B, section 2 "Order
 * sent to the ERP"; contract, section 6). The rows have the sequence of the body. */
#include "domain/order/order.h"

#include <stddef.h>

const char *const order_type_words[] = {"delivery", "pickup", NULL};
const char *const order_payment_method_words[] = {"cash", "card_offline", "card_online", "sbp",
                                                  NULL};
const char *const order_payment_status_words[] = {"pending", "paid", "refunded", "failed", NULL};

/* --- Forms of texts --------------------------------------------------------------------------- */

static size_t count_digits(struct str text)
{
    size_t count = 0;
    while (count < text.len && text.data[count] >= '0' && text.data[count] <= '9')
        count++;
    return count;
}

static bool is_not_negative(struct str text)
{
    size_t whole = count_digits(text);

    if (whole == 0 || whole > DECIMAL_WHOLE_MAX) return false;
    if (whole == text.len) return true;
    struct str places = str_behind(text, whole + 1);
    return text.data[whole] == '.' && places.len > 0 && places.len <= DECIMAL_PLACES_MAX &&
           count_digits(places) == places.len;
}

static bool is_decimal(struct str text)
{
    return is_not_negative(text.len > 0 && text.data[0] == '-' ? str_behind(text, 1) : text);
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

/* The first moment of all stands for an absent time, and a year that a time zone made longer than
 * four digits cannot be written. */
static void check_time(struct record_faults *faults, const char *path, int64_t ms)
{
    static const int64_t last_ms = 253402300799999; /* 9999-12-31T23:59:59.999Z */

    if (ms <= 0) record_fault(faults, path, "Must be later than 1970-01-01T00:00:00Z.");
    if (ms > last_ms) record_fault(faults, path, "Must be before the year 10000 in UTC.");
}

/* --- Customer and place ----------------------------------------------------------------------- */

static const struct field customer_fields[] = {
    FIELD(struct order_customer, name, FIELD_STRING, FIELD_REQUIRED, "Who ordered.",
          .max = ORDER_NAME_MAX, .example = "Anna"),
    FIELD(struct order_customer, phone, FIELD_STRING, FIELD_REQUIRED, "How to call them.",
          .max = ORDER_PHONE_MAX, .example = "+79161234567"),
};

static const struct record customer_record = {
    .name = "OrderCustomer",
    .doc = "Who ordered.",
    .size = sizeof(struct order_customer),
    RECORD_FIELDS(customer_fields),
};

static const struct field place_fields[] = {
    FIELD(struct order_delivery_place, address, FIELD_STRING, FIELD_REQUIRED,
          "Where it goes; may be empty, as for a pickup.", .max = ORDER_ADDRESS_MAX,
          .example = "Moscow, Tverskaya 1, 12"),
    FIELD(struct order_delivery_place, scheduled_for, FIELD_TIME,
          FIELD_WALL | FIELD_REQUIRED | FIELD_NULLABLE,
          "For when it is wanted; null: as soon as can be."),
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
    FIELD(struct order_modifier, id, FIELD_STRING, FIELD_REQUIRED, "The ERP's id of the option.",
          .min = 1, .max = ORDER_ERP_ID_MAX, .example = "o-1"),
    FIELD(struct order_modifier, group_id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the option group.", .min = 1, .max = ORDER_ERP_ID_MAX, .example = "g-1"),
    FIELD(struct order_modifier, name, FIELD_STRING, FIELD_REQUIRED, "What people call it.",
          .max = ORDER_NAME_MAX, .example = "Oat milk"),
    FIELD(struct order_modifier, quantity, FIELD_STRING, FIELD_REQUIRED, "How many.",
          .format = &format_quantity, .example = "1"),
    FIELD(struct order_modifier, unit_price, FIELD_STRING, FIELD_REQUIRED,
          "What one adds to the price; may be negative.", .format = &format_difference,
          .example = "40.00"),
    FIELD(struct order_modifier, line_total, FIELD_STRING, FIELD_REQUIRED,
          "What all of them add; may be negative.", .format = &format_difference,
          .example = "40.00"),
};

static const struct record modifier_record = {
    .name = "OrderModifier",
    .doc = "An option that was chosen with an item.",
    .size = sizeof(struct order_modifier),
    RECORD_FIELDS(modifier_fields),
};

static const struct field item_fields[] = {
    FIELD(struct order_item, product_id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the product.", .min = 1, .max = ORDER_ERP_ID_MAX, .example = "p-1"),
    FIELD(struct order_item, variant_id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the variant.", .min = 1, .max = ORDER_ERP_ID_MAX, .example = "v-1"),
    FIELD(struct order_item, name, FIELD_STRING, FIELD_REQUIRED, "What people call it.",
          .max = ORDER_NAME_MAX, .example = "Cappuccino"),
    FIELD(struct order_item, quantity, FIELD_STRING, FIELD_REQUIRED, "How many.",
          .format = &format_quantity, .example = "2"),
    FIELD(struct order_item, unit_price, FIELD_STRING, FIELD_REQUIRED, "The price of one.",
          .format = &format_money, .example = "250.00"),
    FIELD(struct order_item, line_total, FIELD_STRING, FIELD_REQUIRED, "The price of all of them.",
          .format = &format_money, .example = "580.00"),
    FIELD(struct order_item, modifiers, FIELD_RECORDS, FIELD_REQUIRED,
          "The options that were chosen; may be empty.", .items_max = ORDER_MODIFIERS_MAX,
          .record = &modifier_record),
};

static const struct record item_record = {
    .name = "OrderItem",
    .doc = "A line of an order.",
    .size = sizeof(struct order_item),
    RECORD_FIELDS(item_fields),
};

/* --- The order -------------------------------------------------------------------------------- */

static const struct field order_fields[] = {
    FIELD(struct order, id, FIELD_UUID, 0,
          "The id of the order, the same on every attempt; one is made if it is left out."),
    FIELD(struct order, number, FIELD_STRING, FIELD_REQUIRED, "What people call the order.",
          .min = 1, .max = ORDER_NUMBER_MAX, .example = "A-1042"),
    FIELD(struct order, created_at, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED,
          "When it was made. ERPs get it in UTC, with milliseconds."),
    FIELD(struct order, point_id, FIELD_UUID, FIELD_REQUIRED,
          "The sales point: that of the integration."),
    FIELD(struct order, type, FIELD_ENUM, FIELD_REQUIRED, "Whether it is brought or fetched.",
          .words = order_type_words),
    FIELD(struct order, status, FIELD_STRING, FIELD_REQUIRED,
          "Its status; `confirmed` is the normal one.", .min = 1, .max = 32, .format = &format_word,
          .example = "confirmed"),
    FIELD(struct order, payment_method, FIELD_ENUM, FIELD_REQUIRED | FIELD_NULLABLE,
          "How it is paid; null: not known.", .words = order_payment_method_words,
          .example = "card_online"),
    FIELD(struct order, payment_status, FIELD_ENUM, FIELD_REQUIRED, "Whether it is paid.",
          .words = order_payment_status_words, .example = "paid"),
    FIELD(struct order, currency, FIELD_STRING, FIELD_REQUIRED, "The currency of all amounts.",
          .min = 3, .max = 3, .format = &format_currency, .example = "RUB"),
    FIELD(struct order, subtotal, FIELD_STRING, FIELD_REQUIRED,
          "The price of the items. Amounts and quantities are strings, and ERPs get each digit "
          "of them as it was given.",
          .format = &format_money, .example = "580.00"),
    FIELD(struct order, delivery_fee, FIELD_STRING, FIELD_REQUIRED, "The price of the delivery.",
          .format = &format_money, .example = "99.00"),
    FIELD(struct order, total, FIELD_STRING, FIELD_REQUIRED, "What is to be paid in all.",
          .format = &format_money, .example = "679.00"),
    FIELD(struct order, customer, FIELD_RECORD, FIELD_REQUIRED, "Who ordered.",
          .record = &customer_record),
    FIELD(struct order, delivery, FIELD_RECORD, FIELD_REQUIRED, "Where and when it is wanted.",
          .record = &place_record),
    FIELD(struct order, comment, FIELD_STRING, FIELD_REQUIRED,
          "What the customer added; may be empty.", .max = ORDER_COMMENT_MAX, .example = ""),
    FIELD(struct order, items, FIELD_RECORDS, FIELD_REQUIRED, "What was ordered.", .items_min = 1,
          .items_max = ORDER_ITEMS_MAX, .record = &item_record),
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
    FIELD(struct order_input, integration_id, FIELD_UUID, FIELD_REQUIRED,
          "The integration whose ERP gets it."),
    FIELD(struct order_input, order, FIELD_RECORD, FIELD_REQUIRED, "The order.",
          .record = &order_record),
    METADATA_INPUT_ROW(struct order_input),
};

const struct record order_input_record = {
    .name = "OrderInput",
    .doc = "Asks for the delivery of an order.",
    .size = sizeof(struct order_input),
    RECORD_FIELDS(input_fields),
};
