/* Texts are compared character by character, as kit/base/glyph reads them, without what stands
 * between letters and digits. */
#include "domain/order/order_redact.h"

#include "kit/base/glyph.h"

enum {
    WORDS_MAX = 4096, /* of an order: more than its texts can have */
    PART_MIN = 4,     /* letters from which on a word is looked for inside of others */
    WORD_MIN = 2,
    SHORT_GAP_MAX = 3,    /* characters between two letters of a shorter word */
    PHONE_DIGITS = 6,     /* in a row, of a number, tell whose it is */
    PHONE_DIGITS_MIN = 4, /* a shorter one is no number */
    PHONE_RUN_MAX = 64,
    TOKEN_MIN = 4,
    TOKEN_PART = 8, /* letters and digits of it in a row */
};

#define MASK    "***"
#define ESCAPED "a text with escapes, which is not kept"

/* --- Characters ------------------------------------------------------------------------------- */

/* A text, and its letters and digits as if nothing stood between them. */
struct said {
    struct glyphs glyphs;
    uint32_t *letters; /* each a place in the text; one more marks its end */
    uint32_t *ranks;   /* of each character: how many letters stand before it */
};

static bool is_of_word(const struct glyph *glyph)
{
    return glyph->kind == GLYPH_LETTER || glyph->kind == GLYPH_DIGIT;
}

static struct said read_said(struct str text, struct arena *arena)
{
    struct said said = {.glyphs = glyphs_read(text, arena)};
    uint32_t count = 0, end = (uint32_t)said.glyphs.count;

    said.letters = arena_array(arena, end + 1, sizeof(*said.letters));
    said.ranks = arena_array(arena, end + 1, sizeof(*said.ranks));
    for (uint32_t i = 0; i < end; i++) {
        said.ranks[i] = count;
        if (is_of_word(&said.glyphs.at[i])) said.letters[count++] = i;
    }
    said.ranks[end] = count;
    said.letters[count] = end;
    return said;
}

static size_t measure_word(const struct glyphs *text, size_t begin)
{
    size_t end = begin;
    while (end < text->count && is_of_word(&text->at[end]))
        end++;
    return end - begin;
}

/* --- Clean ------------------------------------------------------------------------------------ */

/* Puts the first `max` characters of a text. */
static void put_clean(struct str text, size_t max, struct buf *out)
{
    for (size_t i = 0; text.len > 0 && i < max; i++) {
        struct str rest = text;
        uint32_t point = utf8_take(&rest);
        bool is_separator = point == 0x2028 || point == 0x2029;
        if (is_separator || point < 0x20 || (point >= 0x7F && point <= 0x9F))
            buf_char(out, ' ');
        else
            buf_append(out, text.data, text.len - rest.len);
        text = rest;
    }
}

const char *order_clean(struct str text, size_t max, struct arena *arena)
{
    AUTO_BUF out = {0};

    buf_init(&out, text.len);
    put_clean(text, max, &out);
    return arena_str(arena, buf_view(&out));
}

/* --- What is personal ------------------------------------------------------------------------- */

struct word {
    const struct glyph *at;
    size_t count;
    size_t part; /* so many of its letters in a row are enough */
};

struct personal {
    struct word words[WORDS_MAX];
    size_t count;
    const char *phone;   /* its digits; NULL: too few */
    size_t phone_digits; /* so many of them in a row are personal */
};

static void add_word(struct personal *personal, const struct glyph *at, size_t count, size_t part)
{
    if (count >= WORD_MIN && personal->count < WORDS_MAX)
        personal->words[personal->count++] = (struct word){at, count, part};
}

static void add_words(struct personal *personal, const char *text, struct arena *arena)
{
    struct glyphs glyphs = glyphs_read(str_of(text), arena);

    for (size_t i = 0; i < glyphs.count; i++) {
        size_t count = measure_word(&glyphs, i);
        add_word(personal, glyphs.at + i, count, count);
        i += count;
    }
}

/* The token is one word, of its letters and digits. */
static void add_token(struct personal *personal, struct str token, struct arena *arena)
{
    struct glyphs glyphs = glyphs_read(token, arena);
    size_t count = 0;

    for (size_t i = 0; i < glyphs.count; i++) {
        if (is_of_word(&glyphs.at[i])) glyphs.at[count++] = glyphs.at[i];
    }
    if (count >= TOKEN_MIN)
        add_word(personal, glyphs.at, count, count < TOKEN_PART ? count : TOKEN_PART);
}

static void add_phone(struct personal *personal, const char *phone, struct arena *arena)
{
    struct glyphs glyphs = glyphs_read(str_of(phone), arena);
    char *digits = arena_alloc(arena, glyphs.count + 1);
    size_t len = 0;

    for (size_t i = 0; i < glyphs.count; i++) {
        if (glyphs.at[i].digit >= 0) digits[len++] = (char)glyphs.at[i].folded;
    }
    if (len < PHONE_DIGITS_MIN) return;
    personal->phone = digits;
    personal->phone_digits = len < PHONE_DIGITS ? len : PHONE_DIGITS;
    for (size_t i = 0; i + personal->phone_digits <= len; i++)
        add_words(personal, arena_str(arena, (struct str){digits + i, personal->phone_digits}),
                  arena);
}

/* How many letters of the word, from its `first` on, stand at `rank` of the text. */
static size_t measure_same(const struct said *said, size_t rank, const struct word *word,
                           size_t first)
{
    size_t same = 0, end = said->ranks[said->glyphs.count];

    while (first + same < word->count && rank + same < end) {
        uint32_t at = said->letters[rank + same];
        if (said->glyphs.at[at].folded != word->at[first + same].folded) break;
        if (word->count < PART_MIN && same > 0 &&
            at - said->letters[rank + same - 1] > SHORT_GAP_MAX + 1)
            break;
        same++;
    }
    return same;
}

/* Where the word that stands at `rank` of the text ends there, whatever is between its letters; 0:
 * it does not stand there. A short one has to be a whole word. */
static size_t find_end(const struct said *said, size_t rank, bool is_first, const struct word *word)
{
    for (size_t first = 0; first + word->part <= word->count; first++) {
        size_t same = measure_same(said, rank, word, first);
        if (same < word->part) continue;
        size_t end = said->letters[rank + same - 1] + 1;
        size_t rest = measure_word(&said->glyphs, end);
        if (word->count >= PART_MIN || (is_first && rest == 0)) return end + rest;
    }
    return 0;
}

/* The length of the words that hold a personal one, be it spaced out as "K a r e n". They begin at
 * `begin`, where a word does; 0: none begins in it. */
static size_t measure_personal(const struct personal *personal, const struct said *said,
                               size_t begin)
{
    size_t word = measure_word(&said->glyphs, begin), longest = 0;

    for (size_t i = 0; i < word && i < ORDER_REASON_MAX; i++) {
        for (size_t k = 0; k < personal->count; k++) {
            size_t end = find_end(said, said->ranks[begin] + i, i == 0, &personal->words[k]);
            if (end > begin + longest) longest = end - begin;
        }
    }
    return longest;
}

/* The length of the phone's number from `begin` on, such as "8 (916) 123-45-67"; 0: there is none.
 * It may begin behind the letters of a word, as in "tel8 916 1234567", and whatever is no letter
 * may stand between its groups. */
static size_t measure_phone(const struct personal *personal, const struct said *said, size_t begin)
{
    const struct glyphs *text = &said->glyphs;
    size_t first = begin + measure_word(text, begin), some = personal->phone_digits, count = 0;
    char digits[PHONE_RUN_MAX];

    while (first > begin && text->at[first - 1].digit >= 0)
        first--;
    if (!personal->phone || text->at[first].digit < 0) return 0;
    const uint32_t *letters = said->letters + said->ranks[first];
    for (; count < PHONE_RUN_MAX && text->at[letters[count]].digit >= 0; count++)
        digits[count] = (char)text->at[letters[count]].folded;
    for (const char *part = personal->phone; strlen(part) >= some; part++) {
        if (memmem(digits, count, part, some)) return letters[count - 1] + 1 - begin;
    }
    return 0;
}

/* --- Escapes ---------------------------------------------------------------------------------- */

static bool is_hex(uint32_t point)
{
    return (point >= '0' && point <= '9') || (point >= 'a' && point <= 'f') ||
           (point >= 'A' && point <= 'F');
}

/* These are escapes of JSON and most languages, of URLs, quoted-printable and HTML. Only the ERP
 * knows what they stand for, and how often they are to be read. Behind the last character one of no
 * kind follows. */
static bool is_escape(const struct glyph *at, size_t count)
{
    bool is_of_byte = count >= 3 && is_hex(at[1].point) && is_hex(at[2].point);
    uint32_t next = count >= 2 ? at[1].point : ' ';

    switch (at[0].point) {
    case '\\':
        return next < 0x80 && strchr("uUxX/01234567", (int)next);
    case '%':
        return is_of_byte;
    case '=':
        return is_of_byte && count >= 4 && at[3].point == '=';
    case '&':
        return next == '#';
    default:
        return false;
    }
}

static bool has_escapes(const struct glyphs *text)
{
    for (size_t i = 0; i < text->count; i++) {
        if (is_escape(&text->at[i], text->count - i)) return true;
    }
    return false;
}

/* --- Redaction -------------------------------------------------------------------------------- */

/* Puts words until there is no room for the next one. */
static void put_words(const struct personal *personal, const struct said *said, struct buf *out)
{
    size_t used = 0, step;

    for (size_t i = 0; i < said->glyphs.count; i += step) {
        size_t word = measure_word(&said->glyphs, i);
        size_t phone = measure_phone(personal, said, i);
        size_t masked = phone > 0 ? phone : measure_personal(personal, said, i);
        step = masked > 0 ? masked : word > 0 ? word : 1;
        struct str source = glyphs_source(&said->glyphs, i, step);
        used += masked > 0 ? strlen(MASK) : utf8_length(source);
        if (used > ORDER_REASON_MAX) return;
        if (masked > 0)
            buf_text(out, MASK);
        else
            put_clean(source, ORDER_REASON_MAX, out);
    }
}

const char *order_redact(const struct order *order, struct str token, struct str text,
                         struct arena *arena)
{
    struct personal *personal = ARENA_NEW(arena, struct personal);
    struct said said = read_said(text, arena);
    AUTO_BUF out = {0};

    add_token(personal, token, arena);
    add_words(personal, order->customer->name, arena);
    add_words(personal, order->delivery->address, arena);
    add_words(personal, order->comment, arena);
    add_phone(personal, order->customer->phone, arena);
    if (has_escapes(&said.glyphs)) return ESCAPED;
    buf_init(&out, ORDER_REASON_MAX * 4);
    put_words(personal, &said, &out);
    struct str kept = str_trim(buf_view(&out));
    return kept.len > 0 ? arena_str(arena, kept) : NULL;
}
