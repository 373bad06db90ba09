/*
 * Simulated providers of herald's channels: Telegram Gateway, the Telegram Bot API, uCaller,
 * SMS.ru, Unibell, Plusofon, Zvonok and SMSC, in one program and on one port, in their true wire
 * formats. They check requests as the real ones do, record each call, and behave as well or as
 * badly as the control API on a second port tells them. All there is to know: provider --help.
 *
 * Threads: a loop for the providers, a loop for the control API, and that of errands, which waits
 * for slow answers and posts delivery reports. What they share is struct sim, under one lock.
 */
#include "control.h"
#include "kit/base/secret.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

/* Before any thread starts, so that all have them blocked. */
static void block_signals(sigset_t *ret_stop)
{
    sigemptyset(ret_stop);
    sigaddset(ret_stop, SIGTERM);
    sigaddset(ret_stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, ret_stop, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void say_where(struct sim *sim, struct control *control)
{
    printf("provider: listening on http://%s, control API on http://%s\n", sim->port.address,
           http_server_address(control_server(control)));
    fflush(stdout);
}

/* Held answers and reports end first; then nobody needs the servers any more. */
static void stop(struct sim *sim, struct control *control)
{
    pthread_mutex_lock(&sim->lock);
    atomic_store(&sim->is_stopping, true);
    pthread_mutex_unlock(&sim->lock);
    port_retire(&sim->port);
    errands_hurry(sim->errands);
    control_stop(control);
    port_close(&sim->port);
}

static int run(const struct options *options, const sigset_t *stop_signals)
{
    int signal_number;
    struct sim *sim = sim_new(options);
    struct control *control = NULL;

    if (!sim) return 1;
    if (port_open(&sim->port)) {
        control = control_start(
            &(struct control_options){"provider", options->control, control_routes, sim});
    }
    if (control) {
        say_where(sim, control);
        sigwait(stop_signals, &signal_number);
    }
    stop(sim, control);
    sim_free(sim);
    return control ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options options;
    sigset_t stop_signals;

    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_HELP:
        return 0;
    case OPTIONS_WRONG:
        return 2;
    case OPTIONS_RUN:
        break;
    }
    block_signals(&stop_signals);
    if (!secret_system_init() || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return 1;
    int status = run(&options, &stop_signals);
    curl_global_cleanup();
    return status;
}
