/*
 * A number is confirmed by an inbound call: the caller is asked to call a gateway number, and its
 * phone reports the call (doc A, section 4 "Inbound-call confirmations"; contract, section 2, rules
 * 1, 2, 6 and 10). Lives in the verification store.
 */
#pragma once

#include "core/metadata.h"
#include "core/search.h"
#include "domain/fleet/fleet.h"
#include "domain/test_number/test_number.h"

enum {
    INBOUND_CALL_TTL_MIN_S = 30,
    INBOUND_CALL_TTL_MAX_S = 900,
    INBOUND_CALL_TTL_DEFAULT_S = 300,
    CALL_APART_MS = 60 * 1000, /* reports of one caller at one number within it are one call */
    /* Challenges that began earlier say nothing of a call that can still be reported in time, not
     * even where the phone's clock is ahead. */
    CALL_PAST_MS = 2 * DEVICE_CLOCK_LAG_MAX_MS + INBOUND_CALL_TTL_MAX_S * 1000,
    EVENT_ID_MAX = 128,
    CALLER_MAX = 32,
};

/* A phone repeats a report within minutes, at most days. */
#define INBOUND_CALL_EVENT_KEPT_MS (30 * 24 * 60 * 60 * INT64_C(1000))

enum inbound_call_state {
    INBOUND_CALL_PENDING,
    INBOUND_CALL_CONFIRMED,
    INBOUND_CALL_EXPIRED,
    INBOUND_CALL_CANCELED
};

struct call_challenge_input {
    const char *caller;
    const char *gateway_number; /* NULL: herald chooses */
    int64_t ttl_seconds;
    const char *metadata;
};

struct call_challenge {
    struct uuid id;
    const char *caller; /* NULL: it is erased */
    const char *gateway_number;
    enum inbound_call_state state; /* as of now */
    int64_t created_at;
    int64_t expires_at;
    int64_t confirmed_at; /* 0: not yet */
    int64_t called_at;    /* the call that did, by the phone's clock; 0: none, or not known */
    int gateway_ready;    /* 1: the SIM was ready then; 0: it was not; -1: that was not kept yet */
    bool test;            /* of a test number */
    const char *metadata; /* NULL: none */
    bool erased;          /* its personal data is gone: no caller, no metadata */
    int64_t changes;      /* how many of its changes were events; not shown */
};

/* The challenges that are looked for, which have all of these. */
struct call_challenge_filter {
    struct search_query search; /* by caller */
    int state;                  /* enum inbound_call_state, as a reader sees it; -1: any */
    const char *gateway_number; /* NULL: any */
};
struct call_challenge_list {
    struct record_list challenges; /* of struct call_challenge, newest first */
    const char *next_cursor;
};

struct call_event {
    const char *event_id;
    const char *gateway_number;
    const char *caller; /* as the phone saw it; NULL: hidden */
    int64_t occurred_at;
    int64_t sent_at; /* by the same clock, at this try; 0: not told */
};

enum event_result_word { EVENT_CONFIRMED, EVENT_NO_CHALLENGE, EVENT_LATE };

struct event_result {
    const char *event_id;
    int result; /* enum event_result_word */
    bool duplicate;
    struct uuid challenge_id; /* nil: none */
    const char *why; /* for the log alone: why the call confirmed nothing; NULL: plain to see */
};

/* Creates a challenge with the id given. ERR_ACTIVE_CHALLENGE_EXISTS: the caller
 * has `ret_active`. ERR_NUMBER_NOT_FOUND: no enabled phone owns the gateway number.
 * ERR_NO_ENABLED_NUMBER. */
enum err inbound_call_create(struct work *work, const struct uuid *id,
                             const struct call_challenge_input *input,
                             struct call_challenge *ret_challenge,
                             struct uuid *ret_active) MUST_CHECK;
enum err inbound_call_read(struct work *work, const struct uuid *id,
                           struct call_challenge *ret_challenge) MUST_CHECK;
/* Does the same for somebody who has to know the caller, and leaves a record of the audit. */
enum err inbound_call_reveal(struct work *work, const struct uuid *id,
                             struct call_challenge *ret_challenge) MUST_CHECK;
/* Tells what became of a challenge, step by step. ERR_NOT_FOUND. */
enum err inbound_call_read_timeline(struct work *work, const struct uuid *id,
                                    struct timeline *ret_timeline) MUST_CHECK;
/* ERR_VALIDATION: a cursor that is none of ours. */
enum err inbound_call_list(struct work *work, const struct call_challenge_filter *filter,
                           struct call_challenge_list *ret_list) MUST_CHECK;
/* Cancels a challenge; a repeat changes nothing. ERR_ALREADY_CONFIRMED. */
enum err inbound_call_cancel(struct work *work, const struct uuid *id) MUST_CHECK;
/* A phone reports a call. ERR_DEVICE_DISABLED, ERR_NUMBER_NOT_OWNED. */
enum err inbound_call_apply_event(struct work *work, const struct device *device,
                                  const struct call_event *event,
                                  struct event_result *ret_result) MUST_CHECK;

/* The call that the scenario of a test number has comes now. */
enum err inbound_call_apply_test(struct work *work, const struct test_send *send) MUST_CHECK;

/* Tells those who listen of challenges that the clock has ended, at most `max`. */
enum err inbound_call_tell_expired(struct work *work, int max, int64_t *ret_told) MUST_CHECK;
/* Makes a challenge expired that lost its place (struct challenge_setup). */
enum err inbound_call_expire(struct work *work, const struct uuid *id,
                             bool *ret_is_found) MUST_CHECK;
/* Forgets events that phones reported long ago and will not repeat, at most `max`. */
enum err inbound_call_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Erases what is personal in the challenges of a caller, at most `max`, and stands in for the
 * number while a call of it can still be reported. One that is pending is canceled before
 * (contract, section 10.5). */
enum err inbound_call_erase_of(struct work *work, const char *caller, int max,
                               int64_t *ret_erased) MUST_CHECK;
/* Does so with challenges that are older than HERALD_PERSONAL_DAYS. */
enum err inbound_call_sweep_personal(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Takes away what stands in for numbers of which no call can be reported any more. */
enum err inbound_call_sweep_stand_ins(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

extern const struct record create_challenge_record;
extern const struct record challenge_record;
extern const struct record challenge_filter_query; /* for route->query */
extern const struct record challenge_list_record;
extern const struct record call_event_record;
extern const struct record event_result_record;
extern const char *const inbound_call_state_words[];
extern const char *const event_result_words[];

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table inbound_call_routes;
