/* Sending by each channel (doc A, section 4 "One-time codes"; contract, section 2, rule 1). */
#include "domain/otp/otp_send.h"

#include "domain/challenge/challenge.h"
#include "domain/otp/otp_code.h"

const char *const send_state_words[] = {"queued",    "claimed", "accepted", "sent",
                                        "delivered", "failed",  "unknown",  NULL};
enum story_state {
    STORY_QUEUED,
    STORY_CLAIMED,
    STORY_ACCEPTED,
    STORY_SENT,
    STORY_DELIVERED,
    STORY_FAILED,
    STORY_UNKNOWN,
};

static const struct channel_rule {
    int code_length;
} channel_rules[] = {
    [OTP_SMS] = {.code_length = 6},
    [OTP_FLASH_CALL] = {.code_length = 4},
    [OTP_MESSENGER_GATEWAY] = {.code_length = 6},
    [OTP_PERSONAL_MESSENGER] = {.code_length = 6},
};

int64_t otp_code_length(int channel)
{
    return channel_rules[channel].code_length;
}

/* Only SMS has senders so far: the other channels have no driver configured. */
enum err otp_choose_sender(struct work *work, const struct otp_input *input,
                           struct otp_sender *ret_sender)
{
    struct number_choice choice = {.wanted = input->gateway_number, .must_be_ready = true};
    if (input->channel != OTP_SMS) return ERR_CHANNEL_UNAVAILABLE;
    return fleet_choose_number(work, &choice, &ret_sender->gateway_number);
}

const char *otp_sender_code(struct work *work, const struct otp *otp,
                            const struct otp_sender *sender)
{
    (void)sender;
    return otp_code_new(work->arena, (int)otp->code_length);
}

/* What a reader would see of the send that is queued in this transaction. */
static void show_first_send(struct work *work, struct otp *otp, const struct otp_sender *sender)
{
    struct otp_send *send = ARENA_NEW(work->arena, struct otp_send);
    *send = (struct otp_send){
        .channel = otp->channel,
        .gateway_number = sender->gateway_number,
        .state = STORY_QUEUED,
        .updated_at = work->now_ms,
    };
    otp->sends = (struct record_list){send, 1};
}

enum err otp_send_first(struct work *work, struct otp *otp, const struct otp_sender *sender)
{
    struct sms_order order = {
        .otp_id = otp->id,
        .recipient = otp->recipient,
        .gateway_number = sender->gateway_number,
        .expires_at = otp->expires_at,
    };
    show_first_send(work, otp, sender);
    enum err err = challenge_set_gateway(work, otp->recipient, &otp->id, sender->gateway_number);
    return err ? err : sms_queue(work, &order);
}

static int story_of_task(const struct sms_task *task, int64_t now_ms)
{
    switch ((enum sms_state)task->state) {
    case SMS_QUEUED:
        return STORY_QUEUED;
    case SMS_CLAIMED: /* an ended lease has put it back, unless the code is over */
        if (task->lease_until > now_ms) return STORY_CLAIMED;
        return task->expires_at >= now_ms ? STORY_QUEUED : STORY_UNKNOWN;
    case SMS_SENT:
        return STORY_SENT;
    case SMS_DELIVERED:
        return STORY_DELIVERED;
    case SMS_FAILED:
        return STORY_FAILED;
    case SMS_UNKNOWN:
        return STORY_UNKNOWN;
    }
    return STORY_UNKNOWN;
}

enum err otp_read_sends(struct work *work, struct otp *otp)
{
    struct record_list list;
    enum err err = sms_list(work, &otp->id, &list);
    if (err) return err;

    const struct sms_task *tasks = list.items;
    struct otp_send *sends = arena_array(work->arena, list.count, sizeof(*sends));
    for (size_t i = 0; i < list.count; i++) {
        sends[i] = (struct otp_send){
            .channel = OTP_SMS,
            .gateway_number = tasks[i].gateway_number,
            .state = story_of_task(&tasks[i], work->now_ms),
            .error = tasks[i].error,
            .updated_at = tasks[i].updated_at,
        };
    }
    otp->sends = (struct record_list){sends, list.count};
    return ERR_OK;
}

enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state)
{
    return sms_end(work, &otp->id, otp_state_words[state]);
}
