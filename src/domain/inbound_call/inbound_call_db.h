/* The statements of inbound-call challenges have one function each. */
#pragma once

#include "domain/inbound_call/inbound_call.h"

enum err inbound_call_insert(struct work *work, const struct call_challenge *challenge) MUST_CHECK;
/* Reads a challenge as it is stored: a pending one may be over by the clock. ERR_NOT_FOUND. */
enum err inbound_call_select(struct work *work, const struct uuid *id,
                             struct call_challenge *ret_challenge) MUST_CHECK;
/* Reads the challenges of a caller at a number that have begun, newest first, at most
 * CALL_PAST_MAX. They are those of one moment, so a challenge that was created behind a
 * confirmation is never seen without it. */
enum { CALL_PAST_MAX = 50 };
enum err inbound_call_select_past(struct work *work, const char *caller, const char *gateway_number,
                                  struct record_list *ret_past) MUST_CHECK;
/* These move a pending challenge; `ret_moved` is false if it is pending no more. By the phone's
 * clock the call came at `called_at`. */
enum err inbound_call_set_confirmed(struct work *work, const struct uuid *id, int64_t called_at,
                                    bool *ret_moved) MUST_CHECK;
enum err inbound_call_set_canceled(struct work *work, const struct uuid *id,
                                   bool *ret_moved) MUST_CHECK;

/* Reads the first result of an event; ERR_NOT_FOUND. */
enum err inbound_call_event_select(struct work *work, const struct uuid *device_id,
                                   const char *event_id,
                                   struct event_result *ret_result) MUST_CHECK;
/* ERR_TX_RETRY if the same event came in at this very moment. */
enum err inbound_call_event_insert(struct work *work, const struct uuid *device_id,
                                   const struct event_result *result) MUST_CHECK;
