/* A run of digits is found by its digits, and a secret by its look. */
#include "kit/base/mask.h"

#include <assert.h>
#include <sodium.h>
#include <stdatomic.h>

enum {
    DIGITS_MIN = 10,     /* of a number */
    DIGITS_MIN_PLUS = 7, /* of a number behind a plus sign */
    DIGITS_MAX = 15,     /* of E.164 */
    DIGITS_HIDDEN = 3,
    SHOWN_MAX = 4, /* at each end */
    MARK_LEN = 4,
    RUN_MIN = 7,         /* digits of a run that is hidden in words */
    RUN_SHOWN = 2,       /* its last digits */
    RUN_GAP = 2,         /* characters between two of its digits, as in "8 (916)" */
    SECRET_LEN_MIN = 32, /* of a word that looks random */
    SECRET_CASE_MIN = 4, /* letters of each case in it */
    SECRET_HEX_MIN = 48, /* longer than ids of traces and commits */
    KEY_PREFIX_LEN = 3,  /* "hs_" and its like, before 43 characters of base64url */
    KEY_RANDOM_LEN = 43,
};

static const char hidden[] = "***";

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

/* --- Numbers ---------------------------------------------------------------------------------- */

struct number {
    char digits[DIGITS_MAX + 1];
    size_t count; /* counts also the digits that were not kept */
    bool has_plus;
    bool is_clean; /* nothing else stands there but what people write between digits */
};

/* People write these between digits. */
static bool is_between(char c)
{
    return c && strchr(" -.()[]", c);
}

static struct number read_number(struct str text)
{
    struct number number = {.has_plus = text.len > 0 && text.data[0] == '+', .is_clean = true};

    for (size_t i = number.has_plus; i < text.len; i++) {
        char c = text.data[i];
        if (!str_is_digit(c)) {
            number.is_clean &= is_between(c);
            continue;
        }
        if (number.count < sizeof(number.digits)) number.digits[number.count] = c;
        number.count++;
    }
    return number;
}

/* Tells whether the whole text reads as a phone number. */
static bool is_number(const struct number *number)
{
    size_t min = number->has_plus ? DIGITS_MIN_PLUS : DIGITS_MIN;
    return number->is_clean && number->count >= min && number->count <= DIGITS_MAX;
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

void mask_number(struct str text, struct buf *out)
{
    struct number number = read_number(text);

    normalize(&number);
    bool is_like_one = number.count >= DIGITS_MIN_PLUS && number.count <= DIGITS_MAX;
    size_t shown = number.count - DIGITS_HIDDEN;
    size_t tail = shown / 2 < SHOWN_MAX ? shown / 2 : SHOWN_MAX;
    size_t head = shown - tail < SHOWN_MAX ? shown - tail : SHOWN_MAX;
    if (is_like_one && number.is_clean) {
        buf_char(out, '+');
        buf_append(out, number.digits, head);
        buf_text(out, hidden);
        buf_append(out, number.digits + number.count - tail, tail);
    } else {
        buf_text(out, hidden);
    }
    put_mark(is_like_one ? (struct str){number.digits, number.count} : text, out);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Returns the place of the next digit of a run behind `at`; the end of the text if there is none.
 */
static size_t find_next(struct str text, size_t at)
{
    size_t next = at + 1;

    while (next < text.len && next <= at + RUN_GAP && is_between(text.data[next]) &&
           text.data[next] != text.data[next - 1])
        next++;
    return next < text.len && str_is_digit(text.data[next]) ? next : text.len;
}

/* Returns the length of the run of digits at `at`, and its last digits; 0: it is short, or none
 * begins there. */
static size_t measure_run(struct str text, size_t at, char ret_shown[static RUN_SHOWN])
{
    size_t count = 0, end = at;

    if (!str_is_digit(text.data[at])) return 0;
    for (size_t next = at; next < text.len; next = find_next(text, next)) {
        ret_shown[0] = ret_shown[1];
        ret_shown[1] = text.data[next];
        end = next + 1;
        count++;
    }
    return count >= RUN_MIN ? end - at : 0;
}

/* Writes a text without its secrets and, if they are sought, without its runs of digits. */
static bool mask_parts(struct str text, bool hides_runs, struct buf *out)
{
    size_t copied = 0;

    for (size_t at = 0; at < text.len;) {
        char shown[RUN_SHOWN] = {0};
        size_t secret = measure_secret(text, at);
        size_t run = hides_runs && secret == 0 ? measure_run(text, at, shown) : 0;
        if (secret + run == 0) {
            at++;
            continue;
        }
        buf_append(out, text.data + copied, at - copied);
        buf_text(out, hidden);
        if (run > 0) buf_append(out, shown, RUN_SHOWN);
        at += secret + run;
        copied = at;
    }
    if (copied > 0) buf_append(out, text.data + copied, text.len - copied);
    return copied > 0;
}

bool mask_secrets(struct str text, struct buf *out)
{
    return mask_parts(text, false, out);
}

bool mask_id(struct str text, struct buf *out)
{
    struct number number = read_number(text);

    if (!is_number(&number)) return mask_secrets(text, out);
    mask_number(text, out);
    return true;
}

bool mask_words(struct str text, struct buf *out)
{
    return mask_parts(text, true, out);
}

const char *mask_text(mask_fn mask, const char *text, struct arena *arena)
{
    AUTO_BUF masked = {0};

    if (!text) return NULL;
    buf_init(&masked, strlen(text) + MASK_LEN_MAX);
    return mask(str_of(text), &masked) ? arena_str(arena, buf_view(&masked)) : text;
}
