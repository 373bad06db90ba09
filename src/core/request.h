/* A request on its way through a handler holds its input and its answer. */
#pragma once

#include "core/rate_limit.h"
#include "core/route.h"
#include "core/work.h"
#include "kit/base/password.h"

enum { ERROR_MEMBERS_MAX = 4 };

/* A password is hashed between two runs of the handler (route->takes_password): no transaction is
 * open meanwhile, and no event thread waits. */
struct password_work {
    struct str password;          /* of the body; the first run sets it: a hash is wanted */
    bool is_to_match;             /* it is compared with `hash`; else it is hashed into `hash` */
    bool goes_first;              /* before those of strangers */
    bool is_done;                 /* that was done before this run, and: */
    bool is_right;                /* it matches; or there was memory to hash it */
    bool is_counted;              /* for the handler's own use */
    char hash[PASSWORD_HASH_LEN]; /* lives on between the runs */
};

/* A member of an error beside its code. */
struct error_member {
    const char *name;
    const char *text; /* or, if it is NULL: */
    int64_t number;
};

struct request {
    struct work work; /* transaction, arena, clock, service, notes */
    const struct route *route;
    struct uuid path_ids[PATH_PARAMS_MAX];   /* the {ids} of the path, in order */
    const char *path_texts[PATH_PARAMS_MAX]; /* its {*texts}, in order among themselves */
    const void *query;                       /* route->query's struct, decoded and valid */
    struct str headers[ROUTE_HEADERS_MAX];   /* in the order of route->headers; data NULL: absent */
    struct str raw_body; /* the body as it came; one that may be left out and is, is {} */
    void *body;          /* route->body's struct, decoded and valid */
    void *taken;         /* the struct of route->taker */
    struct uuid
        resource_id; /* the id of what this request creates; for `replay` that of the original */
    /* The client: struct device for phones, struct token_claims for AUTH_BEARER. */
    const void *principal;
    struct password_work *password; /* of route->takes_password; else NULL */
    void *gathered;                 /* what `handle` leaves to route->handle_beside, in the arena */

    /* The answer. */
    enum err error; /* a refusal whose transaction is kept, see reply_refusal */
    int status;
    struct buf reply;
    struct str document; /* replaces `reply` unless empty; its bytes stay until the service ends */
    const char *reply_type;    /* of `reply`, where it is no JSON; or NULL */
    const char *session_token; /* goes into the cookie of the console; "" ends it; NULL: neither */
    bool is_replayed;
    bool may_wait;                /* `handle` may set the next; else it was waited long enough */
    int64_t wait_ms;              /* nothing was found yet: the request may run again for so long */
    bool is_unfinished;           /* route->recheck tells within a second whether it is done */
    int64_t retry_after_s;        /* 0: none */
    struct record_faults *faults; /* of ERR_VALIDATION */
    const char *detail;   /* of ERR_VALIDATION: the whole body of the answer, as JSON; or NULL */
    const char *sentence; /* replaces the error's own sentence; or NULL */
    struct error_member members[ERROR_MEMBERS_MAX]; /* further members of the error object */
    size_t member_count;
    struct rate_limit limits[RATE_LIMITS_MAX]; /* that the answer tells of */
    size_t limit_count;
};

/* Prepares the request for a run, and forgets the answer of an earlier one. */
void request_restart(struct request *rq, struct db_tx *tx);

/* Answer with the success of the route: its status with `value` as route->reply, or without a body.
 */
void reply_record(struct request *rq, const void *value);
void reply_empty(struct request *rq);
/* Do so if `err` is none, and return it: the last line of most handlers. */
enum err reply_with(struct request *rq, enum err err, const void *value) MUST_CHECK;
enum err reply_done(struct request *rq, enum err err) MUST_CHECK;
/* Answers with a page of a list if `err` is none; ERR_VALIDATION is that of its cursor
 * (core/page.h). */
enum err reply_page(struct request *rq, enum err err, const void *page) MUST_CHECK;
/* Ask for a password to be compared with a hash, or to be hashed, before the handler runs again. A
 * handler may ask for both, one after the other. */
void request_check_password(struct request *rq, struct str password, const char *hash,
                            bool goes_first);
void request_make_password(struct request *rq, struct str password);

/* Refuses, but keeps the transaction (a wrong code counts an attempt); the handler returns ERR_OK
 * then. To refuse and roll back, return the error instead. */
void reply_refusal(struct request *rq, enum err err);

/* Tells in the headers of the answer how much of a limit is left (contract, section 1, "Limits in
 * headers"); nothing for one without a name. */
void reply_limit(struct request *rq, const struct rate_limit *limit);

/* Add details to an error, whether it is kept or returned. The header Retry-After has the wait,
 * rounded up to whole seconds, and error.retry_at its end (contract, section 1). There are at most
 * ERROR_MEMBERS_MAX members; a name that is put twice keeps the last value. */
void error_retry_after(struct request *rq, int64_t wait_ms);
void error_put_text(struct request *rq, const char *name, const char *value);
void error_put_uuid(struct request *rq, const char *name, const struct uuid *id);
void error_put_number(struct request *rq, const char *name, int64_t value);
/* Replaces the error's own sentence by one about a header. It shows the first visible ASCII
 * characters of the value, as in "Content-Type is "text/plain".", or that it is missing (data
 * NULL); then comes `advice`. */
void error_tell_header(struct request *rq, const char *name, struct str value, const char *advice);
/* Add a fault that the tables cannot express; error_fault also returns ERR_VALIDATION. */
void error_add_fault(struct request *rq, const char *path, const char *message);
enum err error_fault(struct request *rq, const char *path, const char *message) MUST_CHECK;

/* Writes the body of an error (contract, section 1; for OAuth RFC 6749, section 5.2) in the style
 * of the route, or plainly for a request without one. `rq` may be NULL; then there are no details.
 * In the style of OAuth a text put as "error_description" replaces the error's sentence; it has
 * visible ASCII without quotes and backslashes. */
void error_encode(enum err err, struct str request_id, const struct request *rq, struct buf *out);
