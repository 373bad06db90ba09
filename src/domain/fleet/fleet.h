/*
 * The phone fleet: devices, their numbers and keys, and which SIM is ready (doc A, sections 2 and
 * 4 "Phone fleet"; contract, section 2, rules 1 and 11). Lives in the verification store.
 */
#pragma once

#include "core/page.h"
#include "core/phone.h"
#include "core/service.h"
#include "kit/base/clock.h"
#include "kit/json/record.h"

struct presence;

enum {
    DEVICE_NAME_MAX = 100,
    DEVICE_NUMBERS_MAX = 8,
    FLEET_WHOLE = INT32_MAX - 1, /* the limit of a list of all phones */
    SIM_READY_MS = 60 * 1000,
    DEVICE_CLOCK_SLACK_MS = 5 * 1000,         /* a clock that is off by no more is right */
    DEVICE_CLOCK_LAG_MAX_MS = 60 * 60 * 1000, /* one that is off by more is not believed */
    DEVICE_CLOCK_KEPT_MS = 24 * 60 * 60 * 1000,
};

struct device_input {
    const char *name;
    struct record_list numbers;  /* of const char * */
    struct record_list accounts; /* of const char *: the ids that it is bound to */
};

struct device_number {
    const char *number;
    bool sim_ready;
    int64_t sim_ready_until; /* 0: never claimed, or withdrawn */
    int64_t active_challenges;
};

/* A personal messenger account lives on a phone. */
struct device_account {
    const char *account_id;
    const char *messenger; /* "" until its phone has named it */
    int state;             /* enum account_state */
    int64_t state_until;   /* 0: none; of an account that is only named: when it was */
    bool is_told;          /* of an account that is only named: whether the log has its state */
};

struct device {
    struct uuid id;
    const char *name;
    bool enabled;
    int64_t created_at;
    int64_t last_seen_at;        /* 0: never */
    int64_t clock_lag_ms;        /* how far its clock is behind, below 0: ahead */
    int64_t clock_lag_at;        /* when that was seen; 0: it is not known */
    struct record_list numbers;  /* of struct device_number */
    struct record_list accounts; /* of struct device_account */
    struct record_list left_out; /* of const char *: what it declares of other phones' accounts */
};

struct credentials {
    struct uuid device_id;
    const char *device_key;
    struct device *device;
};

struct rotated_key {
    struct uuid device_id;
    const char *device_key;
};

struct device_list {
    struct record_list devices; /* of struct device */
    const char *next_cursor;
};

/* A number or an account belongs to another phone already. */
struct fleet_taken {
    const char *number;     /* or NULL */
    const char *account_id; /* or NULL */
};

/* Registers a phone with its numbers and accounts and makes its key, which is shown this once.
 * ERR_NUMBER_TAKEN: another phone has `ret_taken`. */
enum err fleet_register(struct work *work, const struct device_input *input,
                        struct credentials *ret_credentials,
                        struct fleet_taken *ret_taken) MUST_CHECK;

/* service->fleet has what the fleet stands on. */
struct fleet_setup {
    struct presence *presence; /* the phones that were heard from since the last write */
    /* A phone was disabled, so its tasks return to the queue; app.c sets this to their room. */
    enum err (*on_device_disabled)(struct work *work, const struct uuid *device_id);
};

/* Reads a page of the phones in order of registration; with limit FLEET_WHOLE, all of them.
 * ERR_VALIDATION: the cursor is none of ours. */
enum err fleet_list(struct work *work, const struct page_query *query,
                    struct device_list *ret_list) MUST_CHECK;

/* Reads one phone with its numbers and accounts; ERR_NOT_FOUND. */
enum err fleet_read(struct work *work, const struct uuid *id, struct device *ret_device) MUST_CHECK;

/* Enables or disables a phone; ERR_NOT_FOUND. Disabling returns its leased tasks to the queue. */
enum err fleet_set_enabled(struct work *work, const struct uuid *id, bool is_enabled) MUST_CHECK;

/* Makes a new key; the old one is worthless from the commit on. ERR_NOT_FOUND. */
enum err fleet_rotate_key(struct work *work, const struct uuid *id,
                          struct rotated_key *ret_key) MUST_CHECK;

/* Finds the phone whose key this is, without its numbers and accounts. ERR_UNAUTHORIZED. */
enum err fleet_authenticate(struct work *work, struct str key,
                            struct device *ret_device) MUST_CHECK;

static inline bool fleet_is_clock_right(int64_t lag_ms)
{
    return lag_ms >= -DEVICE_CLOCK_SLACK_MS && lag_ms <= DEVICE_CLOCK_SLACK_MS;
}

/* A report was sent `told_ms` before it arrived, by the phone's clock: either the clock is behind
 * by that, or the report has waited. The clock's lag is the smallest that a report of the
 * last DEVICE_CLOCK_KEPT_MS has shown, since waiting only adds to it; a clock that was set right
 * since counts as right. `ret_lag_ms` is how far this one is behind, as far as that can be
 * believed; 0: it cannot. What the report shows is stored if it is news. */
enum err fleet_learn_clock(struct work *work, const struct device *device, int64_t told_ms,
                           int64_t *ret_lag_ms) MUST_CHECK;

/* Checks that the phone is enabled and owns the number: ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED.
 * `ret_ready_until` (may be NULL) tells until when the number's SIM counts as ready. */
enum err fleet_check_number(struct work *work, const struct device *device, const char *number,
                            int64_t *ret_ready_until) MUST_CHECK;

/* Tells whether what a phone said of its SIM holds now. */
static inline bool fleet_is_ready(int64_t ready_until, int64_t now_ms)
{
    return clock_left_ms(ready_until, SIM_READY_MS, now_ms) > 0;
}

/* A gateway number is chosen by these wishes. */
struct number_choice {
    const char *wanted;  /* this number and no other; NULL: any */
    const char *avoided; /* any other number, if there is one; NULL: none is avoided */
    bool must_be_ready;  /* its SIM has to be ready */
    /* On PostgreSQL, numbers that others hold at this moment are passed over even if none is left;
     * for a transaction that holds rows which others may wait for. */
    bool never_waits;
};

/* Chooses the enabled number with the fewest active challenges, among equals the longest unused
 * (rule 1), and counts one more active challenge for it. ERR_NOT_FOUND: no enabled phone owns the
 * wanted number. ERR_NO_READY_SIM: none has a ready SIM. ERR_NO_ENABLED_NUMBER: there is no enabled
 * number at all. */
enum err fleet_take_number(struct work *work, const struct number_choice *choice,
                           const char **ret_number) MUST_CHECK;

/* Takes challenges over these numbers (const char *, repeats count) off their counts. Rows are
 * taken in the order of the numbers, so that transactions that free several cannot wait for each
 * other. */
enum err fleet_release_numbers(struct work *work, const struct record_list *numbers) MUST_CHECK;
/* Tells whether any enabled phone has a ready SIM. */
enum err fleet_has_ready(struct work *work, bool *ret_has) MUST_CHECK;
/* On PostgreSQL holds the number's row, so that claims for one number run one after the other. A
 * number that is gone has no row to wait for: its phone may still report. */
enum err fleet_hold_number(struct work *work, const char *number) MUST_CHECK;
/* Forgets, at leisure, which SIMs were ready and have not been heard of for 60 seconds. */
enum err fleet_sweep(struct work *work) MUST_CHECK;

/* A phone says that the SIM of `number` is ready, or not any more. Where that is stored already and
 * will do for a while, it is only renewed in memory (presence.h); else it is stored, or in a read,
 * ERR_WRITE_NEEDED. */
enum err fleet_set_ready(struct work *work, const struct device *device, const char *number,
                         bool is_ready, int64_t stored_until) MUST_CHECK;
/* A phone was heard from; that is stored within some seconds. */
void fleet_renew_seen(struct work *work, const struct device *device);

/* These records are shown. */
extern const struct record device_record;
extern const struct record device_input_record;
extern const struct record credentials_record;
extern const struct record rotated_key_record;
extern const struct record device_list_record;
extern const struct record enable_request_record;
extern const struct record ping_request_record;
extern const struct record ping_result_record;

struct enable_request {
    bool enabled;
};

struct ping_request {
    struct str body;
};

struct ping_result {
    bool ok;
    struct device *device;
};

/* --- For the tables of app/ --- */

struct request;
enum err fleet_http_register(struct request *rq) MUST_CHECK;
enum err fleet_http_list(struct request *rq) MUST_CHECK;
enum err fleet_http_set_enabled(struct request *rq) MUST_CHECK;
enum err fleet_http_rotate_key(struct request *rq) MUST_CHECK;
enum err fleet_http_set_accounts(struct request *rq) MUST_CHECK;
enum err fleet_http_ping(struct request *rq) MUST_CHECK;
enum err fleet_http_declare_accounts(struct request *rq) MUST_CHECK;

extern const struct record fleet_list_query; /* struct page_query; limit 0: none is given */
