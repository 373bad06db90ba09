/* The signature of a delivery, as Standard Webhooks 1.0 has it. herald's own code is not used: what
 * both got wrong nobody would see. */
#include "kit/base/clock.h"
#include "sim.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAC_TEXT_LEN = 44, SIGNATURE_LEN = 3 + MAC_TEXT_LEN, KEY_MAX = 64 };
#define PREFIX "whsec_"

const char *const verdict_words[] = {"genuine", "forged", "late", "unsigned", "unchecked", NULL};

/* "v1," and the base64 of the HMAC; false: the secret is none. */
static bool sign(const char *secret, struct str id, struct str timestamp, struct str body,
                 char ret_text[static SIGNATURE_LEN + 1])
{
    uint8_t key[KEY_MAX], mac[crypto_auth_hmacsha256_BYTES];
    size_t skipped = sizeof(PREFIX) - 1, len;
    crypto_auth_hmacsha256_state state;
    char text[MAC_TEXT_LEN + 1];

    if (strncmp(secret, PREFIX, skipped) != 0 ||
        sodium_base642bin(key, sizeof key, secret + skipped, strlen(secret + skipped), NULL, &len,
                          NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    crypto_auth_hmacsha256_init(&state, key, len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)id.data, id.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)".", 1);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)timestamp.data, timestamp.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)".", 1);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body.data, body.len);
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_bin2base64(text, sizeof text, mac, sizeof mac, sodium_base64_VARIANT_ORIGINAL);
    snprintf(ret_text, SIGNATURE_LEN + 1, "v1,%s", text);
    return true;
}

static bool is_among(struct str signatures, const char *wanted)
{
    while (signatures.len > 0) {
        const char *space = memchr(signatures.data, ' ', signatures.len);
        size_t len = space ? (size_t)(space - signatures.data) : signatures.len;
        if (str_is((struct str){signatures.data, len}, wanted)) return true;
        signatures.data += len + (space != NULL);
        signatures.len -= len + (space != NULL);
    }
    return false;
}

static bool is_fresh(const struct sim *sim, struct str timestamp)
{
    int64_t tolerance_s = sim->options->tolerance_s;
    long long at_s;

    if (!str_to_int64(timestamp, &at_s)) return false;
    return tolerance_s == 0 || llabs(clock_now_ms() / 1000 - at_s) <= tolerance_s;
}

const char *verify(const struct sim *sim, struct http_request *x, struct str body)
{
    struct str id = http_header_get(x, "webhook-id");
    struct str timestamp = http_header_get(x, "webhook-timestamp");
    struct str signatures = http_header_get(x, "webhook-signature");
    char wanted[SIGNATURE_LEN + 1];

    if (id.len == 0 || timestamp.len == 0 || signatures.len == 0) return "unsigned";
    if (sim->secret_count == 0) return "unchecked";
    for (size_t i = 0; i < sim->secret_count; i++) {
        if (sign(sim->secrets[i], id, timestamp, body, wanted) && is_among(signatures, wanted))
            return is_fresh(sim, timestamp) ? "genuine" : "late";
    }
    return "forged";
}
