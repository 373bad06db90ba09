/* The document has its records, its paths in the order of the tables, and parts that they share. */
#include "app/openapi/openapi.h"

#include "app/api/auth.h"
#include "app/api/routes.h"
#include "app/openapi/openapi_parts.h"

#include <stdio.h>

enum { RECORDS_MAX = 320 };

struct document {
    struct json_writer w;
    const struct route_list *routes;
    const struct openapi_info *info;
    const struct record *records[RECORDS_MAX];
    enum record_use uses[RECORDS_MAX];
    size_t record_count;
    struct schema_style style;
};

/* --- Which records there are ------------------------------------------------------------------ */

static void collect_record(struct document *doc, const struct record *record, enum record_use use)
{
    if (!record) return;
    for (size_t i = 0; i < doc->record_count; i++) {
        if (doc->records[i] == record) return;
    }
    assert(doc->record_count < RECORDS_MAX);
    doc->records[doc->record_count] = record;
    doc->uses[doc->record_count] = use;
    doc->record_count++;
    for (size_t i = 0; i < record->field_count; i++)
        collect_record(doc, record->fields[i].record, use);
}

static void collect_records(struct document *doc)
{
    for (size_t i = 0; i < doc->routes->count; i++) {
        const struct route *route = &doc->routes->rows[i];
        bool is_strict = auth_of(route)->is_body_strict;
        enum record_use use = is_strict ? RECORD_STRICT_BODY : RECORD_BODY;
        collect_record(doc, route->body, route->taker ? RECORD_STREAM : use);
        collect_record(doc, route->reply, RECORD_ANSWER);
    }
}

static bool has_words(const struct document *doc, const struct record *record,
                      const struct named_words *words)
{
    for (size_t i = 0; record && i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (field->words && schema_name_of(&doc->style, field) == words) return true;
    }
    return false;
}

/* Tells whether a record or a query of the document has them. */
static bool is_used(const struct document *doc, const struct named_words *words)
{
    for (size_t i = 0; i < doc->record_count; i++) {
        if (has_words(doc, doc->records[i], words)) return true;
    }
    for (size_t i = 0; i < doc->routes->count; i++) {
        if (has_words(doc, doc->routes->rows[i].query, words)) return true;
    }
    return false;
}

/* --- The document ----------------------------------------------------------------------------- */

static bool is_first_of_path(const struct document *doc, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(doc->routes->rows[i].path, doc->routes->rows[index].path) == 0) return false;
    }
    return true;
}

/* Writes the template as OpenAPI has it, with {name} for {*name}, too. */
static void put_path_key(struct json_writer *w, const char *path)
{
    char key[256];
    size_t len = 0;

    for (const char *p = path; *p; p++) {
        if (*p == '*') continue;
        assert(len + 1 < sizeof(key));
        key[len++] = *p;
    }
    key[len] = '\0';
    json_key(w, key);
}

static void put_path(struct document *doc, const char *path)
{
    struct json_writer *w = &doc->w;

    put_path_key(w, path);
    json_object_begin(w);
    for (size_t i = 0; i < doc->routes->count; i++) {
        if (strcmp(doc->routes->rows[i].path, path) == 0)
            openapi_put_operation(w, doc->routes, &doc->routes->rows[i], &doc->style);
    }
    json_object_end(w);
}

static void put_paths(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "paths");
    json_object_begin(w);
    for (size_t i = 0; i < doc->routes->count; i++) {
        if (is_first_of_path(doc, i)) put_path(doc, doc->routes->rows[i].path);
    }
    json_object_end(w);
}

static bool is_first_of_scope(const struct document *doc, size_t index)
{
    const char *scope = doc->routes->rows[index].scope;

    if (!scope) return false;
    for (size_t i = 0; i < index; i++) {
        const char *earlier = doc->routes->rows[i].scope;
        if (earlier && strcmp(earlier, scope) == 0) return false;
    }
    return true;
}

static void put_scope(struct document *doc, const char *scope)
{
    char text[512] = "";

    for (size_t i = 0; i < doc->routes->count; i++) {
        const struct route *route = &doc->routes->rows[i];
        size_t len = strlen(text);
        if (!route->scope || strcmp(route->scope, scope) != 0) continue;
        snprintf(text + len, sizeof(text) - len, "%s%s", len > 0 ? "; " : "", route->summary);
    }
    json_put_text(&doc->w, scope, text);
}

/* Writes each scope with the operations that need it. */
static void put_scopes(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "scopes");
    json_object_begin(w);
    for (size_t i = 0; i < doc->routes->count; i++) {
        if (is_first_of_scope(doc, i)) put_scope(doc, doc->routes->rows[i].scope);
    }
    json_object_end(w);
}

static void put_flows(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "flows");
    json_object_begin(w);
    json_key(w, "clientCredentials");
    json_object_begin(w);
    json_put_text(w, "tokenUrl", doc->info->token_url);
    put_scopes(doc);
    json_object_end(w);
    json_object_end(w);
}

/* If another service issues the tokens, herald does not know how it does so. */
static void put_bearer_scheme(struct document *doc)
{
    struct json_writer *w = &doc->w;
    bool is_own = doc->info->token_url != NULL;

    json_key(w, "AccessToken");
    json_object_begin(w);
    json_put_text(w, "type", is_own ? "oauth2" : "http");
    json_put_text(w, "description",
                  is_own ? "A signed token of ten minutes, checked as RFC8725 advises; as "
                           "`Authorization: Bearer`, never in a URL."
                         : "A signed token of the identity service that this one takes tokens of, "
                           "checked as RFC8725 advises; as `Authorization: Bearer`, never in a "
                           "URL.");
    if (is_own) {
        put_flows(doc);
    } else {
        json_put_text(w, "scheme", "bearer");
        json_put_text(w, "bearerFormat", "JWT");
    }
    json_object_end(w);
}

static void put_security_schemes(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "securitySchemes");
    json_object_begin(w);
    for (int i = 0; i < AUTH_COUNT * AUTH_SCHEMES_MAX; i++) {
        const struct auth_scheme *scheme =
            &auth_ways[i / AUTH_SCHEMES_MAX].schemes[i % AUTH_SCHEMES_MAX];
        if (!scheme->json) continue;
        json_key(w, scheme->name);
        json_raw(w, str_of(scheme->json));
    }
    put_bearer_scheme(doc);
    json_object_end(w);
}

static void put_schemas(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "schemas");
    json_object_begin(w);
    for (size_t i = 0; i < doc->record_count; i++) {
        json_key(w, doc->records[i]->name);
        record_describe(doc->records[i], doc->uses[i], &doc->style, w);
    }
    for (const struct named_words *words = openapi_words; words->name; words++) {
        if (!is_used(doc, words)) continue;
        json_key(w, words->name);
        record_describe_words(words, w);
    }
    json_key(w, "UnavailableReason");
    openapi_put_reasons(w);
    json_key(w, "ErrorBody");
    json_raw(w, str_of(openapi_error_schema));
    json_key(w, "OAuthError");
    json_raw(w, str_of(openapi_oauth_error_schema));
    json_key(w, "BodyFaults");
    json_raw(w, str_of(openapi_detail_schema));
    json_key(w, "AnyObject");
    json_raw(w, STR("{\"type\":\"object\",\"description\":\"Any JSON object.\"}"));
    json_object_end(w);
}

static void put_components(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "components");
    json_object_begin(w);
    put_schemas(doc);
    json_key(w, "parameters");
    json_raw(w, str_of(openapi_parameters));
    json_key(w, "headers");
    json_raw(w, str_of(openapi_headers));
    json_key(w, "responses");
    json_object_begin(w);
    openapi_put_errors(w, doc->routes);
    openapi_put_refusals(w);
    json_object_end(w);
    put_security_schemes(doc);
    json_object_end(w);
}

static const char info_description[] =
    "Confirms phone numbers by inbound calls and one-time codes and sends messages, through a "
    "fleet of phones that you run and through providers. Takes the catalogs of ERPs, with their "
    "prices and stock, by access tokens that it issues itself or that your identity service "
    "issues, and brings orders to the ERPs. Errors have one shape everywhere; lists page with "
    "`limit` and `cursor`; creations are made safe to repeat by `Idempotency-Key`. In the body of "
    "a creation or an action, null for a member that may be left out is that member left out; only "
    "where a schema has null, and in PATCH, it means something else. Dates with times are read as "
    "RFC 3339 has them, and also with a space for the `T`, without seconds, and with `+0300` or "
    "`+03` for `+03:00`. The `default` of each operation is what HTTP itself or a mistake of the "
    "service may answer, whatever is "
    "asked.";

static void put_info(struct document *doc)
{
    struct json_writer *w = &doc->w;
    const char *server_url = doc->info->server_url;
    bool is_3_0 = doc->style.dialect == SCHEMA_OPENAPI_3_0;

    json_put_text(w, "openapi", is_3_0 ? "3.0.3" : "3.1.0");
    json_key(w, "info");
    json_object_begin(w);
    json_put_text(w, "title", "herald");
    json_put_text(w, "version", doc->info->version);
    if (!is_3_0)
        json_put_text(w, "summary",
                      "Verification and messaging, and catalogs and orders with ERPs");
    json_put_text(w, "description", info_description);
    json_key(w, "license");
    json_object_begin(w);
    json_put_text(w, "name", "Apache-2.0");
    if (!is_3_0) json_put_text(w, "identifier", "Apache-2.0");
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

static void put_tags(struct document *doc)
{
    struct json_writer *w = &doc->w;

    json_key(w, "tags");
    json_array_begin(w);
    for (const struct route_tag *tag = route_tags; tag->name; tag++) {
        json_object_begin(w);
        json_put_text(w, "name", tag->name);
        json_put_text(w, "description", tag->description);
        json_object_end(w);
    }
    json_array_end(w);
}

void openapi_print(const struct route_list *routes, const struct openapi_info *info,
                   struct buf *out)
{
    struct document doc = {
        .routes = routes,
        .info = info,
        .style = {.dialect = info->dialect, .names = openapi_words},
    };

    json_writer_init(&doc.w, out);
    collect_records(&doc);
    json_object_begin(&doc.w);
    put_info(&doc);
    put_tags(&doc);
    put_paths(&doc);
    put_components(&doc);
    json_object_end(&doc.w);
    buf_char(out, '\n');
}
