/* The statements of the fleet have one function each. */
#pragma once

#include "domain/fleet/fleet.h"

enum err device_insert(struct work *work, const struct device *device,
                       struct str key_hash) MUST_CHECK;
/* Adds a zeroed item of `size` bytes to a list that grows in the arena. */
void *fleet_list_add(struct arena *arena, struct record_list *list, size_t size);
/* A number that leaves its phone and comes to another one takes along whether it is silent, or is
 * to be watched. ERR_NUMBER_TAKEN if it belongs to a phone already. */
enum err device_number_insert(struct work *work, const struct device *device, int position,
                              int slot, const char *number) MUST_CHECK;
enum err device_number_delete(struct work *work, const struct uuid *device_id,
                              const char *number) MUST_CHECK;
/* Sets the slot of a number, as the operator has it; 0: none. */
enum err device_number_set_slot(struct work *work, const char *number, int slot) MUST_CHECK;
enum err device_number_set_position(struct work *work, const char *number, int position) MUST_CHECK;
/* Reads the devices behind `after` with their numbers, in order of id. */
enum err device_select(struct work *work, const struct uuid *after, int64_t limit,
                       struct record_list *ret_devices) MUST_CHECK;
/* Reads ids, names and numbers, and nothing else, of the newest phones, the newest first. */
enum err device_select_named(struct work *work, int64_t max,
                             struct record_list *ret_devices) MUST_CHECK;
/* ERR_NOT_FOUND, also if it was removed. */
enum err device_select_one(struct work *work, const struct uuid *id,
                           struct device *ret_device) MUST_CHECK;
/* Reads a device without its numbers; ERR_NOT_FOUND. */
enum err device_select_by_key(struct work *work, struct str key_hash,
                              struct device *ret_device) MUST_CHECK;
/* Reads a device without its numbers, and the hash of its key; ERR_NOT_FOUND, also if it was
 * removed. */
enum err device_select_key(struct work *work, const struct uuid *id, struct device *ret_device,
                           struct str *ret_key_hash) MUST_CHECK;
enum err device_update_enabled(struct work *work, const struct uuid *id,
                               bool is_enabled) MUST_CHECK;
enum err device_update_name(struct work *work, const struct uuid *id, const char *name) MUST_CHECK;
/* Finds a phone that may be removed already, and tells when; 0: it is not. ERR_NOT_FOUND. */
enum err device_select_removed(struct work *work, const struct uuid *id,
                               int64_t *ret_removed_at) MUST_CHECK;
/* Reads the name of a phone, also of one that was removed. ERR_NOT_FOUND. */
enum err device_select_name(struct work *work, const struct uuid *id,
                            const char **ret_name) MUST_CHECK;
/* Marks the phone removed: it is disabled, and `key_hash` is that of a key that nobody has. */
enum err device_update_removed(struct work *work, const struct uuid *id,
                               struct str key_hash) MUST_CHECK;
/* Stores the body of a ping unless a later one is stored. */
enum err device_status_upsert(struct work *work, const struct uuid *device_id, struct str raw,
                              int64_t at) MUST_CHECK;
/* The phone may be another one from now on: how far its clock is behind is not known any more. */
enum err device_update_key(struct work *work, const struct uuid *id,
                           struct str key_hash) MUST_CHECK;
/* On PostgreSQL holds the row until the end of the transaction, against others who hold or change
 * it. */
enum err device_hold(struct work *work, const struct uuid *id) MUST_CHECK;
/* Stores how far the phone's clock is behind, as it was seen now. */
enum err device_update_clock(struct work *work, const struct uuid *id, int64_t lag_ms) MUST_CHECK;
enum err device_update_seen(struct work *work, const struct uuid *id, int64_t seen_at) MUST_CHECK;

/* Reads the owner of a number, whether it is enabled, and its SIM; ERR_NOT_FOUND. */
enum err device_number_select(struct work *work, const char *number, struct uuid *ret_device_id,
                              bool *ret_is_enabled, struct sim_state *ret_sim) MUST_CHECK;
/* ERR_NUMBER_NOT_OWNED: on PostgreSQL it may have left its phone since it was read. */
enum err device_number_set_ready(struct work *work, const struct uuid *device_id,
                                 const char *number, int64_t ready_until) MUST_CHECK;
/* The SIM was heard of: it is silent no more. `ret_was` tells whether it was, and nobody else has
 * found out. */
enum err device_number_end_silence(struct work *work, const char *number, bool *ret_was) MUST_CHECK;
/* Extends readiness only where the number is ready for a shorter time, or for an impossibly long
 * one: a withdrawal is never undone. */
enum err device_number_extend_ready(struct work *work, const char *number,
                                    int64_t ready_until) MUST_CHECK;
/* Marks the number used now, and counts one more active challenge. ERR_NOT_FOUND. */
enum err device_number_use(struct work *work, const char *number) MUST_CHECK;
enum err device_number_add_load(struct work *work, const char *number, int change) MUST_CHECK;
/* Finds the enabled number with the fewest active challenges, among equals the longest unused,
 * marks it used and counts one more. `ret_sim` is as it was. ERR_NOT_FOUND. */
enum err device_number_take(struct work *work, const struct number_choice *choice,
                            const char *avoided, const char **ret_number,
                            struct sim_state *ret_sim) MUST_CHECK;
/* Stores that the log was told now of a call to a SIM that is not ready. */
enum err device_number_set_unready_told(struct work *work, const char *number) MUST_CHECK;
