/* The OpenAPI document as tests look at it: the paths of its keys. */
#pragma once

#include "app/api/routes.h"
#include "app/openapi/openapi.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DOCUMENT_MAX = 4 * 1024 * 1024, KEYS_MAX = 20000, TEXTS_MAX = 8192 };

/* The document as the paths of its keys, "paths|/x|get|responses|200", and its $ref values. */
struct document {
    struct route_list routes;
    struct arena arena;
    struct buf text;
    const char *keys[KEYS_MAX]; /* sorted */
    size_t key_count;
    const char *refs[TEXTS_MAX];
    const char *ref_keys[TEXTS_MAX]; /* where each stands: "paths|/x|get|responses|404" */
    size_t ref_count;
    enum json_token last;
};

/* One path of keys, a segment a level; arrays add an empty one. */
struct place {
    const char *segments[JSON_DEPTH_MAX + 1];
    unsigned depth;
};

static inline const char *join(struct arena *arena, const struct place *place, unsigned depth)
{
    const char *text = place->segments[1] ? place->segments[1] : "";
    for (unsigned i = 2; i <= depth; i++)
        text = arena_printf(arena, "%s|%s", text, place->segments[i] ? place->segments[i] : "");
    return text;
}

static inline void take_token(struct document *doc, struct json_reader *reader, struct place *place,
                              enum json_token token, struct str text)
{
    unsigned depth = json_depth(reader);
    if (token == JSON_KEY) {
        assert_true(doc->key_count < KEYS_MAX);
        place->segments[depth] = arena_str(&doc->arena, text);
        doc->keys[doc->key_count++] = join(&doc->arena, place, depth);
    } else if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN) {
        place->segments[depth] = NULL;
    } else if (token == JSON_STRING && place->segments[depth] &&
               strcmp(place->segments[depth], "$ref") == 0) {
        assert_true(doc->ref_count < TEXTS_MAX);
        doc->ref_keys[doc->ref_count] = join(&doc->arena, place, depth - 1);
        doc->refs[doc->ref_count++] = arena_str(&doc->arena, text);
    }
}

static inline int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline struct document *read_routes_as(const struct route_list *routes,
                                              const struct openapi_info *info)
{
    struct document *doc = calloc(1, sizeof *doc);
    assert_non_null(doc);
    doc->routes = *routes;
    arena_init(&doc->arena);
    buf_init(&doc->text, DOCUMENT_MAX);
    openapi_print(&doc->routes, info, &doc->text);
    assert_false(doc->text.is_full);

    struct json_reader *reader = json_reader_new(65536);
    struct place place = {.depth = 0};
    struct str text = {0};
    json_feed(reader, buf_view(&doc->text), true);
    while ((doc->last = json_next(reader, &text)) > JSON_END)
        take_token(doc, reader, &place, doc->last, text);
    json_reader_free(reader);
    qsort(doc->keys, doc->key_count, sizeof *doc->keys, compare_keys);
    return doc;
}

static inline struct document *read_routes(const struct route_list *routes)
{
    return read_routes_as(
        routes, &(struct openapi_info){.version = "0.5.0", .token_url = "/v1/oauth/token"});
}

static inline struct document *read_document(const struct route *rows, size_t count)
{
    struct route_list routes = {.count = 0};
    route_list_add(&routes, &(struct route_table){.rows = rows, .count = count});
    return read_routes(&routes);
}

static inline void free_document(struct document *doc)
{
    buf_done(&doc->text);
    arena_done(&doc->arena);
    free(doc);
}

static inline int count_key(const struct document *doc, const char *key)
{
    const char *const *end = doc->keys + doc->key_count;
    const char *const *found =
        bsearch(&key, doc->keys, doc->key_count, sizeof *doc->keys, compare_keys);
    int count = 0;

    while (found && found > doc->keys && strcmp(found[-1], key) == 0)
        found--;
    for (; found && found < end && strcmp(*found, key) == 0; found++)
        count++;
    return count;
}

static inline const char *operation_of(struct document *doc, const struct route *route)
{
    char *key = arena_printf(&doc->arena, "paths|%s|%s", route->path, route->method);
    char *star = strchr(key, '*'); /* {*name} is {name} in the document */
    if (star) memmove(star, star + 1, strlen(star));
    for (char *p = key + strlen(key) - strlen(route->method); *p; p++)
        *p = (char)(*p + ('a' - 'A'));
    return key;
}

/* Returns where that of an operation is told of, "404|headers|Retry-After": in place, or where the
 * reference of its status leads. */
static inline const char *response_key(struct document *doc, const char *operation,
                                       const char *rest)
{
    size_t status_len = strcspn(rest, "|");
    const char *place =
        arena_printf(&doc->arena, "%s|responses|%.*s", operation, (int)status_len, rest);

    for (size_t i = 0; i < doc->ref_count && rest[status_len]; i++) {
        if (strcmp(doc->ref_keys[i], place) != 0) continue;
        const char *name = doc->refs[i] + strlen("#/components/responses/");
        return arena_printf(&doc->arena, "components|responses|%s%s", name, rest + status_len);
    }
    return arena_printf(&doc->arena, "%s%s", place, rest + status_len);
}

/* Of a group of tests: *state is the document of the whole service. */

static inline int open_document(void **state)
{
    struct route_list routes;
    routes_of_role(PROCESS_TOOL, true, &routes);
    *state = read_routes(&routes);
    return 0;
}

static inline int close_document(void **state)
{
    free_document(*state);
    return 0;
}
