/* The notes are an array in the order of arrival; the flush sorts it and keeps the last of each. */
#include "domain/fleet/presence.h"

#include "domain/fleet/fleet_db.h"

#include <pthread.h>
#include <stdlib.h>

struct note {
    struct uuid device_id;
    char number[PHONE_LEN + 1]; /* "" for a note without a SIM */
    int64_t ready_until;
    int64_t seen_at;
};

struct presence {
    pthread_mutex_t lock;
    struct note *notes;
    size_t count;
};

struct presence *presence_new(void)
{
    struct presence *presence = calloc(1, sizeof(*presence));
    if (!presence) abort();
    presence->notes = calloc(PRESENCE_NOTES_MAX, sizeof(*presence->notes));
    if (!presence->notes) abort();
    pthread_mutex_init(&presence->lock, NULL);
    return presence;
}

void presence_free(struct presence *presence)
{
    if (!presence) return;
    pthread_mutex_destroy(&presence->lock);
    free(presence->notes);
    free(presence);
}

bool presence_note(struct presence *presence, const struct uuid *device_id, const char *number,
                   int64_t ready_until, int64_t seen_at)
{
    struct note note = {.device_id = *device_id, .ready_until = ready_until, .seen_at = seen_at};
    if (number) memcpy(note.number, number, strnlen(number, PHONE_LEN));

    pthread_mutex_lock(&presence->lock);
    bool has_room = presence->count < PRESENCE_NOTES_MAX;
    if (has_room) presence->notes[presence->count++] = note;
    pthread_mutex_unlock(&presence->lock);
    return has_room;
}

struct presence_chunk {
    size_t count;
    struct note notes[PRESENCE_CHUNK];
};

struct presence_chunk *presence_take(struct presence *presence)
{
    struct presence_chunk *chunk = NULL;

    pthread_mutex_lock(&presence->lock);
    if (presence->count > 0) {
        chunk = malloc(sizeof(*chunk));
        if (!chunk) abort();
        chunk->count = presence->count < PRESENCE_CHUNK ? presence->count : PRESENCE_CHUNK;
        presence->count -= chunk->count;
        memcpy(chunk->notes, presence->notes, chunk->count * sizeof(*chunk->notes));
        memmove(presence->notes, presence->notes + chunk->count,
                presence->count * sizeof(*presence->notes));
    }
    pthread_mutex_unlock(&presence->lock);
    return chunk;
}

void presence_chunk_free(struct presence_chunk *chunk)
{
    free(chunk);
}

/* By number, then time: rows are locked in the order of the numbers, and the last of equals is the
 * newest. */
static int compare_by_number(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = strcmp(left->number, right->number);
    if (order == 0) order = (left->seen_at > right->seen_at) - (left->seen_at < right->seen_at);
    return order;
}

static int compare_by_device(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = memcmp(&left->device_id, &right->device_id, sizeof(left->device_id));
    if (order == 0) order = (left->seen_at > right->seen_at) - (left->seen_at < right->seen_at);
    return order;
}

static enum err write_devices(struct work *work, struct note *notes, size_t count)
{
    qsort(notes, count, sizeof(*notes), compare_by_device);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count || !uuid_equal(&notes[i].device_id, &notes[i + 1].device_id);
        if (!is_last) continue;
        enum err err = device_update_seen(work, &notes[i].device_id, notes[i].seen_at);
        if (err) return err;
    }
    return ERR_OK;
}

static enum err write_numbers(struct work *work, struct note *notes, size_t count)
{
    qsort(notes, count, sizeof(*notes), compare_by_number);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count || strcmp(notes[i].number, notes[i + 1].number) != 0;
        if (!is_last || !notes[i].number[0]) continue;
        enum err err = device_number_extend_ready(work, notes[i].number, notes[i].ready_until);
        if (err) return err;
    }
    return ERR_OK;
}

enum err presence_write(const struct presence_chunk *chunk, struct work *work)
{
    struct note *notes = arena_array(work->arena, chunk->count, sizeof(*notes));
    memcpy(notes, chunk->notes, chunk->count * sizeof(*notes));
    enum err err = write_devices(work, notes, chunk->count);
    return err ? err : write_numbers(work, notes, chunk->count);
}
