/* The members of a flash-call template, row by row. */
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

/* The key goes over it, so it is encrypted. */
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

/* A row whose string is a JSON Pointer. */
#define POINTER(member, type_name, target, text)                                              \
    {                                                                                         \
        .name = (member), .type = FIELD_STRING, .offset = offsetof(struct type_name, target), \
        .max = POINTER_MAX_CHARS, .format = &format_pointer, .doc = (text),                   \
    }

/* A row with a list of patterns. */
#define PATTERNS(member, type_name, target, text)                                              \
    {                                                                                          \
        .name = (member), .type = FIELD_STRINGS, .offset = offsetof(struct type_name, target), \
        .min = 1, .max = PATTERN_MAX_CHARS, .items_max = PATTERNS_MAX, .doc = (text),          \
    }

static const struct field request_fields[] = {
    {.name = "method",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_request, method),
     .words = flash_method_words,
     .doc = "GET or POST."},
    {.name = "path",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_request, path),
     .max = URL_MAX_CHARS,
     .format = &format_path,
     .doc = "What follows the base URL."},
    {.name = "headers",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct flash_request, headers_text),
     .doc = "Headers by their names."},
    {.name = "query",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct flash_request, query_text),
     .doc = "Parameters of the URL."},
    {.name = "form",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct flash_request, form_text),
     .doc = "The body as a form."},
    {.name = "json",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct flash_request, json),
     .doc = "The body as JSON."},
};

static const struct record request_record = {
    .name = "FlashRequest", .size = sizeof(struct flash_request), RECORD_FIELDS(request_fields)};

static const struct field success_fields[] = {
    {.name = "pointer",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_success, pointer),
     .max = POINTER_MAX_CHARS,
     .format = &format_pointer,
     .doc = "Where the answer says that it is a success."},
    {.name = "equals",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_success, equals),
     .min = 1,
     .max = PATTERN_MAX_CHARS,
     .doc = "What stands there then; of a number its digits, of a boolean true or false."},
};

static const struct record success_record = {
    .name = "FlashSuccess", .size = sizeof(struct flash_success), RECORD_FIELDS(success_fields)};

static const struct field code_fields[] = {
    {.name = "pointer",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_code, pointer),
     .max = POINTER_MAX_CHARS,
     .format = &format_pointer,
     .doc = "Where the provider tells the code that it chose."},
    {.name = "last_4",
     .type = FIELD_BOOLEAN,
     .offset = offsetof(struct flash_code, is_last_4),
     .doc = "The value may be longer: its last four digits count."},
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
    {.name = "request",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_status, request),
     .record = &request_record,
     .doc = "How the provider is asked."},
    {.name = "state",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_status, state),
     .max = POINTER_MAX_CHARS,
     .format = &format_pointer,
     .doc = "Where the answer has the state of the call."},
    PATTERNS("sent", flash_status, classes[PROGRESS_SENT], "The call is placed."),
    PATTERNS("delivered", flash_status, classes[PROGRESS_DELIVERED], "The phone rang."),
    PATTERNS("failed", flash_status, classes[PROGRESS_FAILED], "The phone did not ring."),
};

static const struct record status_record = {
    .name = "FlashStatus", .size = sizeof(struct flash_status), RECORD_FIELDS(status_fields)};

static const struct field template_fields[] = {
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_template, name),
     .min = 1,
     .max = NAME_MAX_CHARS,
     .format = &format_visible,
     .doc = "The provider in logs."},
    {.name = "mode",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_template, mode),
     .words = flash_mode_words,
     .doc = "give: the provider takes our code; learn: it tells us its own."},
    {.name = "base_url",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_template, base_url),
     .max = URL_MAX_CHARS,
     .format = &format_base_url,
     .doc = "Where the provider is, unless a setting says otherwise."},
    {.name = "deduplicates",
     .type = FIELD_BOOLEAN,
     .offset = offsetof(struct flash_template, is_deduplicating),
     .doc = "A repeat with the same {uuid} is the same call."},
    {.name = "calls_per_s",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct flash_template, calls_per_s),
     .min = 0,
     .max = CALLS_PER_S_MAX,
     .doc = "The pace that the provider allows; 0: none is told."},
    {.name = "send",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct flash_template, send),
     .record = &request_record,
     .doc = "How a call is asked for."},
    {.name = "success",
     .type = FIELD_RECORD,
     .offset = offsetof(struct flash_template, success),
     .record = &success_record,
     .doc = "How an answer says that the call is taken."},
    POINTER("id", flash_template, id, "Where the provider's id of the call stands."),
    {.name = "code",
     .type = FIELD_RECORD,
     .offset = offsetof(struct flash_template, code),
     .record = &code_record,
     .doc = "How the code is learned."},
    {.name = "error",
     .type = FIELD_RECORD,
     .offset = offsetof(struct flash_template, error),
     .record = &error_record,
     .doc = "How an answer says that the call is refused."},
    {.name = "status",
     .type = FIELD_RECORD,
     .offset = offsetof(struct flash_template, status),
     .record = &status_record,
     .doc = "How the outcome of a call is asked for."},
};

const struct record flash_template_record = {
    .name = "FlashTemplate", .size = sizeof(struct flash_template), RECORD_FIELDS(template_fields)};
