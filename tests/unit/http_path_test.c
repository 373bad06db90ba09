/* Segments, queries and percent-encoding. */
#include "kit/http/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The segments of `path`, each in brackets. */
static const char *segments_of(const char *path, char *out)
{
    struct str rest = str_of(path), segment;

    out[0] = '\0';
    while (http_path_next(&rest, &segment))
        sprintf(out + strlen(out), "[%.*s]", (int)segment.len, segment.data);
    return out;
}

static void test_segments(void **state)
{
    char out[128];
    (void)state;

    assert_string_equal(segments_of("/", out), "[]");
    assert_string_equal(segments_of("/a", out), "[a]");
    assert_string_equal(segments_of("/a/", out), "[a][]");
    assert_string_equal(segments_of("/a/b%2Fc", out), "[a][b%2Fc]");
    assert_string_equal(segments_of("//a", out), "[][a]");
    assert_string_equal(segments_of("/../.", out), "[..][.]");
    assert_string_equal(segments_of("", out), "");
    assert_string_equal(segments_of("a/b", out), "");
    assert_string_equal(segments_of("*", out), "");
}

/* The pairs of `query`, each as [name=value]. */
static const char *pairs_of(const char *query, char *out)
{
    struct str rest = str_of(query), name, value;

    out[0] = '\0';
    while (http_query_next(&rest, &name, &value))
        sprintf(out + strlen(out), "[%.*s=%.*s]", (int)name.len, name.data, (int)value.len,
                value.data);
    return out;
}

static void test_queries(void **state)
{
    char out[128];
    (void)state;

    assert_string_equal(pairs_of("", out), "");
    assert_string_equal(pairs_of("a=b", out), "[a=b]");
    assert_string_equal(pairs_of("a", out), "[a=]");
    assert_string_equal(pairs_of("a=", out), "[a=]");
    assert_string_equal(pairs_of("=b", out), "[=b]");
    assert_string_equal(pairs_of("a=b=c", out), "[a=b=c]");
    assert_string_equal(pairs_of("a=b&c=d", out), "[a=b][c=d]");
    assert_string_equal(pairs_of("&&a=b&&", out), "[a=b]");
    assert_string_equal(pairs_of("a=b%26c&d", out), "[a=b%26c][d=]");
}

struct decoding_row {
    const char *text;
    enum http_decoding decoding;
    const char *result; /* NULL: refused */
};

static const struct decoding_row decodings[] = {
    {"", HTTP_DECODE_PATH, ""},
    {"abc", HTTP_DECODE_PATH, "abc"},
    {"a%20b", HTTP_DECODE_PATH, "a b"},
    {"a+b", HTTP_DECODE_PATH, "a+b"},
    {"a+b", HTTP_DECODE_QUERY, "a b"},
    {"a%2Bb", HTTP_DECODE_QUERY, "a+b"},
    {"%41%4a%4A", HTTP_DECODE_PATH, "AJJ"},
    {"%D0%BF", HTTP_DECODE_PATH, "\xd0\xbf"},
    {"%ff", HTTP_DECODE_PATH, "\xff"},
    {"%2541", HTTP_DECODE_PATH, "%41"},
    {"%25", HTTP_DECODE_PATH, "%"},
    {"%2F..%2f", HTTP_DECODE_PATH, "/../"},
    {"%0d%0a", HTTP_DECODE_PATH, "\r\n"},
    {"%", HTTP_DECODE_PATH, NULL},
    {"%4", HTTP_DECODE_PATH, NULL},
    {"a%", HTTP_DECODE_PATH, NULL},
    {"%g1", HTTP_DECODE_PATH, NULL},
    {"%1g", HTTP_DECODE_PATH, NULL},
    {"%%41", HTTP_DECODE_PATH, NULL},
    {"% 1", HTTP_DECODE_PATH, NULL},
    {"%+1", HTTP_DECODE_QUERY, NULL},
    {"%u0041", HTTP_DECODE_PATH, NULL},
    {"%00", HTTP_DECODE_PATH, NULL},
    {"a%00b", HTTP_DECODE_QUERY, NULL},
};

static void check_decoding(const struct decoding_row *row, char *out)
{
    size_t len = SIZE_MAX;
    bool is_good = http_percent_decode(str_of(row->text), row->decoding, out, &len);

    if (is_good != (row->result != NULL)) fail_msg("\"%s\" was judged wrongly", row->text);
    if (!is_good) return;
    assert_string_equal(out, row->result);
    assert_int_equal(len, strlen(row->result));
}

static void test_decoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(decodings) / sizeof(decodings[0]); i++) {
        /* Exactly as much room as is promised, so that an overrun shows. */
        char *out = malloc(strlen(decodings[i].text) + 1);
        assert_non_null(out);
        check_decoding(&decodings[i], out);
        free(out);
    }
}

static void test_decoding_in_place(void **state)
{
    char text[] = "%D0%BF+%41";
    size_t len;
    (void)state;

    assert_true(http_percent_decode(str_of(text), HTTP_DECODE_QUERY, text, &len));
    assert_string_equal(text, "\xd0\xbf A");
}

static void test_every_byte(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        char text[4], out[4];
        size_t len;
        snprintf(text, sizeof(text), "%%%02x", byte);
        assert_true(http_percent_decode(str_of(text), HTTP_DECODE_PATH, out, &len));
        assert_int_equal(len, 1);
        assert_int_equal((unsigned char)out[0], byte);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),   cmocka_unit_test(test_queries),
        cmocka_unit_test(test_decoding),   cmocka_unit_test(test_decoding_in_place),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
