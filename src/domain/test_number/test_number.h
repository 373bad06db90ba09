/*
 * Test numbers (contract, section 12.1): a code, a message or an inbound call of such a number is
 * played by a scenario, which the number's last two digits choose, and touches no SIM and no
 * provider. The scenarios stand beside the true channels: what a phone or a provider would report,
 * a job reports here, by the time that the scenario's steps have. Lives in the verification store.
 *
 * The record remembers that it is of a test number. So it goes on after a restart, whatever the
 * settings say by then.
 */
#pragma once

#include "core/service.h"
#include "domain/channel/channel.h"

enum {
    TEST_RANGES_MAX = 32,
    TEST_RANGE_NUMBERS_MAX = 1000000,
    TEST_SENDS_MAX = 2, /* of one owner: the first send, and its fallback */
};

/* Numbers of as many digits, both ends included. */
struct test_range {
    long long first, last; /* the digits behind the plus sign */
};

struct test_numbers {
    struct test_range ranges[TEST_RANGES_MAX];
    size_t count;
};

/* Reads HERALD_TEST_NUMBERS; an empty text has none. Returns false if it is not as
 * TEST_NUMBERS_ALLOWED says. */
bool test_numbers_read(struct str text, struct test_numbers *ret_numbers);
#define TEST_NUMBERS_ALLOWED                                                                   \
    "at most 32 ranges separated by commas, such as +79990000000-+79990000099: the first and " \
    "the last number, of the same length and with at most 1,000,000 numbers between them"

/* A send belongs to one of these. */
enum test_owner { TEST_OF_OTP, TEST_OF_MESSAGE, TEST_OF_CALL, TEST_OWNER_COUNT };

struct test_send {
    struct uuid id;
    enum test_owner owner;
    struct uuid owner_id;
    const char *channel;        /* the word of a code's channel; NULL: not a code's */
    const char *gateway_number; /* NULL: none was asked for */
    int64_t scenario;
    int64_t step;
    enum send_state state;
    const char *error;
    int64_t created_at;
    int64_t updated_at;
};

/* Tells the owner that its send has a new state, before the send's row is written, so that the
 * owner's row is locked first. SEND_DELIVERED tells the owner of a call that the call has come.
 * ERR_NOT_FOUND: the owner is gone, which is fine. */
typedef enum err (*test_apply_fn)(struct work *work, const struct test_send *send);

struct test_number_setup {
    struct test_numbers numbers;
    bool is_test_environment; /* HERALD_ENVIRONMENT is test */
    test_apply_fn apply[TEST_OWNER_COUNT];
};

/* Tells whether test numbers are test numbers for whoever asks. */
bool test_number_may_use(const struct work *work);
/* Tells whether a new record of this number is of a test number: the number is one, and whoever
 * asks may use them. */
bool test_number_applies(const struct work *work, const char *number);

/* Tells how the scenario of a test number refuses a new record. ERR_OK: it does not.
 * ERR_RATE_LIMITED and ERR_CIRCUIT_OPEN (codes and messages; `ret_retry_after_ms` set),
 * ERR_NO_ENABLED_NUMBER (calls). */
enum err test_number_refuse(const char *number, enum test_owner owner,
                            int64_t *ret_retry_after_ms) MUST_CHECK;
/* Returns how many wrong codes a code of this number bears, of `usual` ones. */
int64_t test_number_attempts(const char *number, int64_t usual);
/* Returns a number to call, of HERALD_TEST_NUMBERS; nobody answers there. */
const char *test_number_to_call(const struct work *work);

/* Queues a send of the test number `number`: owner, owner_id, channel and gateway_number are taken
 * from `send`. A fallback is delivered, whatever became of the first send. */
enum err test_send_queue(struct work *work, const struct test_send *send, const char *number,
                         bool is_fallback) MUST_CHECK;
/* Lists the sends of an owner (struct test_send), oldest first. */
enum err test_send_list(struct work *work, const struct uuid *owner_id,
                        struct record_list *ret_sends) MUST_CHECK;
/* Adds what became of the sends of an owner. */
enum err test_send_add_steps(struct work *work, const struct uuid *owner_id,
                             struct timeline *timeline) MUST_CHECK;
/* Lists those of 1 to DB_KEYS_MAX owners, in no order. */
enum err test_send_list_all(struct work *work, const struct uuid *owner_ids, size_t count,
                            struct record_list *ret_sends) MUST_CHECK;
/* Ends the sends of an owner that is final and whose row is held: those that still wait do not go
 * out any more, and their error says `reason`. */
enum err test_send_end(struct work *work, const struct uuid *owner_id,
                       const char *reason) MUST_CHECK;
/* Plays the steps that are due, at most `max`. */
enum err test_send_play(struct work *work, int max, int64_t *ret_played) MUST_CHECK;
