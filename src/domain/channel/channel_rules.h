/* Declares what channel.c and channel_*_job.c share. */
#pragma once

#include "domain/channel/channel.h"

/* A job does one of these steps for a send. */
enum channel_step {
    STEP_SEND,
    STEP_REVOKE, /* revoke and success come before the status, of which there can be many */
    STEP_SUCCESS,
    STEP_STATUS,
    STEP_COUNT
};
extern const char *const channel_job_kinds[CHANNEL_COUNT][STEP_COUNT];

typedef void (*driver_make_fn)(const struct driver_config *config,
                               const struct channel_content *content, struct arena *arena,
                               struct fetch *fetch);
/* Finds the function that makes the fetch of a step; NULL: there is none, or no driver. */
driver_make_fn driver_make_of(const struct channel_driver *driver, enum channel_step step);
bool driver_has_step(const struct channel_driver *driver, enum channel_step step);
/* Queues a follow-up, if the provider has the send under an id and can be asked for that step. */
enum err channel_enqueue_step(struct work *work, const struct channel_send *send,
                              enum channel_step step, int64_t run_at) MUST_CHECK;

/* Tells the state of a send that the provider has, by how far it has come there. */
enum send_state channel_state_of(enum channel_progress progress);

/* Takes over why a send failed, and what the provider said; NULL: it did not fail. */
enum err channel_take_error(struct work *work, struct channel_send *send,
                            const struct channel_answer *answer) MUST_CHECK;
/* Tells the owner of the state that stands in the send, and moves it there. ERR_TX_RETRY if it is
 * not in state `from` any more. */
enum err channel_move_send(struct work *work, struct channel_send *send, enum send_state from,
                           const char *learned_code) MUST_CHECK;
/* Applies what a status or report says of a send that the provider has. */
enum err channel_apply_progress(struct work *work, struct channel_send *send,
                                const struct channel_answer *answer) MUST_CHECK;

/* Makes good for a send that the provider has turned out to have: if nobody wants it any more
 * (`ret_is_wanted`), it is taken back, or told of the code that was right. */
enum err channel_make_good(struct work *work, const struct channel_send *send,
                           bool *ret_is_wanted) MUST_CHECK;

/* Opens the right code, which is sealed in the send's row until its provider was told of it.
 * ERR_NOT_FOUND: there is none any more. ERR_INTERNAL: it was sealed with another key. */
enum err channel_open_code(struct work *work, const struct uuid *send_id,
                           const char **ret_code) MUST_CHECK;
