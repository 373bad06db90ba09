/* How the fleet's records look on the wire (doc A, section 2; contract, section 2). */
#include "domain/fleet/fleet_account.h"

#include <stddef.h>

#define EXAMPLE_ID   "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""
#define EXAMPLE_KEY  "\"hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw\""

static const struct field device_input_fields[] = {
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_input, name),
     .min = 1,
     .max = DEVICE_NAME_MAX,
     .doc = "What people call the phone.",
     .example = "\"Shop 12, left drawer\""},
    {.name = "numbers",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED | FIELD_UNIQUE,
     .offset = offsetof(struct device_input, numbers),
     .items_min = 1,
     .items_max = DEVICE_NUMBERS_MAX,
     .format = &format_phone,
     .doc = "The numbers of its SIM cards. A number belongs to exactly one phone.",
     .example = "[\"+79160000001\"]"},
    {.name = "accounts",
     .type = FIELD_STRINGS,
     .flags = FIELD_UNIQUE,
     .offset = offsetof(struct device_input, accounts),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .items_max = DEVICE_ACCOUNTS_MAX,
     .doc = "The ids of the personal messenger accounts that are bound to it, as it will declare "
            "them. An account is bound to at most one phone.",
     .example = "[\"shop-12\"]"},
};

const struct record device_input_record = {
    .name = "DeviceInput",
    .doc = "A phone to register, with its numbers.",
    .size = sizeof(struct device_input),
    RECORD_FIELDS(device_input_fields),
};

static const struct field number_fields[] = {
    {.name = "number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_number, number),
     .format = &format_phone,
     .doc = "The phone number of the SIM.",
     .example = "\"+79160000001\""},
    {.name = "sim_ready",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_number, sim_ready),
     .doc = "Whether the phone said within the last 60 seconds that the SIM can send.",
     .example = "true"},
    {.name = "sim_ready_until",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct device_number, sim_ready_until),
     .doc = "When that word ends unless it is renewed.",
     .example = EXAMPLE_TIME},
    {.name = "active_challenges",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_number, active_challenges),
     .doc = "How many active challenges go over this number.",
     .example = "2"},
};

static const struct field device_accounts_fields[] = {
    {.name = "accounts",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED | FIELD_UNIQUE,
     .offset = offsetof(struct device_accounts_input, accounts),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .items_max = DEVICE_ACCOUNTS_MAX,
     .doc = "All accounts that are to be bound to the phone, as it declares them.",
     .example = "[\"shop-12\"]"},
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

static const char *const shown_state_words[] = {
    [ACCOUNT_LINKED] = "linked",
    [ACCOUNT_CONNECTED] = "connected",
    [ACCOUNT_DISCONNECTED] = "disconnected",
    [ACCOUNT_BANNED] = "banned",
    [ACCOUNT_UNBOUND] = "unbound",
    NULL,
};

static const struct field account_fields[] = {
    {.name = "account_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, account_id),
     .doc = "The account's name towards herald.",
     .example = "\"shop-12\""},
    {.name = "messenger",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, messenger),
     .doc = "Which messenger it belongs to; empty until the phone has declared it.",
     .example = "\"telegram\""},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, state),
     .words = shown_state_words,
     .doc = "What the phone last said of it; disconnected once that word has lapsed, unless it is "
            "banned. Only a connected one can send. unbound: the phone declared it within the last "
            "24 hours, but no phone is bound to it, so it is not used.",
     .example = "\"connected\""},
    {.name = "state_until",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct device_account, state_until),
     .doc = "When that word ends unless it is renewed.",
     .example = EXAMPLE_TIME},
};

static const struct record device_account_record = {
    .name = "DeviceAccount",
    .doc = "A personal messenger account that lives on a phone.",
    .size = sizeof(struct device_account),
    RECORD_FIELDS(account_fields),
};

/* The same of a phone's declaration: how long it holds is not the phone's to say. */
static const struct field account_input_fields[] = {
    {.name = "account_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, account_id),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .doc = "The account's name towards herald, the same at every declaration.",
     .example = "\"shop-12\""},
    {.name = "messenger",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, messenger),
     .min = 1,
     .max = ACCOUNT_MESSENGER_MAX,
     .doc = "Which messenger it belongs to.",
     .example = "\"telegram\""},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_account, state),
     .words = account_state_words,
     .doc = "How it stands. Only a connected one can send.",
     .example = "\"connected\""},
};

static const struct record account_input_record = {
    .name = "AccountInput",
    .doc = "What a phone says of one of its personal messenger accounts.",
    .size = sizeof(struct device_account),
    RECORD_FIELDS(account_input_fields),
};

static const struct field accounts_input_fields[] = {
    {.name = "accounts",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct accounts_input, accounts),
     .items_max = DEVICE_ACCOUNTS_MAX,
     .record = &account_input_record,
     .doc = "The accounts on the phone, each once. One that is named no more lapses by itself; one "
            "that the phone is not bound to is left out."},
};

/* An id at fault itself is absent. */
static bool is_same_account(const struct device_account *a, const struct device_account *b)
{
    return a->account_id && b->account_id && strcmp(a->account_id, b->account_id) == 0;
}

/* Each account once; a list that is too long has its fault already. */
static void check_accounts_input(struct record_faults *faults, const void *value)
{
    const struct accounts_input *input = value;
    const struct device_account *accounts = input->accounts.items;

    if (input->accounts.count > DEVICE_ACCOUNTS_MAX) return;
    for (size_t i = 1; i < input->accounts.count; i++) {
        size_t twin = 0;
        while (twin < i && !is_same_account(&accounts[twin], &accounts[i]))
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

static const struct field device_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, id),
     .doc = "The id of the phone.",
     .example = EXAMPLE_ID},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, name),
     .min = 1,
     .max = DEVICE_NAME_MAX,
     .doc = "What people call the phone.",
     .example = "\"Shop 12, left drawer\""},
    {.name = "enabled",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, enabled),
     .doc = "A disabled phone gets no tasks and its numbers are not chosen.",
     .example = "true"},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, created_at),
     .doc = "When it was registered.",
     .example = EXAMPLE_TIME},
    {.name = "last_seen_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct device, last_seen_at),
     .doc = "When it was last heard from, to within some seconds; null if never.",
     .example = EXAMPLE_TIME},
    {.name = "numbers",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, numbers),
     .record = &device_number_record,
     .doc = "Its numbers."},
    {.name = "accounts",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, accounts),
     .record = &device_account_record,
     .doc = "Its personal messenger accounts; behind them, as unbound, what it declares that no "
            "phone is bound to."},
    {.name = "accounts_left_out",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device, left_out),
     .doc = "The ids of accounts that it declared within the last 24 hours and that another phone "
            "is bound to: they stay that phone's.",
     .example = "[]"},
};

const struct record device_record = {
    .name = "Device",
    .doc = "A phone of the fleet.",
    .size = sizeof(struct device),
    RECORD_FIELDS(device_fields),
};

static const struct field credentials_fields[] = {
    {.name = "device_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct credentials, device_id),
     .doc = "The id of the new phone.",
     .example = EXAMPLE_ID},
    {.name = "device_key",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct credentials, device_key),
     .doc = "The key to enter in the phone application. It is shown this once.",
     .example = EXAMPLE_KEY},
    {.name = "device",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct credentials, device),
     .record = &device_record,
     .doc = "The phone as it was stored."},
};

const struct record credentials_record = {
    .name = "Credentials",
    .doc = "A registered phone and its key.",
    .size = sizeof(struct credentials),
    RECORD_FIELDS(credentials_fields),
};

static const struct field rotated_key_fields[] = {
    {.name = "device_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct rotated_key, device_id),
     .doc = "The id of the phone.",
     .example = EXAMPLE_ID},
    {.name = "device_key",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct rotated_key, device_key),
     .doc = "The new key. It is shown this once; the old one no longer works.",
     .example = EXAMPLE_KEY},
};

const struct record rotated_key_record = {
    .name = "RotatedKey",
    .doc = "The new key of a phone.",
    .size = sizeof(struct rotated_key),
    RECORD_FIELDS(rotated_key_fields),
};

static const struct field device_list_fields[] = {
    {.name = "devices",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct device_list, devices),
     .record = &device_record,
     .doc = "The phones in order of registration."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct device_list, next_cursor),
     .doc = "Where the next page begins; null on the last one.",
     .example = "null"},
};

const struct record device_list_record = {
    .name = "DeviceList",
    .doc = "A page of phones.",
    .size = sizeof(struct device_list),
    RECORD_FIELDS(device_list_fields),
};

static const struct field enable_fields[] = {
    {.name = "enabled",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct enable_request, enabled),
     .doc = "Whether the phone takes part.",
     .example = "false"},
};

const struct record enable_request_record = {
    .name = "EnableRequest",
    .doc = "Enables or disables a phone.",
    .size = sizeof(struct enable_request),
    RECORD_FIELDS(enable_fields),
};

/* Any JSON object will do: nothing of it is read. */
const struct record ping_request_record = {
    .name = "PingRequest",
    .doc = "Any JSON object.",
    .size = sizeof(struct ping_request),
};

static const struct field ping_result_fields[] = {
    {.name = "ok",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct ping_result, ok),
     .doc = "True: the key is good.",
     .example = "true"},
    {.name = "device",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct ping_result, device),
     .record = &device_record,
     .doc = "The phone that this key belongs to."},
};

const struct record ping_result_record = {
    .name = "PingResult",
    .doc = "The answer to a ping.",
    .size = sizeof(struct ping_result),
    RECORD_FIELDS(ping_result_fields),
};
