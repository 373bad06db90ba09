/* Applications of others report calls by these operations (contract, section 15.3): handlers read
 * the request, call the rules and reply. */
#include "core/request.h"
#include "domain/call_report/call_report.h"
#include "domain/token/token.h"

static enum err handle_take(struct request *rq)
{
    struct event_result result;
    enum err err = call_report_apply(&rq->work, rq->principal, rq->body, &result);
    return reply_with(rq, err, &result);
}

/* --- httpSMS ---------------------------------------------------------------------------------- */

static enum err handle_httpsms_login(struct request *rq)
{
    const struct device *device = rq->principal;
    const struct httpsms_login *login = rq->body;
    struct httpsms_phone phone = {device->id, device->id, login->phone_number, login->sim};
    struct httpsms_logged_in answer = {"success", "the calls of this SIM are taken", &phone};
    struct sim_state sim;
    enum err err = fleet_check_number(&rq->work, device, login->phone_number, &sim);
    if (err) return err;
    if (sim.slot != call_report_slot(login->sim))
        answer.message = "the number is in another slot at herald: set the phone's slots there";
    fleet_renew_seen(&rq->work, device);
    reply_record(rq, &answer);
    return ERR_OK;
}

static enum err handle_httpsms_heartbeat(struct request *rq)
{
    fleet_renew_status(&rq->work, rq->principal, rq->raw_body);
    reply_empty(rq);
    return ERR_OK;
}

static enum err handle_httpsms_call(struct request *rq)
{
    struct event_result result;
    enum err err = call_report_apply_httpsms(&rq->work, rq->principal, rq->body, &result);
    return reply_with(rq, err, &result);
}

static enum err handle_httpsms_sms(struct request *rq)
{
    fleet_renew_seen(&rq->work, rq->principal);
    reply_empty(rq);
    return ERR_OK;
}

/* --- CallGate --------------------------------------------------------------------------------- */

enum err call_report_http_authenticate_callgate(struct request *rq, struct device *ret_device)
{
    const struct fleet_signature signature = {
        .body = rq->raw_body, .timestamp = rq->headers[0], .mac = rq->headers[1]};
    return fleet_authenticate_signature(&rq->work, &rq->path_ids[0], &signature, ret_device);
}

static enum err handle_callgate(struct request *rq)
{
    struct event_result result;
    int64_t signed_at;

    if (!call_report_read_time(rq->headers[0], &signed_at))
        return error_fault(rq, "X-Timestamp", "Must be a time in seconds since 1970.");
    enum err err =
        call_report_apply_callgate(&rq->work, rq->principal, rq->body, signed_at, &result);
    return reply_with(rq, err, &result);
}

static enum err handle_callgate_setup(struct request *rq)
{
    const struct uuid *id = &rq->path_ids[0];
    char key[FLEET_SIGNING_KEY_LEN + 1];
    enum err err = fleet_read_signing_key(&rq->work, id, key);
    if (err) return err;

    const struct callgate_setup setup = {
        .url = arena_printf(rq->work.arena, "%s/callgate/v1/%s", rq->work.service->tokens->own_url,
                            uuid_text(id, rq->work.arena)),
        .event = "call:ringing",
        .signing_key = key,
    };
    reply_record(rq, &setup);
    return ERR_OK;
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/device/v1/calls",
        .operation_id = "reportCallByTemplate",
        .tag = "Phones",
        .summary = "Report an incoming call by a template",
        .description = "For applications that send what one writes into them, such as Tasker and "
                       "MacroDroid. A report that says of itself that it is something else, such "
                       "as an SMS, confirms nothing; nor does one without the caller's number.",
        .auth = AUTH_DEVICE_KEY,
        .body = &call_report_record,
        .reply_doc = "What the call did.",
        .reply = &call_report_result_record,
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_take,
    },
    {
        .method = "PUT",
        .path = "/httpsms/v1/phones/fcm-token",
        .operation_id = "logInHttpSms",
        .tag = "Phones",
        .summary = "Log in with httpSMS",
        .description = "The application does so for each SIM; the number must be the phone's.",
        .auth = AUTH_HTTPSMS_KEY,
        .access = ACCESS_READ_ROW,
        .body = &httpsms_login_record,
        .status = 200,
        .reply_doc = "The key is good, and the number is the phone's.",
        .reply = &httpsms_logged_in_record,
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_httpsms_login,
    },
    {
        .method = "POST",
        .path = "/httpsms/v1/heartbeats",
        .operation_id = "pingHttpSms",
        .tag = "Phones",
        .summary = "Tell that httpSMS is alive",
        .description = "Kept as the phone's status, as the object of a ping is.",
        .auth = AUTH_HTTPSMS_KEY,
        .access = ACCESS_READ_ROW,
        .body = &httpsms_heartbeat_record,
        .body_max = DEVICE_STATUS_MAX,
        .reply_doc = "Noted.",
        .handle = handle_httpsms_heartbeat,
    },
    {
        .method = "POST",
        .path = "/httpsms/v1/messages/calls/missed",
        .operation_id = "reportCallByHttpSms",
        .tag = "Phones",
        .summary = "Report a missed call by httpSMS",
        .description = "Taken as a CallEvent of the number that was entered for the SIM, at the "
                       "time in the phone's list of calls. A repeat gets the first result.",
        .auth = AUTH_HTTPSMS_KEY,
        .body = &httpsms_call_record,
        .status = 200,
        .reply_doc = "What the call did.",
        .reply = &call_report_result_record,
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_httpsms_call,
    },
    {
        .method = "POST",
        .path = "/httpsms/v1/messages/receive",
        .operation_id = "reportSmsByHttpSms",
        .tag = "Phones",
        .summary = "Report a received SMS by httpSMS",
        .description = "An SMS is no call: it confirms nothing, and nothing of it is kept.",
        .auth = AUTH_HTTPSMS_KEY,
        .access = ACCESS_READ_ROW,
        .body = &httpsms_sms_record,
        .reply_doc = "It was left aside.",
        .handle = handle_httpsms_sms,
    },
    {
        .method = "POST",
        .path = "/callgate/v1/{id}",
        .operation_id = "reportCallByCallGate",
        .tag = "Phones",
        .summary = "Report an incoming call by CallGate",
        .description = "A webhook of CallGate on the phone with this id, which signs it. CallGate "
                       "names no SIM, so the phone must have one number; and no time, so the call "
                       "came when the webhook was signed.",
        .auth = AUTH_DEVICE_SIGNATURE,
        .body = &callgate_report_record,
        .status = 200,
        .reply_doc = "What the call did.",
        .reply = &call_report_result_record,
        .headers = callgate_headers,
        .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED},
        .handle = handle_callgate,
    },
    {
        .method = "GET",
        .path = "/internal/v1/devices/{id}/callgate",
        .operation_id = "getCallGateSetup",
        .role = ROLE_OPERATOR,
        .action = "device.read_signing_key",
        .tag = "Fleet",
        .summary = "Read what to enter in CallGate on a phone",
        .description = "URL, event and signing key of the webhook. The key signs nothing but these "
                       "reports, and ends with the phone's own key. Leaves a record of the audit.",
        .reply_doc = "What to enter.",
        .reply = &callgate_setup_record,
        .handle = handle_callgate_setup,
    },
};

const struct route_table call_report_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
