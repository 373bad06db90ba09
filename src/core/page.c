/* A cursor is made of the last item of a page, and read back. */
#include "core/page.h"

#include "kit/base/uuid.h"

#include <inttypes.h>

static bool is_id(struct str text)
{
    struct uuid id;
    return uuid_parse(text, &id);
}

const struct field_format format_page_id = {
    .is_valid = is_id,
    .message = "Must be a UUID, as an earlier answer gave it.",
    .format = "uuid",
};

static const struct field by_id_fields[] = {
    PAGE_LIMIT_ROW(struct page_query),
    PAGE_ID_CURSOR_ROW(struct page_query),
};
const struct record page_by_id_query = {.size = sizeof(struct page_query),
                                        RECORD_FIELDS(by_id_fields)};

static const struct field by_number_fields[] = {
    PAGE_LIMIT_ROW(struct page_query),
    PAGE_NUMBER_CURSOR_ROW(struct page_query),
};
const struct record page_by_number_query = {.size = sizeof(struct page_query),
                                            RECORD_FIELDS(by_number_fields)};

/* Takes the next part of a cursor, up to a dot or its end. */
static struct str take_part(struct str *rest)
{
    struct str part = *rest;
    const char *dot = memchr(rest->data, '.', rest->len);

    if (dot) part.len = (size_t)(dot - rest->data);
    size_t taken = part.len + (dot ? 1 : 0);
    *rest = (struct str){rest->data + taken, rest->len - taken};
    return part;
}

static bool take_number(struct str *rest, int64_t *ret_number)
{
    long long number;

    if (!str_to_int64(take_part(rest), &number) || number <= 0) return false;
    *ret_number = number;
    return true;
}

enum err page_begin(const char *cursor, const struct page_key *key, struct page_place *ret_place)
{
    struct str rest = str_of(cursor ? cursor : "");
    struct page_place place = {0};

    if (!cursor) return ERR_OK;
    if (key->has_number && !take_number(&rest, &place.number)) return ERR_VALIDATION;
    if (key->has_id && !uuid_parse(take_part(&rest), &place.id)) return ERR_VALIDATION;
    if (key->has_rank && !take_number(&rest, &place.rank)) return ERR_VALIDATION;
    if (rest.len > 0) return ERR_VALIDATION;
    *ret_place = place;
    return ERR_OK;
}

const char *page_cursor(const struct page_place *place, const struct page_key *key,
                        struct arena *arena)
{
    const char *id = key->has_id ? uuid_text(&place->id, arena) : "";

    if (!key->has_number) return id;
    const char *cursor =
        arena_printf(arena, "%" PRId64 "%s%s", place->number, key->has_id ? "." : "", id);
    return key->has_rank ? arena_printf(arena, "%s.%" PRId64, cursor, place->rank) : cursor;
}

const char *page_end(int64_t limit, const struct page_key *key, struct record_list *items,
                     struct arena *arena)
{
    struct page_place last = {0};

    if (items->count <= (size_t)limit) return NULL;
    items->count = (size_t)limit;
    const char *item = (const char *)items->items + (items->count - 1) * key->item_size;
    if (key->has_number) last.number = *(const int64_t *)(item + key->number_at);
    if (key->has_id) last.id = *(const struct uuid *)(item + key->id_at);
    if (key->has_rank) last.rank = *(const int64_t *)(item + key->rank_at);
    return page_cursor(&last, key, arena);
}
