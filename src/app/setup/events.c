/* Each subject is read as its GET shows it, by the room that it belongs to. */
#include "app/setup/events.h"

#include "core/words.h"
#include "domain/channel/channel.h"
#include "domain/erp/erp.h"
#include "domain/fleet/fleet.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/order/order.h"
#include "domain/otp/otp.h"
#include "domain/overview/overview.h"
#include "domain/webhook/webhook.h"

static struct uuid id_of(const char *text)
{
    struct uuid id = {0};
    bool is_id = uuid_parse(str_of(text), &id);
    assert(is_id); /* work_event_id wrote it */
    return id;
}

static enum err read_otp(struct work *work, const char *id, const void **ret_value,
                         int64_t *ret_sequence)
{
    struct otp *otp = ARENA_NEW(work->arena, struct otp);
    struct uuid otp_id = id_of(id);
    enum err err = otp_read(work, &otp_id, otp);
    *ret_value = otp;
    *ret_sequence = otp->changes;
    return err;
}

static enum err read_challenge(struct work *work, const char *id, const void **ret_value,
                               int64_t *ret_sequence)
{
    struct call_challenge *challenge = ARENA_NEW(work->arena, struct call_challenge);
    struct uuid challenge_id = id_of(id);
    enum err err = inbound_call_read(work, &challenge_id, challenge);
    *ret_value = challenge;
    *ret_sequence = challenge->changes;
    return err;
}

static enum err read_message(struct work *work, const char *id, const void **ret_value,
                             int64_t *ret_sequence)
{
    struct message *message = ARENA_NEW(work->arena, struct message);
    struct uuid message_id = id_of(id);
    enum err err = message_read(work, &message_id, message);
    *ret_value = message;
    *ret_sequence = message->changes;
    return err;
}

static enum err read_order(struct work *work, const char *id, const void **ret_value,
                           int64_t *ret_sequence)
{
    struct order_delivery *order = ARENA_NEW(work->arena, struct order_delivery);
    struct uuid order_id = id_of(id);
    enum err err = order_read(work, &order_id, order);
    *ret_value = order;
    *ret_sequence = order->changes;
    return err;
}

static enum err read_package(struct work *work, const char *name, const void **ret_value,
                             int64_t *ret_sequence)
{
    struct erp_package *package = ARENA_NEW(work->arena, struct erp_package);
    enum err err = erp_show_named_package(work, name, package);
    *ret_value = package;
    *ret_sequence = package->changes;
    return err;
}

static enum err read_sim(struct work *work, const char *number, const void **ret_value,
                         int64_t *ret_sequence)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    *ret_value = device;
    return fleet_read_by_number(work, number, device, ret_sequence);
}

static enum err read_device(struct work *work, const char *id, const void **ret_value,
                            int64_t *ret_sequence)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    struct uuid device_id = id_of(id);
    enum err err = fleet_read(work, &device_id, device);
    *ret_value = device;
    *ret_sequence = device->changes;
    return err;
}

static enum err read_account(struct work *work, const char *account_id, const void **ret_value,
                             int64_t *ret_sequence)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    *ret_value = device;
    return fleet_read_by_account(work, account_id, device, ret_sequence);
}

/* The list of channels is short; one is shown as it stands there. */
static enum err read_channel(struct work *work, const char *word, const void **ret_value,
                             int64_t *ret_sequence)
{
    struct record_list list;
    enum err err =
        channel_select_changes(work, (enum channel)word_index(channel_words, word), ret_sequence);
    if (!err) err = overview_list_channels(work, &list);
    if (err) return err;
    const struct channel_status *rows = list.items;
    *ret_value = &rows[word_index(timeline_channel_words, word)];
    return ERR_OK;
}

static enum err read_integration(struct work *work, const char *id, const void **ret_value,
                                 int64_t *ret_sequence)
{
    struct integration *integration = ARENA_NEW(work->arena, struct integration);
    struct uuid integration_id = id_of(id);
    enum err err = order_lane_select_changes(work, &integration_id, ret_sequence);
    *ret_value = integration;
    return err ? err : integration_show(work, &integration_id, integration);
}

static enum err read_webhook(struct work *work, const char *id, const void **ret_value,
                             int64_t *ret_sequence)
{
    struct webhook_endpoint *endpoint = ARENA_NEW(work->arena, struct webhook_endpoint);
    struct uuid endpoint_id = id_of(id);
    enum err err = webhook_read(work, &endpoint_id, endpoint);
    *ret_value = endpoint;
    *ret_sequence = endpoint->changes;
    return err;
}

const struct event_reader event_readers[EVENT_SUBJECT_COUNT] = {
    [EVENT_OF_OTP] = {&otp_record, read_otp},
    [EVENT_OF_CHALLENGE] = {&challenge_record, read_challenge},
    [EVENT_OF_MESSAGE] = {&message_record, read_message},
    [EVENT_OF_ORDER] = {&order_delivery_record, read_order},
    [EVENT_OF_PACKAGE] = {&erp_package_admin_record, read_package},
    [EVENT_OF_SIM] = {&device_record, read_sim},
    [EVENT_OF_DEVICE] = {&device_record, read_device},
    [EVENT_OF_ACCOUNT] = {&device_record, read_account},
    [EVENT_OF_CHANNEL] = {&channel_record, read_channel},
    [EVENT_OF_INTEGRATION] = {&integration_record, read_integration},
    [EVENT_OF_WEBHOOK_ENDPOINT] = {&webhook_endpoint_record, read_webhook},
};
