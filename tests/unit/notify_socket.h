/* A supervisor's socket, as NOTIFY_SOCKET names it: what a test hears of the process there. */
#pragma once

#include <assert.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NOTIFY_TEXT_MAX = 1024 };

/* Listens at `name`; one that begins with @ is abstract. */
static inline int notify_socket_open(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    assert(fd >= 0 && len < sizeof(address.sun_path));
    memcpy(address.sun_path, name, len);
    if (name[0] == '@') address.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    int fault = bind(fd, (const struct sockaddr *)&address, size);
    assert(fault == 0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

/* Waits for the next message; false: none came within the time. */
static inline bool notify_socket_hear(int fd, int wait_ms, char ret_text[static NOTIFY_TEXT_MAX])
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};

    if (poll(&wanted, 1, wait_ms) != 1) return false;
    ssize_t len = recv(fd, ret_text, NOTIFY_TEXT_MAX - 1, 0);
    assert(len >= 0);
    ret_text[len] = '\0';
    return true;
}
