/* UUIDs: version 7 for new ids, so that they sort by time (contract, section 1). */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { UUID_TEXT_LEN = 36 };

struct uuid {
    uint8_t bytes[16];
};

/* A new version 7 UUID; later calls of this process give greater ids, on all threads. */
struct uuid uuid_new(int64_t now_ms);

/* Ids of this process sort behind the stored `id` from now on, also where the clock has been set
 * back since it was made. One of more than a day ahead of now is left alone, and so is any of
 * another version. */
void uuid_start_after(const struct uuid *id, int64_t now_ms);

/* An ever growing number of this process, on all threads: milliseconds in the upper bits, a
 * sequence in the lower 16. What uuid_new sorts by. */
int64_t uuid_tick(int64_t now_ms);

/* Lower case with hyphens, NUL-terminated. */
void uuid_format(const struct uuid *id, char ret_text[static UUID_TEXT_LEN + 1]);
const char *uuid_text(const struct uuid *id, struct arena *arena);
/* Takes either case; false unless `text` is a UUID and nothing else. */
bool uuid_parse(struct str text, struct uuid *ret_id);

/* Its 16 bytes, as long as it lives. */
static inline struct str uuid_view(const struct uuid *id)
{
    return (struct str){(const char *)id->bytes, sizeof(id->bytes)};
}

bool uuid_is_nil(const struct uuid *id);
bool uuid_equal(const struct uuid *a, const struct uuid *b);
