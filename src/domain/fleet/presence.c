/* The notes are an array in the order of arrival; the flush sorts it and keeps the last of each. */
#include "domain/fleet/presence.h"

#include "domain/fleet/fleet_account_db.h"
#include "domain/fleet/fleet_db.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

struct note {
    struct uuid device_id;
    char number[PHONE_MAX + 1]; /* "" for a note without a SIM */
    char *account_id;           /* owned; NULL for a note without an account */
    int64_t valid_until;        /* the SIM's readiness, or the word on the account */
    int64_t seen_at;
};

struct presence {
    pthread_mutex_t lock;
    struct note *notes;
    size_t count;
};

struct presence *presence_new(void)
{
    struct presence *presence = must_calloc(1, sizeof(*presence));
    presence->notes = must_calloc(PRESENCE_NOTES_MAX, sizeof(*presence->notes));
    pthread_mutex_init(&presence->lock, NULL);
    return presence;
}

static void drop_notes(struct note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(notes[i].account_id);
}

void presence_free(struct presence *presence)
{
    if (!presence) return;
    drop_notes(presence->notes, presence->count);
    pthread_mutex_destroy(&presence->lock);
    free(presence->notes);
    free(presence);
}

static bool add_note(struct presence *presence, const struct note *note)
{
    pthread_mutex_lock(&presence->lock);
    bool has_room = presence->count < PRESENCE_NOTES_MAX;
    if (has_room) presence->notes[presence->count++] = *note;
    pthread_mutex_unlock(&presence->lock);
    return has_room;
}

bool presence_note(struct presence *presence, const struct uuid *device_id, const char *number,
                   int64_t ready_until, int64_t seen_at)
{
    struct note note = {.device_id = *device_id, .valid_until = ready_until, .seen_at = seen_at};
    if (number) memcpy(note.number, number, strnlen(number, PHONE_MAX));
    return add_note(presence, &note);
}

bool presence_note_account(struct presence *presence, const struct uuid *device_id,
                           const char *account_id, int64_t state_until, int64_t seen_at)
{
    struct note note = {.device_id = *device_id, .valid_until = state_until, .seen_at = seen_at};
    note.account_id = must_strdup(account_id);
    bool has_room = add_note(presence, &note);
    if (!has_room) free(note.account_id);
    return has_room;
}

void fleet_note_seen(struct work *work, const struct device *device)
{
    /* No room means that this very second is full of notes; the next poll brings another. */
    (void)presence_note(work->service->fleet->presence, &device->id, NULL, 0, work->now_ms);
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
        chunk = must_malloc(sizeof(*chunk));
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
    if (chunk) drop_notes(chunk->notes, chunk->count);
    free(chunk);
}

static int compare_by_time(const struct note *left, const struct note *right)
{
    return (left->seen_at > right->seen_at) - (left->seen_at < right->seen_at);
}

static int compare_devices(const struct note *left, const struct note *right)
{
    return memcmp(&left->device_id, &right->device_id, sizeof(left->device_id));
}

/* Sorted by the row that is written, then by time: rows are locked in that order by all, and the
 * last of equals is the newest. */
static int compare_by_number(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = strcmp(left->number, right->number);
    return order ? order : compare_by_time(left, right);
}

static int compare_by_device(const void *a, const void *b)
{
    int order = compare_devices(a, b);
    return order ? order : compare_by_time(a, b);
}

/* Notes without an account first. Two phones may have named it within the second: each is asked. */
static int compare_by_account(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = strcmp(left->account_id ? left->account_id : "",
                       right->account_id ? right->account_id : "");
    return order ? order : compare_by_device(left, right);
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
        enum err err = device_number_extend_ready(work, notes[i].number, notes[i].valid_until);
        if (err) return err;
    }
    return ERR_OK;
}

static enum err write_accounts(struct work *work, struct note *notes, size_t count)
{
    qsort(notes, count, sizeof(*notes), compare_by_account);
    for (size_t i = 0; i < count; i++) {
        if (!notes[i].account_id) continue;
        const struct note *next = i + 1 < count ? &notes[i + 1] : NULL;
        bool is_last = !next || strcmp(notes[i].account_id, next->account_id) != 0 ||
                       compare_devices(&notes[i], next) != 0;
        if (!is_last) continue;
        enum err err = device_account_extend(work, &notes[i].device_id, notes[i].account_id,
                                             notes[i].valid_until);
        if (err) return err;
    }
    return ERR_OK;
}

enum err presence_write(const struct presence_chunk *chunk, struct work *work)
{
    struct note *notes = arena_array(work->arena, chunk->count, sizeof(*notes));
    memcpy(notes, chunk->notes, chunk->count * sizeof(*notes));
    enum err err = write_devices(work, notes, chunk->count);
    if (!err) err = write_numbers(work, notes, chunk->count);
    return err ? err : write_accounts(work, notes, chunk->count);
}
