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
    char *status;               /* owned: the body of a ping; NULL for a renewal without one */
    int64_t valid_until;        /* of the SIM's readiness, or of what was said of the account */
    int64_t seen_at;
};

struct presence {
    pthread_mutex_t lock;
    struct renewal *renewals;
    size_t count;
    size_t status_size; /* bytes of all statuses */
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
    for (size_t i = 0; i < count; i++)
        free(renewals[i].status);
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
    size_t size = renewal->status ? strlen(renewal->status) : 0;
    bool has_room = presence->count < PRESENCE_RENEWALS_MAX &&
                    (size == 0 || presence->status_size + size <= PRESENCE_STATUS_MAX);
    if (has_room) presence->renewals[presence->count++] = *renewal;
    if (has_room) presence->status_size += size;
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

bool presence_renew_status(struct presence *presence, const struct uuid *device_id, struct str body,
                           int64_t seen_at)
{
    struct renewal renewal = {.device_id = *device_id, .seen_at = seen_at};
    renewal.status = must_calloc(1, body.len + 1);
    memcpy(renewal.status, body.data, body.len);
    bool has_room = add_renewal(presence, &renewal);
    if (!has_room) free(renewal.status);
    return has_room;
}

void fleet_renew_status(struct work *work, const struct device *device, struct str body)
{
    /* If there is no room, at least the phone was seen. */
    if (!presence_renew_status(work->service->fleet->presence, &device->id, body, work->now_ms))
        fleet_renew_seen(work, device);
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
        for (size_t i = 0; i < chunk->count; i++)
            if (chunk->renewals[i].status)
                presence->status_size -= strlen(chunk->renewals[i].status);
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

/* A ping writes its status, which also says when its phone was seen, and nothing else; all others
 * write that into the phone's row. `has_status` says which. */
static enum err write_devices(struct work *work, struct renewal *renewals, size_t count,
                              bool has_status)
{
    const struct renewal *last = NULL;

    qsort(renewals, count, sizeof(*renewals), compare_by_device);
    for (size_t i = 0; i < count; i++) {
        const struct renewal *row = &renewals[i];
        bool is_last = i + 1 == count || !uuid_equal(&row->device_id, &row[1].device_id);
        if ((row->status != NULL) == has_status) last = row;
        if (!is_last) continue;
        enum err err = ERR_OK;
        if (last && has_status)
            err = device_status_upsert(work, &last->device_id, str_of(last->status), last->seen_at);
        else if (last)
            err = device_update_seen(work, &last->device_id, last->seen_at);
        if (err) return err;
        last = NULL;
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
    enum err err = write_devices(work, renewals, chunk->count, false);
    if (!err) err = write_devices(work, renewals, chunk->count, true);
    if (!err) err = write_numbers(work, renewals, chunk->count);
    return err ? err : write_accounts(work, renewals, chunk->count);
}
