/* The names of phones and points, so that an entry tells more than an id. What was read for another
 * reason is kept here; a table that is full is emptied, and fills again by what is read. */
#include "kit/base/log_names.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8192, NAMES_MAX = SLOTS / 2, FRESH_MS = 60 * 1000 };

struct named {
    struct uuid id;
    char *name; /* NULL: the place is free */
    int64_t read_ms;
};

static struct named slots[SLOTS];
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the slot of the id, or the free one where it belongs. The last bytes of an id are random.
 */
static struct named *slot_of(const struct uuid *id)
{
    size_t at = (size_t)(id->bytes[14] << 8 | id->bytes[15]) % SLOTS;
    while (slots[at].name && !uuid_equal(&slots[at].id, id))
        at = (at + 1) % SLOTS;
    return &slots[at];
}

static void forget_all(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        free(slots[i].name);
    memset(slots, 0, sizeof(slots));
    count = 0;
}

void log_keep_name(const struct uuid *id, const char *name)
{
    pthread_mutex_lock(&lock);
    if (count == NAMES_MAX) forget_all();
    struct named *slot = slot_of(id);
    bool is_same = slot->name && strcmp(slot->name, name) == 0;

    if (!slot->name) count++;
    if (!is_same) {
        free(slot->name);
        slot->name = must_strdup(name);
    }
    slot->id = *id;
    slot->read_ms = clock_monotonic_ms();
    pthread_mutex_unlock(&lock);
}

bool log_name_is_fresh(const struct uuid *id)
{
    pthread_mutex_lock(&lock);
    const struct named *slot = slot_of(id);
    bool is_fresh = slot->name && clock_monotonic_ms() - slot->read_ms < FRESH_MS;
    pthread_mutex_unlock(&lock);
    return is_fresh;
}

bool log_copy_name(const struct uuid *id, struct buf *out)
{
    pthread_mutex_lock(&lock);
    const struct named *slot = slot_of(id);
    bool is_known = slot->name != NULL;
    if (is_known) buf_text(out, slot->name);
    pthread_mutex_unlock(&lock);
    return is_known;
}
