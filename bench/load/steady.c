/*
 * The scenarios in which each connection repeats one request for a fixed time: `floor`, the limit
 * of HTTP itself, `claims`, the polling of a fleet with nothing to do, and `submit`, SMS that are
 * handed to a Kannel.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <inttypes.h>
#include <stdio.h>

struct steady {
    struct bench *bench;
    int status; /* of the answers */
    size_t next_sim;
    int64_t count;
};

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    struct steady *steady = context;

    (void)connection;
    if (!bench_expect(steady->bench, answer, steady->status)) return;
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

static bool next_submission(void *context, struct connection *connection, struct buf *request)
{
    struct steady *steady = context;
    char path[192];

    (void)connection;
    if (clock_monotonic_us() >= steady->bench->end_us) return false;
    snprintf(path, sizeof path,
             "/cgi-bin/sendsms?username=bench&password=bench&from=%%2B78000000000"
             "&to=%%2B79%09" PRId64 "&text=Code:+123456.+Tell+it+to+nobody.",
             steady->bench->recipients++);
    bench_get(request, path);
    return true;
}

static bool run_steady(struct bench *bench, struct result *ret_result, int status,
                       bool (*next)(void *, struct connection *, struct buf *))
{
    struct steady steady = {.bench = bench, .status = status};
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
    return run_steady(bench, ret_result, 200, next_health);
}

static bool run_claims(struct bench *bench, struct result *ret_result)
{
    return bench_make_ready(bench) && run_steady(bench, ret_result, 200, next_claim);
}

static bool run_submit(struct bench *bench, struct result *ret_result)
{
    return run_steady(bench, ret_result, 202, next_submission);
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
const struct scenario scenario_submit = {
    .name = "submit",
    .help = "SMS that are handed to a Kannel, each answered once it is stored",
    .run = run_submit,
};
