/*
 * Behaviours say how calls of herald are to be answered: what the control API told, and what the
 * command line leaves to chance. Not locked; their owner is.
 */
#pragma once

#include "sim/common/answer.h"
#include "sim/common/chance.h"
#include "sim/common/rules.h"

enum { ORDER_TEXT_LEN = UUID_TEXT_LEN };

/* One of these is called. */
enum method { METHOD_ORDER, METHOD_HEALTH, METHOD_REDIRECTED, METHOD_UNKNOWN, METHOD_COUNT };
extern const char *const method_words[METHOD_COUNT + 1]; /* NULL at the end, as of all below */

/* The words of `what`. */
enum behaviour_kind {
    BEHAVIOUR_OK,
    BEHAVIOUR_SLOW,
    BEHAVIOUR_LATE,
    BEHAVIOUR_CUT_BEFORE,
    BEHAVIOUR_CUT_AFTER,
    BEHAVIOUR_CUT_WITHIN,
    BEHAVIOUR_SERVER_ERROR,
    BEHAVIOUR_STATUS,
    BEHAVIOUR_RATE_LIMIT,
    BEHAVIOUR_NO_ORDER_ID,
    BEHAVIOUR_REJECTED,
    BEHAVIOUR_NONSENSE,
    BEHAVIOUR_HUGE,
    BEHAVIOUR_REDIRECT,
    BEHAVIOUR_WRONG_TOKEN,
    BEHAVIOUR_ANSWER,
    BEHAVIOUR_TRICKLE,
    BEHAVIOUR_COUNT
};
extern const char *const behaviour_words[BEHAVIOUR_COUNT + 1];

struct behaviour_row {
    const char *doc;
    bool makes_document;  /* unless it is told otherwise */
    bool is_of_orders;    /* means nothing where health is asked for */
    bool is_misbehaviour; /* chance may draw it */
    int http_status;      /* 0: that of the answer that is due */
    int64_t wait_ms;
};
extern const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT];

struct behaviour {
    enum behaviour_kind kind;
    enum shape shape;
    int64_t wait_ms; /* before the answer; of slow, before anything; of trickle, between bytes */
    int http_status; /* 0: that of the answer that is due */
    bool is_taken;   /* whether an order becomes a document */
    int accepted;    /* what the answer says instead: 0, 1, or -1 for what is so */
    const char *order_id, *retry_after, *body, *headers; /* NULL: not given */
};

/* The behaviour of that name as it is if nothing more is said. */
struct behaviour behaviour_standard(enum behaviour_kind kind);

/* To which calls it applies. */
struct behaviour_scope {
    enum method method;
    const char *order; /* a uuid in lower case; NULL: any */
};

struct behaviours;

/* This is left to chance. */
struct misbehaviour {
    int64_t ppm; /* the share of the calls for orders that behave as some misbehaviour */
    int64_t seed;
    int64_t late_ms;
};

struct behaviours *behaviours_new(const struct misbehaviour *misbehaviour);
void behaviours_free(struct behaviours *behaviours);
void behaviours_clear(struct behaviours *behaviours);
/* The next `count` calls in its scope; below 0: all until behaviours_clear. Copies the texts. False
 * if there are RULES_MAX already. */
bool behaviours_add(struct behaviours *behaviours, const struct behaviour_scope *scope,
                    const struct behaviour *behaviour, int64_t count);
/* That of a call, which uses it up by one; its texts are copied to the arena. Those with a count
 * come first, in the order in which they were given; then the others, the latest first; then
 * chance. */
struct behaviour behaviours_take(struct behaviours *behaviours, const struct behaviour_scope *call,
                                 struct arena *arena);
/* Returns how many calls those with a count still wait for. */
int64_t behaviours_left(const struct behaviours *behaviours);
