/* These tables say how the SMSGate app writes and reads what it is asked and told. What herald does
 * not need of it is left out, and what does not fit is taken as absent. */
#include "domain/smsgate/smsgate.h"

#include <stddef.h>

#define GIVEN (FIELD_LENIENT | FIELD_NULLABLE)

static const struct field sim_fields[] = {
    FIELD_AS("simNumber", struct smsgate_sim, number, FIELD_INTEGER, FIELD_LENIENT,
             "The slot, from 1 on.", .min = 1, .max = SMSGATE_SIMS_MAX),
    FIELD_AS("phoneNumber", struct smsgate_sim, phone_number, FIELD_STRING, GIVEN,
             "The number, masked but for its last digits."),
};
static const struct record sim_record = {
    .name = "SMSGateSim",
    .doc = "A SIM of the phone.",
    .size = sizeof(struct smsgate_sim),
    RECORD_FIELDS(sim_fields),
};

static const struct field device_fields[] = {
    FIELD(struct smsgate_device, id, FIELD_STRING, GIVEN, "The id of the phone."),
    FIELD(struct smsgate_device, name, FIELD_STRING, GIVEN, "Maker and model."),
    FIELD_AS("simCards", struct smsgate_device, sims, FIELD_RECORDS, GIVEN, "Its SIMs.",
             .items_max = SMSGATE_SIMS_MAX, .record = &sim_record),
};
const struct record smsgate_device_record = {
    .name = "SMSGateDevice",
    .doc = "What the app says of its phone.",
    .size = sizeof(struct smsgate_device),
    RECORD_FIELDS(device_fields),
};

static const struct field recipient_fields[] = {
    FIELD(struct smsgate_recipient, state, FIELD_STRING, GIVEN, "What became of it."),
    FIELD(struct smsgate_recipient, error, FIELD_STRING, GIVEN, "Why it failed."),
};
static const struct record recipient_record = {
    .name = "SMSGateRecipient",
    .doc = "The outcome for a recipient.",
    .size = sizeof(struct smsgate_recipient),
    RECORD_FIELDS(recipient_fields),
};

static const struct field times_fields[] = {
    FIELD_AS("Processed", struct smsgate_times, processed, FIELD_TIME, FIELD_WALL | GIVEN,
             "The radio got it."),
    FIELD_AS("Sent", struct smsgate_times, sent, FIELD_TIME, FIELD_WALL | GIVEN, "It was sent."),
    FIELD_AS("Delivered", struct smsgate_times, delivered, FIELD_TIME, FIELD_WALL | GIVEN,
             "It arrived."),
    FIELD_AS("Failed", struct smsgate_times, failed, FIELD_TIME, FIELD_WALL | GIVEN, "It failed."),
    FIELD_AS("Cancelled", struct smsgate_times, cancelled, FIELD_TIME, FIELD_WALL | GIVEN,
             "It was canceled."),
};
static const struct record times_record = {
    .name = "SMSGateTimes",
    .doc = "When a message got into its states, by the phone's clock.",
    .size = sizeof(struct smsgate_times),
    RECORD_FIELDS(times_fields),
};

static const struct field report_fields[] = {
    FIELD(struct smsgate_report, id, FIELD_STRING, FIELD_REQUIRED, "The id of the message."),
    FIELD(struct smsgate_report, state, FIELD_STRING, FIELD_REQUIRED, "What became of it."),
    FIELD(struct smsgate_report, recipients, FIELD_RECORDS, GIVEN, "The same by recipient.",
          .items_max = SMSGATE_REPORTS_MAX, .record = &recipient_record),
    FIELD_AS("states", struct smsgate_report, times, FIELD_RECORD, GIVEN, "When it was so.",
             .record = &times_record),
};
static const struct record report_record = {
    .name = "SMSGateReport",
    .doc = "What became of a message.",
    .size = sizeof(struct smsgate_report),
    RECORD_FIELDS(report_fields),
};

static const struct field reports_fields[] = {
    FIELD(struct smsgate_reports, items, FIELD_RECORDS, FIELD_REQUIRED, "The reports.",
          .items_max = SMSGATE_REPORTS_MAX, .record = &report_record),
};
const struct record smsgate_reports_record = {
    .name = "SMSGateReports",
    .doc = "What became of messages.",
    .size = sizeof(struct smsgate_reports),
    RECORD_FIELDS(reports_fields),
};

static const struct field registration_fields[] = {
    FIELD(struct smsgate_registration, id, FIELD_UUID, FIELD_REQUIRED, "The id of the phone."),
    FIELD(struct smsgate_registration, token, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The key of the phone."),
    FIELD(struct smsgate_registration, login, FIELD_STRING, FIELD_REQUIRED,
          "The name of the phone."),
    FIELD(struct smsgate_registration, password, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "There is none."),
};
const struct record smsgate_registration_record = {
    .name = "SMSGateRegistration",
    .doc = "A phone is registered.",
    .size = sizeof(struct smsgate_registration),
    RECORD_FIELDS(registration_fields),
};

static const struct field text_fields[] = {
    FIELD(struct smsgate_text, text, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET, "What to send."),
};
static const struct record text_record = {
    .name = "SMSGateText",
    .doc = "The text of a message.",
    .size = sizeof(struct smsgate_text),
    RECORD_FIELDS(text_fields),
};

static const struct field message_fields[] = {
    FIELD(struct smsgate_message, id, FIELD_UUID, FIELD_REQUIRED, "The id of the task."),
    FIELD_AS("textMessage", struct smsgate_message, text, FIELD_RECORD, FIELD_REQUIRED, "The text.",
             .record = &text_record),
    FIELD_AS("phoneNumbers", struct smsgate_message, recipients, FIELD_STRINGS, FIELD_REQUIRED,
             "The recipient."),
    FIELD_AS("simNumber", struct smsgate_message, slot, FIELD_INTEGER, FIELD_REQUIRED, "The slot."),
    FIELD_AS("withDeliveryReport", struct smsgate_message, wants_report, FIELD_BOOLEAN,
             FIELD_REQUIRED, "True."),
    FIELD(struct smsgate_message, priority, FIELD_INTEGER, FIELD_REQUIRED,
          "So high that the app sends at once."),
    FIELD_AS("validUntil", struct smsgate_message, valid_until, FIELD_TIME, FIELD_REQUIRED,
             "The app sends nothing later."),
    FIELD(struct smsgate_message, state, FIELD_STRING, FIELD_REQUIRED, "Pending or Cancelling."),
    FIELD_AS("createdAt", struct smsgate_message, created_at, FIELD_TIME, FIELD_REQUIRED,
             "When it was claimed."),
};
const struct record smsgate_message_record = {
    .name = "SMSGateMessage",
    .doc = "A message for the app.",
    .size = sizeof(struct smsgate_message),
    RECORD_FIELDS(message_fields),
};
