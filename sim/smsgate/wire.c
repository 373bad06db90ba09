/* The records of wire.h. */
#include "wire.h"

static const struct field text_fields[] = {
    FIELD(struct text, text, FIELD_STRING, FIELD_REQUIRED, NULL)};
static const struct record text_record = {.size = sizeof(struct text), RECORD_FIELDS(text_fields)};

static const struct field message_fields[] = {
    FIELD(struct message, id, FIELD_UUID, FIELD_REQUIRED, NULL),
    FIELD_AS("textMessage", struct message, text, FIELD_RECORD, FIELD_REQUIRED, NULL,
             .record = &text_record),
    FIELD_AS("phoneNumbers", struct message, recipients, FIELD_STRINGS, FIELD_REQUIRED, NULL),
    FIELD_AS("simNumber", struct message, slot, FIELD_INTEGER, FIELD_REQUIRED, NULL),
    FIELD_AS("validUntil", struct message, valid_until, FIELD_TIME, FIELD_REQUIRED, NULL),
    FIELD(struct message, state, FIELD_STRING, FIELD_REQUIRED, NULL),
};
static const struct record message_record = {.size = sizeof(struct message),
                                             RECORD_FIELDS(message_fields)};

static const struct field messages_fields[] = {
    FIELD(struct messages, items, FIELD_RECORDS, FIELD_REQUIRED, NULL, .record = &message_record)};
const struct record messages_record = {.size = sizeof(struct messages),
                                       RECORD_FIELDS(messages_fields)};

static const struct field registration_fields[] = {
    FIELD(struct registration, id, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct registration, token, FIELD_STRING, FIELD_REQUIRED, NULL)};
const struct record registration_record = {.size = sizeof(struct registration),
                                           RECORD_FIELDS(registration_fields)};

static const struct field gateway_fields[] = {
    FIELD_AS("notification_channel", struct gateway, channel, FIELD_STRING, 0, NULL)};
static const struct record gateway_record = {.size = sizeof(struct gateway),
                                             RECORD_FIELDS(gateway_fields)};

static const struct field ping_fields[] = {
    FIELD_AS("interval_seconds", struct ping, interval_s, FIELD_INTEGER, 0, NULL)};
static const struct record ping_record = {.size = sizeof(struct ping), RECORD_FIELDS(ping_fields)};

static const struct field settings_fields[] = {
    FIELD(struct settings, gateway, FIELD_RECORD, 0, NULL, .record = &gateway_record),
    FIELD(struct settings, ping, FIELD_RECORD, 0, NULL, .record = &ping_record)};
const struct record settings_record = {.size = sizeof(struct settings),
                                       RECORD_FIELDS(settings_fields)};

bool wire_decode(const struct record *record, struct str body, struct arena *arena, void *value)
{
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    record_faults_init(faults, arena);
    return record_decode(record, body, false, arena, value, faults) == ERR_OK;
}
