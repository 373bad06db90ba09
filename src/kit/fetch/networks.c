/*
 * Addresses are compared as 16 bytes, IPv4 in its mapped form. So one table serves both families,
 * and no spelling of an address is judged differently.
 */
#include "kit/fetch/networks.h"

#include "kit/base/macros.h"

#include <arpa/inet.h>
#include <netinet/in.h>

enum {
    V4 = 96, /* the prefix of all IPv4 */
    V4_BYTES = 4,
    V4_AT = NETWORK_BYTES - V4_BYTES,
};

/* clang-format off */
#define IPV4(a, b, c, d) {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, (a), (b), (c), (d)}
/* clang-format on */

enum kind { KIND_REFUSED, KIND_PUBLIC, KIND_PRIVATE, KIND_LOOPBACK };

/* The first row that holds an address decides; an address in no row is refused. The rows are those
 * of the registries of special-purpose addresses (IANA, RFC 6890). */
static const struct {
    struct network network;
    enum kind kind;
} kinds[] = {
    {{IPV4(0, 0, 0, 0), V4 + 8}, KIND_REFUSED},          /* this network, and unspecified */
    {{IPV4(10, 0, 0, 0), V4 + 8}, KIND_PRIVATE},         /* RFC 1918 */
    {{IPV4(100, 100, 100, 200), V4 + 32}, KIND_REFUSED}, /* metadata of Alibaba Cloud */
    {{IPV4(100, 64, 0, 0), V4 + 10}, KIND_PRIVATE},      /* shared, RFC 6598 */
    {{IPV4(127, 0, 0, 0), V4 + 8}, KIND_LOOPBACK},       /* RFC 1122 */
    {{IPV4(168, 63, 129, 16), V4 + 32}, KIND_REFUSED},   /* the host's agent in Azure */
    {{IPV4(169, 254, 0, 0), V4 + 16}, KIND_REFUSED},     /* link-local; metadata of clouds */
    {{IPV4(172, 16, 0, 0), V4 + 12}, KIND_PRIVATE},      /* RFC 1918 */
    {{IPV4(192, 0, 0, 0), V4 + 24}, KIND_REFUSED},       /* protocols; metadata of Oracle */
    {{IPV4(192, 0, 2, 0), V4 + 24}, KIND_REFUSED},       /* documentation */
    {{IPV4(192, 88, 99, 0), V4 + 24}, KIND_REFUSED},     /* relays of 6to4, which are gone */
    {{IPV4(192, 168, 0, 0), V4 + 16}, KIND_PRIVATE},     /* RFC 1918 */
    {{IPV4(198, 18, 0, 0), V4 + 15}, KIND_REFUSED},      /* benchmarks */
    {{IPV4(198, 51, 100, 0), V4 + 24}, KIND_REFUSED},    /* documentation */
    {{IPV4(203, 0, 113, 0), V4 + 24}, KIND_REFUSED},     /* documentation */
    {{IPV4(224, 0, 0, 0), V4 + 3}, KIND_REFUSED},        /* multicast, reserved, broadcast */
    {{IPV4(0, 0, 0, 0), V4}, KIND_PUBLIC},               /* all other IPv4 */
    {{{[15] = 1}, 128}, KIND_LOOPBACK},                  /* ::1 */
    {{{0x20, 0x01, 0x00}, 23}, KIND_REFUSED},            /* protocol assignments, Teredo */
    {{{0x20, 0x01, 0x0d, 0xb8}, 32}, KIND_REFUSED},      /* documentation */
    {{{0x3f, 0xff}, 20}, KIND_REFUSED},                  /* documentation, RFC 9637 */
    {{{0x20}, 3}, KIND_PUBLIC},                          /* all other global unicast */
    {{{0xfd, 0x00, 0x0e, 0xc2}, 32}, KIND_REFUSED},      /* metadata of AWS */
    {{{0xfd, 0x00, 0x00, 0x42, [15] = 0x42}, 128}, KIND_REFUSED},              /* of Scaleway */
    {{{0xfd, 0x20, 0x00, 0xce, [14] = 0x02, [15] = 0x54}, 128}, KIND_REFUSED}, /* of Google */
    {{{0xfc}, 7}, KIND_PRIVATE}, /* unique local, RFC 4193 */
};

/* The addresses of these networks embed an IPv4 one at a byte. */
static const struct {
    struct network network;
    int at;
} embeddings[] = {
    {{IPV4(0, 0, 0, 0), V4}, V4_AT},         /* mapped */
    {{{0x00, 0x64, 0xff, 0x9b}, V4}, V4_AT}, /* NAT64, RFC 6052 */
    {{{0x20, 0x02}, 16}, 2},                 /* 6to4 */
};

static bool holds(const struct network *network, const uint8_t *bytes)
{
    int whole = network->prefix / 8;
    int rest = network->prefix % 8;
    if (memcmp(network->bytes, bytes, (size_t)whole) != 0) return false;
    return rest == 0 || (network->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

static void put_ipv4(uint8_t bytes[static NETWORK_BYTES], const uint8_t *ipv4)
{
    const uint8_t mapped[NETWORK_BYTES] = IPV4(ipv4[0], ipv4[1], ipv4[2], ipv4[3]);
    memcpy(bytes, mapped, sizeof(mapped));
}

static bool is_ipv4(const uint8_t *bytes)
{
    return holds(&embeddings[0].network, bytes);
}

/* --- Parsing --- */

static bool parse_address(const char *text, uint8_t bytes[static NETWORK_BYTES])
{
    uint8_t ipv4[V4_BYTES];
    if (inet_pton(AF_INET6, text, bytes) == 1) return true;
    if (inet_pton(AF_INET, text, ipv4) != 1) return false;
    put_ipv4(bytes, ipv4);
    return true;
}

static bool parse_prefix(struct str text, int max, int *ret_prefix)
{
    long long number;
    bool is_plain = text.len == 1 || (text.len > 1 && text.data[0] >= '1');
    if (!is_plain || !str_to_int64(text, &number) || number > max) return false;
    *ret_prefix = (int)number;
    return true;
}

static bool has_zeros_behind(const struct network *network)
{
    for (int bit = network->prefix; bit < NETWORK_BYTES * 8; bit++) {
        if (network->bytes[bit / 8] >> (7 - bit % 8) & 1) return false;
    }
    return true;
}

/* No address would ever be found in such a network, since all that it holds are judged as IPv4. */
static bool is_embedding(const struct network *network)
{
    for (size_t i = 0; i < COUNT_OF(embeddings); i++) {
        const struct network *embedding = &embeddings[i].network;
        if (network->prefix >= embedding->prefix && holds(embedding, network->bytes)) return true;
    }
    return false;
}

static bool parse_network(struct str text, struct network *ret_network)
{
    char address[INET6_ADDRSTRLEN];
    size_t len = str_until(text, '/').len;
    if (len == text.len || len >= sizeof(address)) return false;
    memcpy(address, text.data, len);
    address[len] = '\0';

    bool is_v4 = !strchr(address, ':');
    struct str digits = str_behind(text, len + 1);
    struct network *network = ret_network;
    if (!parse_address(address, network->bytes)) return false;
    if (!parse_prefix(digits, is_v4 ? 32 : 128, &network->prefix)) return false;
    if (is_v4) network->prefix += V4;
    return has_zeros_behind(network) && (is_v4 || !is_embedding(network));
}

static bool parse_item(struct str item, struct networks *networks)
{
    if (str_is(item, "public"))
        networks->has_public = true;
    else if (str_is(item, "private"))
        networks->has_private = true;
    else if (str_is(item, "loopback"))
        networks->has_loopback = true;
    else if (networks->named_count < NETWORKS_MAX)
        return parse_network(item, &networks->named[networks->named_count++]);
    else
        return false;
    return true;
}

bool networks_parse(struct str text, struct networks *ret_networks)
{
    struct str item;

    *ret_networks = (struct networks){0};
    if (text.len == 0) return false;
    while (str_next_item(&text, &item)) {
        if (!parse_item(item, ret_networks)) return false;
    }
    return true;
}

/* --- Addresses --- */

/* Replaces an IPv6 address that embeds an IPv4 one by that. */
static void unwrap(uint8_t bytes[static NETWORK_BYTES])
{
    for (size_t i = 0; i < COUNT_OF(embeddings); i++) {
        uint8_t ipv4[V4_BYTES];
        if (!holds(&embeddings[i].network, bytes)) continue;
        memcpy(ipv4, bytes + embeddings[i].at, sizeof(ipv4));
        put_ipv4(bytes, ipv4);
        return;
    }
}

static bool read_address(const struct sockaddr *address, uint8_t bytes[static NETWORK_BYTES])
{
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    if (address->sa_family == AF_INET) {
        memcpy(&ipv4, address, sizeof(ipv4));
        put_ipv4(bytes, (const uint8_t *)&ipv4.sin_addr);
        return true;
    }
    if (address->sa_family != AF_INET6) return false;
    memcpy(&ipv6, address, sizeof(ipv6));
    memcpy(bytes, &ipv6.sin6_addr, NETWORK_BYTES);
    unwrap(bytes);
    return true;
}

static enum kind kind_of(const uint8_t *bytes)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (holds(&kinds[i].network, bytes)) return kinds[i].kind;
    }
    return KIND_REFUSED;
}

/* A network of IPv6 such as ::/0 names no IPv4 address. */
static bool is_named(const struct networks *networks, const uint8_t *bytes)
{
    for (int i = 0; i < networks->named_count; i++) {
        const struct network *network = &networks->named[i];
        bool is_same_family = is_ipv4(bytes) == (network->prefix >= V4 && is_ipv4(network->bytes));
        if (is_same_family && holds(network, bytes)) return true;
    }
    return false;
}

bool networks_allow(const struct networks *networks, const struct sockaddr *address)
{
    uint8_t bytes[NETWORK_BYTES];
    if (!read_address(address, bytes)) return false;
    switch (kind_of(bytes)) {
    case KIND_REFUSED:
        return false;
    case KIND_PUBLIC:
        return networks->has_public || is_named(networks, bytes);
    case KIND_PRIVATE:
        return networks->has_private || is_named(networks, bytes);
    case KIND_LOOPBACK:
        return networks->has_loopback || is_named(networks, bytes);
    }
    return false;
}
