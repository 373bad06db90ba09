/* How packages look on the wire (doc B, section 2 "Event status record"). */
#include "domain/erp/erp.h"

#include <stddef.h>

static const struct field package_fields[] = {
    {.name = "event_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_package, event_id),
     .doc = "The id that the ERP gave the package.",
     .example = "\"catalog:2026-11-21T04:33:00Z\""},
    {.name = "event_type",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_package, event_type),
     .words = erp_package_type_words,
     .doc = "A full catalog, or changed prices and stock.",
     .example = "\"snapshot\""},
    {.name = "status",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_package, status),
     .words = erp_package_status_words,
     .doc = "accepted and processing: ask later. applied: done. retry: it is tried again by "
            "itself. failed: final, an operator is needed.",
     .example = "\"applied\""},
    {.name = "attempts",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_package, attempts),
     .doc = "How often it was processed.",
     .example = "1"},
    {.name = "received_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_package, received_at),
     .doc = "When it was stored.",
     .example = "\"2026-11-21T04:33:00.123Z\""},
    {.name = "processed_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct erp_package, processed_at),
     .doc = "When it was last processed.",
     .example = "\"2026-11-21T04:33:01.456Z\""},
    {.name = "last_error",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct erp_package, last_error),
     .doc = "Why the last attempt did not succeed.",
     .example = "null"},
};

const struct record erp_package_record = {
    .name = "ERPEvent",
    .doc = "What became of a package.",
    .size = sizeof(struct erp_package),
    RECORD_FIELDS(package_fields),
};
