/* A ring of sends and three indexes of chained buckets over it. */
#include "sends.h"

#include "kit/base/clock.h"
#include "sim/common/memory.h"

#include <ctype.h>
#include <stdio.h>

enum { BUCKET_COUNT = 1 << 18 };

struct sends {
    struct send *ring[SENDS_MAX];
    uint64_t count; /* ever added */
    int64_t next_number;
    struct send *buckets[SEND_KEY_COUNT][BUCKET_COUNT];
};

const char *const send_status_words[STATUS_COUNT + 1] = {
    [STATUS_PENDING] = "pending", [STATUS_DELIVERED] = "delivered",
    [STATUS_READ] = "read",       [STATUS_UNDELIVERED] = "undelivered",
    [STATUS_REVOKED] = "revoked", [STATUS_SILENT] = "silent",
};

/* ---- the indexes ---- */

static const char *key_text(const struct send *send, enum send_key key)
{
    switch (key) {
    case SEND_BY_ID:
        return send->id;
    case SEND_BY_RECIPIENT:
        return send->recipient;
    case SEND_BY_UNIQUE:
        return send->unique;
    case SEND_KEY_COUNT:
        break;
    }
    abort();
}

/* FNV-1a. */
static size_t bucket_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ (hash >> 32)) % BUCKET_COUNT;
}

static void link_send(struct sends *sends, struct send *send)
{
    for (int key = 0; key < SEND_KEY_COUNT; key++) {
        const char *text = key_text(send, key);
        if (!*text) continue;
        struct send **head = &sends->buckets[key][bucket_of(text)];
        send->next[key] = *head;
        *head = send;
    }
}

static void unlink_send(struct sends *sends, struct send *send)
{
    for (int key = 0; key < SEND_KEY_COUNT; key++) {
        const char *text = key_text(send, key);
        if (!*text) continue;
        struct send **at = &sends->buckets[key][bucket_of(text)];
        while (*at != send)
            at = &(*at)->next[key];
        *at = send->next[key];
    }
}

static void free_send(struct send *send)
{
    if (!send) return;
    free(send->callback_url);
    free(send->payload);
    free(send);
}

/* ---- the store ---- */

struct sends *sends_new(void)
{
    struct sends *sends = memory_new(sizeof(*sends));

    sends->next_number = clock_now_ms();
    return sends;
}

void sends_clear(struct sends *sends)
{
    for (size_t i = 0; i < SENDS_MAX; i++) {
        free_send(sends->ring[i]);
        sends->ring[i] = NULL;
    }
    memset(sends->buckets, 0, sizeof(sends->buckets));
    sends->count = 0;
}

void sends_free(struct sends *sends)
{
    if (!sends) return;
    sends_clear(sends);
    free(sends);
}

int64_t sends_next_number(struct sends *sends)
{
    return sends->next_number++;
}

struct send *sends_add(struct sends *sends, const struct provider *provider, const char *id,
                       const char *recipient, const char *unique)
{
    struct send **slot = &sends->ring[sends->count++ % SENDS_MAX];

    if (*slot) unlink_send(sends, *slot);
    free_send(*slot);
    struct send *send = memory_new(sizeof(*send));
    *slot = send;
    send->provider = provider;
    snprintf(send->id, sizeof(send->id), "%s", id);
    snprintf(send->recipient, sizeof(send->recipient), "%s", recipient);
    snprintf(send->unique, sizeof(send->unique), "%s", unique ? unique : "");
    link_send(sends, send);
    return send;
}

struct send *sends_find(const struct sends *sends, enum send_key key,
                        const struct provider *provider, const char *text)
{
    struct send *send = sends->buckets[key][bucket_of(text)];

    while (send) {
        bool is_same = strcmp(key_text(send, key), text) == 0;
        if (is_same && (!provider || send->provider == provider)) return send;
        send = send->next[key];
    }
    return NULL;
}

const struct send *sends_recent(const struct sends *sends, uint64_t back)
{
    if (back >= sends->count || back >= SENDS_MAX) return NULL;
    return sends->ring[(sends->count - 1 - back) % SENDS_MAX];
}

enum send_status send_status(const struct send *send, int64_t now_ms)
{
    return now_ms >= send->changed_ms ? send->status : STATUS_PENDING;
}

/* ---- recipients ---- */

/* The digits of a number, without what people put between them; 0 if it is no number. */
static size_t take_digits(const char *text, char *digits, size_t max)
{
    size_t len = 0;

    for (; *text; text++) {
        if (strchr(" +-()", *text)) continue;
        if (!isdigit((unsigned char)*text) || len == max) return 0;
        digits[len++] = *text;
    }
    return len;
}

void recipient_normalize(const char *text, char ret_recipient[static SEND_TEXT_MAX + 1])
{
    char digits[11];
    size_t len = take_digits(text, digits, sizeof(digits));
    bool is_phone = len == 11 && (digits[0] == '7' || digits[0] == '8');

    if (is_phone)
        snprintf(ret_recipient, SEND_TEXT_MAX + 1, "+7%.10s", digits + 1);
    else
        snprintf(ret_recipient, SEND_TEXT_MAX + 1, "%s", text);
}
