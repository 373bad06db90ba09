/* A record with a field of every type and every rule, for the tests and the fuzz target. */
#pragma once

#include "core/phone.h"
#include "kit/json/record.h"

#include <stddef.h>

enum sample_channel { SAMPLE_SMS, SAMPLE_FLASH_CALL };
enum sample_mode { SAMPLE_SLOW, SAMPLE_FAST };

struct sample_erp {
    const char *base_url;
    int64_t timeout_s;
    struct str extra;
};

struct sample_part {
    const char *id;
    bool is_spare;
};

struct sample {
    const char *name;
    const char *phone;
    const char *code; /* a secret */
    int64_t ttl_seconds;
    int64_t balance;
    int64_t weight;
    bool is_on;
    int64_t occurred_at;
    struct uuid id;
    int channel;
    int mode;
    struct sample_erp *erp;
    struct record_list parts;
    struct record_list numbers;
    struct str meta;
    struct string_or_integer chat_id;
};

static const char *const sample_channels[] = {"sms", "flash_call", NULL};
static const char *const sample_modes[] = {"slow", "fast", NULL};

static inline void check_sample_erp(struct record_faults *faults, const void *value)
{
    const struct sample_erp *erp = value;
    if (erp->timeout_s > 60 && !erp->extra.data)
        record_fault(faults, "extra", "Required with a timeout above %d.", 60);
}

static const struct field sample_erp_fields[] = {
    {"base_url", FIELD_STRING, FIELD_REQUIRED, offsetof(struct sample_erp, base_url), 1, 10},
    {"timeout_s", FIELD_INTEGER, FIELD_DEFAULT, offsetof(struct sample_erp, timeout_s),
     .default_value = 5},
    {"extra", FIELD_OBJECT, FIELD_OMIT_NULL, offsetof(struct sample_erp, extra)},
};
static const struct record sample_erp_record = {"SampleErp", "Where the ERP is.",
                                                sizeof(struct sample_erp),
                                                RECORD_FIELDS(sample_erp_fields), check_sample_erp};

static const struct field sample_part_fields[] = {
    {"id", FIELD_STRING, FIELD_REQUIRED, offsetof(struct sample_part, id),
     .format = &format_visible},
    {"is_spare", FIELD_BOOLEAN, FIELD_DEFAULT, offsetof(struct sample_part, is_spare),
     .default_value = 1},
};
static const struct record sample_part_record = {"SamplePart", NULL, sizeof(struct sample_part),
                                                 RECORD_FIELDS(sample_part_fields)};

static inline void check_sample(struct record_faults *faults, const void *value)
{
    const struct sample *sample = value;
    if (sample->channel == SAMPLE_SMS && !sample->phone)
        record_fault(faults, "phone", "Required for sms.");
}

static const struct field sample_fields[] = {
    {"name", FIELD_STRING, FIELD_REQUIRED, offsetof(struct sample, name), 1, 5,
     .doc = "What people call it.", .example = "Ёлка"},
    {"phone", FIELD_STRING, FIELD_OMIT_NULL, offsetof(struct sample, phone),
     .format = &format_phone},
    {"code", FIELD_STRING, FIELD_OMIT_NULL | FIELD_SECRET, offsetof(struct sample, code), 4, 4},
    {"ttl_seconds", FIELD_INTEGER, FIELD_DEFAULT, offsetof(struct sample, ttl_seconds), 60, 900,
     .default_value = 300},
    {"balance", FIELD_INTEGER, 0, offsetof(struct sample, balance)},
    {"weight", FIELD_INTEGER, 0, offsetof(struct sample, weight), .min = 1},
    {"is_on", FIELD_BOOLEAN, 0, offsetof(struct sample, is_on)},
    {"occurred_at", FIELD_TIME, FIELD_NULLABLE, offsetof(struct sample, occurred_at)},
    {"id", FIELD_UUID, FIELD_OMIT_NULL, offsetof(struct sample, id)},
    {"channel", FIELD_ENUM, FIELD_REQUIRED, offsetof(struct sample, channel),
     .words = sample_channels},
    {"mode", FIELD_ENUM, FIELD_DEFAULT | FIELD_NULLABLE, offsetof(struct sample, mode),
     .words = sample_modes, .default_value = SAMPLE_FAST},
    {"erp", FIELD_RECORD, FIELD_NULLABLE, offsetof(struct sample, erp),
     .record = &sample_erp_record},
    {"parts", FIELD_RECORDS, 0, offsetof(struct sample, parts), .items_max = 3,
     .record = &sample_part_record},
    {"numbers", FIELD_STRINGS, FIELD_NULLABLE | FIELD_UNIQUE, offsetof(struct sample, numbers),
     .items_min = 1, .items_max = 9, .format = &format_phone},
    {"meta", FIELD_OBJECT, FIELD_NULLABLE, offsetof(struct sample, meta)},
    {"chat_id", FIELD_STRING_OR_INTEGER, FIELD_OMIT_NULL, offsetof(struct sample, chat_id), 1, 20},
};
static const struct record sample_record = {"Sample", "One of everything.", sizeof(struct sample),
                                            RECORD_FIELDS(sample_fields), check_sample};
