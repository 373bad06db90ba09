/* Signals mean this to a process that serves (contract, section 7). They are waited for, not
 * caught, so no code runs inside a signal handler. */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum signal_meaning { SIGNAL_IS_NOTHING, SIGNAL_RELOADS, SIGNAL_STOPS };

struct signals {
    sigset_t all;
    bool has_terminal; /* it had one when it started, whose end is told by a SIGHUP */
};

/* Blocks them for the calling thread and those that it starts. */
void signals_block(struct signals *ret_signals);
/* Tells what a signal that came asks for. One that is sent by mistake gets an entry. */
enum signal_meaning signals_judge(const struct signals *signals, int number, int from_pid);
/* Waits until the process has to stop. Returns the signal, which is SIGTERM for a terminal that is
 * gone. `reload` is called for a SIGHUP that somebody sent; others that are sent by mistake are
 * told. */
int signals_wait(const struct signals *signals, void (*reload)(void *arg), void *arg);
/* Waits for `seconds`, or until a further signal asks to stop. */
void signals_pause(int seconds);
