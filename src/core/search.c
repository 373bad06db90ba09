/* A search is bounded by its cursor and its times, and cut where it has looked at enough. */
#include "core/search.h"

#include "kit/base/uuid.h"

/* The first place of a time: nothing that was created then lies before it. */
static struct page_place place_at(const struct search *search, int64_t time_ms)
{
    struct page_place place = {.number = time_ms};

    if (!search->number) place.id = uuid_at(time_ms);
    return place;
}

static bool is_older(const struct search *search, const struct page_place *place,
                     const struct page_place *other)
{
    if (search->number && place->number != other->number) return place->number < other->number;
    return memcmp(&place->id, &other->id, sizeof(place->id)) < 0;
}

const char *search_number(const char *spelled, struct arena *arena)
{
    char number[PHONE_MAX + 1];

    if (!spelled) return "";
    bool is_phone = phone_read(str_of(spelled), number);
    assert(is_phone); /* the format of its field saw to it */
    return arena_text(arena, number);
}

enum err search_begin(const struct search_query *query, bool has_filter, struct arena *arena,
                      struct search *ret_search)
{
    static const struct page_key by_time = {.has_number = true, .has_id = true};
    struct search search = {.before = {.number = INT64_MAX}};

    if (query->number) search.looked_max = query->page.limit + 1;
    if (has_filter) search.looked_max = SEARCH_LOOKED_MAX;

    memset(&search.before.id, 0xff, sizeof(search.before.id));
    enum err err = page_begin(query->page.cursor, &by_time, &search.before);
    if (err) return err;
    if (query->number) search.number = search_number(query->number, arena);
    search.from = place_at(&search, query->since);
    if (query->until != 0) {
        struct page_place end = place_at(&search, query->until);
        if (is_older(&search, &end, &search.before)) search.before = end;
    }
    *ret_search = search;
    return ERR_OK;
}

static struct db_arg number_arg(const struct search *search)
{
    return search->hash.data ? db_blob(search->hash) : db_text(search->number);
}

enum err search_cut(struct work *work, struct search *search, const char *of_all,
                    const char *of_number)
{
    const struct db_arg args[] = {
        db_uuid(&search->before.id),    db_uuid(&search->from.id), db_int(1),
        db_int(search->looked_max - 1), number_arg(search),        db_int(search->before.number),
        db_int(search->from.number),
    };
    AUTO_STMT stmt = NULL;

    if (search->looked_max == 0) return ERR_OK;
    enum err err = db_query_one(work->tx, search->number ? of_number : of_all, args,
                                search->number ? COUNT_OF(args) : 4, &stmt);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    /* All of a millisecond are looked at together. */
    if (search->number)
        search->from = place_at(search, db_get_int(stmt, "created_at"));
    else
        search->from = (struct page_place){.number = db_get_int(stmt, "created_at"),
                                           .id = db_get_uuid(stmt, "id")};
    search->is_cut = true;
    return ERR_OK;
}

enum err search_select(struct work *work, const struct search *search, int64_t limit,
                       const char *of_all, const char *of_number, const struct db_arg *own,
                       size_t own_count, struct db_stmt **ret_stmt)
{
    struct db_arg args[3 + SEARCH_OWN_MAX + 3] = {db_uuid(&search->before.id),
                                                  db_uuid(&search->from.id), db_int(limit)};
    size_t count = 3;

    assert(own_count <= SEARCH_OWN_MAX);
    for (size_t i = 0; i < own_count; i++)
        args[count++] = own[i];
    if (!search->number) return db_query(work->tx, of_all, args, count, ret_stmt);
    args[count++] = number_arg(search);
    args[count++] = db_int(search->before.number);
    args[count++] = db_int(search->from.number);
    return db_query(work->tx, of_number, args, count, ret_stmt);
}

const char *search_end(const struct search *search, int64_t limit, const struct page_key *key,
                       struct record_list *items, struct arena *arena)
{
    const char *cursor = page_end(limit, key, items, arena);
    return cursor || !search->is_cut ? cursor : page_cursor(&search->from, key, arena);
}
