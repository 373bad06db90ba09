/* These tables say how reports of calls by other applications look on the wire (contract,
 * section 15.3). */
#include "domain/call_report/call_report.h"
#include "kit/base/macros.h"
#include "kit/json/iso_time.h"

#include <stddef.h>

/* --- Templates -------------------------------------------------------------------------------- */

#define TIME_FORMS "RFC 3339, or seconds or milliseconds since 1970"

static const struct field report_fields[] = {
    FIELD(struct call_report, kind, FIELD_STRING, FIELD_REQUIRED,
          "What the application saw. A call is one of these, in capitals or not: call, incoming "
          "call, missed call, ringing. Anything else, such as an SMS, confirms nothing.",
          .max = CALL_KIND_MAX, .example = "call"),
    FIELD(struct call_report, gateway_number, FIELD_STRING, FIELD_REQUIRED,
          "The phone's number that was called: the one of the SIM that rang.",
          .format = &format_phone, .example = "+79160000001"),
    FIELD(struct call_report, caller, FIELD_STRING, FIELD_NULLABLE | FIELD_LENIENT,
          "Who called: +7XXXXXXXXXX, 8XXXXXXXXXX or 7XXXXXXXXXX. If it is absent, null, empty or "
          "no number, the number is hidden, and the call confirms nothing.",
          .max = CALLER_MAX, .example = "89161234567"),
    FIELD(struct call_report, occurred_at, FIELD_STRING_OR_INTEGER, FIELD_REQUIRED,
          "When the call came in, by the phone's clock: " TIME_FORMS ".", .min = 1,
          .max = CALL_TIME_MAX, .example = "1795235580123"),
    FIELD(struct call_report, sent_at, FIELD_STRING_OR_INTEGER, FIELD_NULLABLE,
          "When this report is sent, by the same clock and in the same forms, told anew at each "
          "try: the offset of the clock, up to an hour, is then taken out of occurred_at.",
          .min = 1, .max = CALL_TIME_MAX, .example = "1795235580456"),
    FIELD(struct call_report, event_id, FIELD_STRING, FIELD_NULLABLE,
          "The application's own id of the call; a repeat gets the first result. Without it, "
          "reports of one number, caller and time are the same.",
          .min = 1, .max = EVENT_ID_MAX, .example = "call-1732163580-17"),
    FIELD(struct call_report, text, FIELD_STRING, FIELD_NULLABLE,
          "The text of an SMS, where a rule fires for SMS, too. A call has none: whatever stands "
          "here, but for an empty string, confirms nothing. It is not kept.",
          .max = CALL_TEXT_MAX, .example = ""),
    FIELD(struct call_report, content, FIELD_STRING, FIELD_NULLABLE, "The same as `text`.",
          .max = CALL_TEXT_MAX, .example = ""),
    FIELD(struct call_report, message, FIELD_STRING, FIELD_NULLABLE, "The same as `text`.",
          .max = CALL_TEXT_MAX, .example = ""),
    FIELD(struct call_report, body, FIELD_STRING, FIELD_NULLABLE, "The same as `text`.",
          .max = CALL_TEXT_MAX, .example = ""),
};

#define SECONDS_END INT64_C(100000000000)    /* from there on a number counts milliseconds */
#define TIME_END_MS INT64_C(253402300800000) /* the year 10000 */

bool call_report_read_time(struct str text, int64_t *ret_ms)
{
    const char *reason;
    long long number;

    if (!str_to_int64(text, &number)) return iso_time_read(text, ret_ms, &reason) == ISO_TIME_OK;
    if (number <= 0 || number >= TIME_END_MS) return false;
    *ret_ms = number < SECONDS_END ? number * 1000 : number;
    return true;
}

static void check_time(struct record_faults *faults, const char *name,
                       const struct string_or_integer *time)
{
    int64_t ms;

    if (time->text && !call_report_read_time(str_of(time->text), &ms))
        record_fault(faults, name,
                     "Must be a time: " TIME_FORMS ", such as 2026-11-21T04:33:00.123+03:00 or "
                     "1795235580123.");
}

static void check_report(struct record_faults *faults, const void *value)
{
    const struct call_report *report = value;

    check_time(faults, "occurred_at", &report->occurred_at);
    check_time(faults, "sent_at", &report->sent_at);
}

const struct record call_report_record = {
    .name = "CallReport",
    .doc = "A call that an application on a phone saw, by a template.",
    .size = sizeof(struct call_report),
    RECORD_FIELDS(report_fields),
    .check = check_report,
};

static const struct field result_fields[] = {
    FIELD(struct event_result, event_id, FIELD_STRING, FIELD_REQUIRED,
          "The event that this answers, as it was sent or made.",
          .example = "call:5f1c9b0e7a3d42c8b6e4d1a09f873c25"),
    FIELD(struct event_result, result, FIELD_ENUM, FIELD_REQUIRED, "What the call did.",
          .words = event_result_words),
    FIELD(struct event_result, duplicate, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether this event was reported before; the result is then the first one.",
          .example = "false"),
    FIELD(struct event_result, challenge_id, FIELD_UUID, FIELD_REQUIRED | FIELD_NULLABLE,
          "The challenge that the call was for."),
    FIELD_AS("reason", struct event_result, why, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
             "A sentence for people on why it confirmed nothing; null: it did, or did before.",
             .example = "nobody with the caller's number was asked to call this SIM"),
};

const struct record call_report_result_record = {
    .name = "CallReportResult",
    .doc = "What became of a report of a call.",
    .size = sizeof(struct event_result),
    RECORD_FIELDS(result_fields),
};

/* --- httpSMS ---------------------------------------------------------------------------------- */

const char *const httpsms_sim_words[] = {"SIM1", "SIM2", NULL};

static const struct field httpsms_call_fields[] = {
    FIELD(struct httpsms_call, sim, FIELD_ENUM, FIELD_REQUIRED, "The place of the SIM that rang.",
          .words = httpsms_sim_words),
    FIELD(struct httpsms_call, from, FIELD_STRING, FIELD_NULLABLE | FIELD_LENIENT,
          "Who called, as in CallReport.", .max = CALLER_MAX, .example = "+79161234567"),
    FIELD(struct httpsms_call, to, FIELD_STRING, FIELD_REQUIRED,
          "The number that was entered for that SIM at the login.", .format = &format_phone,
          .example = "+79160000001"),
    FIELD(struct httpsms_call, timestamp, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED,
          "When the call came in, by the phone's list of calls."),
};

const struct record httpsms_call_record = {
    .name = "HttpSmsMissedCall",
    .doc = "A missed call, as httpSMS reports it.",
    .size = sizeof(struct httpsms_call),
    RECORD_FIELDS(httpsms_call_fields),
};

static const struct field httpsms_login_fields[] = {
    FIELD(struct httpsms_login, sim, FIELD_ENUM, FIELD_REQUIRED, "The place of the SIM.",
          .words = httpsms_sim_words),
    FIELD(struct httpsms_login, phone_number, FIELD_STRING, FIELD_REQUIRED,
          "The number of that SIM, which the phone must have at herald.", .format = &format_phone,
          .example = "+79160000001"),
    FIELD(struct httpsms_login, fcm_token, FIELD_STRING,
          FIELD_NULLABLE | FIELD_LENIENT | FIELD_SECRET,
          "What Google would push to. herald has no use for it, and does not keep it.",
          .max = HTTPSMS_TOKEN_MAX, .example = "dXJ5dmVyc2lvbjph"),
};

const struct record httpsms_login_record = {
    .name = "HttpSmsLogin",
    .doc = "Somebody logs in at httpSMS, once for each SIM.",
    .size = sizeof(struct httpsms_login),
    RECORD_FIELDS(httpsms_login_fields),
};

static const struct field httpsms_phone_fields[] = {
    FIELD(struct httpsms_phone, id, FIELD_UUID, FIELD_REQUIRED, "The id of the phone."),
    FIELD(struct httpsms_phone, user_id, FIELD_UUID, FIELD_REQUIRED, "The same id."),
    FIELD(struct httpsms_phone, phone_number, FIELD_STRING, FIELD_REQUIRED,
          "The number of the SIM.", .example = "+79160000001"),
    FIELD(struct httpsms_phone, sim, FIELD_ENUM, FIELD_REQUIRED, "The place of the SIM.",
          .words = httpsms_sim_words),
};

static const struct record httpsms_phone_record = {
    .name = "HttpSmsPhone",
    .doc = "A SIM that httpSMS may report calls of.",
    .size = sizeof(struct httpsms_phone),
    RECORD_FIELDS(httpsms_phone_fields),
};

static const struct field httpsms_logged_in_fields[] = {
    FIELD(struct httpsms_logged_in, status, FIELD_STRING, FIELD_REQUIRED, "Always success.",
          .example = "success"),
    FIELD(struct httpsms_logged_in, message, FIELD_STRING, FIELD_REQUIRED, "A sentence for people.",
          .example = "the calls of this SIM are taken"),
    FIELD(struct httpsms_logged_in, data, FIELD_RECORD, FIELD_REQUIRED, "The SIM.",
          .record = &httpsms_phone_record),
};

const struct record httpsms_logged_in_record = {
    .name = "HttpSmsLoggedIn",
    .doc = "What httpSMS is told at its login.",
    .size = sizeof(struct httpsms_logged_in),
    RECORD_FIELDS(httpsms_logged_in_fields),
};

/* Any object will do: the first is kept as the status of the phone, as a ping is, and of the second
 * nothing is. */
const struct record httpsms_heartbeat_record = {
    .name = "HttpSmsHeartbeat",
    .doc = "httpSMS is alive. Any JSON object; operators see charging.",
    .size = 1,
};

const struct record httpsms_sms_record = {
    .name = "HttpSmsReceived",
    .doc = "An SMS came. Any JSON object.",
    .size = 1,
};

/* --- CallGate --------------------------------------------------------------------------------- */

/* call_report_http_authenticate_callgate reads them in this order. */
const struct field callgate_headers[] = {
    {.name = "X-Timestamp",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .doc = "When the webhook was sent, in seconds since 1970 by the phone's clock.",
     .example = "1795235580"},
    {.name = "X-Signature",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .min = 64,
     .max = 64,
     .doc = "The HMAC-SHA256, in hexadecimal digits, of the body and the timestamp right behind "
            "it; its key is the signing key of CallGateSetup.",
     .example = "2f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f00"},
    {0},
};

static const struct field callgate_payload_fields[] = {
    FIELD_AS("phoneNumber", struct callgate_payload, phone_number, FIELD_STRING,
             FIELD_NULLABLE | FIELD_LENIENT,
             "Who called. Android tells of each call twice, at first without the number.",
             .max = CALLER_MAX, .example = "+79161234567"),
};

static const struct record callgate_payload_record = {
    .name = "CallGatePayload",
    .doc = "The call of a webhook of CallGate.",
    .size = sizeof(struct callgate_payload),
    RECORD_FIELDS(callgate_payload_fields),
};

static const struct field callgate_report_fields[] = {
    FIELD(struct callgate_report, id, FIELD_STRING, FIELD_REQUIRED,
          "The id of the webhook; a repeat gets the first result.", .min = 1,
          .max = CALLGATE_ID_MAX, .example = "V1StGXR8_Z5jdHi6B-myT"),
    FIELD(struct callgate_report, event, FIELD_STRING, FIELD_REQUIRED,
          "What happened; all but call:ringing confirms nothing.", .max = CALL_KIND_MAX,
          .example = "call:ringing"),
    FIELD(struct callgate_report, payload, FIELD_RECORD, FIELD_NULLABLE, "The call.",
          .record = &callgate_payload_record),
};

const struct record callgate_report_record = {
    .name = "CallGateWebhook",
    .doc = "A webhook of CallGate.",
    .size = sizeof(struct callgate_report),
    RECORD_FIELDS(callgate_report_fields),
};

static const struct field callgate_setup_fields[] = {
    FIELD(struct callgate_setup, url, FIELD_STRING, FIELD_REQUIRED, "The URL of the webhook.",
          .example = "https://herald.example/callgate/v1/0193f0c2-7b1e-7cc4-a1d2-5f0e9a6b3c4d"),
    FIELD(struct callgate_setup, event, FIELD_STRING, FIELD_REQUIRED, "The event of the webhook.",
          .example = "call:ringing"),
    FIELD(struct callgate_setup, signing_key, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The signing key, to be entered in CallGate's settings of webhooks. A new key of the "
          "phone makes another one.",
          .example = "9f86d081884c7d659a2feaa0c55ad015"),
};

const struct record callgate_setup_record = {
    .name = "CallGateSetup",
    .doc = "What is entered in CallGate on a phone.",
    .size = sizeof(struct callgate_setup),
    RECORD_FIELDS(callgate_setup_fields),
};
