/*
 * Moves the wall clock of the process that preloads it, for the scenarios about time.
 *
 * SCENARIO_CLOCK names a file of eight bytes: the seconds to add, which the test may change while
 * the server runs. Only the wall clock moves; monotonic time and every wait stay true. (libfaketime
 * also rewrites waits, and a pthread_cond_timedwait on the monotonic clock then returns at once.)
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift_s;

__attribute__((constructor)) static void clock_shift_open(void)
{
    const char *path = getenv("SCENARIO_CLOCK");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *page = mmap(NULL, sizeof *shift_s, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) shift_s = page;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, ret_time);
    if (rc == 0 && shift_s && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        ret_time->tv_sec += *shift_s;
    return rc;
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
