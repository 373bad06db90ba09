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
    HTTP_ADDRESSES_MAX = 256,
};

/* Addresses are kept and compared in one form, however they were written: without port and scope,
 * those of IPv4 as ::ffff:a.b.c.d (contract, section 9.4). */
struct in6_addr http_address_of(const struct sockaddr_storage *address);
/* The address alone; false: it is none. */
bool http_address_parse(struct str text, struct in6_addr *ret_address);
/* As proxies write one into X-Forwarded-For: perhaps with a port, in brackets, with a scope. */
bool http_address_parse_forwarded(struct str text, struct in6_addr *ret_address);
/* An address of IPv4 as such, not as a mapped one. */
void http_address_format(const struct in6_addr *address, char ret_text[static HTTP_PEER_LEN]);
bool http_address_is_loopback(const struct in6_addr *address);

struct http_addresses {
    struct in6_addr rows[HTTP_ADDRESSES_MAX];
    int count;
};

/* Addresses separated by commas; an empty text has none. False: one is none, or too many. */
bool http_addresses_parse(struct str text, struct http_addresses *ret_addresses);
bool http_addresses_have(const struct http_addresses *addresses, const struct in6_addr *address);

/* Whom a limit counts: an IPv4 address, or the /64 of an IPv6 one, all of which one caller has. */
struct http_caller {
    uint8_t bytes[16];
};

struct http_caller http_caller_of(const struct in6_addr *address);

/* Opens `count` listening sockets on one port with SO_REUSEPORT, and says which address it is
 * ("127.0.0.1:41234"). On failure nothing is open and `why` says what to do: ERR_VALIDATION for a
 * text that names no address, ERR_INTERNAL for what the system refuses. */
enum err http_listen(const char *listen, int count, int *ret_sockets,
                     char ret_text[static HTTP_LISTEN_LEN], struct buf *why) MUST_CHECK;
