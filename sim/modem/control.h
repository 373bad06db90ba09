/* The lines of stdin tell the modems what to do; each is answered by an event on stdout. */
#pragma once

#include "modem.h"

struct fleet {
    struct modem *modems;
    int count;
};

/* Does what one line says, and tells "done" or "not understood". */
void control_take(struct fleet *fleet, const char *line, int64_t now_ms);
void control_help(void);
