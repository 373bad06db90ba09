/*
 * A number is found by its digits, with anything but letters between them, and a secret by its
 * look. Nearly all texts can hold neither; such a text costs one look at its bytes.
 */
#include "kit/base/mask.h"

#include "kit/base/glyph.h"
#include "kit/base/macros.h"
#include "kit/base/uuid.h"

#include <assert.h>
#include <sodium.h>
#include <stdatomic.h>

enum {
    DIGITS_MIN = 10,     /* of a number in a text */
    DIGITS_MIN_PLUS = 7, /* of a number behind a plus sign */
    DIGITS_MAX = 15,     /* of E.164 */
    DIGITS_KEPT = 32,    /* of a run that is longer than a number */
    DIGITS_HIDDEN = 3,
    SHOWN_MAX = 4, /* at each end */
    LEFT_MAX = 5,  /* digits beside a number: with those that it shows they make no other number */
    MARK_LEN = 4,
    SECRET_LEN_MIN = 32, /* of a word that looks random */
    SECRET_CASE_MIN = 4, /* letters of each case in it */
    SECRET_HEX_MIN = 48, /* longer than ids of traces and commits */
    FRACTION_MAX = 6,    /* digits of a second */
    KEY_PREFIX_LEN = 3,  /* "hs_" and its like, before 43 characters of base64url */
    KEY_RANDOM_LEN = 43,
};

static_assert(MASK_KEY_LEN == crypto_shorthash_KEYBYTES, "key");

/* The key is set once at the start, as the level of the log is; secrets may be added later. Of a
 * secret only the hash is kept, so that memory holds it in one place alone. */
static struct {
    uint8_t key[MASK_KEY_LEN];
    bool is_set;
    struct {
        uint8_t hash[crypto_shorthash_BYTES];
        size_t len;
    } secrets[MASK_SECRETS_MAX];
    atomic_size_t secret_count;
    atomic_size_t word_min; /* the length of the shortest secret */
} marks = {.word_min = SECRET_LEN_MIN};

void mask_set_key(const uint8_t key[static MASK_KEY_LEN])
{
    memcpy(marks.key, key, MASK_KEY_LEN);
    marks.is_set = true;
    marks.secret_count = 0;
    marks.word_min = SECRET_LEN_MIN;
}

/* Tells whether the text begins with a secret that was added. */
static bool is_added(struct str text)
{
    for (size_t i = 0; i < marks.secret_count; i++) {
        uint8_t hash[crypto_shorthash_BYTES];
        if (text.len < marks.secrets[i].len) continue;
        crypto_shorthash(hash, (const uint8_t *)text.data, marks.secrets[i].len, marks.key);
        if (memcmp(hash, marks.secrets[i].hash, sizeof(hash)) == 0) return true;
    }
    return false;
}

bool mask_add_secret(struct str secret)
{
    size_t count = marks.secret_count;

    assert(marks.is_set);
    if (secret.len < MASK_SECRET_LEN_MIN || is_added(secret)) return true;
    if (count == MASK_SECRETS_MAX) return false;
    crypto_shorthash(marks.secrets[count].hash, (const uint8_t *)secret.data, secret.len,
                     marks.key);
    marks.secrets[count].len = secret.len;
    if (secret.len < marks.word_min) marks.word_min = secret.len;
    marks.secret_count = count + 1; /* a row counts once it is whole */
    return true;
}

/* --- Secrets ---------------------------------------------------------------------------------- */

/* A word consists of the characters of base64url. */
static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static size_t measure_word(struct str text)
{
    size_t len = 0;
    while (len < text.len && is_of_word(text.data[len]))
        len++;
    return len;
}

/* Tells whether letters of both cases and digits follow each other as by chance, or whether so many
 * stand in a row that the word is no id. */
static bool looks_random(struct str word)
{
    size_t cases[2] = {0}, digits = 0, changes = 0, run = 0, longest = 0;
    char last = '-';

    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        char now = c == '-' || c == '_' ? '-' : c <= '9' ? '0' : c <= 'Z' ? 'A' : 'a';
        digits += now == '0';
        if (now == 'A' || now == 'a') cases[now == 'a']++;
        changes += now != last && now != '-' && last != '-';
        run = now == '-' ? 0 : run + 1;
        if (run > longest) longest = run;
        last = now;
    }
    if (digits == 0) return false;
    if (longest >= SECRET_HEX_MIN && digits < word.len) return true;
    return word.len >= SECRET_LEN_MIN && cases[0] >= SECRET_CASE_MIN &&
           cases[1] >= SECRET_CASE_MIN && changes * 3 >= word.len;
}

/* Tells whether the text begins with a secret that herald made, or was told of. */
static bool is_known_secret(struct str text)
{
    const char *c = text.data;
    bool has_prefix = text.len >= KEY_PREFIX_LEN + KEY_RANDOM_LEN && c[0] == 'h' && c[1] >= 'a' &&
                      c[1] <= 'z' && c[2] == '_';

    return has_prefix || is_added(text);
}

/* Returns the length of the word that begins at `at` and holds a secret; 0 if none begins there. */
static size_t measure_secret(struct str text, size_t at)
{
    if (at > 0 && is_of_word(text.data[at - 1])) return 0;
    struct str rest = {text.data + at, text.len - at};
    struct str word = {rest.data, measure_word(rest)};
    if (word.len < marks.word_min) return 0;
    if (looks_random(word)) return word.len;
    for (size_t i = 0; i + marks.word_min <= word.len; i++) {
        if (is_known_secret((struct str){word.data + i, word.len - i})) return word.len;
    }
    return 0;
}

/* --- Digits that are no number ---------------------------------------------------------------- */

/* Programs make such a UUID: it has a version, a variant, and by chance at least one letter. */
static bool is_uuid(struct str text)
{
    struct str id = {text.data, UUID_TEXT_LEN};
    struct uuid parsed;

    if (text.len < UUID_TEXT_LEN || text.data[14] < '1' || text.data[14] > '8') return false;
    if (!strchr("89abAB", text.data[19]) || !uuid_parse(id, &parsed)) return false;
    for (size_t i = 0; i < id.len; i++) {
        if (!str_is_digit(id.data[i]) && id.data[i] != '-') return true;
    }
    return false;
}

static bool begins_uuid(struct str text, size_t at)
{
    char before = at > 0 ? text.data[at - 1] : ' ';
    bool is_inside = is_of_word(before) && before != '-' && before != '_';
    return !is_inside && is_uuid((struct str){text.data + at, text.len - at});
}

/* Returns how many bytes at the front of `text` have this shape, or 0. A digit of the shape stands
 * for any digit up to it, all else for itself. */
static size_t measure_shape(struct str text, const char *shape)
{
    size_t len = strlen(shape);

    if (text.len < len) return 0;
    for (size_t i = 0; i < len; i++) {
        bool is_right = str_is_digit(shape[i])
                            ? str_is_digit(text.data[i]) && text.data[i] <= shape[i]
                            : text.data[i] == shape[i];
        if (!is_right) return 0;
    }
    return len;
}

/* Returns the length of an ISO 8601 time, from its T on, or of one that has a blank in place of the
 * T from its first digit on; 0 if there is none. */
static size_t measure_time(struct str text)
{
    size_t at = measure_shape(text, text.data[0] == 'T' ? "T29:59" : "2099-19-39 29:59");

    if (at == 0) return 0;
    at += measure_shape((struct str){text.data + at, text.len - at}, ":69");
    if (at < text.len && text.data[at] == '.') {
        size_t end = at + 1;
        while (end < text.len && str_is_digit(text.data[end]) && end - at <= FRACTION_MAX)
            end++;
        at = end;
    }
    struct str offset = {text.data + at, text.len - at};
    size_t len = measure_shape(offset, "+19:59");
    return at + (len > 0 ? len : measure_shape(offset, "-19:59"));
}

/* Returns the length of an IPv4 address with its port; 0 if there is none. Outside a URL only those
 * private networks count whose digits begin no phone number. */
static size_t measure_address(struct str text, bool is_in_url)
{
    static const char *const networks[] = {"10.", "127.0.", "192.168."};
    size_t at = 0;

    for (size_t i = 0; i < COUNT_OF(networks); i++)
        is_in_url |= text.len > 8 && memcmp(text.data, networks[i], strlen(networks[i])) == 0;
    for (int part = 0; part < 4 && is_in_url; part++) {
        unsigned value = 0;
        if (part > 0 && (at == text.len || text.data[at++] != '.')) return 0;
        size_t begin = at;
        while (at < text.len && str_is_digit(text.data[at]) && at - begin < 4)
            value = value * 10 + (unsigned)(text.data[at++] - '0');
        if (at == begin || value > 255 || (text.data[begin] == '0' && at > begin + 1)) return 0;
    }
    size_t port = at > 0 && at < text.len && text.data[at] == ':' ? at + 1 : at;
    while (port > at && port < text.len && str_is_digit(text.data[port]) && port - at <= 5)
        port++;
    return port > at + 1 ? port : at;
}

/* Tells whether a letter or the end of the text comes before the next digit. */
static bool has_no_digit_near(struct str text)
{
    while (text.len > 0) {
        struct glyph glyph = glyph_take(&text);
        if (glyph.kind == GLYPH_LETTER) return true;
        if (glyph.digit >= 0) return false;
    }
    return true;
}

/* Returns the length of a UUID at `at`, or of a time or an address with no other digits beside it;
 * 0 if there is none. */
static size_t measure_kept(struct str text, size_t at)
{
    struct str rest = {text.data + at, text.len - at};
    char before = at > 0 ? text.data[at - 1] : ' ', first = rest.data[0];
    bool is_in_url = at >= 3 && memcmp(text.data + at - 3, "://", 3) == 0;
    size_t len = 0;

    if (begins_uuid(text, at)) return UUID_TEXT_LEN;
    if (first == 'T' ? str_is_digit(before) : first == '2' && !str_is_digit(before))
        len = measure_time(rest);
    if (len == 0 && str_is_digit(first) && !str_is_digit(before))
        len = measure_address(rest, is_in_url);
    if (len == 0) return 0;
    return has_no_digit_near((struct str){rest.data + len, rest.len - len}) ? len : 0;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

struct number {
    char digits[DIGITS_KEPT];
    size_t count; /* counts also the digits that were not kept */
    size_t len;   /* bytes up to its last digit; without digits, up to the next letter */
    bool has_plus;
    bool is_before; /* another number begins behind it, with a plus */
};

static bool is_plus(uint32_t point)
{
    return point == '+' || point == 0x207A || point == 0x208A || point == 0x2795 ||
           point == 0xFB29 || point == 0xFE62 || point == 0xFF0B;
}

static void add_digit(struct number *number, int digit)
{
    if (number->count < DIGITS_KEPT) number->digits[number->count] = (char)('0' + digit);
    number->count++;
}

/* Tells whether the number ends with this run of digits: enough of them in a row are a number, and
 * one that begins with 7 or 8 has 11. */
static bool is_whole(const struct number *number, size_t run)
{
    bool is_russian = number->digits[0] == '7' || number->digits[0] == '8';
    return run >= DIGITS_MIN || (is_russian && number->count == 11);
}

/* Tells whether the plus just read begins a number; else it only stands between digits. */
static bool begins_number(struct str behind)
{
    size_t count = 0;

    while (behind.len > 0 && count < DIGITS_MIN_PLUS) {
        struct glyph glyph = glyph_take(&behind);
        if (glyph.kind == GLYPH_LETTER || is_plus(glyph.point)) return false;
        count += glyph.digit >= 0;
    }
    return count == DIGITS_MIN_PLUS;
}

/* Reads the number at `at`, where a digit or a plus stands. */
static struct number read_number(struct str text, size_t at)
{
    struct number number = {0};
    size_t run = 0;

    for (struct str rest = {text.data + at, text.len - at}; rest.len > 0;) {
        size_t here = text.len - rest.len;
        struct glyph glyph = glyph_take(&rest);
        bool begins = glyph.digit >= 0 && run == 0 && number.count > 0;
        if (begins && (measure_secret(text, here) > 0 || begins_uuid(text, here))) break;
        if (glyph.digit >= 0) {
            add_digit(&number, glyph.digit);
            number.len = text.len - rest.len - at;
            run++;
            continue;
        }
        if (glyph.kind == GLYPH_LETTER || is_whole(&number, run)) break;
        number.is_before = number.count > 0 && is_plus(glyph.point) && begins_number(rest);
        if (number.is_before) break;
        run = 0;
        if (number.count > 0) continue;
        number.has_plus |= is_plus(glyph.point);
        number.len = text.len - rest.len - at;
    }
    return number;
}

/* A number has one form, however it was written: 8 and ten digits, or these alone, are +7. */
static void normalize(struct number *number)
{
    if (number->has_plus) return;
    if (number->count == 11 && number->digits[0] == '8') number->digits[0] = '7';
    if (number->count != 10) return;
    memmove(number->digits + 1, number->digits, 10);
    number->digits[0] = '7';
    number->count++;
}

/* --- Masks ------------------------------------------------------------------------------------ */

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
    normalize(number);
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

/* A text that is no number but has the digits of one gets the mark of that number. */
static void put_hidden(struct str text, struct buf *out)
{
    struct number number = {0};

    for (struct str rest = text; rest.len > 0;) {
        struct glyph glyph = glyph_take(&rest);
        if (glyph.digit >= 0) add_digit(&number, glyph.digit);
    }
    normalize(&number);
    bool is_like_one = number.count >= DIGITS_MIN_PLUS && number.count <= DIGITS_KEPT;
    buf_text(out, "***");
    put_mark(is_like_one ? (struct str){number.digits, number.count} : text, out);
}

void mask_number(struct str text, struct buf *out)
{
    struct number number = read_number(text, 0);

    if (number.len == text.len && number.count >= DIGITS_MIN_PLUS)
        put_number(&number, out);
    else
        put_hidden(text, out);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* A word as long as a secret covers every `word_min`th place of its text, so only these are looked
 * at. A byte that is no ASCII may be a digit of any script. */
bool mask_may_hide(struct str text, bool hides_numbers)
{
    size_t count = 0;

    if (text.len == UUID_TEXT_LEN && is_uuid(text)) return false;
    for (size_t i = marks.word_min - 1; i < text.len; i += marks.word_min) {
        size_t begin = i + 1;
        while (begin > 0 && is_of_word(text.data[begin - 1]))
            begin--;
        struct str rest = {text.data + begin, text.len - begin};
        size_t len = measure_word(rest);
        if (len >= marks.word_min && (len != UUID_TEXT_LEN || !is_uuid(rest))) return true;
    }
    for (size_t i = 0; i < text.len && hides_numbers; i++)
        count += str_is_digit(text.data[i]) || (text.data[i] & 0x80);
    return count >= DIGITS_MIN_PLUS;
}

/* A piece of a text is a secret, a number, or shown as it is. */
struct piece {
    size_t len;
    bool is_hidden;
    bool has_letter;
    struct number number; /* has no digits if the piece is none */
};

/* Reads the digits at `at`, or the one character. `is_beside` says that a number stands before them
 * with no letter between. */
static struct piece read_digits(struct str text, size_t at, bool is_beside)
{
    struct str rest = {text.data + at, text.len - at};
    struct glyph glyph = glyph_take(&rest);
    struct piece piece = {.len = text.len - rest.len - at,
                          .has_letter = glyph.kind == GLYPH_LETTER};

    if (glyph.digit < 0 && !is_plus(glyph.point)) return piece;
    struct number number = read_number(text, at);
    piece.len = number.len;
    piece.is_hidden = number.count > LEFT_MAX && (is_beside || number.is_before);
    if (number.count >= (number.has_plus ? DIGITS_MIN_PLUS : DIGITS_MIN)) piece.number = number;
    return piece;
}

void mask_text(struct str text, bool hides_numbers, struct buf *out)
{
    bool is_beside = false;

    for (size_t at = 0; at < text.len;) {
        size_t secret = measure_secret(text, at), kept = secret > 0 ? 0 : measure_kept(text, at);
        struct piece piece = {.len = 1};
        if (secret + kept > 0)
            piece = (struct piece){secret + kept, .is_hidden = secret > 0, .has_letter = true};
        else if (hides_numbers)
            piece = read_digits(text, at, is_beside);
        if (piece.number.count > 0)
            put_number(&piece.number, out);
        else if (piece.is_hidden)
            buf_text(out, "***");
        else
            buf_append(out, text.data + at, piece.len);
        is_beside = piece.number.count > 0 || (is_beside && !piece.has_letter);
        at += piece.len;
    }
}
