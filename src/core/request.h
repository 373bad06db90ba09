/* A request on its way through a handler: what was asked, and what is to be answered. */
#pragma once

#include "core/route.h"
#include "core/work.h"

enum { ERROR_MEMBERS_MAX = 4 };

/* What an error says beside its code. */
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
    struct str headers[ROUTE_HEADERS_MAX];   /* in the order of route->headers; NULL data: none */
    struct str raw_body;                     /* AUTH_SIGNATURE, AUTH_CLIENT: as it came */
    void *body;                              /* route->body's struct, decoded and valid */
    void *taken;                             /* of route->taker */
    struct uuid resource_id; /* of what this request creates; for `replay` of the original */
    /* Who asks: struct device for AUTH_DEVICE_KEY, struct token_claims for AUTH_BEARER. */
    const void *principal;

    /* The answer. */
    enum err error; /* of a refusal that is kept; see reply_refusal */
    int status;
    struct buf reply;
    struct str document; /* in place of `reply`: bytes that stay until the service ends; or empty */
    bool is_replayed;
    int64_t retry_after_s;        /* 0: none */
    struct record_faults *faults; /* of ERR_VALIDATION */
    const char *detail;           /* of ERR_VALIDATION: the body of the answer, as JSON; or NULL */
    const char *sentence;         /* of an error, in place of its own; or NULL */
    struct error_member members[ERROR_MEMBERS_MAX]; /* more of the error object */
    size_t member_count;
};

/* Makes the request fit to run (again): the answer of an earlier run is forgotten. */
void request_restart(struct request *rq, struct db_tx *tx);

/* The success of the route: its status with `value` as route->reply, or without a body. */
void reply_record(struct request *rq, const void *value);
void reply_empty(struct request *rq);
/* The success of a list, where `err` is none; ERR_VALIDATION is that of its cursor (core/page.h).
 */
enum err reply_page(struct request *rq, enum err err, const void *page) MUST_CHECK;
/* A refusal whose transaction is kept (a wrong code counts an attempt): the handler then returns
 * ERR_OK. To refuse and roll back, return the error instead. */
void reply_refusal(struct request *rq, enum err err);

/* Details of an error, whether kept or returned. The wait is rounded up to whole seconds; with
 * `error_retry_at` error.retry_at tells its end, too (contract, section 9.13). At most
 * ERROR_MEMBERS_MAX members; a name that is put twice keeps the last value. */
void error_retry_after(struct request *rq, int64_t wait_ms);
void error_retry_at(struct request *rq, int64_t wait_ms);
void error_put_text(struct request *rq, const char *name, const char *value);
void error_put_uuid(struct request *rq, const char *name, const struct uuid *id);
void error_put_number(struct request *rq, const char *name, int64_t value);
/* What happened here, in place of the error's own sentence. What came is told by its first visible
 * ASCII characters: "Content-Type is "text/plain"." and then `advice`; NULL data: it is missing. */
void error_tell_header(struct request *rq, const char *name, struct str value, const char *advice);
/* A fault that the tables cannot express, among others; error_fault is the same and returns
 * ERR_VALIDATION. */
void error_add_fault(struct request *rq, const char *path, const char *message);
enum err error_fault(struct request *rq, const char *path, const char *message) MUST_CHECK;

/* The body of an error (contract, section 1; of OAuth: RFC 6749, section 5.2), in the style of the
 * route (of a request without one: plain). `rq` may be NULL: then without details. In the style of
 * OAuth a text put as "error_description" stands instead of the error's sentence; it has visible
 * ASCII without quotes and backslashes. */
void error_encode(enum err err, struct str request_id, const struct request *rq, struct buf *out);
