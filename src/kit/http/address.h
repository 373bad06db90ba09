/* Addresses of clients, and of the socket that the server listens on, are read and written here. */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    HTTP_PEER_LEN = INET6_ADDRSTRLEN, /* an address as text, with its NUL */
    HTTP_LISTEN_LEN = INET6_ADDRSTRLEN + sizeof("[]:65535"),
    HTTP_ADDRESSES_MAX = 256,
    HTTP_HOST_LEN_MAX = 256,
    HTTP_LISTENERS_MAX = 16, /* addresses to listen on */
};

/* Addresses are kept and compared in one form, however they were written: without port and scope,
 * and IPv4 as ::ffff:a.b.c.d (contract, section 1, Keys). */
struct in6_addr http_address_of(const struct sockaddr_storage *address);
/* Reads an address alone; returns false if it is none. */
bool http_address_parse(struct str text, struct in6_addr *ret_address);
/* Reads one as proxies write it into X-Forwarded-For: perhaps with a port, brackets or a scope. */
bool http_address_parse_forwarded(struct str text, struct in6_addr *ret_address);
/* Writes IPv4 as such, not as a mapped address. */
void http_address_format(const struct in6_addr *address, char ret_text[static HTTP_PEER_LEN]);
bool http_address_is_loopback(const struct in6_addr *address);

struct http_addresses {
    struct in6_addr rows[HTTP_ADDRESSES_MAX];
    int count;
};

/* Reads addresses separated by commas; an empty text has none. Returns false if one of them is no
 * address, or if there are too many. */
bool http_addresses_parse(struct str text, struct http_addresses *ret_addresses);
bool http_addresses_have(const struct http_addresses *addresses, const struct in6_addr *address);

/* A limit counts sources by IPv4 address, or by the /64 of an IPv6 one, since one source has all of
 * it. */
struct http_source {
    uint8_t bytes[16];
};

struct http_source http_source_of(const struct in6_addr *address);

/* An address to listen on, as it is written: "https://0.0.0.0:8443"; "*:8443" is all addresses. */
struct http_listen_item {
    char address[HTTP_HOST_LEN_MAX + sizeof("[]:65535")]; /* "0.0.0.0:8443"; "": it is too long */
    bool is_tls;
};

/* Takes the next address off a list separated by commas; returns false at its end. One without
 * https:// or http:// before it speaks TLS if `is_tls` says so. */
bool http_listen_next(struct str *list, bool is_tls, struct http_listen_item *ret_item);

/* Returns how many addresses a list has. */
int http_listen_count(const char *list);
/* Tells whether an address can be listened on at present; `why` says why not. */
bool http_can_listen(const char *address, struct buf *why);

/* Tells whether it stands for all addresses of the machine, so that nobody can be sent to it. */
bool http_listen_is_any(const char *address);

/* Opens `count` listening sockets on one port with SO_REUSEPORT, and gives their address
 * ("127.0.0.1:41234"). On failure nothing is open and `why` says what to do. Returns ERR_VALIDATION
 * for a text that names no address, ERR_INTERNAL where the system refuses. */
enum err http_listen(const char *listen, int count, int *ret_sockets,
                     char ret_text[static HTTP_LISTEN_LEN], struct buf *why) MUST_CHECK;
