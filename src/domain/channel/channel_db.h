/* The statements on channel_send and channel_circuit have one function each. */
#pragma once

#include "domain/channel/channel.h"

/* Selects answer ERR_INTERNAL for a row with a word that a later version of herald wrote. */
enum err send_insert(struct work *work, const struct channel_send *send) MUST_CHECK;
enum err send_select(struct work *work, const struct uuid *id,
                     struct channel_send *ret_send) MUST_CHECK;
enum err send_select_by_provider_id(struct work *work, enum channel channel,
                                    const char *provider_id,
                                    struct channel_send *ret_send) MUST_CHECK;
/* A send with the lines of its timeline. */
struct traced_send {
    struct channel_send send;
    const char *steps; /* NULL: none */
};
/* Reads the sends of an owner (struct traced_send), oldest first. */
enum err send_select_traced(struct work *work, const struct uuid *owner_id,
                            struct record_list *ret_sends) MUST_CHECK;
/* Stores the state, attempt, provider_id and error of `send`, if it is still in state `from`, and
 * appends its line. */
enum err send_move(struct work *work, const struct channel_send *send, enum send_state from,
                   bool *ret_moved) MUST_CHECK;

/* Stores the right code, sealed; NULL data erases it. */
enum err send_set_success_code(struct work *work, const struct uuid *id,
                               struct str sealed) MUST_CHECK;
/* Erases the right code, which the provider was told; `line` is appended to its timeline. */
enum err send_end_success(struct work *work, const struct uuid *id, const char *line) MUST_CHECK;
/* ERR_NOT_FOUND: there is no right code. */
enum err send_select_success_code(struct work *work, const struct uuid *id,
                                  struct str *ret_sealed) MUST_CHECK;

/* Reads until when the circuit is open; 0: it is closed. */
enum err circuit_select(struct work *work, enum channel channel,
                        int64_t *ret_open_until) MUST_CHECK;
/* Tells until when the circuit is open, and why; 0: it is closed. It keeps since when it is open.
 */
enum err circuit_set(struct work *work, enum channel channel, int64_t open_until,
                     const char *reason, bool is_edge) MUST_CHECK;
/* Locks its row and tells whether it says that the circuit is open. */
enum err circuit_select_locked(struct work *work, enum channel channel,
                               bool *ret_is_open) MUST_CHECK;
