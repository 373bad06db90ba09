/* Paths against templates, segment by segment. */
#include "kit/route/match.h"

#include <stdio.h>

/* Takes the segment up to the next '/' off the front of `path`, which begins with '/'. */
static struct str take_segment(struct str *path)
{
    const char *begin = path->data + 1;
    size_t rest = path->len - 1;
    const char *slash = memchr(begin, '/', rest);
    struct str segment = {begin, slash ? (size_t)(slash - begin) : rest};
    path->data = begin + segment.len;
    path->len = rest - segment.len;
    return segment;
}

static bool match_path(const char *template, struct str path,
                       struct uuid ret_ids[static PATH_PARAMS_MAX])
{
    struct str rest = str_of(template);
    int id_count = 0;

    while (rest.len > 0 && path.len > 0 && path.data[0] == '/') {
        struct str wanted = take_segment(&rest);
        struct str got = take_segment(&path);
        if (wanted.len > 0 && wanted.data[0] == '{') {
            assert(id_count < PATH_PARAMS_MAX);
            if (!uuid_parse(got, &ret_ids[id_count++])) return false;
            continue;
        }
        if (wanted.len != got.len || memcmp(wanted.data, got.data, got.len) != 0) return false;
    }
    return rest.len == 0 && path.len == 0;
}

static void add_allowed(char allow[static ALLOW_MAX], const char *method)
{
    size_t len = strlen(allow);
    snprintf(allow + len, ALLOW_MAX - len, "%s%s%s", len > 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

enum err route_match(const struct route *routes, size_t count, struct str method, struct str path,
                     const struct route **ret_route, struct uuid ret_ids[static PATH_PARAMS_MAX],
                     char ret_allow[static ALLOW_MAX])
{
    struct str wanted = str_is(method, "HEAD") ? STR("GET") : method;

    ret_allow[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!match_path(routes[i].path, path, ret_ids)) continue;
        if (str_is(wanted, routes[i].method)) {
            *ret_route = &routes[i];
            return ERR_OK;
        }
        add_allowed(ret_allow, routes[i].method);
    }
    return ret_allow[0] ? ERR_METHOD_NOT_ALLOWED : ERR_NOT_FOUND;
}
