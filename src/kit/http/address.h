/* Addresses: where to listen, who called. */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    HTTP_PEER_LEN = INET6_ADDRSTRLEN, /* of an address as text, with its NUL */
    HTTP_LISTEN_LEN = INET6_ADDRSTRLEN + sizeof("[]:65535"),
};

/* Whom a limit counts: an IPv4 address, or the /64 of an IPv6 one, all of which one caller has. */
struct http_caller {
    uint8_t bytes[16];
};

struct http_caller http_caller_of(const struct sockaddr_storage *address);
/* Without port, scope and the ::ffff: of a mapped IPv4 address. */
void http_peer_format(const struct sockaddr_storage *address, char ret_text[static HTTP_PEER_LEN]);

/* Opens `count` listening sockets on one port with SO_REUSEPORT, and says which address it is
 * ("127.0.0.1:41234"). On failure nothing is open and `why` says what to do: ERR_VALIDATION for a
 * text that names no address, ERR_INTERNAL for what the system refuses. */
enum err http_listen(const char *listen, int count, int *ret_sockets,
                     char ret_text[static HTTP_LISTEN_LEN], struct buf *why) MUST_CHECK;
