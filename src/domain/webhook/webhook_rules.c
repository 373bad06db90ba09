/* Standard Webhooks 1.0: how a delivery is signed and what an answer means. Answers are foreign
 * bytes: nothing but their status and a few safe characters is kept. */
#include "domain/webhook/webhook_rules.h"

#include "kit/base/macros.h"
#include "kit/base/mask.h"
#include "kit/fetch/fetch.h"

#include <ctype.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

enum {
    VARIANT = sodium_base64_VARIANT_ORIGINAL,
    SECRET_TEXT_LEN = 44,
    MAC_TEXT_LEN = 44,
    MINUTE_S = 60,
    HOUR_S = 3600,
    RETRY_AFTER_MAX_S = 24 * HOUR_S,
    JITTER_PERCENT = 20,
    SECRET_LIKE_LEN = 40, /* a secret has 43 characters without its padding; ids are shorter */
};
static_assert(crypto_auth_hmacsha256_BYTES == 32, "as long as base64 makes of it");

const char *webhook_new_secret(struct arena *arena)
{
    uint8_t bytes[WEBHOOK_SECRET_LEN];
    char text[SECRET_TEXT_LEN + 1];

    random_bytes(bytes, sizeof(bytes));
    sodium_bin2base64(text, sizeof(text), bytes, sizeof(bytes), VARIANT);
    secret_wipe(bytes, sizeof(bytes));
    const char *secret = arena_printf(arena, WEBHOOK_SECRET_PREFIX "%s", text);
    secret_wipe(text, sizeof(text));
    return secret;
}

static bool read_secret(const char *secret, uint8_t ret_bytes[static WEBHOOK_SECRET_LEN])
{
    size_t skipped = strlen(WEBHOOK_SECRET_PREFIX), len = 0;

    if (strncmp(secret, WEBHOOK_SECRET_PREFIX, skipped) != 0) return false;
    return sodium_base642bin(ret_bytes, WEBHOOK_SECRET_LEN, secret + skipped,
                             strlen(secret) - skipped, NULL, &len, NULL, VARIANT) == 0 &&
           len == WEBHOOK_SECRET_LEN;
}

const char *webhook_sign(const char *secret, const char *id, int64_t timestamp_s, struct str body,
                         struct arena *arena)
{
    uint8_t key[WEBHOOK_SECRET_LEN], mac[crypto_auth_hmacsha256_BYTES];
    const char *head = arena_printf(arena, "%s.%" PRId64 ".", id, timestamp_s);
    crypto_auth_hmacsha256_state state;
    char text[MAC_TEXT_LEN + 1];

    if (!read_secret(secret, key)) return NULL;
    crypto_auth_hmacsha256_init(&state, key, sizeof(key));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)head, strlen(head));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body.data, body.len);
    crypto_auth_hmacsha256_final(&state, mac);
    secret_wipe(key, sizeof(key));
    sodium_bin2base64(text, sizeof(text), mac, sizeof(mac), VARIANT);
    return arena_printf(arena, "v1,%s", text);
}

enum webhook_outcome webhook_read_outcome(const struct fetch *fetch)
{
    if (fetch->end == FETCH_CANCELED) return WEBHOOK_UNSENT;
    if (fetch->end != FETCH_ANSWERED) return WEBHOOK_RETRY;
    if (fetch->status >= 200 && fetch->status <= 299) return WEBHOOK_OK;
    return fetch->status == 410 ? WEBHOOK_GONE : WEBHOOK_RETRY;
}

int64_t webhook_wait_ms(int64_t attempt, int64_t told_ms, uint32_t random)
{
    static const int waits_s[WEBHOOK_ATTEMPTS_MAX - 1] = {
        5,           5 * MINUTE_S, 30 * MINUTE_S, 2 * HOUR_S,  5 * HOUR_S,
        10 * HOUR_S, 14 * HOUR_S,  20 * HOUR_S,   24 * HOUR_S,
    };

    if (attempt < 1 || attempt >= WEBHOOK_ATTEMPTS_MAX) return -1;
    int64_t wait_ms = INT64_C(1000) * waits_s[attempt - 1];
    wait_ms += wait_ms * JITTER_PERCENT / 100 * random / 1000; /* later, never sooner */
    if (told_ms > INT64_C(1000) * RETRY_AFTER_MAX_S) told_ms = INT64_C(1000) * RETRY_AFTER_MAX_S;
    return told_ms > wait_ms ? told_ms : wait_ms;
}

/* Returns how long the word is that begins there, of the characters of base64. */
static size_t word_len(struct str text)
{
    size_t len = 0;

    while (len < text.len && text.data[len] != '\0' &&
           (isalnum((unsigned char)text.data[len]) || strchr("+/_-", text.data[len])))
        len++;
    return len;
}

static void show(char *text, size_t *len, char c)
{
    if (*len < WEBHOOK_ANSWER_MAX) text[(*len)++] = c >= ' ' && c <= '~' ? c : ' ';
}

/* A receiver may send back its secret, or what it was sent. */
const char *webhook_show_answer(struct str body, struct arena *arena)
{
    char *text = arena_alloc(arena, WEBHOOK_ANSWER_MAX + 1);
    size_t len = 0;

    for (size_t i = 0; i < body.len && len < WEBHOOK_ANSWER_MAX;) {
        size_t word = word_len(str_behind(body, i));
        bool is_hidden = word >= SECRET_LIKE_LEN;
        for (size_t k = 0; k < (is_hidden ? 3 : word); k++)
            show(text, &len, is_hidden ? '*' : body.data[i + k]);
        if (word == 0) show(text, &len, body.data[i++]);
        i += word;
    }
    text[len] = '\0';
    return mask_text(mask_words, text, arena);
}
