/*
 * The page is for people what the OpenAPI document is for programs, and is printed from the same
 * tables. It has no script and asks for nothing else, so it also opens where there is no network.
 */
#include "app/api/auth.h"
#include "app/api/routes.h"
#include "app/openapi/openapi.h"
#include "core/request.h"

#include <stdio.h>
#include <string.h>

enum { FIELD_PATH_MAX = 160, DEPTH_MAX = 6 };

static const char style[] =
    ":root{color-scheme:light dark;--line:#8884;--soft:#8881}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}"
    "h1{margin-bottom:0}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}"
    "code{font:.875em ui-monospace,monospace;background:var(--soft);padding:.1em .3em;"
    "border-radius:.2em;overflow-wrap:anywhere}"
    "details{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;padding:.4rem .8rem}"
    "summary{cursor:pointer}summary code{background:none;padding:0}"
    "summary b{display:inline-block;min-width:4.5em;font:bold .8em ui-monospace,monospace}"
    "summary span{float:right;opacity:.75}"
    "table{border-collapse:collapse;table-layout:fixed;width:100%;margin:.3rem 0 1rem}"
    "td:first-child{width:36%}td:nth-child(2){width:22%}"
    "td,th{border-top:1px solid var(--line);padding:.3rem .5rem;text-align:left;"
    "vertical-align:top}h4{margin:1rem 0 0}nav a{margin-right:1em;white-space:nowrap}"
    "@media(max-width:40rem){summary span{float:none;display:block}}";

/* Writes text for people: what stands between backticks is code. */
static void put_text(struct buf *out, const char *text)
{
    bool is_code = false;

    for (; *text; text++) {
        switch (*text) {
        case '<':
            buf_text(out, "&lt;");
            break;
        case '>':
            buf_text(out, "&gt;");
            break;
        case '&':
            buf_text(out, "&amp;");
            break;
        case '"':
            buf_text(out, "&quot;");
            break;
        case '`':
            buf_text(out, is_code ? "</code>" : "<code>");
            is_code = !is_code;
            break;
        default:
            buf_char(out, *text);
        }
    }
    if (is_code) buf_text(out, "</code>");
}

static void put_element(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, "<%s>", name);
    put_text(out, text);
    buf_printf(out, "</%s>\n", name);
}

/* --- Fields ----------------------------------------------------------------------------------- */

static const char *const type_texts[] = {
    [FIELD_STRING] = "text",
    [FIELD_INTEGER] = "whole number",
    [FIELD_BOOLEAN] = "true or false",
    [FIELD_TIME] = "time",
    [FIELD_UUID] = "id",
    [FIELD_ENUM] = "one of",
    [FIELD_WORD] = "one of",
    [FIELD_RECORD] = "object",
    [FIELD_RECORDS] = "list of objects",
    [FIELD_STRINGS] = "list of texts",
    [FIELD_OBJECT] = "any object",
    [FIELD_MAP] = "object of texts",
    [FIELD_STRING_OR_INTEGER] = "text or whole number",
    [FIELD_TRISTATE] = "true or false",
    [FIELD_DECIMAL] = "number",
    [FIELD_SCALAR] = "text, number, or true or false",
};

static void put_type(struct buf *out, const struct field *field)
{
    bool has_words = field->words && (field->type == FIELD_ENUM || field->type == FIELD_WORD);

    buf_text(out, type_texts[field->type]);
    for (size_t i = 0; has_words && field->words[i]; i++) {
        buf_text(out, i > 0 ? ", <code>" : " <code>");
        put_text(out, field->words[i]);
        buf_text(out, "</code>");
    }
    if (field->flags & FIELD_NULLABLE) buf_text(out, ", or null");
}

/* A field that an answer always has needs no word. */
static void put_row(struct buf *out, const char *path, const struct field *field, bool is_answer)
{
    buf_text(out, "<tr><td><code>");
    put_text(out, path);
    buf_text(out, "</code></td><td>");
    put_type(out, field);
    if (!is_answer && field->flags & FIELD_REQUIRED) buf_text(out, "<br>required");
    buf_text(out, "</td><td>");
    if (field->doc) put_text(out, field->doc);
    buf_text(out, "</td></tr>\n");
}

static void put_rows(struct buf *out, const struct record *record, const char *prefix, int depth,
                     bool is_answer)
{
    for (size_t i = 0; i < record->field_count && depth < DEPTH_MAX; i++) {
        const struct field *field = &record->fields[i];
        char path[FIELD_PATH_MAX];

        snprintf(path, sizeof(path), "%s%s%s", prefix, field->name,
                 field->type == FIELD_RECORDS ? "[]" : "");
        put_row(out, path, field, is_answer);
        if (!field->record) continue;
        strncat(path, ".", sizeof(path) - strlen(path) - 1);
        put_rows(out, field->record, path, depth + 1, is_answer);
    }
}

static void put_fields(struct buf *out, const struct record *record, bool is_answer)
{
    buf_text(out, "<table>\n");
    put_rows(out, record, "", 0, is_answer);
    buf_text(out, "</table>\n");
}

/* --- Operations ------------------------------------------------------------------------------- */

static void put_keys(struct buf *out, const struct route *route)
{
    const struct auth_scheme *schemes = auth_of(route)->schemes;
    bool needs_key = schemes[0].name && schemes[0].name[0];

    buf_text(out, "<p>Key: ");
    if (!needs_key) buf_text(out, "none");
    for (int i = 0; needs_key && i < AUTH_SCHEMES_MAX && schemes[i].name; i++) {
        if (!schemes[i].name[0]) continue;
        buf_printf(out, "%s<code>%s</code>", i > 0 ? " or " : "", schemes[i].name);
    }
    if (route->scope) buf_printf(out, ", scope <code>%s</code>", route->scope);
    if (route->idem_family) buf_text(out, ". <code>Idempotency-Key</code> is required");
    buf_text(out, ".</p>\n");
}

static void put_errors(struct buf *out, const struct route *route)
{
    if (!route->errors[0]) return;
    buf_text(out, "<h4>Errors of its own</h4>\n<table>\n");
    for (int i = 0; i < ROUTE_ERRORS_MAX && route->errors[i]; i++) {
        const struct err_info *info = err_info(route->errors[i]);
        buf_printf(out, "<tr><td>%d</td><td><code>%s</code></td><td>", info->http_status,
                   info->code);
        put_text(out, info->sentence);
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</table>\n");
}

/* Writes the path as the OpenAPI document has it: {*event_id} is {event_id} there. */
static void put_path(struct buf *out, const char *path)
{
    for (; *path; path++) {
        if (*path != '*') buf_char(out, *path);
    }
}

static void put_operation(struct buf *out, const struct route *route)
{
    buf_printf(out, "<details id=\"%s\"><summary><b>%s</b><code>", route->operation_id,
               route->method);
    put_path(out, route->path);
    buf_text(out, "</code><span>");
    put_text(out, route->summary);
    buf_text(out, "</span></summary>\n");
    put_element(out, "p", route->description);
    put_keys(out, route);
    if (route->query) {
        put_element(out, "h4", "Query");
        put_fields(out, route->query, false);
    }
    if (route->body) {
        put_element(out, "h4", "Body");
        put_fields(out, route->body, false);
    }
    buf_printf(out, "<h4>Answer %d</h4>\n", route->status);
    put_element(out, "p", route->reply_doc);
    if (route->reply) put_fields(out, route->reply, true);
    put_errors(out, route);
    buf_text(out, "</details>\n");
}

static void put_tag(struct buf *out, const struct route_list *routes, const struct route_tag *tag)
{
    bool is_begun = false;

    for (size_t i = 0; i < routes->count; i++) {
        if (strcmp(routes->rows[i].tag, tag->name) != 0) continue;
        if (!is_begun) {
            put_element(out, "h2", tag->name);
            put_element(out, "p", tag->description);
        }
        is_begun = true;
        put_operation(out, &routes->rows[i]);
    }
}

void docs_page_print(const struct route_list *routes, const struct openapi_info *info,
                     struct buf *out)
{
    buf_printf(out,
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
               "<title>herald %s: operations</title><style>%s</style></head><body>\n",
               info->version, style);
    buf_printf(out,
               "<h1>herald</h1>\n<p>Version %s. All operations, printed from the same tables as "
               "<a href=\"/openapi.json\">the OpenAPI document</a>, which also has every error "
               "and an example of each body.</p>\n",
               info->version);
    for (const struct route_tag *tag = route_tags; tag->name; tag++)
        put_tag(out, routes, tag);
    buf_text(out, "</body></html>\n");
}
