/* The statements on subject_job have one function each. */
#pragma once

#include "domain/subject/subject.h"

enum err subject_insert(struct work *work, const struct subject_job *job,
                        const uint8_t mark[static SECRET_HASH_LEN]) MUST_CHECK;
/* Counts the jobs that run, up to `max`. */
enum err subject_count_running(struct work *work, int max, int64_t *ret_count) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err subject_select(struct work *work, const struct uuid *id,
                        struct subject_job *ret_job) MUST_CHECK;
/* Reads the job that has waited for longest. ERR_NOT_FOUND: none runs. */
enum err subject_select_next(struct work *work, struct subject_job *ret_job) MUST_CHECK;
/* Stores how far a job is, by compare-and-set on where it was (`before`): its phase and place are
 * those of `job`, its counts are added. ERR_TX_RETRY: another worker was quicker. */
enum err subject_save(struct work *work, const struct subject_job *before,
                      const struct subject_job *job) MUST_CHECK;
/* Puts a job behind the others that run. */
enum err subject_postpone(struct work *work, const struct uuid *id) MUST_CHECK;
/* Ends a job, whose number goes; `result` (sealed) may be empty. */
enum err subject_finish(struct work *work, const struct subject_job *job,
                        struct str result) MUST_CHECK;
/* Deletes what exports of a number found. One that runs is moved from its place, so that it begins
 * anew. */
enum err subject_delete_exports(struct work *work,
                                const uint8_t mark[static SECRET_HASH_LEN]) MUST_CHECK;
