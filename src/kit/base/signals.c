/* One table says what each signal does; a signal that is not in it does what the system says. */
#include "kit/base/signals.h"

#include "kit/base/log.h"
#include "kit/base/macros.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const struct signal_row {
    int number;
    const char *name;
    enum signal_meaning meaning;
} rows[] = {
    {SIGTERM, "SIGTERM", SIGNAL_STOPS},      {SIGINT, "SIGINT", SIGNAL_STOPS},
    {SIGHUP, "SIGHUP", SIGNAL_RELOADS},      {SIGUSR1, "SIGUSR1", SIGNAL_IS_NOTHING},
    {SIGUSR2, "SIGUSR2", SIGNAL_IS_NOTHING}, {SIGQUIT, "SIGQUIT", SIGNAL_IS_NOTHING},
    {SIGALRM, "SIGALRM", SIGNAL_IS_NOTHING},
};

static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Under nohup, SIGHUP is ignored, and the end of the terminal is nothing to the process. */
void signals_block(struct signals *ret_signals)
{
    *ret_signals = (struct signals){.has_terminal = has_terminal() && !is_ignored(SIGHUP)};
    sigemptyset(&ret_signals->all);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        sigaddset(&ret_signals->all, rows[i].number);
    pthread_sigmask(SIG_BLOCK, &ret_signals->all, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static const struct signal_row *find_row(int number)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].number == number) return &rows[i];
    }
    return NULL;
}

enum signal_meaning signals_judge(const struct signals *signals, int number, int from_pid)
{
    const struct signal_row *row = find_row(number);

    if (!row) return SIGNAL_IS_NOTHING;
    if (number == SIGHUP && signals->has_terminal && !has_terminal()) {
        log_write(LOG_INFO, "the terminal is gone: herald stops", NULL, 0);
        return SIGNAL_STOPS;
    }
    if (row->meaning == SIGNAL_IS_NOTHING)
        log_write(LOG_WARNING, "a signal came that means nothing to herald; it goes on",
                  LOG_FIELDS(log_plain("signal", row->name), log_int("from_pid", from_pid)));
    return row->meaning;
}

int signals_wait(const struct signals *signals, void (*reload)(void *arg), void *arg)
{
    while (true) {
        siginfo_t info = {0};
        int number = sigwaitinfo(&signals->all, &info);
        enum signal_meaning meaning = signals_judge(signals, number, info.si_pid);

        if (meaning == SIGNAL_STOPS) return number == SIGHUP ? SIGTERM : number;
        if (meaning == SIGNAL_RELOADS) reload(arg);
    }
}

void signals_pause(int seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds};
    sigset_t stops;

    sigemptyset(&stops);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].meaning == SIGNAL_STOPS) sigaddset(&stops, rows[i].number);
    }
    (void)sigtimedwait(&stops, NULL, &pause);
}
