/*
 * One question finds everything (contract, section 18.5): a phone number in any spelling, the id of
 * whatever has one, of a request or of an event, or a part of the name of a phone or a sales point.
 * The stores are asked one behind the other, along their keys and indexes, for a few results of
 * each kind. Names, and ids of requests, have no index; a bounded number of the newest phones and
 * entries is looked at. What a role may not list it does not find.
 */
#pragma once

#include "core/work.h"

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
    FOUND_ACCOUNT, /* of a messenger */
    FOUND_API_KEY,
    FOUND_OPERATOR,
    FOUND_SESSION,
    FOUND_ENDPOINT,
    FOUND_DELIVERY,
    FOUND_SUBJECT_JOB,
    FOUND_PROCESS,
    FOUND_REFUSAL,
    FOUND_PRODUCT,
    FOUND_CLIENT,
    FOUND_SIGNING_KEY,
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
    const char *integration_id; /* of a package, a refusal, a product or a client; NULL */
    const char *owner_id;       /* of an account, a session or a delivery; NULL */
};
struct find_list {
    struct record_list results; /* of struct find_result, kind by kind, in each the newest first */
};
extern const struct record find_query_record; /* for route->query */
extern const struct record find_list_record;

/* Add what the verification store has, and what the exchange store has. */
enum err find_in_verification(struct work *work, const char *q, struct find_list *list) MUST_CHECK;
enum err find_in_exchange(struct work *work, const char *q, struct find_list *list) MUST_CHECK;

extern const struct route_table find_routes;
