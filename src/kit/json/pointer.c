/*
 * One pass finds a value by its pointer (RFC 6901). It only ever goes forward: once it has left the
 * object or list in which the value had to stand, there is none.
 */
#include "kit/json/pointer.h"

#include <assert.h>
#include <stdio.h>

enum { INDEX_TEXT_MAX = 24 };

struct search {
    struct arena *arena;
    const char *rest; /* of the pointer: what leads on from the container at hand */
    unsigned depth;   /* how many containers are open */
    unsigned on_path; /* how many of them lie on the pointer's path */
    bool is_array;    /* the innermost of those is a list */
    uint64_t index;   /* of its next item */
    bool is_next;     /* the next value is the one that `rest` names first */
    bool is_over;     /* found, or known to be missing */
    struct json_value found;
};

bool json_pointer_is_valid(const char *pointer)
{
    if (pointer[0] && pointer[0] != '/') return false;
    for (const char *at = pointer; *at; at++) {
        if (*at == '~' && at[1] != '0' && at[1] != '1') return false;
    }
    return true;
}

/* Returns the first segment of "/segment/…", still escaped. */
static struct str first_segment(const char *rest)
{
    return (struct str){rest + 1, strcspn(rest + 1, "/")};
}

/* Returns whether `name` is what the segment stands for: ~1 is a slash, ~0 a tilde. */
static bool segment_is(struct str segment, struct str name)
{
    size_t used = 0;

    for (size_t i = 0; i < segment.len; i++) {
        char c = segment.data[i];
        if (c == '~') c = segment.data[++i] == '1' ? '/' : '~';
        if (used == name.len || name.data[used++] != c) return false;
    }
    return used == name.len;
}

static bool segment_is_index(struct str segment, uint64_t index)
{
    char text[INDEX_TEXT_MAX];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)index);
    return str_is(segment, text);
}

static bool is_container(enum json_token token)
{
    return token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN;
}

/* Takes the value that was looked for: the last one of the path, or one that leads on. */
static void take_value(struct search *search, enum json_token token, struct str text)
{
    bool is_root = search->depth == 0;

    search->is_next = false;
    if (!is_root) search->rest += 1 + first_segment(search->rest).len;
    if (search->rest[0] == '\0') {
        bool has_text = token == JSON_STRING || token == JSON_NUMBER;
        search->found.type = token;
        if (has_text) search->found.text = (struct str){arena_str(search->arena, text), text.len};
        search->is_over = true;
        return;
    }
    if (!is_container(token)) {
        search->is_over = true;
        return;
    }
    search->on_path++;
    search->is_array = token == JSON_ARRAY_BEGIN;
    search->index = 0;
}

static void take_token(struct search *search, enum json_token token, struct str text)
{
    bool is_end = token == JSON_OBJECT_END || token == JSON_ARRAY_END;
    bool is_here = !search->is_over && search->depth == search->on_path;

    if (is_end) {
        search->depth--;
        if (is_here) search->is_over = true;
        return;
    }
    if (token == JSON_KEY) {
        search->is_next = is_here && segment_is(first_segment(search->rest), text);
        return;
    }
    if (is_here && search->depth > 0 && search->is_array)
        search->is_next = segment_is_index(first_segment(search->rest), search->index++);
    if (search->is_next) take_value(search, token, text);
    if (is_container(token)) search->depth++;
}

bool json_find(struct str text, const char *pointer, struct arena *arena,
               struct json_value *ret_value)
{
    struct search search = {
        .arena = arena, .rest = pointer, .is_next = true, .found.type = JSON_END};
    struct json_reader *reader = json_reader_new(text.len + 1);
    struct str token_text = {0};
    enum json_token token;

    assert(json_pointer_is_valid(pointer));
    json_feed(reader, text.data ? text : STR(""), true);
    while ((token = json_next(reader, &token_text)) > JSON_END)
        take_token(&search, token, token_text);
    json_reader_free(reader);
    if (token != JSON_END) return false;
    *ret_value = search.found;
    return true;
}
