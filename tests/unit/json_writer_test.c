/* The writer: form, escapes, and that what it writes reads back as what was given. */
#include "kit/json/reader.h"
#include "kit/json/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { OUT_MAX = 100000 };

static void assert_out(struct buf *out, const char *expected)
{
    assert_false(out->is_full);
    buf_char(out, '\0');
    assert_string_equal(out->data, expected);
}

static void test_form(void **state)
{
    AUTO_BUF out = {0};
    struct json_writer w;

    (void)state;
    buf_init(&out, OUT_MAX);
    json_writer_init(&w, &out);
    json_object_begin(&w);
    json_put_text(&w, "text", "x");
    json_put_text(&w, "none", NULL);
    json_put_int(&w, "min", INT64_MIN);
    json_put_int(&w, "max", INT64_MAX);
    json_put_bool(&w, "yes", true);
    json_put_bool(&w, "no", false);
    json_key(&w, "list");
    json_array_begin(&w);
    json_array_begin(&w);
    json_array_end(&w);
    json_object_begin(&w);
    json_object_end(&w);
    json_null(&w);
    json_raw(&w, STR("1.50"));
    json_str(&w, (struct str){0});
    json_str(&w, STR(""));
    json_array_end(&w);
    json_key(&w, "quo\"te");
    json_int(&w, 0);
    json_object_end(&w);
    assert_out(&out, "{\"text\":\"x\",\"none\":null,\"min\":-9223372036854775808,"
                     "\"max\":9223372036854775807,\"yes\":true,\"no\":false,"
                     "\"list\":[[],{},null,1.50,null,\"\"],\"quo\\\"te\":0}");
}

static void test_escapes(void **state)
{
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x1b", "\"\\u0001\\u001f\\u001b\""},
        {"a\x7f"
         "b",
         "\"a\\u007fb\""},
        {"\xC2\x80\xC2\x85\xC2\x9F\xC2\xA0", "\"\\u0080\\u0085\\u009f\xC2\xA0\""},
        {"a\u2028b\u2029c\u2027\u202A", "\"a\\u2028b\\u2029c\u2027\u202A\""},
        {"Привет €", "\"Привет €\""},
        {"", "\"\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_BUF out = {0};
        struct json_writer w;
        buf_init(&out, OUT_MAX);
        json_writer_init(&w, &out);
        json_text(&w, rows[i].text);
        assert_out(&out, rows[i].json);
    }
}

static void test_every_character_comes_back(void **state)
{
    (void)state;
    for (unsigned point = 1; point < 0x3000; point++) {
        char text[4] = {0};
        if (point < 0x80) {
            text[0] = (char)point;
        } else if (point < 0x800) {
            text[0] = (char)(0xC0 | point >> 6);
            text[1] = (char)(0x80 | (point & 0x3F));
        } else {
            text[0] = (char)(0xE0 | point >> 12);
            text[1] = (char)(0x80 | (point >> 6 & 0x3F));
            text[2] = (char)(0x80 | (point & 0x3F));
        }
        AUTO_BUF out = {0};
        struct json_writer w;
        struct str back = {0};
        buf_init(&out, OUT_MAX);
        json_writer_init(&w, &out);
        json_text(&w, text);
        struct json_reader *reader = json_reader_new(10);
        json_feed(reader, buf_view(&out), true);
        assert_int_equal(json_next(reader, &back), JSON_STRING);
        assert_true(str_is(back, text));
        assert_int_equal(json_next(reader, NULL), JSON_END);
        json_reader_free(reader);
    }
}

static void test_deepest(void **state)
{
    AUTO_BUF out = {0};
    struct json_writer w;

    (void)state;
    buf_init(&out, OUT_MAX);
    json_writer_init(&w, &out);
    for (int i = 0; i < 64; i++) {
        json_array_begin(&w);
        json_int(&w, i);
    }
    for (int i = 0; i < 64; i++)
        json_array_end(&w);

    struct json_reader *reader = json_reader_new(10);
    enum json_token token;
    json_feed(reader, buf_view(&out), true);
    while ((token = json_next(reader, NULL)) > JSON_END)
        ;
    assert_int_equal(token, JSON_END);
    json_reader_free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_every_character_comes_back),
        cmocka_unit_test(test_deepest),
    };
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
