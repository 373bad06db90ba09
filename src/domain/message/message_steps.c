/* A message tells its timeline, which is that of its sends (contract, section 11.7). */
#include "core/words.h"
#include "domain/message/message.h"

static void add_creation(const struct message *message, struct timeline *timeline)
{
    const char *channel = message_channel_words[message->channel];
    struct timeline_step step = timeline_step_of(TIMELINE_CREATED, message->created_at);
    step.channel = word_index(timeline_channel_words, channel);
    step.account_id = message->account_id;
    timeline_add(timeline, &step);
}

static enum err add_sends(struct work *work, const struct message *message,
                          struct timeline *timeline)
{
    if (message->test) return test_send_add_steps(work, &message->id, timeline);
    if (message_is_on_phones(message)) return phone_task_add_steps(work, &message->id, timeline);
    return channel_add_steps(work, &message->id, timeline);
}

enum err message_read_timeline(struct work *work, const struct uuid *id,
                               struct timeline *ret_timeline)
{
    struct message message;

    timeline_init(ret_timeline, work->arena);
    enum err err = message_read(work, id, &message);
    if (err) return err;
    add_creation(&message, ret_timeline);
    err = add_sends(work, &message, ret_timeline);
    if (err) return err;
    timeline_sort(ret_timeline);
    return fleet_name_steps(work, ret_timeline);
}
