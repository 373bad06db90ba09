/* Tax, marking, values of lists and the choices among them (doc B, section 2). */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

/* --- Tax -------------------------------------------------------------------------------------- */

const char *const catalog_vat_rate_words[] = {"none",  "0",     "5",      "7",      "10", "20",
                                              "105/5", "107/7", "110/10", "120/20", NULL};
const char *const catalog_tax_category_words[] = {"goods",        "service",     "excise",
                                                  "marked_goods", "agent_goods", NULL};

enum { TAX_GOODS };

static const struct field tax_fields[] = {
    {.name = "vat_rate",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED | FIELD_NUMBER_WORDS,
     .offset = offsetof(struct catalog_tax, vat_rate),
     .words = catalog_vat_rate_words,
     .doc = "The rate of VAT in percent; none: not subject to it.",
     .example = "\"20\""},
    {.name = "vat_included",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct catalog_tax, is_vat_included),
     .default_value = true,
     .doc = "Whether prices include the VAT.",
     .example = "true"},
    {.name = "tax_category",
     .type = FIELD_ENUM,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct catalog_tax, tax_category),
     .words = catalog_tax_category_words,
     .default_value = TAX_GOODS,
     .doc = "What is paid for.",
     .example = "\"goods\""},
};

const struct record catalog_tax_input_record = {
    .name = "CatalogTaxInput",
    .doc = "VAT and payment subject; `vat_rate` may also be sent as a number.",
    .size = sizeof(struct catalog_tax),
    RECORD_FIELDS(tax_fields),
};

const struct record catalog_tax_record = {
    .name = "CatalogTax",
    .doc = "VAT and payment subject.",
    .size = sizeof(struct catalog_tax),
    RECORD_FIELDS(tax_fields),
};

/* --- Marking ---------------------------------------------------------------------------------- */

static const struct field marking_fields[] = {
    {.name = "required",
     .type = FIELD_TRISTATE,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_marking, is_required),
     .doc = "Whether each unit has to be marked.",
     .example = "true"},
    {.name = "group",
     .type = FIELD_STRING,
     .offset = offsetof(struct catalog_marking, group),
     .min = 0,
     .max = CATALOG_GROUP_MAX,
     .doc = "The agreed code of the group of goods.",
     .example = "\"milk\""},
    {.name = "traceable",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct catalog_marking, is_traceable),
     .default_value = false,
     .doc = "Whether it is subject to traceability.",
     .example = "false"},
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
    {.name = "id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_value, id),
     .min = 1,
     .max = CATALOG_ID_MAX,
     .doc = "The ERP's id of the value, unique in its list.",
     .example = "\"size-m\""},
    {.name = "code",
     .type = FIELD_STRING,
     .offset = offsetof(struct catalog_value, code),
     .doc = "The ERP's internal code.",
     .example = "\"000000042\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_value, name),
     .doc = "What people call it.",
     .example = "\"M\""},
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
    {.name = "axis_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_axis_choice, axis_id),
     .min = 1,
     .max = CATALOG_ID_MAX,
     .doc = "An option axis of the product.",
     .example = "\"size\""},
    {.name = "value_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_axis_choice, value_id),
     .min = 1,
     .max = CATALOG_ID_MAX,
     .doc = "One of its values.",
     .example = "\"size-m\""},
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
