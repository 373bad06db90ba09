/* Each level has a map of its own, whose memory is used again unless it is large. */
#include "kit/json/open_keys.h"

#include <assert.h>
#include <stddef.h>

enum { KEPT_MAX = 64 * 1024 }; /* bytes of a map that has no keys */

void open_keys_init(struct open_keys *keys, size_t max)
{
    keys->max = max;
    keys->count = keys->level_count = 0;
    keys->is_large = false;
}

void open_keys_init_large(struct open_keys *keys, size_t max)
{
    open_keys_init(keys, max);
    keys->is_large = true;
}

void open_keys_done(struct open_keys *keys)
{
    while (keys->level_count > 0)
        text_map_done(&keys->levels[--keys->level_count]);
}

static void init_map(const struct open_keys *keys, struct text_map *map)
{
    if (keys->is_large)
        text_map_init_large(map);
    else
        text_map_init(map);
}

enum open_key open_keys_add(struct open_keys *keys, unsigned level, struct str text)
{
    uint32_t times = 1;

    assert(level <= JSON_DEPTH_MAX);
    while (keys->level_count <= level)
        init_map(keys, &keys->levels[keys->level_count++]);
    struct text_map *map = &keys->levels[level];
    bool is_full = keys->count == keys->max;
    bool is_new = is_full ? !text_map_find(map, text, &times) : text_map_add(map, text, 1, &times);
    if (map->lacks_memory) return KEY_LACKS_MEMORY;
    if (is_new && is_full) return KEY_IS_TOO_MANY;
    if (is_new) {
        keys->count++;
        return KEY_IS_NEW;
    }
    if (times > 1) return KEY_IS_REPEATED_AGAIN;
    text_map_set(map, text, 2);
    return KEY_IS_REPEATED;
}

void open_keys_close(struct open_keys *keys, unsigned level)
{
    if (level >= keys->level_count || keys->levels[level].count == 0) return;
    struct text_map *map = &keys->levels[level];
    if (keys->is_large) keys->count -= map->count;
    if (text_map_memory(map) <= KEPT_MAX) {
        text_map_clear(map);
        return;
    }
    text_map_done(map);
    init_map(keys, map);
}

size_t open_keys_memory(const struct open_keys *keys)
{
    size_t sum = 0;

    for (unsigned i = 0; i < keys->level_count; i++)
        sum += text_map_memory(&keys->levels[i]);
    return sum;
}
