/*
 * Simulated providers of herald's channels: Telegram Gateway, the Telegram Bot API, uCaller,
 * SMS.ru, Unibell, Plusofon, Zvonok and SMSC, in one program and on one port, in their true wire
 * formats. They check requests as the real ones do, record each call, and behave as well or as
 * badly as the control API on a second port tells them. All there is to know: provider --help.
 */
#include "kit/base/secret.h"
#include "sim.h"
#include "sim/common/stop.h"

#include <curl/curl.h>
#include <unistd.h>

static int run(const struct options *options)
{
    int stop_fd = stop_open();
    struct sim *sim = stop_fd >= 0 ? sim_new(options) : NULL;

    if (!sim) return 1;
    int status = server_run(&sim->server, stop_fd);
    sim_free(sim);
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
    if (!secret_system_init() || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return 1;
    int status = run(&options);
    curl_global_cleanup();
    return status;
}
