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

bool presence_is_dirty(struct presence *presence)
{
    pthread_mutex_lock(&presence->lock);
    bool is_dirty = presence->count > 0;
    pthread_mutex_unlock(&presence->lock);
    return is_dirty;
}

/* By device, then number, then time: the last of equals is the newest. */
static int compare_notes(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = memcmp(&left->device_id, &right->device_id, sizeof(left->device_id));
    if (order == 0) order = strcmp(left->number, right->number);
    if (order == 0) order = (left->seen_at > right->seen_at) - (left->seen_at < right->seen_at);
    return order;
}

/* Takes the notes out; the caller owns the array. */
static struct note *take_notes(struct presence *presence, struct arena *arena, size_t *ret_count)
{
    pthread_mutex_lock(&presence->lock);
    size_t count = presence->count;
    struct note *notes = arena_array(arena, count, sizeof(*notes));
    if (count > 0) memcpy(notes, presence->notes, count * sizeof(*notes));
    presence->count = 0;
    pthread_mutex_unlock(&presence->lock);
    *ret_count = count;
    return notes;
}

enum err presence_flush(struct presence *presence, struct work *work)
{
    size_t count;
    struct note *notes = take_notes(presence, work->arena, &count);
    int64_t seen_at = 0;

    qsort(notes, count, sizeof(*notes), compare_notes);
    for (size_t i = 0; i < count; i++) {
        const struct note *note = &notes[i];
        const struct note *next = i + 1 < count ? &notes[i + 1] : NULL;
        bool is_same_device = next && uuid_equal(&note->device_id, &next->device_id);
        enum err err = ERR_OK;

        if (note->seen_at > seen_at) seen_at = note->seen_at;
        bool is_last_of_number = !is_same_device || strcmp(note->number, next->number) != 0;
        if (is_last_of_number && note->number[0])
            err = device_number_extend_ready(work, note->number, note->ready_until);
        if (!err && !is_same_device) {
            err = device_update_seen(work, &note->device_id, seen_at);
            seen_at = 0;
        }
        if (err) return err;
    }
    return ERR_OK;
}
