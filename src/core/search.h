/*
 * Codes, challenges, messages and orders are looked for by whom they are for and when they were
 * created (contract, section 11.5), newest first. The records of one number are found along an
 * index by number and time. Those of all are found along their ids, which are in order of time:
 * what bounds the time bounds the id; the ids of orders are not, and order_db.c has other ways for
 * these. Every other filter is judged on the way, and one page looks at so many records only, so
 * that no question reads a whole table.
 */
#pragma once

#include "core/page.h"
#include "core/phone.h"
#include "core/work.h"

enum { SEARCH_LOOKED_MAX = 20000 };

/* The queries of these lists have such a member, with the rows of SEARCH_ROWS. */
struct search_query {
    const char *number;   /* in any spelling; NULL: of all */
    int64_t since, until; /* created from `since` on, and before `until`; 0: without bound */
    struct page_query page;
};

#define SEARCH_NUMBER_ROW(name, owner, member, meaning)                                     \
    FIELD_AS(name, owner, member, FIELD_STRING, 0,                                          \
             meaning " Spaces, dashes, dots and brackets may stand in it, and 8 for +7; a " \
                     "plus sign is %2B in a URL.",                                          \
             .min = 1, .max = PHONE_SPELLED_MAX, .format = &format_spelled_phone,           \
             .example = "+79161234567")
/* The member of the query is called `search`. */
#define SEARCH_TIME_ROWS(owner)                                                                  \
    FIELD_AS("since", owner, search.since, FIELD_TIME, FIELD_SINCE,                              \
             "Only what was created from this time on.", .example = "2026-11-21T04:33:00.123Z"), \
        FIELD_AS("until", owner, search.until, FIELD_TIME, FIELD_SINCE,                          \
                 "Only what was created before this time.",                                      \
                 .example = "2026-11-22T04:33:00.123Z"),                                         \
        PAGE_LIMIT_ROW_AT(owner, search.page.limit),                                             \
        PAGE_CURSOR_ROW_AT(owner, search.page.cursor, .min = 1, .max = 60,                       \
                           .example = "1795235580123.0192f0cc-3333-7d3e-8f00-3b2a1c0d9e8f")
#define SEARCH_LIST_DOC                                                                     \
    "Newest first. With other filters than the number and the times, one request looks at " \
    "20,000 records at most, so a page may have fewer than `limit`, or none, while "        \
    "`next_cursor` leads on."

/* A statement looks at the records behind `before`, down to `from` itself. A place is that of a
 * creation and an id; with a number both count, without one the id alone. */
struct search {
    const char *number; /* E.164; NULL: of all */
    struct str hash;    /* records that do not have the number have this; data NULL: they have it */
    struct page_place before, from;
    int64_t looked_max; /* so many records; 0: as many as the page has */
    bool is_cut;        /* there may be older ones than `from` */
};

/* `has_filter`: others than the number and the times are judged on the way. ERR_VALIDATION: the
 * cursor is none of such a list. */
enum err search_begin(const struct search_query *query, bool has_filter, struct arena *arena,
                      struct search *ret_search) MUST_CHECK;
/* Ends a page as page_end does, or where the search was cut. The key of its items is
 * PAGE_BY_NUMBER_AND_ID of their creation and id. */
const char *search_end(const struct search *search, int64_t limit, const struct page_key *key,
                       struct record_list *items, struct arena *arena);

/* --- For its statements ----------------------------------------------------------------------- */

/* They call the record r. $1 and $2 are the ids of `before` and `from`, $3 is the limit; with a
 * number three more parameters are that, and the times of `before` and `from`. */
#define SEARCH_OF_ALL "r.id < $1 AND r.id >= $2"
#define SEARCH_OF_NUMBER(column, number, before, from)                      \
    "r." column " = " number " AND (r.created_at, r.id) < (" before ", $1)" \
    " AND (r.created_at, r.id) >= (" from ", $2)"
/* An SMS of the record goes, or went, over that gateway number. A send is looked up for each
 * record: PostgreSQL might join all sends. */
#define SEARCH_IS_OVER(number)                                                            \
    "(SELECT t.sender FROM phone_task AS t WHERE t.owner_id = r.id AND t.channel = 'sms'" \
    " AND t.sender = " number " LIMIT 1) IS NOT NULL"                                     \
    " OR (SELECT s.gateway_number FROM test_send AS s WHERE s.owner_id = r.id"            \
    " AND s.gateway_number = " number " LIMIT 1) IS NOT NULL"
#define SEARCH_BY_ID   " ORDER BY r.id DESC LIMIT $3"
#define SEARCH_BY_TIME " ORDER BY r.created_at DESC, r.id DESC LIMIT $3"

/* Cuts a search by one of these texts, where it would look at more than it may. One of a number is
 * cut by time, and also where no filter is judged on the way: PostgreSQL would sort all that there
 * are of the number, to have those of one millisecond in order. */
enum err search_cut(struct work *work, struct search *search, const char *of_all,
                    const char *of_number) MUST_CHECK;
#define SEARCH_CUT(table, where, order) \
    "SELECT r.created_at, r.id FROM " table " AS r WHERE " where order " OFFSET $4"
#define SEARCH_CUT_OF_ALL(table) SEARCH_CUT(table, SEARCH_OF_ALL, SEARCH_BY_ID)
#define SEARCH_CUT_OF_NUMBER(table, column, condition)                              \
    SEARCH_CUT(table, SEARCH_OF_NUMBER(column, "$5", "$6", "$7") " " condition " ", \
               "ORDER BY r.created_at DESC LIMIT $3")

/* Return the argument of a filter: a word, or a number in E.164 of any spelling; "" for none. */
static inline const char *search_word(const char *const *words, int index)
{
    return index < 0 ? "" : words[index];
}
const char *search_number(const char *spelled, struct arena *arena);

/* Starts the statement of a page: the first text, or the second one where a number is searched for.
 * `own` are its parameters from $4 on, which both texts have; SEARCH_OWN_MAX at most. */
enum { SEARCH_OWN_MAX = 8 };
enum err search_select(struct work *work, const struct search *search, int64_t limit,
                       const char *of_all, const char *of_number, const struct db_arg *own,
                       size_t own_count, struct db_stmt **ret_stmt) MUST_CHECK;
