/* What no table makes: the error records, shared parameters and headers. */
#include "app/openapi/openapi_shared.h"

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
    "\"attempts_left\":{\"type\":\"integer\",\"format\":\"int64\",\"description\":\"With "
    "`code_mismatch`.\"},"
    "\"reason\":{\"type\":\"string\",\"enum\":[\"not_configured\",\"circuit_open\","
    "\"account_not_connected\",\"no_enabled_number\",\"call_under_way\","
    "\"key_set_unavailable\"],\"description\":\"With `channel_unavailable`: why. After "
    "`not_configured` there is no Retry-After, since no wait mends it.\"},"
    "\"retry_at\":{\"type\":\"string\",\"format\":\"date-time\",\"description\":\"With "
    "`circuit_open`: when the provider is called again.\"}}}}}";

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
    "entry on at once.\",\"schema\":{\"type\":\"string\"}},\"RetryAfter\":{\"description\":\""
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
    "\"error_description\":{\"type\":\"string\",\"description\":\"A sentence for people.\"}}}";

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
    "\"items\":{\"type\":[\"string\",\"integer\"]}},"
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
