/*
 * Workers watch each other: each that holds lanes shows a sign of life, and looks at those of the
 * others. Nobody reads another's clock: a worker is dead when it has shown no new sign for
 * ORDER_DEAD_MS by the clock of the one that looks, which looked all the while. An embedded service
 * has one worker, and nobody to look.
 */
#pragma once

#include "domain/order/order_job.h"
#include "kit/job/job.h"

enum {
    ORDER_PEERS_MAX = 256, /* signs of life that are looked at, one's own among them */
    ORDER_STILL_MS = 4 * ORDER_LOOK_EVERY_MS, /* one that stood still for so long judges none */
};

/* The kind of sign in table lease. */
#define ORDER_LIFE "orders"

/* Another worker, by the signs of life that were seen of it. */
struct order_peer {
    struct life_sign sign;
    int64_t seen_ms; /* monotonic: when this sign was new */
    bool is_buried;  /* in the look at hand */
};
struct order_peers {
    struct order_peer items[ORDER_PEERS_MAX];
    size_t count;
    int64_t looked_ms; /* monotonic: when last; 0: never */
    int64_t shown_ms;  /* likewise: the own sign */
};

/* A transaction, which may run twice, found this. It counts once that is durable. */
struct order_look {
    bool is_showing; /* its sign of life */
    bool is_looking; /* at those of others */
    struct order_peer *peers;
    size_t count;
};

/* Frees what workers held that are dead by what is known of them; `own` is the id of this one. */
enum err order_peers_bury(const struct order_peers *known, struct work *work,
                          const struct uuid *own, struct order_look *look) MUST_CHECK;
/* Shows that this worker, which holds something, lives. */
enum err order_peers_show(const struct order_peers *known, struct work *work,
                          const struct uuid *own, struct order_look *look) MUST_CHECK;
/* Takes over, after the commit, what the transaction found. */
void order_peers_learn(struct order_peers *peers, const struct order_look *look);
