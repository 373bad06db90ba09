/* Texts are compared character by character, with letters of one case; what is no letter and no
 * digit divides words. */
#include "domain/order/order_quote.h"

enum {
    WORDS_MAX = 4096, /* of an order: more than its texts can have */
    PART_MIN = 4,     /* letters from which on a word is looked for inside of others */
    WORD_MIN = 2,
    PHONE_DIGITS = 7, /* the end of a number that tells whose it is */
    PHONE_LEN_MAX = 40,
    TOKEN_MIN = 4,
};

#define MASK "***"

/* --- Characters ------------------------------------------------------------------------------- */

struct glyph {
    uint32_t folded; /* its code point, a letter in lower case */
    uint32_t offset; /* in the text */
};

/* A text of valid UTF-8, character by character; one more marks its end. */
struct glyphs {
    struct str text;
    const struct glyph *at;
    size_t count;
};

/* Takes the character off the front of `rest`. */
static uint32_t take_point(struct str *rest)
{
    const unsigned char *bytes = (const unsigned char *)rest->data;
    size_t len = bytes[0] < 0xC0 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    uint32_t point = len == 1 ? bytes[0] : bytes[0] & (0x7FU >> len);

    for (size_t i = 1; i < len && i < rest->len; i++)
        point = point << 6 | (bytes[i] & 0x3FU);
    if (len > rest->len) len = rest->len;
    rest->data += len;
    rest->len -= len;
    return point;
}

/* Latin and Russian. */
static uint32_t fold(uint32_t point)
{
    bool is_upper = (point >= 'A' && point <= 'Z') || (point >= 0x410 && point <= 0x42F);
    if (is_upper) return point + 0x20;
    return point == 0x401 ? 0x451 : point;
}

static struct glyphs read_glyphs(struct str text, struct arena *arena)
{
    struct glyph *glyphs = arena_array(arena, text.len + 1, sizeof(*glyphs));
    struct str rest = text;
    size_t count = 0;

    while (rest.len > 0) {
        glyphs[count].offset = (uint32_t)(text.len - rest.len);
        glyphs[count++].folded = fold(take_point(&rest));
    }
    glyphs[count].offset = (uint32_t)text.len;
    return (struct glyphs){text, glyphs, count};
}

static bool is_digit(uint32_t point)
{
    return point >= '0' && point <= '9';
}

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x2028 || point == 0x2029;
}

/* Of other alphabets all but the usual punctuation and blanks. */
static bool is_of_word(uint32_t point)
{
    bool is_punctuation = (point >= 0x2000 && point <= 0x206F) || point == 0x3000;
    return is_digit(point) || (point >= 'a' && point <= 'z') || (point > 0xBF && !is_punctuation);
}

static size_t measure_word(const struct glyphs *text, size_t begin)
{
    size_t end = begin;
    while (end < text->count && is_of_word(text->at[end].folded))
        end++;
    return end - begin;
}

static struct str source_of(const struct glyphs *text, size_t begin, size_t count)
{
    uint32_t from = text->at[begin].offset, to = text->at[begin + count].offset;
    return (struct str){text->text.data + from, to - from};
}

/* --- Clean ------------------------------------------------------------------------------------ */

static void put_clean(const struct glyphs *text, size_t index, struct buf *out)
{
    if (is_control(text->at[index].folded))
        buf_char(out, ' ');
    else
        buf_str(out, source_of(text, index, 1));
}

const char *order_clean(struct str text, size_t max, struct arena *arena)
{
    struct glyphs glyphs = read_glyphs(text, arena);
    AUTO_BUF out;

    buf_init(&out, text.len);
    for (size_t i = 0; i < glyphs.count && i < max; i++)
        put_clean(&glyphs, i, &out);
    return arena_str(arena, buf_view(&out));
}

/* --- What is personal ------------------------------------------------------------------------- */

struct word {
    const struct glyph *at;
    size_t count;
};

struct personal {
    struct word words[WORDS_MAX];
    size_t count;
    const char *phone; /* the last PHONE_DIGITS of its digits; NULL: it has fewer */
};

static void add_words(struct personal *personal, const char *text, struct arena *arena)
{
    struct glyphs glyphs = read_glyphs(str_of(text), arena);

    for (size_t i = 0; i < glyphs.count; i++) {
        size_t count = measure_word(&glyphs, i);
        if (count >= WORD_MIN && personal->count < WORDS_MAX)
            personal->words[personal->count++] = (struct word){glyphs.at + i, count};
        i += count;
    }
}

static const char *take_digits(struct str text, struct arena *arena)
{
    char *digits = arena_alloc(arena, text.len + 1);
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= '0' && text.data[i] <= '9') digits[count++] = text.data[i];
    }
    return digits;
}

static void add_phone(struct personal *personal, const char *phone, struct arena *arena)
{
    const char *digits = take_digits(str_of(phone), arena);
    size_t len = strlen(digits);

    if (len < PHONE_DIGITS) return;
    personal->phone = digits + len - PHONE_DIGITS;
    add_words(personal, personal->phone, arena);
}

static bool has_same(const struct glyph *text, const struct word *word)
{
    for (size_t i = 0; i < word->count; i++) {
        if (text[i].folded != word->at[i].folded) return false;
    }
    return true;
}

static bool holds(const struct glyph *text, size_t count, const struct word *word)
{
    if (word->count > count) return false;
    if (word->count < PART_MIN) return word->count == count && has_same(text, word);
    for (size_t i = 0; i + word->count <= count; i++) {
        if (has_same(text + i, word)) return true;
    }
    return false;
}

static bool is_personal(const struct personal *personal, const struct glyph *text, size_t count)
{
    for (size_t i = 0; i < personal->count; i++) {
        if (holds(text, count, &personal->words[i])) return true;
    }
    return false;
}

/* The length of a number in groups, such as "8 (916) 123-45-67", that is the phone's; else 0. */
static size_t measure_phone(const struct personal *personal, const struct glyphs *text,
                            size_t begin, struct arena *arena)
{
    static const char parts[] = "0123456789 ()-.+";
    size_t end = begin, last = begin;

    if (!personal->phone || !is_digit(text->at[begin].folded)) return 0;
    for (; end < text->count && end - begin < PHONE_LEN_MAX; end++) {
        uint32_t point = text->at[end].folded;
        if (point >= 0x80 || !strchr(parts, (int)point) || point == 0) break;
        if (is_digit(point)) last = end;
    }
    size_t count = last + 1 - begin;
    const char *digits = take_digits(source_of(text, begin, count), arena);
    return strstr(digits, personal->phone) ? count : 0;
}

/* --- Quote ------------------------------------------------------------------------------------ */

static struct str mask_token(struct str text, struct str token, struct arena *arena)
{
    AUTO_BUF out;

    buf_init(&out, text.len);
    if (token.len < TOKEN_MIN) return text;
    while (text.len > 0) {
        const char *found = memmem(text.data, text.len, token.data, token.len);
        size_t len = found ? (size_t)(found - text.data) : text.len;
        size_t taken = len + (found ? token.len : 0);
        buf_append(&out, text.data, len);
        if (found) buf_text(&out, MASK);
        text.data += taken;
        text.len -= taken;
    }
    return (struct str){arena_str(arena, buf_view(&out)), out.len};
}

/* The words until there is no room for the next one. */
static void put_words(const struct personal *personal, const struct glyphs *text, struct buf *out,
                      struct arena *arena)
{
    size_t used = 0, step;

    for (size_t i = 0; i < text->count; i += step) {
        size_t word = measure_word(text, i);
        size_t phone = measure_phone(personal, text, i, arena);
        step = phone > 0 ? phone : word > 0 ? word : 1;
        bool is_masked = phone > 0;
        if (!is_masked && word <= ORDER_REASON_MAX)
            is_masked = is_personal(personal, text->at + i, word);
        used += is_masked ? strlen(MASK) : step;
        if (used > ORDER_REASON_MAX) return;
        if (is_masked)
            buf_text(out, MASK);
        else if (word > 0)
            buf_str(out, source_of(text, i, word));
        else
            put_clean(text, i, out);
    }
}

const char *order_quote(const struct order *order, struct str token, struct str text,
                        struct arena *arena)
{
    struct personal *personal = ARENA_NEW(arena, struct personal);
    AUTO_BUF out;

    add_words(personal, order->customer->name, arena);
    add_words(personal, order->delivery->address, arena);
    add_words(personal, order->comment, arena);
    add_phone(personal, order->customer->phone, arena);
    struct glyphs glyphs = read_glyphs(mask_token(text, token, arena), arena);
    buf_init(&out, ORDER_REASON_MAX * 4);
    put_words(personal, &glyphs, &out, arena);
    struct str quote = str_trim(buf_view(&out));
    return quote.len > 0 ? arena_str(arena, quote) : NULL;
}
