/* Sends of test numbers tell their part of a timeline as true ones do (contract, section 11.7). */
#include "core/words.h"
#include "domain/test_number/test_number_db.h"

static const int word_of_state[] = {
    [SEND_ACCEPTED] = TIMELINE_ACCEPTED,   [SEND_SENT] = TIMELINE_SENT,
    [SEND_DELIVERED] = TIMELINE_DELIVERED, [SEND_FAILED] = TIMELINE_FAILED,
    [SEND_UNKNOWN] = TIMELINE_UNKNOWN,
};

/* Only messages of a personal messenger have a recipient who may be a test number. */
static int channel_of(const struct test_send *send)
{
    const char *channel = send->channel ? send->channel : "personal_messenger";
    return word_index(timeline_channel_words, channel);
}

static void add_send(const struct traced_test_send *traced, struct timeline *timeline)
{
    const struct test_send *send = &traced->send;
    struct timeline_step step = timeline_step_of(TIMELINE_QUEUED, send->created_at);

    step.channel = channel_of(send);
    step.gateway_number = send->gateway_number;
    timeline_add(timeline, &step);
    timeline_add_lines(timeline, traced->steps, &step);
    if (send->state < SEND_ACCEPTED) return;
    step.word = word_of_state[send->state];
    step.at = send->updated_at;
    step.error = send->error;
    timeline_add(timeline, &step);
}

enum err test_send_add_steps(struct work *work, const struct uuid *owner_id,
                             struct timeline *timeline)
{
    struct record_list list;
    enum err err = test_send_select_traced(work, owner_id, &list);
    const struct traced_test_send *sends = list.items;
    for (size_t i = 0; !err && i < list.count; i++)
        add_send(&sends[i], timeline);
    return err;
}
