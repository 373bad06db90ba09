/* A request to the ERP, from its head to its answer. */
#pragma once

#include "sim.h"

/* The user of its exchange. */
struct call {
    struct sim *sim;
    struct http_request *x;
    struct arena arena;
    struct buf body;
    enum method method;
    const char *key;   /* Idempotency-Key as it came; "": none */
    const char *order; /* the same as a uuid in lower case; NULL: it is none */
    struct behaviour behaviour;
    uint64_t generation, number; /* of its record */
    bool is_counted;             /* in flight */
    bool has_answer;             /* its answer stands */
    bool had_effect;             /* it made a document */
    struct answer answer;
    enum ending ending;
    size_t trickled;        /* bytes that have left */
    struct call *next_held; /* while it waits */
    struct call **held_link;
};

/* answers.c: under the lock. Does what is asked, unless the behaviour is against it, and writes the
 * answer and its ending. */
void call_answer(struct call *call);
/* Fills the answer with an error as the exchange writes them. */
void call_refuse(struct call *call, int status, const char *code, const char *message);

/* Returns what is called at that path. */
enum method call_method(const struct sim *sim, struct str path);

/* call_record.c: under the lock. */

/* Puts the call into the ledger, with no answer as yet. */
void call_write_record(struct call *call);
/* Adds how it ended. `is_answered` false: the caller left before, or was cut. */
void call_end_record(struct call *call, bool is_answered);
