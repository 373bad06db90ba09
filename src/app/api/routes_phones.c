/* Phones claim tasks, report them, ping and are paired by these operations (doc A, section 4 "SMS
 * tasks for phones"; contract, section 2, rules 7 and 9). */
#include "app/api/routes.h"
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_account.h"
#include "domain/fleet/pairing.h"
#include "domain/messenger/messenger.h"
#include "domain/sms/sms.h"

static const struct route rows[] = {
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
        .path = "/internal/v1/devices/{id}/pair",
        .operation_id = "pairDevice",
        .role = ROLE_OPERATOR,
        .action = "device.pair",
        .tag = "Fleet",
        .summary = "Make a pairing code for a phone",
        .description = "Somebody enters the code on the phone within 10 minutes, or reads the link "
                       "from the QR code. The phone gets a new key by it, and the one before it "
                       "ends. A phone has one code at a time, which is good once.",
        .status = 201,
        .reply_doc = "The code, shown this once.",
        .reply = &pairing_record,
        .handle = pairing_http_create,
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
        .handle = fleet_http_set_slots,
    },
    {
        .method = "POST",
        .path = "/pair",
        .operation_id = "useDevicePairing",
        .action = "pairing.use",
        .tag = "Phones",
        .summary = "Get a key by a pairing code",
        .description = "The key that the phone had before is refused from now on. 20 wrong codes "
                       "within 10 minutes, from wherever they come, end all open ones.",
        .auth = AUTH_PAIRING,
        .access = ACCESS_READ_FIRST,
        .body = &pairing_input_record,
        .reply_doc = "The new key, shown this once.",
        .reply = &rotated_key_record,
        .handle = pairing_http_use,
    },
    {
        .method = "GET",
        .path = "/pair",
        .operation_id = "getPairingPage",
        .tag = "Phones",
        .summary = "What to enter on a phone",
        .description = "The page that the QR code of a pairing leads to.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .query = &pairing_page_query,
        .reply_doc = "The page.",
        .reply_type = "text/html; charset=utf-8",
        .handle = pairing_http_page,
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
        .handle = fleet_http_ping,
    },
};

const struct route_table routes_phones = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
