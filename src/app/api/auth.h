/*
 * The ways in which it is known who asks. A row says everything about one: the dispatcher lets
 * requests in by it, and the OpenAPI document tells it. No other file asks which way a route has.
 */
#pragma once

#include "core/route.h"

struct dispatch;

enum { AUTH_ERRORS_MAX = 8, AUTH_SCHEMES_MAX = 2 };

/* A security scheme of the document. */
struct auth_scheme {
    const char *name; /* "DeviceKey"; "": nothing has to be in the head */
    const char *json; /* NULL: the document makes it, or there is none */
};

struct auth_way {
    /* What the head tells, without a database. ERR_OK: the body may come, but not yet where
     * ex->waits_for_keys is set. NULL: everybody may ask. */
    enum err (*check)(struct dispatch *ex);
    /* When the body is whole: what was good at the head may have ended (contract, section 9.2).
     * NULL: it cannot. */
    enum err (*check_again)(struct dispatch *ex);
    /* In the transaction, before anything else. A wrong key is then told before any fault of the
     * body. NULL: nothing is left to ask. */
    enum err (*look_up)(struct dispatch *ex);
    bool takes_turns;      /* only the database knows the key, or the secret: see throttle.h */
    const char *challenge; /* what is wanted instead (RFC 9110, 11.6.1); NULL: nothing is said */
    const char *(*make_challenge)(struct dispatch *ex, enum err err); /* NULL: `challenge` */

    bool is_body_strict;  /* an unknown property of a body is a fault (contract, section 1) */
    bool is_query_strict; /* an unknown query parameter is one (contract, section 9.10) */
    bool may_omit_body;   /* one of which nothing is required, together with its Content-Type */
    bool may_omit_type;   /* a body without a Content-Type is taken for JSON */
    bool has_raw_body;    /* the handler, or route->authenticate, reads it as it came */

    /* What its operations may answer; both end with 0. Doc A, section 4, common rule 2: every
     * operation of it with a key declares the second ones, too. */
    enum err errors[AUTH_ERRORS_MAX];
    enum err errors_of_verification[AUTH_ERRORS_MAX];
    struct auth_scheme schemes[AUTH_SCHEMES_MAX]; /* any of them serves; ends with one without a
                                                     name, or at the maximum */
};

extern const struct auth_way auth_ways[AUTH_COUNT];

static inline const struct auth_way *auth_of(const struct route *route)
{
    return &auth_ways[route->auth];
}

/* Whether the body of the route may be left out, as if it were {}. */
bool auth_may_omit_body(const struct route *route);

/* Lets the request in: `then` is called with what came of it, before this returns or, where keys of
 * tokens are fetched first, later on the loop of the request, whose body waits meanwhile. */
void auth_check(struct dispatch *ex, void (*then)(struct dispatch *ex, enum err err));
