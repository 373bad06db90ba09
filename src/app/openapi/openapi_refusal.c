/*
 * Refusals that operations share: a body where none is wanted, and what HTTP itself or a mistake of
 * the service answers, whatever is asked. The latter are the `default` of each operation, so that
 * its own responses stay those that a program has to tell apart.
 */
#include "app/openapi/openapi_refusal.h"

#include "core/error_record.h"
#include "kit/base/macros.h"

#include <stdio.h>

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

static const struct refusal refusals[] = {
    {"UnwantedBodyTooLarge",
     "This operation takes no body; one that is sent is read over, but may not be larger than "
     "64 KiB.",
     SHARED_SCHEMA("Error"), "{" COMMON_HEADERS "}", too_large},
    {"UnwantedEncoding", "A Content-Encoding was sent; no operation takes one.",
     SHARED_SCHEMA("Error"), "{" COMMON_HEADERS "}", encoded},
    {"Refusal",
     "What any operation may answer beside the statuses that it declares. After 408, 500 and 503 "
     "the same request may be sent again, with the same Idempotency-Key where it has one; the "
     "others stay as they are until the request is mended.",
     "{\"anyOf\":[" SHARED_SCHEMA("Error") "," SHARED_SCHEMA("OAuthError") "]}",
     "{" COMMON_HEADERS "," SHARED_HEADER("Allow", "Allow") "," SHARED_HEADER(
         "Retry-After", "RetryAfter") "," SHARED_HEADER("Pragma", "Pragma") "}",
     any},
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
    json_object_begin(w);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        json_key(w, refusals[i].name);
        json_object_begin(w);
        put_description(w, &refusals[i]);
        json_key(w, "headers");
        json_raw(w, str_of(refusals[i].headers));
        put_refusal_content(w, &refusals[i]);
        json_object_end(w);
    }
    json_object_end(w);
}
