/* A flash-call template has these members, row by row. */
#include "domain/channel/flash_template.h"
#include "kit/json/pointer.h"

enum {
    NAME_MAX_CHARS = 40,
    URL_MAX_CHARS = 256,
    POINTER_MAX_CHARS = 128,
    PATTERN_MAX_CHARS = 64,
    PATTERNS_MAX = 64,
    CALLS_PER_S_MAX = 10000,
};

const char *const flash_mode_words[] = {"give", "learn", NULL};
const char *const flash_method_words[] = {"GET", "POST", NULL};

static bool is_pointer(struct str text)
{
    AUTO_BUF copy = {0};

    buf_init(&copy, text.len + 1);
    buf_str(&copy, text);
    buf_char(&copy, '\0');
    return text.len > 0 && json_pointer_is_valid(copy.data);
}

static const struct field_format format_pointer = {
    .is_valid = is_pointer,
    .message = "Must be a JSON Pointer such as /data/id.",
};

/* The key goes over this address, so it is encrypted. */
static bool is_base_url(struct str text)
{
    static const char scheme[] = "https://";
    size_t len = sizeof(scheme) - 1;

    if (!format_visible.is_valid(text) || text.len <= len) return false;
    if (memcmp(text.data, scheme, len) != 0 || text.data[text.len - 1] == '/') return false;
    return !memchr(text.data, '?', text.len) && !memchr(text.data, '#', text.len) &&
           !memchr(text.data, '@', text.len);
}

static const struct field_format format_base_url = {
    .is_valid = is_base_url,
    .message = "Must be an https:// address without a slash at the end, a query or a password.",
};

static bool is_path(struct str text)
{
    if (text.len == 0 || text.data[0] != '/' || !format_visible.is_valid(text)) return false;
    return !memchr(text.data, '?', text.len) && !memchr(text.data, '#', text.len);
}

static const struct field_format format_path = {
    .is_valid = is_path,
    .message = "Must begin with a slash and hold visible ASCII only; a query stands in `query`.",
};

/* This is a row whose string is a JSON Pointer. */
#define POINTER(member, type_name, target, text)                                              \
    {                                                                                         \
        .name = (member), .type = FIELD_STRING, .offset = offsetof(struct type_name, target), \
        .max = POINTER_MAX_CHARS, .format = &format_pointer, .doc = (text),                   \
    }

/* This is a row with a list of patterns. */
#define PATTERNS(member, type_name, target, text)                                              \
    {                                                                                          \
        .name = (member), .type = FIELD_STRINGS, .offset = offsetof(struct type_name, target), \
        .min = 1, .max = PATTERN_MAX_CHARS, .items_max = PATTERNS_MAX, .doc = (text),          \
    }

static const struct field request_fields[] = {
    FIELD(struct flash_request, method, FIELD_ENUM, FIELD_REQUIRED, "GET or POST.",
          .words = flash_method_words),
    FIELD(struct flash_request, path, FIELD_STRING, FIELD_REQUIRED, "What follows the base URL.",
          .max = URL_MAX_CHARS, .format = &format_path),
    FIELD_AS("headers", struct flash_request, headers_text, FIELD_OBJECT, 0,
             "Headers by their names."),
    FIELD_AS("query", struct flash_request, query_text, FIELD_OBJECT, 0, "Parameters of the URL."),
    FIELD_AS("form", struct flash_request, form_text, FIELD_OBJECT, 0, "The body as a form."),
    FIELD(struct flash_request, json, FIELD_OBJECT, 0, "The body as JSON."),
};

static const struct record request_record = {
    .name = "FlashRequest", .size = sizeof(struct flash_request), RECORD_FIELDS(request_fields)};

static const struct field success_fields[] = {
    FIELD(struct flash_success, pointer, FIELD_STRING, FIELD_REQUIRED,
          "Where the answer says that it is a success.", .max = POINTER_MAX_CHARS,
          .format = &format_pointer),
    FIELD(struct flash_success, equals, FIELD_STRING, FIELD_REQUIRED,
          "What stands there then; of a number its digits, of a boolean true or false.", .min = 1,
          .max = PATTERN_MAX_CHARS),
};

static const struct record success_record = {
    .name = "FlashSuccess", .size = sizeof(struct flash_success), RECORD_FIELDS(success_fields)};

static const struct field code_fields[] = {
    FIELD(struct flash_code, pointer, FIELD_STRING, FIELD_REQUIRED,
          "Where the provider tells the code that it chose.", .max = POINTER_MAX_CHARS,
          .format = &format_pointer),
    FIELD_AS("last_4", struct flash_code, is_last_4, FIELD_BOOLEAN, 0,
             "The value may be longer: its last four digits count."),
};

static const struct record code_record = {
    .name = "FlashCode", .size = sizeof(struct flash_code), RECORD_FIELDS(code_fields)};

static const struct field error_fields[] = {
    POINTER("code", flash_error, code, "Where a refusal has its number or name."),
    POINTER("text", flash_error, text, "Where a refusal has its words for people."),
    POINTER("wait", flash_error, wait, "Where a refusal has the seconds to wait."),
    PATTERNS("rate_limited", flash_error, classes[OUTCOME_RATE_LIMITED], "Wait, then again."),
    PATTERNS("retryable", flash_error, classes[OUTCOME_RETRYABLE], "Not sent, for now."),
    PATTERNS("permanent", flash_error, classes[OUTCOME_PERMANENT], "Never to this number."),
    PATTERNS("ours", flash_error, classes[OUTCOME_OURS], "Credentials or balance."),
    PATTERNS("unknown", flash_error, classes[OUTCOME_UNKNOWN], "It may have been sent."),
};

static const struct record error_record = {
    .name = "FlashError", .size = sizeof(struct flash_error), RECORD_FIELDS(error_fields)};

static const struct field status_fields[] = {
    FIELD(struct flash_status, request, FIELD_RECORD, FIELD_REQUIRED, "How the provider is asked.",
          .record = &request_record),
    FIELD(struct flash_status, state, FIELD_STRING, FIELD_REQUIRED,
          "Where the answer has the state of the call.", .max = POINTER_MAX_CHARS,
          .format = &format_pointer),
    PATTERNS("sent", flash_status, classes[PROGRESS_SENT], "The call is placed."),
    PATTERNS("delivered", flash_status, classes[PROGRESS_DELIVERED], "The phone rang."),
    PATTERNS("failed", flash_status, classes[PROGRESS_FAILED], "The phone did not ring."),
};

static const struct record status_record = {
    .name = "FlashStatus", .size = sizeof(struct flash_status), RECORD_FIELDS(status_fields)};

static const struct field template_fields[] = {
    FIELD(struct flash_template, name, FIELD_STRING, FIELD_REQUIRED, "The provider in logs.",
          .min = 1, .max = NAME_MAX_CHARS, .format = &format_visible),
    FIELD(struct flash_template, mode, FIELD_ENUM, FIELD_REQUIRED,
          "give: the provider takes our code; learn: it tells us its own.",
          .words = flash_mode_words),
    FIELD(struct flash_template, base_url, FIELD_STRING, FIELD_REQUIRED,
          "Where the provider is, unless a setting says otherwise.", .max = URL_MAX_CHARS,
          .format = &format_base_url),
    FIELD_AS("deduplicates", struct flash_template, is_deduplicating, FIELD_BOOLEAN, 0,
             "A repeat with the same {uuid} is the same call."),
    FIELD(struct flash_template, calls_per_s, FIELD_INTEGER, FIELD_DEFAULT,
          "The pace that the provider allows; 0: none is told.", .min = 0, .max = CALLS_PER_S_MAX),
    FIELD(struct flash_template, send, FIELD_RECORD, FIELD_REQUIRED, "How a call is asked for.",
          .record = &request_record),
    FIELD(struct flash_template, success, FIELD_RECORD, 0,
          "How an answer says that the call is taken.", .record = &success_record),
    POINTER("id", flash_template, id, "Where the provider's id of the call stands."),
    FIELD(struct flash_template, code, FIELD_RECORD, 0, "How the code is learned.",
          .record = &code_record),
    FIELD(struct flash_template, error, FIELD_RECORD, 0,
          "How an answer says that the call is refused.", .record = &error_record),
    FIELD(struct flash_template, status, FIELD_RECORD, 0, "How the outcome of a call is asked for.",
          .record = &status_record),
};

const struct record flash_template_record = {
    .name = "FlashTemplate", .size = sizeof(struct flash_template), RECORD_FIELDS(template_fields)};
