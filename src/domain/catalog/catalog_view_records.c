/* A catalog as operators read it (contract, section 5 "Reading the catalog"): every field is always
 * there. catalog_input_records.c says why these tables are not those of what is sent. */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

enum { ALWAYS = FIELD_REQUIRED, OR_NULL = FIELD_REQUIRED | FIELD_NULLABLE };

/* Every view says since when it stands as it does. */
#define STANDING_FIELDS(view, updated_doc)                                         \
    FIELD_AS("archived", view, is_archived, FIELD_BOOLEAN, ALWAYS,                 \
             "Whether the newest snapshot does not have it.", .example = "false"), \
        FIELD(view, updated_at, FIELD_TIME, ALWAYS, (updated_doc))

/* The fields of a page of a list. */
#define PAGE_FIELDS(list, item_record, list_doc)                                    \
    FIELD_AS((list), struct catalog_page, items, FIELD_RECORDS, ALWAYS, (list_doc), \
             .record = (item_record)),                                              \
        PAGE_NEXT_ROW(struct catalog_page)

#define UPDATED_DOC "When it last changed, was archived or came back."

/* --- Categories ------------------------------------------------------------------------------- */

static const struct field category_fields[] = {
    FIELD(struct catalog_category_view, id, FIELD_STRING, ALWAYS, "The ERP's id of the category.",
          .example = "c-17"),
    FIELD(struct catalog_category_view, name, FIELD_STRING, ALWAYS, "What people call it.",
          .example = "Milk"),
    STANDING_FIELDS(struct catalog_category_view, UPDATED_DOC),
};

static const struct record category_view_record = {
    .name = "CatalogCategory",
    .doc = "A category of a catalog.",
    .size = sizeof(struct catalog_category_view),
    RECORD_FIELDS(category_fields),
};

static const struct field category_list_fields[] = {
    PAGE_FIELDS("categories", &category_view_record, "The categories in order of their ids."),
};

const struct record catalog_category_list_record = {
    .name = "CatalogCategoryList",
    .doc = "A page of categories.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(category_list_fields),
};

/* --- Definitions ------------------------------------------------------------------------------ */

static const struct field definition_fields[] = {
    FIELD_AS("id", struct catalog_definition_view, definition.id, FIELD_STRING, ALWAYS,
             "The ERP's id of the definition.", .example = "a-3"),
    FIELD_AS("code", struct catalog_definition_view, definition.code, FIELD_STRING, OR_NULL,
             "The ERP's internal code.", .example = "000000003"),
    FIELD_AS("name", struct catalog_definition_view, definition.name, FIELD_STRING, ALWAYS,
             "What people call it.", .example = "Brand"),
    FIELD_AS("type", struct catalog_definition_view, definition.type, FIELD_ENUM, ALWAYS,
             "What its values are.", .words = catalog_value_type_words, .example = "enum"),
    FIELD_AS("unit", struct catalog_definition_view, definition.unit, FIELD_STRING, OR_NULL,
             "The unit of its values.", .example = "null"),
    FIELD_AS("canonical_code", struct catalog_definition_view, definition.canonical_code,
             FIELD_STRING, OR_NULL, "What it means, by agreement with the ERP.",
             .example = "brand"),
    FIELD_AS("values", struct catalog_definition_view, definition.values, FIELD_RECORDS, ALWAYS,
             "The allowed values of an enum; else none.", .record = &catalog_value_record),
    STANDING_FIELDS(struct catalog_definition_view, UPDATED_DOC),
};

static const struct record definition_view_record = {
    .name = "CatalogAttributeDefinition",
    .doc = "What products may say of themselves by an attribute.",
    .size = sizeof(struct catalog_definition_view),
    RECORD_FIELDS(definition_fields),
};

static const struct field definition_list_fields[] = {
    PAGE_FIELDS("attribute_definitions", &definition_view_record,
                "The definitions in order of their ids."),
};

const struct record catalog_definition_list_record = {
    .name = "CatalogAttributeDefinitionList",
    .doc = "A page of attribute definitions.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(definition_list_fields),
};

/* --- Attributes and axes ---------------------------------------------------------------------- */

static const struct field attribute_fields[] = {
    FIELD(struct catalog_attribute, attribute_id, FIELD_STRING, ALWAYS,
          "The ERP's id of its definition.", .example = "a-3"),
    FIELD(struct catalog_attribute, canonical_code, FIELD_STRING, OR_NULL,
          "What the attribute means, by agreement with the ERP.", .example = "brand"),
    FIELD(struct catalog_attribute, name, FIELD_STRING, OR_NULL, "What people call the attribute.",
          .example = "Brand"),
    FIELD(struct catalog_attribute, value, FIELD_SCALAR, OR_NULL,
          "The value as it was sent; null where there is a `value_id`.", .example = "null"),
    FIELD(struct catalog_attribute, value_id, FIELD_STRING, OR_NULL,
          "Of an enum: the ERP's id of the value.", .example = "brand-9"),
    FIELD(struct catalog_attribute, value_name, FIELD_STRING, OR_NULL,
          "Of an enum: what people call the value.", .example = "Green Meadow"),
    FIELD(struct catalog_attribute, unit, FIELD_STRING, OR_NULL,
          "The unit of the value: its own, or that of the definition.", .example = "null"),
};

static const struct record attribute_record = {
    .name = "CatalogAttribute",
    .doc = "What a product says of itself.",
    .size = sizeof(struct catalog_attribute),
    RECORD_FIELDS(attribute_fields),
};

static const struct field axis_fields[] = {
    FIELD(struct catalog_axis, id, FIELD_STRING, ALWAYS, "The ERP's id of the axis.",
          .example = "size"),
    FIELD(struct catalog_axis, code, FIELD_STRING, OR_NULL, "The ERP's internal code.",
          .example = "000000007"),
    FIELD(struct catalog_axis, name, FIELD_STRING, ALWAYS, "What people call it.",
          .example = "Size"),
    FIELD(struct catalog_axis, values, FIELD_RECORDS, ALWAYS, "What variants choose from.",
          .record = &catalog_value_record),
};

static const struct record axis_record = {
    .name = "CatalogOptionAxis",
    .doc = "In what variants of a product differ. Each of them has one value of each axis.",
    .size = sizeof(struct catalog_axis),
    RECORD_FIELDS(axis_fields),
};

/* --- Options ---------------------------------------------------------------------------------- */

static const struct field option_fields[] = {
    FIELD(struct catalog_option, id, FIELD_STRING, ALWAYS, "The ERP's id of the option.",
          .example = "oat"),
    FIELD(struct catalog_option, name, FIELD_STRING, ALWAYS, "What people call it.",
          .example = "Oat milk"),
    FIELD(struct catalog_option, price_delta, FIELD_DECIMAL, ALWAYS,
          "What it adds to the price, or takes off it.", .example = "40.5"),
    FIELD_AS("available", struct catalog_option, is_available, FIELD_BOOLEAN, ALWAYS,
             "Whether it can be ordered."),
    FIELD(struct catalog_option, sku, FIELD_STRING, OR_NULL, "Its article number.",
          .example = "OAT-1"),
};

static const struct record option_record = {
    .name = "CatalogOption",
    .doc = "A modifier.",
    .size = sizeof(struct catalog_option),
    RECORD_FIELDS(option_fields),
};

static const struct field group_fields[] = {
    FIELD(struct catalog_option_group, id, FIELD_STRING, ALWAYS, "The ERP's id of the group.",
          .example = "milk"),
    FIELD(struct catalog_option_group, name, FIELD_STRING, ALWAYS, "What people call it.",
          .example = "Milk"),
    FIELD_AS("required", struct catalog_option_group, is_required, FIELD_BOOLEAN, ALWAYS,
             "Whether something has to be chosen.", .example = "false"),
    FIELD(struct catalog_option_group, min_select, FIELD_INTEGER, ALWAYS,
          "How many options have to be chosen.", .example = "0"),
    FIELD(struct catalog_option_group, max_select, FIELD_INTEGER, ALWAYS, "How many may be chosen.",
          .example = "1"),
    FIELD(struct catalog_option_group, options, FIELD_RECORDS, ALWAYS, "What is chosen from.",
          .record = &option_record),
};

static const struct record group_record = {
    .name = "CatalogOptionGroup",
    .doc = "A group of modifiers.",
    .size = sizeof(struct catalog_option_group),
    RECORD_FIELDS(group_fields),
};

/* --- Variants --------------------------------------------------------------------------------- */

static const struct field origin_fields[] = {
    FIELD(struct catalog_origin, value, FIELD_DECIMAL, ALWAYS, "The price or the stock it set.",
          .example = "89.9"),
    FIELD(struct catalog_origin, event_id, FIELD_STRING, ALWAYS, "The event_id of the package.",
          .example = "changes:7f0c"),
    FIELD(struct catalog_origin, generated_at, FIELD_TIME, FIELD_WALL | ALWAYS,
          "When the ERP made it, as it says."),
    FIELD(struct catalog_origin, set_at, FIELD_TIME, ALWAYS, "When it was applied."),
};

static const struct record origin_record = {
    .name = "CatalogOrigin",
    .doc = "The package that brought a price or a stock.",
    .size = sizeof(struct catalog_origin),
    RECORD_FIELDS(origin_fields),
};

static const struct field variant_fields[] = {
    FIELD(struct catalog_variant, id, FIELD_STRING, ALWAYS, "The ERP's id of the variant.",
          .example = "v-1"),
    FIELD(struct catalog_variant, name, FIELD_STRING, ALWAYS, "What people call it; may be empty.",
          .example = "0.9 l"),
    FIELD(struct catalog_variant, price, FIELD_DECIMAL, ALWAYS, "The current price.",
          .example = "89.9"),
    FIELD(struct catalog_variant, stock, FIELD_INTEGER, OR_NULL,
          "How many units are there; null: the ERP never told.", .example = "14"),
    FIELD_AS("available", struct catalog_variant, is_available, FIELD_BOOLEAN, ALWAYS,
             "Whether it can be ordered: the product is available and not archived, and its stock "
             "is above 0 or unknown."),
    FIELD(struct catalog_variant, sku, FIELD_STRING, OR_NULL, "Its article number.",
          .example = "ML-0001"),
    FIELD(struct catalog_variant, barcodes, FIELD_STRINGS, ALWAYS, "Its barcodes.",
          .example = "[\"4607004890017\"]"),
    FIELD_AS("default", struct catalog_variant, is_default, FIELD_BOOLEAN, ALWAYS,
             "Whether it is offered first."),
    FIELD(struct catalog_variant, measure_unit, FIELD_ENUM, ALWAYS, "In what it is measured.",
          .words = catalog_measure_words, .example = "liter"),
    FIELD(struct catalog_variant, measure_value, FIELD_DECIMAL, ALWAYS, "How much of that it is.",
          .example = "0.9"),
    FIELD_AS("option_values", struct catalog_variant, choices, FIELD_RECORDS, ALWAYS,
             "One value of each option axis of the product.", .record = &catalog_choice_record),
    FIELD(struct catalog_variant, option_groups, FIELD_RECORDS, ALWAYS, "Its groups of modifiers.",
          .record = &group_record),
    FIELD(struct catalog_variant, price_origin, FIELD_RECORD, FIELD_OMIT_NULL,
          "Of one product: the package that brought the price. One that came later and says the "
          "same is named only if it is a package of changes.",
          .record = &origin_record),
    FIELD(struct catalog_variant, stock_origin, FIELD_RECORD, FIELD_OMIT_NULL,
          "Of one product: the package that brought the stock, if there was one.",
          .record = &origin_record),
};

static const struct record variant_record = {
    .name = "CatalogVariant",
    .doc = "What is sold of a product.",
    .size = sizeof(struct catalog_variant),
    RECORD_FIELDS(variant_fields),
};

/* --- Products --------------------------------------------------------------------------------- */

static const struct field product_fields[] = {
    FIELD(struct catalog_product, id, FIELD_STRING, ALWAYS, "The ERP's id of the product.",
          .example = "p-100"),
    FIELD(struct catalog_product, name, FIELD_STRING, ALWAYS, "What people call it.",
          .example = "Milk 3.2 %"),
    FIELD(struct catalog_product, description, FIELD_STRING, OR_NULL, "A text about it.",
          .example = "Pasteurised milk"),
    FIELD(struct catalog_product, composition, FIELD_STRING, OR_NULL, "What it is made of.",
          .example = "Whole milk"),
    FIELD(struct catalog_product, category_id, FIELD_STRING, OR_NULL,
          "The ERP's id of its category.", .example = "c-17"),
    FIELD_AS("available", struct catalog_product, is_available, FIELD_BOOLEAN, ALWAYS,
             "Whether the ERP says that it can be ordered; each variant tells whether it can be."),
    STANDING_FIELDS(struct catalog_product,
                    "When its content, a price or a stock of it last changed."),
    FIELD(struct catalog_product, tax, FIELD_RECORD, OR_NULL, "VAT and payment subject.",
          .record = &catalog_tax_record),
    FIELD(struct catalog_product, marking, FIELD_RECORD, OR_NULL, "Marking and traceability.",
          .record = &catalog_marking_record),
    FIELD(struct catalog_product, attributes, FIELD_RECORDS, ALWAYS, "What it says of itself.",
          .record = &attribute_record),
    FIELD_AS("option_axes", struct catalog_product, axes, FIELD_RECORDS, ALWAYS,
             "In what its variants differ.", .record = &axis_record),
    FIELD(struct catalog_product, variants, FIELD_RECORDS, ALWAYS, "What is sold of it.",
          .record = &variant_record),
    FIELD(struct catalog_product, allergens, FIELD_STRINGS, ALWAYS,
          "What it may cause an allergy by.", .example = "[\"milk\"]"),
    FIELD(struct catalog_product, tags, FIELD_STRINGS, ALWAYS, "Words to find it by.",
          .example = "[\"breakfast\"]"),
};

const struct record catalog_product_view_record = {
    .name = "CatalogProduct",
    .doc = "A product of a catalog, with current prices and stock.",
    .size = sizeof(struct catalog_product),
    RECORD_FIELDS(product_fields),
};

static const struct field product_list_fields[] = {
    PAGE_FIELDS("products", &catalog_product_view_record,
                "The products in the order in which they came into the catalog."),
};

const struct record catalog_product_list_record = {
    .name = "CatalogProductList",
    .doc = "A page of products.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(product_list_fields),
};
