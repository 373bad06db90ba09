/*
 * Moves the clocks of the process that preloads it, for the scenarios about time.
 *
 * SCENARIO_CLOCK names a file of three numbers of eight bytes: the seconds to add to the wall
 * clock, to the monotonic clock and to the time since the machine was started, which the test may
 * change while the server runs. Every wait stays true. (libfaketime also rewrites waits, and a
 * pthread_cond_timedwait on the monotonic clock then returns at once.)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WALL, MONOTONIC, BOOT, CLOCKS };

static const volatile int64_t *shift_s; /* of each of them; NULL: no file was named */

__attribute__((constructor)) static void clock_shift_open(void)
{
    const char *path = getenv("SCENARIO_CLOCK");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *page = mmap(NULL, CLOCKS * sizeof *shift_s, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) shift_s = page;
    close(fd);
}

static int64_t shift_of(clockid_t clock)
{
    if (!shift_s) return 0;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return shift_s[WALL];
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) return shift_s[MONOTONIC];
    if (clock == CLOCK_BOOTTIME) return shift_s[BOOT];
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, ret_time);
    if (rc == 0) ret_time->tv_sec += shift_of(clock);
    return rc;
}

/* The deadline was made of a moved clock; the kernel's has not moved. A machine is not up for 30
 * years, so a later time is one of the wall clock. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline)
{
    clockid_t clock = deadline->tv_sec > 1000000000 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct timespec real = *deadline;
    real.tv_sec -= shift_of(clock);
    return pthread_cond_clockwait(cond, mutex, clock, &real);
}

int gettimeofday(struct timeval *restrict ret_time, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    int rc = clock_gettime(CLOCK_REALTIME, &now);
    if (rc == 0) *ret_time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return rc;
}

time_t time(time_t *ret_time)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (ret_time) *ret_time = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *ret_time, int base)
{
    return clock_gettime(CLOCK_REALTIME, ret_time) == 0 ? base : 0;
}
