/* No table makes the error records, shared parameters and headers; they are here. */
#include "app/openapi/openapi_parts.h"
#include "core/request.h"
#include "kit/base/macros.h"

#include <stdio.h>

const char openapi_error_schema[] =
    "{\"type\":\"object\",\"description\":\"What went wrong. `code` is for programs, `message` for "
    "people.\",\"required\":[\"error\"],\"properties\":{\"error\":{\"type\":\"object\","
    "\"description\":\"The error; some codes add a member, such as `challenge_id` or "
    "`attempts_left`.\",\"required\":[\"code\",\"message\",\"request_id\"],\"properties\":{"
    "\"code\":{\"type\":\"string\",\"description\":\"Never renamed.\"},"
    "\"message\":{\"type\":\"string\",\"description\":\"A sentence for people.\"},"
    "\"request_id\":{\"type\":\"string\",\"description\":\"The id under which the log tells "
    "more.\"},"
    "\"fields\":{\"type\":\"array\",\"maxItems\":100,\"description\":\"Every fault; only with "
    "`validation_error`.\",\"items\":{\"type\":\"object\",\"required\":[\"path\",\"message\"],"
    "\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"Where: `numbers[1]`.\"},"
    "\"message\":{\"type\":\"string\",\"description\":\"What, and how to mend it.\"}}}},"
    "\"challenge_id\":{\"type\":\"string\",\"format\":\"uuid\",\"description\":\"With "
    "`active_challenge_exists`: the active one.\"},"
    "\"number\":{\"type\":\"string\",\"description\":\"With `number_taken`: the number.\"},"
    "\"what\":{\"type\":\"string\",\"description\":\"With `not_found`: what is not there, such as "
    "`path`, `device`, `gateway_number`, `account_id`, `integration` or `event_id`.\"},"
    "\"attempts_left\":{\"type\":\"integer\",\"format\":\"int64\",\"description\":\"With "
    "`code_mismatch`.\"},"
    "\"reason\":{\"allOf\":[{\"$ref\":\"#/components/schemas/UnavailableReason\"}],"
    "\"description\":\"With `channel_unavailable`: why. After "
    "`not_configured` there is no Retry-After, since no wait mends it.\"},"
    "\"retry_at\":{\"type\":\"string\",\"format\":\"date-time\",\"description\":\"When "
    "to try again, where the header Retry-After tells how long to wait.\"}}}}}";

const char openapi_parameters[] =
    "{\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"required\":true,"
    "\"description\":\"1 to 200 characters of UTF-8, none of them a control character; spaces "
    "around them do not count. A repeat with the same body answers with the original resource; "
    "with "
    "another body 409.\",\"schema\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":200,"
    "\"pattern\":\"^[^\\\\u0000-\\\\u0020\\\\u007f-\\\\u009f]"
    "([^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f]*"
    "[^\\\\u0000-\\\\u0020\\\\u007f-\\\\u009f])?$\"},\"example\":\"signup-4711-1\"},"
    "\"LastEventId\":{\"name\":\"Last-Event-ID\",\"in\":\"header\",\"description\":\"The id of the "
    "last entry that was seen.\",\"schema\":{\"type\":\"integer\",\"format\":\"int64\","
    "\"minimum\":0},\"example\":4711},"
    "\"RequestId\":{\"name\":\"X-Request-Id\",\"in\":\"header\",\"description\":\"Your own id "
    "for this request, 1 to 128 visible characters; answered and logged. Any other is read over, "
    "and "
    "the request gets a new one.\",\"schema\":{\"type\":\"string\"},"
    "\"example\":\"checkout-81f3\"}}";

const char openapi_headers[] =
    "{\"RequestId\":{\"description\":\"The id of this request, also in its log entries.\",\""
    "schema\":{\"type\":\"string\"}},\"CacheControl\":{\"description\":\"Whether the answer may "
    "be kept: `no-store`, unless this operation's answers are the same for everybody. What HTTP "
    "itself refuses has none.\",\"schema\":{\"type\":\"string\"}},\"Pragma\":{\"description\":\""
    "`no-cache`, for the sake of RFC 6749, section 5.1.\",\"schema\":{\"type\":\"string\"}},\""
    "IdempotentReplayed\":{\"description\":\"`true`: an earlier request created it.\",\"schema\""
    ":{\"type\":\"string\"}},\"AccelBuffering\":{\"description\":\"`no`: a proxy hands each "
    "entry on at "
    "once.\",\"schema\":{\"type\":\"string\"}},\"RateLimitPolicy\":{\"description\":\"The limits "
    "that "
    "this answer knows of, as structured fields: `\\\"codes\\\";q=3;w=600` allows 3 in 600 "
    "seconds.\",\"schema\":{\"type\":\"string\"}},\"RateLimit\":{\"description\":\"What is left "
    "of them: `\\\"codes\\\";r=0;t=599` allows none now, and one more in 599 seconds.\",\"schema\":"
    "{\"type\":\"string\"}},\"RetryAfter\":{\"description\":\""
    "Seconds to wait; with 429 and "
    "503.\",\"schema\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1}},\"Challenge\":{\""
    "description\":\"What is wanted: which key, token or signature.\",\"schema\":{\"type\":\""
    "string\"}},\"ScopeChallenge\":{\"description\":\"With `insufficient_scope`: which scope is "
    "wanted (RFC 6750, section 3).\",\"schema\":{\"type\":\"string\"}},\"Allow\":{\"description\""
    ":\"With 405: the methods that the path takes.\",\"schema\":{\"type\":\"string\"}}}";

const char openapi_oauth_error_schema[] =
    "{\"type\":\"object\",\"description\":\"What went wrong (RFC 6749, section 5.2).\","
    "\"required\":[\"error\",\"error_description\"],\"properties\":{"
    "\"error\":{\"type\":\"string\",\"description\":\"For programs; never renamed.\"},"
    "\"error_description\":{\"type\":\"string\",\"description\":\"A sentence for people.\"},"
    "\"retry_at\":{\"type\":\"string\",\"format\":\"date-time\",\"description\":\"When "
    "to try again, where the header Retry-After tells how long to wait.\"}}}";

const char openapi_detail_schema[] =
    "{\"type\":\"object\",\"description\":\"Faults in a body, in the words of pydantic v2.\","
    "\"required\":[\"detail\"],\"properties\":{\"detail\":{\"type\":\"array\",\"minItems\":1,"
    "\"maxItems\":101,\"description\":\"Every fault, up to 100; where there are more, a last row "
    "of type `truncated` says so.\",\"items\":{\"type\":\"object\",\"required\":[\"type\","
    "\"loc\",\"msg\",\"input\"],\"properties\":{"
    "\"type\":{\"type\":\"string\",\"description\":\"For programs: a type of pydantic "
    "(`missing`, `string_too_long`, `json_invalid` and so on), or one of ours: "
    "`reference_not_found`, `duplicate_id`, `duplicate_key`, `too_many_keys` (unknown properties), "
    "`too_large` (a list that is too much for memory), `truncated`.\"},"
    "\"loc\":{\"type\":\"array\",\"description\":\"Where: `body`, then names and indices.\","
    "\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"format\":\"int64\"}]}},"
    "\"msg\":{\"type\":\"string\",\"description\":\"A sentence for people.\"},"
    "\"input\":{\"description\":\"The value at fault; a long one as a text of its first 200 "
    "characters.\"},"
    "\"ctx\":{\"type\":\"object\",\"description\":\"The parameters of the rule, where it has "
    "some.\"}}}}}}";

const char openapi_detail_example[] =
    "{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\",\"products\",0,\"name\"],"
    "\"msg\":\"Field required\",\"input\":{\"id\":\"p-1\"}},"
    "{\"type\":\"string_too_long\",\"loc\":[\"body\",\"event_id\"],"
    "\"msg\":\"String should have at most 128 characters\",\"input\":\"changes:0000\","
    "\"ctx\":{\"max_length\":128}}]}";

/* --- References ------------------------------------------------------------------------------- */

void openapi_put_ref(struct json_writer *w, const char *kind, const char *name)
{
    char ref[160];
    snprintf(ref, sizeof(ref), "#/components/%s/%s", kind, name);
    json_object_begin(w);
    json_put_text(w, "$ref", ref);
    json_object_end(w);
}

void openapi_put_header(struct json_writer *w, const char *name, const char *shared)
{
    json_key(w, name);
    openapi_put_ref(w, "headers", shared);
}

void openapi_put_common_headers(struct json_writer *w, const struct route *route)
{
    openapi_put_header(w, "X-Request-Id", "RequestId");
    openapi_put_header(w, "Cache-Control", "CacheControl");
    if (route->error_style == ERRORS_OAUTH) openapi_put_header(w, "Pragma", "Pragma");
}

void openapi_put_limit_headers(struct json_writer *w)
{
    openapi_put_header(w, "RateLimit-Policy", "RateLimitPolicy");
    openapi_put_header(w, "RateLimit", "RateLimit");
}

/* --- Refusals ---------------------------------------------------------------------------------
 *
 * Some refusals are about a body that is not wanted, others are answers of HTTP itself or of a
 * mistake of the service. The latter are the `default` of each operation, so that its own responses
 * are those that a program has to tell apart. */

enum { EXAMPLE_MAX = 4096, DESCRIPTION_MAX = 4096 };

struct refusal {
    const char *name;
    const char *intro;
    const char *schema;     /* JSON */
    const char *headers;    /* JSON */
    const enum err *errors; /* ends with 0 */
};

#define SHARED_HEADER(name, shared) "\"" name "\":{\"$ref\":\"#/components/headers/" shared "\"}"
#define COMMON_HEADERS \
    SHARED_HEADER("X-Request-Id", "RequestId") "," SHARED_HEADER("Cache-Control", "CacheControl")
#define SHARED_SCHEMA(name) "{\"$ref\":\"#/components/schemas/" name "\"}"

static const enum err too_large[] = {ERR_PAYLOAD_TOO_LARGE, ERR_OK};
static const enum err encoded[] = {ERR_UNSUPPORTED_MEDIA_TYPE, ERR_OK};
static const enum err any[] = {ERR_BAD_REQUEST,
                               ERR_METHOD_NOT_ALLOWED,
                               ERR_REQUEST_TIMEOUT,
                               ERR_URI_TOO_LONG,
                               ERR_EXPECTATION_FAILED,
                               ERR_HEADERS_TOO_LARGE,
                               ERR_INTERNAL,
                               ERR_NOT_IMPLEMENTED,
                               ERR_OVERLOADED,
                               ERR_HTTP_VERSION,
                               ERR_OK};

#define REFUSAL_INTRO                                                                             \
    "What any operation may answer beside the statuses that it declares. After 408, 500 and 503 " \
    "the same request may be sent again, with the same Idempotency-Key where it has one; the "    \
    "others stay as they are until the request is mended."
#define REFUSAL_HEADERS \
    COMMON_HEADERS      \
    "," SHARED_HEADER("Allow", "Allow") "," SHARED_HEADER("Retry-After", "RetryAfter")

static const struct refusal refusals[] = {
    {"UnwantedBodyTooLarge",
     "This operation takes no body; one that is sent is read over, but may not be larger than "
     "64 KiB.",
     SHARED_SCHEMA("ErrorBody"), "{" COMMON_HEADERS "}", too_large},
    {"UnwantedEncoding", "A Content-Encoding was sent; no operation takes one.",
     SHARED_SCHEMA("ErrorBody"), "{" COMMON_HEADERS "}", encoded},
    {"Refusal", REFUSAL_INTRO, SHARED_SCHEMA("ErrorBody"), "{" REFUSAL_HEADERS "}", any},
    {"OAuthRefusal", REFUSAL_INTRO,
     "{\"anyOf\":[" SHARED_SCHEMA("ErrorBody") "," SHARED_SCHEMA("OAuthError") "]}",
     "{" REFUSAL_HEADERS "," SHARED_HEADER("Pragma", "Pragma") "}", any},
};

static void put_description(struct json_writer *w, const struct refusal *refusal)
{
    AUTO_BUF text = {0};

    buf_init(&text, DESCRIPTION_MAX);
    buf_text(&text, refusal->intro);
    for (size_t i = 0; refusal->errors[i]; i++) {
        const struct err_info *info = err_info(refusal->errors[i]);
        buf_printf(&text, " %d `%s`: %s", info->http_status, info->code, info->sentence);
    }
    json_key(w, "description");
    json_str(w, buf_view(&text));
}

static void put_example(struct json_writer *w, enum err err)
{
    AUTO_BUF value = {0};

    buf_init(&value, EXAMPLE_MAX);
    error_encode(err, STR("0192f0c5-5555-7d3e-8f00-3b2a1c0d9e8f"), NULL, &value);
    json_key(w, err_info(err)->code);
    json_object_begin(w);
    json_put_text(w, "summary", err_info(err)->sentence);
    json_key(w, "value");
    json_raw(w, buf_view(&value));
    json_object_end(w);
}

static void put_refusal_content(struct json_writer *w, const struct refusal *refusal)
{
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, "application/json");
    json_object_begin(w);
    json_key(w, "schema");
    json_raw(w, str_of(refusal->schema));
    json_key(w, "examples");
    json_object_begin(w);
    for (size_t i = 0; refusal->errors[i]; i++)
        put_example(w, refusal->errors[i]);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

void openapi_put_refusals(struct json_writer *w)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        json_key(w, refusals[i].name);
        json_object_begin(w);
        put_description(w, &refusals[i]);
        json_key(w, "headers");
        json_raw(w, str_of(refusals[i].headers));
        put_refusal_content(w, &refusals[i]);
        json_object_end(w);
    }
}

void openapi_put_reasons(struct json_writer *w)
{
    json_object_begin(w);
    json_put_text(w, "type", "string");
    json_key(w, "enum");
    json_array_begin(w);
    for (enum err err = ERR_OK; err < ERR_COUNT; err++) {
        if (err_info(err)->reason) json_text(w, err_info(err)->reason);
    }
    json_array_end(w);
    json_object_end(w);
}
