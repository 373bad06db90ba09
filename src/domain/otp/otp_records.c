/* How codes and SMS tasks look on the wire (doc A, section 2; contract, section 2). */
#include "domain/otp/otp.h"

#include <stddef.h>

#define EXAMPLE_ID   "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_app_hash(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_alnum(text.data[i]) && text.data[i] != '+' && text.data[i] != '/') return false;
    }
    return text.len == OTP_APP_HASH_LEN;
}

static const struct field_format format_app_hash = {
    .is_valid = is_app_hash,
    .message = "Must be the 11 characters of an Android SMS Retriever hash, such as FA+9qCX9VSu.",
    .pattern = "^[A-Za-z0-9+/]{11}$",
};

/* Labels of letters, digits and inner hyphens, joined by dots (RFC 1123). */
static bool is_domain(struct str text)
{
    size_t label = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '.') {
            if (label == 0 || text.data[i - 1] == '-') return false;
            label = 0;
            continue;
        }
        if (!is_alnum(c) && !(c == '-' && label > 0)) return false;
        if (++label > 63) return false;
    }
    return label > 0 && text.data[text.len - 1] != '-' && text.len <= OTP_ORIGIN_MAX;
}

static const struct field_format format_domain = {
    .is_valid = is_domain,
    .message = "Must be a domain name such as example.com, without a scheme, port or path.",
    .pattern =
        "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$",
};

static bool is_code(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
    }
    return text.len >= 4 && text.len <= OTP_CODE_MAX;
}

static const struct field_format format_code = {
    .is_valid = is_code,
    .message = "Must be 4 to 6 digits.",
    .pattern = "^[0-9]{4,6}$",
};

static const struct field otp_input_fields[] = {
    {.name = "channel",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp_input, channel),
     .words = otp_channel_words,
     .doc = "How the code goes out. A channel without a configured driver answers 503.",
     .example = "\"sms\""},
    {.name = "recipient",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp_input, recipient),
     .format = &format_e164,
     .doc = "The number that has to be proved. For `sms` and `flash_call` it begins as a "
            "`gateway_number` may (HERALD_NUMBER_PREFIXES).",
     .example = "\"+79161234567\""},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .offset = offsetof(struct otp_input, gateway_number),
     .format = &format_phone,
     .doc = "Only for `sms`: the SIM that has to send it. Without it, the ready number with the "
            "fewest active challenges is chosen.",
     .example = "\"+79160000001\""},
    {.name = "account_id",
     .type = FIELD_STRING,
     .offset = offsetof(struct otp_input, account_id),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .doc = "Only for `personal_messenger`, and required there: the account that sends it.",
     .example = "\"shop-12\""},
    {.name = "ttl_seconds",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct otp_input, ttl_seconds),
     .min = OTP_TTL_MIN_S,
     .max = OTP_TTL_MAX_S,
     .default_value = OTP_TTL_DEFAULT_S,
     .doc = "How long the code is good for.",
     .example = "300"},
    {.name = "app_hash",
     .type = FIELD_STRING,
     .offset = offsetof(struct otp_input, app_hash),
     .format = &format_app_hash,
     .doc = "The hash of an Android application, so that its SMS Retriever finds the code.",
     .example = "\"FA+9qCX9VSu\""},
    {.name = "origin",
     .type = FIELD_STRING,
     .offset = offsetof(struct otp_input, origin),
     .format = &format_domain,
     .doc = "The domain of a web page, so that its browser offers the code (WebOTP).",
     .example = "\"example.com\""},
};

static bool is_messenger(int channel)
{
    return channel == OTP_MESSENGER_GATEWAY || channel == OTP_PERSONAL_MESSENGER;
}

/* Which fields go with which channel. The channel is -1 where it is at fault itself. */
static void check_otp_input(struct record_faults *faults, const void *value)
{
    const struct otp_input *input = value;
    bool is_personal = input->channel == OTP_PERSONAL_MESSENGER;

    if (input->channel < 0) return;
    if (!is_messenger(input->channel) && input->recipient &&
        !phone_is_valid(str_of(input->recipient)))
        record_fault(faults, "recipient", "%s", phone_rule.message);
    if (input->gateway_number && input->channel != OTP_SMS)
        record_fault(faults, "gateway_number", "Only goes with the channel sms; leave it out.");
    if (input->account_id && !is_personal)
        record_fault(faults, "account_id",
                     "Only goes with the channel personal_messenger; leave it out.");
    if (!input->account_id && is_personal)
        record_fault(faults, "account_id", "Required for the channel personal_messenger.");
}

const struct record otp_input_record = {
    .name = "OTPInput",
    .doc = "Asks for a one-time code.",
    .size = sizeof(struct otp_input),
    RECORD_FIELDS(otp_input_fields),
    .check = check_otp_input,
};

static const struct field send_fields[] = {
    {.name = "channel",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp_send, channel),
     .words = otp_channel_words,
     .doc = "How it was sent.",
     .example = "\"sms\""},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct otp_send, gateway_number),
     .format = &format_phone,
     .doc = "The SIM that sends it, if it is an SMS.",
     .example = "\"+79160000001\""},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp_send, state),
     .words = otp_send_state_words,
     .doc = "Where this send stands.",
     .example = "\"sent\""},
    {.name = "error",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct otp_send, error),
     .doc = "Why it failed.",
     .example = "null"},
    {.name = "updated_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp_send, updated_at),
     .doc = "When its state last changed.",
     .example = EXAMPLE_TIME},
};

static const struct record otp_send_record = {
    .name = "OTPSend",
    .doc = "One send of a code.",
    .size = sizeof(struct otp_send),
    RECORD_FIELDS(send_fields),
};

static const struct field otp_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, id),
     .doc = "The id of the code's challenge.",
     .example = EXAMPLE_ID},
    {.name = "channel",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, channel),
     .words = otp_channel_words,
     .doc = "How the code went out first.",
     .example = "\"sms\""},
    {.name = "recipient",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, recipient),
     .format = &format_e164,
     .doc = "The number that has to be proved.",
     .example = "\"+79161234567\""},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, state),
     .words = otp_state_words,
     .doc = "Where it stands: queued, accepted by the provider, sent by the phone (not yet "
            "delivered), delivered, undelivered (every send failed), or one of the final states.",
     .example = "\"sent\""},
    {.name = "code_length",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, code_length),
     .min = 4,
     .max = OTP_CODE_MAX,
     .doc = "How many digits the code has. The code itself is never returned.",
     .example = "6"},
    {.name = "attempts_left",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, attempts_left),
     .min = 0,
     .max = OTP_ATTEMPTS_MAX,
     .doc = "How many wrong codes it still bears.",
     .example = "5"},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, created_at),
     .doc = "When it was created.",
     .example = EXAMPLE_TIME},
    {.name = "expires_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, expires_at),
     .doc = "Until when the code is good.",
     .example = EXAMPLE_TIME},
    {.name = "confirmed_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct otp, confirmed_at),
     .doc = "When the right code came.",
     .example = "null"},
    {.name = "sends",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct otp, sends),
     .record = &otp_send_record,
     .doc = "The story of its sending, oldest first."},
};

const struct record otp_record = {
    .name = "OTPChallenge",
    .doc = "A one-time code, without the code.",
    .size = sizeof(struct otp),
    RECORD_FIELDS(otp_fields),
};

static const struct field verify_fields[] = {
    {.name = "code",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct verify_code, code),
     .format = &format_code,
     .doc = "What the customer typed.",
     .example = "\"493021\""},
};

const struct record verify_code_record = {
    .name = "VerifyCode",
    .doc = "A code to compare.",
    .size = sizeof(struct verify_code),
    RECORD_FIELDS(verify_fields),
};

static const struct field fallback_fields[] = {
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .offset = offsetof(struct sms_fallback, gateway_number),
     .format = &format_phone,
     .doc = "The SIM that has to send it. Without it, the ready number with the fewest active "
            "challenges is chosen.",
     .example = "\"+79160000001\""},
};

const struct record sms_fallback_record = {
    .name = "SMSFallback",
    .doc = "Asks for an SMS with the code of another channel.",
    .size = sizeof(struct sms_fallback),
    RECORD_FIELDS(fallback_fields),
};
