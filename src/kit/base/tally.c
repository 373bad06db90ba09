/* An open table: a tally stands in the first free place behind that of its hash. It is made anew,
 * without those that have ended, at each end. */
#include "kit/base/tally.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum {
    PLACES = 4096, /* a power of two */
    OTHERS = 64,   /* of TALLY_MAX, for TALLY_OTHER of each name and outcome */
};

struct place {
    struct tally tally; /* name NULL: it is free */
    uint64_t kept;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct place places[PLACES];
static size_t used;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    while (*text)
        hash = (hash ^ (unsigned char)*text++) * 1099511628211U; /* FNV-1a */
    return hash;
}

static bool is_at(const struct place *place, const struct tally *tally)
{
    return strcmp(place->tally.name, tally->name) == 0 &&
           strcmp(place->tally.outcome, tally->outcome) == 0 &&
           strcmp(place->tally.key, tally->key) == 0;
}

/* Returns its place, or the free one for it. */
static struct place *find(const struct tally *tally)
{
    uint64_t hash = hash_text(14695981039346656037U, tally->name);
    size_t at = hash_text(hash_text(hash, tally->outcome), tally->key) % PLACES;

    while (places[at].tally.name && !is_at(&places[at], tally))
        at = (at + 1) % PLACES;
    return &places[at];
}

static void count_in(struct place *place, const struct tally *tally)
{
    if (!place->tally.name) {
        assert(used < TALLY_MAX);
        place->tally = *tally;
        place->tally.count = 0;
        place->kept = 0;
        used++;
    }
    place->tally.count += tally->count;
}

void tally_add(const char *name, const char *key, const char *outcome)
{
    struct tally tally = {.name = name, .outcome = outcome, .count = 1};

    memcpy(tally.key, key, strnlen(key, TALLY_KEY_MAX));
    pthread_mutex_lock(&lock);
    struct place *place = find(&tally);
    if (!place->tally.name && used >= TALLY_MAX - OTHERS) {
        tally = (struct tally){name, outcome, TALLY_OTHER, 1};
        place = find(&tally);
    }
    count_in(place, &tally);
    pthread_mutex_unlock(&lock);
}

size_t tally_read(struct tally ret_tallies[static TALLY_MAX])
{
    size_t count = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < PLACES; i++) {
        if (places[i].tally.name && places[i].tally.count != places[i].kept)
            ret_tallies[count++] = places[i].tally;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

/* Puts those that have grown beyond what was kept into an empty table. */
static void begin_anew(void)
{
    static struct tally rest[TALLY_MAX];
    size_t count = 0;

    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &places[i];
        if (!place->tally.name || place->tally.count == place->kept) continue;
        rest[count] = place->tally;
        rest[count++].count -= place->kept;
    }
    memset(places, 0, sizeof(places));
    used = 0;
    for (size_t i = 0; i < count; i++)
        count_in(find(&rest[i]), &rest[i]);
}

void tally_settle(const struct tally *tallies, size_t count, bool is_end)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        struct place *place = find(&tallies[i]);
        assert(place->tally.name);
        place->kept = tallies[i].count;
    }
    if (is_end) begin_anew();
    pthread_mutex_unlock(&lock);
}
