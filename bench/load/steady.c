/*
 * The scenarios in which each connection repeats one request for a fixed time: `floor`, the limit
 * of HTTP itself, and `claims`, the polling of a fleet with nothing to do.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <stdio.h>

struct steady {
    struct bench *bench;
    size_t next_sim;
    int64_t count;
};

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    struct steady *steady = context;

    (void)connection;
    if (!bench_expect(steady->bench, answer, 200)) return;
    steady->count++;
    samples_add(&steady->bench->latency, answer->us);
}

static bool next_health(void *context, struct connection *connection, struct buf *request)
{
    struct steady *steady = context;

    (void)connection;
    if (clock_monotonic_us() >= steady->bench->end_us) return false;
    bench_get(request, "/health/live");
    return true;
}

static bool next_claim(void *context, struct connection *connection, struct buf *request)
{
    struct steady *steady = context;
    char body[64];

    (void)connection;
    if (clock_monotonic_us() >= steady->bench->end_us) return false;
    const struct sim *sim = &steady->bench->fleet[steady->next_sim++ % steady->bench->fleet_count];
    snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", sim->number);
    bench_post_as_phone(request, sim, "/device/v1/sms/claim", body);
    return true;
}

static bool run_steady(struct bench *bench, struct result *ret_result,
                       bool (*next)(void *, struct connection *, struct buf *))
{
    struct steady steady = {.bench = bench};
    struct work work = {next, on_answer, &steady};
    int64_t start_us = clock_monotonic_us();

    bench->end_us = start_us + bench->duration_us;
    if (!wire_run(&bench->wire, &work)) return false;
    ret_result->seconds = (double)(clock_monotonic_us() - start_us) / 1e6;
    ret_result->count = steady.count;
    return true;
}

static bool run_floor(struct bench *bench, struct result *ret_result)
{
    return run_steady(bench, ret_result, next_health);
}

static bool run_claims(struct bench *bench, struct result *ret_result)
{
    return bench_make_ready(bench) && run_steady(bench, ret_result, next_claim);
}

const struct scenario scenario_floor = {
    .name = "floor",
    .help = "GET /health/live: what HTTP alone costs, the limit of every other line",
    .run = run_floor,
};
const struct scenario scenario_claims = {
    .name = "claims",
    .help = "empty claims over the whole fleet; each renews the readiness of its SIM",
    .needs_fleet = true,
    .run = run_claims,
};
