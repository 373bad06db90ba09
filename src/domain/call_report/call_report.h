/*
 * Applications of others see the calls of a phone: httpSMS, CallGate, and those that send what one
 * writes into them, as Tasker and MacroDroid do. What they report is a CallEvent where it proves
 * that it was a call, of whom, and on which SIM; it confirms nothing otherwise (contract,
 * section 15.3). Lives in the verification store.
 */
#pragma once

#include "domain/fleet/fleet.h"
#include "domain/inbound_call/inbound_call.h"

enum {
    CALL_KIND_MAX = 40,
    CALL_TIME_MAX = 40,
    CALL_TEXT_MAX = 64 * 1024, /* as much as a body has */
    CALLGATE_ID_MAX = 64,
    HTTPSMS_TOKEN_MAX = 4096, /* of Google, which herald has no use for */
};

/* A report that somebody wrote a template for. */
struct call_report {
    const char *kind; /* what the application says that it saw */
    const char *gateway_number;
    const char *caller; /* NULL: hidden */
    struct string_or_integer occurred_at, sent_at;
    const char *event_id;                        /* NULL: made of number, caller and time */
    const char *text, *content, *message, *body; /* of an SMS: where one is told, it was no call */
};

/* The slot of SIM1 or SIM2, by its index. */
static inline int64_t call_report_slot(int sim)
{
    return sim + 1;
}

/* A missed call, as httpSMS reports it. */
struct httpsms_call {
    int sim; /* the index of SIM1 or SIM2 */
    const char *from;
    const char *to;
    int64_t timestamp; /* of the phone's list of calls */
};

/* A SIM with which somebody logs in at httpSMS. */
struct httpsms_login {
    int sim;
    const char *phone_number;
    const char *fcm_token;
};
struct httpsms_phone {
    struct uuid id, user_id; /* both the phone's */
    const char *phone_number;
    int sim;
};
struct httpsms_logged_in {
    const char *status, *message;
    struct httpsms_phone *data;
};

/* A webhook of CallGate. */
struct callgate_payload {
    const char *phone_number; /* NULL: hidden, or not known yet */
};
struct callgate_report {
    const char *id;
    const char *event;
    struct callgate_payload *payload;
};

/* An owner enters this in CallGate. */
struct callgate_setup {
    const char *url;
    const char *event;
    const char *signing_key;
};

/* Reads a time as templates write it: RFC 3339, or seconds or milliseconds since 1970. Returns
 * false for anything else. */
bool call_report_read_time(struct str text, int64_t *ret_ms);

/* These take a report. `ret_result` says in `why` why it confirmed nothing. ERR_DEVICE_DISABLED,
 * ERR_NUMBER_NOT_OWNED. */
enum err call_report_apply(struct work *work, const struct device *device,
                           const struct call_report *report,
                           struct event_result *ret_result) MUST_CHECK;
enum err call_report_apply_httpsms(struct work *work, const struct device *device,
                                   const struct httpsms_call *call,
                                   struct event_result *ret_result) MUST_CHECK;
/* It was signed at `signed_at`, by the phone's clock. */
enum err call_report_apply_callgate(struct work *work, const struct device *device,
                                    const struct callgate_report *report, int64_t signed_at,
                                    struct event_result *ret_result) MUST_CHECK;

extern const struct record call_report_record;
extern const struct record call_report_result_record;
extern const struct record httpsms_call_record;
extern const struct record httpsms_login_record;
extern const struct record httpsms_logged_in_record;
extern const struct record httpsms_heartbeat_record;
extern const struct record httpsms_sms_record;
extern const struct record callgate_report_record;
extern const struct record callgate_setup_record;
extern const char *const httpsms_sim_words[];
extern const struct field callgate_headers[]; /* for route->headers */

/* --- For the tables of app/ --- */

struct request;
struct route_table;
extern const struct route_table call_report_routes;
/* Finds the phone that signed the request, which rq->principal becomes. ERR_UNAUTHORIZED. */
enum err call_report_http_authenticate_callgate(struct request *rq,
                                                struct device *ret_device) MUST_CHECK;
