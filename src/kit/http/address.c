/* Addresses are read and compared here, and listening sockets opened. */
#include "kit/http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

/* getaddrinfo would take 99999 and mean 34463. */
static bool is_port(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= 5 && strspn(text, "0123456789") == len &&
           strtol(text, NULL, 10) <= UINT16_MAX;
}

struct in6_addr http_address_of(const struct sockaddr_storage *address)
{
    struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

    if (address->ss_family == AF_INET6) return ((const struct sockaddr_in6 *)address)->sin6_addr;
    memcpy(mapped.s6_addr + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return mapped;
}

bool http_address_parse(struct str text, struct in6_addr *ret_address)
{
    struct sockaddr_storage address = {.ss_family = AF_INET};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    char copy[HTTP_PEER_LEN];

    if (text.len >= sizeof(copy)) return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, &v4->sin_addr) != 1)
        return inet_pton(AF_INET6, copy, ret_address) == 1;
    *ret_address = http_address_of(&address);
    return true;
}

bool http_address_parse_forwarded(struct str text, struct in6_addr *ret_address)
{
    char copy[HTTP_LISTEN_LEN + IF_NAMESIZE], *host = copy;

    if (text.len >= sizeof(copy)) return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    bool is_bracketed = *host == '[';
    char *end = strchr(host, is_bracketed ? ']' : ':');
    if (is_bracketed) {
        if (!end) return false;
        host++;
        *end++ = '\0';
    }
    /* Without brackets, a text with more than one colon is an IPv6 address without a port. */
    bool has_port = end && *end && (is_bracketed || !strchr(end + 1, ':'));
    if (has_port && (*end != ':' || !is_port(end + 1))) return false;
    if (has_port) *end = '\0';
    return http_address_parse((struct str){host, strcspn(host, "%")}, ret_address);
}

void http_address_format(const struct in6_addr *address, char ret_text[static HTTP_PEER_LEN])
{
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, address->s6_addr + 12, ret_text, HTTP_PEER_LEN);
    else
        inet_ntop(AF_INET6, address, ret_text, HTTP_PEER_LEN);
}

bool http_address_is_loopback(const struct in6_addr *address)
{
    if (IN6_IS_ADDR_V4MAPPED(address)) return address->s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(address);
}

bool http_addresses_parse(struct str text, struct http_addresses *ret_addresses)
{
    struct str item;
    int count = 0;

    while (text.len > 0 && str_next_item(&text, &item)) {
        if (count == HTTP_ADDRESSES_MAX) return false;
        if (!http_address_parse(item, &ret_addresses->rows[count++])) return false;
    }
    ret_addresses->count = count;
    return true;
}

bool http_addresses_have(const struct http_addresses *addresses, const struct in6_addr *address)
{
    for (int i = 0; i < addresses->count; i++) {
        if (IN6_ARE_ADDR_EQUAL(&addresses->rows[i], address)) return true;
    }
    return false;
}

struct http_source http_source_of(const struct in6_addr *address)
{
    enum { PREFIX_LEN = 8 };
    struct http_source source = {{0}};

    memcpy(source.bytes, address, IN6_IS_ADDR_V4MAPPED(address) ? sizeof(*address) : PREFIX_LEN);
    return source;
}

static bool take_scheme(struct str *item, const char *scheme)
{
    size_t len = strlen(scheme);

    if (item->len < len || memcmp(item->data, scheme, len) != 0) return false;
    *item = str_behind(*item, len);
    return true;
}

bool http_listen_next(struct str *list, bool is_tls, struct http_listen_item *ret_item)
{
    struct str item;

    if (!str_next_item(list, &item)) return false;
    if (take_scheme(&item, "https://"))
        is_tls = true;
    else if (take_scheme(&item, "http://"))
        is_tls = false;
    if (item.len >= sizeof(ret_item->address)) item.len = 0;
    memcpy(ret_item->address, item.data, item.len);
    ret_item->address[item.len] = '\0';
    ret_item->is_tls = is_tls;
    return true;
}

/* Splits "host:port" or "[host]:port"; an empty host, which may be written as *, stands for all
 * addresses. */
static bool split(const char *listen, char ret_host[static HTTP_HOST_LEN_MAX],
                  const char **ret_port)
{
    const char *colon = strrchr(listen, ':');

    if (!colon || !is_port(colon + 1)) return false;
    size_t len = (size_t)(colon - listen);
    bool is_bracketed = len >= 2 && listen[0] == '[' && listen[len - 1] == ']';
    if (is_bracketed) {
        listen++;
        len -= 2;
    }
    if (len >= HTTP_HOST_LEN_MAX || (!is_bracketed && memchr(listen, ':', len))) return false;
    if (len == 1 && listen[0] == '*') len = 0;
    memcpy(ret_host, listen, len);
    ret_host[len] = '\0';
    *ret_port = colon + 1;
    return true;
}

bool http_listen_is_any(const char *address)
{
    char host[HTTP_HOST_LEN_MAX];
    const char *port;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;
    struct sockaddr_storage number = {0};
    struct in6_addr v4_any = IN6ADDR_ANY_INIT;

    if (!split(address, host, &port)) return false;
    if (!host[0]) return true;
    if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
    memcpy(&number, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    struct in6_addr one = http_address_of(&number);
    v4_any.s6_addr[10] = v4_any.s6_addr[11] = 0xff;
    return IN6_IS_ADDR_UNSPECIFIED(&one) || IN6_ARE_ADDR_EQUAL(&one, &v4_any);
}

/* A socket of IPv6 takes IPv4 as well; a machine may have no IPv6. */
static int family_of_all(void)
{
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) return AF_INET;
    close(fd);
    return AF_INET6;
}

static enum err resolve(const char *listen, struct sockaddr_storage *ret_address,
                        socklen_t *ret_len, struct buf *why)
{
    char host[HTTP_HOST_LEN_MAX];
    const char *port;
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;

    if (!split(listen, host, &port)) {
        buf_printf(why,
                   "\"%s\" is no address to listen on. Write host:port, for example "
                   "127.0.0.1:8080 or [::1]:8080.",
                   listen);
        return ERR_VALIDATION;
    }
    if (!host[0]) hints.ai_family = family_of_all();
    int rc = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);
    if (rc != 0) {
        buf_printf(why, "The address \"%s\" to listen on is not known here: %s.", listen,
                   gai_strerror(rc));
        return ERR_VALIDATION;
    }
    memcpy(ret_address, found->ai_addr, found->ai_addrlen);
    *ret_len = found->ai_addrlen;
    freeaddrinfo(found);
    return ERR_OK;
}

static enum err explain(const char *listen, struct buf *why)
{
    const char *advice = errno == EADDRINUSE ? "Another program has this port; stop it or choose "
                                               "another port."
                         : errno == EACCES   ? "Ports below 1024 need the capability "
                                               "CAP_NET_BIND_SERVICE."
                         : errno == EADDRNOTAVAIL ? "This machine does not have that address."
                                                  : "";
    buf_printf(why, "Cannot listen on %s: %s. %s", listen, strerror(errno), advice);
    return ERR_INTERNAL;
}

static bool set_option(int fd, int level, int name)
{
    int on = 1;
    return setsockopt(fd, level, name, &on, sizeof(on)) == 0;
}

/* SO_REUSEPORT would silently let a second herald take half of our clients. So the first socket of
 * a port listens without it, which only one can, and shares the port with the others from then on.
 * The connections inherit TCP_NODELAY: answers leave in one piece, so there is nothing to wait for.
 */
static bool open_socket(const struct sockaddr_storage *address, socklen_t len, bool is_first,
                        int *ret_fd)
{
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    if (set_option(fd, SOL_SOCKET, SO_REUSEADDR) && set_option(fd, IPPROTO_TCP, TCP_NODELAY) &&
        (is_first || set_option(fd, SOL_SOCKET, SO_REUSEPORT)) &&
        bind(fd, (const struct sockaddr *)address, len) == 0 && listen(fd, BACKLOG) == 0 &&
        set_option(fd, SOL_SOCKET, SO_REUSEPORT)) {
        *ret_fd = fd;
        return true;
    }
    int error = errno;
    close(fd);
    errno = error;
    return false;
}

static uint16_t port_of(const struct sockaddr_storage *address)
{
    bool is_v6 = address->ss_family == AF_INET6;
    return ntohs(is_v6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                       : ((const struct sockaddr_in *)address)->sin_port);
}

static void format_listen(const struct sockaddr_storage *address,
                          char ret_text[static HTTP_LISTEN_LEN])
{
    struct in6_addr bare = http_address_of(address);
    char host[HTTP_PEER_LEN];

    http_address_format(&bare, host);
    bool is_v6 = strchr(host, ':') != NULL;
    snprintf(ret_text, HTTP_LISTEN_LEN, is_v6 ? "[%s]:%u" : "%s:%u", host, port_of(address));
}

enum err http_listen(const char *listen, int count, int *ret_sockets,
                     char ret_text[static HTTP_LISTEN_LEN], struct buf *why)
{
    struct sockaddr_storage address = {0};
    socklen_t len = 0;

    enum err err = resolve(listen, &address, &len, why);
    if (err) return err;
    for (int i = 0; i < count; i++) {
        if (!open_socket(&address, len, i == 0, &ret_sockets[i])) {
            err = explain(listen, why);
            while (i > 0)
                close(ret_sockets[--i]);
            return err;
        }
        /* For port 0 the first socket takes a free one, and the others share it. */
        int rc = getsockname(ret_sockets[i], (struct sockaddr *)&address, &len);
        assert(rc == 0);
    }
    format_listen(&address, ret_text);
    return ERR_OK;
}

int http_listen_count(const char *list)
{
    struct str rest = str_of(list);
    struct http_listen_item item;
    int count = 0;

    while (http_listen_next(&rest, false, &item))
        count++;
    return count;
}

bool http_can_listen(const char *address, struct buf *why)
{
    char text[HTTP_LISTEN_LEN];
    int socket;

    if (http_listen(address, 1, &socket, text, why) != ERR_OK) return false;
    close(socket);
    return true;
}
