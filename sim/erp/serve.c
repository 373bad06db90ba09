/* The verb `serve`: the ERP's side of orders, as well or as badly as it is told. */
#include "serve.h"

#include "sim.h"
#include "sim/common/memory.h"

#include <stdio.h>

static bool start(struct sim *sim)
{
    const struct options *options = sim->options;

    return server_init(&sim->server, &(struct server_options){
                                         .program = "erp",
                                         .listen = options->listen,
                                         .control = options->control,
                                         .handler = front_handler(sim),
                                         .routes = control_routes,
                                         .flush = front_flush,
                                         .announcement = "erp serves",
                                         .control_announcement = "control",
                                         .sim = sim,
                                     });
}

struct sim *sim_new(const struct options *options)
{
    struct sim *sim = memory_new(sizeof(*sim));
    const struct misbehaviour misbehaviour = {
        .ppm = options->misbehave_ppm,
        .seed = options->seed,
        .late_ms = options->late_ms,
    };
    bool is_ready;

    sim->options = options;
    sim->behaviours = behaviours_new(&misbehaviour);
    sim->documents = documents_new(options->documents);
    is_ready = start(sim);
    if (is_ready && sim->documents) return sim;
    if (!sim->documents) fprintf(stderr, "erp: the file of --documents cannot be written\n");
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim)
{
    if (!sim) return;
    server_done(&sim->server);
    behaviours_free(sim->behaviours);
    documents_free(sim->documents);
    free(sim);
}

/* Calls that are in flight stay so: they end later. */
void sim_reset(struct sim *sim, bool forgets_documents)
{
    pthread_mutex_lock(&sim->server.lock);
    sim->server.generation++;
    ledger_clear(sim->server.ledger);
    behaviours_clear(sim->behaviours);
    if (forgets_documents) documents_clear(sim->documents);
    memset(sim->calls, 0, sizeof(sim->calls));
    sim->unauthorized = sim->malformed = 0;
    sim->in_flight_max = sim->in_flight;
    pthread_mutex_unlock(&sim->server.lock);
    front_flush(sim);
}

int serve_run(const struct options *options, int stop_fd)
{
    struct sim *sim = sim_new(options);

    if (!sim) return 1;
    int status = server_run(&sim->server, stop_fd);
    sim_free(sim);
    return status;
}
