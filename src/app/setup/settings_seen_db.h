/* The statements on settings_seen have one function each. */
#pragma once

#include "core/work.h"
#include "kit/json/record.h"

enum { SETTINGS_SEEN_MAX = 100 }; /* processes of a verb that are remembered */

/* This is what a setting was. */
struct seen_setting {
    const char *name;
    const char *value; /* as it is shown; NULL: none, or it is a secret */
    const char *mark;  /* a keyed hash of what is not shown in full; NULL: all is shown */
};

/* This is what a process was started with. */
struct seen_start {
    const char *verb, *host, *listen; /* who it was */
    int64_t place;
    bool is_living;              /* another process of its verb lives on its machine */
    struct record_list settings; /* of struct seen_setting */
};

/* Reads what processes of this verb were started with, the newest place first. `living_since`: a
 * process lives if it has beaten since then, and is not `own_id`. */
enum err settings_seen_select(struct work *work, const char *verb, int64_t living_since,
                              const struct uuid *own_id, struct record_list *ret_starts) MUST_CHECK;
/* Remembers a start in place of the one before it of the same process. */
enum err settings_seen_write(struct work *work, const struct seen_start *start) MUST_CHECK;
/* Forgets processes of the verb up to this place. */
enum err settings_seen_delete(struct work *work, const char *verb, int64_t place) MUST_CHECK;
