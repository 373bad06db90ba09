/* These rules find out how each channel stands (contract, section 11.8). */
#include "core/words.h"
#include "domain/overview/overview.h"
#include "domain/overview/overview_db.h"
#include "kit/base/clock.h"

enum { CHANNELS = 5 }; /* timeline_channel_words */

/* A process closes a circuit that it opened itself. Where it was ended before, a send of another
 * one that went well afterwards tells as much; nobody closes that of a channel without a driver. */
static struct lane_circuit *show_shared(struct work *work, const struct channel_setup *setup,
                                        const struct shared_circuit *shared, int64_t success_at)
{
    struct lane_circuit *shown = ARENA_NEW(work->arena, struct lane_circuit);
    int64_t left_ms = clock_left_ms(shared->open_until, work->now_ms);
    bool is_over = !setup->driver || shared->open_until == 0 ||
                   (left_ms == 0 && success_at > shared->open_until);

    *shown = (struct lane_circuit){.state = LANE_CLOSED};
    if (is_over) return shown;
    shown->state = left_ms > 0 ? LANE_OPEN : LANE_HALF_OPEN;
    shown->since = shared->opened_at;
    if (left_ms > 0)
        shown->next_probe_at =
            clock_not_past(shared->open_until - channel_probe_ms(setup), work->now_ms);
    shown->last_error = shared->reason;
    return shown;
}

static enum err fill_provider(struct work *work, enum channel channel,
                              struct channel_status *status)
{
    const struct channel_setup *setup = &work->service->channels[channel];
    struct shared_circuit shared;
    struct channel_load load;

    enum err err = shared_circuit_select(work, channel, &shared);
    if (!err) err = load_select_sends(work, channel, &load);
    if (err) return err;
    status->configured = setup->driver;
    status->driver = setup->driver ? setup->driver->name : NULL;
    if (setup->driver && setup->driver->calls_per_s > 0)
        status->rate_limit = setup->driver->calls_per_s;
    status->circuit = show_shared(work, setup, &shared, status->last_success_at);
    status->under_way = load.under_way;
    status->waiting = load.waiting;
    status->oldest_waiting_at = load.oldest_waiting_at;
    return ERR_OK;
}

static enum err fill_phones(struct work *work, const char *word, const struct fleet_overview *fleet,
                            struct channel_status *status)
{
    struct channel_load load;
    bool is_sms = strcmp(word, "sms") == 0;

    enum err err = load_select_tasks(work, word, &load);
    if (err) return err;
    status->configured = true;
    if (is_sms) status->ready_sims = fleet->ready_sims;
    if (!is_sms) status->connected_accounts = fleet->connected_accounts;
    status->under_way = load.under_way;
    status->waiting = load.waiting;
    status->oldest_waiting_at = load.oldest_waiting_at;
    return ERR_OK;
}

enum err overview_list_for(struct work *work, const struct fleet_overview *fleet,
                           struct record_list *ret_channels)
{
    struct channel_status *rows = arena_array(work->arena, CHANNELS, sizeof(*rows));
    int64_t success_at[CHANNELS] = {0};

    assert(!timeline_channel_words[CHANNELS]);
    enum err err = success_select(work, success_at);
    for (int i = 0; !err && i < CHANNELS; i++) {
        const char *word = timeline_channel_words[i];
        int provider = word_index(channel_words, word);
        rows[i] = (struct channel_status){
            .channel = i,
            .last_success_at = success_at[i],
            .rate_limit = -1,
            .ready_sims = -1,
            .connected_accounts = -1,
        };
        err = provider >= 0 ? fill_provider(work, (enum channel)provider, &rows[i])
                            : fill_phones(work, word, fleet, &rows[i]);
    }
    *ret_channels = (struct record_list){rows, CHANNELS};
    return err;
}

enum err overview_list_channels(struct work *work, struct record_list *ret_channels)
{
    struct fleet_overview fleet;
    enum err err = fleet_overview_select(work, &fleet);
    return err ? err : overview_list_for(work, &fleet, ret_channels);
}
