/*
 * The service holds what the rules of the business need at run time. It is made once at the start,
 * shared by all threads and never changed; `work->service` leads to it.
 */
#pragma once

#include "core/sealed.h"
#include "core/work.h"

struct api;
struct catalog_memory;
struct channel_setup;
struct erp_setup;
struct fleet_setup;
struct integration_setup;
struct order_setup;
struct phone_task_setup;
struct sms_setup;
struct token_setup;

struct service {
    struct db *verification; /* fleet, challenges, codes, tasks, messages, log */
    struct db *exchange;     /* clients, keys, packages, catalog, orders */
    bool is_one_database;    /* one database has both stores, each with connections of its own */
    struct vault *vault;     /* seals stored values (core/sealed.h) */

    /* Each room of the domain declares its own part. */
    const struct fleet_setup *fleet;
    const struct phone_task_setup *phone_tasks;
    const struct sms_setup *sms;
    const struct channel_setup *channels; /* providers, by enum channel */
    const struct integration_setup *integrations;
    const struct token_setup *tokens;
    struct catalog_memory *catalog_memory; /* numbers of products */
    const struct erp_setup *erp;
    const struct order_setup *orders;
    const struct api *api; /* for operations that ask about the api itself */
};
