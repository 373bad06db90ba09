/*
 * Packages that were refused are remembered for a while, so that an ERP's team and the operator can
 * talk about them (contract, section 5). Requests only put them into a queue; one thread writes
 * them, some turns a second. So a flood of refusals is a few rows, whose newest one counts the
 * rest.
 */
#include "domain/erp/erp_db.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/mask.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    QUEUE_MAX = 512, /* of all integrations; beyond, refusals are counted */
    TURN_MAX = 32,   /* integrations or refusals of a transaction */
    TURN_MS = 300,   /* between two turns */
    TROUBLE_MS = 2000,
    SENDERS = 256,  /* buckets */
    TEXT_MAX = 300, /* bytes of a text that is kept */
};

/* An integration of which something was refused since the start. */
struct sender {
    struct sender *next; /* in its bucket */
    struct sender *next_counted;
    struct token_claims claims;
    int64_t second_ms; /* monotonic: when its second began */
    int in_second;
    int64_t more;    /* counted, and not yet written */
    bool is_counted; /* it is in the list of those */
};

struct entry {
    struct entry *next;
    struct arena arena;
    struct token_claims claims;
    struct erp_refused refused;
};

struct erp_refusals {
    struct service *service;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_changed;
    struct sender *senders[SENDERS];
    struct sender *counted;
    struct entry *first, **end;
    size_t count;
    bool is_stopping;
};

/* One transaction writes this. */
struct turn {
    struct work work;
    struct entry *entries;
    struct sender *senders[TURN_MAX];
    int64_t more[TURN_MAX];
    size_t sender_count;
};

/* --- Noting ----------------------------------------------------------------------------------- */

/* Returns a text, cut and masked, in the arena. */
static const char *show(const char *text, mask_fn mask, struct arena *arena)
{
    if (!text) return NULL;
    return mask_text(mask, arena_str(arena, utf8_cut(str_of(text), TEXT_MAX)), arena);
}

static struct entry *make_entry(const struct token_claims *claims,
                                const struct erp_refused *refused)
{
    struct entry *entry = must_calloc(1, sizeof(*entry));
    const struct erp_refusal_fault *faults = refused->faults.items;
    size_t count = refused->faults.count;

    arena_init(&entry->arena);
    entry->claims = *claims;
    entry->refused = *refused;
    entry->refused.refused_at = clock_now_ms();
    entry->refused.id = uuid_new(entry->refused.refused_at);
    entry->refused.event_id = show(refused->event_id, mask_id, &entry->arena);
    entry->refused.request_id =
        show(refused->request_id ? refused->request_id : "", mask_id, &entry->arena);
    struct erp_refusal_fault *rows = arena_array(&entry->arena, count + 1, sizeof(*rows));
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct erp_refusal_fault){show(faults[i].type, mask_words, &entry->arena),
                                             show(faults[i].loc, mask_words, &entry->arena),
                                             show(faults[i].message, mask_words, &entry->arena)};
    entry->refused.faults = (struct record_list){rows, count};
    return entry;
}

static void free_entry(struct entry *entry)
{
    arena_done(&entry->arena);
    free(entry);
}

/* The lock is held. */
static struct sender *find_sender(struct erp_refusals *refusals, const struct token_claims *claims)
{
    struct sender **bucket = &refusals->senders[claims->integration_id.bytes[15] % SENDERS];
    struct sender *sender = *bucket;

    while (sender && !uuid_equal(&sender->claims.integration_id, &claims->integration_id))
        sender = sender->next;
    if (sender) return sender;
    sender = must_calloc(1, sizeof(*sender));
    sender->claims = *claims;
    sender->second_ms = clock_monotonic_ms();
    sender->next = *bucket;
    *bucket = sender;
    return sender;
}

/* Tells whether it is only counted. The lock is held. */
static bool is_too_many(struct erp_refusals *refusals, struct sender *sender)
{
    int64_t now_ms = clock_monotonic_ms();

    if (now_ms - sender->second_ms >= 1000) {
        sender->second_ms = now_ms;
        sender->in_second = 0;
    }
    if (sender->in_second < ERP_REFUSALS_PER_SECOND && refusals->count < QUEUE_MAX) {
        sender->in_second++;
        return false;
    }
    sender->more++;
    if (!sender->is_counted) {
        sender->is_counted = true;
        sender->next_counted = refusals->counted;
        refusals->counted = sender;
    }
    return true;
}

void erp_refusals_note(struct erp_refusals *refusals, const struct token_claims *claims,
                       const struct erp_refused *refused)
{
    pthread_mutex_lock(&refusals->lock);
    struct sender *sender = find_sender(refusals, claims);
    if (!is_too_many(refusals, sender)) {
        struct entry *entry = make_entry(claims, refused);
        *refusals->end = entry;
        refusals->end = &entry->next;
        refusals->count++;
    }
    pthread_cond_signal(&refusals->is_changed);
    pthread_mutex_unlock(&refusals->lock);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* A token's word on its client and integration has to be true by now, too. */
static enum err is_good(struct work *work, const struct token_claims *claims, bool *ret_is_good)
{
    struct erp_sender sender;
    enum err err = erp_sender_select(work, claims, &claims->integration_id, &sender);
    if (err) return err;
    *ret_is_good = token_authorize(claims, &claims->integration_id, &sender.standing) == ERR_OK;
    return ERR_OK;
}

static enum err write_entry(struct work *work, const struct entry *entry)
{
    const struct uuid *id = &entry->claims.integration_id;
    bool may;

    enum err err = is_good(work, &entry->claims, &may);
    if (err || !may) return err;
    err = erp_refusal_insert(work, id, &entry->refused);
    return err ? err : erp_refusal_prune(work, id);
}

static enum err write_turn(struct work *work)
{
    const struct turn *turn = CONTAINER_OF(work, struct turn, work);
    enum err err = ERR_OK;

    for (const struct entry *entry = turn->entries; !err && entry; entry = entry->next)
        err = write_entry(work, entry);
    for (size_t i = 0; !err && i < turn->sender_count; i++)
        err = erp_refusal_add_more(work, &turn->senders[i]->claims.integration_id, turn->more[i]);
    return err;
}

/* Takes the next ones off the queue. The lock is held. */
static void take(struct erp_refusals *refusals, struct turn *turn)
{
    struct entry **cut = &refusals->first;

    turn->entries = refusals->first;
    for (int i = 0; *cut && i < TURN_MAX; i++, refusals->count--)
        cut = &(*cut)->next;
    refusals->first = *cut;
    *cut = NULL;
    if (turn->entries == NULL) refusals->first = NULL;
    if (!refusals->first) refusals->end = &refusals->first;
    while (refusals->counted && turn->sender_count < TURN_MAX) {
        struct sender *sender = refusals->counted;
        refusals->counted = sender->next_counted;
        sender->is_counted = false;
        turn->senders[turn->sender_count] = sender;
        turn->more[turn->sender_count++] = sender->more;
        sender->more = 0;
    }
}

/* Puts back what could not be written. The lock is held. */
static void put_back(struct erp_refusals *refusals, struct turn *turn)
{
    struct entry **end = &turn->entries;

    for (; *end; end = &(*end)->next)
        refusals->count++;
    *end = refusals->first;
    if (!refusals->first) refusals->end = end;
    if (turn->entries) refusals->first = turn->entries;
    if (!refusals->first) refusals->end = &refusals->first;
    turn->entries = NULL;
    for (size_t i = 0; i < turn->sender_count; i++) {
        struct sender *sender = turn->senders[i];
        sender->more += turn->more[i];
        if (sender->is_counted) continue;
        sender->is_counted = true;
        sender->next_counted = refusals->counted;
        refusals->counted = sender;
    }
}

/* Runs a transaction with the next ones. The lock is held, and released meanwhile. */
static enum err run_turn(struct erp_refusals *refusals)
{
    struct turn turn = {.sender_count = 0};
    struct arena arena;

    take(refusals, &turn);
    pthread_mutex_unlock(&refusals->lock);
    arena_init(&arena);
    work_init(&turn.work, refusals->service, &arena, clock_now_ms(), NULL);
    enum err err = work_run(&turn.work, refusals->service->exchange, write_turn);
    arena_done(&arena);
    pthread_mutex_lock(&refusals->lock);
    if (err) put_back(refusals, &turn);
    while (turn.entries) {
        struct entry *entry = turn.entries;
        turn.entries = entry->next;
        free_entry(entry);
    }
    return err;
}

static void *write_on(void *arg)
{
    struct erp_refusals *refusals = arg;
    enum err err = ERR_OK;

    pthread_mutex_lock(&refusals->lock);
    while (!refusals->is_stopping || ((refusals->first || refusals->counted) && !err)) {
        if (!refusals->first && !refusals->counted) {
            pthread_cond_wait(&refusals->is_changed, &refusals->lock);
            continue;
        }
        err = run_turn(refusals);
        struct timespec next_at = thread_deadline(err ? TROUBLE_MS : TURN_MS);
        int end = 0;
        while (!end && !refusals->is_stopping)
            end = pthread_cond_timedwait(&refusals->is_changed, &refusals->lock, &next_at);
    }
    pthread_mutex_unlock(&refusals->lock);
    return NULL;
}

struct erp_refusals *erp_refusals_new(struct service *service)
{
    struct erp_refusals *refusals = must_calloc(1, sizeof(*refusals));
    refusals->service = service;
    refusals->end = &refusals->first;
    pthread_mutex_init(&refusals->lock, NULL);
    thread_cond_init(&refusals->is_changed);
    thread_start(&refusals->thread, "erp-refusals", write_on, refusals);
    return refusals;
}

static void free_senders(struct erp_refusals *refusals)
{
    for (size_t i = 0; i < SENDERS; i++) {
        while (refusals->senders[i]) {
            struct sender *sender = refusals->senders[i];
            refusals->senders[i] = sender->next;
            free(sender);
        }
    }
}

void erp_refusals_free(struct erp_refusals *refusals)
{
    if (!refusals) return;
    pthread_mutex_lock(&refusals->lock);
    refusals->is_stopping = true;
    pthread_cond_signal(&refusals->is_changed);
    pthread_mutex_unlock(&refusals->lock);
    pthread_join(refusals->thread, NULL);
    while (refusals->first) {
        struct entry *entry = refusals->first;
        refusals->first = entry->next;
        free_entry(entry);
    }
    free_senders(refusals);
    pthread_cond_destroy(&refusals->is_changed);
    pthread_mutex_destroy(&refusals->lock);
    free(refusals);
}

/* --- Reading ---------------------------------------------------------------------------------- */

enum err erp_list_refusals(struct work *work, const struct uuid *integration_id,
                           const struct page_query *query, struct erp_refused_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct erp_refused, id);
    struct erp_refused_list list = {.next_cursor = NULL};
    struct page_place before;
    struct integration integration;

    memset(&before, 0xFF, sizeof(before));
    enum err err = page_begin(query->cursor, &by_id, &before);
    if (!err) err = integration_read(work, integration_id, &integration);
    if (!err)
        err = erp_refusal_select_page(work, integration_id, &before.id, query->limit + 1,
                                      &list.refusals);
    if (err) return err;
    list.next_cursor = page_end(query->limit, &by_id, &list.refusals, work->arena);
    *ret_list = list;
    return ERR_OK;
}
