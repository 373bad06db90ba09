/*
 * The price of HTTP alone: answers each POST with its body, from a worker thread, as the service
 * does; and on GET /stream opens a stream that stays silent. `http_echo [port [loops]]`.
 * On the end of its input it prints CPU time per request and memory, and stops.
 */
#include "kit/base/buf.h"
#include "kit/http/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BODY_MAX = 1 << 20, JOBS_MAX = 1 << 14, STOP_GRACE_MS = 1000 };

struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_filled;
    struct http_request *jobs[JOBS_MAX];
    int job_count;
    bool is_waiting;
    bool is_ending;
    atomic_long answered;
};

static void answer(struct http_request *x)
{
    const struct http_header type = {STR("Content-Type"), STR("application/json")};

    http_reply(x, 200, &type, 1, http_user(x));
    http_release(x);
}

/* Takes all jobs that wait; none at the end. */
static int take_jobs(struct worker *worker, struct http_request **jobs)
{
    pthread_mutex_lock(&worker->lock);
    while (worker->job_count == 0 && !worker->is_ending) {
        worker->is_waiting = true;
        pthread_cond_wait(&worker->is_filled, &worker->lock);
        worker->is_waiting = false;
    }
    int count = worker->job_count;
    memcpy(jobs, worker->jobs, (size_t)count * sizeof(*jobs));
    worker->job_count = 0;
    pthread_mutex_unlock(&worker->lock);
    return count;
}

static void *work(void *arg)
{
    static struct http_request *jobs[JOBS_MAX];
    struct worker *worker = arg;
    int count;

    while ((count = take_jobs(worker, jobs)) > 0) {
        for (int i = 0; i < count; i++)
            http_defer(jobs[i], answer);
        atomic_fetch_add(&worker->answered, count);
    }
    return NULL;
}

static void on_head(void *arg, struct http_request *x)
{
    struct buf *body = malloc(sizeof(*body));
    (void)arg;

    if (!body) abort();
    buf_init(body, BODY_MAX);
    http_set_user(x, body);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    (void)arg;
    buf_str(http_user(x), bytes);
}

static void on_end(void *arg, struct http_request *x)
{
    struct worker *worker = arg;

    if (str_is(http_path(x), "/stream")) {
        http_stream_begin(x, 200, NULL, 0);
        return;
    }
    http_hold(x);
    pthread_mutex_lock(&worker->lock);
    assert(worker->job_count < JOBS_MAX);
    worker->jobs[worker->job_count++] = x;
    bool is_asleep = worker->is_waiting;
    pthread_mutex_unlock(&worker->lock);
    if (is_asleep) pthread_cond_signal(&worker->is_filled);
}

static void on_close(void *arg, struct http_request *x)
{
    (void)arg;
    buf_done(http_user(x));
    free(http_user(x));
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg;
    (void)request_id;
    buf_text(body, err_info(err)->code);
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void report(const struct worker *worker, const struct http_server *server)
{
    long answered = atomic_load(&worker->answered);
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    double cpu_us = 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("%ld requests, %.2f us of CPU each, %ld KB of memory, %d connections\n", answered,
           answered > 0 ? cpu_us / (double)answered : 0, usage.ru_maxrss,
           http_server_connections(server));
    fflush(stdout);
}

static void stop(struct worker *worker, struct http_server *server)
{
    http_server_stop(server, STOP_GRACE_MS);
    pthread_mutex_lock(&worker->lock);
    worker->is_ending = true;
    pthread_cond_signal(&worker->is_filled);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
}

int main(int argc, char **argv)
{
    static struct worker worker = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                   .is_filled = PTHREAD_COND_INITIALIZER};
    char address[64];
    struct http_options options = {
        .listen = address,
        .loops = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, NULL, render_error, &worker},
    };
    struct http_server *server;
    AUTO_BUF why = {0};
    char line[16];

    buf_init(&why, 1024);
    snprintf(address, sizeof(address), "127.0.0.1:%s", argc > 1 ? argv[1] : "8080");
    raise_descriptor_limit();
    if (http_server_start(&options, &server, &why) != ERR_OK) {
        fprintf(stderr, "%.*s\n", (int)why.len, why.data);
        return 1;
    }
    if (pthread_create(&worker.thread, NULL, work, &worker) != 0) abort();
    printf("listening on %s\n", http_server_address(server));
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        report(&worker, server);
    report(&worker, server);
    stop(&worker, server);
    return 0;
}
