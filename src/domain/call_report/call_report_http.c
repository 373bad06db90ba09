/* The handlers of reports of calls read the request, call the rules and reply. */
#include "core/request.h"
#include "domain/call_report/call_report.h"
#include "domain/token/token.h"

enum err call_report_http_take(struct request *rq)
{
    struct event_result result;
    enum err err = call_report_apply(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

/* --- httpSMS ---------------------------------------------------------------------------------- */

enum err call_report_http_httpsms_login(struct request *rq)
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

enum err call_report_http_httpsms_heartbeat(struct request *rq)
{
    fleet_renew_status(&rq->work, rq->principal, rq->raw_body);
    reply_empty(rq);
    return ERR_OK;
}

enum err call_report_http_httpsms_call(struct request *rq)
{
    struct event_result result;
    enum err err = call_report_apply_httpsms(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

enum err call_report_http_httpsms_sms(struct request *rq)
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

enum err call_report_http_callgate(struct request *rq)
{
    struct event_result result;
    int64_t signed_at;

    if (!call_report_read_time(rq->headers[0], &signed_at))
        return error_fault(rq, "X-Timestamp", "Must be a time in seconds since 1970.");
    enum err err =
        call_report_apply_callgate(&rq->work, rq->principal, rq->body, signed_at, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

enum err call_report_http_callgate_setup(struct request *rq)
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
