/*
 * Flash calls: how long from a create's write to the provider's having its call, at a steady pace.
 * The simulated provider keeps the moment of each call; it is asked for them once all are created.
 * Both moments are wall time of one machine, to the millisecond.
 *
 * With --beside, codes for the messenger gateway are created first; where the gateway was told to
 * be slow, their calls hang while the flash calls are measured.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST_CALL_MS = 5000, PAGE = 1000, PAUSE_MS = 20 };

struct call {
    int64_t sent_ms;
    int64_t got_ms; /* 0: the provider did not get it yet */
};

struct flash {
    struct bench *bench;
    struct call *calls;
    int64_t count;    /* to create */
    int64_t first;    /* the recipient of calls[0] */
    int64_t start_us; /* of the creates */

    int64_t seen; /* how many the provider has got */
    int64_t repeated;
    int64_t last_id; /* of the calls that the provider told */
    int64_t give_up_ms;
    bool is_last_page;
};

static void on_created(void *context, struct connection *connection, const struct answer *answer)
{
    (void)connection;
    bench_expect(((struct flash *)context)->bench, answer, 201);
}

/* ----------------------------------------------------------------------- the slow gateway */

static bool next_beside(void *context, struct connection *connection, struct buf *request)
{
    struct bench *bench = ((struct flash *)context)->bench;

    (void)connection;
    if (bench->recipients == bench->beside || bench->unexpected > 0) return false;
    bench_create_otp_through(bench, request, bench->recipients++, "messenger_gateway");
    return true;
}

/* ---------------------------------------------------------------------------------- create */

static bool next_create(void *context, struct connection *connection, struct buf *request)
{
    struct flash *flash = context;
    struct bench *bench = flash->bench;
    int64_t n = bench->recipients - flash->first;

    (void)connection;
    if (n == flash->count || bench->unexpected > 0) return false;
    bench_keep_pace(bench, flash->start_us, n);
    bench_create_otp_through(bench, request, bench->recipients++, "flash_call");
    flash->calls[n].sent_ms = clock_now_ms();
    return true;
}

/* ---------------------------------------------------------------- what the provider has got */

static bool next_page(void *context, struct connection *connection, struct buf *request)
{
    struct flash *flash = context;
    char path[128];

    (void)connection;
    bool is_over = flash->seen == flash->count || clock_monotonic_ms() > flash->give_up_ms;
    if (flash->is_last_page && is_over) return false;
    if (flash->is_last_page) usleep(PAUSE_MS * 1000);
    snprintf(path, sizeof path,
             "/_control/times?provider=ucaller&method=initCall&after=%" PRId64 "&limit=%d",
             flash->last_id, PAGE);
    bench_get(request, path);
    return true;
}

static void note_call(struct flash *flash, struct str number, int64_t at_ms)
{
    int64_t n = bench_recipient_index(flash->bench, number) - flash->first;

    if (n < 0) return;
    if (flash->calls[n].got_ms != 0) {
        flash->repeated++;
        return;
    }
    flash->calls[n].got_ms = at_ms;
    flash->seen++;
}

/* A row [id,"number",at_ms]; where the next one begins, or NULL: there is none. */
static const char *take_row(struct flash *flash, const char *at)
{
    char *end;

    at = strchr(at, '[');
    if (!at) return NULL;
    int64_t id = strtoll(at + 1, &end, 10);
    if (strncmp(end, ",\"", 2) != 0) return NULL;
    const char *number = end + 2;
    const char *quote = strchr(number, '"');
    if (!quote || quote[1] != ',') return NULL;
    flash->last_id = id;
    note_call(flash, (struct str){number, (size_t)(quote - number)}, strtoll(quote + 2, &end, 10));
    return end;
}

static void on_page(void *context, struct connection *connection, const struct answer *answer)
{
    struct flash *flash = context;
    const char *at = answer->body.data + 1; /* within the list of rows */
    int64_t rows = 0;

    (void)connection;
    flash->is_last_page = true;
    if (!bench_expect(flash->bench, answer, 200) || answer->body.len == 0) return;
    while ((at = take_row(flash, at)))
        rows++;
    flash->is_last_page = rows < PAGE;
}

static bool ask_provider(struct flash *flash)
{
    struct work pages = {next_page, on_page, flash};
    struct wire wire = {0};

    flash->give_up_ms = clock_monotonic_ms() + LAST_CALL_MS;
    bool is_good = wire_open(&wire, &flash->bench->provider, 1) && wire_run(&wire, &pages);
    wire_close(&wire);
    return is_good && flash->bench->unexpected == 0;
}

/* ---------------------------------------------------------------------------------- result */

static bool sum_up(struct flash *flash, struct result *ret_result)
{
    struct bench *bench = flash->bench;
    int64_t last_ms = 0;

    for (int64_t n = 0; n < flash->count; n++) {
        const struct call *call = &flash->calls[n];
        if (call->got_ms == 0) continue;
        samples_add(&bench->latency, (call->got_ms - call->sent_ms) * 1000);
        if (call->got_ms > last_ms) last_ms = call->got_ms;
    }
    ret_result->count = flash->seen;
    ret_result->seconds = (double)(last_ms - flash->calls[0].sent_ms) / 1000;
    if (flash->seen == flash->count && flash->repeated == 0) return true;
    fprintf(stderr, "load: the provider got %" PRId64 " of %" PRId64 " calls, %" PRId64 " twice\n",
            flash->seen, flash->count, flash->repeated);
    return false;
}

static bool measure(struct flash *flash, struct result *ret_result)
{
    struct work beside = {next_beside, on_created, flash};
    struct work creates = {next_create, on_created, flash};
    struct bench *bench = flash->bench;

    if (!wire_run(&bench->wire, &beside) || bench->unexpected > 0) return false;
    flash->first = bench->recipients;
    flash->start_us = clock_monotonic_us();
    if (!wire_run(&bench->wire, &creates) || bench->unexpected > 0) return false;
    return ask_provider(flash) && sum_up(flash, ret_result);
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct flash flash = {.bench = bench, .count = bench->pace * bench->duration_us / 1000000};

    if (bench->provider.sin_port == 0) {
        fprintf(stderr, "load: flash needs --provider\n");
        return false;
    }
    flash.calls = calloc((size_t)flash.count, sizeof *flash.calls);
    if (!flash.calls) abort();
    bool is_good = measure(&flash, ret_result);
    free(flash.calls);
    return is_good;
}

const struct scenario scenario_flash = {
    .name = "flash",
    .help = "from a flash-call code's create to the provider's having the call, at a steady pace",
    .run = run,
};
