/*
 * What the rules of the business stand on at run time: made once at the start, shared by all
 * threads, never changed. Reached through `work->service`.
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
    bool is_one_database;    /* the two stores lie in one, each with connections of its own */
    struct vault *vault;     /* seals what is stored (core/sealed.h) */

    /* What each room stands on beside these; only it knows of what that consists. */
    const struct fleet_setup *fleet;
    const struct phone_task_setup *phone_tasks;
    const struct sms_setup *sms;
    const struct channel_setup *channels; /* providers, by enum channel */
    const struct integration_setup *integrations;
    const struct token_setup *tokens;
    struct catalog_memory *catalog_memory; /* numbers of products */
    const struct erp_setup *erp;
    const struct order_setup *orders;
    const struct api *api; /* what answers requests, for operations that ask after it */
};
