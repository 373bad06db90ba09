/* These tables say how codes look on the wire (doc A, section 2; contract, section 2). */
#include "core/personal.h"
#include "domain/otp/otp.h"

#include <stddef.h>

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
    FIELD(struct otp_input, channel, FIELD_ENUM, FIELD_REQUIRED,
          "How the code goes out. A channel without a configured driver answers 503.",
          .words = otp_channel_words),
    FIELD(struct otp_input, recipient, FIELD_STRING, FIELD_REQUIRED,
          "The number that has to be proved. For `sms` and `flash_call` it begins as a "
          "`gateway_number` may (HERALD_NUMBER_PREFIXES).",
          .format = &format_e164, .example = "+79161234567"),
    FIELD(struct otp_input, gateway_number, FIELD_STRING, 0,
          "Only for `sms`: the SIM that has to send it. Without it, the ready number with the "
          "fewest active challenges is chosen.",
          .format = &format_phone, .example = "+79160000001"),
    FIELD(struct otp_input, account_id, FIELD_STRING, 0,
          "Only for `personal_messenger`, and required there: the account that sends it.", .min = 1,
          .max = ACCOUNT_ID_MAX, .example = "shop-12"),
    FIELD(struct otp_input, ttl_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long the code is good for.", .min = OTP_TTL_MIN_S, .max = OTP_TTL_MAX_S,
          .default_value = OTP_TTL_DEFAULT_S, .example = "300"),
    FIELD(struct otp_input, app_hash, FIELD_STRING, 0,
          "The hash of an Android application, so that its SMS Retriever finds the code.",
          .format = &format_app_hash, .example = "FA+9qCX9VSu"),
    FIELD(struct otp_input, origin, FIELD_STRING, 0,
          "The domain of a web page, so that its browser offers the code (WebOTP).",
          .format = &format_domain, .example = "example.com"),
    METADATA_INPUT_ROW(struct otp_input),
};

/* Each channel wants its own fields. The channel is -1 where it is at fault itself. */
static void check_otp_input(struct record_faults *faults, const void *value)
{
    const struct otp_input *input = value;
    bool is_personal = input->channel == OTP_PERSONAL_MESSENGER;
    bool is_messenger = is_personal || input->channel == OTP_MESSENGER_GATEWAY;

    if (input->channel < 0) return;
    if (!is_messenger && input->recipient && !phone_is_valid(str_of(input->recipient)))
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
    FIELD(struct otp_send, channel, FIELD_ENUM, FIELD_REQUIRED, "How it was sent.",
          .words = otp_channel_words),
    FIELD(struct otp_send, gateway_number, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The SIM that sends it, if it is an SMS.", .format = &format_phone,
          .example = "+79160000001"),
    FIELD(struct otp_send, state, FIELD_ENUM, FIELD_REQUIRED, "Where this send stands.",
          .words = otp_send_state_words, .example = "sent"),
    FIELD(struct otp_send, error, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "Why it failed.", .example = "null"),
    FIELD(struct otp_send, updated_at, FIELD_TIME, FIELD_REQUIRED, "When its state last changed."),
};

static const struct record otp_send_record = {
    .name = "OTPSend",
    .doc = "One send of a code.",
    .size = sizeof(struct otp_send),
    RECORD_FIELDS(send_fields),
};

static const struct field otp_fields[] = {
    FIELD(struct otp, id, FIELD_UUID, FIELD_REQUIRED, "The id of the code's challenge."),
    FIELD(struct otp, channel, FIELD_ENUM, FIELD_REQUIRED, "How the code went out first.",
          .words = otp_channel_words),
    FIELD(struct otp, recipient, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL,
          "The number that has to be proved; masked for roles that may not see it. null: it was "
          "erased.",
          .example = "+79161234567"),
    FIELD(struct otp, state, FIELD_ENUM, FIELD_REQUIRED,
          "Where it stands: queued, accepted by the provider, sent by the phone (not yet "
          "delivered), delivered, undelivered (every send failed), or one of the final states.",
          .words = otp_state_words, .example = "sent"),
    FIELD(struct otp, code_length, FIELD_INTEGER, FIELD_REQUIRED,
          "How many digits the code has. The code itself is never returned.", .min = 4,
          .max = OTP_CODE_MAX, .example = "6"),
    FIELD(struct otp, attempts_left, FIELD_INTEGER, FIELD_REQUIRED,
          "How many wrong codes it still bears.", .min = 0, .max = OTP_ATTEMPTS_MAX,
          .example = "5"),
    FIELD(struct otp, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was created."),
    FIELD(struct otp, expires_at, FIELD_TIME, FIELD_REQUIRED, "Until when the code is good."),
    FIELD(struct otp, confirmed_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the right code came."),
    FIELD(struct otp, sends, FIELD_RECORDS, FIELD_REQUIRED,
          "The story of its sending, oldest first.", .record = &otp_send_record),
    FIELD(struct otp, test, FIELD_BOOLEAN, FIELD_OMIT_NULL,
          "True for a test number, to which nothing is sent; otherwise it is left out.",
          .example = "true"),
    METADATA_ROW(struct otp),
    PERSONAL_ERASED_ROW(struct otp),
};

const struct record otp_record = {
    .name = "OTPChallenge",
    .doc = "A one-time code, without the code.",
    .size = sizeof(struct otp),
    RECORD_FIELDS(otp_fields),
};

/* --- Lists --- */

static const struct field filter_fields[] = {
    SEARCH_NUMBER_ROW("recipient", struct otp_filter, search.number, "Only codes of this number."),
    FIELD(struct otp_filter, state, FIELD_ENUM, 0, "Only codes that are in this state now.",
          .words = otp_state_words, .example = "undelivered"),
    FIELD(struct otp_filter, channel, FIELD_ENUM, 0, "Only codes that went out first by it.",
          .words = otp_channel_words),
    SEARCH_NUMBER_ROW("gateway_number", struct otp_filter, gateway_number,
                      "Only codes of which an SMS went over this SIM, or was to."),
    SEARCH_TIME_ROWS(struct otp_filter),
};

const struct record otp_filter_query = {.size = sizeof(struct otp_filter),
                                        RECORD_FIELDS(filter_fields)};

static const struct field list_fields[] = {
    FIELD(struct otp_list, codes, FIELD_RECORDS, FIELD_REQUIRED, SEARCH_LIST_DOC,
          .record = &otp_record),
    PAGE_NEXT_ROW(struct otp_list),
};

const struct record otp_list_record = {
    .name = "OTPList",
    .doc = "A page of one-time codes.",
    .size = sizeof(struct otp_list),
    RECORD_FIELDS(list_fields),
};

static const struct field verify_fields[] = {
    FIELD(struct verify_code, code, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "What the customer typed.", .format = &format_code, .example = "493021"),
};

const struct record verify_code_record = {
    .name = "VerifyCode",
    .doc = "A code to compare.",
    .size = sizeof(struct verify_code),
    RECORD_FIELDS(verify_fields),
};

static const struct field fallback_fields[] = {
    FIELD(struct sms_fallback, gateway_number, FIELD_STRING, 0,
          "The SIM that has to send it. Without it, the ready number with the fewest active "
          "challenges is chosen.",
          .format = &format_phone, .example = "+79160000001"),
};

const struct record sms_fallback_record = {
    .name = "SMSFallback",
    .doc = "Asks for an SMS with the code of another channel.",
    .size = sizeof(struct sms_fallback),
    RECORD_FIELDS(fallback_fields),
};
