/* What channel.c and channel_job.c share. */
#pragma once

#include "domain/channel/channel.h"

/* What a job does for a send. */
enum channel_step { STEP_SEND, STEP_STATUS, STEP_REVOKE, STEP_SUCCESS, STEP_COUNT };
extern const char *const channel_job_kinds[CHANNEL_COUNT][STEP_COUNT];

enum send_state channel_state_of(enum channel_progress progress);

/* Tells the owner of the state that stands in the send, and moves it there. ERR_TX_RETRY if it is
 * not in state `from` any more. */
enum err channel_move_send(struct work *work, struct channel_send *send, enum send_state from,
                           const char *learned_code) MUST_CHECK;
/* What a status or report says of a send that the provider has. */
enum err channel_apply_progress(struct work *work, struct channel_send *send,
                                const struct channel_answer *answer) MUST_CHECK;
