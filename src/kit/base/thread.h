/* herald starts its threads here; their waits have an end. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Starts a thread with all signals blocked: they belong to the main thread, and a file over its
 * limit (SIGXFSZ) is then an error of write(), as a full disk is. The system shows `name`, which
 * has at most 15 bytes. Ends the process where no more threads are allowed. */
void thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

/* Makes a condition whose timed waits end by the monotonic clock, at thread_deadline(). */
void thread_cond_init(pthread_cond_t *cond);
/* Returns the time `wait_ms` (0 or more) from now. */
struct timespec thread_deadline(int64_t wait_ms);
