/* The digits are those of Unicode. Of what is no letter the blocks do: whoever hides what people
 * write need not know each sign of them. */
#include "kit/base/glyph.h"

#include <stddef.h>

struct digit_range {
    uint32_t first, last;
    int digit; /* that the first one is; the others follow */
};

static const struct digit_range digits[] = {
#include "kit/base/glyph.def"
#include "kit/base/macros.h"
};
enum { DIGIT_RANGES = COUNT_OF(digits) };

static const struct {
    uint32_t first, last;
} no_letters[] = {
    {0x0080, 0x00A9}, /* controls and punctuation of Latin 1, */
    {0x00AB, 0x00B4}, /* between its letters */
    {0x00B6, 0x00B9},    {0x00BB, 0x00BF},   {0x00D7, 0x00D7},
    {0x00F7, 0x00F7},    {0x0300, 0x036F}, /* combining marks */
    {0x2000, 0x20CF},                      /* punctuation, blanks, what is invisible, money */
    {0x20D0, 0x20FF},                      /* keycaps and other marks around */
    {0x2190, 0x2BFF},                      /* arrows, boxes, symbols */
    {0x2E00, 0x2E7F},                      /* more punctuation */
    {0x3000, 0x303F},                      /* that of East Asia */
    {0xFE00, 0xFE6F},                      /* variants and small forms */
    {0xFEFF, 0xFF0F},                      /* full-width punctuation */
    {0xFF1A, 0xFF20},    {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},
    {0xFFE0, 0xFFFF},    {0x1F000, 0x1FAFF}, /* pictures */
    {0xE0000, 0x10FFFF},
};

int glyph_digit(uint32_t point)
{
    size_t low = 0, high = DIGIT_RANGES;

    if (point < 0x80) return point >= '0' && point <= '9' ? (int)(point - '0') : -1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (digits[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == DIGIT_RANGES || point < digits[low].first) return -1;
    return digits[low].digit + (int)(point - digits[low].first);
}

bool glyph_is_letter(uint32_t point)
{
    if (point < 0x80) return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
    for (size_t i = 0; i < COUNT_OF(no_letters); i++) {
        if (point >= no_letters[i].first && point <= no_letters[i].last) return false;
    }
    return glyph_digit(point) < 0;
}
