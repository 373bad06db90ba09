/*
 * The verb `serve`: the ERP's side of orders, as well or as badly as it is told.
 *
 * Threads: a loop for the ERP's port, a loop for the control API, and that of errands, which waits
 * for slow answers. What they share is struct sim, under one lock.
 */
#include "serve.h"

#include "sim.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

struct sim *sim_new(const struct options *options)
{
    struct sim *sim = calloc(1, sizeof(*sim));
    const struct mischief mischief = {
        .ppm = options->misbehave_ppm,
        .seed = options->seed,
        .late_ms = options->late_ms,
    };

    if (!sim) abort();
    pthread_mutex_init(&sim->lock, NULL);
    sim->options = options;
    sim->ledger = ledger_new(NULL);
    sim->behaviours = behaviours_new(&mischief);
    sim->documents = documents_new(options->documents);
    sim->errands = errands_new();
    sim->port.options = (struct port_options){
        .program = "erp",
        .listen = options->listen,
        .handler = front_handler(sim),
        .lock = &sim->lock,
        .errands = sim->errands,
        .rush = front_rush,
        .sim = sim,
    };
    if (sim->errands && sim->documents) return sim;
    fprintf(stderr, "erp: %s\n",
            sim->errands ? "the file of --documents cannot be written"
                         : "the system does not give what it takes to start");
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim)
{
    if (!sim) return;
    errands_free(sim->errands);
    ledger_free(sim->ledger);
    behaviours_free(sim->behaviours);
    documents_free(sim->documents);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
}

/* Who is in flight stays so: those calls end later. */
void sim_reset(struct sim *sim, bool forgets_documents)
{
    pthread_mutex_lock(&sim->lock);
    sim->generation++;
    ledger_clear(sim->ledger);
    behaviours_clear(sim->behaviours);
    if (forgets_documents) documents_clear(sim->documents);
    memset(sim->calls, 0, sizeof(sim->calls));
    sim->unauthorized = sim->malformed = 0;
    sim->in_flight_max = sim->in_flight;
    pthread_mutex_unlock(&sim->lock);
    front_rush(sim);
}

static void say_where(struct sim *sim, struct control *control)
{
    printf("erp serves on http://%s, control on http://%s\n", sim->port.address,
           http_server_address(control_server(control)));
    fflush(stdout);
}

/* Slow answers are given first; then nobody needs the servers any more. */
static void stop(struct sim *sim, struct control *control)
{
    pthread_mutex_lock(&sim->lock);
    sim->is_stopping = true;
    pthread_mutex_unlock(&sim->lock);
    port_retire(&sim->port);
    errands_hurry(sim->errands);
    control_stop(control);
    port_close(&sim->port);
}

static void wait_for(int stop_fd)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};

    while (poll(&stop, 1, -1) <= 0)
        continue;
}

int serve_run(const struct options *options, int stop_fd)
{
    struct sim *sim = sim_new(options);
    struct control *control = NULL;

    if (!sim) return 1;
    if (port_open(&sim->port)) {
        control =
            control_start(&(struct control_options){"erp", options->control, control_routes, sim});
    }
    if (control) {
        say_where(sim, control);
        wait_for(stop_fd);
    }
    stop(sim, control);
    sim_free(sim);
    return control ? 0 : 1;
}
