/*
 * This room tells how the channels stand, at a glance (contract, section 11.8). It reads rows of
 * the rooms below and writes none. Each figure comes from few rows: a table that stays small, an
 * entry of an index, or a count that ends at a bound. It is true for all processes, since only the
 * database is asked.
 */
#pragma once

#include "core/timeline.h"
#include "core/work.h"
#include "domain/integration/integration.h"
#include "domain/trouble/trouble.h"

enum {
    OVERVIEW_COUNT_MAX = 1000,  /* counts of what waits end here */
    OVERVIEW_LOOK_MAX = 1000,   /* sends among which the last success is looked for */
    OVERVIEW_FLEET_MAX = 10000, /* phones, SIMs and accounts that are counted */
    OVERVIEW_OLD_CATALOG_MS = 72 * 60 * 60 * 1000,
};

/* The status says how one channel stands. */
struct channel_status {
    int channel;                  /* an index in timeline_channel_words */
    const char *driver;           /* NULL: phones send, or it is not configured */
    bool configured;              /* phones need no setting */
    struct lane_circuit *circuit; /* NULL: phones send */
    int64_t under_way, waiting;   /* at most OVERVIEW_COUNT_MAX */
    int64_t oldest_waiting_at;    /* 0: nothing waits */
    int64_t last_success_at;      /* 0: none of the newest sends went well */
    int64_t rate_limit;           /* sends a second of a process; -1: none */
    int64_t ready_sims;           /* -1: the channel has no SIMs */
    int64_t connected_accounts;   /* -1: the channel has no accounts */
};
struct channel_status_list {
    struct record_list channels; /* struct channel_status */
};
extern const struct record channel_record;
extern const struct record channel_status_list_record;

/* It counts what there is of something, and how much of it can do its work. */
struct fleet_overview {
    int64_t phones, enabled_phones;
    int64_t sims, ready_sims, silent_sims;
    int64_t accounts, connected_accounts;
};
struct process_overview {
    int64_t living, lost;
    int64_t workers;          /* of those that live, how many work; it is not shown */
    int64_t worker_beaten_at; /* the last sign of life of any worker; the same. 0: there was none */
};
/* This is what the verification store holds, at a glance. */
struct overview {
    const char *version;
    int environment;      /* enum integration_environment: HERALD_ENVIRONMENT has the same words */
    const char *degraded; /* what the process that answers does not do; NULL: it does all */
    struct fleet_overview *fleet;
    struct process_overview *processes;
    struct record_list channels; /* struct channel_status */
    struct record_list troubles; /* struct trouble; at most TROUBLES_SHOWN_MAX */
    int64_t trouble_count;       /* all there are */
    int64_t well_since; /* there is none since then; 0: there is one, or nobody looked yet */
};
extern const struct record overview_record;

/* This is what the exchange store holds, at a glance. */
struct exchange_overview {
    int64_t integrations, enabled_integrations, open_circuits; /* at most OVERVIEW_FLEET_MAX */
    int64_t old_catalogs;                                      /* of those enabled */
    int64_t packages_waiting, packages_failed, orders_waiting; /* at most OVERVIEW_COUNT_MAX */
    int64_t oldest_package_at, oldest_order_at;                /* of those that wait; 0: none */
};
extern const struct record exchange_overview_record;

/* Reads the figures of the verification store; troubles are left out. */
enum err overview_read(struct work *work, struct overview *ret_overview) MUST_CHECK;
/* Adds what is wrong: what a worker has found, and what only the process that answers can tell. */
enum err overview_read_troubles(struct work *work, struct overview *overview) MUST_CHECK;
/* Reads the exchange store. */
enum err exchange_overview_select(struct work *work,
                                  struct exchange_overview *ret_overview) MUST_CHECK;

/* It says when the newest snapshot of an integration came. */
struct snapshot_age {
    struct uuid integration_id;
    int64_t at;
};
/* Lists those of the first `max` integrations that are enabled and had one (struct snapshot_age),
 * by their ids. */
enum err snapshot_age_select(struct work *work, int max, struct record_list *ret_ages) MUST_CHECK;

/* Lists all channels. */
enum err overview_list_channels(struct work *work, struct record_list *ret_channels) MUST_CHECK;
/* The same, where the fleet was counted already. */
enum err overview_list_for(struct work *work, const struct fleet_overview *fleet,
                           struct record_list *ret_channels) MUST_CHECK;

extern const struct route_table overview_routes;
extern const struct route_table overview_exchange_routes; /* of the exchange store */
