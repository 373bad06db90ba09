/*
 * Creating and verifying codes. Only a phone ever sees a code, so a batch of codes is created,
 * then the generator takes the fleet's part (claim, result) and reads the codes from the SMS, then
 * the batch is verified; and so on until the time is up.
 *
 * A pair is one create and one verify: its time is the sum of both, its rate leaves out the time
 * in which the fleet was at work. `whole_rate` counts that time too.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PAIRS_PER_CONNECTION = 50,
    BATCHES_MIN = 4, /* what is slow gets smaller batches, so that the run ends about in time */
    HAND_OVER_MAX_US = 5000000,
    HAND_OVER_PAUSE_US = 5000,
};

struct pair {
    char otp_id[40];
    char code[7]; /* "" until a phone has got it */
    int64_t create_us;
};

/* Where a connection stands while it plays phones, one number after the other. */
struct hand {
    const struct sim *sim;
    char task_id[40]; /* "" unless a result is due */
    char lease_id[40];
};

struct batch {
    struct bench *bench;
    struct pair *pairs;
    struct hand hands[WIRE_CONNECTIONS_MAX];
    int64_t size_max;
    int64_t size;
    int64_t create_end_us; /* when no more are created for this batch */
    int64_t first;         /* the recipient of pairs[0] */
    int64_t next;          /* the next pair to ask for */
    size_t next_sim;
    int64_t codes;
    int64_t confirmed;
};

struct pair_times {
    int64_t create_us, fleet_us, verify_us;
    int64_t pairs;
};

/* ----------------------------------------------------------------------------------- create */

/* A connection has one request under way, so what it asked for is kept in its row. */
static bool next_create(void *context, struct connection *connection, struct buf *request)
{
    struct batch *batch = context;

    (void)connection;
    if (batch->size == batch->size_max || batch->bench->unexpected > 0) return false;
    if (clock_monotonic_us() >= batch->create_end_us) return false;
    batch->size++;
    bench_create_otp(batch->bench, request, batch->bench->recipients++, NULL);
    return true;
}

static struct pair *pair_of(const struct batch *batch, struct str body)
{
    int64_t n = bench_recipient_index(batch->bench, bench_property(body, "recipient"));

    return n >= batch->first ? &batch->pairs[n - batch->first] : NULL;
}

static void on_created(void *context, struct connection *connection, const struct answer *answer)
{
    struct batch *batch = context;

    (void)connection;
    if (!bench_expect(batch->bench, answer, 201)) return;
    struct pair *pair = pair_of(batch, answer->body);
    struct str id = bench_property(answer->body, "id");
    if (!pair || id.len == 0) return;
    snprintf(pair->otp_id, sizeof pair->otp_id, "%.*s", (int)id.len, id.data);
    pair->create_us = answer->us;
}

/* ------------------------------------------------------------------------------------ fleet */

static bool next_of_fleet(void *context, struct connection *connection, struct buf *request)
{
    struct batch *batch = context;
    struct bench *bench = batch->bench;
    struct hand *hand = &batch->hands[connection->index];
    char path[96];
    char body[128];

    if (hand->task_id[0]) {
        snprintf(path, sizeof path, "/device/v1/sms/%s/result", hand->task_id);
        snprintf(body, sizeof body, "{\"lease_id\":\"%s\",\"status\":\"sent\"}", hand->lease_id);
        bench_post_as_phone(request, hand->sim, path, body);
        return true;
    }
    if (!hand->sim) {
        if (batch->next_sim == bench->fleet_count) return false;
        hand->sim = &bench->fleet[batch->next_sim++];
    }
    snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", hand->sim->number);
    bench_post_as_phone(request, hand->sim, "/device/v1/sms/claim", body);
    return true;
}

static void on_task(struct batch *batch, struct hand *hand, struct str body, struct str task_id)
{
    struct str lease_id = bench_property(body, "lease_id");
    struct pair *pair = pair_of(batch, body);

    snprintf(hand->task_id, sizeof hand->task_id, "%.*s", (int)task_id.len, task_id.data);
    snprintf(hand->lease_id, sizeof hand->lease_id, "%.*s", (int)lease_id.len, lease_id.data);
    if (!pair || pair->code[0]) return;
    if (bench_find_code(bench_property(body, "text"), pair->code)) batch->codes++;
}

static void on_fleet(void *context, struct connection *connection, const struct answer *answer)
{
    struct batch *batch = context;
    struct hand *hand = &batch->hands[connection->index];
    bool was_result = hand->task_id[0] != '\0';

    hand->task_id[0] = '\0';
    if (!bench_expect(batch->bench, answer, was_result ? 204 : 200)) {
        hand->sim = NULL;
        return;
    }
    if (was_result) return;
    struct str task_id = bench_property(answer->body, "id");
    if (task_id.len > 0) {
        on_task(batch, hand, answer->body, task_id);
        return;
    }
    hand->sim = NULL; /* nothing more for this number */
}

/* The fleet works until each code of the batch has reached a phone. */
static bool run_fleet(struct batch *batch)
{
    struct work work = {next_of_fleet, on_fleet, batch};
    int64_t give_up_us = clock_monotonic_us() + HAND_OVER_MAX_US;

    for (;;) {
        batch->next_sim = 0;
        memset(batch->hands, 0, sizeof batch->hands);
        if (!wire_run(&batch->bench->wire, &work) || batch->bench->unexpected > 0) return false;
        if (batch->codes == batch->size) return true;
        if (clock_monotonic_us() > give_up_us) break;
        usleep(HAND_OVER_PAUSE_US);
    }
    fprintf(stderr, "load: %lld of %lld codes never reached a phone\n",
            (long long)(batch->size - batch->codes), (long long)batch->size);
    return false;
}

/* ----------------------------------------------------------------------------------- verify */

static bool next_verify(void *context, struct connection *connection, struct buf *request)
{
    struct batch *batch = context;
    char path[96];
    char body[32];

    (void)connection;
    if (batch->next == batch->size || batch->bench->unexpected > 0) return false;
    const struct pair *pair = &batch->pairs[batch->next++];
    snprintf(path, sizeof path, "/internal/v1/otp/%s/verify", pair->otp_id);
    snprintf(body, sizeof body, "{\"code\":\"%s\"}", pair->code);
    bench_post(batch->bench, request, path, NULL, NULL, body);
    return true;
}

static void on_verified(void *context, struct connection *connection, const struct answer *answer)
{
    struct batch *batch = context;

    (void)connection;
    if (!bench_expect(batch->bench, answer, 200)) return;
    const struct pair *pair = pair_of(batch, answer->body);
    if (!pair || !str_is(bench_property(answer->body, "state"), "confirmed")) return;
    batch->confirmed++;
    samples_add(&batch->bench->latency, pair->create_us + answer->us);
    samples_add(&batch->bench->latency_extra, answer->us);
}

/* ------------------------------------------------------------------------------------ batch */

static bool run_timed(struct batch *batch, const struct work *work, int64_t *sum_us)
{
    int64_t start_us = clock_monotonic_us();

    batch->next = 0;
    bool is_good = wire_run(&batch->bench->wire, work) && batch->bench->unexpected == 0;
    *sum_us += clock_monotonic_us() - start_us;
    return is_good;
}

static bool run_batch(struct batch *batch, struct pair_times *times)
{
    struct work create = {next_create, on_created, batch};
    struct work verify = {next_verify, on_verified, batch};

    memset(batch->pairs, 0, (size_t)batch->size_max * sizeof *batch->pairs);
    batch->create_end_us = clock_monotonic_us() + batch->bench->duration_us / BATCHES_MIN;
    batch->first = batch->bench->recipients;
    batch->size = 0;
    batch->codes = 0;
    batch->confirmed = 0;
    if (!run_timed(batch, &create, &times->create_us)) return false;
    int64_t start_us = clock_monotonic_us();
    if (!run_fleet(batch)) return false;
    times->fleet_us += clock_monotonic_us() - start_us;
    if (!run_timed(batch, &verify, &times->verify_us)) return false;
    times->pairs += batch->confirmed;
    if (batch->confirmed == batch->size) return true;
    fprintf(stderr, "load: only %lld of %lld codes were confirmed\n", (long long)batch->confirmed,
            (long long)batch->size);
    return false;
}

static void sum_up(struct bench *bench, const struct pair_times *times, struct result *ret_result)
{
    int64_t pair_us = times->create_us + times->verify_us;
    double pairs = (double)times->pairs;

    ret_result->count = times->pairs;
    ret_result->seconds = (double)pair_us / 1e6;
    ret_result->figures[0] =
        (struct figure){"whole_rate", pairs * 1e6 / (double)(pair_us + times->fleet_us)};
    ret_result->figures[1] = (struct figure){"create_rate", pairs * 1e6 / (double)times->create_us};
    ret_result->figures[2] = (struct figure){"verify_rate", pairs * 1e6 / (double)times->verify_us};
    ret_result->figures[3] =
        (struct figure){"verify_p99_ms", samples_percentile_ms(&bench->latency_extra, 0.99)};
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct pair_times times = {0};
    struct batch batch = {.bench = bench,
                          .size_max = (int64_t)bench->connections * PAIRS_PER_CONNECTION};
    int64_t end_us = clock_monotonic_us() + bench->duration_us;

    batch.pairs = calloc((size_t)batch.size_max, sizeof *batch.pairs);
    if (!batch.pairs) abort();
    bool is_good = bench_make_ready(bench);
    while (is_good && clock_monotonic_us() < end_us)
        is_good = run_batch(&batch, &times);
    free(batch.pairs);
    if (is_good) sum_up(bench, &times, ret_result);
    return is_good;
}

const struct scenario scenario_pairs = {
    .name = "pairs",
    .help = "OTP create + verify; the fleet's part is done in between and reported apart",
    .needs_fleet = true,
    .run = run,
};
