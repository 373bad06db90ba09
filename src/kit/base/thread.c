/* Threads start here, and waits get an end. */
#include "kit/base/thread.h"

#include "kit/base/must.h"

#include <signal.h>

/* With the system's 8 MiB for each, stacks would be most of the address space that herald needs. */
enum { STACK_SIZE = 2 * 1024 * 1024 };

void thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    int failure = pthread_create(thread, &attr, run, arg);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    must_have(!failure, "no thread can be started. Allow the process more of them (ulimit -u, "
                        "TasksMax) or more memory (ulimit -v, MemoryMax).");
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
