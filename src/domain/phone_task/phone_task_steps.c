/* The tasks of phones tell their part of a timeline (contract, section 11.7). */
#include "core/words.h"
#include "domain/phone_task/phone_task_db.h"

/* A line of a move holds the sender that the task had before it, since the row has the last one. */
static void trade_senders(struct timeline *timeline, size_t first, const char *sender)
{
    for (size_t i = timeline->steps.count; i > first; i--) {
        struct timeline_step *step = timeline_at(timeline, i - 1);
        const char *before = step->word == TIMELINE_MOVED ? step->gateway_number : sender;
        step->gateway_number = sender;
        sender = before;
    }
}

static const int word_of_state[] = {
    [PHONE_TASK_SENT] = TIMELINE_SENT,
    [PHONE_TASK_DELIVERED] = TIMELINE_DELIVERED,
    [PHONE_TASK_FAILED] = TIMELINE_FAILED,
    [PHONE_TASK_UNKNOWN] = TIMELINE_UNKNOWN,
};

/* The state that it has now. It is unknown since its phone said so, or since its lease ended and
 * its time was over. */
static void add_state(const struct work *work, const struct phone_task *task,
                      const struct timeline_step *row, struct timeline *timeline)
{
    enum phone_task_state state = phone_task_shown_state(task, work->now_ms);
    struct timeline_step step = *row;

    if (state == PHONE_TASK_QUEUED || state == PHONE_TASK_CLAIMED) return;
    step.word = word_of_state[state];
    step.at = task->updated_at;
    if (state == PHONE_TASK_FAILED || state == PHONE_TASK_UNKNOWN)
        step.error = phone_task_error(work, task);
    if (state == PHONE_TASK_UNKNOWN && task->state != PHONE_TASK_UNKNOWN)
        step.at = task->handed_over_at > 0 || task->lease_until > task->expires_at
                      ? task->lease_until
                      : task->expires_at;
    timeline_add(timeline, &step);
}

static void add_task(const struct work *work, const struct traced_task *traced,
                     struct timeline *timeline)
{
    const struct phone_task *task = &traced->task;
    bool is_sms = task->channel == PHONE_TASK_SMS;
    const char *channel = phone_task_channel_words[task->channel];
    size_t first = timeline->steps.count;
    struct timeline_step row = timeline_step_of(TIMELINE_QUEUED, task->created_at);

    row.channel = word_index(timeline_channel_words, channel);
    row.attempt = task->attempt;
    if (!is_sms) row.account_id = task->sender;
    timeline_add(timeline, &row);
    timeline_add_lines(timeline, traced->steps, &row);
    add_state(work, task, &row, timeline);
    if (is_sms) trade_senders(timeline, first, task->sender);
}

enum err phone_task_add_steps(struct work *work, const struct uuid *owner_id,
                              struct timeline *timeline)
{
    struct record_list list;
    enum err err = phone_task_select_traced(work, owner_id, &list);
    const struct traced_task *tasks = list.items;
    for (size_t i = 0; !err && i < list.count; i++)
        add_task(work, &tasks[i], timeline);
    return err;
}
