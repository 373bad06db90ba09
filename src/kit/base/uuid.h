/* New ids are UUIDs of version 7, so that they sort by time (contract, section 1). */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { UUID_TEXT_LEN = 36 };

struct uuid {
    uint8_t bytes[16];
};

/* Returns a new UUID; a later call of this process, on any thread, returns a greater one. */
struct uuid uuid_new(int64_t now_ms);

/* Makes the ids of this process sort behind the stored `id` from now on, also where the clock has
 * been set back since. An id more than a day ahead of now, or of another version, has no effect. */
void uuid_start_after(const struct uuid *id, int64_t now_ms);

/* Returns the least id of that time: none of an earlier millisecond is greater. Times before the
 * epoch have that of the epoch. */
struct uuid uuid_at(int64_t time_ms);

/* Returns a number that grows with each call of this process, on all threads: milliseconds in the
 * upper bits, a sequence in the lower 16. uuid_new sorts by it. */
int64_t uuid_tick(int64_t now_ms);

/* Give lower case with hyphens, NUL-terminated. */
void uuid_format(const struct uuid *id, char ret_text[static UUID_TEXT_LEN + 1]);
const char *uuid_text(const struct uuid *id, struct arena *arena);
/* Takes either case; returns false unless `text` is a UUID and nothing else. */
bool uuid_parse(struct str text, struct uuid *ret_id);

/* Returns its 16 bytes, which live as long as it does. */
static inline struct str uuid_view(const struct uuid *id)
{
    return (struct str){(const char *)id->bytes, sizeof(id->bytes)};
}

bool uuid_is_nil(const struct uuid *id);
bool uuid_equal(const struct uuid *a, const struct uuid *b);
