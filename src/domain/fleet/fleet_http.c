/* The operations on the fleet, of operators and of phones (doc A, section 4; contract, section 2,
 * rules 1, 9 and 11): handlers read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/fleet/fleet_account.h"

static const struct field list_fields[] = {
    FIELD(struct fleet_query, limit, FIELD_INTEGER, 0,
          "How many items to answer with; 50 if only `cursor` is given.", .min = 1,
          .max = PAGE_LIMIT_MAX, .example = "50"),
    PAGE_ID_CURSOR_ROW(struct fleet_query),
    FIELD(struct fleet_query, ready, FIELD_TRISTATE, 0,
          "true: only phones of which a SIM can send now; false: only those without one.",
          .example = "false"),
    FIELD(struct fleet_query, enabled, FIELD_TRISTATE, 0,
          "Only phones that are enabled, or that are disabled.", .example = "true"),
    FIELD(struct fleet_query, q, FIELD_STRING, 0,
          "Only phones with this in their name, in letters of either case, or in one of their "
          "numbers, however that is written; of a number at least 3 digits.",
          .min = 1, .max = DEVICE_QUERY_MAX, .example = "8 (916) 000-00-01"),
};

static const struct record list_query = {.size = sizeof(struct fleet_query),
                                         RECORD_FIELDS(list_fields)};

static enum err handle_register(struct request *rq)
{
    struct credentials credentials;
    struct fleet_taken taken;
    enum err err = fleet_register(&rq->work, rq->body, &credentials, &taken);
    if (err == ERR_NUMBER_TAKEN && taken.number) error_put_text(rq, "number", taken.number);
    if (err == ERR_NUMBER_TAKEN && !taken.number)
        error_put_text(rq, "account_id", taken.account_id);
    return reply_with(rq, err, &credentials);
}

static enum err handle_read(struct request *rq)
{
    struct device device;
    enum err err = fleet_read(&rq->work, &rq->path_ids[0], &device);
    return reply_with(rq, err, &device);
}

static enum err handle_change(struct request *rq)
{
    struct device device;
    struct fleet_taken taken;
    enum err err = fleet_change(&rq->work, &rq->path_ids[0], rq->body, &device, &taken);
    if (err == ERR_NUMBER_TAKEN) error_put_text(rq, "number", taken.number);
    return reply_with(rq, err, &device);
}

static enum err handle_set_slots(struct request *rq)
{
    struct device device;
    const char *foreign = NULL;
    enum err err = fleet_set_slots(&rq->work, &rq->path_ids[0], rq->body, &device, &foreign);
    if (err == ERR_NUMBER_NOT_OWNED) error_put_text(rq, "number", foreign);
    return reply_with(rq, err, &device);
}

static enum err handle_remove(struct request *rq)
{
    enum err err = fleet_remove(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

static enum err handle_list(struct request *rq)
{
    struct fleet_query query = *(const struct fleet_query *)rq->query;
    struct device_list list = {0};

    if (query.limit == 0) query.limit = query.cursor ? PAGE_LIMIT_DEFAULT : FLEET_WHOLE;
    enum err err = fleet_list(&rq->work, &query, &list);
    err = reply_page(rq, err, &list);
    if (err || !rq->reply.is_full) return err;
    return error_fault(rq, "limit", "Must be given: the fleet is too large for one answer.");
}

static enum err handle_set_enabled(struct request *rq)
{
    const struct enable_request *input = rq->body;
    enum err err = fleet_set_enabled(&rq->work, &rq->path_ids[0], input->enabled);
    return reply_done(rq, err);
}

static enum err handle_rotate_key(struct request *rq)
{
    struct rotated_key key;
    enum err err = fleet_rotate_key(&rq->work, &rq->path_ids[0], &key);
    return reply_with(rq, err, &key);
}

static enum err handle_ping(struct request *rq)
{
    const struct device *phone = rq->principal;
    struct ping_result result = {.ok = true, .device = ARENA_NEW(rq->work.arena, struct device)};

    enum err err = fleet_read(&rq->work, &phone->id, result.device);
    if (err) return err;
    result.device->last_seen_at = rq->work.now_ms;
    result.device->status = fleet_read_status(rq->work.arena, rq->raw_body, rq->work.now_ms);
    fleet_renew_status(&rq->work, phone, rq->raw_body);
    reply_record(rq, &result);
    return ERR_OK;
}

static enum err handle_set_accounts(struct request *rq)
{
    struct device device;
    const char *taken;
    enum err err = fleet_set_accounts(&rq->work, &rq->path_ids[0], rq->body, &device, &taken);
    if (err == ERR_NUMBER_TAKEN) error_put_text(rq, "account_id", taken);
    return reply_with(rq, err, &device);
}

static enum err handle_declare_accounts(struct request *rq)
{
    enum err err = fleet_declare_accounts(&rq->work, rq->principal, rq->body);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "accounts",
                           "Together with those that the phone named within the last 60 seconds, "
                           "these are more than 16 accounts that it is not bound to.");
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/devices",
        .operation_id = "registerDevice",
        .role = ROLE_OPERATOR,
        .action = "device.register",
        .tag = "Fleet",
        .summary = "Register a phone",
        .description = "Registers a phone with its numbers and makes its key, which is shown in "
                       "this answer only.",
        .body = &device_input_record,
        .status = 201,
        .reply_doc = "The phone is registered.",
        .reply = &credentials_record,
        .link_path = "/internal/v1/devices/{id}",
        .link_id = "/device_id",
        .errors = {ERR_NUMBER_TAKEN},
        .handle = handle_register,
    },
    {
        .method = "GET",
        .path = "/internal/v1/devices",
        .operation_id = "listDevices",
        .role = ROLE_VIEWER,
        .tag = "Fleet",
        .summary = "List the phones",
        .description = "All phones in order of registration, or a page of them if limit or cursor "
                       "is given; of those that the filters let through.",
        .reply_doc = "The phones.",
        .reply = &device_list_record,
        .query = &list_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/devices/{id}",
        .operation_id = "getDevice",
        .role = ROLE_VIEWER,
        .tag = "Fleet",
        .summary = "Read a phone",
        .description = "The phone with its numbers, its accounts and what it last said of itself.",
        .reply_doc = "The phone.",
        .reply = &device_record,
        .handle = handle_read,
    },
    {
        .method = "PUT",
        .path = "/internal/v1/devices/{id}",
        .operation_id = "changeDevice",
        .role = ROLE_OPERATOR,
        .action = "device.change",
        .tag = "Fleet",
        .summary = "Change the name and the numbers of a phone",
        .description = "The phone has this name and these numbers from now on, and no others; its "
                       "key and its accounts stay. A number that it has no more is free: SMS that "
                       "waited for it move to another ready SIM. One of another phone has to be "
                       "taken from that phone first; error.number names it.",
        .body = &device_change_record,
        .reply_doc = "The phone as it is now.",
        .reply = &device_record,
        .errors = {ERR_NUMBER_TAKEN},
        .handle = handle_change,
    },
    {
        .method = "DELETE",
        .path = "/internal/v1/devices/{id}",
        .operation_id = "removeDevice",
        .role = ROLE_OPERATOR,
        .action = "device.remove",
        .tag = "Fleet",
        .summary = "Remove a phone",
        .description = "Its key is refused from now on, its numbers and accounts are free, and "
                       "what it was about to send is handed on as when it is disabled. What went "
                       "over it can still be read. A repeat changes nothing.",
        .reply_doc = "The phone is removed.",
        .handle = handle_remove,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/devices/{id}",
        .operation_id = "setDeviceEnabled",
        .role = ROLE_OPERATOR,
        .action = "device.enable",
        .tag = "Fleet",
        .summary = "Enable or disable a phone",
        .description = "A disabled phone gets no tasks and its numbers are not chosen; its leased "
                       "tasks return to the queue.",
        .body = &enable_request_record,
        .reply_doc = "Done.",
        .handle = handle_set_enabled,
    },
    {
        .method = "POST",
        .path = "/internal/v1/devices/{id}/rotate-key",
        .operation_id = "rotateDeviceKey",
        .role = ROLE_OPERATOR,
        .action = "device.rotate_key",
        .tag = "Fleet",
        .summary = "Make a new key for a phone",
        .description = "The old key is refused from now on; the new one has to be entered in the "
                       "phone application.",
        .reply_doc = "The new key, shown this once.",
        .reply = &rotated_key_record,
        .handle = handle_rotate_key,
    },
    {
        .method = "PUT",
        .path = "/internal/v1/devices/{id}/accounts",
        .operation_id = "setDeviceAccounts",
        .role = ROLE_OPERATOR,
        .action = "device.set_accounts",
        .tag = "Fleet",
        .summary = "Bind personal messenger accounts to a phone",
        .description = "The phone is bound to these accounts from now on, and to no others. Only "
                       "what it is bound to is used; no silence moves an account. One that another "
                       "phone is bound to has to be taken from that phone first; error.account_id "
                       "names it.",
        .body = &device_accounts_input_record,
        .reply_doc = "The phone with its accounts.",
        .reply = &device_record,
        .errors = {ERR_NUMBER_TAKEN},
        .handle = handle_set_accounts,
    },
    {
        .method = "PUT",
        .path = "/internal/v1/devices/{id}/slots",
        .operation_id = "setDeviceSlots",
        .role = ROLE_OPERATOR,
        .action = "device.set_slots",
        .tag = "Fleet",
        .summary = "Say which SIM each number of a phone is",
        .description = "For phones that tell SIMs by their slots, such as those with the SMSGate "
                       "app. It confirms the slots where such a phone does not show the numbers of "
                       "its SIMs.",
        .body = &device_slots_input_record,
        .reply_doc = "The phone.",
        .reply = &device_record,
        .errors = {ERR_NUMBER_NOT_OWNED},
        .handle = handle_set_slots,
    },
    {
        .method = "POST",
        .path = "/device/v1/accounts",
        .operation_id = "declareAccounts",
        .tag = "Phones",
        .summary = "Declare the personal messenger accounts",
        .description = "Repeated every 20 seconds: what is said of an account holds for 60 "
                       "seconds, and one that is named no more lapses. The word counts for "
                       "accounts that an operator bound to the phone; others are left out, and "
                       "shown to the operator.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .body = &accounts_input_record,
        .reply_doc = "The accounts are known.",
        .errors = {ERR_DEVICE_DISABLED},
        .handle = handle_declare_accounts,
    },
    {
        .method = "POST",
        .path = "/api/device/ping",
        .operation_id = "pingDevice",
        .tag = "Phones",
        .summary = "Check the phone key",
        .description = "Also answers a disabled phone, which sees enabled: false. The object is "
                       "kept as the phone's status: operators see battery (0 to 100), charging, "
                       "network and app_version, and the rest as it was sent.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_ROW,
        .body = &ping_request_record,
        .body_max = DEVICE_STATUS_MAX,
        .reply_doc = "The key is good.",
        .reply = &ping_result_record,
        .handle = handle_ping,
    },
};

const struct route_table fleet_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
