/*
 * Routes as tables: a row says everything about an operation, and the dispatcher, the checks and
 * the OpenAPI document are made from it. A handler gets the decoded request, calls the domain, and
 * replies; it runs inside the transaction and may run twice.
 */
#pragma once

#include "kit/base/err.h"
#include "kit/base/macros.h"
#include "kit/json/record.h"

struct request;

enum route_access {
    ACCESS_BY_METHOD,  /* ACCESS_READ of a GET, else ACCESS_WRITE; no row of a list has it */
    ACCESS_NONE,       /* no transaction: answered on the event thread */
    ACCESS_READ,       /* nothing is written, and all is read as of one moment */
    ACCESS_READ_ROW,   /* the same for one row, beside those of whoever asks: each statement may
                          see its own moment */
    ACCESS_WRITE,      /* inside a writing transaction */
    ACCESS_READ_FIRST, /* as a read; a handler that finds that it must write returns
                          ERR_WRITE_NEEDED and is run again in a writing transaction. Without a
                          taker only where all writes go through one thread */
};

/* Which database the transaction belongs to. */
enum route_store { STORE_VERIFICATION, STORE_EXCHANGE };

/* Who may ask; app/api/auth.c has a row for each. */
enum route_auth {
    AUTH_INTERNAL_KEY, /* of a row that says nothing else */
    AUTH_NONE,
    AUTH_DEVICE_KEY,
    AUTH_SIGNATURE, /* the body is signed: route->authenticate says by whom */
    AUTH_BEARER,    /* an access token with route->scope (RFC 6750), never from the query */
    AUTH_CLIENT,    /* OAuth client authentication, in the body or by Basic: the handler checks it
                       and returns ERR_INVALID_CLIENT (RFC 6749, section 2.3) */
    AUTH_COUNT
};

enum route_errors {
    ERRORS_PLAIN, /* the error record of the contract, section 1 */
    ERRORS_OAUTH, /* RFC 6749, section 5.2 */
};

enum { ROUTE_ERRORS_MAX = 12, ROUTE_HEADERS_MAX = 4, PATH_PARAMS_MAX = 3 };
enum { PATH_TEXT_MAX = 512 }; /* bytes of a {*name}, decoded */

/* How a taker has the request end whose body it will not take any further: answered ERR_OVERLOADED.
 * At most once, on any thread, before it has answered false or was told the end; does not block. */
struct body_ending {
    void (*tell)(void *arg);
    void *arg;
};

/* A body that is taken as it arrives, instead of being held and decoded by route->body (which then
 * only documents it). All but `is_clean` run on the event thread of the request. */
struct body_taker {
    size_t body_max;
    /* Something to take the body of `rq` with; `length` was announced, -1: nothing was. An error is
     * the answer. */
    enum err (*begin)(struct request *rq, int64_t length, const struct body_ending *ending,
                      void **ret_taken);
    /* False: the rest will change nothing, and the transaction begins. */
    bool (*take)(void *taken, struct str bytes);
    void (*end)(void *taken);
    /* ACCESS_READ_FIRST: false sends it through a reading transaction first. */
    bool (*is_clean)(const void *taken);
    void (*free)(void *taken); /* once the request is over; NULL is fine */
};

struct route {
    const char *method; /* GET, POST, PATCH; HEAD comes with GET */
    /* "/internal/v1/otp/{id}/verify": each {x} is a uuid. "/events/{*event_id}": any text of one
     * segment, percent-encoded, 1 to PATH_TEXT_MAX bytes of UTF-8. */
    const char *path;
    const char *operation_id; /* "verifyOtp" */
    const char *tag;
    const char *summary;
    const char *description;
    enum route_auth auth;
    const char *scope; /* AUTH_BEARER: the word of it; every such row has one */
    enum route_access access;
    enum route_store store;
    bool is_in_turn; /* writes for the same first {id} lock one row first (db.h, group) */
    enum route_errors error_style;
    const struct record *body;      /* NULL: takes none; with AUTH_INTERNAL_KEY, one of which
                                       nothing is required may be left out together with its
                                       Content-Type, as if it were {} */
    const struct body_taker *taker; /* NULL: the body is held */
    size_t body_max;          /* of a body that is held; 0: what the service takes in general */
    const char *media_type;   /* of the body; NULL: application/json */
    const char *body_example; /* a JSON value as text; NULL: made of its fields' */
    int status; /* of a success; 0: 200, or 204 of what neither is a GET nor has a reply */
    const char *reply_doc;      /* what a success means, in a sentence */
    const struct record *reply; /* NULL: no body */
    /* For the links of the document: the path of the resource that the answer names, and the JSON
     * pointer of its id there ("/id"), which is the last {id} of that path. NULL: none. */
    const char *link_path;
    const char *link_id;
    const char *cache_control;   /* of a success; NULL: no-store */
    const char *unavailable_doc; /* answers 503 with its own record, which means this; or NULL */
    const char *idem_family;     /* an Idempotency-Key is required; NULL: none is looked at */
    const struct record *query;  /* its parameters; NULL: it has none */
    const struct field *headers; /* that the handler reads; ends with a row without a name */
    /* AUTH_SIGNATURE: runs before the transaction, reads rq->raw_body and rq->headers, and may fill
     * rq->body; ERR_UNAUTHORIZED counts as a failed authentication. `body` then only documents. */
    enum err (*authenticate)(struct request *rq);
    enum err errors[ROUTE_ERRORS_MAX]; /* beside those that the row itself implies; ends with 0 */
    enum err (*handle)(struct request *rq);
    /* A repeat by Idempotency-Key: as `handle`, but answers with resource rq->resource_id. */
    enum err (*replay)(struct request *rq);
    /* In place of `handle` and `replay`, without a transaction: the dispatcher answers with a
     * stream. */
    bool is_stream;
    size_t fixed_len; /* of the path before its first parameter; route_list_add sets it */
};

/* Rows, and what they have in common. */
struct route_table {
    enum route_store store;
    const struct route *rows;
    size_t count;
};
#define ROUTE_ROWS(array) .rows = (array), .count = COUNT_OF(array)

/* The operations that a process answers: rows of one or more tables, with all that they leave to
 * their table, their method and their reply. */
enum { ROUTES_MAX = 160 };
struct route_list {
    struct route rows[ROUTES_MAX];
    size_t count;
};
void route_list_add(struct route_list *list, const struct route_table *table);

/* What a path and a method lead to. */
struct route_match {
    const struct route *route;          /* another method's row where only the path is known */
    struct uuid ids[PATH_PARAMS_MAX];   /* of the {ids}, in order */
    const char *texts[PATH_PARAMS_MAX]; /* of the {*texts}, decoded, in the arena */
    const char *allow;                  /* other methods of the path, in the arena; or NULL */
};

/* The row for method and path (percent-encoded, without the query). HEAD finds the row of GET.
 * ERR_NOT_FOUND: no row has this path, an id is no uuid, or a text is none (PATH_TEXT_MAX).
 * ERR_METHOD_NOT_ALLOWED: the path takes other methods; `ret_match` then has a row of the path,
 * for the style of its errors, and `allow`. */
enum err route_match(const struct route_list *routes, struct str method, struct str path,
                     struct arena *arena, struct route_match *ret_match) MUST_CHECK;
