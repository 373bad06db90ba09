/*
 * A UUID of version 7 (RFC 9562) has 48 bits of milliseconds, then a counter in the 12 bits of
 * rand_a and the top of rand_b, so that ids of one process grow also within a millisecond.
 */
#include "kit/base/uuid.h"

#include "kit/base/secret.h"

#include <stdatomic.h>

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

struct uuid uuid_new(int64_t now_ms)
{
    struct uuid id;
    uint64_t tick = (uint64_t)uuid_tick(now_ms);
    uint64_t ms = tick >> 16;
    unsigned sequence = (unsigned)(tick & 0xFFFF);

    random_bytes(id.bytes, sizeof(id.bytes));
    for (int i = 0; i < 6; i++)
        id.bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
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

    for (int i = 0; i < 6; i++)
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
    int nibble = 0;

    for (int i = 0; i < UUID_TEXT_LEN; i++) {
        if (is_hyphen_place(i)) {
            ret_text[i] = '-';
            continue;
        }
        uint8_t byte = id->bytes[nibble / 2];
        ret_text[i] = digits[nibble % 2 == 0 ? byte >> 4 : byte & 0xF];
        nibble++;
    }
    ret_text[UUID_TEXT_LEN] = '\0';
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
