/* Tax, marking, values of lists and the choices among them (doc B, section 2). */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

/* --- Tax -------------------------------------------------------------------------------------- */

const char *const catalog_vat_rate_words[] = {
    "none", "0", "5", "7", "10", "20", "22", "105/5", "107/7", "110/10", "120/20", "122/22", NULL};
const char *const catalog_tax_category_words[] = {"goods",        "service",     "excise",
                                                  "marked_goods", "agent_goods", NULL};

enum { TAX_GOODS };

static const struct field tax_fields[] = {
    FIELD(struct catalog_tax, vat_rate, FIELD_WORD, FIELD_REQUIRED | FIELD_NUMBER_WORDS,
          "The rate of VAT in percent, or as a price includes it; none: not subject to it. "
          "The setting HERALD_ERP_VAT_RATES may name others in place of these.",
          .words = catalog_vat_rate_words, .example = "20"),
    FIELD_AS("vat_included", struct catalog_tax, is_vat_included, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether prices include the VAT.", .default_value = true),
    FIELD(struct catalog_tax, tax_category, FIELD_ENUM, FIELD_DEFAULT, "What is paid for.",
          .words = catalog_tax_category_words, .default_value = TAX_GOODS),
};

const struct record catalog_tax_input_record = {
    .name = "CatalogTaxInput",
    .doc = "VAT and payment subject. A `vat_rate` that is a whole percentage is also read as a "
           "number.",
    .size = sizeof(struct catalog_tax),
    RECORD_FIELDS(tax_fields),
};

const struct record catalog_tax_record = {
    .name = "CatalogTax",
    .doc = "VAT and payment subject.",
    .size = sizeof(struct catalog_tax),
    RECORD_FIELDS(tax_fields),
};

/* A percentage, as it is written: no sign, no zero in front of others. */
static bool read_percent(struct str text, long long *ret_percent)
{
    if (text.len == 0 || text.len > 2 || text.data[0] == '-' || text.data[0] == '+') return false;
    if (text.len == 2 && text.data[0] == '0') return false;
    return str_to_int64(text, ret_percent);
}

/* `none`, `22`, or `122/22`. */
static bool is_vat_rate(struct str text)
{
    struct str whole = str_until(text, '/');
    long long percent, with_percent;

    if (whole.len == text.len) return str_is(text, "none") || read_percent(text, &percent);
    if (whole.len != 3 || whole.data[0] != '1') return false;
    return read_percent(str_behind(text, whole.len + 1), &percent) && percent > 0 &&
           str_to_int64(whole, &with_percent) && with_percent == 100 + percent;
}

bool catalog_vat_rates_read(struct str text, struct arena *arena, const char *const **ret_rates)
{
    const char **rates = arena_array(arena, CATALOG_VAT_RATES_MAX + 1, sizeof(*rates));
    struct str rate;
    size_t count = 0;

    while (str_next_item(&text, &rate)) {
        if (count == CATALOG_VAT_RATES_MAX || rate.len == 0 || !is_vat_rate(rate)) return false;
        for (size_t i = 0; i < count; i++) {
            if (str_is(rate, rates[i])) return false;
        }
        rates[count++] = arena_str(arena, rate);
    }
    *ret_rates = rates;
    return count > 0;
}

/* --- Marking ---------------------------------------------------------------------------------- */

static const struct field marking_fields[] = {
    FIELD_AS("required", struct catalog_marking, is_required, FIELD_TRISTATE, FIELD_REQUIRED,
             "Whether each unit has to be marked.", .example = "true"),
    FIELD(struct catalog_marking, group, FIELD_STRING, 0, "The agreed code of the group of goods.",
          .min = 0, .max = CATALOG_GROUP_MAX, .example = "milk"),
    FIELD_AS("traceable", struct catalog_marking, is_traceable, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether it is subject to traceability.", .default_value = false, .example = "false"),
};

const struct record catalog_marking_input_record = {
    .name = "CatalogMarkingInput",
    .doc = "Marking and traceability.",
    .size = sizeof(struct catalog_marking),
    RECORD_FIELDS(marking_fields),
};

const struct record catalog_marking_record = {
    .name = "CatalogMarking",
    .doc = "Marking and traceability.",
    .size = sizeof(struct catalog_marking),
    RECORD_FIELDS(marking_fields),
};

/* --- Values of enums and axes ----------------------------------------------------------------- */

static const struct field value_fields[] = {
    FIELD(struct catalog_value, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the value, unique in its list.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "size-m"),
    FIELD(struct catalog_value, code, FIELD_STRING, 0, "The ERP's internal code.",
          .example = "000000042"),
    FIELD(struct catalog_value, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .example = "M"),
};

const struct record catalog_value_input_record = {
    .name = "CatalogValueInput",
    .doc = "An allowed value of an attribute or of an option axis.",
    .size = sizeof(struct catalog_value),
    RECORD_FIELDS(value_fields),
};

const struct record catalog_value_record = {
    .name = "CatalogValue",
    .doc = "An allowed value of an attribute or of an option axis.",
    .size = sizeof(struct catalog_value),
    RECORD_FIELDS(value_fields),
};

/* --- Choices ---------------------------------------------------------------------------------- */

static const struct field choice_fields[] = {
    FIELD(struct catalog_axis_choice, axis_id, FIELD_STRING, FIELD_REQUIRED,
          "An option axis of the product.", .min = 1, .max = CATALOG_ID_MAX, .example = "size"),
    FIELD(struct catalog_axis_choice, value_id, FIELD_STRING, FIELD_REQUIRED, "One of its values.",
          .min = 1, .max = CATALOG_ID_MAX, .example = "size-m"),
};

const struct record catalog_choice_input_record = {
    .name = "CatalogOptionValueInput",
    .doc = "The value that a variant has on an option axis.",
    .size = sizeof(struct catalog_axis_choice),
    RECORD_FIELDS(choice_fields),
};

const struct record catalog_choice_record = {
    .name = "CatalogOptionValue",
    .doc = "The value that a variant has on an option axis.",
    .size = sizeof(struct catalog_axis_choice),
    RECORD_FIELDS(choice_fields),
};
