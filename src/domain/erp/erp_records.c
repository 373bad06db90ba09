/* These records say how packages look on the wire (doc B, section 2): their bodies, and what became
 * of them. */
#include "domain/erp/erp.h"

#include <stddef.h>

#define EXAMPLE_EVENT_ID "catalog:2026-11-21T04:33:00Z"

/* --- The bodies ------------------------------------------------------------------------------- */

#define ENVELOPE_FIELDS                                                                       \
    FIELD(struct erp_envelope, event_id, FIELD_STRING, FIELD_REQUIRED,                        \
          "The id of the package, the same in every repeat of it and in no other.", .min = 1, \
          .max = ERP_EVENT_ID_MAX, .example = EXAMPLE_EVENT_ID),                              \
        FIELD(struct erp_envelope, generated_at, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED,     \
              "When the ERP made it, with a time zone.")

static const struct field snapshot_fields[] = {
    ENVELOPE_FIELDS,
    FIELD_AS("attribute_definitions", struct erp_envelope, definitions, FIELD_RECORDS,
             FIELD_STREAMED, "What the attributes of the products mean.",
             .items_max = CATALOG_DEFINITIONS_MAX, .record = &catalog_definition_record),
    FIELD(struct erp_envelope, categories, FIELD_RECORDS, FIELD_REQUIRED | FIELD_STREAMED,
          "All of them: what is left out is archived.", .record = &catalog_category_record),
    FIELD(struct erp_envelope, products, FIELD_RECORDS, FIELD_REQUIRED | FIELD_STREAMED,
          "All of them: what is left out is archived. Placed behind the other two lists, they "
          "are checked fastest.",
          .record = &catalog_product_record),
};

const struct record erp_snapshot_record = {
    .name = "ERPSnapshot",
    .doc = "The complete catalog of a sales point.",
    .size = sizeof(struct erp_envelope),
    RECORD_FIELDS(snapshot_fields),
};

static const struct field changes_fields[] = {
    ENVELOPE_FIELDS,
    FIELD(struct erp_envelope, stocks, FIELD_RECORDS, FIELD_STREAMED,
          "Stock as it is now; of two rows of one variant the last one counts.",
          .items_max = CATALOG_CHANGES_MAX, .record = &catalog_stock_record),
    FIELD(struct erp_envelope, prices, FIELD_RECORDS, FIELD_STREAMED,
          "Prices as they are now; of two rows of one variant the last one counts.",
          .items_max = CATALOG_CHANGES_MAX, .record = &catalog_price_record),
};

const struct record erp_changes_record = {
    .name = "ERPChanges",
    .doc = "Prices and stock that changed: at least one row in all.",
    .size = sizeof(struct erp_envelope),
    RECORD_FIELDS(changes_fields),
};

/* --- What is answered ------------------------------------------------------------------------- */

const char *const erp_acceptance_status_words[] = {"accepted", "duplicate", NULL};

static const struct field acceptance_fields[] = {
    FIELD(struct erp_acceptance, event_id, FIELD_STRING, FIELD_REQUIRED, "The id of the package.",
          .example = "catalog:2026-11-21T04:33:00Z"),
    FIELD(struct erp_acceptance, status, FIELD_ENUM, FIELD_REQUIRED,
          "accepted: it is new, and stored. duplicate: one with this event_id is stored already, "
          "and nothing changed.",
          .words = erp_acceptance_status_words),
};

const struct record erp_acceptance_record = {
    .name = "ERPAcceptance",
    .doc = "The package is durably stored.",
    .size = sizeof(struct erp_acceptance),
    RECORD_FIELDS(acceptance_fields),
};

static const struct field progress_fields[] = {
    FIELD(struct erp_progress, rows_done, FIELD_INTEGER, FIELD_REQUIRED,
          "Rows that were looked at.", .example = "4200"),
    FIELD(struct erp_progress, rows_all, FIELD_INTEGER, FIELD_REQUIRED,
          "Categories and products of a snapshot, or rows of a package of changes.",
          .example = "15030"),
};

static const struct record progress_record = {
    .name = "ERPProgress",
    .doc = "How far a package is that is being processed.",
    .size = sizeof(struct erp_progress),
    RECORD_FIELDS(progress_fields),
};

static const struct field error_list_fields[] = {
    FIELD(struct erp_error_list, errors, FIELD_RECORDS, FIELD_REQUIRED, "Rows at fault.",
          .record = &catalog_row_fault_record),
};

const struct record erp_error_list_record = {
    .name = "ERPErrorList",
    .doc = "Rows at fault, as they are stored.",
    .size = sizeof(struct erp_error_list),
    RECORD_FIELDS(error_list_fields),
};

static const struct field warning_fields[] = {
    FIELD(
        struct erp_warning, type, FIELD_ENUM, FIELD_REQUIRED,
        "unknown_field: nobody reads the property. empty_name: a name is empty or of blanks. "
        "no_default_variant, several_defaults: not exactly one variant of a product has `default` "
        "true. stock_not_taken: a snapshot brings no stock.",
        .words = erp_warning_type_words),
    FIELD(struct erp_warning, loc, FIELD_STRINGS, FIELD_REQUIRED,
          "The place in the form, as in the `loc` of a fault, with [] for any item of a list.",
          .example = "[\"body\",\"products\",\"[]\",\"catgory_id\"]"),
    FIELD(struct erp_warning, msg, FIELD_STRING, FIELD_REQUIRED,
          "What it is, what was probably meant, and where the first one stands.",
          .example = "Nobody reads this property: did you mean category_id? First at products[0] "
                     "(p-100)."),
    FIELD(struct erp_warning, count, FIELD_INTEGER, FIELD_REQUIRED, "How often it is there.",
          .example = "3"),
};

static const struct record warning_record = {
    .name = "ERPWarning",
    .doc = "What a package says that was probably not meant.",
    .size = sizeof(struct erp_warning),
    RECORD_FIELDS(warning_fields),
};

static const struct field warning_list_fields[] = {
    FIELD(struct erp_warning_list, warnings, FIELD_RECORDS, FIELD_REQUIRED, "Warnings.",
          .record = &warning_record),
};

const struct record erp_warning_list_record = {
    .name = "ERPWarningList",
    .doc = "Warnings of a package, as they are stored.",
    .size = sizeof(struct erp_warning_list),
    RECORD_FIELDS(warning_list_fields),
};

/* An ERP is shown the rows up to `progress`, an operator all. */
static const struct field package_fields[] = {
    FIELD(struct erp_package, event_id, FIELD_STRING, FIELD_REQUIRED,
          "The id that the ERP gave the package.", .example = EXAMPLE_EVENT_ID),
    FIELD(struct erp_package, event_type, FIELD_ENUM, FIELD_REQUIRED,
          "A full catalog, or changed prices and stock.", .words = erp_package_type_words,
          .example = "snapshot"),
    FIELD(struct erp_package, status, FIELD_ENUM, FIELD_REQUIRED,
          "accepted and processing: ask later. applied: done. retry: it is tried again by itself. "
          "failed: final, an operator is needed.",
          .words = erp_package_status_words, .example = "applied"),
    FIELD(struct erp_package, attempts, FIELD_INTEGER, FIELD_REQUIRED,
          "How often it was processed.", .example = "1"),
    FIELD(struct erp_package, received_at, FIELD_TIME, FIELD_REQUIRED, "When it was stored."),
    FIELD(struct erp_package, processed_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was last processed.", .example = "2026-11-21T04:33:00.456Z"),
    FIELD(struct erp_package, last_error, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Why the last attempt did not succeed.", .example = "null"),
    FIELD(struct erp_package, result, FIELD_RECORD, FIELD_OMIT_NULL,
          "What it did, once it is applied.", .record = &catalog_result_record),
    FIELD(struct erp_package, errors, FIELD_RECORDS, FIELD_OMIT_NULL,
          "Of a package in retry or failed: the rows at fault, as many as are shown.",
          .items_max = CATALOG_FAULTS_MAX, .record = &catalog_row_fault_record),
    FIELD(struct erp_package, warnings, FIELD_RECORDS, FIELD_OMIT_NULL,
          "What the package says that was probably not meant, once for each kind and place in the "
          "form; it refuses nothing.",
          .items_max = ERP_WARNINGS_MAX, .record = &warning_record),
    FIELD(struct erp_package, progress, FIELD_RECORD, FIELD_OMIT_NULL,
          "How far it is, while it is being processed.", .record = &progress_record),
    FIELD(struct erp_package, integration_id, FIELD_UUID, FIELD_REQUIRED,
          "The integration whose ERP sent it."),
    FIELD(struct erp_package, integration_name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call this integration.", .example = "Shop 12"),
    FIELD(struct erp_package, environment, FIELD_ENUM, FIELD_REQUIRED,
          "What its integration is for: production, or test for trying out.",
          .words = integration_environment_words),
    FIELD(struct erp_package, receipt, FIELD_INTEGER, FIELD_REQUIRED,
          "Its place among the packages of its integration, in the order of their receipt. "
          "Numbers may be left out.",
          .example = "42"),
    FIELD(struct erp_package, generated_at, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED,
          "When the ERP made it, as it says."),
    FIELD(struct erp_package, body_length, FIELD_INTEGER, FIELD_REQUIRED,
          "The bytes of its body, as it was sent.", .example = "24871034"),
    FIELD(struct erp_package, next_attempt_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "From when on it is processed, while it is accepted or in retry; never in the past: what "
          "is due shows the time of the answer."),
};
enum { OPERATORS_ROWS = 7 };

const struct record erp_package_record = {
    .name = "ERPEvent",
    .doc = "What became of a package.",
    .size = sizeof(struct erp_package),
    .fields = package_fields,
    .field_count = COUNT_OF(package_fields) - OPERATORS_ROWS,
};

const struct record erp_package_admin_record = {
    .name = "ERPEventDetails",
    .doc = "What became of a package, for operators.",
    .size = sizeof(struct erp_package),
    RECORD_FIELDS(package_fields),
};

static const struct field package_list_fields[] = {
    FIELD(struct erp_package_list, events, FIELD_RECORDS, FIELD_REQUIRED,
          "Newest first; `errors` and `warnings` are shown of a single one only.",
          .record = &erp_package_admin_record),
    PAGE_NEXT_ROW(struct erp_package_list),
};

const struct record erp_package_list_record = {
    .name = "ERPEventList",
    .doc = "A page of packages.",
    .size = sizeof(struct erp_package_list),
    RECORD_FIELDS(package_list_fields),
};

static const struct field all_packages_fields[] = {
    FIELD_AS("packages", struct erp_package_list, events, FIELD_RECORDS, FIELD_REQUIRED,
             "Newest first; `errors` and `warnings` are shown of a single one only.",
             .record = &erp_package_admin_record),
    PAGE_NEXT_ROW(struct erp_package_list),
};

const struct record erp_all_packages_record = {
    .name = "PackageList",
    .doc = "A page of packages of all integrations.",
    .size = sizeof(struct erp_package_list),
    RECORD_FIELDS(all_packages_fields),
};

/* --- Refusals --------------------------------------------------------------------------------- */

static const struct field refusal_fault_fields[] = {
    FIELD(struct erp_refusal_fault, type, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The kind of the fault, as the ERP was told; null: it is no fault of the body.",
          .example = "string_type"),
    FIELD(struct erp_refusal_fault, loc, FIELD_STRING, FIELD_REQUIRED,
          "The place in the body, or the header.", .example = "products.3.id"),
    FIELD(struct erp_refusal_fault, message, FIELD_STRING, FIELD_REQUIRED,
          "The sentence that the ERP was told.", .example = "Input should be a valid string"),
};

static const struct record refusal_fault_record = {
    .name = "PackageRefusalFault",
    .doc = "A fault of a package that was refused.",
    .size = sizeof(struct erp_refusal_fault),
    RECORD_FIELDS(refusal_fault_fields),
};

#define FAULTS_ROW                                                   \
    FIELD(struct erp_refused, faults, FIELD_RECORDS, FIELD_REQUIRED, \
          "The first faults; the values at fault are not kept.",     \
          .items_max = ERP_REFUSAL_FAULTS_MAX, .record = &refusal_fault_record)

static const struct field refused_faults_fields[] = {FAULTS_ROW};
const struct record erp_refused_faults_record = {
    .name = "PackageRefusalFaults",
    .doc = "The faults of a refusal, as they are stored.",
    .size = sizeof(struct erp_refused),
    RECORD_FIELDS(refused_faults_fields),
};

static const struct field refused_fields[] = {
    FIELD(struct erp_refused, id, FIELD_UUID, FIELD_REQUIRED, "The id of the refusal."),
    FIELD(struct erp_refused, refused_at, FIELD_TIME, FIELD_REQUIRED, "When it was answered."),
    FIELD(struct erp_refused, event_type, FIELD_ENUM, FIELD_REQUIRED,
          "A full catalog, or changed prices and stock.", .words = erp_package_type_words,
          .example = "snapshot"),
    FIELD(struct erp_refused, event_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The event_id of the body, or else its Idempotency-Key; null: neither could be read.",
          .example = EXAMPLE_EVENT_ID),
    FIELD(struct erp_refused, status, FIELD_INTEGER, FIELD_REQUIRED,
          "The HTTP status of the answer.", .example = "422"),
    FIELD(struct erp_refused, code, FIELD_STRING, FIELD_REQUIRED, "The code of the error.",
          .example = "validation_error"),
    FIELD(struct erp_refused, body_length, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "The bytes of the body, as announced, or as far as they came; null: not known.",
          .example = "24871034"),
    FIELD(struct erp_refused, request_id, FIELD_STRING, FIELD_REQUIRED,
          "X-Request-Id of the answer.", .example = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"),
    FAULTS_ROW,
    FIELD(struct erp_refused, more, FIELD_INTEGER, FIELD_REQUIRED,
          "How many refusals behind it were only counted, since there were too many in a second.",
          .example = "0"),
};

static const struct record refused_record = {
    .name = "PackageRefusal",
    .doc = "A package that was refused, of which nothing else is stored. Texts of the ERP are "
           "masked as in the log.",
    .size = sizeof(struct erp_refused),
    RECORD_FIELDS(refused_fields),
};

static const struct field refused_list_fields[] = {
    FIELD(struct erp_refused_list, refusals, FIELD_RECORDS, FIELD_REQUIRED, "Newest first.",
          .record = &refused_record),
    PAGE_NEXT_ROW(struct erp_refused_list),
};

const struct record erp_refused_list_record = {
    .name = "PackageRefusalList",
    .doc = "A page of refusals.",
    .size = sizeof(struct erp_refused_list),
    RECORD_FIELDS(refused_list_fields),
};
