/* Renewals are an array in the order of arrival; the flush sorts it and keeps the last of each. */
#include "domain/fleet/presence.h"

#include "domain/fleet/fleet_account_db.h"
#include "domain/fleet/fleet_db.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

struct renewal {
    struct uuid device_id;
    char number[PHONE_MAX + 1]; /* "" for a renewal without a SIM */
    char *account_id;           /* owned; NULL for a renewal without an account */
    int64_t valid_until;        /* of the SIM's readiness, or of what was said of the account */
    int64_t seen_at;
};

struct presence {
    pthread_mutex_t lock;
    struct renewal *renewals;
    size_t count;
};

struct presence *presence_new(void)
{
    struct presence *presence = must_calloc(1, sizeof(*presence));
    presence->renewals = must_calloc(PRESENCE_RENEWALS_MAX, sizeof(*presence->renewals));
    pthread_mutex_init(&presence->lock, NULL);
    return presence;
}

static void drop_renewals(struct renewal *renewals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(renewals[i].account_id);
}

void presence_free(struct presence *presence)
{
    if (!presence) return;
    drop_renewals(presence->renewals, presence->count);
    pthread_mutex_destroy(&presence->lock);
    free(presence->renewals);
    free(presence);
}

static bool add_renewal(struct presence *presence, const struct renewal *renewal)
{
    pthread_mutex_lock(&presence->lock);
    bool has_room = presence->count < PRESENCE_RENEWALS_MAX;
    if (has_room) presence->renewals[presence->count++] = *renewal;
    pthread_mutex_unlock(&presence->lock);
    return has_room;
}

bool presence_renew(struct presence *presence, const struct uuid *device_id, const char *number,
                    int64_t ready_until, int64_t seen_at)
{
    struct renewal renewal = {
        .device_id = *device_id, .valid_until = ready_until, .seen_at = seen_at};
    if (number) memcpy(renewal.number, number, strnlen(number, PHONE_MAX));
    return add_renewal(presence, &renewal);
}

bool presence_renew_account(struct presence *presence, const struct uuid *device_id,
                            const char *account_id, int64_t state_until, int64_t seen_at)
{
    struct renewal renewal = {
        .device_id = *device_id, .valid_until = state_until, .seen_at = seen_at};
    renewal.account_id = must_strdup(account_id);
    bool has_room = add_renewal(presence, &renewal);
    if (!has_room) free(renewal.account_id);
    return has_room;
}

void fleet_renew_seen(struct work *work, const struct device *device)
{
    /* No room means that this very second is full of renewals; the next poll brings another. */
    (void)presence_renew(work->service->fleet->presence, &device->id, NULL, 0, work->now_ms);
}

struct presence_chunk {
    size_t count;
    struct renewal renewals[PRESENCE_CHUNK];
};

struct presence_chunk *presence_take(struct presence *presence)
{
    struct presence_chunk *chunk = NULL;

    pthread_mutex_lock(&presence->lock);
    if (presence->count > 0) {
        chunk = must_malloc(sizeof(*chunk));
        chunk->count = presence->count < PRESENCE_CHUNK ? presence->count : PRESENCE_CHUNK;
        presence->count -= chunk->count;
        memcpy(chunk->renewals, presence->renewals, chunk->count * sizeof(*chunk->renewals));
        memmove(presence->renewals, presence->renewals + chunk->count,
                presence->count * sizeof(*presence->renewals));
    }
    pthread_mutex_unlock(&presence->lock);
    return chunk;
}

void presence_chunk_free(struct presence_chunk *chunk)
{
    if (chunk) drop_renewals(chunk->renewals, chunk->count);
    free(chunk);
}

static int compare_by_time(const struct renewal *left, const struct renewal *right)
{
    return (left->seen_at > right->seen_at) - (left->seen_at < right->seen_at);
}

/* Renewals are sorted by the row that they write, then by time: all lock rows in that order, and
 * the last of equals is the newest. */
static int compare_by_number(const void *a, const void *b)
{
    const struct renewal *left = a, *right = b;
    int order = strcmp(left->number, right->number);
    return order ? order : compare_by_time(left, right);
}

static int compare_by_device(const void *a, const void *b)
{
    const struct renewal *left = a, *right = b;
    int order = memcmp(&left->device_id, &right->device_id, sizeof(left->device_id));
    return order ? order : compare_by_time(left, right);
}

/* Renewals without an account come first. Two phones may have named an account within the second,
 * so each phone keeps its last. */
static int compare_by_account(const void *a, const void *b)
{
    const struct renewal *left = a, *right = b;
    int order = strcmp(left->account_id ? left->account_id : "",
                       right->account_id ? right->account_id : "");
    return order ? order : compare_by_device(left, right);
}

static enum err write_devices(struct work *work, struct renewal *renewals, size_t count)
{
    qsort(renewals, count, sizeof(*renewals), compare_by_device);
    for (size_t i = 0; i < count; i++) {
        bool is_last =
            i + 1 == count || !uuid_equal(&renewals[i].device_id, &renewals[i + 1].device_id);
        if (!is_last) continue;
        enum err err = device_update_seen(work, &renewals[i].device_id, renewals[i].seen_at);
        if (err) return err;
    }
    return ERR_OK;
}

static enum err write_numbers(struct work *work, struct renewal *renewals, size_t count)
{
    qsort(renewals, count, sizeof(*renewals), compare_by_number);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count || strcmp(renewals[i].number, renewals[i + 1].number) != 0;
        if (!is_last || !renewals[i].number[0]) continue;
        enum err err =
            device_number_extend_ready(work, renewals[i].number, renewals[i].valid_until);
        if (err) return err;
    }
    return ERR_OK;
}

static enum err write_accounts(struct work *work, struct renewal *renewals, size_t count)
{
    qsort(renewals, count, sizeof(*renewals), compare_by_account);
    for (size_t i = 0; i < count; i++) {
        if (!renewals[i].account_id) continue;
        const struct renewal *next = i + 1 < count ? &renewals[i + 1] : NULL;
        bool is_last = !next || strcmp(renewals[i].account_id, next->account_id) != 0 ||
                       !uuid_equal(&renewals[i].device_id, &next->device_id);
        if (!is_last) continue;
        enum err err = device_account_extend(work, &renewals[i].device_id, renewals[i].account_id,
                                             renewals[i].valid_until);
        if (err) return err;
    }
    return ERR_OK;
}

enum err presence_write(const struct presence_chunk *chunk, struct work *work)
{
    struct renewal *renewals = arena_array(work->arena, chunk->count, sizeof(*renewals));
    memcpy(renewals, chunk->renewals, chunk->count * sizeof(*renewals));
    enum err err = write_devices(work, renewals, chunk->count);
    if (!err) err = write_numbers(work, renewals, chunk->count);
    return err ? err : write_accounts(work, renewals, chunk->count);
}
