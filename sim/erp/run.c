/*
 * The verb `run`: a snapshot at the start, then a package of changes every few seconds and, if it
 * is told so, another snapshot now and then. One connection, in order; what fails is repeated by
 * the courier, and what the service refuses ends the loop.
 */
#include "run.h"

#include "kit/base/clock.h"
#include "sender.h"
#include "sim/common/stop.h"

/* Sends what is in the queue, in order, and sees it applied. */
static enum courier_end settle(struct sender *sender, const struct courier *courier, size_t from)
{
    for (size_t i = from; i < queue_count(sender->queue); i++) {
        struct package *package = queue_at(sender->queue, i);
        int64_t since_us = clock_monotonic_us();
        enum courier_end end = COURIER_DONE;
        if (package->state == PACKAGE_REFUSED || package->state == PACKAGE_APPLIED) continue;
        if (package->state == PACKAGE_QUEUED) end = courier_deliver(courier, package);
        if (end == COURIER_DONE) end = courier_watch(courier, package, since_us);
        if (end != COURIER_DONE) return end;
    }
    return COURIER_DONE;
}

/* This has become of the day so far. */
struct day {
    int64_t change_seed;    /* of the snapshot that was sent last */
    int64_t number;         /* of the next package of changes */
    int64_t snapshot_at_ms; /* when the next one is due (monotonic); 0: never */
};

static bool put_snapshot(struct sender *sender, struct day *day, bool is_first)
{
    int64_t pause_ms = sender->options->snapshot_pause_ms;

    if (!is_first) day->change_seed++;
    day->snapshot_at_ms = pause_ms > 0 ? clock_monotonic_ms() + pause_ms : 0;
    return sender_put_snapshot(sender, day->change_seed, NULL);
}

static bool put_next(struct sender *sender, struct day *day)
{
    if (day->snapshot_at_ms > 0 && clock_monotonic_ms() >= day->snapshot_at_ms)
        return put_snapshot(sender, day, false);
    return sender_put_changes(sender, day->change_seed, day->number++, NULL);
}

static enum courier_end loop(struct sender *sender, const struct courier *courier)
{
    struct day day = {.change_seed = sender->options->change_seed,
                      .number = sender->options->number};
    bool is_put = put_snapshot(sender, &day, true);
    size_t settled = 0;

    while (is_put) {
        enum courier_end end = settle(sender, courier, settled);
        if (end != COURIER_DONE) return end;
        settled = queue_count(sender->queue);
        if (stop_wait(sender->stop_fd, sender->options->pause_ms)) return COURIER_STOPPED;
        is_put = put_next(sender, &day);
    }
    return COURIER_REFUSED;
}

int run_run(const struct options *options, int stop_fd)
{
    struct sender sender;
    struct courier courier;
    int status = 2;

    if (sender_open(&sender, options, stop_fd) && sender_hire(&sender, &courier)) {
        status = sender_status(loop(&sender, &courier));
        sender_dismiss(&courier);
    }
    sender_close(&sender);
    return status;
}
