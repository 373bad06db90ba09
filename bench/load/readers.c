/*
 * A crowd of readers of the log stream, and entries that all of them get, at a steady pace. What is
 * timed: an entry to a few readers that have a thread each, to the last of the crowd, and the
 * requests of others meanwhile, from when each was due. The crowd is read by one thread, which
 * takes from the machine what herald then lacks.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUESTS_PER_SECOND = 100, /* those that create an entry, and claims of phones */
    WATCHED = 10,              /* readers with a thread each, spread over the crowd */
    LAST_FRAME_MS = 20000,
    PAUSE_MS = 20,
    EVENTS_MAX = 256,
    HEAD_MAX = 8192,
    PIECE_MAX = 65536,
    TAIL_MAX = 48, /* no mark is longer */
};

struct reader {
    int socket;
    size_t seen; /* entries, each once */
    size_t tail_len;
    char tail[TAIL_MAX]; /* where half a mark may stand */
};

struct crowd {
    struct bench *bench;
    struct reader *readers;
    size_t count; /* of readers that are open */
    size_t entries;
    char mark[64]; /* "bench-RUN-" */
    int epoll;
    int64_t *last_us; /* by entry: when the last reader had it */
    size_t *had;      /* by entry: how many had it */
    atomic_size_t complete;
    atomic_bool is_over;
    pthread_t thread;
    struct stream *watched[WATCHED];
    size_t watched_count;
};

/* Requests under way, and when they were due. */
struct pacer {
    struct crowd *crowd;
    int64_t start_us;
    int64_t requests, requests_max;
    int64_t due_us[WIRE_CONNECTIONS_MAX];
    int64_t entry[WIRE_CONNECTIONS_MAX]; /* that the request creates; -1: it is a claim */
    int64_t *answered_us;                /* by entry */
};

/* ---------------------------------------------------------------------------------- the crowd */

static void note_entry(struct crowd *crowd, struct reader *reader, size_t n, int64_t now_us)
{
    if (n != reader->seen || n >= crowd->entries) return;
    reader->seen++;
    crowd->last_us[n] = now_us;
    if (++crowd->had[n] == crowd->count) atomic_fetch_add(&crowd->complete, 1);
}

/* The numbers behind each whole mark in what came. */
static void note_entries(struct crowd *crowd, struct reader *reader, const char *data, size_t len,
                         int64_t now_us)
{
    const char *end = data + len;
    size_t mark_len = strlen(crowd->mark);

    for (const char *at = data; (at = memmem(at, (size_t)(end - at), crowd->mark, mark_len));) {
        size_t n = 0;
        for (at += mark_len; at < end && *at >= '0' && *at <= '9'; at++)
            n = n * 10 + (size_t)(*at - '0');
        if (at < end) note_entry(crowd, reader, n, now_us);
    }
}

static bool read_some(struct crowd *crowd, struct reader *reader)
{
    static char bytes[TAIL_MAX + PIECE_MAX]; /* of the one thread that reads */

    memcpy(bytes, reader->tail, reader->tail_len);
    ssize_t got = recv(reader->socket, bytes + reader->tail_len, PIECE_MAX, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    size_t len = reader->tail_len + (size_t)got;
    note_entries(crowd, reader, bytes, len, clock_monotonic_us());
    reader->tail_len = len < TAIL_MAX ? len : TAIL_MAX;
    memcpy(reader->tail, bytes + len - reader->tail_len, reader->tail_len);
    return true;
}

static void *read_crowd(void *context)
{
    struct crowd *crowd = context;
    struct epoll_event events[EVENTS_MAX];

    while (!atomic_load(&crowd->is_over)) {
        int ready = epoll_wait(crowd->epoll, events, EVENTS_MAX, PAUSE_MS);
        for (int i = 0; i < ready; i++) {
            struct reader *reader = events[i].data.ptr;
            /* Its entries are then missing at the end. */
            if (!read_some(crowd, reader))
                epoll_ctl(crowd->epoll, EPOLL_CTL_DEL, reader->socket, NULL);
        }
    }
    return NULL;
}

/* Asks, and waits until the stream has begun. */
static bool open_reader(struct crowd *crowd, const struct buf *request)
{
    struct reader *reader = &crowd->readers[crowd->count];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = reader};
    char head[HEAD_MAX];

    reader->socket = wire_connect(&crowd->bench->address);
    if (reader->socket < 0) return false;
    crowd->count++;
    if (send(reader->socket, request->data, request->len, MSG_NOSIGNAL) < 0) return false;
    ssize_t got = recv(reader->socket, head, sizeof head, 0);
    if (got < 12 || memcmp(head, "HTTP/1.1 200", 12) != 0) return false;
    return epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, reader->socket, &event) == 0;
}

static bool open_crowd(struct crowd *crowd, size_t readers)
{
    AUTO_BUF request = {0};

    buf_init(&request, HEAD_MAX);
    buf_printf(&request,
               "GET /internal/v1/logs/stream HTTP/1.1\r\nHost: herald\r\n"
               "X-Internal-API-Key: %s\r\n\r\n",
               crowd->bench->internal_key);
    for (size_t i = 0; i < readers; i++) {
        bool is_watched_due = i % (readers / WATCHED + 1) == 0;
        if (is_watched_due) {
            struct stream *stream = stream_open(crowd->bench, crowd->entries);
            if (!stream) return false;
            crowd->watched[crowd->watched_count++] = stream;
        }
        if (open_reader(crowd, &request)) continue;
        fprintf(stderr, "load: reader %zu does not get the log stream\n", i + 1);
        return false;
    }
    return true;
}

static void close_crowd(struct crowd *crowd, int64_t wait_ms)
{
    int64_t end_ms = clock_monotonic_ms() + wait_ms;

    while (atomic_load(&crowd->complete) < crowd->entries && clock_monotonic_ms() < end_ms)
        usleep(PAUSE_MS * 1000);
    atomic_store(&crowd->is_over, true);
    pthread_join(crowd->thread, NULL);
}

static void free_crowd(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->count; i++)
        close(crowd->readers[i].socket);
    close(crowd->epoll);
    free(crowd->readers);
    free(crowd->last_us);
    free(crowd->had);
}

/* ----------------------------------------------------------------------------------- requests */

static int64_t due_us(void *context)
{
    const struct pacer *pacer = context;

    return pacer->start_us + pacer->requests * 1000000 / REQUESTS_PER_SECOND;
}

static void write_claim(const struct sim *sim, struct buf *request)
{
    char body[64];

    snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", sim->number);
    bench_post_as_phone(request, sim, "/device/v1/sms/claim", body);
}

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct pacer *pacer = context;
    struct bench *bench = pacer->crowd->bench;

    if (pacer->requests == pacer->requests_max || bench->unexpected > 0) return false;
    pacer->due_us[connection->index] = due_us(pacer);
    bool creates = pacer->requests++ % (REQUESTS_PER_SECOND / bench->pace) == 0;
    pacer->entry[connection->index] = creates ? bench->recipients : -1;
    /* The second half of the fleet claims, so that no claim finds a code, which would be an entry.
     */
    size_t half = bench->fleet_count / 2;
    const struct sim *sim = &bench->fleet[(size_t)pacer->requests % half];
    if (creates)
        bench_create_otp(bench, request, bench->recipients++, sim->number);
    else
        write_claim(sim + half, request);
    return true;
}

static void on_answer(void *context, struct connection *connection, const struct answer *answer)
{
    struct pacer *pacer = context;
    struct bench *bench = pacer->crowd->bench;
    int64_t entry = pacer->entry[connection->index];
    int64_t now_us = clock_monotonic_us();

    if (!bench_expect(bench, answer, entry < 0 ? 200 : 201)) return;
    samples_add(&bench->latency_extra, now_us - pacer->due_us[connection->index]);
    if (entry >= 0) pacer->answered_us[entry] = now_us;
}

/* ---------------------------------------------------------------------------------------- run */

static bool check_complete(const struct crowd *crowd)
{
    size_t missing = 0;

    for (size_t n = 0; n < crowd->entries; n++)
        missing += crowd->count - crowd->had[n];
    if (missing == 0) return true;
    fprintf(stderr, "load: %zu times an entry did not reach a reader of the crowd\n", missing);
    return false;
}

static bool take_watched(const struct pacer *pacer, int64_t wait_ms)
{
    struct crowd *crowd = pacer->crowd;
    int64_t *seen_us = calloc(crowd->entries, sizeof *seen_us);
    size_t missing = 0;

    if (!seen_us) abort();
    for (size_t i = 0; i < crowd->watched_count; i++) {
        stream_close(crowd->watched[i], wait_ms, seen_us);
        for (size_t n = 0; n < crowd->entries; n++) {
            missing += seen_us[n] == 0;
            samples_add(&crowd->bench->latency, seen_us[n] - pacer->answered_us[n]);
        }
    }
    free(seen_us);
    return missing == 0;
}

static void sum_up(const struct pacer *pacer, double open_s, struct result *ret_result)
{
    struct crowd *crowd = pacer->crowd;
    struct samples *others = &crowd->bench->latency_extra;
    struct samples whole = {0};

    for (size_t n = 0; n < crowd->entries; n++)
        samples_add(&whole, crowd->last_us[n] - pacer->answered_us[n]);
    ret_result->count = (int64_t)crowd->entries;
    ret_result->figures[0] = (struct figure){"open_s", open_s};
    ret_result->figures[1] = (struct figure){"all_p50_ms", samples_percentile_ms(&whole, 0.50)};
    ret_result->figures[2] = (struct figure){"all_max_ms", samples_percentile_ms(&whole, 1.0)};
    ret_result->figures[3] = (struct figure){"other_p50_ms", samples_percentile_ms(others, 0.50)};
    ret_result->figures[4] = (struct figure){"other_p99_ms", samples_percentile_ms(others, 0.99)};
    ret_result->figures[5] = (struct figure){"other_max_ms", samples_percentile_ms(others, 1.0)};
    samples_done(&whole);
}

static bool measure(struct pacer *pacer, struct result *ret_result)
{
    struct crowd *crowd = pacer->crowd;
    struct work work = {next, on_answer, pacer, due_us};
    int64_t opened_us = clock_monotonic_us();

    bool is_good = open_crowd(crowd, (size_t)crowd->bench->readers);
    pacer->start_us = clock_monotonic_us();
    if (pthread_create(&crowd->thread, NULL, read_crowd, crowd) != 0) abort();
    is_good = is_good && wire_run(&crowd->bench->wire, &work) && crowd->bench->unexpected == 0;
    ret_result->seconds = (double)(clock_monotonic_us() - pacer->start_us) / 1e6;
    close_crowd(crowd, is_good ? LAST_FRAME_MS : 0);
    bool are_all_seen = take_watched(pacer, is_good ? LAST_FRAME_MS : 0);
    if (!is_good || !check_complete(crowd) || !are_all_seen) return false;
    sum_up(pacer, (double)(pacer->start_us - opened_us) / 1e6, ret_result);
    return true;
}

static bool run(struct bench *bench, struct result *ret_result)
{
    struct crowd crowd = {.bench = bench, .epoll = epoll_create1(EPOLL_CLOEXEC)};
    struct pacer pacer = {.crowd = &crowd};

    if (bench->pace > REQUESTS_PER_SECOND || bench->fleet_count < 2) {
        fprintf(stderr, "load: readers take at most %d entries/s\n", REQUESTS_PER_SECOND);
        return false;
    }
    if (!bench_make_ready(bench)) return false;
    pacer.requests_max = REQUESTS_PER_SECOND * bench->duration_us / 1000000;
    int64_t step = REQUESTS_PER_SECOND / bench->pace;
    crowd.entries = (size_t)((pacer.requests_max + step - 1) / step);
    snprintf(crowd.mark, sizeof crowd.mark, "bench-%s-", bench->run);
    crowd.readers = calloc((size_t)bench->readers, sizeof *crowd.readers);
    crowd.last_us = calloc(crowd.entries, sizeof *crowd.last_us);
    crowd.had = calloc(crowd.entries, sizeof *crowd.had);
    pacer.answered_us = calloc(crowd.entries, sizeof *pacer.answered_us);
    if (!crowd.readers || !crowd.last_us || !crowd.had || !pacer.answered_us) abort();
    bool is_good = measure(&pacer, ret_result);
    free(pacer.answered_us);
    free_crowd(&crowd);
    return is_good;
}

const struct scenario scenario_readers = {
    .name = "readers",
    .help = "an entry of the log to a crowd of readers, beside 100 requests/s of others",
    .needs_fleet = true,
    .run = run,
};
