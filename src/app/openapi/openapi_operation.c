/*
 * An operation of the document has all errors that its row implies: a key, token or signature gives
 * 401 and 429, a body 413, 415 and 422, a transaction 503, an id 404, an Idempotency-Key 409. The
 * answers that any operation may give besides are shared (openapi_shared.c).
 */
#include "app/api/auth.h"
#include "app/openapi/openapi_parts.h"
#include "core/request.h"

#include <stdio.h>

enum { STATUS_ERRORS_MAX = 24, EXAMPLE_MAX = 4096 };

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

static void collect_auth_errors(const struct route *route, struct error_list *list)
{
    const struct auth_way *way = auth_of(route);
    const enum err *more = way->errors_of_verification;

    for (int i = 0; i < AUTH_ERRORS_MAX && way->errors[i]; i++)
        add_error(list, way->errors[i]);
    for (int i = 0; i < AUTH_ERRORS_MAX && more[i] && route->store == STORE_VERIFICATION; i++)
        add_error(list, more[i]);
}

/* Collects the errors of decoding a JSON body and the query. */
static void collect_body_errors(const struct route *route, struct error_list *list)
{
    if (route->body) add_error(list, ERR_PAYLOAD_TOO_LARGE);
    if (route->error_style == ERRORS_OAUTH) return; /* the faults of a form are invalid_request */
    if (route->body) add_error(list, ERR_UNSUPPORTED_MEDIA_TYPE);
    if (route->taker) { /* its faults come in a document of their own */
        add_error(list, ERR_REQUEST_TIMEOUT);
        return;
    }
    bool is_strict = auth_of(route)->is_query_strict;
    if (route->body || route->idem_family || route->is_stream || is_strict)
        add_error(list, ERR_VALIDATION);
}

static void collect_errors(const struct route *route, struct error_list *list)
{
    collect_auth_errors(route, list);
    if (strchr(route->path, '{')) add_error(list, ERR_NOT_FOUND);
    if (route->idem_family) add_error(list, ERR_IDEMPOTENCY_CONFLICT);
    for (int i = 0; i < ROUTE_ERRORS_MAX && route->errors[i]; i++)
        add_error(list, route->errors[i]);
    collect_body_errors(route, list);
    if (route->access != ACCESS_NONE) {
        add_error(list, route->error_style == ERRORS_OAUTH ? ERR_CLIENTS_UNAVAILABLE
                                                           : ERR_STORAGE_UNAVAILABLE);
        add_error(list, ERR_OVERLOADED);
    }
    if (route->error_style == ERRORS_PLAIN) add_error(list, ERR_BAD_REQUEST);
}

/* --- Links ------------------------------------------------------------------------------------
 *
 * A row says where the resource that its answer names is found, and under which name the answer has
 * its id. Every operation at that path, and each right below it that needs no further id, is a
 * link. So a client, or a test that walks the document, knows what it can do next. */

/* Tells that "/otp/{id}/verify" and "/otp/{id}" go on from "/otp/{id}", "/otp/{id}/sends/{n}" not.
 */
static bool goes_on_from(const char *path, const char *start)
{
    size_t len = strlen(start);

    if (strncmp(path, start, len) != 0) return false;
    const char *rest = path + len;
    return (*rest == '\0' || *rest == '/') && !strchr(rest, '{');
}

static void put_link_param(struct json_writer *w, struct str name, const char *source,
                           struct str value)
{
    char key[64];
    char expression[128];

    snprintf(key, sizeof(key), "%.*s", (int)name.len, name.data);
    snprintf(expression, sizeof(expression), "%s%.*s", source, (int)value.len, value.data);
    json_put_text(w, key, expression);
}

/* The last id comes from the answer; those before it were in the path of the request. */
static void put_link_params(struct json_writer *w, const struct route *route)
{
    const char *open = strchr(route->link_path, '{');

    json_key(w, "parameters");
    json_object_begin(w);
    while (open) {
        const char *next = strchr(open + 1, '{');
        const char *begin =
            open + (open[1] == '*' ? 2 : 1); /* where the name in {name} or {*name} begins */
        struct str name = {begin, (size_t)(strchr(begin, '}') - begin)};
        if (next)
            put_link_param(w, name, "$request.path.", name);
        else
            put_link_param(w, name, "$response.body#", str_of(route->link_id));
        open = next;
    }
    json_object_end(w);
}

static void put_links(struct json_writer *w, const struct route_list *routes,
                      const struct route *route)
{
    if (!route->link_path) return;
    json_key(w, "links");
    json_object_begin(w);
    for (size_t i = 0; i < routes->count; i++) {
        const struct route *target = &routes->rows[i];
        if (!goes_on_from(target->path, route->link_path)) continue;
        json_key(w, target->operation_id);
        json_object_begin(w);
        json_put_text(w, "operationId", target->operation_id);
        put_link_params(w, route);
        json_object_end(w);
    }
    json_object_end(w);
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

/* Writes content: {media type: {schema, example}}. `example` replaces the one made of the fields.
 */
static void put_content(struct json_writer *w, const char *media_type, const struct record *record,
                        enum record_use use, const char *example)
{
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, media_type);
    json_object_begin(w);
    json_key(w, "schema");
    put_ref(w, "schemas", record ? record->name : "AnyObject");
    if (record) json_key(w, "example");
    if (example)
        json_raw(w, str_of(example));
    else if (record)
        record_example(record, use, w);
    json_object_end(w);
    json_object_end(w);
}

/* Writes a header that operations share, by its name in `components`. */
static void put_header(struct json_writer *w, const char *name, const char *shared)
{
    json_key(w, name);
    put_ref(w, "headers", shared);
}

/* Writes the headers that every answer has. */
static void put_common_headers(struct json_writer *w, const struct route *route)
{
    put_header(w, "X-Request-Id", "RequestId");
    put_header(w, "Cache-Control", "CacheControl");
    if (route->error_style == ERRORS_OAUTH) put_header(w, "Pragma", "Pragma");
}

static void put_success_headers(struct json_writer *w, const struct route *route)
{
    json_key(w, "headers");
    json_object_begin(w);
    put_common_headers(w, route);
    if (route->idem_family) put_header(w, "Idempotent-Replayed", "IdempotentReplayed");
    if (route->is_stream) put_header(w, "X-Accel-Buffering", "AccelBuffering");
    json_object_end(w);
}

static void put_success(struct json_writer *w, const struct route_list *routes,
                        const struct route *route)
{
    char status[8];
    snprintf(status, sizeof(status), "%d", route->status);
    json_key(w, status);
    json_object_begin(w);
    json_put_text(w, "description", route->reply_doc);
    put_success_headers(w, route);
    if (route->reply)
        put_content(w, route->is_stream ? "text/event-stream" : "application/json", route->reply,
                    RECORD_ANSWER, NULL);
    else if (strcmp(route->method, "GET") == 0) /* such as this document */
        put_content(w, "application/json", NULL, RECORD_ANSWER, NULL);
    put_links(w, routes, route);
    json_object_end(w);
}

/* Two errors may have one code; the second goes by its own name. */
static const char *example_name(const struct error_list *list, size_t index)
{
    const struct err_info *info = err_info(list->rows[index]);

    for (size_t i = 0; i < index; i++) {
        if (strcmp(err_info(list->rows[i])->code, info->code) == 0) return info->name;
    }
    return info->code;
}

static void put_error_example(struct json_writer *w, const struct route *route,
                              const struct error_list *list, size_t index)
{
    enum err err = list->rows[index];
    AUTO_BUF value = {0};

    buf_init(&value, EXAMPLE_MAX);
    error_encode(err, STR("0192f0c5-5555-7d3e-8f00-3b2a1c0d9e8f"),
                 &(struct request){.route = route}, &value);
    json_key(w, example_name(list, index));
    json_object_begin(w);
    json_put_text(w, "summary", err_info(err)->sentence);
    json_key(w, "value");
    json_raw(w, buf_view(&value));
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

static bool has_error(const struct error_list *list, enum err err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i] == err) return true;
    }
    return false;
}

static void put_status_headers(struct json_writer *w, const struct route *route,
                               const struct error_list *list, int status)
{
    bool has_scope = status == 403 && has_error(list, ERR_INSUFFICIENT_SCOPE);

    json_key(w, "headers");
    json_object_begin(w);
    put_common_headers(w, route);
    if (status == 429 || status == 503) put_header(w, "Retry-After", "RetryAfter");
    if (status == 401) put_header(w, "WWW-Authenticate", "Challenge");
    if (has_scope) put_header(w, "WWW-Authenticate", "ScopeChallenge");
    json_object_end(w);
}

/* Tells whether the answer has the faults of a body that is taken as it arrives (rq->detail). */
static bool has_detail(const struct route *route, int status)
{
    return route->taker && status == err_info(ERR_VALIDATION)->http_status;
}

static void put_error_schema(struct json_writer *w, const struct route *route, int status)
{
    json_key(w, "schema");
    if (!has_detail(route, status)) {
        put_ref(w, "schemas", route->error_style == ERRORS_OAUTH ? "OAuthError" : "Error");
        return;
    }
    json_object_begin(w);
    json_key(w, "oneOf");
    json_array_begin(w);
    put_ref(w, "schemas", "Error");
    put_ref(w, "schemas", "BodyFaults");
    json_array_end(w);
    json_object_end(w);
}

static void put_detail_example(struct json_writer *w)
{
    json_key(w, "detail");
    json_object_begin(w);
    json_put_text(w, "summary", "The body is no JSON, or has faults: all of them, up to 100.");
    json_key(w, "value");
    json_raw(w, str_of(openapi_detail_example));
    json_object_end(w);
}

/* Writes all errors of one status, with an example each. */
static void put_error_status(struct json_writer *w, const struct route *route,
                             const struct error_list *list, int status)
{
    char key[8];
    snprintf(key, sizeof(key), "%d", status);
    json_key(w, key);
    json_object_begin(w);
    put_status_description(w, list, status);
    put_status_headers(w, route, list, status);
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, "application/json");
    json_object_begin(w);
    put_error_schema(w, route, status);
    json_key(w, "examples");
    json_object_begin(w);
    if (has_detail(route, status)) put_detail_example(w);
    for (size_t i = 0; i < list->count; i++) {
        if (err_info(list->rows[i])->http_status == status) put_error_example(w, route, list, i);
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
    json_key(w, "headers");
    json_object_begin(w);
    put_common_headers(w, route);
    json_object_end(w);
    put_content(w, "application/json", route->reply, RECORD_ANSWER,
                "{\"status\":\"unavailable\",\"version\":\"0.5.0\",\"ok\":false,"
                "\"error\":\"The database does not answer.\"}");
    json_object_end(w);
}

static void put_shared_response(struct json_writer *w, const char *status, const char *name)
{
    json_key(w, status);
    put_ref(w, "responses", name);
}

/* A body that is not wanted has the same limits. */
static void put_shared_responses(struct json_writer *w, const struct route *route)
{
    if (!route->body) {
        put_shared_response(w, "413", "UnwantedBodyTooLarge");
        put_shared_response(w, "415", "UnwantedEncoding");
    }
    put_shared_response(w, "default", "Refusal");
}

static void put_responses(struct json_writer *w, const struct route_list *routes,
                          const struct route *route)
{
    struct error_list errors = {.count = 0};

    json_key(w, "responses");
    json_object_begin(w);
    put_success(w, routes, route);
    collect_errors(route, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        if (has_status_before(&errors, i)) continue;
        put_error_status(w, route, &errors, err_info(errors.rows[i])->http_status);
    }
    if (route->unavailable_doc) put_unready(w, route);
    put_shared_responses(w, route);
    json_object_end(w);
}

/* Writes a parameter; its `place` is query or header. */
static void put_param(struct json_writer *w, const char *place, const struct field *field)
{
    json_object_begin(w);
    json_put_text(w, "name", field->name);
    json_put_text(w, "in", place);
    json_put_text(w, "description", field->doc);
    if (field->flags & FIELD_REQUIRED) json_put_bool(w, "required", true);
    json_key(w, "schema");
    json_object_begin(w);
    record_describe_field(field, w);
    json_object_end(w);
    if (field->example) {
        json_key(w, "example");
        record_example_field(field, w);
    }
    json_object_end(w);
}

/* Writes {id} or {*text} of the path, without the braces. */
static void put_path_param(struct json_writer *w, struct str name)
{
    bool is_text = name.len > 0 && name.data[0] == '*';

    if (is_text) name = (struct str){name.data + 1, name.len - 1};
    json_object_begin(w);
    json_key(w, "name");
    json_str(w, name);
    json_put_text(w, "in", "path");
    json_put_bool(w, "required", true);
    json_put_text(w, "description",
                  is_text ? "Any text, percent-encoded." : "The id of the resource.");
    json_key(w, "schema");
    json_object_begin(w);
    json_put_text(w, "type", "string");
    if (is_text) {
        json_put_int(w, "minLength", 1);
        json_put_int(w, "maxLength", PATH_TEXT_MAX);
    } else {
        json_put_text(w, "format", "uuid");
    }
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
    for (size_t i = 0; route->query && i < route->query->field_count; i++)
        put_param(w, "query", &route->query->fields[i]);
    for (int i = 0; route->headers && route->headers[i].name; i++)
        put_param(w, "header", &route->headers[i]);
    if (route->idem_family) put_ref(w, "parameters", "IdempotencyKey");
    if (route->is_stream) put_ref(w, "parameters", "LastEventId");
    put_ref(w, "parameters", "RequestId");
    json_array_end(w);
}

/* Writes the schemes, of which any serves, perhaps with a scope. */
static void put_security(struct json_writer *w, const struct route *route)
{
    const struct auth_scheme *schemes = auth_of(route)->schemes;

    json_key(w, "security");
    json_array_begin(w);
    for (int i = 0; i < AUTH_SCHEMES_MAX && schemes[i].name; i++) {
        json_object_begin(w);
        if (schemes[i].name[0]) {
            json_key(w, schemes[i].name);
            json_array_begin(w);
            if (route->scope) json_text(w, route->scope);
            json_array_end(w);
        }
        json_object_end(w);
    }
    json_array_end(w);
}

void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route)
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
    put_security(w, route);
    put_parameters(w, route);
    if (route->body) {
        json_key(w, "requestBody");
        json_object_begin(w);
        json_put_bool(w, "required", !auth_may_omit_body(route));
        put_content(w, route->media_type ? route->media_type : "application/json", route->body,
                    RECORD_BODY, route->body_example);
        json_object_end(w);
    }
    put_responses(w, routes, route);
    json_object_end(w);
}
