/*
 * What the control API has told: how the next calls are to behave, and what becomes of messages
 * and calls. Not locked; its owner is.
 */
#pragma once

#include "sends.h"

enum { ORDERS_MAX = 256, OUTCOMES_MAX = 1000, WAIT_MS_MAX = 600 * 1000 };

struct fault;
struct provider;
struct method;

/* The words of `what`; any other word is the name of a provider's fault. */
enum deed {
    DEED_OK,
    DEED_SLOW,
    DEED_CUT_BEFORE, /* the connection is cut before the request is taken */
    DEED_CUT_AFTER,  /* taken, then cut without an answer */
    DEED_CUT_WITHIN, /* taken, then cut in the middle of the answer */
    DEED_SERVER_ERROR,
    DEED_NONSENSE,
    DEED_RATE_LIMIT,
    DEED_WRONG_CREDENTIALS,
    DEED_NO_BALANCE,
    DEED_UNREACHABLE,
    DEED_PENDING, /* from here on: the fate of what is sent */
    DEED_DELIVERED,
    DEED_READ,
    DEED_UNDELIVERED,
    DEED_SILENT,
    DEED_FAULT, /* not a word: `fault` of the order says which */
    DEED_COUNT
};
extern const char *const deed_words[DEED_COUNT + 1]; /* NULL at the end */
extern const char *const deed_docs[DEED_COUNT];

/* What "nonsense" looks like. */
enum shape { SHAPE_HTML, SHAPE_TRUNCATED, SHAPE_HUGE, SHAPE_EMPTY, SHAPE_OTHER_JSON, SHAPE_COUNT };
extern const char *const shape_words[SHAPE_COUNT + 1];

struct order {
    enum deed deed;
    const struct fault *fault; /* DEED_FAULT */
    int64_t wait_ms;           /* before the answer, or the cut after it was taken */
    int64_t retry_after_s;
    int http_status; /* 0: as the provider has it */
    enum shape shape;
    bool is_taken; /* whether the provider does what was asked, where it answers with an error */
};

/* To which calls it applies; NULL or "" is any. */
struct order_scope {
    const struct provider *provider;
    const char *method; /* a name of the provider's table */
    char recipient[SEND_TEXT_MAX + 1];
};

struct orders;

struct orders *orders_new(void);
void orders_free(struct orders *orders);
void orders_clear(struct orders *orders);
/* The next `count` calls in its scope; below 0: all until orders_clear. False if there are
 * ORDERS_MAX already. */
bool orders_add(struct orders *orders, const struct order_scope *scope, const struct order *order,
                int64_t count);
/* The order for a call, which uses it up by one; DEED_OK where there is none. Those with a count
 * come first, in the order in which they were given; then the others, the latest first. */
struct order orders_take(struct orders *orders, const struct order_scope *call);
/* The same for a call of which only the head is known: true, and used up, if it is to be cut. */
bool orders_take_cut_before(struct orders *orders, const struct order_scope *call);
/* How many calls the counted orders still wait for. */
int64_t orders_left(const struct orders *orders);

/* Destinies, by provider and recipient. */
struct outcomes;

struct outcomes *outcomes_new(struct destiny fallback);
void outcomes_free(struct outcomes *outcomes);
void outcomes_clear(struct outcomes *outcomes);
bool outcomes_set(struct outcomes *outcomes, const struct order_scope *scope,
                  struct destiny destiny);
struct destiny outcomes_find(const struct outcomes *outcomes, const struct provider *provider,
                             const char *recipient);
