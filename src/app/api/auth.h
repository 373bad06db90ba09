/*
 * There are several ways to authenticate a client, and a row says about each what it checks, what
 * it lets a client leave out, and how it refuses: the dispatcher lets requests in by it, and the
 * OpenAPI document shows it. Other files ask which way a route has only where that decides about
 * something else: who has shown a right key (dispatch.c), who is told of a refusal
 * (dispatch_answer.c), which routes a console has (console.c), and what the document adds to rows
 * of internal keys (openapi_operation.c).
 */
#pragma once

#include "core/route.h"

struct dispatch;

enum { AUTH_ERRORS_MAX = 8, AUTH_SCHEMES_MAX = 2 };

/* A security scheme of the document. */
struct auth_scheme {
    const char *name; /* "DeviceKey"; "": the head needs nothing */
    const char *json; /* NULL: the document makes it, or there is none */
};

struct auth_way {
    /* Checks the head, without a database. ERR_OK: the body may come, but not while
     * ex->waits_for_keys is set. NULL: every client may ask. */
    enum err (*check)(struct dispatch *ex);
    /* Checks again when the body is whole, since a right may have ended since the head came
     * (contract, section 4). NULL: it cannot end. */
    enum err (*check_again)(struct dispatch *ex);
    /* Looks the key up at the beginning of the transaction, so that a wrong key is answered before
     * any fault of the body. NULL: nothing has to be looked up. */
    enum err (*look_up)(struct dispatch *ex);
    bool takes_turns;         /* only the database knows the key or secret, see throttle.h */
    const char *challenge;    /* WWW-Authenticate (RFC 9110, section 11.6.1); NULL: there is none */
    const char *unauthorized; /* the sentence of 401, which names what is wanted and where */
    bool takes_bearer;        /* a key or token may come as Authorization: Bearer */
    const char *(*make_challenge)(struct dispatch *ex, enum err err); /* NULL: `challenge` */

    bool is_body_strict;  /* an unknown property of a body is a fault (contract, section 1) */
    bool is_query_strict; /* an unknown query parameter is a fault (contract, section 1) */
    bool may_omit_body;   /* a body without required members */
    bool may_omit_type;   /* a body without a Content-Type is read as JSON */
    bool has_raw_body;    /* the handler, or route->authenticate, reads the body as it came */

    /* The errors of its operations; both lists end with 0. Every operation of doc A with a key
     * declares the second ones, too (doc A, section 4, common rule 2). */
    enum err errors[AUTH_ERRORS_MAX];
    enum err errors_of_verification[AUTH_ERRORS_MAX];
    struct auth_scheme schemes[AUTH_SCHEMES_MAX]; /* any of them serves; the list ends with one
                                                     without a name, or at the maximum */
};

extern const struct auth_way auth_ways[AUTH_COUNT];

static inline const struct auth_way *auth_of(const struct route *route)
{
    return &auth_ways[route->auth];
}

/* Returns the sentence of a 401. */
const char *auth_unauthorized(const struct dispatch *ex);

/* Tells whether the body of the route may be left out, as if it were {}. */
bool auth_may_omit_body(const struct route *route);

/* Authenticates the client and calls `then` with the outcome. That is before it returns; or, where
 * keys of tokens are fetched first, later on the loop of the request, whose body waits meanwhile.
 */
void auth_check(struct dispatch *ex, void (*then)(struct dispatch *ex, enum err err));
/* Says who asks for an operation that is none, as far as the process has the keys: a refusal is in
 * the log (contract, section 2, rule 12). It lets nobody in. Returns true if ex->key may be the key
 * of a phone, about which the database is to be asked. */
bool auth_know(struct dispatch *ex);
/* Asks it, within a transaction: ERR_UNAUTHORIZED if there is no such phone. */
enum err auth_know_phone(struct dispatch *ex) MUST_CHECK;
