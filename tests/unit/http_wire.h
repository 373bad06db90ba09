/* A client that says exactly what a test wants said: raw bytes over a socket on the loopback. */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { WIRE_TIMEOUT_MS = 30000, WIRE_ANSWER_MAX = 64 << 20 };

/* `receive_buffer`: bytes that the kernel keeps for a slow reader; 0 leaves the default. */
static inline int wire_connect_with(const char *address, int receive_buffer)
{
    const char *colon = strrchr(address, ':');
    struct sockaddr_in to = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0 && colon);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)atoi(colon + 1));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* pieces leave at once */
    if (receive_buffer > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static inline int wire_connect(const char *address)
{
    return wire_connect_with(address, 0);
}

/* False if the peer has closed. */
static inline bool wire_send_bytes(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.data, bytes.len, MSG_NOSIGNAL);
        if (sent < 0) return false;
        bytes.data += sent;
        bytes.len -= (size_t)sent;
    }
    return true;
}

static inline void wire_send(int fd, const char *text)
{
    assert_true(wire_send_bytes(fd, str_of(text)));
}

/* Waits for bytes and appends them; 0 at the end, -1 after a reset or WIRE_TIMEOUT_MS. */
static inline ssize_t wire_receive(int fd, struct buf *in)
{
    static char bytes[64 * 1024];
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    if (poll(&ready, 1, WIRE_TIMEOUT_MS) != 1) return -1;
    ssize_t len = recv(fd, bytes, sizeof(bytes), 0);
    if (len > 0) buf_append(in, bytes, (size_t)len);
    return len;
}

/* All that comes until the peer closes; closes the socket. */
static inline struct buf wire_read_all(int fd)
{
    struct buf in;
    ssize_t len;

    buf_init(&in, WIRE_ANSWER_MAX);
    do
        len = wire_receive(fd, &in);
    while (len > 0);
    assert_int_equal(len, 0); /* an end, not a reset */
    close(fd);
    buf_char(&in, '\0');
    return in;
}

struct wire_answer {
    int status;
    char head[4096];
    struct buf body;
};

static inline void wire_answer_done(struct wire_answer *answer)
{
    buf_done(&answer->body);
}

static inline bool wire_has(const struct wire_answer *answer, const char *text)
{
    return strstr(answer->head, text) != NULL;
}

/* The head of the next answer, byte by byte so that nothing of what follows is taken. */
static inline void wire_read_head(int fd, struct wire_answer *answer)
{
    size_t len = 0;

    do {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&ready, 1, WIRE_TIMEOUT_MS), 1);
        ssize_t got = recv(fd, answer->head + len, 1, 0);
        if (got != 1) fail_msg("the connection ended in a head: %.*s", (int)len, answer->head);
        len++;
        assert_true(len < sizeof(answer->head));
        answer->head[len] = '\0';
    } while (!strstr(answer->head, "\r\n\r\n"));
    assert_int_equal(sscanf(answer->head, "HTTP/1.1 %d ", &answer->status), 1);
}

static inline void wire_read_exactly(int fd, struct buf *out, size_t len)
{
    while (len > 0) {
        char bytes[16 * 1024];
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&ready, 1, WIRE_TIMEOUT_MS), 1);
        ssize_t got = recv(fd, bytes, len < sizeof(bytes) ? len : sizeof(bytes), 0);
        assert_true(got > 0);
        buf_append(out, bytes, (size_t)got);
        len -= (size_t)got;
    }
}

static inline size_t wire_read_chunk_size(int fd)
{
    char line[32];
    AUTO_BUF in = {0};

    buf_init(&in, sizeof(line) - 1);
    do
        wire_read_exactly(fd, &in, 1);
    while (in.data[in.len - 1] != '\n');
    memcpy(line, in.data, in.len);
    line[in.len] = '\0';
    return strtoul(line, NULL, 16);
}

static inline void wire_read_chunks(int fd, struct buf *out)
{
    char line_end[2];
    size_t len;

    do {
        len = wire_read_chunk_size(fd);
        wire_read_exactly(fd, out, len);
        assert_int_equal(recv(fd, line_end, 2, MSG_WAITALL), 2);
        assert_memory_equal(line_end, "\r\n", 2);
    } while (len > 0);
}

/* The next answer of a connection, whole. */
static inline struct wire_answer wire_read_answer(int fd)
{
    struct wire_answer answer = {0};

    buf_init(&answer.body, WIRE_ANSWER_MAX);
    wire_read_head(fd, &answer);
    const char *length = strstr(answer.head, "Content-Length: ");
    if (length) wire_read_exactly(fd, &answer.body, strtoul(length + 16, NULL, 10));
    if (wire_has(&answer, "Transfer-Encoding: chunked")) wire_read_chunks(fd, &answer.body);
    return answer;
}

static inline void wire_expect(int fd, int status, const char *body)
{
    struct wire_answer answer = wire_read_answer(fd);

    if (answer.status != status) fail_msg("%d instead of %d", answer.status, status);
    if (body) {
        assert_int_equal(answer.body.len, strlen(body));
        if (answer.body.len > 0) assert_memory_equal(answer.body.data, body, answer.body.len);
    }
    wire_answer_done(&answer);
}

/* The peer closes, and has nothing more to say; closes the socket. */
static inline void wire_expect_end(int fd)
{
    struct buf rest = wire_read_all(fd);

    assert_string_equal(rest.data, "");
    buf_done(&rest);
}
