/* The records of a catalog that ERPs send (doc B, section 2; contract, section 5 "Required"). The
 * same tables write and read what is stored of snapshots, where a field that is absent is left out.
 *
 * What operators read has tables of its own (catalog_view_records.c), although it names the same
 * members. Of the 51 fields that stand in both, 3 have the same schema. The others differ in what
 * may be left out, in limits, in the example, or in what the sentence has to say, and readings have
 * 11 more, which no ERP may send. A row for both directions would say nearly everything twice, and
 * the decoder would have to pass over half of it. */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

const char *const catalog_value_type_words[] = {"string", "decimal", "integer", "boolean",
                                                "date",   "enum",    NULL};
const char *const catalog_measure_words[] = {"piece",      "gram",  "kilogram",
                                             "milliliter", "liter", NULL};

enum { MEASURE_PIECE };

/* --- Categories and definitions --------------------------------------------------------------- */

static const struct field category_fields[] = {
    FIELD(struct catalog_category, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the category, unique in the snapshot.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "c-17"),
    FIELD(struct catalog_category, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .min = 1, .max = CATALOG_NAME_MAX, .example = "Milk"),
};

const struct record catalog_category_record = {
    .name = "CatalogCategoryInput",
    .doc = "A category of a snapshot.",
    .size = sizeof(struct catalog_category),
    RECORD_FIELDS(category_fields),
};

static const struct field definition_fields[] = {
    FIELD(struct catalog_definition, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the definition, unique in the snapshot; products refer to it.", .min = 1,
          .max = CATALOG_ID_MAX, .example = "a-3"),
    FIELD(struct catalog_definition, code, FIELD_STRING, FIELD_OMIT_NULL,
          "The ERP's internal code.", .min = 0, .max = CATALOG_CODE_MAX, .example = "000000003"),
    FIELD(struct catalog_definition, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .min = 0, .max = CATALOG_NAME_MAX, .example = "Brand"),
    FIELD(struct catalog_definition, type, FIELD_ENUM, FIELD_REQUIRED,
          "What its values are. Of an enum they have ids: `values`. A date is YYYY-MM-DD.",
          .words = catalog_value_type_words, .example = "enum"),
    FIELD(struct catalog_definition, unit, FIELD_STRING, FIELD_OMIT_NULL, "The unit of its values.",
          .min = 0, .max = CATALOG_UNIT_MAX, .example = "g"),
    FIELD(struct catalog_definition, canonical_code, FIELD_STRING, FIELD_OMIT_NULL,
          "What it means, by agreement; never derived from a name.", .min = 0,
          .max = CATALOG_CANONICAL_MAX, .example = "brand"),
    FIELD(struct catalog_definition, values, FIELD_RECORDS, FIELD_OMIT_NULL,
          "The allowed values: of an enum, which needs at least one. Other types have none, and "
          "what is sent for them has no meaning.",
          .record = &catalog_value_input_record),
};

const struct record catalog_definition_record = {
    .name = "CatalogAttributeDefinitionInput",
    .doc = "What products may say of themselves by an attribute.",
    .size = sizeof(struct catalog_definition),
    RECORD_FIELDS(definition_fields),
};

/* --- Attributes and axes ---------------------------------------------------------------------- */

static const struct field attribute_fields[] = {
    FIELD(struct catalog_attribute, attribute_id, FIELD_STRING, FIELD_REQUIRED,
          "An attribute definition of the same snapshot.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "a-3"),
    FIELD(struct catalog_attribute, value, FIELD_SCALAR, FIELD_OMIT_NULL,
          "The value, of the type that the definition says; unless that is enum.",
          .example = "3.2"),
    FIELD(struct catalog_attribute, value_id, FIELD_STRING, FIELD_OMIT_NULL,
          "Of an enum: one of the values of its definition.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "brand-9"),
    FIELD(struct catalog_attribute, unit, FIELD_STRING, FIELD_OMIT_NULL,
          "The unit of this value, where it is not that of the definition.", .min = 0,
          .max = CATALOG_UNIT_MAX, .example = "g"),
};

const struct record catalog_attribute_input_record = {
    .name = "CatalogAttributeInput",
    .doc = "What a product says of itself. Needs `value`, or `value_id` where the definition is an "
           "enum.",
    .size = sizeof(struct catalog_attribute),
    RECORD_FIELDS(attribute_fields),
};

static const struct field axis_fields[] = {
    FIELD(struct catalog_axis, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the axis, unique in the product.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "size"),
    FIELD(struct catalog_axis, code, FIELD_STRING, FIELD_OMIT_NULL, "The ERP's internal code.",
          .example = "000000007"),
    FIELD(struct catalog_axis, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .example = "Size"),
    FIELD(struct catalog_axis, values, FIELD_RECORDS, FIELD_REQUIRED, "What variants choose from.",
          .items_min = 1, .record = &catalog_value_input_record),
};

static const struct record axis_record = {
    .name = "CatalogOptionAxisInput",
    .doc = "In what variants of a product differ. Each of them has one value of each axis.",
    .size = sizeof(struct catalog_axis),
    RECORD_FIELDS(axis_fields),
};

/* --- Options ---------------------------------------------------------------------------------- */

static const struct field option_fields[] = {
    FIELD(struct catalog_option, id, FIELD_STRING, FIELD_REQUIRED, "The ERP's id of the option.",
          .min = 1, .max = CATALOG_ID_MAX, .example = "oat"),
    FIELD(struct catalog_option, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .example = "Oat milk"),
    FIELD(struct catalog_option, price_delta, FIELD_DECIMAL, FIELD_OMIT_NULL,
          "What it adds to the price, or takes off it; 0 if it is left out.", .example = "40.5"),
    FIELD_AS("available", struct catalog_option, is_available, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether it can be ordered.", .default_value = true),
    FIELD(struct catalog_option, sku, FIELD_STRING, FIELD_OMIT_NULL, "Its article number.",
          .example = "OAT-1"),
};

static const struct record option_record = {
    .name = "CatalogOptionInput",
    .doc = "A modifier.",
    .size = sizeof(struct catalog_option),
    RECORD_FIELDS(option_fields),
};

static const struct field group_fields[] = {
    FIELD(struct catalog_option_group, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the group.", .min = 1, .max = CATALOG_ID_MAX, .example = "milk"),
    FIELD(struct catalog_option_group, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .example = "Milk"),
    FIELD_AS("required", struct catalog_option_group, is_required, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether something has to be chosen.", .default_value = false, .example = "false"),
    FIELD(struct catalog_option_group, min_select, FIELD_INTEGER, FIELD_DEFAULT,
          "How many options have to be chosen.", .min = 0, .max = -1, .default_value = 0,
          .example = "0"),
    FIELD(struct catalog_option_group, max_select, FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL,
          "How many may be chosen, not less than `min_select`; all if it is left out.", .min = 0,
          .max = -1, .example = "1"),
    FIELD(struct catalog_option_group, options, FIELD_RECORDS, FIELD_REQUIRED,
          "What is chosen from.", .items_min = 1, .record = &option_record),
};

static const struct record group_record = {
    .name = "CatalogOptionGroupInput",
    .doc = "A group of modifiers.",
    .size = sizeof(struct catalog_option_group),
    RECORD_FIELDS(group_fields),
};

/* --- Variants --------------------------------------------------------------------------------- */

static const struct field variant_fields[] = {
    FIELD(struct catalog_variant, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the variant, unique in the product; a stable one of your own where "
          "the product has no characteristics.",
          .min = 1, .max = CATALOG_ID_MAX, .example = "v-1"),
    FIELD(struct catalog_variant, name, FIELD_STRING, FIELD_OMIT_NULL,
          "What people call it; empty if it is left out.", .example = "0.9 l"),
    FIELD(struct catalog_variant, price, FIELD_DECIMAL,
          FIELD_REQUIRED | FIELD_NOT_NEGATIVE | FIELD_OMIT_NULL, "The price.", .example = "89.90"),
    FIELD(struct catalog_variant, sku, FIELD_STRING, FIELD_OMIT_NULL, "Its article number.",
          .example = "ML-0001"),
    FIELD(struct catalog_variant, barcodes, FIELD_STRINGS, FIELD_UNIQUE | FIELD_OMIT_NULL,
          "Its barcodes.", .items_max = CATALOG_BARCODES_MAX, .example = "[\"4607004890017\"]"),
    FIELD_AS("default", struct catalog_variant, is_default, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether it is offered first; exactly one of a product should be.",
             .default_value = false),
    FIELD(struct catalog_variant, measure_unit, FIELD_ENUM, FIELD_DEFAULT,
          "In what it is measured.", .words = catalog_measure_words, .default_value = MEASURE_PIECE,
          .example = "liter"),
    FIELD(struct catalog_variant, measure_value, FIELD_DECIMAL, FIELD_POSITIVE | FIELD_OMIT_NULL,
          "How much of that it is; 1 if it is left out.", .example = "0.9"),
    FIELD_AS("option_values", struct catalog_variant, choices, FIELD_RECORDS, FIELD_OMIT_NULL,
             "One value of each option axis of the product.",
             .record = &catalog_choice_input_record),
    FIELD(struct catalog_variant, option_groups, FIELD_RECORDS, FIELD_OMIT_NULL,
          "Its groups of modifiers.", .record = &group_record),
};

static const struct record variant_record = {
    .name = "CatalogVariantInput",
    .doc = "What is sold of a product.",
    .size = sizeof(struct catalog_variant),
    RECORD_FIELDS(variant_fields),
};

/* --- Products --------------------------------------------------------------------------------- */

static const struct field product_fields[] = {
    FIELD(struct catalog_product, id, FIELD_STRING, FIELD_REQUIRED,
          "The ERP's id of the product, unique in the snapshot.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "p-100"),
    FIELD(struct catalog_product, name, FIELD_STRING, FIELD_REQUIRED | FIELD_NOTE_BLANK,
          "What people call it.", .min = 0, .max = CATALOG_NAME_MAX, .example = "Milk 3.2 %"),
    FIELD(struct catalog_product, description, FIELD_STRING, FIELD_OMIT_NULL, "A text about it.",
          .example = "Pasteurised milk"),
    FIELD(struct catalog_product, composition, FIELD_STRING, FIELD_OMIT_NULL, "What it is made of.",
          .example = "Whole milk"),
    FIELD(struct catalog_product, category_id, FIELD_STRING, FIELD_OMIT_NULL,
          "A category of the same snapshot.", .min = 1, .max = CATALOG_ID_MAX, .example = "c-17"),
    FIELD_AS("available", struct catalog_product, is_available, FIELD_BOOLEAN, FIELD_DEFAULT,
             "Whether it can be ordered.", .default_value = true),
    FIELD(struct catalog_product, tax, FIELD_RECORD, FIELD_OMIT_NULL, "VAT and payment subject.",
          .record = &catalog_tax_input_record),
    FIELD(struct catalog_product, marking, FIELD_RECORD, FIELD_OMIT_NULL,
          "Marking and traceability.", .record = &catalog_marking_input_record),
    FIELD(struct catalog_product, attributes, FIELD_RECORDS, FIELD_OMIT_NULL,
          "What it says of itself.", .items_max = CATALOG_ATTRIBUTES_MAX,
          .record = &catalog_attribute_input_record),
    FIELD_AS("option_axes", struct catalog_product, axes, FIELD_RECORDS, FIELD_OMIT_NULL,
             "In what its variants differ.", .items_max = CATALOG_AXES_MAX, .record = &axis_record),
    FIELD(struct catalog_product, variants, FIELD_RECORDS, FIELD_REQUIRED, "What is sold of it.",
          .items_min = 1, .record = &variant_record),
    FIELD(struct catalog_product, allergens, FIELD_STRINGS, FIELD_OMIT_NULL,
          "What it may cause an allergy by.", .example = "[\"milk\"]"),
    FIELD(struct catalog_product, tags, FIELD_STRINGS, FIELD_OMIT_NULL, "Words to find it by.",
          .example = "[\"breakfast\"]"),
};

const struct record catalog_product_record = {
    .name = "CatalogProductInput",
    .doc = "A product of a snapshot.",
    .size = sizeof(struct catalog_product),
    RECORD_FIELDS(product_fields),
};

/* --- Rows of packages of changes -------------------------------------------------------------- */

#define PAIR_FIELDS(row)                                                                       \
    FIELD(row, product_id, FIELD_STRING, FIELD_REQUIRED,                                       \
          "A product of the catalog, by the ERP's id.", .min = 1, .max = CATALOG_ID_MAX,       \
          .example = "p-100"),                                                                 \
        FIELD(row, variant_id, FIELD_STRING, FIELD_REQUIRED, "One of its variants.", .min = 1, \
              .max = CATALOG_ID_MAX, .example = "v-1")

static const struct field price_fields[] = {
    PAIR_FIELDS(struct catalog_price),
    FIELD(struct catalog_price, price, FIELD_DECIMAL, FIELD_REQUIRED | FIELD_NOT_NEGATIVE,
          "Its price from now on.", .example = "92.90"),
};

const struct record catalog_price_record = {
    .name = "CatalogPriceInput",
    .doc = "A new price.",
    .size = sizeof(struct catalog_price),
    RECORD_FIELDS(price_fields),
};

static const struct field stock_fields[] = {
    PAIR_FIELDS(struct catalog_stock),
    FIELD(struct catalog_stock, available_quantity, FIELD_INTEGER, FIELD_REQUIRED,
          "How many units are there from now on; below 0 is none.", .example = "14"),
};

const struct record catalog_stock_record = {
    .name = "CatalogStockInput",
    .doc = "A new stock. `warehouse_id` is reserved, and read over.",
    .size = sizeof(struct catalog_stock),
    RECORD_FIELDS(stock_fields),
};
