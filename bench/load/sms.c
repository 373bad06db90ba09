/*
 * The way of an SMS: create -> claim -> result. Each connection has a number of its own and goes
 * round; the round is the unit that is counted and timed.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <stdio.h>

enum stage { STAGE_CREATE, STAGE_CLAIM, STAGE_RESULT };

struct round {
    enum stage stage;
    int64_t start_us;
    char task_id[40];
    char lease_id[40];
};

struct rounds {
    struct bench *bench;
    struct round rows[WIRE_CONNECTIONS_MAX];
    int64_t count;
    int64_t empty_claims;
};

static void write_result(const struct round *round, const struct sim *sim, struct buf *request)
{
    char path[96];
    char body[128];

    snprintf(path, sizeof path, "/device/v1/sms/%s/result", round->task_id);
    snprintf(body, sizeof body, "{\"lease_id\":\"%s\",\"status\":\"sent\"}", round->lease_id);
    bench_post_as_phone(request, sim, path, body);
}

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct rounds *rounds = context;
    struct bench *bench = rounds->bench;
    struct round *round = &rounds->rows[connection->index];
    const struct sim *sim = &bench->fleet[connection->index % bench->fleet_count];
    int64_t now_us = clock_monotonic_us();
    char body[64];

    switch (round->stage) {
    case STAGE_CREATE:
        if (now_us >= bench->end_us || bench->unexpected > 0) return false;
        round->start_us = now_us;
        bench_create_otp(bench, request, bench->recipients++, sim->number);
        return true;
    case STAGE_CLAIM:
        snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", sim->number);
        bench_post_as_phone(request, sim, "/device/v1/sms/claim", body);
        return true;
    case STAGE_RESULT:
        write_result(round, sim, request);
        return true;
    }
    return false;
}

static void on_claim(struct rounds *rounds, struct round *round, const struct answer *answer)
{
    struct str task_id = bench_property(answer->body, "id");
    struct str lease_id = bench_property(answer->body, "lease_id");

    /* Nothing there yet: the round claims again, and its time runs on. */
    if (task_id.len == 0 || lease_id.len == 0) {
        rounds->empty_claims++;
        return;
    }
    snprintf(round->task_id, sizeof round->task_id, "%.*s", (int)task_id.len, task_id.data);
    snprintf(round->lease_id, sizeof round->lease_id, "%.*s", (int)lease_id.len, lease_id.data);
    round->stage = STAGE_RESULT;
}

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    static const int wanted[] = {201, 200, 204};
    struct rounds *rounds = context;
    struct round *round = &rounds->rows[connection->index];

    if (!bench_expect(rounds->bench, answer, wanted[round->stage])) {
        round->stage = STAGE_CREATE;
        return;
    }
    switch (round->stage) {
    case STAGE_CREATE:
        round->stage = STAGE_CLAIM;
        return;
    case STAGE_CLAIM:
        on_claim(rounds, round, answer);
        return;
    case STAGE_RESULT:
        rounds->count++;
        samples_add(&rounds->bench->latency, clock_monotonic_us() - round->start_us);
        round->stage = STAGE_CREATE;
        return;
    }
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct rounds rounds = {.bench = bench};
    struct work work = {next, on_answer, &rounds};

    if (bench->connections > bench->fleet_count) {
        fprintf(stderr, "load: sms needs a number for each connection\n");
        return false;
    }
    if (!bench_make_ready(bench)) return false;
    int64_t start_us = clock_monotonic_us();
    bench->end_us = start_us + bench->duration_us;
    if (!wire_run(&bench->wire, &work)) return false;
    ret_result->seconds = (double)(clock_monotonic_us() - start_us) / 1e6;
    ret_result->count = rounds.count;
    ret_result->figures[0] = (struct figure){"empty_claims", (double)rounds.empty_claims};
    return true;
}

const struct scenario scenario_sms = {
    .name = "sms",
    .help = "create -> claim -> result; the rate counts whole rounds",
    .needs_fleet = true,
    .run = run,
};
