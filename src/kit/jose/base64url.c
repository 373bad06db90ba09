/* libsodium refuses padding and unused bits that are set, as JOSE demands, but takes bytes beyond
 * ASCII for characters (1.0.18), which is checked here. */
#include "kit/jose/base64url.h"

#include <sodium.h>

enum { VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

size_t base64url_length(size_t len)
{
    return sodium_base64_encoded_len(len, VARIANT) - 1; /* it counts the NUL */
}

void base64url_encode(struct str bytes, char *ret_text)
{
    sodium_bin2base64(ret_text, base64url_length(bytes.len) + 1, (const uint8_t *)bytes.data,
                      bytes.len, VARIANT);
}

static bool is_ascii(struct str text)
{
    unsigned char all = 0;

    for (size_t i = 0; i < text.len; i++)
        all |= (unsigned char)text.data[i];
    return all < 0x80;
}

/* Returns false also for more than `max` bytes. */
static bool decode(struct str text, size_t max, uint8_t *ret_bytes, size_t *ret_len)
{
    if (!is_ascii(text)) return false;
    return sodium_base642bin(ret_bytes, max, text.data, text.len, NULL, ret_len, NULL, VARIANT) ==
           0;
}

bool base64url_decode(struct str text, struct arena *arena, struct str *ret_bytes)
{
    size_t max = text.len / 4 * 3 + 2, len;
    char *bytes = arena_alloc(arena, max + 1);

    if (!decode(text, max, (uint8_t *)bytes, &len)) return false;
    *ret_bytes = (struct str){bytes, len};
    return true;
}

bool base64url_decode_exactly(struct str text, size_t len, uint8_t *ret_bytes)
{
    size_t decoded;
    return decode(text, len, ret_bytes, &decoded) && decoded == len;
}
