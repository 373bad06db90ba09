/*
 * Events on their way to webhook endpoints, which are a sink of the generator's own (sink.h), at
 * the paths /0 to /9. Codes are created, and then canceled: that is the event, which all want.
 *
 * `hooks` cancels codes while the sink keeps its answers back, so that each endpoint has as many
 * under way as it may; then it opens the gate, and takes the time until all are delivered. What
 * came before the gate was open is not counted.
 *
 * `hooks_by_peer` does the same with a program that is not herald: in place of codes it is given
 * the bodies that herald delivered before, which are in the file of --bodies, one in a line.
 *
 * `hook_arrivals` cancels them at a steady pace, and takes the time from the answer, by which the
 * change is committed, to its arrival at each endpoint.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ENDPOINTS = 10,
    DELIVERY_MAX_MS = 60000,
    SETTLE_US = 1000000, /* until all that was canceled is in the feed */
    ID_LEN = 36,
    NUMBER_LEN = 12, /* "+79" and nine digits */
};

struct hooks {
    struct bench *bench;
    struct sink *sink;
    int64_t first; /* the recipient of the first code */
    int64_t given, end;
    int64_t start_us;
    char (*ids)[ID_LEN + 1]; /* of the codes, by number, as the next two */
    int64_t *answered_us;
    char **bodies; /* as the first endpoint got them, or as the peer is to deliver them */
    int64_t under_way[WIRE_CONNECTIONS_MAX];
};

/* ----------------------------------------------------------------------------- deliveries */

static void keep_body(struct hooks *hooks, int64_t n, struct str body)
{
    if (hooks->bodies[n]) return;
    hooks->bodies[n] = strndup(body.data, body.len);
    if (!hooks->bodies[n]) abort();
}

/* Each event has as many numbers as there are endpoints. */
static int64_t number_of(void *context, struct http_request *x, struct str body)
{
    struct hooks *hooks = context;
    struct str path = http_path(x);
    int64_t n = bench_recipient_index(hooks->bench, bench_property(body, "recipient"));
    int endpoint = path.len == 2 ? path.data[1] - '0' : -1;

    if (n < hooks->first || n >= hooks->first + hooks->end) return -1;
    if (endpoint < 0 || endpoint >= ENDPOINTS) return -1;
    if (endpoint == 0) keep_body(hooks, n - hooks->first, body);
    return (n - hooks->first) * ENDPOINTS + endpoint;
}

static bool start_sink(struct hooks *hooks)
{
    const struct bench *bench = hooks->bench;
    const uint8_t *ip = (const uint8_t *)&bench->sink.sin_addr;
    char address[32];

    if (bench->sink.sin_port == 0) {
        fprintf(stderr, "load: hooks need --sink\n");
        return false;
    }
    snprintf(address, sizeof address, "%u.%u.%u.%u:%u", ip[0], ip[1], ip[2], ip[3],
             ntohs(bench->sink.sin_port));
    hooks->sink = sink_start_for(address, hooks->end * ENDPOINTS, number_of, hooks);
    return hooks->sink;
}

/* ----------------------------------------------------------------------- codes and their ends */

static bool take_number(struct hooks *hooks, const struct connection *connection, int64_t *ret_n)
{
    if (hooks->given == hooks->end || hooks->bench->unexpected > 0) return false;
    *ret_n = hooks->under_way[connection->index] = hooks->given++;
    return true;
}

static bool next_create(void *context, struct connection *connection, struct buf *request)
{
    struct hooks *hooks = context;
    int64_t n;

    if (!take_number(hooks, connection, &n)) return false;
    hooks->bench->recipients = hooks->first + n + 1;
    bench_create_otp(hooks->bench, request, hooks->first + n, NULL);
    return true;
}

static void on_created(void *context, struct connection *connection, const struct answer *answer)
{
    struct hooks *hooks = context;
    struct str id = bench_property(answer->body, "id");

    if (!bench_expect(hooks->bench, answer, 201) || id.len != ID_LEN) return;
    memcpy(hooks->ids[hooks->under_way[connection->index]], id.data, ID_LEN);
}

static bool next_cancel(void *context, struct connection *connection, struct buf *request)
{
    struct hooks *hooks = context;
    char path[80];
    int64_t n;

    if (!take_number(hooks, connection, &n)) return false;
    snprintf(path, sizeof path, "/internal/v1/otp/%s/cancel", hooks->ids[n]);
    bench_post(hooks->bench, request, path, NULL, NULL, "");
    return true;
}

static void on_canceled(void *context, struct connection *connection, const struct answer *answer)
{
    struct hooks *hooks = context;

    if (!bench_expect(hooks->bench, answer, 204)) return;
    hooks->answered_us[hooks->under_way[connection->index]] = clock_monotonic_us();
}

/* ------------------------------------------------------------------------- the peer's events */

static bool next_event(void *context, struct connection *connection, struct buf *request)
{
    struct hooks *hooks = context;
    int64_t n;

    if (!take_number(hooks, connection, &n)) return false;
    bench_post(hooks->bench, request, "/events", NULL, NULL, hooks->bodies[n]);
    return true;
}

static void on_taken(void *context, struct connection *connection, const struct answer *answer)
{
    struct hooks *hooks = context;

    (void)connection;
    bench_expect(hooks->bench, answer, 202);
}

static bool write_bodies(const struct hooks *hooks)
{
    const char *path = hooks->bench->bodies_path;
    if (!path) return true;
    FILE *file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "load: %s cannot be written\n", path);
        return false;
    }
    for (int64_t n = 0; n < hooks->end; n++)
        fprintf(file, "%s\n", hooks->bodies[n]);
    return fclose(file) == 0;
}

/* Returns how many there are; the rest stays NULL. */
static int64_t read_lines(FILE *file, char **bodies, int64_t max)
{
    size_t room = 0;
    int64_t n = 0;

    while (n < max) {
        ssize_t len = getline(&bodies[n], &room, file);
        if (len <= 0) break;
        bodies[n][strcspn(bodies[n], "\n")] = '\0';
        room = 0; /* the next line has memory of its own */
        n++;
    }
    return n;
}

/* The recipients are those of the run whose bodies they are. */
static bool read_bodies(struct hooks *hooks)
{
    struct bench *bench = hooks->bench;
    FILE *file = bench->bodies_path ? fopen(bench->bodies_path, "re") : NULL;
    int64_t count = file ? read_lines(file, hooks->bodies, hooks->end) : 0;
    long long recipient = -1;

    if (file) fclose(file);
    struct str first = count > 0 ? str_of(hooks->bodies[0]) : (struct str){0};
    struct str number = first.len > 0 ? bench_property(first, "recipient") : first;
    bool is_read = count == hooks->end && number.len == NUMBER_LEN &&
                   str_to_int64((struct str){number.data + 3, number.len - 3}, &recipient);
    if (!is_read) fprintf(stderr, "load: hooks_by_peer needs --bodies of as many codes\n");
    bench->first_recipient = recipient;
    bench->recipients = hooks->end;
    return is_read;
}

/* ------------------------------------------------------------------------- what is asked for */

static int64_t due_us(void *context)
{
    const struct hooks *hooks = context;

    return hooks->start_us + hooks->given * 1000000 / hooks->bench->pace;
}

static bool create_all(struct hooks *hooks)
{
    struct work work = {next_create, on_created, hooks, NULL};

    hooks->given = 0;
    return wire_run(&hooks->bench->wire, &work) && hooks->bench->unexpected == 0;
}

static bool cancel_all(struct hooks *hooks, bool is_paced)
{
    struct work work = {next_cancel, on_canceled, hooks, is_paced ? due_us : NULL};

    hooks->given = 0;
    hooks->start_us = clock_monotonic_us();
    return wire_run(&hooks->bench->wire, &work) && hooks->bench->unexpected == 0;
}

static bool hand_over_all(struct hooks *hooks)
{
    struct work work = {next_event, on_taken, hooks, NULL};

    hooks->given = 0;
    return wire_run(&hooks->bench->wire, &work) && hooks->bench->unexpected == 0;
}

/* ------------------------------------------------------------------------------- scenarios */

/* `is_peer`: it is given the bodies, in place of codes that are canceled. */
static bool measure_held(struct hooks *hooks, bool is_peer, struct result *ret_result)
{
    int64_t count = hooks->end * ENDPOINTS;

    sink_close_gate(hooks->sink);
    if (!(is_peer ? hand_over_all(hooks) : cancel_all(hooks, false))) return false;
    usleep(SETTLE_US);
    int64_t held = sink_came(hooks->sink), opened_us = clock_monotonic_us();
    sink_open_gate(hooks->sink);
    if (!sink_wait(hooks->sink, count, DELIVERY_MAX_MS)) return false;
    ret_result->count = count - held;
    ret_result->seconds = (double)(sink_last_answer_us(hooks->sink) - opened_us) / 1e6;
    ret_result->figures[0] = (struct figure){"held", (double)held};
    return true;
}

static bool measure_backlog(struct hooks *hooks, struct result *ret_result)
{
    return bench_make_ready(hooks->bench) && create_all(hooks) &&
           measure_held(hooks, false, ret_result) && write_bodies(hooks);
}

static bool measure_peer(struct hooks *hooks, struct result *ret_result)
{
    return read_bodies(hooks) && measure_held(hooks, true, ret_result);
}

static bool measure_arrivals(struct hooks *hooks, struct result *ret_result)
{
    int64_t count = hooks->end * ENDPOINTS;

    if (!bench_make_ready(hooks->bench) || !create_all(hooks) || !cancel_all(hooks, true))
        return false;
    if (!sink_wait(hooks->sink, count, DELIVERY_MAX_MS)) return false;
    for (int64_t n = 0; n < count; n++)
        samples_add(&hooks->bench->latency,
                    sink_came_us(hooks->sink, n) - hooks->answered_us[n / ENDPOINTS]);
    ret_result->count = count;
    ret_result->seconds = (double)(clock_monotonic_us() - hooks->start_us) / 1e6;
    return true;
}

static bool run(struct bench *bench, int64_t codes,
                bool (*measure)(struct hooks *, struct result *), struct result *ret_result)
{
    struct hooks hooks = {.bench = bench, .first = bench->recipients, .end = codes};

    hooks.answered_us = calloc((size_t)codes, sizeof *hooks.answered_us);
    hooks.ids = calloc((size_t)codes, sizeof *hooks.ids);
    hooks.bodies = calloc((size_t)codes, sizeof *hooks.bodies);
    if (!hooks.answered_us || !hooks.ids || !hooks.bodies) abort();
    bool is_good = start_sink(&hooks) && measure(&hooks, ret_result) && sink_is_clean(hooks.sink);
    sink_stop(hooks.sink);
    for (int64_t n = 0; n < codes; n++)
        free(hooks.bodies[n]);
    free(hooks.bodies);
    free(hooks.answered_us);
    free(hooks.ids);
    return is_good;
}

static bool run_hooks(struct bench *bench, struct result *ret_result)
{
    return run(bench, bench->orders, measure_backlog, ret_result);
}

static bool run_hooks_by_peer(struct bench *bench, struct result *ret_result)
{
    return run(bench, bench->orders, measure_peer, ret_result);
}

static bool run_hook_arrivals(struct bench *bench, struct result *ret_result)
{
    int64_t codes = bench->pace * bench->duration_us / 1000000;

    return run(bench, codes, measure_arrivals, ret_result);
}

const struct scenario scenario_hooks = {
    .name = "hooks",
    .help = "a backlog of events that is delivered to ten webhook endpoints",
    .needs_fleet = true,
    .run = run_hooks,
};
const struct scenario scenario_hooks_by_peer = {
    .name = "hooks_by_peer",
    .help = "the same bodies, which a program that is not herald delivers",
    .run = run_hooks_by_peer,
};
const struct scenario scenario_hook_arrivals = {
    .name = "hook_arrivals",
    .help = "from a change to its arrival at ten webhook endpoints, at a steady pace",
    .needs_fleet = true,
    .run = run_hook_arrivals,
};
