/* The parts of the simulator and their life. */
#include "control.h"
#include "report.h"
#include "sim/common/memory.h"

/* Enough for every load; what it is to be without money, a behaviour tells. */
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

static bool start(struct sim *sim)
{
    const struct options *options = sim->options;

    return server_init(&sim->server, &(struct server_options){
                                         .program = "provider",
                                         .listen = options->listen,
                                         .control = options->control,
                                         .calls_file = options->calls_file,
                                         .handler = front_handler(sim),
                                         .routes = control_routes,
                                         .flush = front_flush,
                                         .announcement = "provider: listening",
                                         .control_announcement = "control API",
                                         .sim = sim,
                                     });
}

struct sim *sim_new(const struct options *options)
{
    struct sim *sim = memory_new(sizeof(*sim));
    struct outcome usual = {STATUS_DELIVERED, options->settle_ms, true};

    sim->options = options;
    sim->rules = rules_new();
    sim->outcomes = outcomes_new(usual);
    sim->sends = sends_new();
    sim->reports = report_log_new();
    fill_balances(sim);
    if (start(sim)) return sim;
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim)
{
    if (!sim) return;
    server_done(&sim->server);
    rules_free(sim->rules);
    outcomes_free(sim->outcomes);
    sends_free(sim->sends);
    report_log_free(sim->reports);
    free(sim);
}

/* Calls that are in flight stay so: they end later. */
static void clear_tallies(struct sim *sim)
{
    for (size_t i = 0; i < PROVIDERS_MAX; i++) {
        int in_flight = sim->tallies[i].in_flight;
        sim->tallies[i] = (struct tally){.in_flight = in_flight, .in_flight_max = in_flight};
    }
}

void sim_reset(struct sim *sim)
{
    pthread_mutex_lock(&sim->server.lock);
    sim->server.generation++;
    ledger_clear(sim->server.ledger);
    rules_clear(sim->rules);
    outcomes_clear(sim->outcomes);
    sends_clear(sim->sends);
    report_log_clear(sim->reports);
    fill_balances(sim);
    clear_tallies(sim);
    pthread_mutex_unlock(&sim->server.lock);
    front_flush(sim);
}
