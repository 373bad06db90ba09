/*
 * How long a log entry takes to its reader: from the answer of a create, by which time its entry
 * is committed, to the arrival of the entry's frame. A frame that comes before the answer counts
 * as 0. One connection creates at a steady pace, so that no queue of the generator is measured.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>

enum { LAST_FRAME_MS = 3000 };

struct pacer {
    struct bench *bench;
    size_t entries;
    int64_t start_us;
    int64_t *answered_us;
};

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct pacer *pacer = context;
    struct bench *bench = pacer->bench;

    if (connection->index > 0 || bench->unexpected > 0) return false;
    if ((size_t)bench->recipients == pacer->entries) return false;
    bench_keep_pace(bench, pacer->start_us, bench->recipients);
    bench_create_otp(bench, request, bench->recipients++, NULL);
    return true;
}

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    struct pacer *pacer = context;

    (void)connection;
    pacer->answered_us[pacer->bench->recipients - 1] = clock_monotonic_us();
    bench_expect(pacer->bench, answer, 201);
}

static bool sum_up(const struct pacer *pacer, const int64_t *seen_us, struct result *ret_result)
{
    int64_t lost = 0;

    for (size_t i = 0; i < pacer->entries; i++) {
        if (seen_us[i] == 0) {
            lost++;
            continue;
        }
        samples_add(&pacer->bench->latency, seen_us[i] - pacer->answered_us[i]);
    }
    ret_result->count = (int64_t)pacer->bench->latency.count;
    if (lost == 0) return true;
    fprintf(stderr, "load: %lld entries never reached the reader\n", (long long)lost);
    return false;
}

static bool measure(struct pacer *pacer, int64_t *seen_us, struct result *ret_result)
{
    struct work work = {next, on_answer, pacer};
    struct stream *stream = stream_open(pacer->bench, pacer->entries);

    if (!stream) return false;
    pacer->start_us = clock_monotonic_us();
    bool is_good = wire_run(&pacer->bench->wire, &work) && pacer->bench->unexpected == 0;
    ret_result->seconds = (double)(clock_monotonic_us() - pacer->start_us) / 1e6;
    stream_close(stream, is_good ? LAST_FRAME_MS : 0, seen_us);
    return is_good && sum_up(pacer, seen_us, ret_result);
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct pacer pacer = {.bench = bench};

    if (!bench_make_ready(bench)) return false;
    pacer.entries = (size_t)(bench->pace * bench->duration_us / 1000000);
    pacer.answered_us = calloc(pacer.entries, sizeof *pacer.answered_us);
    int64_t *seen_us = calloc(pacer.entries, sizeof *seen_us);
    if (!pacer.answered_us || !seen_us) abort();
    bool is_good = measure(&pacer, seen_us, ret_result);
    free(pacer.answered_us);
    free(seen_us);
    return is_good;
}

const struct scenario scenario_log = {
    .name = "log",
    .help = "from a create's answer to its entry in the log stream, at a steady pace",
    .needs_fleet = true,
    .run = run,
};
