/* These tables say how a record of the audit looks; its hash is made of the text that they give. */
#include "core/audit.h"
#include "core/route.h"
#include "kit/base/secret.h"

#include <stdio.h>
const char *const audit_store_words[] = {
    [STORE_VERIFICATION] = "verification", [STORE_EXCHANGE] = "exchange", NULL};

static const struct field actor_fields[] = {
    FIELD(struct audit_actor, kind, FIELD_ENUM, FIELD_REQUIRED,
          "How it was known: by the root key, by another key, as an operator; `system` is herald "
          "itself.",
          .words = actor_kind_words, .example = "root"),
    FIELD(struct audit_actor, id, FIELD_UUID, FIELD_REQUIRED | FIELD_NULLABLE,
          "The id of the key or the operator; null for the others.", .example = "null"),
    FIELD(struct audit_actor, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call it.", .example = "root"),
};
static const struct record actor_record = {
    .name = "AuditActor",
    .doc = "Who made a change.",
    .size = sizeof(struct audit_actor),
    RECORD_FIELDS(actor_fields),
};

static const struct field target_fields[] = {
    FIELD(struct audit_target, type, FIELD_STRING, FIELD_REQUIRED, "What kind of thing it is.",
          .example = "device"),
    FIELD(struct audit_target, id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Which one it is; null where there is only one.",
          .example = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"),
};
static const struct record target_record = {
    .name = "AuditTarget",
    .doc = "What was changed.",
    .size = sizeof(struct audit_target),
    RECORD_FIELDS(target_fields),
};

static const struct field change_fields[] = {
    FIELD(struct audit_change, field, FIELD_STRING, FIELD_REQUIRED, "What changed of it.",
          .example = "name"),
    FIELD(struct audit_change, from, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The value before, as text; null for none, and for every secret.", .example = "Shop 1"),
    FIELD(struct audit_change, to, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The value since; of a secret the word `changed`.", .example = "Shop 12"),
};
static const struct record change_record = {
    .name = "AuditChange",
    .doc = "A field that changed. Numbers are masked as in the log.",
    .size = sizeof(struct audit_change),
    RECORD_FIELDS(change_fields),
};

/* The hash is the last field, so that the text without it is that of the fields before. */
static const struct field record_fields[] = {
    FIELD(struct audit_record, store, FIELD_ENUM, FIELD_REQUIRED, "The store that has the chain.",
          .words = audit_store_words, .example = "verification"),
    FIELD(struct audit_record, seq, FIELD_INTEGER, FIELD_REQUIRED,
          "The place in the chain, from 1 on without a gap.", .example = "42"),
    FIELD(struct audit_record, at, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED, "When it was done."),
    FIELD(struct audit_record, actor, FIELD_RECORD, FIELD_REQUIRED, "Who did it.",
          .record = &actor_record),
    FIELD(struct audit_record, address, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The address of the client; null where none asked.", .example = "192.0.2.7"),
    FIELD(struct audit_record, request_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "X-Request-Id of the request.", .example = "fleet-81f3"),
    FIELD(struct audit_record, action, FIELD_STRING, FIELD_REQUIRED, "What was done.",
          .example = "device.change"),
    FIELD(struct audit_record, target, FIELD_RECORD, FIELD_REQUIRED, "What it was done to.",
          .record = &target_record),
    FIELD(struct audit_record, changes, FIELD_RECORDS, FIELD_REQUIRED, "What changed.",
          .items_max = AUDIT_CHANGES_MAX, .record = &change_record),
    FIELD(struct audit_record, hash, FIELD_STRING, FIELD_REQUIRED,
          "BLAKE2b-256 over the hash before it and this record without `hash`.",
          .example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
};
const struct record audit_record_record = {
    .name = "AuditRecord",
    .doc = "A change, and who made it.",
    .size = sizeof(struct audit_record),
    RECORD_FIELDS(record_fields),
};
static const struct record content_record = {
    .size = sizeof(struct audit_record),
    .fields = record_fields,
    .field_count = COUNT_OF(record_fields) - 1,
};

const struct record audit_changes_record = {
    .size = sizeof(struct audit_record),
    .fields = &record_fields[COUNT_OF(record_fields) - 2],
    .field_count = 1,
};

enum { CONTENT_MAX = 4 * 1024 * 1024 };

void audit_hash_text(struct str bytes, char ret_text[static AUDIT_HASH_TEXT_LEN + 1])
{
    ret_text[0] = '\0';
    for (size_t i = 0; i < bytes.len && i < AUDIT_HASH_LEN; i++)
        snprintf(ret_text + 2 * i, 3, "%02x", (unsigned)(uint8_t)bytes.data[i]);
}

bool audit_hash_bytes(const char *text, uint8_t ret_bytes[static AUDIT_HASH_LEN])
{
    if (strlen(text) != AUDIT_HASH_TEXT_LEN) return false;
    for (size_t i = 0; i < AUDIT_HASH_LEN; i++) {
        int high = str_hex_value(text[2 * i]), low = str_hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        ret_bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool audit_compute_hash(const struct audit_record *record, const char *before,
                        char ret_hash[static AUDIT_HASH_TEXT_LEN + 1])
{
    uint8_t bytes[AUDIT_HASH_LEN];
    struct json_writer writer;
    AUTO_BUF text = {0};

    if (!audit_hash_bytes(before, bytes)) return false;
    buf_init(&text, CONTENT_MAX);
    buf_str(&text, (struct str){(const char *)bytes, sizeof(bytes)});
    json_writer_init(&writer, &text);
    record_encode(&content_record, record, &writer);
    if (text.is_full) return false;
    secret_hash(buf_view(&text), bytes);
    audit_hash_text((struct str){(const char *)bytes, sizeof(bytes)}, ret_hash);
    return true;
}
