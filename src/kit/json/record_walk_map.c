/* A map is a small object whose values are strings. It is read once more when it is whole, and kept
 * in one form: two that say the same are the same text. */
#include "kit/json/record_walk.h"

enum { MEMBERS_MAX = 64, ESCAPED_LEN = 6 };

struct member {
    const char *key, *value;
};

struct map {
    struct record_walk *walk;
    struct walk_frame *frame;
    struct json_reader *reader;
    struct member members[MEMBERS_MAX]; /* in order of their keys */
    size_t kept, count;                 /* those that the map may have; all */
    bool is_sound;
};

static void tell(struct map *map, struct verdict verdict)
{
    verdict.field = map->frame->field;
    map->is_sound = false;
    map->walk->options.voice->tell(map->walk, &verdict);
}

/* Passes an object or array that was begun. */
static void skip(struct json_reader *reader)
{
    unsigned depth = json_depth(reader);
    while (json_depth(reader) >= depth)
        (void)json_next(reader, NULL);
}

static void keep(struct map *map, const char *key, const char *value)
{
    size_t at = map->kept++;

    for (; at > 0; at--) {
        const struct member *before = &map->members[at - 1];
        assert(before->key); /* all that were kept have one */
        if (strcmp(before->key, key) <= 0) break;
        map->members[at] = *before;
    }
    map->members[at] = (struct member){key, value};
}

static void take_member(struct map *map, struct str key)
{
    const struct field *field = map->frame->field;
    struct arena *arena = map->walk->source.arena;
    const char *kept_key = arena_str(arena, key);
    struct str value;

    map->frame->key = utf8_fit(str_of(kept_key), WALK_KEY_MAX);
    if (!field->format->is_valid(key)) tell(map, (struct verdict){.flaw = FLAW_FORMAT});
    enum json_token token = json_next(map->reader, &value);
    if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN) skip(map->reader);
    if (token != JSON_STRING) tell(map, (struct verdict){.flaw = FLAW_KIND, .is_item = true});
    bool is_kept = token == JSON_STRING && (int64_t)map->count < field->items_max;
    map->count++;
    if (is_kept) keep(map, kept_key, arena_str(arena, value));
}

static void store(struct map *map, struct str text)
{
    const struct field *field = map->frame->field;
    struct json_writer writer;
    AUTO_BUF out = {0};

    buf_init(&out, ESCAPED_LEN * text.len);
    json_writer_init(&writer, &out);
    json_object_begin(&writer);
    for (size_t i = 0; i < map->kept; i++)
        json_put_text(&writer, map->members[i].key, map->members[i].value);
    json_object_end(&writer);
    assert(!out.is_full);
    if ((int64_t)out.len > field->max)
        tell(map, (struct verdict){.flaw = FLAW_MAP_SIZE, .limit = field->max, .count = out.len});
    else if (map->kept > 0)
        *(const char **)map->frame->slot = arena_str(map->walk->source.arena, buf_view(&out));
}

void walk_close_map(struct record_walk *walk, struct walk_frame *frame, struct str text)
{
    struct map map = {.walk = walk, .frame = frame, .is_sound = true};
    int64_t keys_max = frame->field->items_max;
    struct str key;

    assert(keys_max > 0 && keys_max <= MEMBERS_MAX);
    map.reader = json_reader_new(text.len);
    json_feed(map.reader, text, true);
    (void)json_next(map.reader, NULL); /* its bracket; the whole text was read before */
    while (json_next(map.reader, &key) == JSON_KEY)
        take_member(&map, key);
    json_reader_free(map.reader);
    if ((int64_t)map.count > keys_max)
        tell(&map, (struct verdict){.flaw = FLAW_TOO_MANY, .limit = keys_max, .count = map.count});
    if (map.is_sound) store(&map, text);
}
