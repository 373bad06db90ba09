/*
 * Lists are read in pages (contract, section 1). The items of a list are in order of a number, of
 * an id, of a number and then an id, or of these and then a rank; a cursor is that key of the last
 * item of a page, as text.
 */
#pragma once

#include "kit/json/record.h"

enum { PAGE_LIMIT_MAX = 200, PAGE_LIMIT_DEFAULT = 50 };

/* The query of a list; the query of a list with filters has these members, too. */
struct page_query {
    int64_t limit;      /* at most so many items */
    const char *cursor; /* `next_cursor` of the page before; NULL: the first page */
};
extern const struct record page_by_id_query;     /* for route->query */
extern const struct record page_by_number_query; /* the same */

/* The rows of the query. */
#define PAGE_LIMIT_ROW(owner) PAGE_LIMIT_ROW_AT(owner, limit)
#define PAGE_LIMIT_ROW_AT(owner, member)                                               \
    FIELD_AS("limit", owner, member, FIELD_INTEGER, FIELD_DEFAULT,                     \
             "How many items to answer with at most; 50 if it is left out.", .min = 1, \
             .max = PAGE_LIMIT_MAX, .default_value = PAGE_LIMIT_DEFAULT, .example = "50")
#define PAGE_CURSOR_ROW(owner, ...) PAGE_CURSOR_ROW_AT(owner, cursor, __VA_ARGS__)
#define PAGE_CURSOR_ROW_AT(owner, member, ...)                                              \
    FIELD_AS("cursor", owner, member, FIELD_STRING, 0, "`next_cursor` of the page before.", \
             __VA_ARGS__)
#define PAGE_ID_CURSOR_ROW(owner)                     \
    PAGE_CURSOR_ROW(owner, .format = &format_page_id, \
                    .example = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f")
#define PAGE_NUMBER_CURSOR_ROW(owner) PAGE_CURSOR_ROW(owner, .min = 1, .max = 20, .example = "42")
extern const struct field_format format_page_id;
/* The row of the answer, which has the cursor of the next page as `next_cursor`. */
#define PAGE_NEXT_ROW(owner)                                                 \
    FIELD(owner, next_cursor, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE, \
          "Where the next page begins; null on the last one.", .example = "null")

/* Says where the items of a list have their key: an int64_t above 0, a struct uuid, or both, and
 * behind both another int64_t. */
struct page_key {
    size_t item_size;
    bool has_number, has_id, has_rank;
    size_t number_at, id_at, rank_at;
};
#define PAGE_BY_NUMBER(item, number)                                                       \
    {                                                                                      \
        .item_size = sizeof(item), .has_number = true, .number_at = offsetof(item, number) \
    }
#define PAGE_BY_ID(item, id)                                                   \
    {                                                                          \
        .item_size = sizeof(item), .has_id = true, .id_at = offsetof(item, id) \
    }
#define PAGE_BY_NUMBER_AND_ID(item, number, id)                          \
    {                                                                    \
        .item_size = sizeof(item), .has_number = true, .has_id = true,   \
        .number_at = offsetof(item, number), .id_at = offsetof(item, id) \
    }

#define PAGE_BY_NUMBER_ID_AND_RANK(item, number, id, rank)                               \
    {                                                                                    \
        .item_size = sizeof(item), .has_number = true, .has_id = true, .has_rank = true, \
        .number_at = offsetof(item, number), .id_at = offsetof(item, id),                \
        .rank_at = offsetof(item, rank)                                                  \
    }

/* The key of the last item before a page, as far as the list has it. */
struct page_place {
    int64_t number;
    struct uuid id;
    int64_t rank;
};

/* Gives the place where the page of the cursor begins; without a cursor, `ret_place` stays as it
 * is. Returns ERR_VALIDATION for a cursor that is not of such a list. */
enum err page_begin(const char *cursor, const struct page_key *key,
                    struct page_place *ret_place) MUST_CHECK;
/* Cuts `items` to `limit`; one item more was read if there is one. Returns the cursor of the next
 * page, in the arena, or NULL on the last page. */
const char *page_end(int64_t limit, const struct page_key *key, struct record_list *items,
                     struct arena *arena);
/* Returns the cursor behind a place, in the arena. */
const char *page_cursor(const struct page_place *place, const struct page_key *key,
                        struct arena *arena);
