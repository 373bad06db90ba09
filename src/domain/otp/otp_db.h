/* The statements on otp and wrong_code: a function for each, or for a few that travel together. */
#pragma once

#include "core/personal.h"
#include "domain/otp/otp.h"

enum err otp_insert(struct work *work, const struct otp *otp, const char *account_id) MUST_CHECK;
/* Reads a code as it is stored: a living one may be over by the clock. ERR_NOT_FOUND. */
enum err otp_select(struct work *work, const struct uuid *id, struct otp *ret_otp) MUST_CHECK;
/* Reads the lines of its timeline; NULL: none. ERR_NOT_FOUND. */
enum err otp_select_steps(struct work *work, const struct uuid *id,
                          const char **ret_steps) MUST_CHECK;
/* Cuts a search of codes, where it would look at more than it may. */
enum err otp_cut_search(struct work *work, struct search *search) MUST_CHECK;
/* Reads up to `limit` codes of a search, newest first, as they are stored, without their sends.
 * filter->search is not looked at. */
enum err otp_select_page(struct work *work, const struct otp_filter *filter,
                         const struct search *search, int64_t limit,
                         struct record_list *ret_otps) MUST_CHECK;
/* Takes an attempt off a living code, before anything is compared. ERR_NOT_FOUND if there is no
 * such code, or if it lives no more. */
enum err otp_take_attempt(struct work *work, const struct uuid *id, struct otp *ret_otp) MUST_CHECK;
/* Moves a code that is not final to a final state and erases it. `ret_moved` is false if it was
 * final already. A confirmed one gets its attempt back: only wrong codes cost one. */
enum err otp_move(struct work *work, const struct otp *otp, enum otp_state state,
                  bool *ret_moved) MUST_CHECK;
/* Moves a code to accepted, sent or delivered, if that is further than it was. */
enum err otp_raise_sending(struct work *work, const struct uuid *id, enum otp_state state,
                           int64_t *ret_changed) MUST_CHECK;
/* Moves a living code to queued or undelivered. */
enum err otp_set_sending(struct work *work, const struct uuid *id, enum otp_state state,
                         int64_t *ret_changed) MUST_CHECK;
/* Stores a code that became known, or was made, after the OTP was created. */
enum err otp_set_code(struct work *work, const struct uuid *id, struct str sealed_code) MUST_CHECK;

/* These times bound how many codes a recipient may get. */
struct otp_limits {
    int64_t codes;         /* so many were made within the window, at most OTP_RATE_COUNT */
    int64_t code_at;       /* when the oldest of those was made */
    int64_t wrong_code_at; /* see wrong_code_select_limit */
};
enum err otp_select_limits(struct work *work, const char *recipient,
                           struct otp_limits *ret_limits) MUST_CHECK;
/* The time of the OTP_WRONG_MAX-th latest wrong code within the window; 0: fewer than that. */
enum err wrong_code_select_limit(struct work *work, const char *recipient,
                                 int64_t *ret_oldest) MUST_CHECK;
enum err wrong_code_insert(struct work *work, const struct otp *otp) MUST_CHECK;

/* Read codes of a number, and codes that are old, and hold them. */
enum err otp_select_of(struct work *work, const char *number, int max,
                       struct record_list *ret_otps) MUST_CHECK;
enum err otp_select_old(struct work *work, const struct personal_span *span, int max,
                        struct record_list *ret_otps) MUST_CHECK;
/* Erases what is personal in the row of a code that is held, and not erased yet. */
enum err otp_erase(struct work *work, const struct otp *otp) MUST_CHECK;
/* Wrong codes of the number go on counting by what stands in for it. */
enum err wrong_code_erase(struct work *work, const char *number) MUST_CHECK;

/* Stores that an SMS fallback was asked for; `ret_is_first` is false if it was before. */
enum err otp_take_fallback(struct work *work, const struct uuid *id, bool *ret_is_first) MUST_CHECK;
/* On PostgreSQL holds the row until the end of the transaction; it comes first in the order of
 * locks. */
enum err otp_hold(struct work *work, const struct uuid *id) MUST_CHECK;
/* Does as otp_select, and holds the row. */
enum err otp_select_locked(struct work *work, const struct uuid *id,
                           struct otp *ret_otp) MUST_CHECK;
/* Does so, but finds nothing while another transaction of PostgreSQL holds the row. */
enum err otp_select_unless_held(struct work *work, const struct uuid *id,
                                struct otp *ret_otp) MUST_CHECK;
/* Reads up to `max` codes whose time is over and whose digits are still there, and holds them. */
enum err otp_select_over(struct work *work, int max, struct record_list *ret_otps) MUST_CHECK;
