/* A simulated ERP of a sales point. What it does and can be told: erp --help. */
#include "kit/base/secret.h"
#include "maker.h"
#include "push.h"
#include "run.h"
#include "serve.h"

/* The verbs that go on until they are done or told to stop. */
static int work(const struct options *options, int stop_fd)
{
    if (options->verb == VERB_SERVE) return serve_run(options, stop_fd);
    return options->verb == VERB_RUN ? run_run(options, stop_fd) : push_run(options, stop_fd);
}

static bool prints(enum verb verb)
{
    return verb == VERB_SNAPSHOT || verb == VERB_CHANGES;
}

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict = options_parse(argc, argv, &options);

    if (verdict != OPTIONS_RUN || !prints(options.verb))
        return sim_main("erp", verdict, work, &options);
    return secret_system_init() ? maker_print(&options) : 1;
}
