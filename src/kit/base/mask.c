/*
 * Numbers are found by what people write between their digits. A text that cannot hold one, as
 * nearly all do, costs one look at its bytes.
 */
#include "kit/base/mask.h"

#include "kit/base/glyph.h"
#include "kit/base/uuid.h"

#include <assert.h>
#include <sodium.h>

enum {
    DIGITS_MIN = 10,     /* of a number in a text */
    DIGITS_MIN_PLUS = 7, /* the same behind a plus sign */
    DIGITS_MAX = 15,     /* of E.164 */
    DIGITS_KEPT = 32,    /* of what is more than a number */
    DIGITS_HIDDEN = 3,
    SHOWN_MAX = 4,  /* at each end */
    JOINTS_MAX = 3, /* between two digits, in a row */
    MARK_LEN = 4,
};

static_assert(MASK_KEY_LEN == crypto_shorthash_KEYBYTES, "key");

/* Set once at the start, as the level of the log. */
static struct {
    uint8_t key[MASK_KEY_LEN];
    bool is_set;
} marks;

void mask_set_key(const uint8_t key[static MASK_KEY_LEN])
{
    memcpy(marks.key, key, MASK_KEY_LEN);
    marks.is_set = true;
}

/* --- What a number is ------------------------------------------------------------------------- */

struct number {
    char digits[DIGITS_KEPT];
    size_t count; /* of all, also of those that were not kept */
    size_t len;   /* in bytes, up to its last digit */
    bool has_plus;
};

/* Blanks, hyphens, points, brackets and what is invisible, of ASCII and beyond. */
static bool is_joint(uint32_t point)
{
    if (point < 0x80) return point && strchr(" -.()/_", (int)point);
    return point == 0xA0 || point == 0xAD || (point >= 0x2000 && point <= 0x206F) ||
           point == 0x2212 || point == 0x3000 || point == 0xFEFF || point == 0xFF08 ||
           point == 0xFF09 || point == 0xFF0D || point == 0xFF0E;
}

static void add_digit(struct number *number, int digit)
{
    if (number->count < DIGITS_KEPT) number->digits[number->count] = (char)('0' + digit);
    number->count++;
}

/* Whether what follows behind a joint is not of it any more: so many digits in a row are a number,
 * and one that begins with 7 or 8 has 11. */
static bool is_whole(const struct number *number, size_t run)
{
    bool is_russian = number->digits[0] == '7' || number->digits[0] == '8';
    return run >= DIGITS_MIN || (is_russian && number->count == 11);
}

/* What stands at the front of a text that is not empty, if it begins with a digit or a plus. */
static void read_number(struct str text, struct number *ret_number)
{
    struct number number = {0};
    struct str rest = text;
    size_t joints = 0, run = 0;

    while (rest.len > 0 && joints <= JOINTS_MAX) {
        uint32_t point = utf8_take(&rest);
        int digit = glyph_digit(point);
        bool is_plus = number.count == 0 && (point == '+' || point == 0xFF0B);
        number.has_plus |= is_plus;
        joints = digit < 0 ? joints + 1 : 0;
        if (digit < 0 && (is_whole(&number, run) || (!is_plus && !is_joint(point)))) break;
        run = digit < 0 ? 0 : run + 1;
        if (digit < 0) continue;
        add_digit(&number, digit);
        number.len = text.len - rest.len;
    }
    *ret_number = number;
}

static bool is_found(const struct number *number)
{
    return number->count >= (number->has_plus ? DIGITS_MIN_PLUS : DIGITS_MIN);
}

/* One number is one number, however it was written: 8 and ten digits, or those alone, are +7. */
static void settle(struct number *number)
{
    if (number->has_plus) return;
    if (number->count == 11 && number->digits[0] == '8') number->digits[0] = '7';
    if (number->count != 10) return;
    memmove(number->digits + 1, number->digits, 10);
    number->digits[0] = '7';
    number->count++;
}

/* --- What is shown of it ---------------------------------------------------------------------- */

static void put_mark(struct str text, struct buf *out)
{
    static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
    uint8_t hash[crypto_shorthash_BYTES];

    if (!marks.is_set) return;
    crypto_shorthash(hash, (const uint8_t *)text.data, text.len, marks.key);
    buf_text(out, " #");
    for (int i = 0; i < MARK_LEN; i++)
        buf_char(out, letters[hash[i] % (sizeof(letters) - 1)]);
}

static void put_number(struct number *number, struct buf *out)
{
    settle(number);
    size_t kept = number->count < DIGITS_KEPT ? number->count : DIGITS_KEPT;
    if (number->count >= DIGITS_MIN_PLUS && number->count <= DIGITS_MAX) {
        size_t shown = kept - DIGITS_HIDDEN;
        size_t tail = shown / 2 < SHOWN_MAX ? shown / 2 : SHOWN_MAX;
        size_t head = shown - tail < SHOWN_MAX ? shown - tail : SHOWN_MAX;
        buf_char(out, '+');
        buf_append(out, number->digits, head);
        buf_text(out, "***");
        buf_append(out, number->digits + kept - tail, tail);
    } else {
        buf_text(out, "***");
    }
    put_mark((struct str){number->digits, kept}, out);
}

/* The mark of what is no number but has the digits of one is that of the number. */
static void put_hidden(struct str text, struct buf *out)
{
    struct number number = {0};

    for (struct str rest = text; rest.len > 0;) {
        int digit = glyph_digit(utf8_take(&rest));
        if (digit >= 0) add_digit(&number, digit);
    }
    settle(&number);
    bool is_like_one = number.count >= DIGITS_MIN_PLUS && number.count <= DIGITS_KEPT;
    buf_text(out, "***");
    put_mark(is_like_one ? (struct str){number.digits, number.count} : text, out);
}

void mask_number(struct str text, struct buf *out)
{
    struct number number = {0};

    if (text.len > 0) read_number(text, &number);
    if (number.len == text.len && number.count >= DIGITS_MIN_PLUS)
        put_number(&number, out);
    else
        put_hidden(text, out);
}

/* --- Texts ------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Four numbers of up to 255, with points between; 0: it is none. */
static size_t measure_address(struct str text)
{
    size_t at = 0;

    for (int part = 0; part < 4; part++) {
        unsigned value = 0;
        if (part > 0 && (at == text.len || text.data[at++] != '.')) return 0;
        size_t begin = at;
        while (at < text.len && is_digit(text.data[at]) && at - begin < 4)
            value = value * 10 + (unsigned)(text.data[at++] - '0');
        if (at == begin || value > 255) return 0;
    }
    bool goes_on = at + 1 < text.len && text.data[at] == '.' && is_digit(text.data[at + 1]);
    return goes_on ? 0 : at;
}

/* One that programs make: it says its version and variant. */
static bool is_uuid(struct str text)
{
    struct uuid id;

    if (text.len < UUID_TEXT_LEN || text.data[14] < '1' || text.data[14] > '8') return false;
    return strchr("89abAB", text.data[19]) && text.data[19] &&
           uuid_parse((struct str){text.data, UUID_TEXT_LEN}, &id);
}

/* Whether so many digits may stand in it, of whatever script. */
bool mask_may_hold_number(struct str text)
{
    size_t count = 0;

    if (text.len == UUID_TEXT_LEN && is_uuid(text)) return false;
    for (size_t i = 0; i < text.len; i++)
        count += is_digit(text.data[i]) || (text.data[i] & 0x80);
    return count >= DIGITS_MIN_PLUS;
}

/* Where in a number a UUID begins, whose digits it would take, as in "order-42-" and a UUID; 0:
 * nowhere. */
static size_t find_uuid(struct str text, size_t len)
{
    for (size_t i = 1; i < len; i++) {
        if (text.data[i - 1] == '-' && is_uuid((struct str){text.data + i, text.len - i})) return i;
    }
    return 0;
}

/* How many bytes stand at the front that are no number; 0: a number, which is read. */
static size_t measure_plain(struct str text, struct number *ret_number)
{
    struct str rest = text;

    if (is_uuid(text)) return UUID_TEXT_LEN;
    size_t address = is_digit(text.data[0]) ? measure_address(text) : 0;
    if (address > 0) return address;
    uint32_t point = utf8_take(&rest);
    bool may_begin = glyph_digit(point) >= 0 || point == '+' || point == 0xFF0B;
    if (may_begin) read_number(text, ret_number);
    if (!may_begin || !is_found(ret_number)) return text.len - rest.len;
    return find_uuid(text, ret_number->len);
}

void mask_text(struct str text, struct buf *out)
{
    while (text.len > 0) {
        struct number number = {0};
        size_t len = measure_plain(text, &number);
        if (len > 0) {
            buf_append(out, text.data, len);
        } else {
            len = number.len;
            put_number(&number, out);
        }
        text = (struct str){text.data + len, text.len - len};
    }
}
