/*
 * The domain in a test: an empty database, the service that the rules stand on, and a clock that
 * the test owns. Each function is one transaction, as the dispatcher runs it: an error rolls back,
 * but a wrong code is kept.
 */
#pragma once

#include "domain/challenge/challenge.h"
#include "domain/erp/erp.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/fleet/presence.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/order/order.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"
#include "domain/sms/sms_text.h"
#include "kit/base/macros.h"
#include "store.h"

/* Every clock begins here: 2026-11-21T04:33:00Z. */
#define WORLD_START_MS 1795235580000

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS };

/* The secret key of a world. */
#define VAULT_KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

struct world {
    struct store *store;
    struct service service;
    struct fleet_setup fleet; /* its parts */
    struct challenge_setup challenges;
    struct phone_task_setup phone_tasks;
    struct sms_setup sms;
    struct integration_setup integrations;
    struct token_setup tokens;
    struct erp_setup erp;
    struct order_setup orders;
    struct vault *vault;
    struct arena *arena;    /* of one thread */
    struct work_note *said; /* what the last transaction noted */
    int64_t now_ms;
};

void world_open(struct world *world, struct store *store);
void world_close(struct world *world);
#define AUTO_WORLD __attribute__((cleanup(world_close))) struct world

/* Errors by name, so that a failure can be read. */
#define assert_err(actual, expected) \
    assert_string_equal(err_info(actual)->name, err_info(expected)->name)
#define assert_ok(actual)       assert_err(actual, ERR_OK)
#define assert_uuid_equal(a, b) assert_memory_equal(&(a), &(b), sizeof(struct uuid))

/* One transaction of the test's own. */
enum err world_run(struct world *world, enum err (*run)(struct work *work, void *arg), void *arg);
/* The same as a read: nothing may be written. */
enum err world_read(struct world *world, enum err (*run)(struct work *work, void *arg), void *arg);

/* `count` threads at once, each with memory and notes of its own. No assertion inside: they belong
 * to the test's thread. */
void world_crowd(struct world *world, int count,
                 void (*run)(struct world *world, int index, void *arg), void *arg);

/* --- Fleet --- */

/* A phone with these numbers, which must be free; texts must live as long as the world. */
struct device world_phone(struct world *world, const char *number);
struct device world_phone_of(struct world *world, const char *const *numbers, size_t count);
/* The operator binds a phone to these accounts and no others; `ret_taken` may be NULL. */
enum err world_bind(struct world *world, const struct uuid *id, const char *const *account_ids,
                    size_t count, const char **ret_taken);
/* The operator gives a phone these numbers and no others. */
enum err world_change(struct world *world, const struct uuid *id, const char *const *numbers,
                      size_t count);
enum err world_remove(struct world *world, const struct uuid *id);
enum err world_set_enabled(struct world *world, const struct uuid *id, bool is_enabled);
/* The phone polls: its SIM is ready (or not any more), in a writing transaction. */
void world_set_ready(struct world *world, const struct device *phone, const char *number,
                     bool is_ready);
struct device world_read_phone(struct world *world, const struct uuid *id);
/* Tells which number would serve; it counts as used, and no challenge goes over it. */
enum err world_choose(struct world *world, const struct number_choice *choice,
                      const char **ret_number);
void world_flush(struct world *world);

/* --- Calls --- */

enum err world_call(struct world *world, const char *caller, const char *gateway_number,
                    struct call_challenge *ret_challenge, struct uuid *ret_active);
enum err world_read_call(struct world *world, const struct uuid *id,
                         struct call_challenge *ret_challenge);
enum err world_cancel_call(struct world *world, const struct uuid *id);
enum err world_report_call(struct world *world, const struct device *phone,
                           const struct call_event *event, struct event_result *ret_result);

/* --- Codes --- */

/* A code by SMS for 300 seconds; the sender is chosen. */
enum err world_otp(struct world *world, const char *recipient, struct otp *ret_otp,
                   struct otp_refusal *ret_refusal);
enum err world_otp_of(struct world *world, const struct otp_input *input, struct otp *ret_otp,
                      struct otp_refusal *ret_refusal);
/* The code, as only the vault and the SMS know it; NULL once it is erased. */
const char *world_code(struct world *world, const struct uuid *id);
/* A code of the same length that is wrong. */
const char *world_wrong_code(struct world *world, const struct uuid *id);
enum err world_verify(struct world *world, const struct uuid *id, const char *code,
                      struct otp *ret_otp, struct otp_refusal *ret_refusal);
struct otp world_read_otp(struct world *world, const struct uuid *id);
enum err world_cancel_otp(struct world *world, const struct uuid *id);
/* Returns how many codes were erased. */
int64_t world_sweep_otps(struct world *world, int max);

/* --- SMS --- */

/* The job that a poll brings; NULL: none. */
struct claimed_task *world_claim(struct world *world, const struct device *phone,
                                 const char *number);
enum err world_claim_of(struct world *world, const struct device *phone,
                        const struct sms_claim_input *input, struct claimed_task **ret_job);
enum err world_report(struct world *world, const struct device *phone, const struct uuid *task_id,
                      const struct phone_task_result *result);
