/* Things of the verification store are found here. Which kinds are looked for follows from how the
 * question looks: the log, which has no index of the ids of requests, is asked for what may be one
 * alone. */
#include "domain/find/find.h"

#include "domain/event_log/event_log.h"
#include "domain/find/find_db.h"
#include "domain/find/find_list.h"
#include "domain/fleet/fleet.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/otp/otp.h"

const char *const find_type_words[] = {
    [FOUND_OTP] = "otp",
    [FOUND_CHALLENGE] = "challenge",
    [FOUND_MESSAGE] = "message",
    [FOUND_DEVICE] = "device",
    [FOUND_EVENT] = "event",
    [FOUND_LOG] = "log",
    [FOUND_INTEGRATION] = "integration",
    [FOUND_PACKAGE] = "package",
    [FOUND_ORDER] = "order",
    [FOUND_ACCOUNT] = "account",
    [FOUND_API_KEY] = "api_key",
    [FOUND_OPERATOR] = "operator",
    [FOUND_SESSION] = "operator_session",
    [FOUND_ENDPOINT] = "webhook_endpoint",
    [FOUND_DELIVERY] = "webhook_delivery",
    [FOUND_SUBJECT_JOB] = "subject_job",
    [FOUND_PROCESS] = "process",
    [FOUND_REFUSAL] = "refusal",
    [FOUND_PRODUCT] = "product",
    [FOUND_CLIENT] = "client",
    [FOUND_SIGNING_KEY] = "signing_key",
    [FOUND_TYPE_COUNT] = NULL,
};

/* --- Results ---------------------------------------------------------------------------------- */

/* Returns a number as the role may see it. */
static const char *show_number(struct work *work, const char *number)
{
    mask_fn mask = work->actor ? role_masks(work->actor->role).personal : NULL;
    return mask ? mask_text(mask, number, work->arena) : number;
}

static void add_otp(struct work *work, struct find_list *list, const struct otp *otp)
{
    find_add(work, list,
             (struct find_result){.type = FOUND_OTP,
                                  .id = uuid_text(&otp->id, work->arena),
                                  .title = show_number(work, otp->recipient),
                                  .state = otp_state_words[otp->state],
                                  .at = otp->created_at});
}

static void add_challenge(struct work *work, struct find_list *list,
                          const struct call_challenge *challenge)
{
    find_add(work, list,
             (struct find_result){.type = FOUND_CHALLENGE,
                                  .id = uuid_text(&challenge->id, work->arena),
                                  .title = show_number(work, challenge->caller),
                                  .state = inbound_call_state_words[challenge->state],
                                  .at = challenge->created_at});
}

static void add_message(struct work *work, struct find_list *list, const struct message *message)
{
    find_add(work, list,
             (struct find_result){.type = FOUND_MESSAGE,
                                  .id = uuid_text(&message->id, work->arena),
                                  .title = show_number(work, message->recipient),
                                  .state = message_state_words[message->state],
                                  .at = message->created_at});
}

static void add_device(struct work *work, struct find_list *list, const struct device *device)
{
    find_add(work, list,
             (struct find_result){.type = FOUND_DEVICE,
                                  .id = uuid_text(&device->id, work->arena),
                                  .title = device->name,
                                  .state = device->enabled ? "enabled" : "disabled",
                                  .at = device->last_seen_at});
}

/* --- A number --------------------------------------------------------------------------------- */

static struct search_query of_number(const char *number)
{
    return (struct search_query){.number = number, .page.limit = FIND_OF_KIND_MAX};
}

static enum err find_codes(struct work *work, const char *q, struct find_list *list)
{
    struct otp_filter filter = {.search = of_number(q), .state = -1, .channel = -1};
    struct otp_list found = {.next_cursor = NULL};
    enum err err = otp_list(work, &filter, &found);
    const struct otp *rows = found.codes.items;

    for (size_t i = 0; !err && i < found.codes.count; i++)
        add_otp(work, list, &rows[i]);
    return err;
}

static enum err find_challenges(struct work *work, const char *q, struct find_list *list)
{
    struct call_challenge_filter filter = {.search = of_number(q), .state = -1};
    struct call_challenge_list found = {.next_cursor = NULL};
    enum err err = inbound_call_list(work, &filter, &found);
    const struct call_challenge *rows = found.challenges.items;

    for (size_t i = 0; !err && i < found.challenges.count; i++)
        add_challenge(work, list, &rows[i]);
    return err;
}

static enum err find_messages(struct work *work, const char *q, struct find_list *list)
{
    struct message_filter filter = {.search = of_number(q), .channel = -1, .state = -1};
    struct message_list found = {.next_cursor = NULL};
    enum err err = message_list(work, &filter, &found);
    const struct message *rows = found.messages.items;

    for (size_t i = 0; !err && i < found.messages.count; i++)
        add_message(work, list, &rows[i]);
    return err;
}

/* While LOG_SENSITIVE is true, admins alone may read the log (contract, section 10.2). */
static bool may_read_log(const struct work *work)
{
    return !work->service->is_log_sensitive || event_log_shows_unmasked(work);
}

static void add_refused(struct work *work, struct find_list *list, const char *number,
                        const struct log_entry *entry)
{
    const char *id = find_text(work, entry, "/request_id");
    const char *reason = find_text(work, entry, "/reason");

    if (!id) return;
    find_add(work, list,
             (struct find_result){.type = FOUND_LOG,
                                  .id = id,
                                  .title = show_number(work, number),
                                  .state = reason ? reason : find_text(work, entry, "/error"),
                                  .at = entry->at});
}

/* A thing that was refused was not created, so the log alone knows of it. */
static enum err find_refused(struct work *work, const char *q, struct find_list *list)
{
    const char *number = search_number(q, work->arena);
    struct record_list found = {NULL, 0};
    if (!may_read_log(work)) return ERR_OK;
    enum err err =
        event_log_find_refused(work, number, EVENT_LOG_LOOKED_MAX, FIND_OF_KIND_MAX, &found);
    const struct log_entry *rows = found.items;

    for (size_t i = 0; !err && i < found.count; i++)
        add_refused(work, list, number, &rows[i]);
    return err;
}

/* --- A name, or a number of the fleet --------------------------------------------------------- */

static enum err find_devices(struct work *work, const char *q, struct find_list *list)
{
    struct record_list found;
    enum err err = fleet_find(work, q, FIND_OF_KIND_MAX, &found);
    const struct device *rows = found.items;

    for (size_t i = 0; !err && i < found.count; i++)
        add_device(work, list, &rows[i]);
    return err;
}

/* A client may choose an id of visible ASCII (contract, section 1). */
static bool may_be_request_id(const char *q)
{
    for (const char *p = q; *p; p++) {
        if (*p <= ' ' || *p > '~') return false;
    }
    return true;
}

/* The newest entries are looked at, up to EVENT_LOG_LOOKED_MAX, by those who may read the log. */
static enum err find_log(struct work *work, const char *q, struct find_list *list)
{
    struct log_filter filter = {.level = -1, .request_id = q, .limit = 1};
    struct log_entry_list found = {.next_cursor = NULL};
    if (!may_read_log(work)) return ERR_OK;
    enum err err = event_log_list(work, &filter, &found);

    if (err || found.entries.count == 0) return err;
    const struct log_entry *entry = found.entries.items;
    find_add(
        work, list,
        (struct find_result){.type = FOUND_LOG, .id = q, .title = entry->message, .at = entry->at});
    return ERR_OK;
}

/* --- An id ------------------------------------------------------------------------------------ */

static enum err find_ids(struct work *work, const struct uuid *id, struct find_list *list)
{
    struct call_challenge challenge;
    struct message message;
    struct device device;
    struct otp otp;

    enum err err = otp_read(work, id, &otp);
    if (!err) add_otp(work, list, &otp);
    if (err && err != ERR_NOT_FOUND) return err;
    err = inbound_call_read(work, id, &challenge);
    if (!err) add_challenge(work, list, &challenge);
    if (err && err != ERR_NOT_FOUND) return err;
    err = message_read(work, id, &message);
    if (!err) add_message(work, list, &message);
    if (err && err != ERR_NOT_FOUND) return err;
    err = fleet_read(work, id, &device);
    if (!err) add_device(work, list, &device);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err find_parts(struct work *work, const char *q, struct find_list *list)
{
    struct record_list owners = {NULL, 0};
    enum err err = find_owners(work, q, &owners);
    const struct uuid *ids = owners.items;

    for (size_t i = 0; !err && i < owners.count; i++)
        err = find_ids(work, &ids[i], list);
    return err;
}

enum err find_in_verification(struct work *work, const char *q, struct find_list *list)
{
    bool is_number = format_spelled_phone.is_valid(str_of(q));
    struct uuid id;
    enum err err = ERR_OK;

    if (is_number) {
        err = find_codes(work, q, list);
        if (!err) err = find_challenges(work, q, list);
        if (!err) err = find_messages(work, q, list);
        if (!err) err = find_refused(work, q, list);
    }
    if (!err && uuid_parse(str_of(q), &id)) err = find_ids(work, &id, list);
    if (!err) err = find_parts(work, q, list);
    if (!err) err = find_by_key(work, q, list);
    if (!err) err = find_devices(work, q, list);
    if (!err && !is_number && may_be_request_id(q)) err = find_log(work, q, list);
    return err;
}
