/* The reader: tokens, faults with their offsets, limits, and that pieces change nothing. */
#include "json_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { TOKEN_MAX = 1000 };

static void assert_trace(struct str text, size_t piece, size_t token_max, const char *expected)
{
    AUTO_BUF trace = {0};

    buf_init(&trace, TRACE_MAX);
    trace_text(text, piece, token_max, &trace);
    buf_char(&trace, '\0');
    assert_string_equal(trace.data, expected);
}

/* In one piece, byte by byte, and in every size between. */
static void assert_trace_any_piece(const char *text, size_t token_max, const char *expected)
{
    struct str s = str_of(text);
    for (size_t piece = 1; piece <= s.len + 1; piece++)
        assert_trace(s, piece, token_max, expected);
}

static void test_tokens(void **state)
{
    (void)state;
    assert_trace_any_piece(" {\"a\" : [1, -2.50e+3 ,true,false,null],\"\":\"x\"} ", TOKEN_MAX,
                           "{ 1-2 depth 1\n"
                           "key 2-5 depth 1 <1:a>\n"
                           "[ 8-9 depth 2\n"
                           "number 9-10 depth 2 <1:1>\n"
                           "number 12-20 depth 2 <8:-2.50e+3>\n"
                           "true 22-26 depth 2\n"
                           "false 27-32 depth 2\n"
                           "null 33-37 depth 2\n"
                           "] 37-38 depth 1\n"
                           "key 39-41 depth 1 <0:>\n"
                           "string 42-45 depth 1 <1:x>\n"
                           "} 45-46 depth 0\n"
                           "end 47-47 depth 0\n");
    assert_trace_any_piece("0", TOKEN_MAX, "number 0-1 depth 0 <1:0>\nend 1-1 depth 0\n");
    assert_trace_any_piece("\"\"", TOKEN_MAX, "string 0-2 depth 0 <0:>\nend 2-2 depth 0\n");
    assert_trace_any_piece("[]", TOKEN_MAX, "[ 0-1 depth 1\n] 1-2 depth 0\nend 2-2 depth 0\n");
}

static void test_strings(void **state)
{
    static const struct {
        const char *json, *text;
    } rows[] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u0416\\u20AC\"", "Aé\u0416€"},
        {"\"\\ud83d\\uDE00!\"", "\U0001F600!"},
        {"\"Привет, мир\"", "Привет, мир"},
        {"\"\U0001F600\U0010FFFF\"", "\U0001F600\U0010FFFF"},
        {"\"\x7f\"", "\x7f"},
        {"\"a long run of plain text, Ж and \\u0416 in it\"",
         "a long run of plain text, Ж and Ж in it"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char expected[300];
        size_t len = strlen(rows[i].json);
        snprintf(expected, sizeof(expected), "string 0-%zu depth 0 <%zu:%s>\nend %zu-%zu depth 0\n",
                 len, strlen(rows[i].text), rows[i].text, len, len);
        assert_trace_any_piece(rows[i].json, TOKEN_MAX, expected);
    }
}

static const struct fault_row {
    const char *json, *fault;
} fault_rows[] = {
    {"", "fault 0 The text ends before a value.\n"},
    {"  ", "fault 2 The text ends before a value.\n"},
    {"\xEF\xBB\xBF{}", "fault 0 A byte order mark is not allowed.\n"},
    {"{}x", "fault 2 Nothing may follow the value.\n"},
    {"{} {}", "fault 3 Nothing may follow the value.\n"},
    {"[1,]", "fault 3 Expected a value.\n"},
    {"[,1]", "fault 1 Expected a value.\n"},
    {"[1 2]", "fault 3 Expected a comma or ].\n"},
    {"[1}", "fault 2 Expected a comma or ].\n"},
    {"{\"a\":1]", "fault 6 Expected a comma or }.\n"},
    {"{\"a\" 1}", "fault 5 Expected a colon after the key.\n"},
    {"{a:1}", "fault 1 Expected a key in double quotes or }.\n"},
    {"{\"a\":1,}", "fault 7 Expected a key in double quotes.\n"},
    {"[1", "fault 2 The text ends inside an array.\n"},
    {"{\"a\":", "fault 5 The text ends inside an object.\n"},
    {"\"abc", "fault 4 The text ends inside a string.\n"},
    {"\"\\", "fault 2 The text ends inside a string.\n"},
    {"\"\\u12", "fault 5 The text ends inside a string.\n"},
    {"\"\xD0", "fault 2 The text ends inside a string.\n"},
    {"tru", "fault 3 The text ends inside true, false or null.\n"},
    {"trux", "fault 3 Expected a value: only true, false and null stand without quotes.\n"},
    {"truex", "fault 4 Nothing may follow the value.\n"},
    {"NaN", "fault 0 Expected a value.\n"},
    {"-", "fault 1 The text ends inside a number.\n"},
    {"-x", "fault 1 A number needs a digit here.\n"},
    {"+1", "fault 0 Expected a value.\n"},
    {"1.", "fault 2 The text ends inside a number.\n"},
    {"[1.]", "fault 3 A number needs a digit here.\n"},
    {"[1e]", "fault 3 A number needs a digit here.\n"},
    {"[1e+]", "fault 4 A number needs a digit here.\n"},
    {"[.5]", "fault 1 Expected a value.\n"},
    {"[012]", "fault 2 A number must not begin with 0.\n"},
    {"[-01]", "fault 3 A number must not begin with 0.\n"},
    {"\"a\x1f\"", "fault 2 A control character in a string must be escaped.\n"},
    {"\"a\nb\"", "fault 2 A control character in a string must be escaped.\n"},
    {"\"ab\\x\"", "fault 3 After a backslash only \" \\ / b f n r t and u are allowed.\n"},
    {"\"\\u12G4\"", "fault 1 \\u needs four hexadecimal digits.\n"},
    {"\"ab\\u0000\"", "fault 3 \\u0000 is not allowed in strings.\n"},
    {"{\"\\u0000\":1}", "fault 2 \\u0000 is not allowed in strings.\n"},
    {"\"\\ud800\"", "fault 1 A \\u surrogate has no other half.\n"},
    {"\"\\ud800\\n\"", "fault 1 A \\u surrogate has no other half.\n"},
    {"\"\\ud800\\u0041\"", "fault 1 A \\u surrogate has no other half.\n"},
    {"\"\\ud800\\ud800\"", "fault 1 A \\u surrogate has no other half.\n"},
    {"\"\\udc00\"", "fault 1 A \\u surrogate has no other half.\n"},
    {"\"ab\xC0\x80\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xC1\xBF\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xE0\x9F\xBF\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xED\xA0\x80\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xF0\x8F\xBF\xBF\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xF4\x90\x80\x80\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xF5\x80\x80\x80\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\x80\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xD0\"", "fault 3 The bytes are not valid UTF-8.\n"},
    {"\"ab\xD0\x96\xE2\x82\"", "fault 5 The bytes are not valid UTF-8.\n"},
};

/* The trace's last line is the fault, whatever the pieces. */
static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(fault_rows) / sizeof(*fault_rows); i++) {
        struct str text = str_of(fault_rows[i].json);
        for (size_t piece = 1; piece <= text.len + 1; piece++) {
            AUTO_BUF trace = {0};
            buf_init(&trace, TRACE_MAX);
            assert_int_equal(trace_text(text, piece, TOKEN_MAX, &trace), JSON_FAULT);
            buf_char(&trace, '\0');
            const char *fault = strstr(trace.data, "fault");
            assert_non_null(fault);
            assert_string_equal(fault, fault_rows[i].fault);
        }
    }
}

static enum json_token verdict(struct str text, size_t piece, size_t token_max)
{
    AUTO_BUF trace = {0};
    buf_init(&trace, TRACE_MAX);
    return trace_text(text, piece, token_max, &trace);
}

static void test_zero_byte(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 6; piece++) {
        assert_int_equal(verdict(STR("\"a\0b\""), piece, TOKEN_MAX), JSON_FAULT);
        assert_int_equal(verdict(STR("[1]\0"), piece, TOKEN_MAX), JSON_FAULT);
    }
}

/* Brackets of both kinds, `depth` deep. */
static enum json_token verdict_of_depth(unsigned depth)
{
    AUTO_BUF text = {0};

    buf_init(&text, 10000);
    for (unsigned i = 0; i < depth; i++)
        buf_text(&text, i % 2 ? "{\"k\":" : "[");
    buf_text(&text, "0");
    for (unsigned i = depth; i-- > 0;)
        buf_text(&text, i % 2 ? "}" : "]");
    assert_int_equal(verdict(buf_view(&text), 1, TOKEN_MAX),
                     verdict(buf_view(&text), 10000, TOKEN_MAX));
    return verdict(buf_view(&text), 7, TOKEN_MAX);
}

static void test_depth(void **state)
{
    (void)state;
    assert_int_equal(verdict_of_depth(JSON_DEPTH_MAX), JSON_END);
    assert_int_equal(verdict_of_depth(JSON_DEPTH_MAX + 1), JSON_FAULT);
}

static void test_token_max(void **state)
{
    static const char *const of_four_bytes[] = {
        "\"abcd\"", "\"ab\\u0416\"", "\"\\u0041\\n\\n\\n\"", "\"ЖЖ\"", "\"\\ud83d\\ude00\"",
        "1234",     "-1e5",          "{\"abcd\":1}"};

    (void)state;
    for (size_t i = 0; i < sizeof(of_four_bytes) / sizeof(*of_four_bytes); i++) {
        struct str text = str_of(of_four_bytes[i]);
        AUTO_BUF whole = {0};
        buf_init(&whole, TRACE_MAX);
        assert_int_equal(trace_text(text, text.len, 3, &whole), JSON_FAULT);
        for (size_t piece = 1; piece <= text.len + 1; piece++) {
            AUTO_BUF trace = {0};
            buf_init(&trace, TRACE_MAX);
            assert_int_equal(verdict(text, piece, 4), JSON_END);
            assert_int_equal(trace_text(text, piece, 3, &trace), JSON_FAULT);
            assert_int_equal(trace.len, whole.len);
            assert_memory_equal(trace.data, whole.data, whole.len);
        }
    }
    /* A fault behind the maximum is not looked at, however the text was cut. */
    assert_trace_any_piece("\"abcd\\x\"", 3, "fault 0 A string or number is too long.\n");
    assert_trace_any_piece("12345x", 3, "fault 0 A string or number is too long.\n");
}

/* A token within one piece is not copied. */
static void test_views(void **state)
{
    struct str text = STR("{\"key\":\"value\",\"n\":12}");
    struct json_reader *reader = json_reader_new(TOKEN_MAX);
    struct str token;

    (void)state;
    json_feed(reader, text, true);
    assert_int_equal(json_next(reader, NULL), JSON_OBJECT_BEGIN);
    assert_int_equal(json_next(reader, &token), JSON_KEY);
    assert_ptr_equal(token.data, text.data + 2);
    assert_int_equal(json_next(reader, &token), JSON_STRING);
    assert_ptr_equal(token.data, text.data + 8);
    assert_int_equal(json_next(reader, NULL), JSON_KEY);
    assert_int_equal(json_next(reader, &token), JSON_NUMBER);
    assert_ptr_equal(token.data, text.data + 19);
    json_reader_free(reader);
}

static void test_final_answers_stay(void **state)
{
    struct json_reader *reader = json_reader_new(TOKEN_MAX);

    (void)state;
    json_feed(reader, STR("1 "), false);
    assert_int_equal(json_next(reader, NULL), JSON_NUMBER);
    assert_int_equal(json_next(reader, NULL), JSON_MORE);
    json_feed(reader, (struct str){0}, true);
    assert_int_equal(json_next(reader, NULL), JSON_END);
    assert_int_equal(json_next(reader, NULL), JSON_END);
    assert_int_equal(json_end_offset(reader), 2);
    json_reader_free(reader);

    reader = json_reader_new(TOKEN_MAX);
    json_feed(reader, STR("]"), true);
    assert_int_equal(json_next(reader, NULL), JSON_FAULT);
    assert_int_equal(json_next(reader, NULL), JSON_FAULT);
    json_reader_free(reader);
    json_reader_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_depth),  cmocka_unit_test(test_token_max),
        cmocka_unit_test(test_views),  cmocka_unit_test(test_final_answers_stay),
    };
    return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
