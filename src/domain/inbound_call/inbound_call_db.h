/* The statements of inbound-call challenges have one function each. */
#pragma once

#include "core/personal.h"
#include "domain/inbound_call/inbound_call.h"

enum err inbound_call_insert(struct work *work, const struct call_challenge *challenge) MUST_CHECK;
/* Reads a challenge as it is stored: a pending one may be over by the clock. ERR_NOT_FOUND. */
enum err inbound_call_select(struct work *work, const struct uuid *id,
                             struct call_challenge *ret_challenge) MUST_CHECK;
/* Reads the challenges of a caller at a number that were created up to `latest_ms`, newest first,
 * at most CALL_PAST_MAX, without those of test numbers, which no phone confirms. They are those of
 * one moment, so a challenge that was created behind a confirmation is never seen without it.
 * `ret_rest_ms` is when the oldest was created, where there may be more from then and before; 0:
 * these are all. */
enum { CALL_PAST_MAX = 50 };
enum err inbound_call_select_past(struct work *work, const char *caller, const char *gateway_number,
                                  int64_t latest_ms, struct record_list *ret_past,
                                  int64_t *ret_rest_ms) MUST_CHECK;
/* Reads the lines of its timeline; NULL: none. ERR_NOT_FOUND. */
enum err inbound_call_select_steps(struct work *work, const struct uuid *id,
                                   const char **ret_steps) MUST_CHECK;
/* Cuts a search of challenges, where it would look at more than it may. */
enum err inbound_call_cut_search(struct work *work, struct search *search) MUST_CHECK;
/* Reads up to `limit` challenges of a search, newest first, as they are stored. filter->search is
 * not looked at. */
enum err inbound_call_select_page(struct work *work, const struct call_challenge_filter *filter,
                                  const struct search *search, int64_t limit,
                                  struct record_list *ret_challenges) MUST_CHECK;
/* These move a pending challenge; `ret_moved` is false if it is pending no more. By the clock of
 * the phone (`device_id`, or NULL) the call came at `called_at`. */
enum err inbound_call_set_confirmed(struct work *work, const struct uuid *id,
                                    const struct uuid *device_id, int64_t called_at,
                                    bool *ret_moved) MUST_CHECK;
enum err inbound_call_set_canceled(struct work *work, const struct uuid *id,
                                   bool *ret_moved) MUST_CHECK;

/* Read challenges of a caller, and challenges that are old, and hold them. */
enum err inbound_call_select_of(struct work *work, const char *caller, int max,
                                struct record_list *ret_challenges) MUST_CHECK;
enum err inbound_call_select_old(struct work *work, const struct personal_span *span, int max,
                                 struct record_list *ret_challenges) MUST_CHECK;
/* Erases what is personal in the row of a challenge that is held, and not erased yet. */
enum err inbound_call_erase(struct work *work, const struct call_challenge *challenge) MUST_CHECK;

/* Reads the first result of an event; ERR_NOT_FOUND. */
enum err inbound_call_event_select(struct work *work, const struct uuid *device_id,
                                   const char *event_id,
                                   struct event_result *ret_result) MUST_CHECK;
/* ERR_TX_RETRY if the same event came in at this very moment. */
enum err inbound_call_event_insert(struct work *work, const struct uuid *device_id,
                                   const struct event_result *result) MUST_CHECK;

/* Holds the challenge and reads whether this has told of its end. ERR_NOT_FOUND also while another
 * transaction of PostgreSQL holds it. */
enum err inbound_call_select_told(struct work *work, const struct uuid *id,
                                  bool *ret_is_told) MUST_CHECK;
/* Makes it expired, unless it has ended. */
enum err inbound_call_set_expired(struct work *work, const struct uuid *id) MUST_CHECK;
/* Notes of at most `max` challenges that the clock ended before `before_ms` that this was told, and
 * gives their ids. */
enum err inbound_call_end_over(struct work *work, int64_t before_ms, int max, struct uuid *ret_ids,
                               size_t *ret_count) MUST_CHECK;
