/* Keys have two sources, each with its refresh. */
#include "app/api/key_set.h"

#include "app/setup/config.h"
#include "domain/event_log/event_log.h"
#include "domain/token/keyring.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/text_file.h"
#include "kit/fetch/fetch.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    OWN_PERIOD_MS = 5 * 1000,
    OWN_LEAST_MS = 1000,
    /* A key that was made after the last reading signs no sooner than this. Until then the known
     * keys are right; after that they may be retired. */
    OWN_AGE_MAX_MS = KEY_LEAD_S * 1000,
    OWN_SURE_MS = 10 * 1000, /* after it, another process may have withdrawn a key */
    OUTSIDE_PERIOD_MS = KEY_SET_CACHE_S * 1000,
    OUTSIDE_LEAST_MS = 30 * 1000,
    RETRY_MS = 5 * 1000,
    OUTSIDE_RETRY_MAX_MS = 30 * 1000,
    WAITING_SHARE = 4, /* at most one connection in so many waits for a fetch */
    CONNECT_TIMEOUT_MS = 3000,
    FETCH_TIMEOUT_MS = REFRESH_WAIT_MAX_MS,
};

struct key_set {
    struct fetch fetch; /* fetches the outside set */
    struct service *service;
    const struct config *config;
    struct token_verifier verifier;
    struct keyring *outside_keys; /* NULL: the own ones serve */
    bool is_issuer;

    struct refresh *own;
    struct arena arena; /* for one reading */
    struct work work;
    int64_t reading_at_ms;           /* monotonic: the reading began then */
    atomic_int_least64_t read_at_ms; /* likewise: the last good reading began then */
    bool is_unreadable;              /* a failure was logged, and no reading was good since */
    atomic_bool is_old;              /* the last good reading is too long ago */

    struct refresh *outside; /* NULL: no HERALD_JWKS_URL */
    struct fetch_client *client;
    bool is_troubled; /* a failure was logged, and no set came since */
    struct event_log *event_log;
    atomic_int_least64_t
        fetched_at_ms; /* monotonic: the last good set came then; at first the start */
};

/* --- Own keys --------------------------------------------------------------------------------- */

static void begin_reading(struct key_set *set)
{
    arena_init(&set->arena);
    work_init(&set->work, set->service, &set->arena, clock_now_ms(), NULL);
    set->reading_at_ms = clock_monotonic_ms();
}

static void log_news(const struct keyring_news *news)
{
    if (news->fault)
        log_write(LOG_ERROR,
                  "a signing key cannot be used; `herald admin keys rotate` makes another",
                  LOG_FIELDS(log_plain("kid", news->kid), log_plain("error", news->fault)));
    else
        log_write(LOG_INFO, "the signing key can be used again",
                  LOG_FIELDS(log_plain("kid", news->kid)));
}

static void log_reading(struct key_set *set, enum err err)
{
    struct keyring_news news;

    if (err && !set->is_unreadable)
        log_write(LOG_ERROR, "the signing keys cannot be read",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    if (!err && set->is_unreadable)
        log_write(LOG_INFO, "the signing keys can be read again", NULL, 0);
    set->is_unreadable = err != ERR_OK;
    while (keyring_next_news(set->service->tokens->keyring, &news))
        log_news(&news);
}

static void end_reading(struct key_set *set, enum err err)
{
    if (!err) atomic_store(&set->read_at_ms, set->reading_at_ms);
    log_reading(set, err);
    arena_done(&set->arena);
}

static enum err load_keys(struct work *work)
{
    const struct key_set *set = CONTAINER_OF(work, struct key_set, work);
    return keyring_load(set->service->tokens->keyring, work, set->is_issuer);
}

static void reading_done(struct work *work, enum err err)
{
    struct key_set *set = CONTAINER_OF(work, struct key_set, work);
    end_reading(set, err);
    refresh_done(set->own, !err);
}

static void read_own(void *arg)
{
    struct key_set *set = arg;

    begin_reading(set);
    set->work.task.is_read = true;
    set->work.task.is_bounded = true;
    enum err err = work_start(&set->work, set->service->exchange, load_keys, reading_done);
    if (err) reading_done(&set->work, err);
}

static void hear_of_key(void *arg)
{
    struct key_set *set = arg;
    refresh_ask(set->own);
}

static enum err make_and_load_keys(struct work *work)
{
    const struct key_set *set = CONTAINER_OF(work, struct key_set, work);
    enum err err = set->is_issuer ? token_ensure_key(work) : ERR_OK;
    return err ? err : load_keys(work);
}

static enum err read_first(struct key_set *set, struct event_log *event_log, struct buf *why)
{
    begin_reading(set);
    set->work.task.is_read = !set->is_issuer;
    enum err err = work_run(&set->work, set->service->exchange, make_and_load_keys);
    if (err)
        buf_printf(why, "The signing keys cannot be read: %s", err_info(err)->sentence);
    else
        event_log_publish(event_log, &set->work, NULL);
    end_reading(set, err);
    return err;
}

/* Only the tick judges the age, so only it lets the keyring fall silent and speak again. */
static void judge_age(struct key_set *set)
{
    bool was_old = set->is_old;
    bool is_old = clock_monotonic_ms() - atomic_load(&set->read_at_ms) >= OWN_AGE_MAX_MS;

    if (is_old == was_old) return;
    set->is_old = is_old;
    keyring_set_silent(set->service->tokens->keyring, is_old);
    if (is_old)
        log_write(LOG_ERROR,
                  "the signing keys were not read for too long; nothing is signed until "
                  "they are",
                  LOG_FIELDS(log_int("seconds", OWN_AGE_MAX_MS / 1000)));
}

/* --- The set of an outside service ------------------------------------------------------------ */

static void log_trouble(struct key_set *set, const char *error, int status)
{
    if (!set->is_troubled)
        log_write(LOG_WARNING, "the key set of the identity service cannot be fetched",
                  LOG_FIELDS(log_plain("error", error), log_int("status", status)));
    set->is_troubled = true;
}

static void log_recovery(struct key_set *set, size_t count)
{
    if (set->is_troubled)
        log_write(LOG_INFO, "the key set of the identity service is there again",
                  LOG_FIELDS(log_int("keys", (int64_t)count)));
    set->is_troubled = false;
}

static bool take_answer(struct key_set *set)
{
    const struct fetch *fetch = &set->fetch;
    struct record_list keys;
    struct arena arena;

    if (fetch->end != FETCH_ANSWERED || fetch->status != 200) {
        log_trouble(set, fetch->error ? fetch->error : "The answer is no 200.", fetch->status);
        return false;
    }
    arena_init(&arena);
    enum err err = jose_set_read(text_behind_mark(buf_view(&fetch->answer)), &arena, &keys);
    if (!err) {
        keyring_set_foreign(set->outside_keys, &keys);
        atomic_store(&set->fetched_at_ms, clock_monotonic_ms());
    }
    arena_done(&arena);
    if (err)
        log_trouble(set, "The answer is no key set.", fetch->status);
    else
        log_recovery(set, keys.count);
    return !err;
}

static void take_fetched(struct fetch *fetch)
{
    struct key_set *set = CONTAINER_OF(fetch, struct key_set, fetch);
    bool is_good = fetch->end != FETCH_CANCELED && take_answer(set);

    fetch_done(fetch);
    refresh_done(set->outside, is_good);
}

static void fetch_outside(void *arg)
{
    struct key_set *set = arg;

    set->fetch = (struct fetch){
        .method = "GET",
        .url = set->config->jwks_url,
        .headers = {{"Accept", "application/json"}},
        .route = {.ca_file = set->config->jwks_ca_file,
                  .connect_timeout_ms = CONNECT_TIMEOUT_MS,
                  .timeout_ms = FETCH_TIMEOUT_MS},
        .done = take_fetched,
    };
    enum err err = fetch_start(set->client, &set->fetch);
    if (!err) return;
    log_trouble(set, err_info(err)->sentence, 0);
    refresh_done(set->outside, false);
}

/* Only the tick tells of the age; requests check it by themselves. */
static void tell_age(struct key_set *set)
{
    bool is_stale = key_set_is_stale(set);
    const char *message =
        is_stale ? "degraded: the key set of the identity service is too old, so its tokens are "
                   "refused with 503; see that HERALD_JWKS_URL can be fetched"
                 : "no longer degraded: the key set of the identity service is there again";

    if (is_stale == atomic_load(&set->service->is_degraded)) return;
    atomic_store(&set->service->is_degraded, is_stale);
    struct log_field fields[] = {log_int("seconds", set->config->jwks_max_stale_s)};
    log_write(is_stale ? LOG_ERROR : LOG_INFO, message, fields, is_stale);
    event_log_write(set->event_log, is_stale ? LOG_ERROR : LOG_INFO, message, fields, is_stale);
}

/* A set that is good only for a short time is fetched twice within that. */
static int64_t period_ms(const struct config *config)
{
    int64_t half_ms = config->jwks_max_stale_s * 1000 / 2;
    return half_ms < OUTSIDE_PERIOD_MS ? half_ms : OUTSIDE_PERIOD_MS;
}

/* --- The whole -------------------------------------------------------------------------------- */

struct key_set *key_set_new(struct service *service, const struct config *config)
{
    struct key_set *set = must_calloc(1, sizeof(*set));
    bool is_outside = config->jwks_url != NULL;
    /* Otherwise a client that invents names of keys could take all places (contract, section 7). */
    int waiting_max = (int)(config->connections_max / WAITING_SHARE);

    set->service = service;
    set->config = config;
    set->own = refresh_new(&(struct refresh_options){.period_ms = OWN_PERIOD_MS,
                                                     .retry_ms = RETRY_MS,
                                                     .retry_max_ms = RETRY_MS,
                                                     .least_ms = OWN_LEAST_MS,
                                                     .waiting_max = waiting_max,
                                                     .trouble = ERR_KEYS_UNAVAILABLE,
                                                     .start = read_own,
                                                     .arg = set});
    if (is_outside) {
        set->outside_keys = keyring_new();
        set->outside = refresh_new(&(struct refresh_options){.period_ms = period_ms(config),
                                                             .retry_ms = RETRY_MS,
                                                             .retry_max_ms = OUTSIDE_RETRY_MAX_MS,
                                                             .least_ms = OUTSIDE_LEAST_MS,
                                                             .waiting_max = waiting_max,
                                                             .trouble = ERR_KEY_SET_UNAVAILABLE,
                                                             .start = fetch_outside,
                                                             .arg = set});
    }
    set->verifier = (struct token_verifier){
        .keyring = is_outside ? set->outside_keys : service->tokens->keyring,
        .cache = token_cache_new(),
        .takes_plain_jwt = is_outside,
        .issuer = config->issuer ? config->issuer : config->own_url,
    };
    return set;
}

enum err key_set_start(struct key_set *set, bool is_issuer, struct event_log *event_log,
                       struct buf *why)
{
    set->is_issuer = is_issuer;
    set->event_log = event_log;
    enum err err = read_first(set, event_log, why);
    if (err) return err;
    db_subscribe(set->service->exchange, "signing_key", hear_of_key, set);
    if (!set->outside) return ERR_OK;
    set->client = fetch_client_new(1, 0, FETCH_ANSWER_MAX);
    atomic_store(&set->fetched_at_ms, clock_monotonic_ms());
    refresh_tick(set->outside);
    return ERR_OK;
}

void key_set_tick(struct key_set *set)
{
    refresh_tick(set->own);
    judge_age(set);
    if (!set->outside) return;
    refresh_tick(set->outside);
    tell_age(set);
}

void key_set_stop(struct key_set *set)
{
    if (!set) return;
    fetch_client_free(set->client);
    set->client = NULL;
}

void key_set_free(struct key_set *set)
{
    if (!set) return;
    token_cache_free(set->verifier.cache);
    keyring_free(set->outside_keys);
    refresh_free(set->outside);
    refresh_free(set->own);
    free(set);
}

const char *key_set_trouble(const struct key_set *set)
{
    bool are_own_used = set->is_issuer || !set->outside;

    if (!are_own_used) return NULL;
    if (set->is_old)
        return "The signing keys could not be read for more than five minutes; the log says why.";
    if (set->is_issuer && !keyring_has_signer(set->service->tokens->keyring, clock_now_ms()))
        return "The signing key cannot be used; the log says why. `herald admin keys rotate` makes "
               "another.";
    return NULL;
}

const struct token_verifier *key_set_verifier(const struct key_set *set)
{
    return &set->verifier;
}

bool key_set_is_stale(const struct key_set *set)
{
    if (!set->outside) return false;
    int64_t age_ms = clock_monotonic_ms() - atomic_load(&set->fetched_at_ms);
    return age_ms >= set->config->jwks_max_stale_s * 1000;
}

bool key_set_is_unsure(const struct key_set *set)
{
    if (set->outside || db_has_one_writer(set->service->exchange)) return false;
    return clock_monotonic_ms() - atomic_load(&set->read_at_ms) >= OWN_SURE_MS;
}

enum err key_set_wait(struct key_set *set, struct refresh_waiter *waiter)
{
    return refresh_wait(set->outside ? set->outside : set->own, waiter);
}
