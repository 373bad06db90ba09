/* The statements on phone_task have one function each, some of which phone_task.h shows. */
#pragma once

#include "domain/phone_task/phone_task.h"

/* Selects answer ERR_INTERNAL for a row with a word that a later version of herald wrote. */
enum err phone_task_insert(struct work *work, const struct phone_task *task) MUST_CHECK;
/* A task with the lines of its timeline. */
struct traced_task {
    struct phone_task task;
    const char *steps; /* NULL: none */
};
/* Reads the tasks of an owner (struct traced_task), oldest first. */
enum err phone_task_select_traced(struct work *work, const struct uuid *owner_id,
                                  struct record_list *ret_tasks) MUST_CHECK;
/* Starts a query that has a row if there is an open task. */
enum err phone_task_start_open(struct work *work, enum phone_task_channel channel,
                               const char *sender, struct db_stmt **ret_stmt) MUST_CHECK;
/* Finds the task that this phone has under a living lease, or else the oldest that nobody has,
 * which is this phone's from now on (`ret_is_new`); ERR_NOT_FOUND. */
enum err phone_task_lease(struct work *work, enum phone_task_channel channel, const char *sender,
                          const struct uuid *device_id, struct phone_task *ret_task,
                          bool *ret_is_new) MUST_CHECK;
/* Moves a task by compare-and-set on the state and the lease that it was seen with. */
enum err phone_task_move(struct work *work, const struct phone_task *task,
                         enum phone_task_state state, const char *error,
                         bool *ret_moved) MUST_CHECK;
/* Notes in the same way that its phone has handed it to the radio: it is claimed until
 * PHONE_TASK_HANDED_OVER_MS from now, and by nobody again. */
enum err phone_task_hand_over(struct work *work, const struct phone_task *task,
                              bool *ret_moved) MUST_CHECK;
