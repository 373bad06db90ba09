/* The server starts and stops one thread a loop; all of them listen on one port. */
#include "kit/http/server.h"

#include "kit/base/must.h"
#include "kit/http/head.h"
#include "kit/http/loop.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

const struct http_limits http_limits_default = {
    .head_max = 16 * 1024,
    .headers_max = 100,
    .connections_max = 16384,
    .connections_per_address = 0, /* behind a proxy, all connections come from one address */
    .head_timeout_ms = 10 * 1000,
    .idle_timeout_ms = 60 * 1000,
    .body_grace_ms = 10 * 1000,
    .body_rate_min = 10 * 1024,
    .write_stall_ms = 30 * 1000,
    .stream_queue_max = 64 * 1024,
};

static bool are_limits_sane(const struct http_limits *l)
{
    return l->head_max > 0 && l->head_max < HTTP_HEAD_BYTES_MAX && l->headers_max > 0 &&
           l->headers_max <= HTTP_HEADERS_LIMIT && l->connections_max > 0 &&
           l->connections_per_address >= 0 && l->head_timeout_ms > 0 && l->idle_timeout_ms > 0 &&
           l->body_grace_ms > 0 && l->body_rate_min >= 0 && l->write_stall_ms > 0;
}

static void free_server(struct http_server *server)
{
    for (int i = 0; i < server->loop_count; i++)
        http_loop_done(&server->loops[i]);
    http_admission_done(&server->admission);
    free(server->loops);
    free(server);
}

static void join_loops(struct http_server *server, int count)
{
    for (int i = 0; i < count; i++)
        http_loop_post(&server->loops[i],
                       (struct http_task){.run = http_loop_stop, .arg = &server->loops[i]});
    for (int i = 0; i < count; i++)
        pthread_join(server->loops[i].thread, NULL);
}

/* Signals are for the main thread, and a peer that left is an error of write, not a SIGPIPE. */
static enum err start_threads(struct http_server *server)
{
    sigset_t all, before;
    int started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < server->loop_count) {
        struct http_loop *loop = &server->loops[started];
        if (pthread_create(&loop->thread, NULL, http_loop_run, loop) != 0) break;
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started == server->loop_count) return ERR_OK;
    join_loops(server, started);
    return ERR_INTERNAL;
}

/* Closes the sockets that belong to no loop. */
static void close_sockets(const struct http_server *server, int loops)
{
    for (int i = 0; i < server->bound_count; i++) {
        for (int k = server->loop_count; k < loops; k++)
            close(server->bound[i].sockets[k]);
    }
}

static enum err make_loops(struct http_server *server, int count, struct buf *why)
{
    server->loops = must_calloc(1, (size_t)count * sizeof(*server->loops));
    enum err err = ERR_OK;
    for (int i = 0; i < count && !err; i++) {
        err = http_loop_init(&server->loops[i], server, i);
        if (!err) server->loop_count++;
    }
    if (err) buf_text(why, "No event loop: out of file descriptors. Raise the limit (ulimit -n).");
    return err;
}

static enum err listen_on(struct http_server *server, const struct http_listen_item *item,
                          int loops, struct buf *why)
{
    struct http_bound *bound = &server->bound[server->bound_count];

    assert(server->bound_count < HTTP_LISTENERS_MAX);
    if (item->is_tls && !server->tls) {
        buf_printf(why, "%s cannot speak HTTPS: there is no certificate.", item->address);
        return ERR_VALIDATION;
    }
    enum err err = http_listen(item->address, loops, bound->sockets, bound->address, why);
    if (err) return err;
    bound->is_tls = item->is_tls;
    server->bound_count++;
    return ERR_OK;
}

static enum err listen_on_all(struct http_server *server, const struct http_options *options,
                              struct buf *why)
{
    struct str list = str_of(options->listen);
    struct http_listen_item item;
    enum err err = ERR_OK;

    while (!err && http_listen_next(&list, options->tls != NULL, &item))
        err = listen_on(server, &item, options->loops, why);
    return err;
}

enum err http_server_open(const struct http_options *options, struct http_server **ret_server,
                          struct buf *why)
{
    assert(options->loops >= 1 && options->loops <= HTTP_LOOPS_MAX &&
           are_limits_sane(&options->limits));
    struct http_server *server = must_calloc(1, sizeof(*server));
    server->limits = options->limits;
    server->handler = options->handler;
    server->tls = options->tls;
    http_admission_init(&server->admission, options->limits.connections_max,
                        options->limits.connections_per_address, options->uncounted);
    enum err err = listen_on_all(server, options, why);
    if (!err) err = make_loops(server, options->loops, why);
    if (err) {
        close_sockets(server, options->loops);
        free_server(server);
        return err;
    }
    *ret_server = server;
    return ERR_OK;
}

enum err http_server_run(struct http_server *server, struct buf *why)
{
    assert(!server->is_running);
    enum err err = start_threads(server);
    if (err)
        buf_text(why, "No thread for an event loop. Raise the limit of processes (ulimit -u).");
    server->is_running = !err;
    return err;
}

enum err http_server_start(const struct http_options *options, struct http_server **ret_server,
                           struct buf *why)
{
    struct http_server *server;

    enum err err = http_server_open(options, &server, why);
    if (err) return err;
    err = http_server_run(server, why);
    if (err) {
        free_server(server);
        return err;
    }
    *ret_server = server;
    return ERR_OK;
}

void http_server_stop(struct http_server *server, int grace_ms)
{
    if (!server) return;
    server->stop_grace_ms = grace_ms;
    if (server->is_running) join_loops(server, server->loop_count);
    free_server(server);
}

const char *http_server_address(const struct http_server *server)
{
    return server->bound[0].address;
}

void http_server_addresses(const struct http_server *server, struct buf *out)
{
    for (int i = 0; i < server->bound_count; i++)
        buf_printf(out, "%s%s%s", i > 0 ? "," : "",
                   server->bound[i].is_tls ? "https://" : "http://", server->bound[i].address);
}

int http_server_loops(const struct http_server *server)
{
    return server->loop_count;
}

void http_server_post(struct http_server *server, int index, void (*fn)(void *arg), void *arg)
{
    assert(index >= 0 && index < server->loop_count);
    http_loop_post(&server->loops[index], (struct http_task){.run = fn, .arg = arg});
}

int http_server_connections(const struct http_server *server)
{
    return atomic_load(&server->admission.connections);
}
