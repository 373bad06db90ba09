/* A simulator starts, serves and stops here. */
#include "server.h"

#include "port.h"
#include "stop.h"

#include <stdio.h>

bool server_init(struct server *server, const struct server_options *options)
{
    *server = (struct server){.options = *options};
    pthread_mutex_init(&server->lock, NULL);
    server->ledger = ledger_new(options->calls_file);
    server->worker = worker_new();
    if (server->worker && ledger_can_write(server->ledger)) return true;
    fprintf(stderr, "%s: %s\n", options->program,
            server->worker ? "the file of --calls-file cannot be written"
                           : "the system does not give what it takes to start");
    return false;
}

void server_done(struct server *server)
{
    worker_free(server->worker);
    ledger_free(server->ledger);
    pthread_mutex_destroy(&server->lock);
}

static void announce(const struct server *server, struct control *control)
{
    const struct server_options *options = &server->options;

    printf("%s on http://%s, %s on http://%s\n", options->announcement, server->port.address,
           options->control_announcement, control_address(control));
    fflush(stdout);
}

/* Whatever waits is answered first; then nobody needs the two ports any more. */
static void stop(struct server *server, struct control *control)
{
    pthread_mutex_lock(&server->lock);
    server->is_stopping = true;
    pthread_mutex_unlock(&server->lock);
    port_retire(server);
    worker_drain(server->worker);
    control_stop(control);
    port_close(server);
}

int server_run(struct server *server, int stop_fd)
{
    struct control *control = port_open(server) ? control_start(server) : NULL;

    if (control) {
        announce(server, control);
        stop_wait(stop_fd, -1);
    }
    stop(server, control);
    return control ? 0 : 1;
}
