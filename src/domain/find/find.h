/*
 * One question finds everything (contract, section 18.5): a phone number in any spelling, an id,
 * the id of a request or of an event, or a part of the name of a phone or a sales point. Each store
 * is asked for what it holds, along its indexes, for a few results of each kind.
 */
#pragma once

#include "core/request.h"

enum {
    FIND_QUERY_MAX = 200,
    FIND_OF_KIND_MAX = 5, /* results of a kind */
    FIND_RESULTS_MAX = 60,
};

enum find_type {
    FOUND_OTP,
    FOUND_CHALLENGE,
    FOUND_MESSAGE,
    FOUND_DEVICE,
    FOUND_EVENT,
    FOUND_LOG, /* what the log has of a request */
    FOUND_INTEGRATION,
    FOUND_PACKAGE,
    FOUND_ORDER,
    FOUND_TYPE_COUNT
};
extern const char *const find_type_words[]; /* ends with NULL */

struct find_query {
    const char *q;
};

struct find_result {
    int type;                   /* enum find_type */
    const char *id;             /* by which its own operations know it */
    const char *title;          /* a number is masked as the role has it */
    const char *state;          /* in the word of its own record; NULL: it has none */
    int64_t at;                 /* when it was created, or last seen; 0: not known */
    const char *integration_id; /* of a package; NULL */
};
struct find_list {
    struct record_list results; /* of struct find_result, kind by kind, in each the newest first */
};
extern const struct record find_query_record; /* for route->query */
extern const struct record find_list_record;

/* Looks in the verification store, and in the exchange store. */
enum err find_in_verification(struct work *work, const char *q,
                              struct find_list *ret_list) MUST_CHECK;
enum err find_in_exchange(struct work *work, const char *q, struct find_list *ret_list) MUST_CHECK;

enum err find_http_verification(struct request *rq) MUST_CHECK;
enum err find_http_exchange(struct request *rq) MUST_CHECK;
