/* Threads of herald's own, and waits that end. */
#include "kit/base/thread.h"

#include <signal.h>
#include <stdlib.h>

void thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) abort();
    pthread_setname_np(*thread, name);
}

void thread_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

struct timespec thread_deadline(int64_t wait_ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    int64_t ns = at.tv_nsec + wait_ms % 1000 * INT64_C(1000000);
    at.tv_sec += wait_ms / 1000 + ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    return at;
}
