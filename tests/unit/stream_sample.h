/* A package with a field of every type and every rule, for the tests of streams and the fuzz
 * target; and its outcome as text, so that two outcomes can be compared. */
#pragma once

#include "core/phone.h"
#include "kit/json/record_stream.h"

#include <inttypes.h>
#include <stddef.h>

struct stream_part {
    const char *id;
    int64_t count;
    struct record_list notes;
};

struct stream_owner {
    const char *name;
};

struct stream_thing {
    const char *id;
    int64_t count;
    const char *price, *weight, *delta;
    bool is_on;
    int flag;
    int kind;
    const char *rate;
    int64_t at;
    struct uuid uuid;
    struct scalar value;
    struct stream_owner *owner;
    struct record_list parts;
    struct record_list tags;
    struct string_or_integer chat;
    struct str meta;
    const char *code, *phone;
};

struct stream_row {
    const char *id;
};

struct stream_package {
    const char *event_id;
    int64_t generated_at;
    struct str note;
    struct record_list rows;   /* streamed */
    struct record_list things; /* streamed */
    struct record_list extras;
};

static inline bool is_stream_code(struct str text)
{
    return text.len > 0 && text.data[0] == 'c';
}
static const struct field_format stream_code_format = {
    .is_valid = is_stream_code, .message = "Must begin with c.", .pattern = "^c\""};

static const char *const stream_kinds[] = {"good", "service", "other", NULL};
static const char *const stream_rates[] = {"none", "0", "20", NULL};

#define STREAM_FIELD(type, member) offsetof(struct stream_##type, member)

static const struct field stream_part_fields[] = {
    {"id", FIELD_STRING, FIELD_REQUIRED | FIELD_OMIT_NULL, STREAM_FIELD(part, id), 1, 5},
    {"count", FIELD_INTEGER, 0, STREAM_FIELD(part, count)},
    {"notes", FIELD_STRINGS, FIELD_OMIT_NULL, STREAM_FIELD(part, notes)},
};
static const struct record stream_part_record = {"Part", NULL, sizeof(struct stream_part),
                                                 RECORD_FIELDS(stream_part_fields)};

static const struct field stream_owner_fields[] = {
    {"name", FIELD_STRING, FIELD_REQUIRED | FIELD_OMIT_NULL, STREAM_FIELD(owner, name), 2, 0},
};
static const struct record stream_owner_record = {"Owner", NULL, sizeof(struct stream_owner),
                                                  RECORD_FIELDS(stream_owner_fields)};

static const struct field stream_thing_fields[] = {
    {"id", FIELD_STRING, FIELD_REQUIRED | FIELD_OMIT_NULL, STREAM_FIELD(thing, id), 1, 5},
    {"count", FIELD_INTEGER, 0, STREAM_FIELD(thing, count), -5, 100},
    {"price", FIELD_DECIMAL, FIELD_REQUIRED | FIELD_OMIT_NULL | FIELD_NOT_NEGATIVE,
     STREAM_FIELD(thing, price)},
    {"weight", FIELD_DECIMAL, FIELD_OMIT_NULL | FIELD_POSITIVE, STREAM_FIELD(thing, weight)},
    {"delta", FIELD_DECIMAL, FIELD_OMIT_NULL, STREAM_FIELD(thing, delta)},
    {"on", FIELD_BOOLEAN, FIELD_DEFAULT, STREAM_FIELD(thing, is_on), .default_value = 1},
    {"flag", FIELD_TRISTATE, FIELD_OMIT_NULL, STREAM_FIELD(thing, flag)},
    {"kind", FIELD_ENUM, FIELD_DEFAULT | FIELD_OMIT_NULL, STREAM_FIELD(thing, kind),
     .words = stream_kinds, .default_value = 1},
    {"rate", FIELD_WORD, FIELD_NUMBER_WORDS | FIELD_OMIT_NULL, STREAM_FIELD(thing, rate),
     .words = stream_rates},
    {"at", FIELD_TIME, FIELD_OMIT_NULL, STREAM_FIELD(thing, at)},
    {"uuid", FIELD_UUID, FIELD_OMIT_NULL, STREAM_FIELD(thing, uuid)},
    {"value", FIELD_SCALAR, FIELD_OMIT_NULL, STREAM_FIELD(thing, value)},
    {"owner", FIELD_RECORD, FIELD_OMIT_NULL, STREAM_FIELD(thing, owner),
     .record = &stream_owner_record},
    {"parts", FIELD_RECORDS, FIELD_OMIT_NULL, STREAM_FIELD(thing, parts), .items_min = 1,
     .items_max = 3, .record = &stream_part_record},
    {"tags", FIELD_STRINGS, FIELD_OMIT_NULL | FIELD_UNIQUE, STREAM_FIELD(thing, tags), 1, 3,
     .items_max = 5},
    {"chat", FIELD_STRING_OR_INTEGER, FIELD_OMIT_NULL, STREAM_FIELD(thing, chat), 1, 5},
    {"meta", FIELD_OBJECT, FIELD_OMIT_NULL, STREAM_FIELD(thing, meta)},
    {"code", FIELD_STRING, FIELD_OMIT_NULL, STREAM_FIELD(thing, code),
     .format = &stream_code_format},
    {"phone", FIELD_STRING, FIELD_NULLABLE | FIELD_OMIT_NULL, STREAM_FIELD(thing, phone),
     .format = &format_phone},
};
static const struct record stream_thing_record = {"Thing", NULL, sizeof(struct stream_thing),
                                                  RECORD_FIELDS(stream_thing_fields)};

static const struct field stream_row_fields[] = {
    {"id", FIELD_STRING, FIELD_REQUIRED | FIELD_OMIT_NULL, STREAM_FIELD(row, id), 1, 5},
};
static const struct record stream_row_record = {"Row", NULL, sizeof(struct stream_row),
                                                RECORD_FIELDS(stream_row_fields)};

static const struct field stream_package_fields[] = {
    {"event_id", FIELD_STRING, FIELD_REQUIRED | FIELD_OMIT_NULL, STREAM_FIELD(package, event_id), 1,
     8},
    {"generated_at", FIELD_TIME, FIELD_REQUIRED | FIELD_OMIT_NULL,
     STREAM_FIELD(package, generated_at)},
    {"note", FIELD_OBJECT, FIELD_OMIT_NULL, STREAM_FIELD(package, note)},
    {"rows", FIELD_RECORDS, FIELD_STREAMED | FIELD_OMIT_NULL, STREAM_FIELD(package, rows),
     .items_min = 1, .items_max = 4, .record = &stream_row_record},
    {"things", FIELD_RECORDS, FIELD_STREAMED | FIELD_REQUIRED | FIELD_OMIT_NULL,
     STREAM_FIELD(package, things), .record = &stream_thing_record},
    {"extras", FIELD_RECORDS, FIELD_OMIT_NULL, STREAM_FIELD(package, extras),
     .record = &stream_row_record},
};
static const struct record stream_package_record = {"Package", NULL, sizeof(struct stream_package),
                                                    RECORD_FIELDS(stream_package_fields)};

static inline void put_stream_value(struct buf *out, const struct record *record, const void *value)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    record_encode(record, value, &writer);
    buf_char(out, '\n');
}

/* "things[1] {...} = <its text>" */
static inline void put_stream_item(struct buf *out, struct str text, const struct stream_item *item)
{
    buf_printf(out, "%s[%zu] ", item->list->name, item->index);
    put_stream_value(out, item->list->record, item->value);
    buf_printf(out, "= %.*s\n", (int)(item->end - item->begin), text.data + item->begin);
}

/* "missing at "things",0,"id": Field required {ctx} <- {...}" */
static inline void put_stream_fault(struct buf *out, struct str text,
                                    const struct stream_fault *fault)
{
    buf_printf(out, "%s at %s: %s", fault->type, fault->loc, fault->message);
    if (fault->ctx) buf_printf(out, " %s", fault->ctx);
    buf_text(out, " <- ");
    if (fault->input)
        buf_text(out, fault->input);
    else
        buf_append(out, text.data + fault->begin, fault->end - fault->begin);
    buf_char(out, '\n');
}

/* All that came of a stream that has ended: the envelope without its streamed lists' items, and the
 * faults. */
static inline void put_stream_end(struct buf *out, struct str text, enum stream_state state,
                                  const struct record_stream *stream)
{
    size_t count;
    bool is_truncated;
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);
    struct stream_package package = *(const struct stream_package *)record_stream_value(stream);

    if (state == STREAM_FAULT) {
        buf_printf(out, "no JSON at %" PRIu64 ": %s\n", record_stream_offset(stream),
                   record_stream_why(stream));
        return;
    }
    buf_printf(out, "%zu rows, %zu things, ", package.rows.count, package.things.count);
    package.rows = package.things = (struct record_list){.items = NULL};
    put_stream_value(out, &stream_package_record, &package);
    for (size_t i = 0; i < count; i++)
        put_stream_fault(out, text, &faults[i]);
    if (is_truncated) buf_text(out, "and more\n");
}
