/*
 * Many connections have their deadlines under one timer. All deadlines of a list last equally long,
 * so the list is in order by itself: setting and clearing one changes a few pointers, however many
 * there are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_deadline {
    struct http_deadline *previous; /* NULL while not set */
    struct http_deadline *next;
    int64_t at_ms;
};

struct http_deadlines {
    struct http_deadline ring; /* its `next` is the deadline that ends first */
    int64_t after_ms;
};

void http_deadlines_init(struct http_deadlines *list, int64_t after_ms);

/* Sets it anew, also where it was set before, in this list or another. */
void http_deadline_set(struct http_deadline *deadline, struct http_deadlines *list, int64_t now_ms);
void http_deadline_clear(struct http_deadline *deadline);
static inline bool http_deadline_is_set(const struct http_deadline *deadline)
{
    return deadline->previous != NULL;
}

/* Returns the deadline that ends first, which is the one that was set first; NULL if none is set.
 */
static inline struct http_deadline *http_deadlines_first(const struct http_deadlines *list)
{
    return list->ring.next == &list->ring ? NULL : list->ring.next;
}
/* Takes a deadline that has passed off the list; returns NULL if none has. */
struct http_deadline *http_deadlines_take_due(struct http_deadlines *list, int64_t now_ms);
