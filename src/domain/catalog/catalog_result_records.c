/* What became of a package that was applied, or could not be (doc B, section 2 "Event status
 * record"). */
#include "domain/catalog/catalog.h"

#include <stddef.h>

/* --- The result ------------------------------------------------------------------------------- */

static const struct field content_fields[] = {
    {.name = "added",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_content_tally, added),
     .doc = "How many are new.",
     .example = "3"},
    {.name = "changed",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_content_tally, changed),
     .doc = "How many are different, or back from the archive.",
     .example = "12"},
    {.name = "unchanged",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_content_tally, unchanged),
     .doc = "How many are as they were.",
     .example = "14985"},
    {.name = "archived",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_content_tally, archived),
     .doc = "How many are not there any more.",
     .example = "1"},
};

static const struct record content_record = {
    .name = "CatalogContentTally",
    .doc = "What a package did to products or categories.",
    .size = sizeof(struct catalog_content_tally),
    RECORD_FIELDS(content_fields),
};

static const struct field offer_fields[] = {
    {.name = "changed",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_offer_tally, changed),
     .doc = "How many are new or different.",
     .example = "210"},
    {.name = "unchanged",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_offer_tally, unchanged),
     .doc = "How many are as they were.",
     .example = "34790"},
    {.name = "superseded",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_offer_tally, superseded),
     .doc = "How many a package that was received later had set already: those stay.",
     .example = "0"},
};

static const struct record offer_record = {
    .name = "CatalogOfferTally",
    .doc = "What a package did to prices or stock, by variants.",
    .size = sizeof(struct catalog_offer_tally),
    RECORD_FIELDS(offer_fields),
};

static const struct field result_fields[] = {
    {.name = "products",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_result, products),
     .record = &content_record,
     .doc = "Products."},
    {.name = "categories",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_result, categories),
     .record = &content_record,
     .doc = "Categories."},
    {.name = "prices",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_result, prices),
     .record = &offer_record,
     .doc = "Prices."},
    {.name = "stocks",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_result, stocks),
     .record = &offer_record,
     .doc = "Stock, which a snapshot says nothing of."},
    {.name = "kept",
     .type = FIELD_INTEGER,
     .flags = FIELD_NULLABLE | FIELD_OMIT_NULL,
     .offset = offsetof(struct catalog_result, kept),
     .doc = "Of a snapshot of an integration with `absent: keep`: how many fields of its products "
            "were not there and stay as they were.",
     .example = "2"},
};

const struct record catalog_result_record = {
    .name = "CatalogResult",
    .doc = "What a package did to the catalog.",
    .size = sizeof(struct catalog_result),
    RECORD_FIELDS(result_fields),
};

/* --- Faults ----------------------------------------------------------------------------------- */

static const struct field fault_fields[] = {
    {.name = "list",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_row_fault, list),
     .doc = "The list of the package that holds the row.",
     .example = "\"prices\""},
    {.name = "index",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_row_fault, index),
     .doc = "Its place there, from 0.",
     .example = "17"},
    {.name = "product_id",
     .type = FIELD_STRING,
     .offset = offsetof(struct catalog_row_fault, product_id),
     .doc = "The product that the row names.",
     .example = "\"p-100\""},
    {.name = "variant_id",
     .type = FIELD_STRING,
     .offset = offsetof(struct catalog_row_fault, variant_id),
     .doc = "The variant that it names.",
     .example = "\"v-9\""},
    {.name = "message",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct catalog_row_fault, message),
     .doc = "What is wrong with it.",
     .example = "\"The product has no such variant.\""},
};

const struct record catalog_row_fault_record = {
    .name = "CatalogRowFault",
    .doc = "A row of a package that cannot be applied.",
    .size = sizeof(struct catalog_row_fault),
    RECORD_FIELDS(fault_fields),
};
