/* These tables say how the fleet's records look on the wire (doc A, section 2; contract, section
 * 2). */
#include "domain/fleet/fleet_account.h"
#include "kit/json/decimal.h"
#include "kit/json/pointer.h"

#include <stddef.h>
#include <stdlib.h>

enum { BATTERY_FULL = 100 };

static const struct field device_input_fields[] = {
    FIELD(struct device_input, name, FIELD_STRING, FIELD_REQUIRED, "What people call the phone.",
          .min = 1, .max = DEVICE_NAME_MAX, .example = "Shop 12, left drawer"),
    FIELD(struct device_input, numbers, FIELD_STRINGS, FIELD_REQUIRED | FIELD_UNIQUE,
          "The numbers of its SIM cards. A number belongs to exactly one phone.", .items_min = 1,
          .items_max = DEVICE_NUMBERS_MAX, .format = &format_phone,
          .example = "[\"+79160000001\"]"),
    FIELD(struct device_input, accounts, FIELD_STRINGS, FIELD_UNIQUE,
          "The ids of the personal messenger accounts that are bound to it, as it will declare "
          "them. An account is bound to at most one phone.",
          .min = 1, .max = ACCOUNT_ID_MAX, .items_max = DEVICE_ACCOUNTS_MAX,
          .example = "[\"shop-12\"]"),
};

const struct record device_input_record = {
    .name = "DeviceInput",
    .doc = "A phone to register, with its numbers.",
    .size = sizeof(struct device_input),
    RECORD_FIELDS(device_input_fields),
};

static const struct field device_change_fields[] = {
    FIELD(struct device_input, name, FIELD_STRING, FIELD_REQUIRED, "What people call the phone.",
          .min = 1, .max = DEVICE_NAME_MAX, .example = "Shop 12, left drawer"),
    FIELD(struct device_input, numbers, FIELD_STRINGS, FIELD_REQUIRED | FIELD_UNIQUE,
          "The numbers of all its SIM cards from now on. A number belongs to exactly one phone.",
          .items_min = 1, .items_max = DEVICE_NUMBERS_MAX, .format = &format_phone,
          .example = "[\"+79160000001\"]"),
};

const struct record device_change_record = {
    .name = "DeviceChange",
    .doc = "The name and the numbers of a phone.",
    .size = sizeof(struct device_input),
    RECORD_FIELDS(device_change_fields),
};

static bool is_slot(struct str text)
{
    return str_is(text, DEVICE_SLOT_EMPTY) || format_phone.is_valid(text);
}

static const struct field_format format_slot = {
    .is_valid = is_slot,
    .message = "Must be a number of the phone, or - for an empty slot.",
    .pattern = "^(-|\\+[0-9]{7,15})$",
};

static const struct field slots_fields[] = {
    FIELD(
        struct device_slots_input, slots, FIELD_STRINGS, FIELD_REQUIRED,
        "The number in slot 1, in slot 2 and so on; - for an empty one. Numbers that are left out "
        "have none.",
        .items_min = 1, .items_max = DEVICE_NUMBERS_MAX, .format = &format_slot,
        .example = "[\"+79160000002\",\"+79160000001\"]"),
};

static void check_slots(struct record_faults *faults, const void *value)
{
    const struct device_slots_input *input = value;
    const char *const *slots = input->slots.items;

    for (size_t i = 1; i < input->slots.count && i < DEVICE_NUMBERS_MAX; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!slots[i] || !slots[k] || strcmp(slots[i], slots[k]) != 0 ||
                strcmp(slots[i], DEVICE_SLOT_EMPTY) == 0)
                continue;
            record_fault(faults, arena_printf(faults->arena, "slots[%zu]", i),
                         "Must differ from slots[%zu].", k);
        }
    }
}

const struct record device_slots_input_record = {
    .name = "DeviceSlotsInput",
    .doc = "Which SIM of a phone each of its numbers is.",
    .size = sizeof(struct device_slots_input),
    RECORD_FIELDS(slots_fields),
    .check = check_slots,
};

static const struct field number_fields[] = {
    FIELD(struct device_number, number, FIELD_STRING, FIELD_REQUIRED,
          "The phone number of the SIM.", .format = &format_phone, .example = "+79160000001"),
    FIELD(struct device_number, sim_ready, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether the phone said within the last 60 seconds that the SIM can send."),
    FIELD(struct device_number, sim_ready_until, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Until when the SIM counts as ready, unless the phone says so again."),
    FIELD(
        struct device_number, silent_since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
        "The SIM is silent, as the log told, and was last heard of then; null: it is not, or never "
        "claimed."),
    FIELD(struct device_number, active_challenges, FIELD_INTEGER, FIELD_REQUIRED,
          "How many active challenges go over this number.", .example = "2"),
    FIELD(struct device_number, slot, FIELD_INTEGER, FIELD_REQUIRED,
          "Which SIM of the phone it is, from 1 on, for phones that tell SIMs by their slots; 0: "
          "none.",
          .example = "1"),
    FIELD_AS("slot_confirmed", struct device_number, is_slot_confirmed, FIELD_BOOLEAN,
             FIELD_REQUIRED,
             "Whether the operator has set the slots; else they follow the order of the numbers.",
             .example = "false"),
};

static const struct field device_accounts_fields[] = {
    FIELD(struct device_accounts_input, accounts, FIELD_STRINGS, FIELD_REQUIRED | FIELD_UNIQUE,
          "All accounts that are to be bound to the phone, as it declares them.", .min = 1,
          .max = ACCOUNT_ID_MAX, .items_max = DEVICE_ACCOUNTS_MAX, .example = "[\"shop-12\"]"),
};

const struct record device_accounts_input_record = {
    .name = "DeviceAccountsInput",
    .doc = "The personal messenger accounts of a phone.",
    .size = sizeof(struct device_accounts_input),
    RECORD_FIELDS(device_accounts_fields),
};

static const struct record device_number_record = {
    .name = "DeviceNumber",
    .doc = "A number of a phone, and how it stands.",
    .size = sizeof(struct device_number),
    RECORD_FIELDS(number_fields),
};

const char *const account_shown_state_words[] = {
    [ACCOUNT_LINKED] = "linked",
    [ACCOUNT_CONNECTED] = "connected",
    [ACCOUNT_DISCONNECTED] = "disconnected",
    [ACCOUNT_BANNED] = "banned",
    [ACCOUNT_UNBOUND] = "unbound",
    NULL,
};

static const struct field account_fields[] = {
    FIELD(struct device_account, account_id, FIELD_STRING, FIELD_REQUIRED,
          "The account's name towards herald.", .example = "shop-12"),
    FIELD(struct device_account, messenger, FIELD_STRING, FIELD_REQUIRED,
          "Which messenger it belongs to; empty until the phone has declared it.",
          .example = "telegram"),
    FIELD(struct device_account, state, FIELD_ENUM, FIELD_REQUIRED,
          "What the phone last said of it; disconnected once it has not said so for 60 seconds, "
          "unless it is "
          "banned. Only a connected one can send. unbound: the phone declared it within the last "
          "24 hours, but no phone is bound to it, so it is not used.",
          .words = account_shown_state_words, .example = "connected"),
    FIELD(struct device_account, state_until, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Until when that holds, unless the phone says so again."),
    FIELD(
        struct device_account, gone_since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
        "The account is gone, as the log told, and was last there then; null: it is not, or never "
        "was connected."),
};

static const struct record device_account_record = {
    .name = "DeviceAccount",
    .doc = "A personal messenger account that lives on a phone.",
    .size = sizeof(struct device_account),
    RECORD_FIELDS(account_fields),
};

/* A phone declares an account without saying how long that holds. */
static const struct field account_input_fields[] = {
    FIELD(struct device_account, account_id, FIELD_STRING, FIELD_REQUIRED,
          "The account's name towards herald, the same at every declaration.", .min = 1,
          .max = ACCOUNT_ID_MAX, .example = "shop-12"),
    FIELD(struct device_account, messenger, FIELD_STRING, FIELD_REQUIRED,
          "Which messenger it belongs to.", .min = 1, .max = ACCOUNT_MESSENGER_MAX,
          .example = "telegram"),
    FIELD(struct device_account, state, FIELD_ENUM, FIELD_REQUIRED,
          "How it stands. Only a connected one can send.", .words = account_state_words,
          .example = "connected"),
};

static const struct record account_input_record = {
    .name = "AccountInput",
    .doc = "What a phone says of one of its personal messenger accounts.",
    .size = sizeof(struct device_account),
    RECORD_FIELDS(account_input_fields),
};

static const struct field accounts_input_fields[] = {
    FIELD(struct accounts_input, accounts, FIELD_RECORDS, FIELD_REQUIRED,
          "The accounts on the phone, each once. One that is named no more lapses by itself; one "
          "that the phone is not bound to is left out.",
          .items_max = DEVICE_ACCOUNTS_MAX, .record = &account_input_record),
};

/* An account stands once; a list that is too long has its fault already. */
static void check_accounts_input(struct record_faults *faults, const void *value)
{
    const struct accounts_input *input = value;
    const struct device_account *accounts = input->accounts.items;

    if (input->accounts.count > DEVICE_ACCOUNTS_MAX) return;
    for (size_t i = 1; i < input->accounts.count; i++) {
        const char *id = accounts[i].account_id; /* absent where it is at fault itself */
        size_t twin = 0;
        while (twin < i &&
               !(id && accounts[twin].account_id && strcmp(accounts[twin].account_id, id) == 0))
            twin++;
        if (twin == i) continue;
        record_fault(faults, arena_printf(faults->arena, "accounts[%zu].account_id", i),
                     "Must differ from accounts[%zu].account_id.", twin);
    }
}

const struct record accounts_input_record = {
    .name = "AccountsInput",
    .doc = "A phone declares its personal messenger accounts.",
    .size = sizeof(struct accounts_input),
    RECORD_FIELDS(accounts_input_fields),
    .check = check_accounts_input,
};

/* --- The status ------------------------------------------------------------------------------- */

#define STATUS_MEMBERS                                                                          \
    FIELD(struct device_status, battery, FIELD_DECIMAL,                                         \
          FIELD_LENIENT | FIELD_OMIT_NULL | FIELD_NOT_NEGATIVE,                                 \
          "How full its battery is, from 0 to 100.", .example = "87"),                          \
        FIELD(struct device_status, charging, FIELD_TRISTATE, FIELD_LENIENT | FIELD_OMIT_NULL,  \
              "Whether it is being charged.", .example = "true"),                               \
        FIELD(struct device_status, network, FIELD_STRING,                                      \
              FIELD_WORDS | FIELD_LENIENT | FIELD_OMIT_NULL, "How it reaches herald.",          \
              .max = DEVICE_STATUS_TEXT_MAX, .example = "wifi"),                                \
        FIELD(struct device_status, app_version, FIELD_STRING,                                  \
              FIELD_WORDS | FIELD_LENIENT | FIELD_OMIT_NULL, "The version of its application.", \
              .max = DEVICE_STATUS_TEXT_MAX, .example = "1.2")

/* These are read of a ping's body; whatever does not fit is left out. */
static const struct field ping_fields[] = {STATUS_MEMBERS};
static const struct record ping_record = {
    .name = "Ping",
    .size = sizeof(struct device_status),
    RECORD_FIELDS(ping_fields),
};

static const struct field status_fields[] = {
    STATUS_MEMBERS,
    FIELD(struct device_status, at, FIELD_TIME, FIELD_REQUIRED, "When the ping came."),
    FIELD(struct device_status, raw, FIELD_OBJECT, FIELD_WORDS | FIELD_REQUIRED,
          "The JSON object of the ping, as it was sent.",
          .example = "{\"battery\":87,\"charging\":true}"),
};

static const struct record device_status_record = {
    .name = "DeviceStatus",
    .doc = "What a phone said of itself in its last ping.",
    .size = sizeof(struct device_status),
    RECORD_FIELDS(status_fields),
};

/* A phone that divides tells more digits than a decimal has: it is rounded to 6 behind the point.
 */
static const char *read_battery(struct arena *arena, struct str body)
{
    char *text = arena_alloc(arena, DECIMAL_SIZE);
    struct json_value value;

    if (!json_find(body, "/battery", arena, &value) || value.type != JSON_NUMBER) return NULL;
    double level = strtod(value.text.data, NULL);
    if (value.text.data[0] == '-' || level > BATTERY_FULL) return NULL;
    const char *rounded = arena_printf(arena, "%.*f", DECIMAL_PLACES_MAX, level);
    return decimal_read(str_of(rounded), text) == DECIMAL_OK ? text : NULL;
}

struct device_status *fleet_read_status(struct arena *arena, struct str body, int64_t at)
{
    struct device_status *status = ARENA_NEW(arena, struct device_status);
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);

    record_faults_init(faults, arena);
    /* It was taken as an object before, so nothing of it is at fault. */
    if (record_decode(&ping_record, body, false, arena, status, faults))
        record_clear(&ping_record, status);
    if (!status->battery) status->battery = read_battery(arena, body);
    if (status->battery && strtod(status->battery, NULL) > BATTERY_FULL) status->battery = NULL;
    status->at = at;
    status->raw = body;
    return status;
}

static const struct field device_fields[] = {
    FIELD(struct device, id, FIELD_UUID, FIELD_REQUIRED, "The id of the phone."),
    FIELD(struct device, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call the phone.", .min = 1, .max = DEVICE_NAME_MAX,
          .example = "Shop 12, left drawer"),
    FIELD(struct device, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,
          "A disabled phone gets no tasks and its numbers are not chosen."),
    FIELD(struct device, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was registered."),
    FIELD(struct device, last_seen_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was last heard from, to within some seconds; null if never."),
    FIELD(struct device, numbers, FIELD_RECORDS, FIELD_REQUIRED, "Its numbers.",
          .record = &device_number_record),
    FIELD(struct device, accounts, FIELD_RECORDS, FIELD_REQUIRED,
          "Its personal messenger accounts; behind them, as unbound, what it declares that no "
          "phone is bound to.",
          .record = &device_account_record),
    FIELD_AS("accounts_left_out", struct device, left_out, FIELD_STRINGS, FIELD_REQUIRED,
             "The ids of accounts that it declared within the last 24 hours and that another phone "
             "is bound to: they stay that phone's.",
             .example = "[]"),
    FIELD(struct device, status, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "What it said of itself in its last ping; null if it never sent one.",
          .record = &device_status_record),
};

const struct record device_record = {
    .name = "Device",
    .doc = "A phone of the fleet.",
    .size = sizeof(struct device),
    RECORD_FIELDS(device_fields),
};

static const struct field credentials_fields[] = {
    FIELD(struct credentials, device_id, FIELD_UUID, FIELD_REQUIRED, "The id of the new phone."),
    FIELD(struct credentials, device_key, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The key to enter in the phone application. It is shown this once.",
          .example = "hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"),
    FIELD(struct credentials, device, FIELD_RECORD, FIELD_REQUIRED, "The phone as it was stored.",
          .record = &device_record),
};

const struct record credentials_record = {
    .name = "Credentials",
    .doc = "A registered phone and its key.",
    .size = sizeof(struct credentials),
    RECORD_FIELDS(credentials_fields),
};

static const struct field rotated_key_fields[] = {
    FIELD(struct rotated_key, device_id, FIELD_UUID, FIELD_REQUIRED, "The id of the phone."),
    FIELD(struct rotated_key, device_key, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The new key. It is shown this once; the old one no longer works.",
          .example = "hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"),
};

const struct record rotated_key_record = {
    .name = "RotatedKey",
    .doc = "The new key of a phone.",
    .size = sizeof(struct rotated_key),
    RECORD_FIELDS(rotated_key_fields),
};

static const struct field device_list_fields[] = {
    FIELD(struct device_list, devices, FIELD_RECORDS, FIELD_REQUIRED,
          "The phones in order of registration.", .record = &device_record),
    PAGE_NEXT_ROW(struct device_list),
};

const struct record device_list_record = {
    .name = "DeviceList",
    .doc = "A page of phones.",
    .size = sizeof(struct device_list),
    RECORD_FIELDS(device_list_fields),
};

static const struct field enable_fields[] = {
    FIELD(struct enable_request, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether the phone takes part.", .example = "false"),
};

const struct record enable_request_record = {
    .name = "EnableRequest",
    .doc = "Enables or disables a phone.",
    .size = sizeof(struct enable_request),
    RECORD_FIELDS(enable_fields),
};

/* Any JSON object will do; what it says of the phone is read by status_record. */
const struct record ping_request_record = {
    .name = "PingRequest",
    .doc = "Any JSON object.",
    .size = 1,
};

static const struct field ping_result_fields[] = {
    FIELD(struct ping_result, ok, FIELD_BOOLEAN, FIELD_REQUIRED, "True: the key is good."),
    FIELD(struct ping_result, device, FIELD_RECORD, FIELD_REQUIRED,
          "The phone that this key belongs to.", .record = &device_record),
};

const struct record ping_result_record = {
    .name = "PingResult",
    .doc = "The answer to a ping.",
    .size = sizeof(struct ping_result),
    RECORD_FIELDS(ping_result_fields),
};
