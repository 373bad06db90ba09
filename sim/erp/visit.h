/* A request to the ERP, from its head to its answer. */
#pragma once

#include "sim.h"

enum { ANSWER_HEADERS_MAX = 32 };

/* What becomes of an answer. */
enum ending { ENDING_ANSWER, ENDING_CUT, ENDING_CUT_WITHIN, ENDING_TRICKLE };

struct answer {
    int status;
    const char *content_type;
    struct http_header headers[ANSWER_HEADERS_MAX];
    size_t header_count;
    struct buf body;
};

struct visit {
    struct sim *sim;
    struct http_exchange *x;
    struct arena arena;
    struct buf body;
    enum method method;
    const char *key;   /* Idempotency-Key as it came; "": none */
    const char *order; /* the same as a uuid in lower case; NULL: it is none */
    struct behaviour behaviour;
    uint64_t generation, number; /* of its record */
    bool is_counted;             /* in flight */
    bool is_settled;             /* its answer stands */
    bool had_effect;             /* it made a document */
    struct answer answer;
    enum ending ending;
    size_t trickled;         /* bytes that have left */
    struct visit *next_held; /* while it waits */
    struct visit **held_link;
};

/* answers.c: under the lock. Does what is asked, unless the behaviour is against it, and writes the
 * answer and its ending. */
void visit_settle(struct visit *visit);
/* Fills the answer with an error as the exchange writes them. */
void visit_refuse(struct visit *visit, int status, const char *code, const char *message);

/* What is called at that path. */
enum method visit_method(const struct sim *sim, struct str path);

/* call_record.c: under the lock. */

/* Puts the call into the ledger, with no answer as yet. */
void visit_record(struct visit *visit);
/* Adds how it ended. `is_answered` false: the caller left before, or was cut. */
void visit_record_end(struct visit *visit, bool is_answered);
