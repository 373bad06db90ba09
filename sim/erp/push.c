/*
 * The verb `push`: what is in the queue goes out in order over one connection, and changes wait
 * until the snapshot before them was applied. Told to misbehave, it sends copies, in another
 * order, over many connections at once.
 */
#include "push.h"

#include "kit/base/clock.h"
#include "product.h"
#include "sender.h"
#include "sim/common/chance.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A package, once. */
struct shot {
    struct package *package;
    int64_t *first_sent_us; /* of the package; all its shots share it */
};

struct push {
    struct sender *sender;
    bool is_orderly;
    struct shot *shots;
    int64_t *first_sent_us; /* of each package of the queue; 0: not yet */
    size_t count;
    pthread_mutex_t lock; /* of what follows, and of first_sent_us */
    size_t next;
    bool is_over; /* nobody takes another shot */
    enum courier_end end;
};

/* --- What is sent ----------------------------------------------------------------------------- */

static bool put_changes(struct sender *sender)
{
    const struct options *options = sender->options;
    char event_id[2 * BODY_EVENT_ID_MAX];

    for (int64_t i = 0; i < options->package_count; i++) {
        const char *id = options->event_id;
        if (id && options->package_count > 1) {
            snprintf(event_id, sizeof(event_id), "%s%" PRId64, id, i + 1);
            id = event_id;
        }
        if (!sender_put_changes(sender, options->change_seed, options->number + i, id))
            return false;
    }
    return true;
}

static bool put_packages(struct sender *sender)
{
    const struct options *options = sender->options;

    if (options->verb == VERB_PUSH_SNAPSHOT)
        return sender_put_snapshot(sender, options->change_seed, options->event_id);
    return options->verb != VERB_PUSH_CHANGES || put_changes(sender);
}

static void shuffle(struct push *push, uint64_t seed)
{
    struct chance chance = chance_of(seed, PURPOSE_ORDER, 0);

    for (size_t i = push->count; i > 1; i--) {
        size_t k = chance_below(&chance, (uint32_t)i);
        struct shot shot = push->shots[i - 1];
        push->shots[i - 1] = push->shots[k];
        push->shots[k] = shot;
    }
}

/* Copies of a package stand side by side, so that several connections send them at once. */
static void plan_shots(struct push *push)
{
    const struct options *options = push->sender->options;
    struct queue *queue = push->sender->queue;
    size_t packages = queue_count(queue);
    size_t copies = (size_t)options->repeat_count;

    push->is_orderly = options->connection_count == 1 && copies == 1 && options->order_seed == 0;
    push->shots = calloc(packages * copies + 1, sizeof(*push->shots));
    push->first_sent_us = calloc(packages + 1, sizeof(*push->first_sent_us));
    if (!push->shots || !push->first_sent_us) abort();
    for (size_t i = 0; i < packages; i++) {
        struct package *package = queue_at(queue, i);
        if (package->state != PACKAGE_QUEUED) continue;
        for (size_t k = 0; k < copies; k++)
            push->shots[push->count++] = (struct shot){package, &push->first_sent_us[i]};
    }
    if (options->order_seed > 0) shuffle(push, (uint64_t)options->order_seed);
}

/* --- Sending ---------------------------------------------------------------------------------- */

static bool take_shot(struct push *push, struct shot *ret_shot)
{
    pthread_mutex_lock(&push->lock);
    bool is_taken = !push->is_over && push->next < push->count;
    if (is_taken) {
        *ret_shot = push->shots[push->next++];
        if (*ret_shot->first_sent_us == 0) *ret_shot->first_sent_us = clock_monotonic_us();
    }
    pthread_mutex_unlock(&push->lock);
    return is_taken;
}

/* The worst end counts. In order, nothing may overtake what was refused. */
static void note_end(struct push *push, enum courier_end end)
{
    if (end == COURIER_DONE) return;
    pthread_mutex_lock(&push->lock);
    if (push->end != COURIER_REFUSED) push->end = end;
    if (push->is_orderly || end != COURIER_REFUSED) push->is_over = true;
    pthread_mutex_unlock(&push->lock);
}

static void *send_shots(void *context)
{
    struct push *push = context;
    struct courier courier;
    struct shot shot;

    if (!sender_hire(push->sender, &courier)) {
        note_end(push, COURIER_REFUSED);
        return NULL;
    }
    while (take_shot(push, &shot)) {
        enum courier_end end = courier_deliver(&courier, shot.package);
        bool is_barrier = push->is_orderly && shot.package->type == PACKAGE_SNAPSHOT &&
                          !push->sender->options->does_not_watch;
        if (end == COURIER_DONE && is_barrier)
            end = courier_watch(&courier, shot.package, *shot.first_sent_us);
        note_end(push, end);
    }
    sender_dismiss(&courier);
    return NULL;
}

static void send_all(struct push *push)
{
    size_t count = (size_t)push->sender->options->connection_count;
    pthread_t *threads = calloc(count, sizeof(*threads));
    size_t started = 0;

    if (!threads) abort();
    while (started < count && pthread_create(&threads[started], NULL, send_shots, push) == 0)
        started++;
    if (started < count) note_end(push, COURIER_REFUSED);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* --- Afterwards ------------------------------------------------------------------------------- */

static void watch_all(struct push *push)
{
    struct queue *queue = push->sender->queue;
    struct courier courier;

    if (!sender_hire(push->sender, &courier)) {
        note_end(push, COURIER_REFUSED);
        return;
    }
    for (size_t i = 0; i < queue_count(queue); i++) {
        struct package *package = queue_at(queue, i);
        if (package->state != PACKAGE_SENT) continue;
        enum courier_end end = courier_watch(&courier, package, push->first_sent_us[i]);
        note_end(push, end);
        if (end == COURIER_STOPPED || end == COURIER_GAVE_UP) break;
    }
    sender_dismiss(&courier);
}

static void tell_sum(const struct push *push, int64_t took_us)
{
    const struct courier_tally *tally = &push->sender->tally;
    char sum[256];

    snprintf(sum, sizeof(sum),
             "%zu to send: %" PRId64 " accepted, %" PRId64 " duplicate, %" PRId64
             " refused, %" PRId64 " without answer, in %.3f s",
             push->count, tally->accepted, tally->duplicate, tally->refused, tally->unanswered,
             (double)took_us / 1e6);
    tell(&push->sender->teller, &(struct happening){.kind = HAPPENED_SUM, .outcome = sum});
}

static int push_all(struct sender *sender)
{
    struct push push = {.sender = sender};
    int64_t started_us = clock_monotonic_us();

    if (pthread_mutex_init(&push.lock, NULL)) abort();
    plan_shots(&push);
    send_all(&push);
    if (push.count != 1) tell_sum(&push, clock_monotonic_us() - started_us);
    bool may_watch = push.end == COURIER_DONE || (push.end == COURIER_REFUSED && !push.is_orderly);
    if (may_watch && !sender->options->does_not_watch) watch_all(&push);
    pthread_mutex_destroy(&push.lock);
    free(push.shots);
    free(push.first_sent_us);
    return sender_status(push.end);
}

int push_run(const struct options *options, int stop_fd)
{
    struct sender sender;
    int status = 2;

    if (sender_open(&sender, options, stop_fd) && put_packages(&sender)) status = push_all(&sender);
    sender_close(&sender);
    return status;
}
