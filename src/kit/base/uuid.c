/*
 * A UUID of version 7 (RFC 9562) has 48 bits of milliseconds, then a counter in the 12 bits of
 * rand_a and the top of rand_b, so that ids of one process grow also within a millisecond.
 */
#include "kit/base/uuid.h"

#include "kit/base/secret.h"

#include <stdatomic.h>
#include <string.h>

/* The last tick that was given. It is shared, since ids are ordered between threads. */
static _Atomic uint64_t last_tick;

int64_t uuid_tick(int64_t now_ms)
{
    uint64_t now = (uint64_t)now_ms << 16;
    uint64_t last = atomic_load_explicit(&last_tick, memory_order_relaxed);
    uint64_t next;

    do {
        next = now > last ? now : last + 1;
    } while (!atomic_compare_exchange_weak_explicit(&last_tick, &last, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    return (int64_t)next;
}

enum { TIME_BYTES = 6 };

static void put_time(struct uuid *id, uint64_t ms)
{
    for (int i = 0; i < TIME_BYTES; i++)
        id->bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
}

struct uuid uuid_at(int64_t time_ms)
{
    struct uuid id = {{0}};
    put_time(&id, time_ms > 0 ? (uint64_t)time_ms : 0);
    return id;
}

enum { TAIL_BYTES = 8, TAILS = 32 };

/* Ids are unique, not secret: so what one system call gives serves several of a thread. */
static void put_random_tail(struct uuid *id)
{
    static _Thread_local uint8_t tails[TAILS][TAIL_BYTES];
    static _Thread_local unsigned left;

    if (left == 0) {
        random_bytes(tails, sizeof(tails));
        left = TAILS;
    }
    memcpy(id->bytes + sizeof(id->bytes) - TAIL_BYTES, tails[--left], TAIL_BYTES);
}

struct uuid uuid_new(int64_t now_ms)
{
    struct uuid id;
    uint64_t tick = (uint64_t)uuid_tick(now_ms);
    uint64_t ms = tick >> 16;
    unsigned sequence = (unsigned)(tick & 0xFFFF);

    put_time(&id, ms);
    put_random_tail(&id);
    id.bytes[6] = (uint8_t)(0x70 | (sequence >> 12));
    id.bytes[7] = (uint8_t)(sequence >> 4);
    id.bytes[8] = (uint8_t)(0x80 | ((sequence & 0xF) << 2) | (id.bytes[8] & 3));
    return id;
}

void uuid_start_after(const struct uuid *id, int64_t now_ms)
{
    enum { AHEAD_MAX_MS = 24 * 3600 * 1000 };
    const uint8_t *b = id->bytes;
    uint64_t ms = 0;

    for (int i = 0; i < TIME_BYTES; i++)
        ms = ms << 8 | b[i];
    if (b[6] >> 4 != 7 || ms > (uint64_t)(now_ms + AHEAD_MAX_MS)) return;
    uint64_t tick = ms << 16 | (b[6] & 0xFu) << 12 | (unsigned)b[7] << 4 | (b[8] >> 2 & 0xFu);
    uint64_t last = atomic_load_explicit(&last_tick, memory_order_relaxed);
    while (last < tick &&
           !atomic_compare_exchange_weak_explicit(&last_tick, &last, tick, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

static bool is_hyphen_place(int i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void uuid_format(const struct uuid *id, char ret_text[static UUID_TEXT_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    char *at = ret_text;

    for (size_t i = 0; i < sizeof(id->bytes); i++) {
        if (is_hyphen_place((int)(at - ret_text))) *at++ = '-';
        *at++ = digits[id->bytes[i] >> 4];
        *at++ = digits[id->bytes[i] & 0xF];
    }
    *at = '\0';
}

const char *uuid_text(const struct uuid *id, struct arena *arena)
{
    char *text = arena_alloc(arena, UUID_TEXT_LEN + 1);
    uuid_format(id, text);
    return text;
}

bool uuid_parse(struct str text, struct uuid *ret_id)
{
    struct uuid id = {{0}};
    int nibble = 0;

    if (text.len != UUID_TEXT_LEN) return false;
    for (int i = 0; i < UUID_TEXT_LEN; i++) {
        if (is_hyphen_place(i)) {
            if (text.data[i] != '-') return false;
            continue;
        }
        int value = str_hex_value(text.data[i]);
        if (value < 0) return false;
        id.bytes[nibble / 2] = (uint8_t)(id.bytes[nibble / 2] << 4 | value);
        nibble++;
    }
    *ret_id = id;
    return true;
}

bool uuid_is_nil(const struct uuid *id)
{
    static const struct uuid nil;
    return uuid_equal(id, &nil);
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}
