/* SplitMix64: a counter and a mixer of 64 bits. */
#include "chance.h"

#include <assert.h>

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31);
}

struct chance chance_of(uint64_t seed, uint64_t purpose, uint64_t index)
{
    return (struct chance){mix(mix(mix(seed + 1) + purpose) + index)};
}

uint64_t chance_next(struct chance *chance)
{
    chance->state += 0x9E3779B97F4A7C15ULL;
    return mix(chance->state);
}

uint32_t chance_below(struct chance *chance, uint32_t bound)
{
    assert(bound > 0);
    return (uint32_t)(((chance_next(chance) >> 32) * bound) >> 32);
}

bool chance_once_in(struct chance *chance, uint32_t count)
{
    return chance_below(chance, count) == 0;
}

void chance_guid(struct chance *chance, char ret_text[static UUID_TEXT_LEN + 1])
{
    struct uuid id;

    for (size_t i = 0; i < sizeof(id.bytes); i += 8) {
        uint64_t bits = chance_next(chance);
        memcpy(id.bytes + i, &bits, 8);
    }
    id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0F) | 0x40);
    id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3F) | 0x80);
    uuid_format(&id, ret_text);
}
