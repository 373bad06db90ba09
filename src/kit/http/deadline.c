/* A list of deadlines is a ring. */
#include "kit/http/deadline.h"

void http_deadlines_init(struct http_deadlines *list, int64_t after_ms)
{
    list->ring = (struct http_deadline){.previous = &list->ring, .next = &list->ring};
    list->after_ms = after_ms;
}

void http_deadline_clear(struct http_deadline *deadline)
{
    if (!http_deadline_is_set(deadline)) return;
    deadline->previous->next = deadline->next;
    deadline->next->previous = deadline->previous;
    deadline->previous = deadline->next = NULL;
}

void http_deadline_set(struct http_deadline *deadline, struct http_deadlines *list, int64_t now_ms)
{
    http_deadline_clear(deadline);
    deadline->at_ms = now_ms + list->after_ms;
    deadline->previous = list->ring.previous;
    deadline->next = &list->ring;
    list->ring.previous->next = deadline;
    list->ring.previous = deadline;
}

struct http_deadline *http_deadlines_take_due(struct http_deadlines *list, int64_t now_ms)
{
    struct http_deadline *first = http_deadlines_first(list);

    if (!first || first->at_ms > now_ms) return NULL;
    http_deadline_clear(first);
    return first;
}
