/* A signalfd, and waiting for it. */
#include "stop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

int stop_open(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

bool stop_wait(int stop_fd, int64_t wait_ms)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    int ms = wait_ms < 0 ? -1 : wait_ms > INT_MAX ? INT_MAX : (int)wait_ms;
    int count;

    do {
        count = poll(&stop, 1, ms);
    } while (count < 0 && errno == EINTR);
    return count != 0;
}
