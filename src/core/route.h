/*
 * Routes are rows of tables. A row says everything about an operation: the dispatcher and the
 * checks follow it, and the OpenAPI document is printed from it. A handler gets the decoded
 * request, calls the domain, and replies; it runs inside the transaction and may run twice.
 */
#pragma once

#include "core/role.h"
#include "kit/base/err.h"
#include "kit/base/macros.h"
#include "kit/json/record.h"

struct request;

enum route_access {
    ACCESS_BY_METHOD,  /* ACCESS_READ of a GET, else ACCESS_WRITE; no row of a list has it */
    ACCESS_NONE,       /* it has no transaction, and is answered on the event thread */
    ACCESS_READ,       /* nothing is written, and all is read as of one moment */
    ACCESS_READ_ROW,   /* one row is read, beside those of the client; each statement may see
                          its own moment */
    ACCESS_WRITE,      /* inside a writing transaction */
    ACCESS_READ_FIRST, /* it begins as a read; a handler that finds that it must write returns
                          ERR_WRITE_NEEDED and is run again in a writing transaction. A route
                          without a taker does so only where all writes go through one thread */
};

/* The store of the transaction. */
enum route_store { STORE_VERIFICATION, STORE_EXCHANGE };

/* The way in which a client is authenticated; app/api/auth.c has a row for each. */
enum route_auth {
    AUTH_INTERNAL_KEY, /* the way of a row that names none */
    AUTH_NONE,
    AUTH_DEVICE_KEY,
    AUTH_PAIRING,          /* a pairing code; the handler checks it */
    AUTH_HTTPSMS_KEY,      /* the key of a phone, where httpSMS carries it */
    AUTH_DEVICE_SIGNATURE, /* the phone of the first {id} has signed the body */
    AUTH_SIGNATURE,        /* the body is signed; route->authenticate tells by whom */
    AUTH_BEARER,           /* an access token with route->scope (RFC 6750), never from the query */
    AUTH_CLIENT,  /* OAuth client authentication, in the body or by Basic; the handler checks it
                     and returns ERR_INVALID_CLIENT (RFC 6749, section 2.3) */
    AUTH_CONSOLE, /* somebody at the console, who need not be logged in */
    AUTH_SESSION, /* an operator who is logged in there */
    AUTH_COUNT
};

enum route_errors {
    ERRORS_PLAIN,   /* the error record of the contract, section 1 */
    ERRORS_OAUTH,   /* RFC 6749, section 5.2 */
    ERRORS_MESSAGE, /* {"message": ...}, as the SMSGate app has it */
};

enum { ROUTE_ERRORS_MAX = 12, ROUTE_HEADERS_MAX = 4, PATH_PARAMS_MAX = 3 };
enum { PATH_TEXT_MAX = 512 }; /* bytes of a {*name}, decoded */

/* A taker that will not take the rest of a body calls `tell`, which ends the request by
 * ERR_OVERLOADED. It does so at most once, on any thread, before `take` has returned false or `end`
 * was called; the call does not block. */
struct body_ending {
    void (*tell)(void *arg);
    void *arg;
};

/* A taker takes a body as it arrives, instead of the body being held and decoded by route->body
 * (which only documents it then). All but `is_clean` run on the event thread of the request. */
struct body_taker {
    size_t body_max;
    /* Makes `ret_taken` for the body of `rq`, whose announced `length` is -1 for none. An error is
     * the answer. */
    enum err (*begin)(struct request *rq, int64_t length, const struct body_ending *ending,
                      void **ret_taken);
    /* Takes bytes. Returns false if the rest will change nothing, and the transaction begins. */
    bool (*take)(void *taken, struct str bytes);
    void (*end)(void *taken);
    /* With ACCESS_READ_FIRST, false sends it through a reading transaction first. */
    bool (*is_clean)(const void *taken);
    /* NULL, or is told before an answer of 4xx to a client that has authenticated. */
    void (*refused)(struct request *rq, enum err err);
    void (*free)(void *taken); /* is called once the request is over; takes NULL */
};

struct route {
    const char *method; /* GET, POST, PATCH; HEAD comes with GET */
    /* In "/internal/v1/otp/{id}/verify" each {x} is a uuid. In "/events/{*event_id}" it is any text
     * of one segment, percent-encoded, 1 to PATH_TEXT_MAX bytes of UTF-8. */
    const char *path;
    const char *operation_id; /* "verifyOtp" */
    const char *tag;
    const char *summary;
    const char *description;
    enum route_auth auth;
    const char *scope; /* its word; every row with AUTH_BEARER has one */
    /* These say who may call it, of every row with AUTH_INTERNAL_KEY (contract, section 10.2). */
    enum role role;     /* the least of the ladder; ROLE_CORE is none, and refused at the start */
    bool is_for_core;   /* a core system may, too */
    bool tells_the_log; /* with LOG_SENSITIVE it wants ROLE_ADMIN */
    bool reveals;       /* its answer has personal fields in full, whoever may call it */
    enum route_access access;
    enum route_store store;
    /* Says which store the request names, where it may name either; NULL: it is always `store`. */
    enum route_store (*choose_store)(const struct request *rq);
    const char *action; /* what a record of the audit says that it did, "device.register"; NULL:
                           daily traffic, which leaves none (contract, section 10.3) */
    bool is_in_turn;    /* writes for the same first {id} lock one row first (db.h, group) */
    enum route_errors error_style;
    const struct record *body;      /* NULL: it takes none. With an internal key or a session, a
                                       body without required members may be left out, as if it
                                       were {} */
    const struct body_taker *taker; /* NULL: the body is held */
    size_t body_max;                /* of a body that is held; 0: the limit of the service */
    const char *media_type;         /* of the body; NULL: application/json */
    const char *body_example; /* a JSON value as text; NULL: made of the examples of its fields */
    int status; /* of a success; 0: 204 for a route without a reply that is no GET, else 200 */
    const char *reply_doc;      /* a sentence about a success */
    const struct record *reply; /* NULL: no body */
    /* Serve the links of the document: the path of the resource that the answer names, and the JSON
     * pointer to its id in the answer ("/id"), which is the last {id} of that path. NULL: none. */
    const char *link_path;
    const char *link_id;
    const char *reply_type;    /* of a success without a record; NULL: application/json */
    bool tells_limits;         /* a success tells what is left of a limit (reply_limit) */
    const char *cache_control; /* of a success; NULL: no-store */
    const char
        *unavailable_doc;    /* says what 503 means, which has the record of a success; or NULL */
    const char *idem_family; /* an Idempotency-Key is required; NULL: it is ignored */
    const struct record *query; /* its parameters; NULL: it has none */
    const struct field
        *headers; /* the headers that the handler reads; ends with a row without a name */
    /* With AUTH_SIGNATURE it runs before the transaction, reads rq->raw_body and rq->headers, and
     * may fill rq->body; ERR_UNAUTHORIZED counts as a failed authentication. `body` only documents
     * then. */
    enum err (*authenticate)(struct request *rq);
    enum err errors[ROUTE_ERRORS_MAX]; /* the errors that the row does not imply; ends with 0 */
    enum err (*handle)(struct request *rq);
    /* Goes on behind `handle`, which only reads, in a transaction that reads in the other store,
     * and replies; rq->gathered is what `handle` has left. NULL: there is one transaction. */
    enum err (*handle_beside)(struct request *rq);
    /* Answers a repeat by Idempotency-Key with the resource rq->resource_id. */
    enum err (*replay)(struct request *rq);
    /* For work that goes on behind the transaction (rq->is_unfinished), it is asked for a second
     * whether that is done, with rq->resource_id as `handle` left it, in transactions that read.
     * Then the answer is 200, which `at_once_doc` documents beside the status of the row. NULL:
     * nothing does. */
    enum err (*recheck)(struct request *rq);
    const char *at_once_doc;
    int recheck_ms; /* it is asked for so long; 0: a second */
    /* The dispatcher answers with a stream, without a transaction, `handle` and `replay`. */
    bool is_stream;
    /* Behind a successful transaction the answer is a stream of hints for the phone
     * (app/api/phone_stream.h). */
    bool opens_phone_stream;
    bool takes_password; /* see struct password_work; the first run reads, the second one writes */
    bool waits;          /* `handle` may set rq->wait_ms, and is called again then */
    size_t fixed_len;    /* of the path before its first parameter; route_list_add sets it */
};

/* Rows that have a store in common. */
struct route_table {
    enum route_store store;
    const struct route *rows;
    size_t count;
};
#define ROUTE_ROWS(array) .rows = (array), .count = COUNT_OF(array)

/* The operations that a process answers: rows of one or more tables. Members that a row leaves to
 * its table, its method or its reply are filled in. */
enum { ROUTES_MAX = 200 };
struct route_list {
    struct route rows[ROUTES_MAX];
    size_t count;
};
void route_list_add(struct route_list *list, const struct route_table *table);

/* The route that a path and a method lead to. */
struct route_match {
    const struct route *route;          /* the row of another method if only the path is known */
    struct uuid ids[PATH_PARAMS_MAX];   /* of the {ids}, in order */
    const char *texts[PATH_PARAMS_MAX]; /* of the {*texts}, decoded, in the arena */
    const char *allow;                  /* other methods of the path, in the arena; or NULL */
};

/* Finds the row for method and path (percent-encoded, without the query). HEAD finds the row of
 * GET. Returns ERR_NOT_FOUND if no row has this path, an id is no uuid, or a text is empty or too
 * long, and ERR_METHOD_NOT_ALLOWED if the path takes other methods; then `ret_match` has a row of
 * the path, for the style of its errors, and `allow`. */
enum err route_match(const struct route_list *routes, struct str method, struct str path,
                     struct arena *arena, struct route_match *ret_match) MUST_CHECK;
