/*
 * intake_floor FILE - the least that taking a package needs: for each connection it receives what
 * comes until the other side has ended, packs it as it comes (zstd, level 1), appends it to FILE,
 * makes that durable and answers one byte. It says its port on stdout and serves until it is
 * killed.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zstd.h>

enum { CHUNK = 256 * 1024, LEVEL = 1 };

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, data, len);
        if (written <= 0) return false;
        data += written;
        len -= (size_t)written;
    }
    return true;
}

/* Packs `len` bytes into `fd`; 0 bytes end the frame. */
static bool pack(ZSTD_CCtx *zstd, const char *data, size_t len, int fd)
{
    static char packed[CHUNK];
    ZSTD_inBuffer in = {data, len, 0};
    ZSTD_EndDirective directive = len > 0 ? ZSTD_e_continue : ZSTD_e_end;

    for (;;) {
        ZSTD_outBuffer out = {packed, sizeof packed, 0};
        size_t left = ZSTD_compressStream2(zstd, &out, &in, directive);
        if (ZSTD_isError(left) || !write_all(fd, packed, out.pos)) return false;
        if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return true;
    }
}

static bool take_package(ZSTD_CCtx *zstd, int peer, int fd)
{
    static char chunk[CHUNK];

    for (;;) {
        ssize_t got = recv(peer, chunk, sizeof chunk, 0);
        if (got < 0 || !pack(zstd, chunk, (size_t)got, fd)) return false;
        if (got == 0) return fdatasync(fd) == 0 && send(peer, "k", 1, MSG_NOSIGNAL) == 1;
    }
}

/* A listening socket of 127.0.0.1 whose port is printed. */
static int listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 8) != 0) return -1;
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0) return -1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    int listener = fd >= 0 ? listen_somewhere() : -1;
    ZSTD_CCtx *zstd = ZSTD_createCCtx();

    if (listener < 0 || !zstd) {
        fputs("intake_floor FILE: the file or a socket cannot be opened\n", stderr);
        return 1;
    }
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    for (;;) {
        int peer = accept(listener, NULL, NULL);
        if (peer < 0 || !take_package(zstd, peer, fd)) break;
        close(peer);
    }
    perror("intake_floor");
    return 1;
}
