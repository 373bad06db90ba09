/* How packages look on the wire (doc B, section 2): their bodies, what became of them. */
#include "domain/erp/erp.h"

#include <stddef.h>

#define EXAMPLE_EVENT_ID "catalog:2026-11-21T04:33:00Z"
#define EXAMPLE_TIME     "2026-11-21T04:33:00.123Z"

/* --- The bodies ------------------------------------------------------------------------------- */

#define ENVELOPE_FIELDS                                                                  \
    {                                                                                    \
        .name = "event_id",                                                              \
        .type = FIELD_STRING,                                                            \
        .flags = FIELD_REQUIRED,                                                         \
        .offset = offsetof(struct erp_envelope, event_id),                               \
        .min = 1,                                                                        \
        .max = ERP_EVENT_ID_MAX,                                                         \
        .doc = "The id of the package, the same in every repeat of it and in no other.", \
        .example = EXAMPLE_EVENT_ID,                                                     \
    },                                                                                   \
    {                                                                                    \
        .name = "generated_at", .type = FIELD_TIME, .flags = FIELD_REQUIRED,             \
        .offset = offsetof(struct erp_envelope, generated_at),                           \
        .doc = "When the ERP made it, with a time zone.", .example = EXAMPLE_TIME,       \
    }

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

#define PACKAGE_FIELDS                                                                            \
    {.name = "event_id",                                                                          \
     .type = FIELD_STRING,                                                                        \
     .flags = FIELD_REQUIRED,                                                                     \
     .offset = offsetof(struct erp_package, event_id),                                            \
     .doc = "The id that the ERP gave the package.",                                              \
     .example = EXAMPLE_EVENT_ID},                                                                \
        {.name = "event_type",                                                                    \
         .type = FIELD_ENUM,                                                                      \
         .flags = FIELD_REQUIRED,                                                                 \
         .offset = offsetof(struct erp_package, event_type),                                      \
         .words = erp_package_type_words,                                                         \
         .doc = "A full catalog, or changed prices and stock.",                                   \
         .example = "snapshot"},                                                                  \
        {.name = "status",                                                                        \
         .type = FIELD_ENUM,                                                                      \
         .flags = FIELD_REQUIRED,                                                                 \
         .offset = offsetof(struct erp_package, status),                                          \
         .words = erp_package_status_words,                                                       \
         .doc = "accepted and processing: ask later. applied: done. retry: it is tried again by " \
                "itself. failed: final, an operator is needed.",                                  \
         .example = "applied"},                                                                   \
        {.name = "attempts",                                                                      \
         .type = FIELD_INTEGER,                                                                   \
         .flags = FIELD_REQUIRED,                                                                 \
         .offset = offsetof(struct erp_package, attempts),                                        \
         .doc = "How often it was processed.",                                                    \
         .example = "1"},                                                                         \
        {.name = "received_at",                                                                   \
         .type = FIELD_TIME,                                                                      \
         .flags = FIELD_REQUIRED,                                                                 \
         .offset = offsetof(struct erp_package, received_at),                                     \
         .doc = "When it was stored.",                                                            \
         .example = EXAMPLE_TIME},                                                                \
        {.name = "processed_at",                                                                  \
         .type = FIELD_TIME,                                                                      \
         .flags = FIELD_REQUIRED | FIELD_NULLABLE,                                                \
         .offset = offsetof(struct erp_package, processed_at),                                    \
         .doc = "When it was last processed.",                                                    \
         .example = "2026-11-21T04:33:00.456Z"},                                                  \
        {.name = "last_error",                                                                    \
         .type = FIELD_STRING,                                                                    \
         .flags = FIELD_REQUIRED | FIELD_NULLABLE,                                                \
         .offset = offsetof(struct erp_package, last_error),                                      \
         .doc = "Why the last attempt did not succeed.",                                          \
         .example = "null"},                                                                      \
        {.name = "result",                                                                        \
         .type = FIELD_RECORD,                                                                    \
         .flags = FIELD_OMIT_NULL,                                                                \
         .offset = offsetof(struct erp_package, result),                                          \
         .record = &catalog_result_record,                                                        \
         .doc = "What it did, once it is applied."},                                              \
        {.name = "errors",                                                                        \
         .type = FIELD_RECORDS,                                                                   \
         .flags = FIELD_OMIT_NULL,                                                                \
         .offset = offsetof(struct erp_package, errors),                                          \
         .items_max = CATALOG_FAULTS_MAX,                                                         \
         .record = &catalog_row_fault_record,                                                     \
         .doc = "Of a package in retry or failed: the rows at fault, as many as are shown."},     \
    {                                                                                             \
        .name = "progress", .type = FIELD_RECORD, .flags = FIELD_OMIT_NULL,                       \
        .offset = offsetof(struct erp_package, progress), .record = &progress_record,             \
        .doc = "How far it is, while it is being processed."                                      \
    }

static const struct field package_fields[] = {PACKAGE_FIELDS};

const struct record erp_package_record = {
    .name = "ERPEvent",
    .doc = "What became of a package.",
    .size = sizeof(struct erp_package),
    RECORD_FIELDS(package_fields),
};

static const struct field package_admin_fields[] = {
    PACKAGE_FIELDS,
    FIELD(struct erp_package, environment, FIELD_ENUM, FIELD_REQUIRED,
          "What its integration is for: production, or test for trying out.",
          .words = integration_environment_words),
    FIELD(struct erp_package, receipt, FIELD_INTEGER, FIELD_REQUIRED,
          "Its place among the packages of its integration, in the order of their receipt. "
          "Numbers may be left out.",
          .example = "42"),
    FIELD(struct erp_package, generated_at, FIELD_TIME, FIELD_REQUIRED,
          "When the ERP made it, as it says."),
    FIELD(struct erp_package, body_length, FIELD_INTEGER, FIELD_REQUIRED,
          "The bytes of its body, as it was sent.", .example = "24871034"),
    FIELD(struct erp_package, next_attempt_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "From when on it is processed, while it is accepted or in retry."),
};

const struct record erp_package_admin_record = {
    .name = "ERPEventDetails",
    .doc = "What became of a package, for operators.",
    .size = sizeof(struct erp_package),
    RECORD_FIELDS(package_admin_fields),
};

static const struct field package_list_fields[] = {
    FIELD(struct erp_package_list, events, FIELD_RECORDS, FIELD_REQUIRED,
          "Newest first; `errors` are shown of a single one only.",
          .record = &erp_package_admin_record),
    FIELD(struct erp_package_list, next_cursor, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "For the next page; null on the last.", .example = "null"),
};

const struct record erp_package_list_record = {
    .name = "ERPEventList",
    .doc = "A page of packages.",
    .size = sizeof(struct erp_package_list),
    RECORD_FIELDS(package_list_fields),
};
