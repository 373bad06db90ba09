/* The parts of the simulator and their life. */
#include "sim.h"

#include "report.h"

#include <stdio.h>
#include <stdlib.h>

/* Enough for every load; what it is to be without money, an order tells. */
#define BALANCE_CENTS 100000000LL

size_t provider_index(const struct provider *provider)
{
    size_t i = 0;

    while (providers[i] != provider)
        i++;
    return i;
}

static void fill_balances(struct sim *sim)
{
    for (size_t i = 0; i < PROVIDERS_MAX; i++)
        sim->balances[i] = BALANCE_CENTS;
}

struct sim *sim_new(const struct options *options)
{
    struct sim *sim = calloc(1, sizeof(*sim));
    struct destiny usual = {FATE_DELIVERED, options->settle_ms, true};

    if (!sim) abort();
    pthread_mutex_init(&sim->lock, NULL);
    sim->options = options;
    sim->ledger = ledger_new(options->calls_file);
    sim->orders = orders_new();
    sim->outcomes = outcomes_new(usual);
    sim->sends = sends_new();
    sim->reports = report_log_new();
    fill_balances(sim);
    sim->errands = errands_new();
    sim->port.options = (struct port_options){
        .program = "provider",
        .listen = options->listen,
        .handler = front_handler(sim),
        .lock = &sim->lock,
        .errands = sim->errands,
        .rush = front_rush,
        .sim = sim,
    };
    if (sim->errands && ledger_can_write(sim->ledger)) return sim;
    fprintf(stderr, "provider: %s\n",
            sim->errands ? "the file of --calls-file cannot be written"
                         : "the system does not give what it takes to start");
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim)
{
    if (!sim) return;
    errands_free(sim->errands);
    ledger_free(sim->ledger);
    orders_free(sim->orders);
    outcomes_free(sim->outcomes);
    sends_free(sim->sends);
    report_log_free(sim->reports);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
}

/* Who is in flight stays so: those calls end later. */
static void clear_tallies(struct sim *sim)
{
    for (size_t i = 0; i < PROVIDERS_MAX; i++) {
        int in_flight = sim->tallies[i].in_flight;
        sim->tallies[i] = (struct tally){.in_flight = in_flight, .in_flight_max = in_flight};
    }
}

void sim_reset(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    sim->generation++;
    ledger_clear(sim->ledger);
    orders_clear(sim->orders);
    outcomes_clear(sim->outcomes);
    sends_clear(sim->sends);
    report_log_clear(sim->reports);
    fill_balances(sim);
    clear_tallies(sim);
    pthread_mutex_unlock(&sim->lock);
    front_rush(sim);
}
