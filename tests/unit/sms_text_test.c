/* domain/sms: how texts are counted, and what an SMS with a code says. */
#include "domain/sms/sms_text.h"
#include "kit/base/buf.h"
#include "kit/base/macros.h"
#include "kit/json/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HASH  "FA+9qCX9VSu"
#define EMOJI "😀"

enum { POINT_MAX = 0x10FFFF, TEXT_MAX = 2048, RETRIEVER_BYTES_MAX = 140, HOST_MAX = 253 };

/* 3GPP TS 23.038, section 6.2.1, by place: 0x1B, the escape, is no character. */
static const uint32_t basic_points[128] = {
    '@',    0xA3,   '$',    0xA5,   0xE8,   0xE9,   0xF9,   0xEC,   /* 0x00 */
    0xF2,   0xC7,   '\n',   0xD8,   0xF8,   '\r',   0xC5,   0xE5,   /* 0x08 */
    0x0394, '_',    0x03A6, 0x0393, 0x039B, 0x03A9, 0x03A0, 0x03A8, /* 0x10 */
    0x03A3, 0x0398, 0x039E, 0,      0xC6,   0xE6,   0xDF,   0xC9,   /* 0x18 */
    ' ',    '!',    '"',    '#',    0xA4,   '%',    '&',    '\'',   /* 0x20 */
    '(',    ')',    '*',    '+',    ',',    '-',    '.',    '/',    /* 0x28 */
    '0',    '1',    '2',    '3',    '4',    '5',    '6',    '7',    /* 0x30 */
    '8',    '9',    ':',    ';',    '<',    '=',    '>',    '?',    /* 0x38 */
    0xA1,   'A',    'B',    'C',    'D',    'E',    'F',    'G',    /* 0x40 */
    'H',    'I',    'J',    'K',    'L',    'M',    'N',    'O',    /* 0x48 */
    'P',    'Q',    'R',    'S',    'T',    'U',    'V',    'W',    /* 0x50 */
    'X',    'Y',    'Z',    0xC4,   0xD6,   0xD1,   0xDC,   0xA7,   /* 0x58 */
    0xBF,   'a',    'b',    'c',    'd',    'e',    'f',    'g',    /* 0x60 */
    'h',    'i',    'j',    'k',    'l',    'm',    'n',    'o',    /* 0x68 */
    'p',    'q',    'r',    's',    't',    'u',    'v',    'w',    /* 0x70 */
    'x',    'y',    'z',    0xE4,   0xF6,   0xF1,   0xFC,   0xE0,   /* 0x78 */
};
/* Section 6.2.1.1. */
static const uint32_t extension_points[] = {'\f', '^', '{', '}', '\\', '[', '~', ']', '|', 0x20AC};

static bool is_among(const uint32_t *points, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (points[i] == point) return true;
    return false;
}

static void assert_size(struct sms_size size, enum sms_alphabet alphabet, int units, int parts)
{
    assert_int_equal(size.alphabet, alphabet);
    assert_int_equal(size.units, units);
    assert_int_equal(size.parts, parts);
}

/* --- Characters --- */

static void assert_costs(uint32_t point)
{
    char text[UTF8_LEN_MAX + 1];
    struct sms_size size;

    text[utf8_encode(point, text)] = '\0';
    size = sms_measure(text);
    if (is_among(basic_points, COUNT_OF(basic_points), point))
        assert_size(size, SMS_GSM7, 1, 1);
    else if (is_among(extension_points, COUNT_OF(extension_points), point))
        assert_size(size, SMS_GSM7, 2, 1);
    else
        assert_size(size, SMS_UCS2, point > 0xFFFF ? 2 : 1, 1);
}

static void each_character_costs_what_its_table_says(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= 0xFFFF; point++)
        if (point < 0xD800 || point > 0xDFFF) assert_costs(point);
    for (uint32_t point = 0x10000; point <= POINT_MAX; point += 0xFFF)
        assert_costs(point);
    assert_costs(0x1F600);
    assert_costs(POINT_MAX);
}

static void one_foreign_character_makes_all_of_them_ucs2(void **state)
{
    (void)state;
    assert_size(sms_measure("Code: 123456"), SMS_GSM7, 12, 1);
    assert_size(sms_measure("Code: 123456 {€}"), SMS_GSM7, 19, 1);
    assert_size(sms_measure("Code: 123456 {€} ж"), SMS_UCS2, 18, 1);
    assert_size(sms_measure("Code: 123456 " EMOJI), SMS_UCS2, 15, 1);
    assert_size(sms_measure("Код: 123456"), SMS_UCS2, 11, 1);
}

static void an_empty_text_is_a_part(void **state)
{
    (void)state;
    assert_size(sms_measure(""), SMS_GSM7, 0, 1);
}

/* --- Parts --- */

/* `count` times `character`, then `pair`, then as many again. */
struct sample {
    const char *character;
    int before;
    const char *pair;
    int after;
};

static struct sms_size measure(const struct sample *sample)
{
    char bytes[TEXT_MAX];
    struct buf text;

    buf_init(&text, TEXT_MAX);
    for (int i = 0; i < sample->before; i++)
        buf_text(&text, sample->character);
    if (sample->pair) buf_text(&text, sample->pair);
    for (int i = 0; i < sample->after; i++)
        buf_text(&text, sample->character);
    assert_false(text.is_full);
    snprintf(bytes, sizeof(bytes), "%.*s", (int)text.len, text.len > 0 ? text.data : "");
    buf_done(&text);
    return sms_measure(bytes);
}

static void parts_are_full_before_there_is_another(void **state)
{
    (void)state;
    static const struct {
        const char *character;
        int count;
        enum sms_alphabet alphabet;
        int units, parts;
    } rows[] = {
        {"a", 1, SMS_GSM7, 1, 1},     {"a", 160, SMS_GSM7, 160, 1}, {"a", 161, SMS_GSM7, 161, 2},
        {"a", 306, SMS_GSM7, 306, 2}, {"a", 307, SMS_GSM7, 307, 3}, {"a", 459, SMS_GSM7, 459, 3},
        {"a", 460, SMS_GSM7, 460, 4}, {"é", 160, SMS_GSM7, 160, 1}, {"é", 161, SMS_GSM7, 161, 2},
        {"ж", 1, SMS_UCS2, 1, 1},     {"ж", 70, SMS_UCS2, 70, 1},   {"ж", 71, SMS_UCS2, 71, 2},
        {"ж", 134, SMS_UCS2, 134, 2}, {"ж", 135, SMS_UCS2, 135, 3}, {"ж", 201, SMS_UCS2, 201, 3},
        {"ж", 202, SMS_UCS2, 202, 4}, {"€", 80, SMS_GSM7, 160, 1},  {"€", 81, SMS_GSM7, 162, 2},
        {EMOJI, 35, SMS_UCS2, 70, 1}, {EMOJI, 36, SMS_UCS2, 72, 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_size(measure(&(struct sample){rows[i].character, rows[i].count, NULL, 0}),
                    rows[i].alphabet, rows[i].units, rows[i].parts);
}

/* 153 and 67 are odd: a part with nothing but pairs holds 152 and 66. */
static void a_pair_stays_in_one_part(void **state)
{
    (void)state;
    static const struct {
        struct sample sample;
        enum sms_alphabet alphabet;
        int units, parts;
    } rows[] = {
        {{"€", 152, NULL, 0}, SMS_GSM7, 304, 2},
        {{"€", 153, NULL, 0}, SMS_GSM7, 306, 3}, /* 306 singles make two */
        {{EMOJI, 66, NULL, 0}, SMS_UCS2, 132, 2},
        {{EMOJI, 67, NULL, 0}, SMS_UCS2, 134, 3},
        /* The pair ends the first part, or has to begin the second, which then is full sooner. */
        {{"a", 151, "{", 153}, SMS_GSM7, 306, 2},
        {{"a", 152, "{", 151}, SMS_GSM7, 305, 2},
        {{"a", 152, "{", 152}, SMS_GSM7, 306, 3},
        {{"a", 153, "{", 151}, SMS_GSM7, 306, 2},
        {{"ж", 65, EMOJI, 67}, SMS_UCS2, 134, 2},
        {{"ж", 66, EMOJI, 65}, SMS_UCS2, 133, 2},
        {{"ж", 66, EMOJI, 66}, SMS_UCS2, 134, 3},
        {{"ж", 67, EMOJI, 65}, SMS_UCS2, 134, 2},
        /* If one part holds all, there is no boundary. */
        {{"a", 152, "{", 6}, SMS_GSM7, 160, 1},
        {{"ж", 66, EMOJI, 2}, SMS_UCS2, 70, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_size(measure(&rows[i].sample), rows[i].alphabet, rows[i].units, rows[i].parts);
}

/* --- The SMS with a code --- */

#define HOST_24 "sign-in.shop.example.com"
#define HOST_36 "a." HOST_24 ".example.x"
#define HOST_38 "abc." HOST_24 ".example.x"

static void a_text_says_the_code_and_what_finds_it(void **state)
{
    (void)state;
    static const struct {
        enum sms_language language;
        const char *app_hash, *origin, *text;
    } rows[] = {
        {SMS_RUSSIAN, NULL, NULL, "Код: 123456"},
        {SMS_ENGLISH, NULL, NULL, "Code: 123456"},
        {SMS_RUSSIAN, HASH, NULL, "Код: 123456\n" HASH},
        {SMS_ENGLISH, HASH, NULL, "Code: 123456\n" HASH},
        {SMS_RUSSIAN, NULL, "example.com", "Код: 123456\n\n@example.com #123456"},
        {SMS_ENGLISH, NULL, "example.com", "Code: 123456\n\n@example.com #123456"},
        {SMS_RUSSIAN, HASH, "example.com", "Код: 123456\n" HASH "\n\n@example.com #123456"},
        {SMS_RUSSIAN, HASH, HOST_36, "Код: 123456\n" HASH "\n\n@" HOST_36 " #123456"},
        {SMS_RUSSIAN, HASH, HOST_38, "123456\n" HASH "\n\n@" HOST_38 " #123456"},
        {SMS_ENGLISH, HASH, HOST_38, "Code: 123456\n" HASH "\n\n@" HOST_38 " #123456"},
    };
    struct arena arena;

    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(
            sms_code_text(&arena, rows[i].language, "123456", rows[i].app_hash, rows[i].origin),
            rows[i].text);
    arena_done(&arena);
}

struct wish {
    enum sms_language language;
    const char *code, *app_hash, *origin;
};

/* Returns where the last line begins. */
static const char *last_line(const char *text)
{
    const char *feed = strrchr(text, '\n');

    return feed ? feed + 1 : text;
}

static bool ends_a_line(const char *text, const char *what)
{
    const char *at = strstr(text, what);

    return at && strchr("\n", at[strlen(what)]) != NULL;
}

static void assert_finds_its_way(struct arena *arena, const struct wish *wish, const char *text)
{
    assert_non_null(strstr(text, wish->code));
    if (wish->app_hash) assert_true(ends_a_line(text, wish->app_hash));
    if (wish->app_hash && !wish->origin) {
        assert_string_equal(last_line(text), wish->app_hash);
        assert_true(strlen(text) <= RETRIEVER_BYTES_MAX);
    }
    if (wish->origin)
        assert_string_equal(last_line(text),
                            arena_printf(arena, "@%s #%s", wish->origin, wish->code));
}

/* All is ASCII but the Russian wording, so parts follow from lengths. */
static void assert_says_no_more_than_is_free(const struct wish *wish, const char *text)
{
    bool is_bare = strncmp(text, wish->code, strlen(wish->code)) == 0;
    bool is_russian = wish->language == SMS_RUSSIAN;
    size_t bare = utf8_length(str_of(text)) - (is_bare ? 0 : is_russian ? 5 : 6);
    size_t worded = bare + (is_russian ? 5 : 6);
    size_t alone = is_russian ? 70 : 160, joined = is_russian ? 67 : 153;
    size_t bare_parts = bare <= 160 ? 1 : (bare + 152) / 153;
    size_t worded_parts = worded <= alone ? 1 : (worded + joined - 1) / joined;

    assert_int_equal(is_bare, worded_parts > bare_parts);
    assert_int_equal(sms_measure(text).parts, bare_parts);
}

static void check(const struct wish *wish)
{
    struct arena arena;

    arena_init(&arena);
    const char *text =
        sms_code_text(&arena, wish->language, wish->code, wish->app_hash, wish->origin);
    assert_finds_its_way(&arena, wish, text);
    assert_says_no_more_than_is_free(wish, text);
    arena_done(&arena);
}

static void a_text_holds_the_code_whatever_else_it_holds(void **state)
{
    (void)state;
    static const char *const codes[] = {"1234", "00000", "123456"};
    static const char *const hashes[] = {NULL, HASH};
    char host[HOST_MAX + 1];

    for (size_t len = 0; len <= HOST_MAX; len++) {
        memset(host, 'h', len);
        host[len] = '\0';
        for (size_t i = 0; i < COUNT_OF(codes) * COUNT_OF(hashes) * 2; i++)
            check(&(struct wish){
                .language = i % 2 == 0 ? SMS_RUSSIAN : SMS_ENGLISH,
                .code = codes[i / 2 % COUNT_OF(codes)],
                .app_hash = hashes[i / 2 / COUNT_OF(codes)],
                .origin = len > 0 ? host : NULL,
            });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_costs_what_its_table_says),
        cmocka_unit_test(one_foreign_character_makes_all_of_them_ucs2),
        cmocka_unit_test(an_empty_text_is_a_part),
        cmocka_unit_test(parts_are_full_before_there_is_another),
        cmocka_unit_test(a_pair_stays_in_one_part),
        cmocka_unit_test(a_text_says_the_code_and_what_finds_it),
        cmocka_unit_test(a_text_holds_the_code_whatever_else_it_holds),
    };
    return cmocka_run_group_tests_name("sms text", tests, NULL, NULL);
}
