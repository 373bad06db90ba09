/*
 * The document in the order of the table. What a row implies is written out: a key or a
 * signature gives 401 and 429, a body 413, 415 and 422, a transaction 503, an id 404, an
 * Idempotency-Key 409.
 */
#include "kit/route/openapi.h"

#include <stdio.h>

enum { RECORDS_MAX = 128, STATUS_ERRORS_MAX = 24 };

struct document {
    struct json_writer w;
    const struct route *routes;
    size_t route_count;
    const struct record *records[RECORDS_MAX];
    bool is_input[RECORDS_MAX];
    bool is_strict[RECORDS_MAX];
    size_t record_count;
};

/* --- Which records there are ------------------------------------------------------------------ */

static void collect_record(struct document *doc, const struct record *record, bool is_input,
                           bool is_strict)
{
    if (!record) return;
    for (size_t i = 0; i < doc->record_count; i++) {
        if (doc->records[i] == record) return;
    }
    assert(doc->record_count < RECORDS_MAX);
    doc->records[doc->record_count] = record;
    doc->is_input[doc->record_count] = is_input;
    doc->is_strict[doc->record_count] = is_strict;
    doc->record_count++;
    for (size_t i = 0; i < record->field_count; i++)
        collect_record(doc, record->fields[i].record, is_input, is_strict);
}

static void collect_records(struct document *doc)
{
    for (size_t i = 0; i < doc->route_count; i++) {
        collect_record(doc, doc->routes[i].body, true, doc->routes[i].is_strict);
        collect_record(doc, doc->routes[i].reply, false, false);
    }
}

/* --- Errors of an operation ------------------------------------------------------------------- */

struct error_list {
    enum err rows[STATUS_ERRORS_MAX];
    size_t count;
};

static void add_error(struct error_list *list, enum err err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i] == err) return;
    }
    assert(list->count < STATUS_ERRORS_MAX);
    list->rows[list->count++] = err;
}

/* Doc A, section 4, common rule 2: every operation with a key declares these statuses. */
static void collect_key_errors(const struct route *route, struct error_list *list)
{
    bool is_phone = route->auth == AUTH_DEVICE_KEY;

    add_error(list, ERR_UNAUTHORIZED);
    add_error(list, is_phone ? ERR_DEVICE_DISABLED : ERR_NUMBER_NOT_OWNED);
    add_error(list, ERR_NOT_FOUND);
    add_error(list, is_phone ? ERR_LEASE_LOST : ERR_IDEMPOTENCY_CONFLICT);
    add_error(list, ERR_VALIDATION);
    add_error(list, ERR_RATE_LIMITED);
    add_error(list, ERR_STORAGE_UNAVAILABLE);
}

static void collect_auth_errors(const struct route *route, struct error_list *list)
{
    switch (route->auth) {
    case AUTH_NONE:
        break;
    case AUTH_INTERNAL_KEY:
    case AUTH_DEVICE_KEY:
        collect_key_errors(route, list);
        break;
    case AUTH_SIGNATURE:
        add_error(list, ERR_UNAUTHORIZED);
        add_error(list, ERR_RATE_LIMITED);
        break;
    }
}

static void collect_errors(const struct route *route, struct error_list *list)
{
    collect_auth_errors(route, list);
    if (strchr(route->path, '{')) add_error(list, ERR_NOT_FOUND);
    if (route->idem_family) add_error(list, ERR_IDEMPOTENCY_CONFLICT);
    for (int i = 0; i < ROUTE_ERRORS_MAX && route->errors[i]; i++)
        add_error(list, route->errors[i]);
    if (route->body) {
        add_error(list, ERR_PAYLOAD_TOO_LARGE);
        add_error(list, ERR_UNSUPPORTED_MEDIA_TYPE);
    }
    if (route->body || route->params || route->idem_family || route->is_stream)
        add_error(list, ERR_VALIDATION);
    if (route->access != ACCESS_NONE) {
        add_error(list, ERR_STORAGE_UNAVAILABLE);
        add_error(list, ERR_OVERLOADED);
    }
    add_error(list, ERR_BAD_REQUEST);
}

/* --- Parts of an operation -------------------------------------------------------------------- */

static void put_ref(struct json_writer *w, const char *kind, const char *name)
{
    char ref[160];
    snprintf(ref, sizeof(ref), "#/components/%s/%s", kind, name);
    json_object_begin(w);
    json_put_text(w, "$ref", ref);
    json_object_end(w);
}

/* content: {media type: {schema, example}} */
static void put_content(struct json_writer *w, const char *media_type, const char *schema,
                        const char *example)
{
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, media_type);
    json_object_begin(w);
    json_key(w, "schema");
    put_ref(w, "schemas", schema);
    if (example) {
        json_key(w, "example");
        json_raw(w, str_of(example));
    }
    json_object_end(w);
    json_object_end(w);
}

static void put_header(struct json_writer *w, const char *name, const char *doc, const char *type)
{
    json_key(w, name);
    json_object_begin(w);
    json_put_text(w, "description", doc);
    json_key(w, "schema");
    json_object_begin(w);
    json_put_text(w, "type", type);
    json_object_end(w);
    json_object_end(w);
}

static void put_success(struct json_writer *w, const struct route *route)
{
    char status[8];
    snprintf(status, sizeof(status), "%d", route->status);
    json_key(w, status);
    json_object_begin(w);
    json_put_text(w, "description", route->reply_doc);
    json_key(w, "headers");
    json_object_begin(w);
    put_header(w, "X-Request-Id", "The id of this request, also in its log entries.", "string");
    if (route->idem_family)
        put_header(w, "Idempotent-Replayed", "`true`: an earlier request created it.", "string");
    json_object_end(w);
    if (route->reply)
        put_content(w, route->is_stream ? "text/event-stream" : "application/json",
                    route->reply->name, route->reply_example);
    else if (strcmp(route->method, "GET") == 0) /* such as this document */
        put_content(w, "application/json", "AnyObject", NULL);
    json_object_end(w);
}

static void put_error_example(struct json_writer *w, enum err err)
{
    const struct err_info *info = err_info(err);
    json_key(w, info->code);
    json_object_begin(w);
    json_put_text(w, "summary", info->sentence);
    json_key(w, "value");
    json_object_begin(w);
    json_key(w, "error");
    json_object_begin(w);
    json_put_text(w, "code", info->code);
    json_put_text(w, "message", info->sentence);
    json_put_text(w, "request_id", "0192f0c5-5555-7d3e-8f00-3b2a1c0d9e8f");
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

static void put_status_description(struct json_writer *w, const struct error_list *list, int status)
{
    char text[1024] = "";
    for (size_t i = 0; i < list->count; i++) {
        const struct err_info *info = err_info(list->rows[i]);
        size_t len = strlen(text);
        if (info->http_status != status) continue;
        snprintf(text + len, sizeof(text) - len, "%s`%s`: %s", len > 0 ? " " : "", info->code,
                 info->sentence);
    }
    json_put_text(w, "description", text);
}

static void put_status_headers(struct json_writer *w, int status)
{
    json_key(w, "headers");
    json_object_begin(w);
    put_header(w, "X-Request-Id", "The id of this request, also in its log entries.", "string");
    if (status == 429 || status == 503) put_header(w, "Retry-After", "Seconds to wait.", "integer");
    if (status == 401)
        put_header(w, "WWW-Authenticate", "What is wanted: which key, or a signature.", "string");
    json_object_end(w);
}

/* All errors of one status, with an example each. */
static void put_error_status(struct json_writer *w, const struct error_list *list, int status)
{
    char key[8];
    snprintf(key, sizeof(key), "%d", status);
    json_key(w, key);
    json_object_begin(w);
    put_status_description(w, list, status);
    put_status_headers(w, status);
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, "application/json");
    json_object_begin(w);
    json_key(w, "schema");
    put_ref(w, "schemas", "Error");
    json_key(w, "examples");
    json_object_begin(w);
    for (size_t i = 0; i < list->count; i++) {
        if (err_info(list->rows[i])->http_status == status) put_error_example(w, list->rows[i]);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

static bool has_status_before(const struct error_list *list, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (err_info(list->rows[i])->http_status == err_info(list->rows[index])->http_status)
            return true;
    }
    return false;
}

/* Readiness answers 503 with its own record. */
static void put_unready(struct json_writer *w, const struct route *route)
{
    json_key(w, "503");
    json_object_begin(w);
    json_put_text(w, "description", route->unavailable_doc);
    put_content(w, "application/json", route->reply->name,
                "{\"status\":\"unavailable\",\"version\":\"0.5.0\",\"ok\":false,"
                "\"error\":\"The database does not answer.\"}");
    json_object_end(w);
}

static void put_responses(struct json_writer *w, const struct route *route)
{
    struct error_list errors = {.count = 0};

    json_key(w, "responses");
    json_object_begin(w);
    put_success(w, route);
    collect_errors(route, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        if (has_status_before(&errors, i)) continue;
        put_error_status(w, &errors, err_info(errors.rows[i])->http_status);
    }
    if (route->unavailable_doc) put_unready(w, route);
    json_object_end(w);
}

static void put_param_schema(struct json_writer *w, const struct field *field)
{
    json_key(w, "schema");
    json_object_begin(w);
    json_put_text(w, "type", field->type == FIELD_INTEGER ? "integer" : "string");
    if (field->type == FIELD_INTEGER && field->max > 0) {
        json_put_int(w, "minimum", field->min);
        json_put_int(w, "maximum", field->max);
    }
    if (field->type == FIELD_STRING && field->max > 0) {
        json_put_int(w, "minLength", field->min);
        json_put_int(w, "maxLength", field->max);
    }
    if (field->type == FIELD_UUID) json_put_text(w, "format", "uuid");
    if (field->words) {
        json_key(w, "enum");
        json_array_begin(w);
        for (int i = 0; field->words[i]; i++)
            json_text(w, field->words[i]);
        json_array_end(w);
    }
    json_object_end(w);
}

/* `place`: query or header. */
static void put_param(struct json_writer *w, const char *place, const struct field *field)
{
    json_object_begin(w);
    json_put_text(w, "name", field->name);
    json_put_text(w, "in", place);
    json_put_text(w, "description", field->doc);
    if (field->flags & FIELD_REQUIRED) json_put_bool(w, "required", true);
    put_param_schema(w, field);
    if (field->example) {
        json_key(w, "example");
        json_raw(w, str_of(field->example));
    }
    json_object_end(w);
}

/* An {id} of the path. */
static void put_path_param(struct json_writer *w, struct str name)
{
    json_object_begin(w);
    json_key(w, "name");
    json_str(w, name);
    json_put_text(w, "in", "path");
    json_put_bool(w, "required", true);
    json_put_text(w, "description", "The id of the resource.");
    json_key(w, "schema");
    json_object_begin(w);
    json_put_text(w, "type", "string");
    json_put_text(w, "format", "uuid");
    json_object_end(w);
    json_object_end(w);
}

static void put_path_params(struct json_writer *w, const char *path)
{
    const char *open = path;
    while ((open = strchr(open, '{'))) {
        const char *close = strchr(open, '}');
        put_path_param(w, (struct str){open + 1, (size_t)(close - open - 1)});
        open = close;
    }
}

static void put_parameters(struct json_writer *w, const struct route *route)
{
    json_key(w, "parameters");
    json_array_begin(w);
    put_path_params(w, route->path);
    for (int i = 0; route->params && route->params[i].name; i++)
        put_param(w, "query", &route->params[i]);
    for (int i = 0; route->headers && route->headers[i].name; i++)
        put_param(w, "header", &route->headers[i]);
    if (route->idem_family) put_ref(w, "parameters", "IdempotencyKey");
    if (route->is_stream) put_ref(w, "parameters", "LastEventId");
    put_ref(w, "parameters", "RequestId");
    json_array_end(w);
}

/* A signature is no scheme that the document could name: the operation describes it. */
static void put_security(struct json_writer *w, enum route_auth auth)
{
    static const char *const internal[] = {"InternalKey", NULL};
    static const char *const device[] = {"DeviceKey", "DeviceKeyBearer", NULL};
    static const char *const none[] = {NULL};
    const char *const *schemes = auth == AUTH_INTERNAL_KEY ? internal
                                 : auth == AUTH_DEVICE_KEY ? device
                                                           : none;
    json_key(w, "security");
    json_array_begin(w);
    for (int i = 0; schemes[i]; i++) {
        json_object_begin(w);
        json_key(w, schemes[i]);
        json_array_begin(w);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_operation(struct json_writer *w, const struct route *route)
{
    char method[8] = "";
    for (size_t i = 0; i < sizeof(method) - 1 && route->method[i]; i++)
        method[i] = (char)(route->method[i] + ('a' - 'A'));

    json_key(w, method);
    json_object_begin(w);
    json_put_text(w, "operationId", route->operation_id);
    json_put_text(w, "summary", route->summary);
    json_put_text(w, "description", route->description);
    json_key(w, "tags");
    json_array_begin(w);
    json_text(w, route->tag);
    json_array_end(w);
    put_security(w, route->auth);
    put_parameters(w, route);
    if (route->body) {
        json_key(w, "requestBody");
        json_object_begin(w);
        json_put_bool(w, "required", true);
        put_content(w, "application/json", route->body->name, route->body_example);
        json_object_end(w);
    }
    put_responses(w, route);
    json_object_end(w);
}

/* --- The document ----------------------------------------------------------------------------- */

static bool is_first_of_path(const struct document *doc, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(doc->routes[i].path, doc->routes[index].path) == 0) return false;
    }
    return true;
}

static void put_paths(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "paths");
    json_object_begin(w);
    for (size_t i = 0; i < doc->route_count; i++) {
        if (!is_first_of_path(doc, i)) continue;
        json_key(w, doc->routes[i].path);
        json_object_begin(w);
        for (size_t k = i; k < doc->route_count; k++) {
            if (strcmp(doc->routes[k].path, doc->routes[i].path) == 0)
                put_operation(w, &doc->routes[k]);
        }
        json_object_end(w);
    }
    json_object_end(w);
}

/* What no table makes: the error record, shared parameters, key schemes. */
static const char shared_schemas[] =
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
    "\"attempts_left\":{\"type\":\"integer\",\"description\":\"With `code_mismatch`.\"}}}}}";

static const char shared_parameters[] =
    "{\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"required\":true,"
    "\"description\":\"1 to 200 visible characters. A repeat with the same body answers with the "
    "original resource; with another body 409.\",\"schema\":{\"type\":\"string\",\"minLength\":1,"
    "\"maxLength\":200,\"pattern\":\"^[!-~]+$\"},\"example\":\"signup-4711-1\"},"
    "\"LastEventId\":{\"name\":\"Last-Event-ID\",\"in\":\"header\",\"description\":\"The id of the "
    "last entry that was seen.\",\"schema\":{\"type\":\"integer\",\"format\":\"int64\","
    "\"minimum\":0},\"example\":4711},"
    "\"RequestId\":{\"name\":\"X-Request-Id\",\"in\":\"header\",\"description\":\"Your own id "
    "for this request, 1 to 128 visible characters; answered and logged.\",\"schema\":{\"type\":"
    "\"string\",\"minLength\":1,\"maxLength\":128},\"example\":\"checkout-81f3\"}}";

static const char security_schemes[] =
    "{\"InternalKey\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Internal-API-Key\","
    "\"description\":\"The key of the service backend; never given to phones or browsers.\"},"
    "\"DeviceKey\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Device-Key\","
    "\"description\":\"The key of a phone, issued at registration and at rotation.\"},"
    "\"DeviceKeyBearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"The key of a "
    "phone, as a bearer.\"}}";

static void put_components(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "components");
    json_object_begin(w);
    json_key(w, "schemas");
    json_object_begin(w);
    for (size_t i = 0; i < doc->record_count; i++) {
        json_key(w, doc->records[i]->name);
        record_describe(doc->records[i], doc->is_input[i], doc->is_strict[i], w);
    }
    json_key(w, "Error");
    json_raw(w, STR(shared_schemas));
    json_key(w, "AnyObject");
    json_raw(w, STR("{\"type\":\"object\",\"description\":\"Any JSON object.\"}"));
    json_object_end(w);
    json_key(w, "parameters");
    json_raw(w, STR(shared_parameters));
    json_key(w, "securitySchemes");
    json_raw(w, STR(security_schemes));
    json_object_end(w);
}

static void put_info(struct document *doc, const char *version, const char *server_url)
{
    struct json_writer *w = &doc->w;

    json_put_text(w, "openapi", "3.1.0");
    json_key(w, "info");
    json_object_begin(w);
    json_put_text(w, "title", "herald");
    json_put_text(w, "version", version);
    json_put_text(w, "summary", "Verification and messaging through your own phones");
    json_put_text(w, "description",
                  "Confirms phone numbers by inbound calls and one-time codes, through a fleet of "
                  "phones that you run. Errors have one shape everywhere; lists page with `limit` "
                  "and `cursor`; creations are made safe to repeat by `Idempotency-Key`.");
    json_key(w, "license");
    json_object_begin(w);
    json_put_text(w, "name", "Apache-2.0");
    json_put_text(w, "identifier", "Apache-2.0");
    json_object_end(w);
    json_object_end(w);
    json_key(w, "servers");
    json_array_begin(w);
    json_object_begin(w);
    json_put_text(w, "url", server_url ? server_url : "/");
    json_put_text(w, "description", "This service");
    json_object_end(w);
    json_array_end(w);
}

void openapi_print(const struct route *routes, size_t count, const char *version,
                   const char *server_url, struct buf *out)
{
    struct document doc = {.routes = routes, .route_count = count};

    json_writer_init(&doc.w, out);
    collect_records(&doc);
    json_object_begin(&doc.w);
    put_info(&doc, version, server_url);
    put_paths(&doc);
    put_components(&doc);
    json_object_end(&doc.w);
    buf_char(out, '\n');
}
