/* Sends tell their part of a timeline (contract, section 11.7). */
#include "core/words.h"
#include "domain/channel/channel_db.h"

static const int word_of_state[] = {
    [SEND_ACCEPTED] = TIMELINE_ACCEPTED,   [SEND_SENT] = TIMELINE_SENT,
    [SEND_DELIVERED] = TIMELINE_DELIVERED, [SEND_FAILED] = TIMELINE_FAILED,
    [SEND_UNKNOWN] = TIMELINE_UNKNOWN,
};

/* A fetch has a line when it begins, and another one, of the same time, when it ends. One that has
 * no end is under way, or herald ended during it. */
static bool is_ended(const struct timeline *timeline, size_t begun)
{
    int64_t at = timeline_at(timeline, begun)->at;
    for (size_t i = begun + 1; i < timeline->steps.count; i++) {
        const struct timeline_step *step = timeline_at(timeline, i);
        if (step->word == TIMELINE_FETCH && step->at == at) return true;
    }
    return false;
}

static void join_fetches(struct timeline *timeline, size_t first)
{
    int64_t attempt = 0;

    for (size_t i = first; i < timeline->steps.count;) {
        struct timeline_step *step = timeline_at(timeline, i);
        if (step->word == TIMELINE_FETCH && step->outcome < 0 && is_ended(timeline, i)) {
            timeline_remove(timeline, i);
            continue;
        }
        if (step->word == TIMELINE_FETCH) step->attempt = ++attempt;
        i++;
    }
}

static void add_send(const struct work *work, const struct traced_send *traced,
                     struct timeline *timeline)
{
    const struct channel_send *send = &traced->send;
    const char *channel = channel_words[send->channel];
    size_t first = timeline->steps.count;
    struct timeline_step step = timeline_step_of(TIMELINE_QUEUED, send->created_at);

    step.channel = word_index(timeline_channel_words, channel);
    timeline_add(timeline, &step);
    timeline_add_lines(timeline, traced->steps, &step);
    join_fetches(timeline, first);
    if (send->state < SEND_ACCEPTED) return;
    step.word = word_of_state[send->state];
    step.at = send->updated_at;
    step.error = channel_error(work, send);
    timeline_add(timeline, &step);
}

enum err channel_add_steps(struct work *work, const struct uuid *owner_id,
                           struct timeline *timeline)
{
    struct record_list list;
    enum err err = send_select_traced(work, owner_id, &list);
    const struct traced_send *sends = list.items;
    for (size_t i = 0; !err && i < list.count; i++)
        add_send(work, &sends[i], timeline);
    return err;
}
