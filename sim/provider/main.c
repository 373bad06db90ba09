/*
 * Simulated providers of herald's channels: Telegram Gateway, the Telegram Bot API, uCaller,
 * SMS.ru, Unibell, Plusofon, Zvonok and SMSC, in one program and on one port, in their true wire
 * formats. They check requests as the real ones do, record each call, and behave as well or as
 * badly as the control API on a second port tells them. All there is to know: provider --help.
 */
#include "sim.h"

static int run(const struct options *options, int stop_fd)
{
    struct sim *sim = sim_new(options);

    if (!sim) return 1;
    int status = server_run(&sim->server, stop_fd);
    sim_free(sim);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict = options_parse(argc, argv, &options);

    return sim_main("provider", verdict, run, &options);
}
