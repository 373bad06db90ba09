/* Categories and definitions in a snapshot. */
#include "domain/catalog/catalog_reference.h"

#include "kit/base/must.h"

#include <stdlib.h>

enum {
    PLACES_AT_FIRST = 256,
    WAITING_MAX = 256 * 1024, /* bytes of texts that wait to be written */
};

void catalog_reference_init(struct reference_list *list, enum reference_kind kind)
{
    *list = (struct reference_list){.kind = kind};
    arena_init_large(&list->arena, REFERENCE_MEMORY_MAX);
    arena_init_large(&list->waiting, REFERENCE_MEMORY_MAX);
    text_map_init_large(&list->by_id);
}

void catalog_reference_done(struct reference_list *list)
{
    free(list->items);
    text_map_done(&list->by_id);
    arena_done(&list->waiting);
    arena_done(&list->arena);
}

static void add_known(void *arg, const char *id, struct str content)
{
    struct reference_list *list = arg;

    if (list->lacks_memory) return;
    const char *kept = arena_try_str(&list->arena, str_of(id));
    struct reference_entry *items =
        may_grow(list->items, list->count, &list->capacity, PLACES_AT_FIRST, sizeof(*items));
    if (items) list->items = items;
    list->lacks_memory = !kept || !items;
    if (list->lacks_memory) return;
    text_map_add(&list->by_id, str_of(id), (uint32_t)list->count, NULL);
    list->items[list->count++] =
        (struct reference_entry){.id = kept, .content_hash = catalog_hash(content)};
}

/* They are read in parts, since PostgreSQL gives a result as a whole. */
enum err catalog_reference_load(struct reference_list *list, struct work *work,
                                const struct catalog_row *catalog)
{
    size_t before;
    enum err err;

    list->work = work;
    list->catalog = catalog;
    do {
        before = list->count;
        const char *after = before ? list->items[before - 1].id : "";
        err = catalog_reference_select(work, list->kind, catalog->number, after, &list->waiting,
                                       add_known, list);
    } while (!err && list->count - before == REFERENCE_PART);
    if (!err && (list->lacks_memory || list->by_id.lacks_memory)) return ERR_OVERLOADED;
    return err;
}

/* --- What waits to be written ----------------------------------------------------------------- */

/* An entry that is not known may be archived; only one that is not even archived is new. */
static enum err write_unknown(struct reference_list *list)
{
    size_t back_count = 0;
    enum err err = ERR_OK;
    if (list->catalog->snapshot_receipt > 0)
        err = catalog_reference_bring_back(list->work, list->kind, list->catalog->number,
                                           &list->unknown, &back_count);
    if (err) return err;
    list->tally.changed += (int64_t)back_count;
    list->tally.added += (int64_t)list->unknown.count;
    return catalog_reference_write(list->work, list->kind, list->catalog->number, true,
                                   &list->unknown);
}

static enum err write_waiting(struct reference_list *list)
{
    enum err err = catalog_reference_write(list->work, list->kind, list->catalog->number, false,
                                           &list->changed);
    if (!err) err = write_unknown(list);
    list->changed.count = list->unknown.count = 0;
    arena_done(&list->waiting);
    return err;
}

static enum err make_wait(struct reference_list *list, struct reference_rows *rows, const char *id,
                          struct str content)
{
    if (rows->count == REFERENCE_ROWS_MAX || list->waiting.used > WAITING_MAX) {
        enum err err = write_waiting(list);
        if (err) return err;
    }
    rows->items[rows->count++] = (struct reference_row){arena_try_str(&list->waiting, str_of(id)),
                                                        arena_try_str(&list->waiting, content)};
    return list->waiting.is_exhausted ? ERR_OVERLOADED : ERR_OK;
}

/* --- The snapshot ----------------------------------------------------------------------------- */

enum err catalog_reference_put(struct reference_list *list, const char *id, struct str content)
{
    uint32_t place;
    if (!text_map_find(&list->by_id, str_of(id), &place))
        return make_wait(list, &list->unknown, id, content);

    struct reference_entry *known = &list->items[place];
    struct catalog_hash hash = catalog_hash(content);
    known->is_seen = true;
    if (memcmp(&known->content_hash, &hash, sizeof(hash)) == 0) {
        list->tally.unchanged++;
        return ERR_OK;
    }
    list->tally.changed++;
    return make_wait(list, &list->changed, id, content);
}

bool catalog_reference_has_lost(const struct reference_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].is_seen) return true;
    }
    return list->tally.changed + (int64_t)list->changed.count > 0;
}

enum err catalog_reference_finish(struct reference_list *list)
{
    enum err err = write_waiting(list);
    for (size_t i = 0; !err && i < list->count; i++) {
        if (list->items[i].is_seen) continue;
        list->tally.archived++;
        err = catalog_reference_archive(list->work, list->kind, list->catalog->number,
                                        list->items[i].id);
    }
    return err;
}
