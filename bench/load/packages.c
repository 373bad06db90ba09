/*
 * Small packages of changes, as many as are accepted: each connection sends one after the other,
 * with one to five rows about any variants. What is counted is 202; who asks how far applying lags
 * behind does so afterwards.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "kit/base/secret.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROWS_MAX = 5, PACKAGE_MAX = 2048, AMOUNT_MAX = 100000 };

struct packages {
    struct bench *bench;
    int64_t sent, accepted, rows;
};

/* --------------------------------------------------------------------------------- the body */

static void put_row(const struct packages *packages, bool is_price, struct buf *body)
{
    const struct bench *bench = packages->bench;
    const struct offer *offer = &bench->offers[random_below((uint32_t)bench->offer_count)];
    uint32_t amount = random_below(AMOUNT_MAX);

    buf_printf(body, "{\"product_id\":\"%s\",\"variant_id\":\"%s\",", offer->product_id,
               offer->variant_id);
    if (is_price)
        buf_printf(body, "\"price\":%u.%02u}", amount / 100, amount % 100);
    else
        buf_printf(body, "\"available_quantity\":%u}", amount);
}

static void put_rows(const struct packages *packages, const char *list, bool is_price, int count,
                     struct buf *body)
{
    buf_printf(body, ",\"%s\":[", list);
    for (int i = 0; i < count; i++) {
        if (i > 0) buf_printf(body, ",");
        put_row(packages, is_price, body);
    }
    buf_printf(body, "]");
}

static void make_body(struct packages *packages, const char *event_id, struct buf *body)
{
    int rows = 1 + (int)(packages->sent % ROWS_MAX);

    buf_printf(body, "{\"event_id\":\"%s\",\"generated_at\":\"2026-11-21T04:33:00Z\"", event_id);
    put_rows(packages, "stocks", false, (rows + 1) / 2, body);
    put_rows(packages, "prices", true, rows / 2, body);
    buf_printf(body, "}");
    packages->rows += rows;
}

/* ---------------------------------------------------------------------------------- sending */

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct packages *packages = context;
    struct bench *bench = packages->bench;
    const struct sender *sender = &bench->senders[connection->index % bench->sender_count];
    char event_id[64];
    AUTO_BUF body = {0};

    buf_init(&body, PACKAGE_MAX);
    if (clock_monotonic_us() >= bench->end_us || bench->unexpected > 0) return false;
    snprintf(event_id, sizeof event_id, "bench-%s-%" PRId64, bench->run, packages->sent);
    make_body(packages, event_id, &body);
    packages->sent++;
    buf_printf(request,
               "POST /api/v1/integrations/erp/%s/changes HTTP/1.1\r\nHost: herald\r\n"
               "Authorization: Bearer %s\r\nIdempotency-Key: %s\r\n"
               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%.*s",
               sender->integration_id, sender->token, event_id, body.len, (int)body.len, body.data);
    return true;
}

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    struct packages *packages = context;

    (void)connection;
    if (!bench_expect(packages->bench, answer, 202)) return;
    packages->accepted++;
    samples_add(&packages->bench->latency, answer->us);
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct packages packages = {.bench = bench};
    struct work work = {next, on_answer, &packages};
    int64_t start_us = clock_monotonic_us();

    if (bench->sender_count == 0 || bench->offer_count == 0) {
        fprintf(stderr, "load: packages needs --senders and --offers\n");
        return false;
    }
    bench->end_us = start_us + bench->duration_us;
    if (!wire_run(&bench->wire, &work)) return false;
    ret_result->seconds = (double)(clock_monotonic_us() - start_us) / 1e6;
    ret_result->count = packages.accepted;
    ret_result->figures[0] = (struct figure){"rows", (double)packages.rows};
    return bench->unexpected == 0;
}

const struct scenario scenario_packages = {
    .name = "packages",
    .help = "packages of changes of 1 to 5 rows, each connection one after the other",
    .run = run,
};
