/* These tables say how a page of the audit looks on the wire, and what it may be asked for. */
#include "domain/audit_chain/audit_chain.h"

enum { WORD_MAX = 100, TARGET_MAX = 1100 };

static const struct field filter_fields[] = {
    FIELD(struct audit_filter, store, FIELD_ENUM, FIELD_DEFAULT,
          "The store whose chain is read; `verification` if it is left out.",
          .words = audit_store_words, .default_value = STORE_VERIFICATION,
          .example = "verification"),
    FIELD(struct audit_filter, actor, FIELD_STRING, 0,
          "Only records of the actor with this id, name or kind.", .min = 1, .max = WORD_MAX,
          .example = "root"),
    FIELD(struct audit_filter, action, FIELD_STRING, 0, "Only records of this action.", .min = 1,
          .max = WORD_MAX, .example = "device.change"),
    FIELD(struct audit_filter, target, FIELD_STRING, 0,
          "Only records about the target with this id, or of this type.", .min = 1,
          .max = TARGET_MAX, .example = "device"),
    FIELD(struct audit_filter, since, FIELD_TIME, FIELD_WALL | FIELD_SINCE,
          "Only records from this time on.", .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct audit_filter, until, FIELD_TIME, FIELD_WALL | FIELD_SINCE,
          "Only records from before this time.", .example = "2026-11-22T04:33:00.123Z"),
    PAGE_LIMIT_ROW(struct audit_filter),
    PAGE_NUMBER_CURSOR_ROW(struct audit_filter),
};
const struct record audit_filter_query = {.size = sizeof(struct audit_filter),
                                          RECORD_FIELDS(filter_fields)};

static const struct field place_fields[] = {
    FIELD(struct audit_place, seq, FIELD_INTEGER, FIELD_REQUIRED,
          "The place in the chain; 0: before the first record.", .example = "42"),
    FIELD(struct audit_place, hash, FIELD_STRING, FIELD_REQUIRED, "The hash there.",
          .example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
};
static const struct record place_record = {
    .name = "AuditPlace",
    .doc = "A place in a chain.",
    .size = sizeof(struct audit_place),
    RECORD_FIELDS(place_fields),
};

static const struct field list_fields[] = {
    FIELD(struct audit_list, records, FIELD_RECORDS, FIELD_REQUIRED,
          "Newest first. One request looks at 20,000 records at most, so a page may have fewer "
          "than `limit`, or none, while `next_cursor` leads on.",
          .record = &audit_record_record),
    FIELD(struct audit_list, head, FIELD_RECORD, FIELD_REQUIRED, "The newest record of the chain.",
          .record = &place_record),
    FIELD(struct audit_list, anchor, FIELD_RECORD, FIELD_REQUIRED,
          "The newest record that was pruned: the hash before the oldest that is kept.",
          .record = &place_record),
    PAGE_NEXT_ROW(struct audit_list),
};
const struct record audit_list_record = {
    .name = "AuditList",
    .doc = "A page of the audit.",
    .size = sizeof(struct audit_list),
    RECORD_FIELDS(list_fields),
};
