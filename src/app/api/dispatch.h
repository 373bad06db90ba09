/* One request on its way through the dispatcher: app/api/dispatch*.c and auth.c only. */
#pragma once

#include "app/api/api.h"
#include "app/api/refresh.h"
#include "app/api/throttle.h"
#include "core/request.h"
#include "domain/event_log/event_log.h"
#include "domain/fleet/fleet.h"
#include "domain/token/token.h"
#include "kit/http/server.h"
#include "kit/idem/idem.h"

enum {
    REQUEST_ID_MAX = 128,
    BODY_MAX = 64 * 1024,
};

struct dispatch {
    struct api *api;
    struct http_request *x; /* NULL: it is over, and only end_body is yet to come */
    struct arena arena;
    struct arena_mark mark; /* where a second run begins */
    struct request rq;
    struct token_claims *claims; /* rq.principal of AUTH_BEARER; in the arena */
    struct refresh_waiter key_waiter;
    /* Called once authentication is decided (auth_check). */
    void (*then)(struct dispatch *ex, enum err err);
    bool has_token;           /* one was sent, good or not */
    bool is_key_unknown;      /* it names a key that herald does not have */
    const char *token_fault;  /* why it is refused, in a word for the log; of one that was found
                                 good: why it would be from here on */
    const char *token_client; /* whom it names under a good signature; NULL: nobody */
    bool waits_for_keys;      /* of a token with an unknown one: the body is not read meanwhile */
    struct idem_key idem;
    struct buf body;
    bool is_taking;   /* the body goes to the taker of the route */
    bool is_end_told; /* the taker asked to end the request (struct body_ending); its loop will do
                         so */
    struct log_reader *reader;    /* of a log stream, else NULL */
    struct str key;               /* the key that was sent */
    enum err decode_err;          /* a fault that is told once the phone's key was found good */
    enum err err;                 /* how the transaction ended */
    struct record_faults *faults; /* of the decoding; a run begins with them */
    const char *allow;            /* in the arena; NULL unless ERR_METHOD_NOT_ALLOWED */
    bool is_answered;
    char request_id[REQUEST_ID_MAX + 1];
    struct in6_addr address;   /* the caller's, as far as proxies can be trusted */
    struct throttle_turn turn; /* to look up a key */
    bool has_turn;             /* waits for it, or has it */
};

/* What the head says beside who asks: the request's id, its caller's address, its route. */
enum err dispatch_check_head(struct dispatch *ex) MUST_CHECK;
/* Once who asks was let in: media type, and the size of a body that is held. */
enum err dispatch_check_content(struct dispatch *ex) MUST_CHECK;
/* Query, Idempotency-Key and body, with all faults at once; a wrong signature before them. */
enum err dispatch_decode(struct dispatch *ex) MUST_CHECK;
/* Answers with what the request holds, or with the error. */
void dispatch_answer(struct dispatch *ex, enum err err);
/* Hands over to the database; the answer follows by itself. */
void dispatch_submit(struct dispatch *ex);
