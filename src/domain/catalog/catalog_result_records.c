/* The records of what became of a package that was applied, or could not be (doc B, section 2
 * "Event status record"). */
#include "domain/catalog/catalog.h"

#include <stddef.h>

/* --- The result ------------------------------------------------------------------------------- */

static const struct field content_fields[] = {
    FIELD(struct catalog_content_tally, added, FIELD_INTEGER, FIELD_REQUIRED, "How many are new.",
          .example = "3"),
    FIELD(struct catalog_content_tally, changed, FIELD_INTEGER, FIELD_REQUIRED,
          "How many are different, or back from the archive.", .example = "12"),
    FIELD(struct catalog_content_tally, unchanged, FIELD_INTEGER, FIELD_REQUIRED,
          "How many are as they were.", .example = "14985"),
    FIELD(struct catalog_content_tally, archived, FIELD_INTEGER, FIELD_REQUIRED,
          "How many are not there any more.", .example = "1"),
};

static const struct record content_record = {
    .name = "CatalogContentTally",
    .doc = "What a package did to products or categories.",
    .size = sizeof(struct catalog_content_tally),
    RECORD_FIELDS(content_fields),
};

static const struct field offer_fields[] = {
    FIELD(struct catalog_offer_tally, changed, FIELD_INTEGER, FIELD_REQUIRED,
          "How many are new or different.", .example = "210"),
    FIELD(struct catalog_offer_tally, unchanged, FIELD_INTEGER, FIELD_REQUIRED,
          "How many are as they were.", .example = "34790"),
    FIELD(struct catalog_offer_tally, superseded, FIELD_INTEGER, FIELD_REQUIRED,
          "How many a package that was received later had set already: those stay.",
          .example = "0"),
};

static const struct record offer_record = {
    .name = "CatalogOfferTally",
    .doc = "What a package did to prices or stock, by variants.",
    .size = sizeof(struct catalog_offer_tally),
    RECORD_FIELDS(offer_fields),
};

static const struct field result_fields[] = {
    FIELD(struct catalog_result, products, FIELD_RECORD, FIELD_REQUIRED, "Products.",
          .record = &content_record),
    FIELD(struct catalog_result, categories, FIELD_RECORD, FIELD_REQUIRED, "Categories.",
          .record = &content_record),
    FIELD(struct catalog_result, prices, FIELD_RECORD, FIELD_REQUIRED, "Prices.",
          .record = &offer_record),
    FIELD(struct catalog_result, stocks, FIELD_RECORD, FIELD_REQUIRED,
          "Stock, which a snapshot says nothing of.", .record = &offer_record),
    FIELD(struct catalog_result, kept, FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL,
          "Of a snapshot of an integration with `absent: keep`: how many fields of its products "
          "were not there and stay as they were.",
          .example = "2"),
};

const struct record catalog_result_record = {
    .name = "CatalogResult",
    .doc = "What a package did to the catalog.",
    .size = sizeof(struct catalog_result),
    RECORD_FIELDS(result_fields),
};

/* --- Faults ----------------------------------------------------------------------------------- */

static const struct field fault_fields[] = {
    FIELD(struct catalog_row_fault, list, FIELD_STRING, FIELD_REQUIRED,
          "The list of the package that holds the row.", .example = "prices"),
    FIELD(struct catalog_row_fault, index, FIELD_INTEGER, FIELD_REQUIRED,
          "Its place there, from 0; 0 too where the list as a whole is at fault, as with "
          "`archive_limit`.",
          .example = "17"),
    FIELD(struct catalog_row_fault, product_id, FIELD_STRING, FIELD_OMIT_NULL,
          "The product that the row names.", .example = "p-100"),
    FIELD(struct catalog_row_fault, variant_id, FIELD_STRING, FIELD_OMIT_NULL,
          "The variant that it names.", .example = "v-9"),
    FIELD(struct catalog_row_fault, message, FIELD_STRING, FIELD_REQUIRED, "What is wrong with it.",
          .example = "The product has no such variant."),
};

const struct record catalog_row_fault_record = {
    .name = "CatalogRowFault",
    .doc = "A row of a package that cannot be applied.",
    .size = sizeof(struct catalog_row_fault),
    RECORD_FIELDS(fault_fields),
};
