/* A setting names by words and networks the addresses that a fetch may connect to. */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

struct sockaddr;

enum { NETWORKS_MAX = 64, NETWORK_BYTES = 16 };

struct network {
    uint8_t bytes[NETWORK_BYTES]; /* zeros behind the prefix; IPv4 in ::ffff:0:0/96 */
    int prefix;                   /* 10.0.0.0/8 has 104 */
};

/* A struct that is all zeros allows nothing. */
struct networks {
    bool has_public;   /* global unicast */
    bool has_private;  /* RFC 1918, 100.64.0.0/10, fc00::/7 */
    bool has_loopback; /* 127.0.0.0/8, ::1 */
    struct network named[NETWORKS_MAX];
    int named_count;
};

/* Describes a list to people, as the end of "must be ...". */
#define NETWORKS_ALLOWED                                                                     \
    "public, private, loopback, or networks such as 10.1.0.0/16 and fd12::/16 (at most 64, " \
    "with zeros behind the prefix, and those of IPv4 not in a form of IPv6), separated by commas"

/* Reads such a list; returns false if it is none. */
bool networks_parse(struct str text, struct networks *ret_networks)
    __attribute__((warn_unused_result));

/* Tells whether a connection to the address is allowed. An address that embeds an IPv4 one (mapped,
 * NAT64's 64:ff9b::/96, 6to4) is judged as that. Addresses that belong to no server are always
 * refused, even if a network names them: unspecified, link-local, multicast, broadcast and reserved
 * ones, and those where clouds tell a machine its secrets (contract, section 4). */
bool networks_allow(const struct networks *networks, const struct sockaddr *address);
