/* The event loop of the generator. A broken connection ends the run: herald has no reason to close
 * one of these. */
#include "wire.h"

#include "kit/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_MAX = 8192, EVENTS_MAX = 64, SILENCE_MAX_MS = 15000 };

int wire_connect(const struct sockaddr_in *address)
{
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0) return fd;
    close(fd);
    return -1;
}

static bool open_connection(struct wire *wire, const struct sockaddr_in *address, size_t index)
{
    struct connection *connection = &wire->connections[index];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

    connection->index = index;
    buf_init(&connection->request, REQUEST_MAX);
    connection->input = malloc(WIRE_ANSWER_MAX);
    if (!connection->input) abort();
    connection->socket = wire_connect(address);
    if (connection->socket < 0) return false;
    fcntl(connection->socket, F_SETFL, O_NONBLOCK);
    return epoll_ctl(wire->epoll, EPOLL_CTL_ADD, connection->socket, &event) == 0;
}

bool wire_open(struct wire *wire, const struct sockaddr_in *address, size_t count)
{
    wire->epoll = epoll_create1(EPOLL_CLOEXEC);
    wire->connections = calloc(count, sizeof *wire->connections);
    wire->idle = calloc(count, sizeof *wire->idle);
    if (wire->epoll < 0 || !wire->connections || !wire->idle) abort();
    for (wire->count = 0; wire->count < count; wire->count++) {
        if (open_connection(wire, address, wire->count)) continue;
        wire->count++;
        perror("load: connect");
        return false;
    }
    return true;
}

void wire_close(struct wire *wire)
{
    for (size_t i = 0; i < wire->count; i++) {
        struct connection *connection = &wire->connections[i];
        buf_done(&connection->request);
        free(connection->input);
        if (connection->socket >= 0) close(connection->socket);
    }
    free(wire->connections);
    free(wire->idle);
    if (wire->epoll >= 0) close(wire->epoll);
}

/* Requests are far smaller than a socket's buffer, so one write takes all of one. */
static bool send_request(struct connection *connection)
{
    const struct buf *request = &connection->request;

    connection->written_us = clock_monotonic_us();
    ssize_t written = send(connection->socket, request->data, request->len, MSG_NOSIGNAL);
    if (!request->is_full && written == (ssize_t)request->len) return true;
    fprintf(stderr, "load: a request could not be written\n");
    return false;
}

/* The value of Content-Length in a head that ends in an empty line; 0 where there is none. */
static size_t body_length(const char *head)
{
    const char *header = strcasestr(head, "\r\ncontent-length:");

    return header ? strtoul(header + sizeof "\r\ncontent-length:" - 1, NULL, 10) : 0;
}

/* 1: `ret_answer` is whole; 0: more has to come; -1: this is no answer. */
static int parse_answer(struct connection *connection, struct answer *ret_answer)
{
    connection->input[connection->input_len] = '\0';
    char *end = strstr(connection->input, "\r\n\r\n");
    if (!end) return 0;
    if (strncmp(connection->input, "HTTP/1.1 ", 9) != 0) return -1;

    end[2] = '\0'; /* so that the search for headers stays in the head */
    size_t head_len = (size_t)(end - connection->input) + 4;
    size_t body_len = body_length(connection->input);
    end[2] = '\r';
    if (head_len + body_len >= WIRE_ANSWER_MAX) return -1;
    if (connection->input_len < head_len + body_len) return 0;
    *ret_answer = (struct answer){
        .status = (int)strtol(connection->input + 9, NULL, 10),
        .body = {connection->input + head_len, body_len},
        .us = clock_monotonic_us() - connection->written_us,
    };
    connection->input[connection->input_len] = '\0';
    connection->input_len = 0;
    return 1;
}

/* Takes what has arrived; the same values as parse_answer. */
static int receive(struct connection *connection, struct answer *ret_answer)
{
    char *room = connection->input + connection->input_len;
    ssize_t got = recv(connection->socket, room, WIRE_ANSWER_MAX - 1 - connection->input_len, 0);

    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) {
        fprintf(stderr, "load: the server closed a connection\n");
        return -1;
    }
    connection->input_len += (size_t)got;
    int verdict = parse_answer(connection, ret_answer);
    if (verdict < 0) fprintf(stderr, "load: an answer is not understood\n");
    return verdict;
}

enum step { STEP_WAITS, STEP_IDLE, STEP_BROKEN };

static bool is_due(const struct work *work)
{
    return !work->due_us || work->due_us(work->context) <= clock_monotonic_us();
}

static enum step start_next(struct wire *wire, struct connection *connection,
                            const struct work *work)
{
    if (!is_due(work)) {
        wire->idle[wire->idle_count++] = connection;
        return STEP_WAITS;
    }
    buf_clear(&connection->request);
    if (!work->next(work->context, connection, &connection->request)) return STEP_IDLE;
    return send_request(connection) ? STEP_WAITS : STEP_BROKEN;
}

static enum step go_on(struct wire *wire, struct connection *connection, const struct work *work)
{
    struct answer answer;
    int verdict = receive(connection, &answer);

    if (verdict < 0) return STEP_BROKEN;
    if (verdict == 0) return STEP_WAITS;
    work->answered(work->context, connection, &answer);
    return start_next(wire, connection, work);
}

/* Until something arrives or the next request is due; how many events, or -1 after a sentence. */
static int wait_for_events(const struct wire *wire, const struct work *work,
                           struct epoll_event *events)
{
    int64_t wait_us = SILENCE_MAX_MS * INT64_C(1000);

    if (wire->idle_count > 0) {
        wait_us = work->due_us(work->context) - clock_monotonic_us();
        if (wait_us < 0) wait_us = 0;
    }
    struct timespec wait = {.tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000};
    int ready = epoll_pwait2(wire->epoll, events, EVENTS_MAX, &wait, NULL);
    if (ready < 0 && errno == EINTR) return 0;
    if (ready > 0 || (ready == 0 && wire->idle_count > 0)) return ready;
    fprintf(stderr, "load: the server has been silent for 15 s\n");
    return -1;
}

/* False if a connection is broken. */
static bool start_due(struct wire *wire, const struct work *work, size_t *busy)
{
    while (wire->idle_count > 0 && is_due(work)) {
        enum step step = start_next(wire, wire->idle[--wire->idle_count], work);
        if (step == STEP_BROKEN) return false;
        *busy -= step == STEP_IDLE;
    }
    return true;
}

static bool start_all(struct wire *wire, const struct work *work, size_t *ret_busy)
{
    size_t busy = 0;

    wire->idle_count = 0;
    for (size_t i = 0; i < wire->count; i++) {
        enum step step = start_next(wire, &wire->connections[i], work);
        if (step == STEP_BROKEN) return false;
        busy += step == STEP_WAITS;
    }
    *ret_busy = busy;
    return true;
}

bool wire_run(struct wire *wire, const struct work *work)
{
    struct epoll_event events[EVENTS_MAX];
    size_t busy;

    if (!start_all(wire, work, &busy)) return false;
    while (busy > 0) {
        int ready = wait_for_events(wire, work, events);
        if (ready < 0) return false;
        for (int i = 0; i < ready; i++) {
            enum step step = go_on(wire, events[i].data.ptr, work);
            if (step == STEP_BROKEN) return false;
            busy -= step == STEP_IDLE;
        }
        if (!start_due(wire, work, &busy)) return false;
    }
    return true;
}
