/*
 * Texts of others in the log. Whatever stands in one, its mask fits where the log puts it, and a
 * text with nothing to hide is copied. Then what is no letter and no digit of the input is put
 * between the digits of a number, which nobody may be able to read any more.
 */
#include "kit/base/glyph.h"
#include "kit/base/mask.h"

#include <stdio.h>
#include <stdlib.h>

static const char number[] = "89161234567";

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void mask(struct str text, bool hides_numbers, struct buf *out)
{
    buf_init(out, MASK_GROWTH * text.len + MASK_LEN_MAX);
    mask_text(text, hides_numbers, out);
    require(!out->is_full, "more than there is room for");
    if (mask_may_hide(text, hides_numbers)) return;
    require(out->len == text.len, "of another length");
    require(text.len == 0 || memcmp(out->data, text.data, text.len) == 0, "another text");
}

/* Pieces of the input, in turn, behind each digit. */
static void dress(struct str input, struct buf *out)
{
    const char *digit = number;

    buf_char(out, *digit++);
    while (input.len > 0 && *digit) {
        const char *begin = input.data;
        struct glyph glyph = glyph_take(&input);
        if (glyph.digit >= 0 || glyph.kind == GLYPH_LETTER)
            buf_char(out, *digit++);
        else
            buf_append(out, begin, (size_t)(input.data - begin));
    }
    buf_text(out, digit);
}

static void require_hidden(struct str text)
{
    AUTO_BUF digits = {0};

    buf_init(&digits, text.len);
    while (text.len > 0) {
        struct glyph glyph = glyph_take(&text);
        if (glyph.digit >= 0) buf_char(&digits, (char)('0' + glyph.digit));
    }
    require(digits.len == 0 || !memmem(digits.data, digits.len, number + 1, sizeof(number) - 2),
            "the number is readable");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = {(const char *)data, size};
    AUTO_BUF all = {0}, secrets = {0}, dressed = {0}, masked = {0};

    mask(input, true, &all);
    mask(input, false, &secrets);
    buf_init(&dressed, size + sizeof(number));
    dress(input, &dressed);
    mask(buf_view(&dressed), true, &masked);
    require_hidden(buf_view(&masked));
    return 0;
}
