/* A simulated ERP of a sales point. What it does and can be told: erp --help. */
#include "kit/base/secret.h"
#include "maker.h"
#include "push.h"
#include "run.h"
#include "serve.h"
#include "sim/common/stop.h"

#include <curl/curl.h>
#include <stdio.h>
#include <unistd.h>

/* The verbs that go on until they are done or told to stop. */
static int work(const struct options *options, int stop_fd)
{
    if (options->verb == VERB_SERVE) return serve_run(options, stop_fd);
    return options->verb == VERB_RUN ? run_run(options, stop_fd) : push_run(options, stop_fd);
}

static int start_work(const struct options *options)
{
    int stop_fd = stop_open();

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
