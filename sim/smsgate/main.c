/* A stand-in for the SMSGate app. What it does and can be told: smsgate --help. */
#include "app.h"

#include <stdio.h>

static int run(const struct options *options, int stop_fd)
{
    struct server *server = server_new(options->url, stop_fd);

    if (!server) {
        fprintf(stderr, "smsgate: the system does not give what it needs to start\n");
        return 1;
    }
    int status = app_run(options, server, stop_fd);
    server_free(server);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict = options_parse(argc, argv, &options);

    return sim_main("smsgate", verdict, run, &options);
}
