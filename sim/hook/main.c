/*
 * A simulated receiver of webhooks: a core system's endpoint that checks signatures, records every
 * delivery, and answers as well or as badly as it is told. All there is to know: hook --help.
 */
#include "sim.h"
#include "sim/common/memory.h"

static bool start(struct sim *sim)
{
    const struct options *options = sim->options;

    return server_init(&sim->server, &(struct server_options){
                                         .program = "hook",
                                         .listen = options->listen,
                                         .control = options->control,
                                         .calls_file = options->calls_file,
                                         .handler = front_handler(sim),
                                         .routes = control_routes,
                                         .flush = front_flush,
                                         .announcement = "hook: listening",
                                         .control_announcement = "control API",
                                         .sim = sim,
                                     });
}

static int run(const struct options *options, int stop_fd)
{
    struct sim *sim = memory_new(sizeof(*sim));

    sim->options = options;
    sim->rules = rules_new();
    sim->chance = chance_of((uint64_t)options->seed, 0, 0);
    int status = start(sim) ? server_run(&sim->server, stop_fd) : 1;
    server_done(&sim->server);
    rules_free(sim->rules);
    free(sim);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict = options_parse(argc, argv, &options);

    return sim_main("hook", verdict, run, &options);
}
