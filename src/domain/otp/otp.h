/*
 * One-time codes: created, sent, verified (doc A, sections 2, 3 and 4 "One-time codes"; contract,
 * section 2, rules 2 to 5, 7 to 10). Lives in the verification store.
 */
#pragma once

#include "core/metadata.h"
#include "core/rate_limit.h"
#include "core/search.h"
#include "domain/challenge/challenge.h"
#include "domain/channel/channel.h"
#include "domain/fleet/fleet_account.h"
#include "domain/phone_task/phone_task.h"
#include "domain/test_number/test_number.h"

enum {
    OTP_TTL_MIN_S = 60,
    OTP_TTL_MAX_S = 900,
    OTP_TTL_DEFAULT_S = 300,
    OTP_ATTEMPTS_MAX = 5,
    OTP_CODE_MAX = 6,   /* digits */
    OTP_RATE_COUNT = 3, /* codes of a recipient within: */
    OTP_RATE_WINDOW_MS = 10 * 60 * 1000,
    OTP_WRONG_MAX = 50, /* wrong codes of a recipient within: */
    OTP_WRONG_WINDOW_MS = 24 * 60 * 60 * 1000,
    OTP_APP_HASH_LEN = 11,
    OTP_ORIGIN_MAX = 253,
};

enum otp_channel {
    OTP_SMS,
    OTP_FLASH_CALL,
    OTP_MESSENGER_GATEWAY,
    OTP_PERSONAL_MESSENGER,
    OTP_CHANNEL_COUNT
};
extern const char *const otp_channel_words[];

enum otp_state {
    OTP_QUEUED,
    OTP_ACCEPTED,
    OTP_SENT,
    OTP_DELIVERED,
    OTP_UNDELIVERED,
    OTP_CONFIRMED,
    OTP_EXPIRED,
    OTP_EXHAUSTED,
    OTP_CANCELED,
};
extern const char *const otp_state_words[];

/* Becomes of codes, as metrics have it: `accepted` to `undelivered` of a send, by the channel on
 * which it went; the others of the code, by the channel that was asked for. Codes of test numbers
 * do not count. */
enum otp_outcome {
    OTP_IS_CREATED,
    OTP_IS_ACCEPTED,
    OTP_IS_SENT,
    OTP_IS_DELIVERED,
    OTP_IS_UNDELIVERED,
    OTP_IS_CONFIRMED,
    OTP_IS_EXPIRED,
    OTP_IS_EXHAUSTED,
    OTP_IS_CANCELED,
    OTP_OUTCOME_COUNT
};
extern const struct metric otp_outcomes; /* herald_otp_total, by channel and outcome */
/* Tallies of created, sent, delivered and confirmed. By SIM: what was first given to it, what it
 * sent, and what was confirmed while it was the last one that a code went over. */
#define OTP_TALLY_NUMBER "otp_by_number"
#define OTP_TALLY_PREFIX "otp_by_prefix"
enum { OTP_PREFIX_LEN = 5 };                     /* of a recipient: a plus sign and four digits */
extern const struct metric otp_delivery_seconds; /* from the beginning of a send, by channel */

struct otp_input {
    int channel; /* enum otp_channel */
    const char *recipient;
    const char *gateway_number;
    const char *account_id;
    int64_t ttl_seconds;
    const char *app_hash;
    const char *origin;
    const char *metadata;
};

enum otp_send_state {
    OTP_SEND_QUEUED,
    OTP_SEND_CLAIMED, /* by a phone, or its fetch is under way */
    OTP_SEND_ACCEPTED,
    OTP_SEND_SENT,
    OTP_SEND_DELIVERED,
    OTP_SEND_FAILED,
    OTP_SEND_UNKNOWN,
};
extern const char *const otp_send_state_words[];

/* This is one send of a code, whoever made it. */
struct otp_send {
    int channel; /* enum otp_channel */
    const char *gateway_number;
    enum otp_send_state state;
    const char *error;   /* as its phone or provider put it, if it did */
    const char *failure; /* herald's own word for it, which the log tells */
    int64_t updated_at;
};

struct otp {
    struct uuid id;
    int channel;
    const char *recipient; /* NULL: it is erased */
    enum otp_state state;  /* as of now */
    int64_t code_length;
    int64_t attempts_left;
    int64_t created_at;
    int64_t expires_at;
    int64_t confirmed_at;     /* 0: not yet */
    struct record_list sends; /* of struct otp_send */
    bool test;                /* of a test number */
    const char *metadata;     /* NULL: none */
    bool erased;              /* its personal data is gone: no recipient, no metadata */
    /* Not shown: */
    int64_t changes;        /* how many of its changes were events */
    struct str sealed_code; /* empty once the state is final; see otp_send.h */
    const char *app_hash;
    const char *origin;
};

/* The codes that are looked for, which have all of these. */
struct otp_filter {
    struct search_query search; /* by recipient */
    int state;                  /* enum otp_state, as a reader sees it; -1: any */
    int channel;                /* enum otp_channel, of the first send; -1: any */
    const char *gateway_number; /* an SMS of it went over this number; NULL: any, or none */
};
struct otp_list {
    struct record_list codes; /* of struct otp, newest first */
    const char *next_cursor;
};

/* A refusal tells more than its error. */
struct otp_refusal {
    struct uuid active;     /* ERR_ACTIVE_CHALLENGE_EXISTS */
    int64_t retry_after_ms; /* ERR_RATE_LIMITED, ERR_CIRCUIT_OPEN */
    /* ERR_RATE_LIMITED: the limit that was reached. A code that was created: what is left of the
     * codes of its recipient. */
    struct rate_limit limit;
};

/* Creates a code with the id given and queues its sending. ERR_ACTIVE_CHALLENGE_EXISTS,
 * ERR_RATE_LIMITED and ERR_CIRCUIT_OPEN (`ret_refusal` set), ERR_NUMBER_NOT_FOUND,
 * ERR_ACCOUNT_NOT_FOUND, ERR_CHANNEL_NOT_CONFIGURED, ERR_ACCOUNT_NOT_CONNECTED, ERR_NO_READY_SIM,
 * ERR_SIM_NOT_READY (that of gateway_number). */
enum err otp_create(struct work *work, const struct uuid *id, const struct otp_input *input,
                    struct otp *ret_otp, struct otp_refusal *ret_refusal) MUST_CHECK;
/* Tells whether nothing can move a code any more: its state is final, or its time is over. */
static inline bool otp_is_final(const struct otp *otp, int64_t now_ms)
{
    return otp->state >= OTP_CONFIRMED || challenge_is_over(otp->expires_at, now_ms);
}
enum err otp_read(struct work *work, const struct uuid *id, struct otp *ret_otp) MUST_CHECK;
/* Does the same for somebody who has to know the recipient, and leaves a record of the audit. */
enum err otp_reveal(struct work *work, const struct uuid *id, struct otp *ret_otp) MUST_CHECK;

/* Tells what became of a code, step by step. ERR_NOT_FOUND. */
enum err otp_read_timeline(struct work *work, const struct uuid *id,
                           struct timeline *ret_timeline) MUST_CHECK;
/* ERR_VALIDATION: a cursor that is none of ours. */
enum err otp_list(struct work *work, const struct otp_filter *filter,
                  struct otp_list *ret_list) MUST_CHECK;

/* Compares `code` with that of the OTP. ERR_CODE_MISMATCH: it is wrong, which costs an attempt, so
 * that the transaction must be kept; `ret_otp` tells how many are left. Other errors change
 * nothing: ERR_NOT_FOUND, ERR_ALREADY_CONFIRMED, ERR_CHALLENGE_EXPIRED, ERR_ATTEMPTS_EXHAUSTED,
 * ERR_CHALLENGE_CANCELED, ERR_RATE_LIMITED (`ret_refusal`). */
enum err otp_verify(struct work *work, const struct uuid *id, const char *code, struct otp *ret_otp,
                    struct otp_refusal *ret_refusal) MUST_CHECK;

/* Sends the code of another channel by SMS as well, from `gateway_number` (or NULL): once, repeats
 * change nothing. A code that its provider would have chosen, and has not told, is made here. One
 * that was undelivered becomes the active challenge again: ERR_ACTIVE_CHALLENGE_EXISTS
 * (`ret_refusal`) while the recipient has another. ERR_FALLBACK_NOT_APPLICABLE (an SMS already, or
 * a number that no SMS may go to), the errors of final states, ERR_NO_READY_SIM, ERR_SIM_NOT_READY
 * and ERR_NUMBER_NOT_FOUND (of gateway_number), ERR_NOT_FOUND, ERR_CALL_UNDER_WAY (a fetch from
 * that provider is under way). Contract, section 2, rule 8. */
enum err otp_fall_back(struct work *work, const struct uuid *id, const char *gateway_number,
                       struct otp_refusal *ret_refusal) MUST_CHECK;

/* Cancels a code; a repeat changes nothing. ERR_ALREADY_CONFIRMED. */
enum err otp_cancel(struct work *work, const struct uuid *id) MUST_CHECK;

/* Erases the codes whose time is over, at most `max`, and ends their last sends. */
enum err otp_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Makes a code expired that lost its place, and ends its sends (struct challenge_setup). */
enum err otp_expire(struct work *work, const struct uuid *id, bool *ret_is_found) MUST_CHECK;
/* Deletes wrong codes from before the window, at most `max`. */
enum err otp_sweep_wrong_codes(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Erases what is personal in the codes of a number, at most `max`, and stands in for it where a
 * limit counts by it. One that lives is canceled before (contract, section 10.5). */
enum err otp_erase_of(struct work *work, const char *number, int max,
                      int64_t *ret_erased) MUST_CHECK;
/* Does so with codes that are older than HERALD_PERSONAL_DAYS. */
enum err otp_sweep_personal(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Takes away what stands in for numbers whose limits have forgotten them. */
enum err otp_sweep_stand_ins(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* These say what phones and providers are to send of a code, and take what came of it; or what the
 * scenario of a test number makes of it. */
extern const struct phone_task_owner otp_task_owner;
extern const struct channel_owner otp_channel_owner;
enum err otp_apply_test(struct work *work, const struct test_send *send) MUST_CHECK;

struct sms_fallback {
    const char *gateway_number;
};

struct verify_code {
    const char *code;
};

extern const struct record otp_input_record;
extern const struct record otp_record;
extern const struct record otp_filter_query; /* for route->query */
extern const struct record otp_list_record;
extern const struct record verify_code_record;
extern const struct record sms_fallback_record;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table otp_routes;
