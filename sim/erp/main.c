/* A simulated ERP of a sales point. What it does and can be told: erp --help. */
#include "kit/base/secret.h"
#include "maker.h"
#include "push.h"
#include "run.h"
#include "serve.h"

#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* SIGTERM and SIGINT become a readable descriptor, so that no handler interrupts anything. */
static int open_stop_fd(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* The verbs that go on until they are done or told to stop. */
static int work(const struct options *options, int stop_fd)
{
    if (options->verb == VERB_SERVE) return serve_run(options, stop_fd);
    return options->verb == VERB_RUN ? run_run(options, stop_fd) : push_run(options, stop_fd);
}

static int start_work(const struct options *options)
{
    int stop_fd = open_stop_fd();

    if (stop_fd < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fprintf(stderr, "erp: the system does not give what it needs to start\n");
        return 1;
    }
    int status = work(options, stop_fd);
    curl_global_cleanup();
    close(stop_fd);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;

    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_HELP:
        return 0;
    case OPTIONS_WRONG:
        return 2;
    case OPTIONS_RUN:
        break;
    }
    if (!secret_system_init()) return 1;
    switch (options.verb) {
    case VERB_SNAPSHOT:
    case VERB_CHANGES:
        return maker_print(&options);
    case VERB_PUSH_SNAPSHOT:
    case VERB_PUSH_CHANGES:
    case VERB_PUSH_QUEUE:
    case VERB_RUN:
    case VERB_SERVE:
        return start_work(&options);
    }
    return 2;
}
