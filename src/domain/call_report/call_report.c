/*
 * A report has to prove a call (contract, section 15.3). One that says something else, names no
 * caller, or does not tell which SIM rang is answered, and confirms nothing. Which call it is, when
 * it came and whether it was reported before is decided by the rules of inbound calls.
 */
#include "domain/call_report/call_report.h"

#include "kit/base/macros.h"

#include <inttypes.h>
#include <sodium.h>

#define CALLGATE_RINGING "call:ringing"

enum { ID_BYTES = 16 }; /* of an event_id that is made here */

/* A template says one of these, also of an application that fires for SMS with the same rule. */
static const char *const call_kinds[] = {"call", "incoming call", "missed call", "ringing", NULL};

static bool is_call(const char *kind)
{
    for (size_t i = 0; call_kinds[i]; i++) {
        if (str_is_nocase(str_trim(str_of(kind)), call_kinds[i])) return true;
    }
    return false;
}

/* A template with the kind "call" in it may stand in a rule that fires for SMS, too. Whether the
 * application filled its placeholder in or not, a call has no text. */
static bool has_text(const struct call_report *report)
{
    const char *const texts[] = {report->text, report->content, report->message, report->body};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i] && texts[i][0]) return true;
    }
    return false;
}

/* A repeat of the same report has the same id. The vault's key keeps the caller out of it, since it
 * is stored longer than the caller may be. */
static const char *make_event_id(struct work *work, const char *application,
                                 const struct call_event *event)
{
    const char *text =
        arena_printf(work->arena, "%s\n%s\n%s\n%" PRId64, application, event->gateway_number,
                     event->caller ? event->caller : "", event->occurred_at);
    uint8_t hash[SECRET_HASH_LEN];
    char digits[2 * ID_BYTES + 1];

    vault_fingerprint(work->service->vault, str_of(text), hash);
    sodium_bin2hex(digits, sizeof(digits), hash, ID_BYTES);
    return arena_printf(work->arena, "%s:%s", application, digits);
}

/* Returns what the phone is told where the rules of inbound calls had nothing to add. */
static const char *explain(const struct call_event *event, const struct event_result *result)
{
    char caller[PHONE_MAX + 1];

    if (result->why) return result->why;
    if (result->result == EVENT_CONFIRMED) return NULL;
    if (result->duplicate) return "this call was reported before";
    if (result->result == EVENT_LATE)
        return "by the phone's clock the call came before or after the challenge";
    if (!event->caller || !phone_normalize(str_of(event->caller), caller))
        return "the caller is hidden, or the application may not read the number";
    return "nobody with the caller's number was asked to call this SIM";
}

static enum err apply(struct work *work, const struct device *device,
                      const struct call_event *event, struct event_result *ret_result)
{
    enum err err = inbound_call_apply_event(work, device, event, ret_result);
    if (err) return err;
    ret_result->why = explain(event, ret_result);
    return ERR_OK;
}

/* Answers a report that proves no call. */
static void refuse(struct work *work, const struct device *device, const struct call_event *event,
                   const char *why, struct event_result *ret_result)
{
    work_note(work, LOG_INFO, "report proves no call",
              LOG_FIELDS(log_phone("gateway_number", event->gateway_number),
                         log_phone("caller", phone_if_one(event->caller)), log_plain("why", why),
                         log_device(&device->id)));
    fleet_renew_seen(work, device);
    *ret_result = (struct event_result){
        .event_id = event->event_id, .result = EVENT_NO_CHALLENGE, .why = why};
}

enum err call_report_apply(struct work *work, const struct device *device,
                           const struct call_report *report, struct event_result *ret_result)
{
    struct call_event event = {.event_id = report->event_id,
                               .gateway_number = report->gateway_number,
                               .caller = report->caller};

    /* The record has checked that they are times. */
    (void)call_report_read_time(str_of(report->occurred_at.text), &event.occurred_at);
    if (report->sent_at.text)
        (void)call_report_read_time(str_of(report->sent_at.text), &event.sent_at);
    if (!event.event_id) event.event_id = make_event_id(work, "call", &event);
    const char *why = NULL;
    if (!is_call(report->kind))
        why = "`kind` says that it was no call that came in";
    else if (has_text(report))
        why = "it has the text of a message, and a call has none: leave it out of the template";
    if (!why) return apply(work, device, &event, ret_result);
    enum err err = fleet_check_number(work, device, report->gateway_number, NULL);
    if (err) return err;
    refuse(work, device, &event, why, ret_result);
    return ERR_OK;
}

/* `to` is what somebody typed for this SIM, perhaps before the SIMs changed places. The list of
 * calls has dated it, so a report that has waited is known by its time. */
enum err call_report_apply_httpsms(struct work *work, const struct device *device,
                                   const struct httpsms_call *call, struct event_result *ret_result)
{
    struct call_event event = {
        .gateway_number = call->to, .caller = call->from, .occurred_at = call->timestamp};
    struct sim_state sim;

    event.event_id = make_event_id(work, "httpsms", &event);
    enum err err = fleet_check_number(work, device, call->to, &sim);
    if (err) return err;
    if (sim.slot != call_report_slot(call->sim)) {
        refuse(work, device, &event,
               "the SIM that rang is in another slot than the number: set the phone's slots",
               ret_result);
        return ERR_OK;
    }
    return apply(work, device, &event, ret_result);
}

/* CallGate names no SIM and no time: the phone has one number, and is believed to report at once.
 */
enum err call_report_apply_callgate(struct work *work, const struct device *device,
                                    const struct callgate_report *report, int64_t signed_at,
                                    struct event_result *ret_result)
{
    struct device phone;
    struct call_event event = {.event_id = arena_printf(work->arena, "callgate:%s", report->id),
                               .caller = report->payload ? report->payload->phone_number : NULL,
                               .occurred_at = signed_at,
                               .sent_at = signed_at};
    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = fleet_read(work, &device->id, &phone);
    if (err) return err;

    const struct device_number *numbers = phone.numbers.items;
    const char *why = NULL;
    if (strcmp(report->event, CALLGATE_RINGING) != 0)
        why = "only " CALLGATE_RINGING " tells of a call that comes in";
    else if (phone.numbers.count != 1)
        why = "CallGate does not tell which SIM rang, so its phone must have one number here";
    if (why) {
        refuse(work, device, &event, why, ret_result);
        return ERR_OK;
    }
    event.gateway_number = numbers[0].number;
    return apply(work, device, &event, ret_result);
}
