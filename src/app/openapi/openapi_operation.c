/* An operation of the document is its row: who may call it, what it takes, what it answers, and
 * what can be asked next. */
#include "app/api/auth.h"
#include "app/openapi/openapi_parts.h"

#include <stdio.h>

enum { DESCRIPTION_MAX = 4000 };

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
    openapi_put_ref(w, "schemas", record ? record->name : "AnyObject");
    if (record) json_key(w, "example");
    if (example)
        json_raw(w, str_of(example));
    else if (record)
        record_example(record, use, w);
    json_object_end(w);
    json_object_end(w);
}

static void put_success_headers(struct json_writer *w, const struct route *route)
{
    json_key(w, "headers");
    json_object_begin(w);
    openapi_put_common_headers(w, route);
    if (route->idem_family) openapi_put_header(w, "Idempotent-Replayed", "IdempotentReplayed");
    if (route->tells_limits) openapi_put_limit_headers(w);
    if (route->is_stream) openapi_put_header(w, "X-Accel-Buffering", "AccelBuffering");
    json_object_end(w);
}

/* Writes content that no record describes: a JSON object, or a text of another media type. */
static void put_document(struct json_writer *w, const char *media_type)
{
    if (!media_type) {
        put_content(w, "application/json", NULL, RECORD_ANSWER, NULL);
        return;
    }
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, media_type);
    json_raw(w, STR("{\"schema\":{\"type\":\"string\"}}"));
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
        put_document(w, route->reply_type);
    put_links(w, routes, route);
    json_object_end(w);
}

/* Readiness answers 503 with its own record. */
static void put_unready(struct json_writer *w, const struct route *route)
{
    json_key(w, "503");
    json_object_begin(w);
    json_put_text(w, "description", route->unavailable_doc);
    json_key(w, "headers");
    json_object_begin(w);
    openapi_put_common_headers(w, route);
    json_object_end(w);
    put_content(w, "application/json", route->reply, RECORD_ANSWER,
                "{\"status\":\"unavailable\",\"version\":\"0.5.0\",\"ok\":false,"
                "\"error\":\"The database does not answer.\"}");
    json_object_end(w);
}

/* Work that goes on behind the answer may also be done at once. */
static void put_at_once(struct json_writer *w, const struct route *route)
{
    if (!route->at_once_doc) return;
    json_key(w, "200");
    json_object_begin(w);
    json_put_text(w, "description", route->at_once_doc);
    put_success_headers(w, route);
    put_content(w, "application/json", route->reply, RECORD_ANSWER, NULL);
    json_object_end(w);
}

static void put_shared_response(struct json_writer *w, const char *status, const char *name)
{
    json_key(w, status);
    openapi_put_ref(w, "responses", name);
}

/* A body that is not wanted has the same limits. */
static void put_shared_responses(struct json_writer *w, const struct route *route)
{
    if (!route->body) {
        put_shared_response(w, "413", "UnwantedBodyTooLarge");
        put_shared_response(w, "415", "UnwantedEncoding");
    }
    bool is_oauth = route->error_style == ERRORS_OAUTH;
    put_shared_response(w, "default", is_oauth ? "OAuthRefusal" : "Refusal");
}

static void put_responses(struct json_writer *w, const struct route_list *routes,
                          const struct route *route)
{
    json_key(w, "responses");
    json_object_begin(w);
    put_at_once(w, route);
    put_success(w, routes, route);
    openapi_put_error_refs(w, route);
    if (route->unavailable_doc) put_unready(w, route);
    put_shared_responses(w, route);
    json_object_end(w);
}

/* Writes a parameter; its `place` is query or header. It may be left out, but is never null. */
static void put_param(struct json_writer *w, const char *place, const struct field *field,
                      const struct schema_style *style)
{
    struct field given = *field;

    given.flags &= ~FIELD_NULLABLE;
    json_object_begin(w);
    json_put_text(w, "name", field->name);
    json_put_text(w, "in", place);
    json_put_text(w, "description", field->doc);
    if (field->flags & FIELD_REQUIRED) json_put_bool(w, "required", true);
    json_key(w, "schema");
    json_object_begin(w);
    record_describe_field(&given, style, w);
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

static void put_parameters(struct json_writer *w, const struct route *route,
                           const struct schema_style *style)
{
    json_key(w, "parameters");
    json_array_begin(w);
    put_path_params(w, route->path);
    for (size_t i = 0; route->query && i < route->query->field_count; i++)
        put_param(w, "query", &route->query->fields[i], style);
    for (int i = 0; route->headers && route->headers[i].name; i++)
        put_param(w, "header", &route->headers[i], style);
    if (route->idem_family) openapi_put_ref(w, "parameters", "IdempotencyKey");
    if (route->is_stream) openapi_put_ref(w, "parameters", "LastEventId");
    openapi_put_ref(w, "parameters", "RequestId");
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

/* Writes the roles that are enough: core, if it is for core systems, and the least of the ladder.
 */
static void put_roles(struct json_writer *w, const struct route *route)
{
    if (route->auth != AUTH_INTERNAL_KEY) return;
    json_key(w, "x-role");
    json_array_begin(w);
    if (route->is_for_core) json_text(w, role_words[ROLE_CORE]);
    json_text(w, role_words[route->role]);
    json_array_end(w);
}

static void put_description(struct json_writer *w, const struct route *route)
{
    AUTO_BUF text = {0};

    buf_init(&text, DESCRIPTION_MAX);
    buf_text(&text, route->description);
    if (route->auth == AUTH_INTERNAL_KEY) {
        buf_printf(&text, " Needs a key with the role `%s`%s", role_words[route->role],
                   route->role == ROLE_ADMIN ? "" : " or one above it");
        buf_printf(&text, "%s.", route->is_for_core ? ", or `core`" : "");
        if (route->tells_the_log) buf_text(&text, " While LOG_SENSITIVE is true, `admin`.");
    }
    json_key(w, "description");
    json_str(w, buf_view(&text));
}

void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route, const struct schema_style *style)
{
    char method[8] = "";
    for (size_t i = 0; i < sizeof(method) - 1 && route->method[i]; i++)
        method[i] = (char)(route->method[i] + ('a' - 'A'));

    json_key(w, method);
    json_object_begin(w);
    json_put_text(w, "operationId", route->operation_id);
    json_put_text(w, "summary", route->summary);
    put_description(w, route);
    put_roles(w, route);
    json_key(w, "tags");
    json_array_begin(w);
    json_text(w, route->tag);
    json_array_end(w);
    put_security(w, route);
    put_parameters(w, route, style);
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
