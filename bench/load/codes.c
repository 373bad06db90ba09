/*
 * Codes at a steady pace: create -> claim -> result -> verify, over and over, while something else
 * may keep herald busy. Requests fall due at their pace whether or not earlier ones are answered,
 * and each time runs from when the request was due: a server that stands still for a second shows
 * a second, not one slow answer.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <stdio.h>

enum stage { STAGE_CREATE, STAGE_CLAIM, STAGE_RESULT, STAGE_VERIFY };

/* A connection plays one phone. */
struct code {
    enum stage stage;
    int64_t due_us; /* of the request under way */
    int64_t create_us;
    char otp_id[40];
    char task_id[40];
    char lease_id[40];
    char digits[7];
};

struct codes {
    struct bench *bench;
    struct code rows[WIRE_CONNECTIONS_MAX];
    int64_t start_us;
    int64_t requests, requests_max; /* after so many no code is created */
    int64_t confirmed;
    int64_t empty_claims;
};

static void keep(char *text, size_t size, struct str value)
{
    snprintf(text, size, "%.*s", (int)value.len, value.data);
}

/* ----------------------------------------------------------------------------------- asking */

static int64_t due_us(void *context)
{
    const struct codes *codes = context;

    return codes->start_us + codes->requests * 1000000 / codes->bench->pace;
}

static void write_claim(const struct sim *sim, struct buf *request)
{
    char body[64];

    snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", sim->number);
    bench_post_as_phone(request, sim, "/device/v1/sms/claim", body);
}

static void write_result(const struct code *code, const struct sim *sim, struct buf *request)
{
    char path[96];
    char body[128];

    snprintf(path, sizeof path, "/device/v1/sms/%s/result", code->task_id);
    snprintf(body, sizeof body, "{\"lease_id\":\"%s\",\"status\":\"sent\"}", code->lease_id);
    bench_post_as_phone(request, sim, path, body);
}

static void write_verify(const struct bench *bench, const struct code *code, struct buf *request)
{
    char path[96];
    char body[32];

    snprintf(path, sizeof path, "/internal/v1/otp/%s/verify", code->otp_id);
    snprintf(body, sizeof body, "{\"code\":\"%s\"}", code->digits);
    bench_post(bench, request, path, NULL, NULL, body);
}

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct codes *codes = context;
    struct bench *bench = codes->bench;
    const struct sim *sim = &bench->fleet[connection->index];
    struct code *code = &codes->rows[connection->index];

    bool is_over = codes->requests >= codes->requests_max && code->stage == STAGE_CREATE;
    if (is_over || bench->unexpected > 0) return false;
    code->due_us = due_us(codes);
    codes->requests++;
    switch (code->stage) {
    case STAGE_CREATE:
        bench_create_otp(bench, request, bench->recipients++, sim->number);
        return true;
    case STAGE_CLAIM:
        write_claim(sim, request);
        return true;
    case STAGE_RESULT:
        write_result(code, sim, request);
        return true;
    case STAGE_VERIFY:
        write_verify(bench, code, request);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------- answers */

static void on_created(struct code *code, struct str body, int64_t us)
{
    keep(code->otp_id, sizeof code->otp_id, bench_property(body, "id"));
    code->create_us = us;
    code->stage = STAGE_CLAIM;
}

/* Nothing there: it claims again. */
static void on_claimed(struct codes *codes, struct code *code, struct str body, int64_t us)
{
    samples_add(&codes->bench->latency_extra, us);
    keep(code->task_id, sizeof code->task_id, bench_property(body, "id"));
    keep(code->lease_id, sizeof code->lease_id, bench_property(body, "lease_id"));
    bool has_code = bench_find_code(bench_property(body, "text"), code->digits);
    if (code->task_id[0] && has_code)
        code->stage = STAGE_RESULT;
    else
        codes->empty_claims++;
}

static void on_verified(struct codes *codes, struct code *code, struct str body, int64_t us)
{
    code->stage = STAGE_CREATE;
    if (!str_is(bench_property(body, "state"), "confirmed")) {
        fprintf(stderr, "load: a code was not confirmed\n");
        codes->bench->unexpected++;
        return;
    }
    codes->confirmed++;
    samples_add(&codes->bench->latency, code->create_us + us);
}

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    static const int wanted[] = {201, 200, 204, 200};
    struct codes *codes = context;
    struct code *code = &codes->rows[connection->index];
    int64_t us = clock_monotonic_us() - code->due_us;

    if (!bench_expect(codes->bench, answer, wanted[code->stage])) return;
    switch (code->stage) {
    case STAGE_CREATE:
        on_created(code, answer->body, us);
        return;
    case STAGE_CLAIM:
        on_claimed(codes, code, answer->body, us);
        return;
    case STAGE_RESULT:
        code->stage = STAGE_VERIFY;
        return;
    case STAGE_VERIFY:
        on_verified(codes, code, answer->body, us);
        return;
    }
}

/* -------------------------------------------------------------------------------------- run */

static void sum_up(const struct codes *codes, struct result *ret_result)
{
    struct samples *claims = &codes->bench->latency_extra;

    ret_result->seconds = (double)(clock_monotonic_us() - codes->start_us) / 1e6;
    ret_result->count = codes->confirmed;
    ret_result->figures[0] = (struct figure){"claim_p50_ms", samples_percentile_ms(claims, 0.50)};
    ret_result->figures[1] = (struct figure){"claim_p99_ms", samples_percentile_ms(claims, 0.99)};
    ret_result->figures[2] = (struct figure){"claim_max_ms", samples_percentile_ms(claims, 1.0)};
    ret_result->figures[3] = (struct figure){"empty_claims", (double)codes->empty_claims};
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct codes codes = {.bench = bench};
    struct work work = {next, on_answer, &codes, due_us};

    if (bench->connections > bench->fleet_count) {
        fprintf(stderr, "load: codes needs a number for each connection\n");
        return false;
    }
    if (!bench_make_ready(bench)) return false;
    codes.requests_max = bench->pace * bench->duration_us / 1000000;
    codes.start_us = clock_monotonic_us();
    if (!wire_run(&bench->wire, &work) || bench->unexpected > 0) return false;
    sum_up(&codes, ret_result);
    return true;
}

const struct scenario scenario_codes = {
    .name = "codes",
    .help = "create -> claim -> result -> verify at a steady pace, timed from when each was due",
    .needs_fleet = true,
    .run = run,
};
