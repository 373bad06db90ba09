/* Doc A has these operations (section 4; contract, sections 1 and 2). */
#include "app/api/log_stream.h"
#include "app/api/routes.h"
#include "domain/channel/channel.h"
#include "domain/event_log/event_log.h"
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_account.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/otp/otp.h"
#include "domain/overview/overview.h"
#include "domain/process/process.h"

/* The report of a call has two paths. */
#define REPORTS_CALL                                                                        \
    .method = "POST", .tag = "Phones", .auth = AUTH_DEVICE_KEY, .body = &call_event_record, \
    .reply_doc = "What the call did.", .reply = &event_result_record,                       \
    .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED}, .handle = inbound_call_http_event

static const struct route rows[] = {
    /* --- Fleet --- */
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
        .handle = fleet_http_register,
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
        .query = &fleet_list_query,
        .handle = fleet_http_list,
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
        .handle = fleet_http_read,
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
        .handle = fleet_http_change,
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
        .handle = fleet_http_remove,
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
        .handle = fleet_http_set_enabled,
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
        .handle = fleet_http_rotate_key,
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
        .handle = fleet_http_set_accounts,
    },

    /* --- Inbound calls --- */
    {
        .method = "POST",
        .path = "/internal/v1/challenges",
        .operation_id = "createChallenge",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Ask for a confirmation by an inbound call",
        .description = "The caller has to call the gateway number of the answer before the "
                       "challenge expires. A number has one active challenge at a time, calls and "
                       "codes together; error.challenge_id then names it.",
        .body = &create_challenge_record,
        .status = 201,
        .reply_doc = "The challenge waits for the call.",
        .reply = &challenge_record,
        .link_path = "/internal/v1/challenges/{id}",
        .link_id = "/id",
        .idem_family = "challenges",
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NUMBER_NOT_FOUND, ERR_NO_ENABLED_NUMBER},
        .handle = inbound_call_http_create,
        .replay = inbound_call_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges",
        .operation_id = "listChallenges",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Look for challenges",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of challenges.",
        .reply = &challenge_list_record,
        .query = &challenge_filter_query,
        .handle = inbound_call_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges/{id}",
        .operation_id = "getChallenge",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Read a challenge",
        .description = "The challenge as it stands now.",
        .reply_doc = "The challenge.",
        .reply = &challenge_record,
        .handle = inbound_call_http_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/challenges/{id}/reveal",
        .operation_id = "revealChallenge",
        .role = ROLE_SUPPORT,
        .action = "challenge.reveal",
        .reveals = true,
        .tag = "Inbound calls",
        .summary = "Read a challenge with the caller in full",
        .description = "The same as reading it, for somebody who has to know the number. "
                       "Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The challenge.",
        .reply = &challenge_record,
        .handle = inbound_call_http_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges/{id}/timeline",
        .operation_id = "getChallengeTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Read what became of a challenge",
        .description = "Step by step: created, and confirmed by the call that a phone reported, "
                       "expired or canceled.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = inbound_call_http_read_timeline,
    },
    {
        .method = "POST",
        .path = "/internal/v1/challenges/{id}/cancel",
        .operation_id = "cancelChallenge",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "challenge.cancel",
        .tag = "Inbound calls",
        .summary = "Cancel a challenge",
        .description = "Can be repeated; a confirmed challenge stays confirmed.",
        .reply_doc = "It is no longer active.",
        .errors = {ERR_ALREADY_CONFIRMED},
        .handle = inbound_call_http_cancel,
    },
    {
        .path = "/api/events",
        .operation_id = "reportCall",
        .summary = "Report an incoming call",
        .description = "The phone saw a call on one of its numbers. A repeat of an event_id gets "
                       "the first result. Reports of one caller at one number within 60 seconds "
                       "are one call, which confirms at most one challenge, whoever reports it.",
        REPORTS_CALL,
    },
    {
        .path = "/device/v1/events",
        .operation_id = "reportCallV1",
        .summary = "Report an incoming call (alias)",
        .description = "The same as POST /api/events.",
        REPORTS_CALL,
    },

    /* --- One-time codes --- */
    {
        .method = "POST",
        .path = "/internal/v1/otp",
        .operation_id = "createOtp",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Send a one-time code",
        .description = "Creates a code and queues its sending; the code is not returned. At most "
                       "3 codes per recipient in 10 minutes, one active challenge at a time.",
        .body = &otp_input_record,
        .status = 201,
        .reply_doc = "The code is queued.",
        .reply = &otp_record,
        .link_path = "/internal/v1/otp/{id}",
        .link_id = "/id",
        .idem_family = "otp",
        .tells_limits = true,
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NUMBER_NOT_FOUND, ERR_ACCOUNT_NOT_FOUND,
                   ERR_RATE_LIMITED, ERR_CHANNEL_NOT_CONFIGURED, ERR_CIRCUIT_OPEN,
                   ERR_ACCOUNT_NOT_CONNECTED, ERR_NO_READY_SIM, ERR_SIM_NOT_READY},
        .handle = otp_http_create,
        .replay = otp_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp",
        .operation_id = "listOtps",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Look for codes",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of codes.",
        .reply = &otp_list_record,
        .query = &otp_filter_query,
        .handle = otp_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp/{id}",
        .operation_id = "getOtp",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Read a code's state",
        .description = "The state of the code and of its sending, without the code.",
        .reply_doc = "The code's challenge.",
        .reply = &otp_record,
        .handle = otp_http_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/reveal",
        .operation_id = "revealOtp",
        .role = ROLE_SUPPORT,
        .action = "otp.reveal",
        .reveals = true,
        .tag = "One-time codes",
        .summary = "Read a code's state with the recipient in full",
        .description = "The same as reading it, without the code, for somebody who has to know "
                       "the number. Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The code's challenge.",
        .reply = &otp_record,
        .handle = otp_http_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp/{id}/timeline",
        .operation_id = "getOtpTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Read what became of a code",
        .description = "Step by step: each send with its claims, fetches and results, each wrong "
                       "code, and its end. The code and its recipient are in none of them.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = otp_http_read_timeline,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/verify",
        .operation_id = "verifyOtp",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Verify a code",
        .description = "A wrong code costs one of 5 attempts; error.attempts_left tells how many "
                       "are left. From 50 wrong codes of a recipient in 24 hours on, 429.",
        .body = &verify_code_record,
        .reply_doc = "The code is right and the challenge confirmed.",
        .reply = &otp_record,
        .errors = {ERR_CODE_MISMATCH, ERR_ALREADY_CONFIRMED, ERR_CHALLENGE_EXPIRED,
                   ERR_ATTEMPTS_EXHAUSTED, ERR_CHALLENGE_CANCELED, ERR_RATE_LIMITED},
        .handle = otp_http_verify,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/sms-fallback",
        .operation_id = "fallBackToSms",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "otp.fall_back",
        .tag = "One-time codes",
        .summary = "Send the code by SMS as well",
        .description = "For a code of another channel: queues one SMS with the same code; a repeat "
                       "changes nothing. Expiry and attempts stay as they are. A code that was "
                       "undelivered becomes the recipient's active challenge again; while there "
                       "is another, error.challenge_id names that one.",
        .body = &sms_fallback_record,
        .reply_doc = "The SMS is queued, or was before.",
        .errors = {ERR_FALLBACK_NOT_APPLICABLE, ERR_ALREADY_CONFIRMED, ERR_CHALLENGE_EXPIRED,
                   ERR_ATTEMPTS_EXHAUSTED, ERR_CHALLENGE_CANCELED, ERR_ACTIVE_CHALLENGE_EXISTS,
                   ERR_CALL_UNDER_WAY, ERR_NUMBER_NOT_FOUND, ERR_NO_READY_SIM, ERR_SIM_NOT_READY},
        .handle = otp_http_fall_back,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/cancel",
        .operation_id = "cancelOtp",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "otp.cancel",
        .tag = "One-time codes",
        .summary = "Cancel a code",
        .description =
            "Can be repeated; a confirmed code stays confirmed. What was not sent yet is "
            "not sent any more.",
        .reply_doc = "It is no longer active.",
        .errors = {ERR_ALREADY_CONFIRMED},
        .handle = otp_http_cancel,
    },

    /* --- Messages --- */
    {
        .method = "POST",
        .path = "/internal/v1/messages",
        .operation_id = "createMessage",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Send a message",
        .description = "Through a personal messenger account on a phone, or from the bot to a "
                       "known chat. Accepted does not mean delivered. What could not be sent "
                       "within 24 hours has failed. A chat takes one message a second, a group "
                       "one in three; what waits longer than 10 minutes is refused with 429.",
        .body = &message_input_record,
        .body_example = "{\"channel\":\"messenger_bot\",\"chat_id\":4242,"
                        "\"text\":\"Your order is ready.\"}",
        .status = 202,
        .reply_doc = "The message is queued.",
        .reply = &message_record,
        .link_path = "/internal/v1/messages/{id}",
        .link_id = "/id",
        .idem_family = "messages",
        .errors = {ERR_ACCOUNT_NOT_FOUND, ERR_RATE_LIMITED, ERR_CHANNEL_NOT_CONFIGURED,
                   ERR_CIRCUIT_OPEN, ERR_ACCOUNT_NOT_CONNECTED},
        .handle = message_http_create,
        .replay = message_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages",
        .operation_id = "listMessages",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Look for messages",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of messages.",
        .reply = &message_list_record,
        .query = &message_filter_query,
        .handle = message_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages/{id}",
        .operation_id = "getMessage",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Read a message's state",
        .description = "The message as it stands now, without its text.",
        .reply_doc = "The message.",
        .reply = &message_record,
        .handle = message_http_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/messages/{id}/reveal",
        .operation_id = "revealMessage",
        .role = ROLE_SUPPORT,
        .action = "message.reveal",
        .reveals = true,
        .tag = "Messages",
        .summary = "Read a message's state with the recipient in full",
        .description = "The same as reading it, for somebody who has to know the number or the "
                       "chat. Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The message.",
        .reply = &message_record,
        .handle = message_http_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages/{id}/timeline",
        .operation_id = "getMessageTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Read what became of a message",
        .description = "Step by step: each send with its claims, fetches and results. The text and "
                       "the recipient are in none of them.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = message_http_read_timeline,
    },

    /* --- Providers --- */
    {
        .method = "POST",
        .path = "/callbacks/telegram-gateway",
        .operation_id = "reportGatewayDelivery",
        .tag = "Providers",
        .summary = "Report the delivery of a code",
        .description = "Telegram Gateway reports here, by itself, if HERALD_PUBLIC_URL is https. "
                       "There is no key: X-Request-Signature signs the body with the token of "
                       "HERALD_TELEGRAM_GATEWAY_TOKEN. A repeat changes nothing, and a report that "
                       "comes late never takes a state back.",
        .auth = AUTH_SIGNATURE,
        .body = &telegram_gateway_delivery_record,
        .status = 200,
        .reply_doc = "The report is recorded, or was before. The body is empty.",
        .headers = channel_telegram_gateway_headers,
        .errors = {ERR_NOT_FOUND},
        .authenticate = channel_http_authenticate_telegram_gateway,
        .handle = channel_http_report_telegram_gateway,
    },

    /* --- Channels, processes and the log --- */
    {
        .method = "GET",
        .path = "/internal/v1/channels",
        .operation_id = "listChannels",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "List the channels",
        .description = "Each channel with whether it can send, what is under way and waits, and "
                       "when a send last went well. It is the same for all processes.",
        .reply_doc = "The channels.",
        .reply = &channel_status_list_record,
        .handle = overview_http_channels,
    },
    {
        .method = "GET",
        .path = "/internal/v1/overview",
        .operation_id = "getOverview",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how all stands",
        .description = "What is wrong now, the worst first, each with what it concerns and what to "
                       "do; and the fleet, the channels and the processes at a glance. A worker "
                       "looks every 2 seconds what is wrong, in both stores. The figures of "
                       "integrations are told by getExchangeOverview.",
        .reply_doc = "The troubles and the figures.",
        .reply = &overview_record,
        .handle = overview_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/processes",
        .operation_id = "listProcesses",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "List the processes",
        .description = "Every process that runs. One that ended without a word is shown as lost "
                       "from 15 seconds after its last sign of life, for a day. At most the 200 "
                       "that were heard of last are listed.",
        .reply_doc = "The processes.",
        .reply = &process_list_record,
        .handle = process_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/logs",
        .operation_id = "listLogEntries",
        .role = ROLE_VIEWER,
        .tells_the_log = true,
        .action = "log.read",
        .tag = "Log and health",
        .summary = "Search the log",
        .description = "The entries that are kept, of the last 24 hours, newest first. One request "
                       "looks at 20,000 of them at most: while next_cursor is not null there may "
                       "be more, also behind a page without entries.",
        .reply_doc = "A page of entries.",
        .reply = &log_entry_list_record,
        .query = &log_filter_query,
        .handle = event_log_http_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/logs/stream",
        .operation_id = "streamLog",
        .role = ROLE_VIEWER,
        .tells_the_log = true,
        .action = "log.read",
        .tag = "Log and health",
        .summary = "Follow the log",
        .description = "Server-sent events: each has an id line and a data line with a LogEntry. "
                       "The header Last-Event-ID or the parameter `after` continues behind that "
                       "entry, the header if both are there; without them, only new entries come. "
                       "A comment line every 15 seconds keeps the connection alive. Entries are "
                       "kept for 24 hours.",
        .access = ACCESS_NONE,
        .reply_doc = "The stream.",
        .reply = &log_entry_record,
        .query = &log_stream_query,
        .is_stream = true,
    },
};

const struct route_table routes_verification = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};
