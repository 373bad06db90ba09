/* The keys and sessions are a sorted list of hashes, which the next reading replaces. */
#include "app/api/api_key_set.h"

#include "core/service.h"
#include "domain/api_key/api_key.h"
#include "domain/operator/operator.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    PERIOD_MS = 2 * 1000,
    LEAST_MS = 1000,
    RETRY_MS = 1000,
    MINUTE_MS = 60 * 1000,
    SEEN_STEP_MS = MINUTE_MS, /* so exact is when a session was last used */
};

/* A key has a row for each of its hashes. */
struct row {
    uint8_t hash[SECRET_HASH_LEN];
    int64_t good_until;
    size_t key; /* the index of its key */
};

/* A bucket is full when as many requests may come at once as in a minute. It is kept as the time at
 * which it is full again, in us, since a request may cost less than a ms. */
struct held_key {
    struct uuid id;     /* of the key or the session */
    struct actor actor; /* its name is allocated */
    int64_t rate;       /* requests a minute; -1: no limit */
    int64_t full_at_us; /* monotonic */
    int64_t seen_at;    /* of a session: as it is stored, and */
    int64_t used_at;    /* as it is */
};

struct api_key_set {
    struct service *service;
    struct refresh *refresh;

    struct arena arena; /* for one reading */
    struct work work;
    int64_t reading_at_ms; /* monotonic: the reading began then */
    int64_t seen;          /* the change up to which the keys were read; -1: none were */
    int64_t number;        /* the same of the reading under way, with */
    struct record_list read, read_sessions;
    bool is_unreadable; /* a failure was logged, and no reading was good since */

    atomic_bool is_seeing; /* what sessions were used is on its way to the database: */
    struct arena seen_arena;
    struct work seen_work;
    struct record_list seen_sessions; /* struct operator_session */
    int64_t seen_at_ms;               /* monotonic: that began last */

    pthread_mutex_t lock; /* guards all below */
    int64_t read_at_ms;   /* monotonic: the last good reading began then */
    struct held_key *keys;
    size_t key_count; /* with the sessions, which come last: */
    size_t session_count;
    struct row *rows; /* in order of hash */
    size_t row_count;
};

/* --- Reading ---------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    return memcmp(((const struct row *)a)->hash, ((const struct row *)b)->hash, SECRET_HASH_LEN);
}

static int compare_ids(const void *a, const void *b)
{
    const struct held_key *key_a = a, *key_b = b;
    return memcmp(key_a->id.bytes, key_b->id.bytes, sizeof(key_a->id.bytes));
}

/* Both are in order of id. */
static struct held_key *find_key(struct api_key_set *set, const struct uuid *id)
{
    const struct held_key wanted = {.id = *id};
    size_t keys = set->key_count - set->session_count;
    struct held_key *found = NULL;

    if (keys > 0) found = bsearch(&wanted, set->keys, keys, sizeof(wanted), compare_ids);
    if (found || set->session_count == 0) return found;
    return bsearch(&wanted, set->keys + keys, set->session_count, sizeof(wanted), compare_ids);
}

static void drop_keys(struct api_key_set *set)
{
    for (size_t i = 0; i < set->key_count; i++)
        free((char *)set->keys[i].actor.name);
    free(set->keys);
    free(set->rows);
}

/* The part of a limit that was used stays used. */
static struct held_key hold(struct api_key_set *set, const struct api_key *key)
{
    const struct held_key *before = find_key(set, &key->id);
    char *name = strdup(key->name);

    if (!name) abort();
    return (struct held_key){
        .id = key->id,
        .actor = {.kind = ACTOR_API_KEY,
                  .id = key->id,
                  .name = name,
                  .role = (enum role)key->role,
                  .is_test = key->is_test},
        .rate = key->requests_per_minute,
        .full_at_us = before ? before->full_at_us : 0,
    };
}

static struct held_key hold_session(struct api_key_set *set, const struct operator_session *session)
{
    const struct held_key *before = find_key(set, &session->id);
    char *name = strdup(session->name);

    if (!name) abort();
    return (struct held_key){
        .id = session->id,
        .actor = {.kind = ACTOR_OPERATOR,
                  .id = session->operator_id,
                  .name = name,
                  .role = (enum role)session->role,
                  .session_id = session->id},
        .rate = -1,
        .seen_at = session->seen_at,
        .used_at = before ? before->used_at : 0,
    };
}

static void add_row(struct row *rows, size_t *count, const uint8_t hash[static SECRET_HASH_LEN],
                    struct row row)
{
    if (row.good_until == 0) return;
    memcpy(row.hash, hash, SECRET_HASH_LEN);
    rows[(*count)++] = row;
}

static void add_key(struct row *rows, size_t *count, const struct api_key *key, size_t index)
{
    add_row(rows, count, key->hash,
            (struct row){.good_until = api_key_good_until(key), .key = index});
    add_row(rows, count, key->old_hash,
            (struct row){.good_until = api_key_old_good_until(key), .key = index});
}

/* Under the lock. */
static void replace_keys(struct api_key_set *set, const struct record_list *read,
                         const struct record_list *sessions)
{
    const struct api_key *keys = read->items;
    const struct operator_session *of = sessions->items;
    size_t count = read->count + sessions->count;
    struct held_key *held = must_calloc(count + 1, sizeof(*held));
    struct row *rows = must_calloc(2 * count + 1, sizeof(*rows));
    size_t row_count = 0;

    for (size_t i = 0; i < read->count; i++) {
        held[i] = hold(set, &keys[i]);
        add_key(rows, &row_count, &keys[i], i);
    }
    for (size_t i = 0; i < sessions->count; i++) {
        held[read->count + i] = hold_session(set, &of[i]);
        add_row(rows, &row_count, of[i].hash,
                (struct row){.good_until = operator_session_until(&of[i]), .key = read->count + i});
    }
    qsort(rows, row_count, sizeof(*rows), compare_rows);
    drop_keys(set);
    set->keys = held;
    set->key_count = count;
    set->session_count = sessions->count;
    set->rows = rows;
    set->row_count = row_count;
}

static enum err read_keys(struct work *work)
{
    struct api_key_set *set = CONTAINER_OF(work, struct api_key_set, work);
    enum err err = api_key_read_all(work, set->seen, &set->number, &set->read);
    if (!err && set->number != set->seen) err = operator_read_sessions(work, &set->read_sessions);
    return err;
}

static void begin_reading(struct api_key_set *set)
{
    arena_init(&set->arena);
    work_init(&set->work, set->service, &set->arena, clock_now_ms(), NULL);
    set->work.task.is_read = true;
    set->work.task.is_whole = true; /* the number and the keys are of one moment */
    set->reading_at_ms = clock_monotonic_ms();
}

static void log_reading(struct api_key_set *set, enum err err)
{
    if (err && !set->is_unreadable)
        log_write(LOG_ERROR, "the API keys cannot be read; only the root key is taken",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    if (!err && set->is_unreadable) log_write(LOG_INFO, "the API keys can be read again", NULL, 0);
    set->is_unreadable = err != ERR_OK;
}

static void end_reading(struct api_key_set *set, enum err err)
{
    log_reading(set, err);
    if (!err) {
        pthread_mutex_lock(&set->lock);
        if (set->number != set->seen) replace_keys(set, &set->read, &set->read_sessions);
        set->seen = set->number;
        set->read_at_ms = set->reading_at_ms;
        pthread_mutex_unlock(&set->lock);
    }
    arena_done(&set->arena);
}

static void reading_done(struct work *work, enum err err)
{
    struct api_key_set *set = CONTAINER_OF(work, struct api_key_set, work);
    end_reading(set, err);
    refresh_done(set->refresh, !err);
}

static void start_reading(void *arg)
{
    struct api_key_set *set = arg;

    begin_reading(set);
    set->work.task.is_bounded = true;
    enum err err = work_start(&set->work, set->service->verification, read_keys, reading_done);
    if (err) reading_done(&set->work, err);
}

static void hear_of_change(void *arg)
{
    struct api_key_set *set = arg;
    refresh_ask(set->refresh);
}

/* --- When sessions were last used ------------------------------------------------------------- */

/* Under the lock. */
static void collect_used(struct api_key_set *set)
{
    const struct held_key *sessions = set->keys + (set->key_count - set->session_count);
    struct operator_session *rows =
        arena_array(&set->seen_arena, set->session_count + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; i < set->session_count; i++) {
        const struct held_key *key = &sessions[i];
        if (key->used_at < key->seen_at + SEEN_STEP_MS) continue;
        rows[count++] = (struct operator_session){.id = key->id, .seen_at = key->used_at};
    }
    set->seen_sessions = (struct record_list){rows, count};
}

static enum err write_seen(struct work *work)
{
    struct api_key_set *set = CONTAINER_OF(work, struct api_key_set, seen_work);
    return operator_see_sessions(work, &set->seen_sessions);
}

/* A write that failed is tried again a minute later. */
static void seen_done(struct work *work, enum err err)
{
    struct api_key_set *set = CONTAINER_OF(work, struct api_key_set, seen_work);
    (void)err;
    arena_done(&set->seen_arena);
    atomic_store(&set->is_seeing, false);
}

static void tell_seen(struct api_key_set *set)
{
    int64_t now_ms = clock_monotonic_ms();

    if (now_ms - set->seen_at_ms < SEEN_STEP_MS || atomic_load(&set->is_seeing)) return;
    set->seen_at_ms = now_ms;
    arena_init(&set->seen_arena);
    pthread_mutex_lock(&set->lock);
    collect_used(set);
    pthread_mutex_unlock(&set->lock);
    work_init(&set->seen_work, set->service, &set->seen_arena, clock_now_ms(), NULL);
    set->seen_work.task.is_bounded = true;
    atomic_store(&set->is_seeing, true);
    enum err err = ERR_NOT_FOUND;
    if (set->seen_sessions.count > 0)
        err = work_start(&set->seen_work, set->service->verification, write_seen, seen_done);
    if (err) seen_done(&set->seen_work, err);
}

/* --- The whole -------------------------------------------------------------------------------- */

struct api_key_set *api_key_set_new(struct service *service, int waiting_max)
{
    struct api_key_set *set = must_calloc(1, sizeof(*set));

    set->service = service;
    set->seen = -1;
    pthread_mutex_init(&set->lock, NULL);
    set->refresh = refresh_new(&(struct refresh_options){.period_ms = PERIOD_MS,
                                                         .retry_ms = RETRY_MS,
                                                         .retry_max_ms = RETRY_MS,
                                                         .least_ms = LEAST_MS,
                                                         .waiting_max = waiting_max,
                                                         .trouble = ERR_STORAGE_UNAVAILABLE,
                                                         .start = start_reading,
                                                         .arg = set});
    return set;
}

enum err api_key_set_start(struct api_key_set *set, struct buf *why)
{
    begin_reading(set);
    enum err err = work_run(&set->work, set->service->verification, read_keys);
    end_reading(set, err);
    if (err) {
        buf_printf(why, "The API keys cannot be read: %s", err_info(err)->sentence);
        return err;
    }
    db_subscribe(set->service->verification, API_KEY_TOPIC, hear_of_change, set);
    return ERR_OK;
}

void api_key_set_tick(struct api_key_set *set)
{
    refresh_tick(set->refresh);
    tell_seen(set);
}

void api_key_set_free(struct api_key_set *set)
{
    if (!set) return;
    refresh_free(set->refresh);
    drop_keys(set);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* Under the lock. NULL: there is no such key. */
static struct held_key *find_good(const struct api_key_set *set,
                                  const uint8_t hash[static SECRET_HASH_LEN], int64_t now_ms)
{
    struct row wanted = {.key = 0};

    if (set->row_count == 0) return NULL;
    memcpy(wanted.hash, hash, SECRET_HASH_LEN);
    const struct row *row =
        bsearch(&wanted, set->rows, set->row_count, sizeof(wanted), compare_rows);
    if (!row || now_ms >= row->good_until) return NULL;
    return &set->keys[row->key];
}

/* Under the lock. */
static enum err look_up(const struct api_key_set *set, const uint8_t hash[static SECRET_HASH_LEN],
                        int64_t now_ms, struct held_key **ret_key)
{
    if (clock_monotonic_ms() - set->read_at_ms >= API_KEYS_AGE_MAX_MS)
        return ERR_STORAGE_UNAVAILABLE;
    *ret_key = find_good(set, hash, now_ms);
    return *ret_key ? ERR_OK : ERR_UNAUTHORIZED;
}

enum err api_key_set_find(struct api_key_set *set, const uint8_t hash[static SECRET_HASH_LEN],
                          int64_t now_ms, struct arena *arena, struct actor *ret_actor)
{
    struct held_key *key;

    pthread_mutex_lock(&set->lock);
    enum err err = look_up(set, hash, now_ms, &key);
    if (!err) {
        *ret_actor = key->actor;
        ret_actor->name = arena_text(arena, key->actor.name);
        key->used_at = now_ms;
    }
    pthread_mutex_unlock(&set->lock);
    return err;
}

enum err api_key_set_find_role(struct api_key_set *set, const uint8_t hash[static SECRET_HASH_LEN],
                               int64_t now_ms, enum role *ret_role)
{
    struct held_key *key;

    pthread_mutex_lock(&set->lock);
    enum err err = look_up(set, hash, now_ms, &key);
    if (!err) *ret_role = key->actor.role;
    pthread_mutex_unlock(&set->lock);
    return err;
}

/* A request empties the bucket by what a minute brings, divided by the rate. */
static enum err take(struct held_key *key, int64_t now_us, struct rate_limit *ret_limit)
{
    int64_t cost_us = (int64_t)MINUTE_MS * 1000 / key->rate, full_us = cost_us * key->rate;
    int64_t debt_us = key->full_at_us > now_us ? key->full_at_us - now_us : 0;
    bool is_taken = debt_us + cost_us <= full_us;

    if (is_taken) debt_us += cost_us;
    key->full_at_us = now_us + debt_us;
    int64_t left = (full_us - debt_us) / cost_us;
    int64_t next_us = debt_us - (full_us - (left + 1) * cost_us);
    *ret_limit = (struct rate_limit){
        .name = "requests",
        .quota = key->rate,
        .window_s = MINUTE_MS / 1000,
        .left = left,
        .refill_ms = (next_us + 999) / 1000,
    };
    return is_taken ? ERR_OK : ERR_RATE_LIMITED;
}

enum err api_key_set_count(struct api_key_set *set, const struct uuid *id,
                           struct rate_limit *ret_limit)
{
    enum err err = ERR_OK;

    *ret_limit = (struct rate_limit){.name = NULL};
    pthread_mutex_lock(&set->lock);
    struct held_key *key = find_key(set, id);
    if (key && key->rate > 0) err = take(key, clock_monotonic_ms() * 1000, ret_limit);
    pthread_mutex_unlock(&set->lock);
    return err;
}

enum err api_key_set_wait(struct api_key_set *set, struct refresh_waiter *waiter)
{
    return refresh_wait(set->refresh, waiter);
}
