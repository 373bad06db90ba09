/* Categories and definitions in a snapshot. */
#include "domain/catalog/catalog_shelf.h"

#include <stdlib.h>

enum { WAITING_MAX = 256 * 1024 }; /* bytes of texts that wait to be written */

void shelf_init(struct shelf *shelf, enum shelf_kind kind)
{
    *shelf = (struct shelf){.kind = kind};
    arena_init(&shelf->arena);
    arena_init(&shelf->waiting);
    text_map_init(&shelf->by_id);
}

void shelf_done(struct shelf *shelf)
{
    free(shelf->items);
    text_map_done(&shelf->by_id);
    arena_done(&shelf->waiting);
    arena_done(&shelf->arena);
}

static void add_known(void *arg, const char *id, struct str content)
{
    struct shelf *shelf = arg;

    if (shelf->count == shelf->capacity) {
        shelf->capacity = shelf->capacity ? 2 * shelf->capacity : 256;
        shelf->items = reallocarray(shelf->items, shelf->capacity, sizeof(*shelf->items));
        if (!shelf->items) abort();
    }
    text_map_add(&shelf->by_id, str_of(id), (uint32_t)shelf->count, NULL);
    shelf->items[shelf->count++] = (struct shelf_entry){.id = arena_text(&shelf->arena, id),
                                                        .content_hash = catalog_hash(content)};
}

/* In parts, since PostgreSQL gives a result as a whole. */
enum err shelf_load(struct shelf *shelf, struct work *work, const struct catalog_row *catalog)
{
    size_t before;
    enum err err;

    shelf->work = work;
    shelf->catalog = catalog;
    do {
        before = shelf->count;
        const char *after = before ? shelf->items[before - 1].id : "";
        err = shelf_select(work, shelf->kind, catalog->number, after, add_known, shelf);
    } while (!err && shelf->count - before == SHELF_PART);
    return err;
}

/* --- What waits to be written ----------------------------------------------------------------- */

/* What is not known may be archived; only what is not even that is new. */
static enum err write_unknown(struct shelf *shelf)
{
    size_t back_count = 0;
    enum err err = ERR_OK;
    if (shelf->catalog->snapshot_receipt > 0)
        err = shelf_bring_back(shelf->work, shelf->kind, shelf->catalog->number, &shelf->unknown,
                               &back_count);
    if (err) return err;
    shelf->tally.changed += (int64_t)back_count;
    shelf->tally.added += (int64_t)shelf->unknown.count;
    return shelf_insert(shelf->work, shelf->kind, shelf->catalog->number, &shelf->unknown);
}

static enum err write_waiting(struct shelf *shelf)
{
    enum err err = shelf_update(shelf->work, shelf->kind, shelf->catalog->number, &shelf->changed);
    if (!err) err = write_unknown(shelf);
    shelf->changed.count = shelf->unknown.count = 0;
    arena_done(&shelf->waiting);
    return err;
}

static enum err make_wait(struct shelf *shelf, struct shelf_rows *rows, const char *id,
                          struct str content)
{
    if (rows->count == SHELF_ROWS_MAX || shelf->waiting.used > WAITING_MAX) {
        enum err err = write_waiting(shelf);
        if (err) return err;
    }
    rows->items[rows->count++] =
        (struct shelf_row){arena_text(&shelf->waiting, id), arena_str(&shelf->waiting, content)};
    return ERR_OK;
}

/* --- The snapshot ----------------------------------------------------------------------------- */

enum err shelf_put(struct shelf *shelf, const char *id, struct str content)
{
    uint32_t place;
    if (!text_map_find(&shelf->by_id, str_of(id), &place))
        return make_wait(shelf, &shelf->unknown, id, content);

    struct shelf_entry *known = &shelf->items[place];
    struct catalog_hash hash = catalog_hash(content);
    known->is_seen = true;
    if (memcmp(&known->content_hash, &hash, sizeof(hash)) == 0) {
        shelf->tally.unchanged++;
        return ERR_OK;
    }
    shelf->tally.changed++;
    return make_wait(shelf, &shelf->changed, id, content);
}

enum err shelf_finish(struct shelf *shelf)
{
    enum err err = write_waiting(shelf);
    for (size_t i = 0; !err && i < shelf->count; i++) {
        if (shelf->items[i].is_seen) continue;
        shelf->tally.archived++;
        err = shelf_archive(shelf->work, shelf->kind, shelf->catalog->number, shelf->items[i].id);
    }
    return err;
}
