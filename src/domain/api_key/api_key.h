/*
 * API keys let others than the root key use the internal operations, each with a role (contract,
 * section 10.1). A key is shown once; what is stored is its hash. Lives in the verification store.
 * Processes hold all keys in memory (app/api/api_key_set.h) and read them anew when one changes.
 */
#pragma once

#include "core/page.h"
#include "core/work.h"
#include "kit/base/secret.h"

#define API_KEY_PREFIX "hk_"
#define API_KEY_TOPIC  "api_key" /* db_notify announces changed keys under this name */

enum {
    API_KEYS_MAX = 1000, /* that are not revoked */
    API_KEY_NAME_MAX = 200,
    API_KEY_RATE_MAX = 1000000, /* requests a minute */
    API_KEY_OVERLAP_MAX_S = 86400,
};

struct api_key {
    struct uuid id;
    const char *name;
    const char *key; /* set only where it was made */
    int role;        /* enum role */
    bool is_test;
    int64_t requests_per_minute; /* -1: no limit */
    int64_t created_at;
    int64_t expires_at; /* 0: never */
    int64_t rotated_at; /* 0: never */
    int64_t revoked_at; /* 0: it is not */
    int64_t old_until;  /* until when the key before the last rotation is good; 0: it is not */
    uint8_t hash[SECRET_HASH_LEN], old_hash[SECRET_HASH_LEN];
};

/* --- Requests and answers --- */

struct api_key_input {
    const char *name;
    int role;
    int64_t expires_at;
    int64_t requests_per_minute;
    bool test;
};
extern const struct record api_key_input_record;

struct api_key_rotation {
    int64_t overlap_seconds;
};
extern const struct record api_key_rotation_record;

struct api_key_list {
    struct record_list api_keys;
    const char *next_cursor;
};
extern const struct record api_key_record;       /* struct api_key, without its key */
extern const struct record api_key_shown_record; /* the same with its key */
extern const struct record api_key_list_record;

/* A key reads this of itself. */
struct api_key_self {
    int kind;       /* enum actor_kind */
    struct uuid id; /* nil: the root key */
    const char *name;
    int role;
    bool is_test;
    int64_t requests_per_minute;
    int64_t created_at; /* 0: the root key */
    int64_t expires_at;
};
extern const struct record api_key_self_record;

/* --- Rules --- */

/* Makes a key. Returns ERR_VALIDATION with `ret_fault` if it would be over already, or there are
 * API_KEYS_MAX. */
enum err api_key_create(struct work *work, const struct api_key_input *input,
                        struct api_key *ret_key, struct record_fault *ret_fault) MUST_CHECK;
enum err api_key_list(struct work *work, const struct page_query *query,
                      struct api_key_list *ret_list) MUST_CHECK;
/* Makes a new key in place of the old one, which stays good for `overlap_seconds`; one that was
 * left of an earlier rotation ends now. Returns ERR_NOT_FOUND if there is no such key that is good.
 */
enum err api_key_rotate(struct work *work, const struct uuid *id, int64_t overlap_seconds,
                        struct api_key *ret_key) MUST_CHECK;
/* Ends a key for good; ERR_NOT_FOUND. May be repeated. */
enum err api_key_revoke(struct work *work, const struct uuid *id) MUST_CHECK;
/* Tells who acts. */
enum err api_key_read_self(struct work *work, struct api_key_self *ret_self) MUST_CHECK;

/* --- For the processes that hold the keys --- */

/* Counts a change of keys, or of what acts like them (domain/operator), and tells the processes of
 * it once it is durable. It holds off others that change any until the end of the transaction. */
enum err api_key_changed(struct work *work) MUST_CHECK;

/* Reads the number of changes so far and, if it is not `seen`, all keys that are not revoked, as
 * struct api_key; else `ret_keys` stays as it is. */
enum err api_key_read_all(struct work *work, int64_t seen, int64_t *ret_number,
                          struct record_list *ret_keys) MUST_CHECK;
/* Return until when the key and the one before it are good: before that time. INT64_MAX: for ever;
 * 0: it is over. */
int64_t api_key_good_until(const struct api_key *key);
int64_t api_key_old_good_until(const struct api_key *key);

/* --- For the tables of app/ --- */

extern const struct route_table api_key_routes;
