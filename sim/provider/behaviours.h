/* Behaviours say how the next calls are to behave, as the control API has told. Not locked; their
 * owner is. */
#pragma once

#include "fault.h"
#include "sends.h"
#include "sim/common/answer.h"
#include "sim/common/rules.h"

struct provider;

/* The words of `what`; any other word is the name of a provider's fault. */
enum behaviour_kind {
    BEHAVIOUR_OK,
    BEHAVIOUR_SLOW,
    BEHAVIOUR_CUT_BEFORE, /* the connection is cut before the request is taken */
    BEHAVIOUR_CUT_AFTER,  /* taken, then cut without an answer */
    BEHAVIOUR_CUT_WITHIN, /* taken, then cut in the middle of the answer */
    BEHAVIOUR_SERVER_ERROR,
    BEHAVIOUR_NONSENSE,
    BEHAVIOUR_RATE_LIMIT,
    BEHAVIOUR_WRONG_CREDENTIALS,
    BEHAVIOUR_NO_BALANCE,
    BEHAVIOUR_UNREACHABLE,
    BEHAVIOUR_PENDING, /* from here on: the status of what is sent */
    BEHAVIOUR_DELIVERED,
    BEHAVIOUR_READ,
    BEHAVIOUR_UNDELIVERED,
    BEHAVIOUR_SILENT,
    BEHAVIOUR_FAULT, /* not a word: `fault` says which */
    BEHAVIOUR_COUNT
};
extern const char *const behaviour_words[BEHAVIOUR_COUNT + 1]; /* NULL at the end */

struct behaviour_row {
    const char *doc;
    bool is_refusal;            /* nothing is done, unless it is told otherwise */
    enum fault_kind fault_kind; /* of the provider's own fault that is answered */
    bool has_status;            /* what is sent gets a status by it: */
    enum send_status status;
};
extern const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT];

struct behaviour {
    enum behaviour_kind kind;
    const struct fault *fault; /* of BEHAVIOUR_FAULT */
    int64_t wait_ms;           /* before the answer, or the cut after it was taken */
    int64_t retry_after_s;
    int http_status; /* 0: as the provider has it */
    enum shape shape;
    bool is_taken; /* whether the provider does what was asked, where it answers with an error */
};

/* To which calls it applies; NULL or "" is any. */
struct behaviour_scope {
    const struct provider *provider;
    const char *method; /* a name of the provider's table */
    char recipient[SEND_TEXT_MAX + 1];
};

/* Returns whether a scope holds a call. */
bool behaviour_scope_holds(const struct behaviour_scope *scope, const struct behaviour_scope *call);

/* For the next `count` calls in its scope; below 0: for all. False if there are RULES_MAX already.
 */
bool behaviours_add(struct rules *rules, const struct behaviour_scope *scope,
                    const struct behaviour *behaviour, int64_t count);
/* That of a call, which uses it up by one; BEHAVIOUR_OK where there is none. */
struct behaviour behaviours_take(struct rules *rules, const struct behaviour_scope *call);
/* The same for a call of which only the head is known: true, and used up, if it is to be cut. */
bool behaviours_take_cut_before(struct rules *rules, const struct behaviour_scope *call);
