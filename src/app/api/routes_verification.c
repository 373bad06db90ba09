/* Doc A has these operations (section 4; contract, sections 1 and 2). */
#include "app/api/log_stream.h"
#include "app/api/routes.h"
#include "domain/channel/channel.h"
#include "domain/event_log/event_log.h"
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_account.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/messenger/messenger.h"
#include "domain/otp/otp.h"
#include "domain/sms/sms.h"

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
        .tag = "Fleet",
        .summary = "List the phones",
        .description = "All phones in order of registration, or a page of them if limit or cursor "
                       "is given.",
        .reply_doc = "The phones.",
        .reply = &device_list_record,
        .query = &fleet_list_query,
        .handle = fleet_http_list,
    },
    {
        .method = "PATCH",
        .path = "/internal/v1/devices/{id}",
        .operation_id = "setDeviceEnabled",
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
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NOT_FOUND, ERR_NO_ENABLED_NUMBER},
        .handle = inbound_call_http_create,
        .replay = inbound_call_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges/{id}",
        .operation_id = "getChallenge",
        .tag = "Inbound calls",
        .summary = "Read a challenge",
        .description = "The challenge as it stands now.",
        .reply_doc = "The challenge.",
        .reply = &challenge_record,
        .handle = inbound_call_http_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/challenges/{id}/cancel",
        .operation_id = "cancelChallenge",
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
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NOT_FOUND, ERR_RATE_LIMITED,
                   ERR_CHANNEL_NOT_CONFIGURED, ERR_CIRCUIT_OPEN, ERR_ACCOUNT_NOT_CONNECTED,
                   ERR_NO_READY_SIM},
        .handle = otp_http_create,
        .replay = otp_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp/{id}",
        .operation_id = "getOtp",
        .tag = "One-time codes",
        .summary = "Read a code's state",
        .description = "The state of the code and of its sending, without the code.",
        .reply_doc = "The code's challenge.",
        .reply = &otp_record,
        .handle = otp_http_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/verify",
        .operation_id = "verifyOtp",
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
                   ERR_CALL_UNDER_WAY, ERR_NO_READY_SIM},
        .handle = otp_http_fall_back,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/cancel",
        .operation_id = "cancelOtp",
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
        .errors = {ERR_NOT_FOUND, ERR_RATE_LIMITED, ERR_CHANNEL_NOT_CONFIGURED, ERR_CIRCUIT_OPEN,
                   ERR_ACCOUNT_NOT_CONNECTED},
        .handle = message_http_create,
        .replay = message_http_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages/{id}",
        .operation_id = "getMessage",
        .tag = "Messages",
        .summary = "Read a message's state",
        .description = "The message as it stands now, without its text.",
        .reply_doc = "The message.",
        .reply = &message_record,
        .handle = message_http_read,
    },

    /* --- Tasks of phones --- */
    {
        .method = "POST",
        .path = "/device/v1/sms/claim",
        .operation_id = "claimSms",
        .tag = "Phones",
        .summary = "Claim the next SMS",
        .description = "Polled every 5 seconds. Declares that the SIM is ready for 60 seconds and "
                       "may return a task under a lease of 90 seconds; asked again during the "
                       "lease, it is the same task under the same lease.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .body = &claim_sms_record,
        .reply_doc = "A task, or none.",
        .reply = &claim_result_record,
        .link_path = "/device/v1/sms/{id}",
        .link_id = "/task/id",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = sms_http_claim,
    },
    {
        .method = "POST",
        .path = "/device/v1/sms/{id}/result",
        .operation_id = "reportSms",
        .tag = "Phones",
        .summary = "Report what became of an SMS",
        .description = "The same result can be reported again; sent may become delivered.",
        .auth = AUTH_DEVICE_KEY,
        .body = &sms_result_record,
        .reply_doc = "The result is recorded.",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_LEASE_LOST, ERR_RESULT_CONFLICT},
        .handle = sms_http_report,
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
        .handle = fleet_http_declare_accounts,
    },
    {
        .method = "POST",
        .path = "/device/v1/messages/claim",
        .operation_id = "claimMessage",
        .tag = "Phones",
        .summary = "Claim the next message",
        .description = "Polled every 5 seconds for each connected account. May return a task under "
                       "a lease of 90 seconds; asked again during the lease, it is the same task "
                       "under the same lease.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .body = &message_claim_record,
        .reply_doc = "A task, or none.",
        .reply = &message_claim_result_record,
        .link_path = "/device/v1/messages/{id}",
        .link_id = "/task/id",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = messenger_http_claim,
    },
    {
        .method = "POST",
        .path = "/device/v1/messages/{id}/result",
        .operation_id = "reportMessage",
        .tag = "Phones",
        .summary = "Report what became of a message",
        .description = "The same result can be reported again; sent may become delivered. A failed "
                       "message is sent again from the same account, at most 3 times in all.",
        .auth = AUTH_DEVICE_KEY,
        .body = &message_result_record,
        .reply_doc = "The result is recorded.",
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_LEASE_LOST, ERR_RESULT_CONFLICT},
        .handle = messenger_http_report,
    },
    {
        .method = "POST",
        .path = "/api/device/ping",
        .operation_id = "pingDevice",
        .tag = "Phones",
        .summary = "Check the phone key",
        .description = "Also answers a disabled phone, which sees enabled: false.",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_ROW,
        .body = &ping_request_record,
        .reply_doc = "The key is good.",
        .reply = &ping_result_record,
        .handle = fleet_http_ping,
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
        .body = &gateway_delivery_record,
        .status = 200,
        .reply_doc = "The report is recorded, or was before. The body is empty.",
        .headers = channel_gateway_headers,
        .errors = {ERR_NOT_FOUND},
        .authenticate = channel_http_authenticate_gateway,
        .handle = channel_http_report_gateway,
    },

    /* --- Log --- */
    {
        .method = "GET",
        .path = "/internal/v1/logs/stream",
        .operation_id = "streamLog",
        .tag = "Log and health",
        .summary = "Follow the log",
        .description = "Server-sent events: each has an id line and a data line with a LogEntry. "
                       "The header Last-Event-ID (a whole number) continues behind that entry; "
                       "without it, only new entries come. A comment line every 15 seconds keeps "
                       "the connection alive. Entries are kept for 24 hours.",
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
