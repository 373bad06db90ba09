/*
 * A row says where the resource that its answer names is found, and under which name the answer has
 * its id. Every operation at that path, and those right below it that need no further id, is a
 * link: a client, or a test that walks the document, knows what it can do next.
 */
#include "app/openapi/openapi_link.h"

#include <stdio.h>

/* "/otp/{id}/verify" and "/otp/{id}" go on from "/otp/{id}"; "/otp/{id}/sends/{n}" does not. */
static bool goes_on_from(const char *path, const char *start)
{
    size_t len = strlen(start);

    if (strncmp(path, start, len) != 0) return false;
    const char *rest = path + len;
    return (*rest == '\0' || *rest == '/') && !strchr(rest, '{');
}

/* The {name} or {*name} that `from` begins with. */
static struct str param_name(const char *from)
{
    const char *begin = from + (from[1] == '*' ? 2 : 1);
    return (struct str){begin, (size_t)(strchr(begin, '}') - begin)};
}

static void put_param(struct json_writer *w, struct str name, const char *source, struct str value)
{
    char key[64];
    char expression[128];

    snprintf(key, sizeof(key), "%.*s", (int)name.len, name.data);
    snprintf(expression, sizeof(expression), "%s%.*s", source, (int)value.len, value.data);
    json_put_text(w, key, expression);
}

/* The last id is the answer's; those before it are the ones that the request had in its path. */
static void put_link_params(struct json_writer *w, const struct route *route)
{
    const char *open = strchr(route->link_path, '{');

    json_key(w, "parameters");
    json_object_begin(w);
    while (open) {
        const char *next = strchr(open + 1, '{');
        struct str name = param_name(open);
        if (next)
            put_param(w, name, "$request.path.", name);
        else
            put_param(w, name, "$response.body#", str_of(route->link_id));
        open = next;
    }
    json_object_end(w);
}

void openapi_put_links(struct json_writer *w, const struct route_list *routes,
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
