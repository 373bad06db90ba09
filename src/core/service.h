/*
 * The service holds what the rules of the business need at run time. It is made once at the start,
 * shared by all threads, and only `is_degraded` changes later; `work->service` leads to it.
 */
#pragma once

#include "core/sealed.h"
#include "core/work.h"

#include <stdatomic.h>

struct alert_setup;
struct api;
struct catalog_memory;
struct challenge_setup;
struct channel_setup;
struct erp_setup;
struct event_setup;
struct fleet_setup;
struct integration_setup;
struct key_watch;
struct operator_setup;
struct order_setup;
struct own_process;
struct phone_task_setup;
struct sms_setup;
struct test_number_setup;
struct token_setup;
struct webhook_setup;

struct service {
    /* The key set of the identity service is too old, so its tokens are refused (contract, section
     * 4). */
    atomic_bool is_degraded;
    struct db *verification;    /* fleet, challenges, codes, tasks, messages, log */
    struct db *exchange;        /* clients, keys, packages, catalog, orders */
    bool is_one_database;       /* one database has both stores, each with connections of its own */
    bool is_log_sensitive;      /* LOG_SENSITIVE: whoever reads the log leaves a record */
    int64_t audit_days;         /* records of the audit are kept so long; 0: for ever */
    int64_t personal_days;      /* personal data is kept so long; 0: for ever */
    struct event_setup *events; /* core/event.h; NULL: none are written */
    struct vault *vault;        /* seals stored values (core/sealed.h) */
    struct key_watch *key_watch; /* how far the replacement of the secret key is */

    /* Each room of the domain declares its own part. */
    const struct fleet_setup *fleet;
    const struct challenge_setup *challenges;
    const struct phone_task_setup *phone_tasks;
    const struct sms_setup *sms;
    const struct channel_setup *channels; /* providers, by enum channel */
    const struct test_number_setup *test_numbers;
    const struct integration_setup *integrations;
    const struct token_setup *tokens;
    struct catalog_memory *catalog_memory; /* numbers of products */
    const struct erp_setup *erp;
    const struct order_setup *orders;
    const struct webhook_setup *webhooks;
    const struct operator_setup *operators;
    const struct alert_setup *alerts; /* whom to tell of troubles */
    struct own_process *process;      /* which beats; NULL: it has no row */
    const struct api *api;            /* for operations that ask about the api itself */
};
