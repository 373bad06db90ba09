/* The story of a code's sending: what phones and providers did, as one list (contract, section 2,
 * OTPChallenge.sends). */
#include "domain/otp/otp_send.h"

enum story_state {
    STORY_QUEUED,
    STORY_CLAIMED,
    STORY_ACCEPTED,
    STORY_SENT,
    STORY_DELIVERED,
    STORY_FAILED,
    STORY_UNKNOWN,
};
const char *const send_state_words[] = {"queued",    "claimed", "accepted", "sent",
                                        "delivered", "failed",  "unknown",  NULL};

static const enum story_state state_of_task[] = {
    [TASK_QUEUED] = STORY_QUEUED, [TASK_CLAIMED] = STORY_CLAIMED,
    [TASK_SENT] = STORY_SENT,     [TASK_DELIVERED] = STORY_DELIVERED,
    [TASK_FAILED] = STORY_FAILED, [TASK_UNKNOWN] = STORY_UNKNOWN,
};

static const enum story_state state_of_send[] = {
    [SEND_QUEUED] = STORY_QUEUED,       [SEND_CALLING] = STORY_CLAIMED,
    [SEND_ACCEPTED] = STORY_ACCEPTED,   [SEND_SENT] = STORY_SENT,
    [SEND_DELIVERED] = STORY_DELIVERED, [SEND_FAILED] = STORY_FAILED,
    [SEND_UNKNOWN] = STORY_UNKNOWN,
};

static const enum otp_channel channel_of_send[CHANNEL_COUNT] = {
    [CHANNEL_FLASH_CALL] = OTP_FLASH_CALL,
    [CHANNEL_MESSENGER_GATEWAY] = OTP_MESSENGER_GATEWAY,
};

/* One send, whoever made it. */
struct episode {
    struct uuid id;
    struct otp_send send;
};

static struct episode episode_of_task(const struct task *task, int64_t now_ms)
{
    bool is_sms = task->channel == TASK_SMS;
    return (struct episode){
        .id = task->id,
        .send =
            {
                .channel = is_sms ? OTP_SMS : OTP_PERSONAL_MESSENGER,
                .gateway_number = is_sms ? task->sender : NULL,
                .state = (int)state_of_task[task_shown_state(task, now_ms)],
                .error = task->error,
                .updated_at = task->updated_at,
            },
    };
}

static struct episode episode_of_send(const struct channel_send *send)
{
    return (struct episode){
        .id = send->id,
        .send =
            {
                .channel = channel_of_send[send->channel],
                .state = (int)state_of_send[send->state],
                .error = send->error,
                .updated_at = send->updated_at,
            },
    };
}

/* Both lists are in the order of their ids, which is that of time. */
static size_t merge(const struct record_list *tasks, const struct record_list *sends,
                    int64_t now_ms, struct episode *episodes)
{
    const struct task *task = tasks->items, *task_end = task + tasks->count;
    const struct channel_send *send = sends->items, *send_end = send + sends->count;
    size_t count = 0;

    while (task < task_end || send < send_end) {
        bool is_task = send == send_end ||
                       (task < task_end && memcmp(&task->id, &send->id, sizeof(task->id)) < 0);
        episodes[count++] = is_task ? episode_of_task(task++, now_ms) : episode_of_send(send++);
    }
    return count;
}

/* Codes by SMS have no provider: nothing is asked for what cannot be there. */
static enum err read_episodes(struct work *work, const struct uuid *otp_id, bool has_provider,
                              struct record_list *ret_episodes)
{
    struct record_list tasks, sends = {0};
    enum err err = task_list(work, otp_id, &tasks);
    if (!err && has_provider) err = channel_list(work, otp_id, &sends);
    if (err) return err;
    struct episode *episodes =
        arena_array(work->arena, tasks.count + sends.count, sizeof(*episodes));
    size_t count = merge(&tasks, &sends, work->now_ms, episodes);
    *ret_episodes = (struct record_list){episodes, count};
    return ERR_OK;
}

enum err otp_read_sends(struct work *work, struct otp *otp)
{
    struct record_list list;
    enum err err = read_episodes(work, &otp->id, otp->channel != OTP_SMS, &list);
    if (err) return err;

    const struct episode *episodes = list.items;
    struct otp_send *sends = arena_array(work->arena, list.count, sizeof(*sends));
    for (size_t i = 0; i < list.count; i++)
        sends[i] = episodes[i].send;
    otp->sends = (struct record_list){sends, list.count};
    return ERR_OK;
}

enum err otp_has_living_send(struct work *work, const struct uuid *otp_id,
                             const struct uuid *failed_id, bool *ret_has)
{
    struct record_list list;
    enum err err = read_episodes(work, otp_id, true, &list);
    if (err) return err;

    const struct episode *episodes = list.items;
    *ret_has = false;
    for (size_t i = 0; i < list.count; i++) {
        bool is_other = !uuid_equal(&episodes[i].id, failed_id);
        if (is_other && episodes[i].send.state != STORY_FAILED) *ret_has = true;
    }
    return ERR_OK;
}

enum err otp_awaits_code(struct work *work, const struct uuid *otp_id, bool *ret_awaits)
{
    struct record_list list;
    enum err err = channel_list(work, otp_id, &list);
    if (err) return err;

    const struct channel_send *sends = list.items;
    *ret_awaits = false;
    for (size_t i = 0; i < list.count; i++) {
        if (sends[i].state == SEND_QUEUED || sends[i].state == SEND_CALLING) *ret_awaits = true;
    }
    return ERR_OK;
}
