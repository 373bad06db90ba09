/* The queue algorithm of an ERP (doc B, section 6): deliver, wait, repeat; then watch. */
#pragma once

#include "link.h"

#include <stdatomic.h>

enum courier_end {
    COURIER_DONE,    /* delivered; applied */
    COURIER_REFUSED, /* a diagnostic was told */
    COURIER_STOPPED, /* by a signal */
    COURIER_GAVE_UP, /* --give-up-s */
};

/* It counts how many sends had which answer; any thread. */
struct courier_tally {
    _Atomic int64_t accepted, duplicate, refused, unanswered;
};

struct courier {
    const struct options *options;
    struct link *link;
    struct queue *queue;
    const struct teller *teller;
    struct courier_tally *tally;
    int stop_fd;
    int64_t give_up_at_ms; /* monotonic; 0: never */
};

/* Sends until the service has it. */
enum courier_end courier_deliver(const struct courier *courier, struct package *package);
/* Asks until it is applied; then it leaves the queue. `since_us`: when it was first sent
 * (monotonic); 0: before this program started. */
enum courier_end courier_watch(const struct courier *courier, struct package *package,
                               int64_t since_us);
