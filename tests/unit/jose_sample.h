/* The key of RFC 8037, appendix A, and what each program of tests of kit/jose begins with. */
#pragma once

#include "kit/jose/jose.h"

#include <sodium.h>

#define RFC_X   "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
#define RFC_KID "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"

static const uint8_t rfc_seed[JOSE_SEED_LEN] = {
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};

static inline struct jose_signer rfc_signer(void)
{
    struct jose_signer signer;
    jose_signer_from_seed(rfc_seed, &signer);
    return signer;
}

static inline int start_sodium(void **state)
{
    (void)state;
    return sodium_init() < 0;
}
