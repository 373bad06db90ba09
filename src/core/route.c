/* Tables of routes are joined, and paths are matched with their templates, segment by segment. */
#include "core/route.h"

#include "kit/http/path.h"
#include "kit/json/utf8.h"

void route_list_add(struct route_list *list, const struct route_table *table)
{
    assert(list->count + table->count <= ROUTES_MAX);
    for (size_t i = 0; i < table->count; i++) {
        struct route *route = &list->rows[list->count++];
        *route = table->rows[i];
        bool is_get = strcmp(route->method, "GET") == 0;
        /* A row that forgets to say who may call it opens nothing. */
        assert((route->auth == AUTH_INTERNAL_KEY) == (route->role != ROLE_CORE));
        route->store = table->store;
        route->fixed_len = strcspn(route->path, "{");
        if (route->access == ACCESS_BY_METHOD) route->access = is_get ? ACCESS_READ : ACCESS_WRITE;
        if (route->status == 0) route->status = is_get || route->reply ? 200 : 204;
    }
}

/* Holds the parameters of a path, as far as it was read. */
struct values {
    struct arena *arena;
    struct route_match *match;
    int id_count, text_count;
};

static bool take_text(struct values *values, struct str segment)
{
    size_t len;

    if (segment.len == 0 || segment.len > 3 * PATH_TEXT_MAX) return false;
    char *text = arena_alloc(values->arena, segment.len + 1);
    if (!http_percent_decode(segment, HTTP_DECODE_PATH, text, &len)) return false;
    if (len > PATH_TEXT_MAX || !utf8_is_valid(text, text + len)) return false;
    assert(values->text_count < PATH_PARAMS_MAX);
    values->match->texts[values->text_count++] = text;
    return true;
}

static bool match_segment(struct values *values, struct str wanted, struct str got)
{
    bool is_param = wanted.len > 1 && wanted.data[0] == '{';

    if (is_param && wanted.data[1] == '*') return take_text(values, got);
    if (!is_param) return wanted.len == got.len && memcmp(wanted.data, got.data, got.len) == 0;
    assert(values->id_count < PATH_PARAMS_MAX);
    return uuid_parse(got, &values->match->ids[values->id_count++]);
}

static bool match_path(const char *template, struct str path, struct values *values)
{
    struct str rest = str_of(template);
    struct str wanted, got;

    while (http_path_next(&rest, &wanted)) {
        if (!http_path_next(&path, &got) || !match_segment(values, wanted, got)) return false;
    }
    return path.len == 0;
}

enum err route_match(const struct route_list *routes, struct str method, struct str path,
                     struct arena *arena, struct route_match *ret_match)
{
    struct str wanted = str_is(method, "HEAD") ? STR("GET") : method;

    *ret_match = (struct route_match){.route = NULL};
    for (size_t i = 0; i < routes->count; i++) {
        const struct route *route = &routes->rows[i];
        if (path.len < route->fixed_len || memcmp(path.data, route->path, route->fixed_len) != 0)
            continue; /* as hardly any begins alike, this is what a request pays for most rows */
        struct values values = {.arena = arena, .match = ret_match};
        if (!match_path(route->path, path, &values)) continue;
        ret_match->route = route;
        if (str_is(wanted, route->method)) return ERR_OK;
        ret_match->allow = arena_printf(arena, "%s%s%s%s", ret_match->allow ? ret_match->allow : "",
                                        ret_match->allow ? ", " : "", route->method,
                                        strcmp(route->method, "GET") == 0 ? ", HEAD" : "");
    }
    return ret_match->route ? ERR_METHOD_NOT_ALLOWED : ERR_NOT_FOUND;
}
