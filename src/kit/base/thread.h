/* Threads of herald's own, and waits that end. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Starts a thread with all signals blocked: they belong to the main thread, and a file over its
 * limit (SIGXFSZ) is then an error of write() like a full disk. `name`, of at most 15 bytes, is
 * what the system shows. Ends the process where no
 * more threads are allowed. */
void thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

/* A condition whose timed waits end by the monotonic clock: at thread_deadline(). */
void thread_cond_init(pthread_cond_t *cond);
/* `wait_ms` from now; 0 or more. */
struct timespec thread_deadline(int64_t wait_ms);
