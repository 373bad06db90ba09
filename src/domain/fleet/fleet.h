/*
 * The phone fleet: devices, their numbers and keys, and which SIM is ready (doc A, sections 2 and
 * 4 "Phone fleet"; contract, section 2, rules 1 and 11). Lives in the verification store.
 */
#pragma once

#include "core/page.h"
#include "core/phone.h"
#include "core/service.h"
#include "core/timeline.h"
#include "kit/json/record.h"

struct presence;

enum {
    DEVICE_NAME_MAX = 100,
    DEVICE_NUMBERS_MAX = 8,
    DEVICE_STATUS_MAX = 16 * 1024, /* bytes of a ping's body */
    DEVICE_STATUS_TEXT_MAX = 64,
    DEVICE_QUERY_MAX = 100,
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
    int64_t slot;           /* which SIM of the phone it is, from 1 on; 0: none */
    bool is_slot_confirmed; /* the operator has said so */
    int64_t silent_since;   /* the log was told that it is silent since then; 0: it was not */
    int64_t changes;        /* how many of its changes were events; not shown */
};

/* The numbers of a phone in the order of its slots; an empty slot is "-". */
struct device_slots_input {
    struct record_list slots; /* of const char * */
};
#define DEVICE_SLOT_EMPTY "-"

/* A phone said this of itself in its last ping; each member is there only where it fits. */
struct device_status {
    const char *battery; /* the number, from 0 to 100; NULL: not told */
    int charging;        /* 1, 0; -1: not told */
    const char *network;
    const char *app_version;
    int64_t at;
    struct str raw; /* the JSON object as it was sent */
};

/* A personal messenger account lives on a phone. */
struct device_account {
    const char *account_id;
    const char *messenger; /* "" until its phone has named it */
    int state;             /* enum account_state */
    int64_t state_until;   /* 0: none; of an account that is only named: when it was */
    bool is_told;          /* of an account that is only named: whether the log has its state */
    int64_t watch_at;      /* it is connected, and is looked at then; 0: it is not watched */
    int64_t gone_since;    /* the log was told that it is gone since then; 0: it was not */
    int64_t changes;       /* how many of its changes were events; not shown */
};

struct device {
    struct uuid id;
    const char *name;
    bool enabled;
    int64_t created_at;
    int64_t last_seen_at;         /* 0: never */
    int64_t clock_lag_ms;         /* how far its clock is behind, below 0: ahead */
    int64_t clock_lag_at;         /* when that was seen; 0: it is not known */
    int64_t changes;              /* how many of its changes were events; not shown */
    struct record_list numbers;   /* of struct device_number */
    struct record_list accounts;  /* of struct device_account */
    struct record_list left_out;  /* of const char *: what it declares of other phones' accounts */
    struct device_status *status; /* NULL: it never sent a ping */
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

struct fleet_watch;

/* service->fleet has what the fleet stands on; app.c sets the functions to those of other rooms. */
struct fleet_setup {
    struct presence *presence; /* the phones that were heard from since the last write */
    struct fleet_watch *watch; /* of the worker that looks who is silent */
    int64_t silent_ms;         /* a SIM without a claim for so long is silent */
    const char *own_url;       /* where phones reach herald, without a slash at its end */
    /* A phone was disabled or removed, so its tasks return to the queue. */
    enum err (*on_device_disabled)(struct work *work, const struct uuid *device_id);
    /* These numbers (const char *) are about to leave their phone: on PostgreSQL the rows of the
     * challenges over them are held, which come before numbers in the order of locks. */
    enum err (*on_numbers_leave)(struct work *work, const struct record_list *numbers);
    /* They are gone: challenges go over them no more. What the phone has claimed stays with it
     * until it reports or the lease ends. */
    enum err (*on_numbers_left)(struct work *work, const struct record_list *numbers);
};

/* The query of the list; `limit` 0: none is given. */
struct fleet_query {
    int64_t limit;
    const char *cursor;
    int ready;     /* 1: at least one SIM is ready; 0: none is; -1: either */
    int enabled;   /* the same of the phone */
    const char *q; /* a part of its name, or one of its numbers, in any spelling; NULL: any */
};

/* Reads a page of the phones in order of registration; with limit FLEET_WHOLE, all of them.
 * ERR_VALIDATION: the cursor is none of ours. */
enum err fleet_list(struct work *work, const struct fleet_query *query,
                    struct device_list *ret_list) MUST_CHECK;

/* Finds phones for one question, the newest first, at most `max`: that of a whole number by its
 * key; for any other text those whose name, or a number, has it as a part, among the newest
 * FLEET_FOUND_AMONG. */
enum { FLEET_FOUND_AMONG = 1000 };
enum err fleet_find(struct work *work, const char *q, int64_t max,
                    struct record_list *ret_devices) MUST_CHECK;

/* Reads one phone with its numbers and accounts; ERR_NOT_FOUND, also if it was removed. */
enum err fleet_read(struct work *work, const struct uuid *id, struct device *ret_device) MUST_CHECK;
/* Reads the phone of a number, or of an account, and how many changes of that were events.
 * ERR_NOT_FOUND. */
enum err fleet_read_by_number(struct work *work, const char *number, struct device *ret_device,
                              int64_t *ret_changes) MUST_CHECK;
enum err fleet_read_by_account(struct work *work, const char *account_id, struct device *ret_device,
                               int64_t *ret_changes) MUST_CHECK;
/* Names the phones of the steps, also those that were removed. */
enum err fleet_name_steps(struct work *work, struct timeline *timeline) MUST_CHECK;

/* Gives the phone this name and these numbers and no others; accounts stay as they are. A number
 * that leaves is handed on with what no phone holds of its tasks (contract, section 11.1), and the
 * phone that gets it goes on being watched (fleet_watch.h). ERR_NOT_FOUND.
 * ERR_NUMBER_TAKEN: another phone has `ret_taken`. */
enum err fleet_change(struct work *work, const struct uuid *id, const struct device_input *input,
                      struct device *ret_device, struct fleet_taken *ret_taken) MUST_CHECK;

/* Says which SIM of the phone each number is; one that is not listed is none. ERR_NOT_FOUND.
 * ERR_NUMBER_NOT_OWNED: `ret_foreign` is not the phone's. */
enum err fleet_set_slots(struct work *work, const struct uuid *id,
                         const struct device_slots_input *input, struct device *ret_device,
                         const char **ret_foreign) MUST_CHECK;

/* Removes a phone: its numbers and accounts are free, and its key is worthless from the commit on.
 * A repeat changes nothing. ERR_NOT_FOUND: there never was one. */
enum err fleet_remove(struct work *work, const struct uuid *id) MUST_CHECK;

/* Enables or disables a phone; ERR_NOT_FOUND. Disabling returns its leased tasks to the queue. */
enum err fleet_set_enabled(struct work *work, const struct uuid *id, bool is_enabled) MUST_CHECK;

/* Makes a new key; the old one is worthless from the commit on. ERR_NOT_FOUND. */
enum err fleet_rotate_key(struct work *work, const struct uuid *id,
                          struct rotated_key *ret_key) MUST_CHECK;
/* Does so without a word in the log and the audit, which the calling rule adds. */
enum err fleet_renew_key(struct work *work, const struct uuid *id,
                         struct rotated_key *ret_key) MUST_CHECK;

/* Tells whether it has the form of a phone's key. */
bool fleet_is_key(struct str key);
/* Finds the phone whose key this is, without its numbers and accounts. ERR_UNAUTHORIZED. */
enum err fleet_authenticate(struct work *work, struct str key,
                            struct device *ret_device) MUST_CHECK;

/* A phone's signing key is for applications that can sign, but carry no key: in hexadecimal digits.
 * It is made of the phone's own key, so it ends with that, and nothing of it is stored. */
enum { FLEET_SIGNING_KEY_LEN = 32 };
/* Leaves a record of the audit. ERR_NOT_FOUND, also if the phone was removed. */
enum err fleet_read_signing_key(struct work *work, const struct uuid *id,
                                char ret_key[static FLEET_SIGNING_KEY_LEN + 1]) MUST_CHECK;

/* This came with a signed request: HMAC-SHA256 over its body and, right behind that, its
 * timestamp. */
struct fleet_signature {
    struct str body, timestamp;
    struct str mac; /* in hexadecimal digits */
};
/* Finds the phone, without its numbers and accounts, if its signing key made the signature.
 * ERR_UNAUTHORIZED, also where there is no such phone. */
enum err fleet_authenticate_signature(struct work *work, const struct uuid *id,
                                      const struct fleet_signature *signature,
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

/* Returns how far the phone's clock is behind, as far as its reports have shown lately; below 0: it
 * is ahead; 0: it is right, or nothing is known of it. */
int64_t fleet_clock_lag_ms(const struct device *device, int64_t now_ms);

/* This is stored of a SIM. */
struct sim_state {
    int64_t ready_until;
    int64_t watch_at;        /* it is looked at then; 0: it is not watched */
    int64_t silent_since;    /* the log was told that it is silent since then; 0: it was not */
    int64_t slot;            /* which SIM of the phone it is, from 1 on; 0: none */
    int64_t unready_told_at; /* the log was told then that somebody has to call it unready */
};

/* Checks that the phone is enabled and owns the number: ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED.
 * `ret_sim` may be NULL. */
enum err fleet_check_number(struct work *work, const struct device *device, const char *number,
                            struct sim_state *ret_sim) MUST_CHECK;

/* Tells whether what a phone said of its SIM holds now. */
static inline bool fleet_is_ready(int64_t ready_until, int64_t now_ms)
{
    return ready_until > now_ms;
}

/* A gateway number is chosen by these wishes. */
struct number_choice {
    const char *wanted;  /* this number and no other; NULL: any */
    const char *avoided; /* any other number, if there is one; NULL: none is avoided */
    bool must_be_ready;  /* its SIM has to be ready */
    bool prefers_ready;  /* of those with the fewest active challenges, one that is ready first */
    /* On PostgreSQL, numbers that others hold at this moment are passed over even if none is left;
     * for a transaction that holds rows which others may wait for. */
    bool never_waits;
};

/* Chooses the enabled number with the fewest active challenges, among equals the longest unused
 * (rule 1), and counts one more active challenge for it. ERR_NUMBER_NOT_FOUND: no enabled phone
 * owns the wanted number; ERR_SIM_NOT_READY: its SIM is not ready. ERR_NO_READY_SIM: none has a
 * ready SIM. ERR_NO_ENABLED_NUMBER: there is no enabled number at all. */
enum err fleet_take_number(struct work *work, const struct number_choice *choice,
                           const char **ret_number) MUST_CHECK;

/* The number that somebody has to call. */
struct number_to_call {
    const char *number;
    bool is_ready;      /* its SIM is ready, so its phone reports calls */
    bool never_was;     /* its phone has never claimed for it, and may only report calls */
    bool is_to_be_told; /* it is not ready, and the log was not told so for an hour */
};

/* Chooses a number to call, and counts it, as fleet_take_number does; but among equals one whose
 * SIM is ready comes first, then the longest unused (contract, section 2, rule 1). */
enum err fleet_take_number_to_call(struct work *work, const char *wanted,
                                   struct number_to_call *ret_number) MUST_CHECK;

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

/* A phone claims: the SIM of `number` is ready, or not any more. Where that is stored already and
 * will do for a while, it is only renewed in memory (presence.h); else it is stored, or in a read,
 * ERR_WRITE_NEEDED. The log is told of a SIM that was silent. */
enum err fleet_set_ready(struct work *work, const struct device *device, const char *number,
                         bool is_ready, const struct sim_state *stored) MUST_CHECK;
/* A phone was heard from; that is stored within some seconds. */
void fleet_renew_seen(struct work *work, const struct device *device);
/* A phone sent a ping with this body, which is stored within some seconds, too. */
void fleet_renew_status(struct work *work, const struct device *device, struct str body);
/* Makes what is shown of a ping's body, in the arena. */
struct device_status *fleet_read_status(struct arena *arena, struct str body, int64_t at);

/* These records are shown. */
extern const struct record device_record;
extern const struct record device_input_record;
extern const struct record device_change_record;
extern const struct record device_slots_input_record;
extern const struct record credentials_record;
extern const struct record rotated_key_record;
extern const struct record device_list_record;
extern const struct record enable_request_record;
extern const struct record ping_request_record;
extern const struct record ping_result_record;

struct enable_request {
    bool enabled;
};

struct ping_result {
    bool ok;
    struct device *device;
};

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table fleet_routes;
