/* Every sending verb stands on these: what is made, the queue, tokens, couriers. */
#pragma once

#include "courier.h"
#include "maker.h"

struct sender {
    const struct options *options;
    struct maker maker;
    struct teller teller;
    struct queue *queue;
    struct tokens *tokens;
    struct courier_tally tally;
    int stop_fd;
    int64_t give_up_at_ms;
};

/* False: a sentence went to stderr; sender_close is due all the same. */
bool sender_open(struct sender *sender, const struct options *options, int stop_fd);
void sender_close(struct sender *sender);

/* Makes a package and puts it into the queue. False: a sentence went to stderr. */
bool sender_put_snapshot(struct sender *sender, int64_t change_seed, const char *event_id);
bool sender_put_changes(struct sender *sender, int64_t change_seed, int64_t number,
                        const char *event_id);

/* A courier over a connection of its own. False: libcurl does not start. */
bool sender_hire(struct sender *sender, struct courier *ret_courier);
void sender_dismiss(struct courier *courier);

/* The exit status of a program that ended so. */
int sender_status(enum courier_end end);
