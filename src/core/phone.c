/* A number is recognized by its prefix and length. herald has no table of the world's numbering
 * plans, since these change. */
#include "core/phone.h"

#include "kit/base/buf.h"
#include "kit/base/macros.h"

#include <stdio.h>

enum { DIGITS_MIN = 7, DIGITS_MAX = 15, DIGITS_RUSSIAN = 11, PREFIX_DIGITS_MAX = 7 };

struct prefix {
    char text[PREFIX_DIGITS_MAX + 2]; /* with its plus sign and NUL */
    size_t len;
};

struct prefixes {
    struct prefix rows[PHONE_PREFIXES_MAX];
    size_t count;
};

/* These are set once at the start, as the level of the log is. */
static struct prefixes allowed = {.rows = {{"+7", 2}}, .count = 1};
struct phone_rule phone_rule = {
    .pattern = "^\\+7[0-9]{10}$",
    .message = "Must be a phone number such as +79161234567.",
};

static bool is_digits(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!str_is_digit(text[i])) return false;
    }
    return true;
}

/* --- Prefixes --------------------------------------------------------------------------------- */

static bool read_prefix(struct str text, struct prefixes *prefixes)
{
    if (prefixes->count == PHONE_PREFIXES_MAX) return false;
    if (text.len < 2 || text.len > PREFIX_DIGITS_MAX + 1) return false;
    if (text.data[0] != '+' || text.data[1] == '0') return false;
    if (!is_digits(text.data + 1, text.len - 1)) return false;
    struct prefix *prefix = &prefixes->rows[prefixes->count++];
    memcpy(prefix->text, text.data, text.len);
    prefix->len = text.len;
    return true;
}

static bool read_prefixes(struct str list, struct prefixes *ret_prefixes)
{
    struct str item;

    *ret_prefixes = (struct prefixes){0};
    while (str_next_item(&list, &item)) {
        if (!read_prefix(item, ret_prefixes)) return false;
    }
    return ret_prefixes->count > 0;
}

bool phone_is_prefix_list(struct str list)
{
    struct prefixes prefixes;
    return read_prefixes(list, &prefixes);
}

/* Writes how many digits may follow behind a prefix. */
static void put_rest(const struct prefix *prefix, struct buf *out)
{
    size_t digits = prefix->len - 1;

    if (prefix->text[1] == '7')
        buf_printf(out, "[0-9]{%zu}", DIGITS_RUSSIAN - digits);
    else
        buf_printf(out, "[0-9]{%zu,%zu}", DIGITS_MIN - digits, DIGITS_MAX - digits);
}

static void keep_text(const struct buf *text, char ret_text[static PHONE_RULE_MAX])
{
    assert(!text->is_full && text->len < PHONE_RULE_MAX);
    memcpy(ret_text, text->data, text->len);
    ret_text[text->len] = '\0';
}

void phone_set_prefixes(struct str list)
{
    AUTO_BUF pattern = {0};
    AUTO_BUF message = {0};

    bool is_list = read_prefixes(list, &allowed);
    assert(is_list); /* the table of settings saw to it */
    buf_init(&pattern, PHONE_RULE_MAX - 1);
    buf_init(&message, PHONE_RULE_MAX - 1);
    buf_text(&pattern, allowed.count > 1 ? "^(" : "^");
    buf_text(&message, "Must be a phone number that begins with ");
    for (size_t i = 0; i < allowed.count; i++) {
        buf_printf(&pattern, "%s\\%s", i > 0 ? "|" : "", allowed.rows[i].text);
        put_rest(&allowed.rows[i], &pattern);
        buf_printf(&message, "%s%s", i > 0 ? " or " : "", allowed.rows[i].text);
    }
    buf_text(&pattern, allowed.count > 1 ? ")$" : "$");
    buf_text(&message, ", as HERALD_NUMBER_PREFIXES says, and has no spaces.");
    keep_text(&pattern, phone_rule.pattern);
    keep_text(&message, phone_rule.message);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

bool phone_is_e164(struct str text)
{
    if (text.len < DIGITS_MIN + 1 || text.len > DIGITS_MAX + 1) return false;
    if (text.data[0] != '+' || text.data[1] == '0' || !is_digits(text.data + 1, text.len - 1))
        return false;
    return text.data[1] != '7' || text.len == DIGITS_RUSSIAN + 1;
}

bool phone_is_valid(struct str text)
{
    if (!phone_is_e164(text)) return false;
    for (size_t i = 0; i < allowed.count; i++) {
        const struct prefix *prefix = &allowed.rows[i];
        if (memcmp(text.data, prefix->text, prefix->len) == 0) return true;
    }
    return false;
}

bool phone_normalize(struct str text, char ret_phone[static PHONE_MAX + 1])
{
    bool is_national = text.len == DIGITS_RUSSIAN && (text.data[0] == '7' || text.data[0] == '8');

    if (text.len > PHONE_MAX) return false;
    if (is_national) {
        memcpy(ret_phone, "+7", 2);
        memcpy(ret_phone + 2, text.data + 1, text.len - 1);
        text = (struct str){ret_phone, text.len + 1};
    } else if (text.len > 0) {
        memcpy(ret_phone, text.data, text.len);
    }
    ret_phone[text.len] = '\0';
    return phone_is_valid(text);
}

/* People write these between the digits of a number, or they come along where one is copied: those
 * of ASCII; the signs that texts have for them, which are spaces and dashes; and the marks that
 * nobody sees, by which a number keeps its direction and its line. */
static const struct {
    uint32_t first, last;
} gaps[] = {
    {'\t', '\t'},     {' ', ' '},       {'(', ')'},       {'-', '/'},
    {0xA0, 0xA0},     {0x2007, 0x2015}, {0x202A, 0x202F}, {0x2060, 0x2060},
    {0x2066, 0x2069}, {0x2212, 0x2212}, {0xFEFF, 0xFEFF},
};

static bool is_gap(uint32_t point)
{
    for (size_t i = 0; i < COUNT_OF(gaps); i++) {
        if (point >= gaps[i].first && point <= gaps[i].last) return true;
    }
    return false;
}

/* Gives the digits, behind a plus sign if one comes first. */
static bool read_digits(struct str text, char ret_digits[static PHONE_SPELLED_MAX + 1])
{
    size_t len = 0;

    while (text.len > 0) {
        uint32_t point = utf8_take(&text);
        bool is_plus = point == '+' && len == 0;
        bool is_digit = point >= '0' && point <= '9';
        if (is_gap(point)) continue;
        if ((!is_plus && !is_digit) || len == PHONE_SPELLED_MAX) return false;
        ret_digits[len++] = (char)point;
    }
    ret_digits[len] = '\0';
    return true;
}

bool phone_read(struct str text, char ret_phone[static PHONE_MAX + 1])
{
    char digits[PHONE_SPELLED_MAX + 1];

    if (!read_digits(text, digits)) return false;
    struct str rest = str_of(digits);
    bool is_russian = rest.len == DIGITS_RUSSIAN && (digits[0] == '7' || digits[0] == '8');
    bool has_zeros = rest.len > 2 && memcmp(digits, "00", 2) == 0;
    /* Ten digits are mostly a Russian number without its prefix, and which one it is is not sure.
     */
    if (digits[0] != '+' && rest.len < DIGITS_RUSSIAN) return false;
    const char *prefix = digits[0] == '+' ? "" : is_russian ? "+7" : "+";
    if (is_russian) rest = str_behind(rest, 1);
    if (has_zeros) rest = str_behind(rest, 2);
    if (rest.len > DIGITS_MAX + 1) return false;
    int len = snprintf(ret_phone, PHONE_MAX + 1, "%s%s", prefix, rest.data);
    return len <= PHONE_MAX && phone_is_e164(str_of(ret_phone));
}

const char *phone_if_one(const char *text)
{
    char phone[PHONE_MAX + 1];
    return text && phone_read(str_of(text), phone) ? text : NULL;
}

static bool is_spelled_phone(struct str text)
{
    char phone[PHONE_MAX + 1];
    return phone_read(text, phone);
}

/* This is what phone_read takes, in ECMA-262. */
#define MARKS            "\u202A-\u202F\u2060\u2066-\u2069\uFEFF"
#define GAPS             "[-()./ \t\u00A0\u2007-\u2015\u2212" MARKS "]*"
#define REST(many)       "(" GAPS "[0-9]){" many "}"
#define NUMBER(at_least) "(7" REST("10") "|[1-689]" REST(at_least) ")"

const struct field_format format_spelled_phone = {
    .is_valid = is_spelled_phone,
    .pattern = "^" GAPS "([+]" GAPS NUMBER("6,14") "|0" GAPS "0" GAPS NUMBER("8,14") "|" NUMBER(
        "10,14") ")" GAPS "$",
    .message = "Must be a phone number such as +79161234567 or 8 (916) 123-45-67.",
};

const struct field_format format_phone = {
    .is_valid = phone_is_valid,
    .message = phone_rule.message,
    .pattern = phone_rule.pattern,
};

const struct field_format format_e164 = {
    .is_valid = phone_is_e164,
    .message = "Must be a phone number such as +79161234567.",
    .pattern = "^\\+(7[0-9]{10}|[1-689][0-9]{6,14})$",
};
