/* The statements that look at the rows of other rooms have one function each. */
#pragma once

#include "domain/channel/channel.h"
#include "domain/overview/overview.h"

/* This is what a channel has to do. */
struct channel_load {
    int64_t under_way, waiting;
    int64_t oldest_waiting_at; /* 0: nothing waits */
};
/* Counts the sends of a provider's channel, by their jobs. */
enum err load_select_sends(struct work *work, enum channel channel,
                           struct channel_load *ret_load) MUST_CHECK;
/* Counts the tasks that phones have of a channel, which is called `word`. */
enum err load_select_tasks(struct work *work, const char *word,
                           struct channel_load *ret_load) MUST_CHECK;

/* This is what the processes have told each other of a provider's channel. */
struct shared_circuit {
    int64_t open_until, opened_at; /* 0: it is closed; it is not known */
    const char *reason;
};
enum err shared_circuit_select(struct work *work, enum channel channel,
                               struct shared_circuit *ret_circuit) MUST_CHECK;

/* Finds when a send of each channel (by timeline_channel_words) went well last, among the newest
 * OVERVIEW_LOOK_MAX of phones and as many of providers; 0: none did. */
enum err success_select(struct work *work, int64_t *ret_times) MUST_CHECK;

/* Counts the fleet, up to OVERVIEW_FLEET_MAX of each. */
enum err fleet_overview_select(struct work *work, struct fleet_overview *ret_fleet) MUST_CHECK;
