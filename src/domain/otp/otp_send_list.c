/* The sends of a code, by phones and by providers, as one list (contract, section 2,
 * OTPChallenge.sends). */
#include "domain/otp/otp_send.h"

const char *const otp_send_state_words[] = {"queued",    "claimed", "accepted", "sent",
                                            "delivered", "failed",  "unknown",  NULL};

static const enum otp_send_state state_of_task[] = {
    [PHONE_TASK_QUEUED] = OTP_SEND_QUEUED, [PHONE_TASK_CLAIMED] = OTP_SEND_CLAIMED,
    [PHONE_TASK_SENT] = OTP_SEND_SENT,     [PHONE_TASK_DELIVERED] = OTP_SEND_DELIVERED,
    [PHONE_TASK_FAILED] = OTP_SEND_FAILED, [PHONE_TASK_UNKNOWN] = OTP_SEND_UNKNOWN,
};

static const enum otp_send_state state_of_send[] = {
    [SEND_QUEUED] = OTP_SEND_QUEUED,       [SEND_CALLING] = OTP_SEND_CLAIMED,
    [SEND_ACCEPTED] = OTP_SEND_ACCEPTED,   [SEND_SENT] = OTP_SEND_SENT,
    [SEND_DELIVERED] = OTP_SEND_DELIVERED, [SEND_FAILED] = OTP_SEND_FAILED,
    [SEND_UNKNOWN] = OTP_SEND_UNKNOWN,
};

static const enum otp_channel channel_of_send[CHANNEL_COUNT] = {
    [CHANNEL_FLASH_CALL] = OTP_FLASH_CALL,
    [CHANNEL_MESSENGER_GATEWAY] = OTP_MESSENGER_GATEWAY,
};

/* With its place in the list: ids are in the order of time. */
struct row {
    struct uuid id;
    struct otp_send send;
};

static struct row row_of_task(const struct phone_task *task, int64_t now_ms)
{
    bool is_sms = task->channel == PHONE_TASK_SMS;
    return (struct row){
        .id = task->id,
        .send =
            {
                .channel = is_sms ? OTP_SMS : OTP_PERSONAL_MESSENGER,
                .gateway_number = is_sms ? task->sender : NULL,
                .state = (int)state_of_task[phone_task_shown_state(task, now_ms)],
                .error = task->error,
                .updated_at = task->updated_at,
            },
    };
}

static struct row row_of_send(const struct channel_send *send)
{
    assert(send->channel != CHANNEL_MESSENGER_BOT); /* no code goes over it */
    return (struct row){
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
                    int64_t now_ms, struct row *rows)
{
    const struct phone_task *task = tasks->items, *phone_task_end = task + tasks->count;
    const struct channel_send *send = sends->items, *send_end = send + sends->count;
    size_t count = 0;

    while (task < phone_task_end || send < send_end) {
        bool is_task = send == send_end || (task < phone_task_end &&
                                            memcmp(&task->id, &send->id, sizeof(task->id)) < 0);
        rows[count++] = is_task ? row_of_task(task++, now_ms) : row_of_send(send++);
    }
    return count;
}

/* Nothing is asked for what cannot be there. */
static enum err read_list(struct work *work, const struct uuid *otp_id, bool has_provider,
                          struct record_list *ret_rows)
{
    struct record_list tasks, sends = {0};
    enum err err = phone_task_list(work, otp_id, &tasks);
    if (!err && has_provider) err = channel_list(work, otp_id, &sends);
    if (err) return err;
    struct row *rows = arena_array(work->arena, tasks.count + sends.count, sizeof(*rows));
    size_t count = merge(&tasks, &sends, work->now_ms, rows);
    *ret_rows = (struct record_list){rows, count};
    return ERR_OK;
}

enum err otp_read_sends(struct work *work, struct otp *otp)
{
    struct record_list list;
    enum err err = read_list(work, &otp->id, otp_has_provider(otp->channel), &list);
    if (err) return err;

    const struct row *rows = list.items;
    struct otp_send *sends = arena_array(work->arena, list.count, sizeof(*sends));
    for (size_t i = 0; i < list.count; i++)
        sends[i] = rows[i].send;
    otp->sends = (struct record_list){sends, list.count};
    return ERR_OK;
}

enum err otp_has_living_send(struct work *work, const struct uuid *otp_id,
                             const struct uuid *failed_id, bool *ret_has)
{
    struct record_list list;
    enum err err = read_list(work, otp_id, true, &list);
    if (err) return err;

    const struct row *rows = list.items;
    *ret_has = false;
    for (size_t i = 0; i < list.count; i++) {
        bool is_other = !uuid_equal(&rows[i].id, failed_id);
        if (is_other && rows[i].send.state != OTP_SEND_FAILED) *ret_has = true;
    }
    return ERR_OK;
}
