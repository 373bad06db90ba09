/* Events at the modems are told on stdout, a line of JSON each, whole and at once. */
#pragma once

#include <stddef.h>

struct event_pair {
    const char *name, *value;
};

/* `pairs` ends with a row without a name; NULL: there are none. */
void event_tell(const char *event, int modem, const struct event_pair *pairs);
/* Gives the last argument: EVENT_PAIRS({"line", line}). */
#define EVENT_PAIRS(...) ((const struct event_pair[]){__VA_ARGS__, {NULL, NULL}})
