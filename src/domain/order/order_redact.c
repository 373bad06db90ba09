/* Texts are compared character by character, with letters of one case and digits of one script;
 * what is no letter and no digit divides words. */
#include "domain/order/order_redact.h"

#include "kit/base/fold.h"
#include "kit/base/glyph.h"

enum {
    WORDS_MAX = 4096, /* of an order: more than its texts can have */
    PART_MIN = 4,     /* letters from which on a word is looked for inside of others */
    WORD_MIN = 2,
    PHONE_DIGITS = 6,     /* in a row, of a number, tell whose it is */
    PHONE_DIGITS_MIN = 4, /* a shorter one is no number */
    PHONE_LEN_MAX = 40,
    TOKEN_MIN = 4,
    SPACED_WORD_MAX = 2, /* letters of a piece of a word that is spaced out */
    SPACED_GAP_MAX = 3,  /* characters between two of them */
    SPACED_LEN_MAX = 64, /* letters of them all */
};

#define MASK    "***"
#define ESCAPED "a text with escapes, which is not kept"

/* --- Characters ------------------------------------------------------------------------------- */

struct glyph {
    uint32_t folded; /* its code point, a letter without its case, a digit as in ASCII */
    uint32_t offset; /* in the text */
};

/* A text of valid UTF-8, character by character; one more marks its end. */
struct glyphs {
    struct str text;
    const struct glyph *at;
    size_t count;
};

/* ERPs often write е for ё, and some write ASCII in full width. */
static uint32_t letter_of(uint32_t point)
{
    int digit = glyph_digit(point);
    if (digit >= 0) return '0' + (uint32_t)digit;
    if (point > 0xFF00 && point < 0xFF5F) point -= 0xFF00 - 0x20;
    uint32_t folded = fold_point(point);
    return folded == 0x451 ? 0x435 : folded;
}

static struct glyphs read_glyphs(struct str text, struct arena *arena)
{
    struct glyph *glyphs = arena_array(arena, text.len + 1, sizeof(*glyphs));
    struct str rest = text;
    size_t count = 0;

    while (rest.len > 0) {
        glyphs[count].offset = (uint32_t)(text.len - rest.len);
        glyphs[count++].folded = letter_of(utf8_take(&rest));
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

static bool is_of_word(uint32_t point)
{
    return is_digit(point) || glyph_is_letter(point);
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
    AUTO_BUF out = {0};

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
    const char *phone;   /* its digits; NULL: too few */
    size_t phone_digits; /* so many of them in a row are personal */
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

    while (text.len > 0) {
        int digit = glyph_digit(utf8_take(&text));
        if (digit >= 0) digits[count++] = (char)('0' + digit);
    }
    return digits;
}

static void add_phone(struct personal *personal, const char *phone, struct arena *arena)
{
    const char *digits = take_digits(str_of(phone), arena);
    size_t len = strlen(digits), some = len < PHONE_DIGITS ? len : PHONE_DIGITS;

    if (len < PHONE_DIGITS_MIN) return;
    personal->phone = digits;
    personal->phone_digits = some;
    for (size_t i = 0; i + some <= len; i++)
        add_words(personal, arena_str(arena, (struct str){digits + i, some}), arena);
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

static bool holds_phone(const struct personal *personal, struct str digits)
{
    size_t some = personal->phone_digits;

    for (const char *part = personal->phone; strlen(part) >= some; part++) {
        if (memmem(digits.data, digits.len, part, some)) return true;
    }
    return false;
}

/* Behind the letters of a word, as in "tel8 916 1234567". */
static size_t find_number(const struct glyphs *text, size_t begin)
{
    size_t at = begin + measure_word(text, begin);
    while (at > begin && is_digit(text->at[at - 1].folded))
        at--;
    return at;
}

/* The length, from `begin` on, of a number in groups that is the phone's, such as
 * "8 (916) 123-45-67"; else 0. Between groups may stand whatever is no letter. */
static size_t measure_phone(const struct personal *personal, const struct glyphs *text,
                            size_t begin, struct arena *arena)
{
    size_t first = find_number(text, begin), end = first, last = first;

    if (!personal->phone || !is_digit(text->at[first].folded)) return 0;
    for (; end < text->count && end - first < PHONE_LEN_MAX; end++) {
        uint32_t point = text->at[end].folded;
        if (is_digit(point))
            last = end;
        else if (is_of_word(point))
            break;
    }
    const char *digits = take_digits(source_of(text, first, last + 1 - first), arena);
    return holds_phone(personal, str_of(digits)) ? last + 1 - begin : 0;
}

/* The length, from `begin` on, of a word that is personal and spaced out, as "K a r e n" or
 * "Ka-re-n"; else 0. Its first piece has to be there: "is K a r e n" begins with another word. */
static size_t measure_spaced(const struct personal *personal, const struct glyphs *text,
                             size_t begin)
{
    struct glyph letters[SPACED_LEN_MAX];
    size_t count = 0, first = 0, at = begin, gap = 0;

    while (at < text->count && gap <= SPACED_GAP_MAX) {
        size_t word = measure_word(text, at);
        if (word > SPACED_WORD_MAX || count + word > SPACED_LEN_MAX) return 0;
        gap = word > 0 ? 0 : gap + 1;
        at += word > 0 ? word : 1;
        if (word == 0) continue;
        memcpy(letters + count, text->at + at - word, word * sizeof(*letters));
        count += word;
        first = first > 0 ? first : word;
        if (count == first || !is_personal(personal, letters, count)) continue;
        return is_personal(personal, letters + first, count - first) ? 0 : at - begin;
    }
    return 0;
}

/* --- Escapes ---------------------------------------------------------------------------------- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* JSON and most languages; URLs; quoted-printable; HTML. What they stand for, and how often they
 * are to be read, only the ERP knows. */
static bool is_escape(struct str rest)
{
    bool is_of_byte = rest.len >= 3 && is_hex(rest.data[1]) && is_hex(rest.data[2]);
    char next = rest.len >= 2 ? rest.data[1] : ' ';

    switch (rest.data[0]) {
    case '\\':
        return strchr("uUxX/01234567", next);
    case '%':
        return is_of_byte;
    case '=':
        return is_of_byte && rest.len >= 4 && rest.data[3] == '=';
    case '&':
        return next == '#';
    default:
        return false;
    }
}

/* A mark above the letter before it makes another letter of it. */
static bool is_combining(uint32_t point)
{
    return point >= 0x300 && point <= 0x36F;
}

static bool has_escapes(const struct glyphs *text)
{
    for (size_t i = 0; i < text->count; i++) {
        if (is_combining(text->at[i].folded)) return true;
        if (is_escape(source_of(text, i, text->count - i))) return true;
    }
    return false;
}

/* --- Redaction -------------------------------------------------------------------------------- */

static struct str mask_token(struct str text, struct str token, struct arena *arena)
{
    AUTO_BUF out = {0};

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
        size_t spaced = phone > 0 || word == 0 ? 0 : measure_spaced(personal, text, i);
        step = phone > 0 ? phone : spaced > 0 ? spaced : word > 0 ? word : 1;
        bool is_masked = phone > 0 || spaced > 0;
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

const char *order_redact(const struct order *order, struct str token, struct str text,
                         struct arena *arena)
{
    struct personal *personal = ARENA_NEW(arena, struct personal);
    AUTO_BUF out = {0};

    add_words(personal, order->customer->name, arena);
    add_words(personal, order->delivery->address, arena);
    add_words(personal, order->comment, arena);
    add_phone(personal, order->customer->phone, arena);
    struct glyphs glyphs = read_glyphs(mask_token(text, token, arena), arena);
    if (has_escapes(&glyphs)) return ESCAPED;
    buf_init(&out, ORDER_REASON_MAX * 4);
    put_words(personal, &glyphs, &out, arena);
    struct str kept = str_trim(buf_view(&out));
    return kept.len > 0 ? arena_str(arena, kept) : NULL;
}
