/*
 * Telegram Gateway signs its delivery reports. The signature is checked before a byte of the body
 * is read, and in constant time; the timestamp is part of what is signed, so an old report cannot
 * be played again once it is older than GATEWAY_REPORT_AGE_MAX_MS.
 */
#include "domain/channel/driver.h"
#include "kit/json/record.h"

#include <sodium.h>
#include <stddef.h>

static_assert(crypto_auth_hmacsha256_KEYBYTES == crypto_hash_sha256_BYTES,
              "the hash of the token is the key");

static void sign(const struct secret *token, struct str timestamp, struct str body,
                 uint8_t ret_mac[static crypto_auth_hmacsha256_BYTES])
{
    uint8_t key[crypto_auth_hmacsha256_KEYBYTES];
    crypto_auth_hmacsha256_state state;

    crypto_hash_sha256(key, (const uint8_t *)token->data, token->len);
    crypto_auth_hmacsha256_init(&state, key, sizeof(key));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)timestamp.data, timestamp.len);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)"\n", 1);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body.data, body.len);
    crypto_auth_hmacsha256_final(&state, ret_mac);
    secret_wipe(key, sizeof(key));
    secret_wipe(&state, sizeof(state));
}

static bool is_signed(const struct secret *token, struct str timestamp, struct str signature,
                      struct str body)
{
    uint8_t given[crypto_auth_hmacsha256_BYTES], expected[crypto_auth_hmacsha256_BYTES];
    size_t len;

    if (!token || token->len == 0) return false;
    if (signature.len != 2 * sizeof(given)) return false;
    if (sodium_hex2bin(given, sizeof(given), signature.data, signature.len, NULL, &len, NULL) != 0)
        return false;
    sign(token, timestamp, body, expected);
    return len == sizeof(given) && sodium_memcmp(given, expected, sizeof(given)) == 0;
}

/* `timestamp` counts seconds since the epoch. */
static bool is_fresh(struct str timestamp, int64_t now_ms)
{
    long long at_s;
    int64_t at_ms, age_ms;

    if (!str_to_int64(timestamp, &at_s)) return false;
    if (__builtin_mul_overflow(at_s, 1000, &at_ms)) return false;
    if (__builtin_sub_overflow(now_ms, at_ms, &age_ms)) return false;
    return age_ms >= -TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS &&
           age_ms <= TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS;
}

/* These members of a report matter, which may have others; records find keys that are repeated. */
struct telegram_gateway_delivery_status {
    const char *status;
};

struct telegram_gateway_delivery {
    const char *request_id;
    struct telegram_gateway_delivery_status *delivery_status;
    const char *payload;
};

static const struct field status_fields[] = {
    FIELD(struct telegram_gateway_delivery_status, status, FIELD_STRING, FIELD_NULLABLE,
          "sent; delivered or read; expired or revoked, which is a failure. Any other word, or "
          "none: the provider has the message.",
          .example = "delivered"),
};

static const struct record status_record = {
    .name = "GatewayDeliveryStatus",
    .doc = "How far a message of Telegram Gateway has come.",
    .size = sizeof(struct telegram_gateway_delivery_status),
    RECORD_FIELDS(status_fields),
};

static const struct field delivery_fields[] = {
    FIELD(struct telegram_gateway_delivery, request_id, FIELD_STRING, FIELD_REQUIRED,
          "The provider's id of the message.", .min = 1, .max = -1, .example = "1042"),
    FIELD(struct telegram_gateway_delivery, delivery_status, FIELD_RECORD, FIELD_NULLABLE,
          "How far it has come.", .record = &status_record),
    FIELD(struct telegram_gateway_delivery, payload, FIELD_STRING, FIELD_NULLABLE,
          "What was given along with the message: herald's own id of the send.",
          .example = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"),
};

const struct record telegram_gateway_delivery_record = {
    .name = "GatewayDelivery",
    .doc = "A delivery report of Telegram Gateway; members that are not here are read over.",
    .size = sizeof(struct telegram_gateway_delivery),
    RECORD_FIELDS(delivery_fields),
};

static void fill_report(const struct telegram_gateway_delivery *delivery,
                        struct telegram_gateway_report *ret_report)
{
    const struct telegram_gateway_delivery_status *status = delivery->delivery_status;

    *ret_report = (struct telegram_gateway_report){
        .request_id = delivery->request_id,
        .answer = {.outcome = OUTCOME_DONE, .provider_id = delivery->request_id},
    };
    telegram_gateway_read_progress(status ? status->status : NULL, &ret_report->answer);
    (void)uuid_parse(str_of(delivery->payload), &ret_report->send_id);
}

enum err telegram_gateway_report_read(const struct driver_config *config, struct str timestamp,
                                      struct str signature, struct str body, int64_t now_ms,
                                      struct arena *arena,
                                      struct telegram_gateway_report *ret_report)
{
    struct record_faults faults;
    struct telegram_gateway_delivery delivery;

    if (!is_signed(config->token, timestamp, signature, body)) return ERR_UNAUTHORIZED;
    if (!is_fresh(timestamp, now_ms)) return ERR_UNAUTHORIZED;

    record_faults_init(&faults, arena);
    enum err err =
        record_decode(&telegram_gateway_delivery_record, body, false, arena, &delivery, &faults);
    if (err) return err;
    fill_report(&delivery, ret_report);
    return ERR_OK;
}
