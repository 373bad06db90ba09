/*
 * Access tokens are issued to workload clients and checked locally (doc B, sections 4 "Token" and
 * 5; contract, section 4). They are JWTs signed by Ed25519, and whoever verifies them needs the
 * public keys and nothing else. Issuing writes nothing. The keys live in the exchange store.
 */
#pragma once

#include "domain/integration/integration.h"
#include "kit/jose/jose.h"

enum {
    TOKEN_LIFE_S = 600,
    TOKEN_SKEW_S = 30, /* nbf and iat may be so far ahead; exp has no skew */
    /* A new key is published this long before it signs: for one life of a cached key set, and for a
     * process that hears of it late. */
    KEY_LEAD_S = 300 + 15,
    KEY_SET_CACHE_S = 300,
};
#define TOKEN_AUDIENCE "svc-integration-erp-service"
#define TOKEN_TYPE     "at+jwt"
#define TOKEN_PATH     "/v1/oauth/token"
#define KEY_SET_PATH   "/.well-known/jwks.json"

struct keyring;

/* service->tokens has what tokens stand on. */
struct token_setup {
    struct keyring *keyring; /* of signing keys */
    const char *own_url;     /* this service is reached there; it has no slash at its end */
    const char *issuer;      /* `iss` of tokens that are issued here */
};

/* --- Keys ------------------------------------------------------------------------------------- */

/* A signing key is published at once, signs from `signs_from` until the next one does, and is
 * published on until the last token that it signed has expired. */
struct signing_key {
    int64_t number; /* not shown; in order of their time to sign */
    const char *kid;
    int state; /* enum key_state, as of now */
    int64_t created_at;
    int64_t signs_from;
    int64_t signs_until; /* 0: no later key is there yet */
    struct jose_key key;
    struct str sealed_seed; /* not shown */
    /* Not shown: why its row holds no key, so that only its time counts; NULL: it holds one. */
    const char *fault;
};
enum key_state { KEY_NEXT, KEY_SIGNING, KEY_RETIRED };
extern const char *const key_state_words[];

struct signing_key_list {
    struct record_list keys; /* of struct signing_key, oldest first; those of the key set */
    const char *next_cursor; /* NULL: that was the last page */
};

/* Makes the first key, which signs at once, if there is none. Race-free. */
enum err token_ensure_key(struct work *work) MUST_CHECK;
/* Makes the next key. While one waits for its time already, that one is the answer. Unreadable
 * keys are in nobody's way: one that waits is replaced, and where it is one's time, so that nothing
 * can be signed, the next one signs at once. */
enum err token_rotate_key(struct work *work, struct signing_key *ret_key) MUST_CHECK;
/* Takes a published key out of the key set for good: every process refuses its tokens as soon as it
 * has heard of it. Where it is the one that signs, the next one signs at once. ERR_NOT_FOUND: no
 * published key has that kid. */
enum err token_withdraw_key(struct work *work, const char *kid) MUST_CHECK;
/* Lists the keys of the key set, or a page of them (contract, section 1). ERR_VALIDATION: the
 * cursor is not of an earlier page. */
enum err token_list_keys(struct work *work, struct signing_key_list *ret_list) MUST_CHECK;
enum err token_page_keys(struct work *work, const struct page_query *query,
                         struct signing_key_list *ret_page) MUST_CHECK;
/* Deletes keys whose last token has long expired. */
enum err token_sweep_keys(struct work *work) MUST_CHECK;

/* A keyring holds the keys in the memory of a process, and is replaced as a whole. Any thread may
 * use it. */
struct keyring *keyring_new(void);
void keyring_free(struct keyring *keyring);
/* Replaces the own keys: reads them in a transaction of the exchange store, and unseals the seeds
 * if `with_seeds`, as a process that issues wants. A key that cannot be read keeps no other out. */
enum err keyring_load(struct keyring *keyring, struct work *work, bool with_seeds) MUST_CHECK;
/* Replaces the keys by those of an outside identity service. */
void keyring_set_foreign(struct keyring *keyring, const struct record_list *keys);
/* Finds a key. False: there is no such key now. */
bool keyring_find(const struct keyring *keyring, const char *kid, struct jose_key *ret_key);
/* Makes the key set as JSON, for /.well-known/jwks.json. */
const char *keyring_publish(const struct keyring *keyring, int64_t now_ms, struct arena *arena);

/* --- Issuing ---------------------------------------------------------------------------------- */

struct token_request {
    const char *grant_type, *scope;        /* NULL: not given */
    const char *client_id, *client_secret; /* of the body, or decoded from Basic */
};

struct token_answer {
    const char *access_token;
    const char *token_type; /* "Bearer" */
    int64_t expires_in;
    const char *scope;
};

/* Issues a token, and only reads. ERR_INVALID_REQUEST, ERR_UNSUPPORTED_GRANT_TYPE,
 * ERR_INVALID_CLIENT, ERR_INVALID_SCOPE; ERR_SIGNING_KEY_UNAVAILABLE: the key whose time it is
 * cannot be used. */
enum err token_issue(struct work *work, const struct token_request *request,
                     struct token_answer *ret_answer) MUST_CHECK;

/* --- Checking --------------------------------------------------------------------------------- */

enum { TOKEN_CLIENT_ID_MAX = 128 };

struct token_claims {
    /* Letters, digits, '_' and '-'; a UUID for clients that were made here. */
    char client_id[TOKEN_CLIENT_ID_MAX + 1];
    struct uuid integration_id, tenant_id, point_id;
    unsigned scope_set;
    int64_t good_from;  /* the skew of its nbf and iat is taken off */
    int64_t expires_at; /* from then on it is dead */
    uint64_t revision;  /* of the keyring by which the token was found good */
};

/* The cache remembers tokens that were found good, by their hash, until they expire, so that a
 * repeat costs no signature. It is bounded; any thread may use it. */
struct token_cache;
struct token_cache *token_cache_new(void);
void token_cache_free(struct token_cache *cache);

struct token_verifier {
    struct keyring *keyring;
    struct token_cache *cache;
    const char *issuer;
    bool takes_plain_jwt; /* `typ: JWT` will do, as outside identity services write it */
};

/* The log alone is told why a token is refused, not whoever sent it. */
enum token_fault {
    TOKEN_MALFORMED,
    TOKEN_WRONG_TYPE,
    TOKEN_UNKNOWN_KEY, /* its kid is not in the keyring: a fresh key set may help */
    TOKEN_BAD_SIGNATURE,
    TOKEN_BAD_CLAIMS, /* one is missing, faulty, or does not fit the others */
    TOKEN_WRONG_ISSUER,
    TOKEN_WRONG_AUDIENCE,
    TOKEN_EXPIRED,
    TOKEN_NOT_YET_VALID,
};
extern const char *const token_fault_words[];

struct token_refusal {
    enum token_fault fault;
    const char *client_id; /* the token names this client under a good signature; NULL: none */
};

/* Reads what the token says, if it is good at `now_ms`: its key is known, and signature, iss, aud,
 * exp, nbf, iat, typ and claims are good. ERR_UNAUTHORIZED: then, and only then, `ret_refusal` is
 * written. A cached token is held against the clock and the keys as they are now. Any thread may
 * call it; it needs no database. */
enum err token_verify(const struct token_verifier *verifier, struct str token, int64_t now_ms,
                      struct arena *arena, struct token_claims *ret_claims,
                      struct token_refusal *ret_refusal) MUST_CHECK;
/* Tells whether what token_verify found holds still at `now_ms`: the token has not ended, and no
 * key has come or gone. False: verify it once more. It costs next to nothing; any thread may call
 * it. */
bool token_holds_still(const struct token_verifier *verifier, const struct token_claims *claims,
                       int64_t now_ms);

/* The exchange store knows this now of the integration and client that a token names. */
struct token_standing {
    bool is_there;                   /* the integration exists; false: the rest says nothing */
    struct uuid tenant_id, point_id; /* of it */
    bool is_enabled;                 /* the integration, and the client where it was made here */
};
/* Checks that the token, whose scope the route has asked for, is good here.
 * ERR_INTEGRATION_MISMATCH: its integration, tenant or point is not that of the path, or there is
 * no such integration. ERR_UNAUTHORIZED: its integration or client is disabled (contract,
 * section 4). */
enum err token_authorize(const struct token_claims *claims, const struct uuid *integration_id,
                         const struct token_standing *standing) MUST_CHECK;

extern const struct record token_answer_record;
extern const struct record signing_key_record;
extern const struct record signing_key_list_record;

/* --- For the tables of app/ --- */

struct route_table;

extern const struct route_table token_routes;     /* of the identity service */
extern const struct route_table token_key_routes; /* of operators, on its keys */

extern const struct metric token_issued; /* herald_tokens_issued_total */
