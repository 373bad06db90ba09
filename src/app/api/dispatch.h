/* A dispatch is one request on its way through app/api/dispatch*.c and auth.c. */
#pragma once

#include "app/api/api.h"
#include "app/api/refresh.h"
#include "app/api/refusals.h"
#include "app/api/throttle.h"
#include "core/request.h"
#include "core/trace.h"
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
    struct http_request *x; /* NULL: the request is over, and only end_body is yet to come */
    struct arena arena;
    const struct route_list *routes; /* of the door that it came through */
    bool is_console;                 /* that is the console's */
    struct arena_mark mark;          /* a second run begins there */
    struct request rq;
    struct token_claims *claims; /* rq.principal of AUTH_BEARER; in the arena */
    struct refresh_waiter key_waiter;
    enum err (*verify)(struct dispatch *ex); /* is asked again when the keys are there */
    /* Is called once authentication is decided (auth_check). */
    void (*then)(struct dispatch *ex, enum err err);
    bool has_right_key;      /* the client has shown a key or token that is right; so it is known */
    struct uuid device_id;   /* of a phone with a right key; nil: it is none */
    bool has_token;          /* a token was sent, good or not */
    bool is_key_unknown;     /* it names a key that herald does not have, or may have no more */
    const char *token_fault; /* the reason of its refusal, in a word for the log; for a good token
                                the reason for which it may still be refused */
    const char
        *token_client;   /* the workload client that it names under a good signature, or NULL */
    bool waits_for_keys; /* its key, or that of its token, is unknown; the body is not read
                            meanwhile */
    bool has_api_key;    /* an API key or a session let it in, which has this hash */
    uint8_t key_hash[SECRET_HASH_LEN];
    struct actor actor; /* rq.work.actor, who may get another role meanwhile; its name is in the
                           arena */
    struct idem_key idem;
    struct buf body;
    bool is_taking;   /* the body goes to the taker of the route */
    bool is_end_told; /* the taker has asked to end the request (struct body_ending), which its
                         loop will do */
    void (*open)(struct dispatch *ex); /* opens a stream, behind its record for the audit */
    struct log_reader *reader;         /* of a log stream; else NULL */
    struct phone_reader *phone_reader; /* of a stream of hints for a phone; else NULL */
    struct str key;                    /* the key that was sent */
    enum err decode_err;          /* a fault that is answered once the phone's key was found good */
    enum err refusal;             /* that there is no such operation */
    bool is_beside;               /* route->handle_beside has its turn */
    enum err err;                 /* the outcome of the transaction */
    struct record_faults *faults; /* faults of decoding, with which each run begins */
    const char *allow;            /* in the arena; NULL unless ERR_METHOD_NOT_ALLOWED */
    bool is_answered;
    int64_t began_us; /* monotonic: its head had come */
    char request_id[REQUEST_ID_MAX + 1];
    char traceparent[TRACEPARENT_LEN + 1]; /* empty: the request has no trace */
    struct in6_addr address; /* the client's address, as far as proxies can be trusted */
    int64_t parked_until_ms; /* monotonic; 0: it was not parked (parking.h) */
    uint64_t news;
    struct throttle_turn turn; /* to look up a key */
    bool has_turn;             /* it waits for the turn, or has it */
};

/* Takes a request whose head has come, through the door of the API or of the console. */
void dispatch_begin(struct api *api, struct http_request *x, bool is_console);
/* Reads the request's id, its client's address and its route from the head. */
enum err dispatch_check_head(struct dispatch *ex) MUST_CHECK;
/* Checks the media type, and the size of a body that is held, once the client was let in. */
enum err dispatch_check_content(struct dispatch *ex) MUST_CHECK;
/* Decodes query, Idempotency-Key and body, with all faults at once; a wrong signature comes before.
 */
enum err dispatch_decode(struct dispatch *ex) MUST_CHECK;
/* Answers a request for no operation, once it is known who asks. */
void dispatch_refuse(struct dispatch *ex, enum err refusal);
/* Counts a wrong key of this way; after too many from its address that one has to wait. */
struct throttle_failure dispatch_count_failed_key(struct dispatch *ex, enum route_auth auth);
/* Answers with the reply of the request, or with the error. */
void dispatch_answer(struct dispatch *ex, enum err err);
/* Records who reads the log unmasked, then calls `open` on the event thread. */
void dispatch_audit_stream(struct dispatch *ex, void (*open)(struct dispatch *ex));
/* Runs a request again that was parked, or whose password was hashed. */
void dispatch_run_again(struct dispatch *ex);
/* Answers a request that is held, once its loop gets to it, and lets go of it. */
void dispatch_deliver(struct dispatch *ex, enum err err);
/* Hands the request to the database; the answer follows by itself. */
void dispatch_submit(struct dispatch *ex);
