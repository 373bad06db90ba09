/* kit/base/log: what may be shown is shown, and breaks no line, frame or terminal. */
#include "kit/base/log.h"
#include "kit/base/log_names.h"
#include "kit/base/macros.h"
#include "log_capture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_encoded(const struct log_field *fields, size_t count, bool is_sensitive,
                           const char *expected)
{
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    log_encode_fields(&out, fields, count, is_sensitive);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

/* --- What is shown --- */

static const struct uuid some_id = {.bytes = {0x01, 0x92, [15] = 0x8f}};

static void fields_are_masked_by_type(void **state)
{
    (void)state;
    static const struct {
        struct log_field field;
        const char *shown, *sensitive;
    } rows[] = {
        {{"text", LOG_FIELD_ID, "plain", 0, {{0}}}, "{\"text\":\"plain\"}", "{\"text\":\"plain\"}"},
        {{"n", LOG_FIELD_INT, NULL, INT64_MIN, {{0}}},
         "{\"n\":-9223372036854775808}",
         "{\"n\":-9223372036854775808}"},
        {{"yes", LOG_FIELD_BOOL, NULL, 1, {{0}}}, "{\"yes\":true}", "{\"yes\":true}"},
        {{"no", LOG_FIELD_BOOL, NULL, 0, {{0}}}, "{\"no\":false}", "{\"no\":false}"},
        {{"caller", LOG_FIELD_PHONE, "+79161234567", 0, {{0}}},
         "{\"caller\":\"+7916***4567\"}",
         "{\"caller\":\"+79161234567\"}"},
        {{"caller", LOG_FIELD_PHONE, "89161234567", 0, {{0}}},
         "{\"caller\":\"+7916***4567\"}",
         "{\"caller\":\"89161234567\"}"},
        {{"name", LOG_FIELD_WORDS, "phone of 8 916 123-45-67 \n", 0, {{0}}},
         "{\"name\":\"phone of ***67 \\u000a\"}",
         "{\"name\":\"phone of 8 916 123-45-67 \\u000a\"}"},
        {{"name", LOG_FIELD_WORDS, "by hs_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw!", 0, {{0}}},
         "{\"name\":\"by ***!\"}",
         "{\"name\":\"by ***!\"}"},
        {{"key", LOG_FIELD_SECRET, "hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw", 0, {{0}}},
         "{}",
         "{\"key\":\"hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw\"}"},
        {{"address", LOG_FIELD_PLAIN, "203.0.113.250", 0, {{0}}},
         "{\"address\":\"203.0.113.250\"}",
         "{\"address\":\"203.0.113.250\"}"},
        {{"address", LOG_FIELD_PLAIN, NULL, 0, {{0}}}, "{}", "{}"},
        {{"code", LOG_FIELD_SECRET, "493021", 0, {{0}}}, "{}", "{\"code\":\"493021\"}"},
        {{"text", LOG_FIELD_WORDS, NULL, 0, {{0}}}, "{}", "{}"},
        {{"event_id", LOG_FIELD_ID, "79161234567", 0, {{0}}},
         "{\"event_id\":\"+7916***4567\"}",
         "{\"event_id\":\"79161234567\"}"},
        {{"event_id", LOG_FIELD_ID, "a-79161234567", 0, {{0}}},
         "{\"event_id\":\"a-79161234567\"}",
         "{\"event_id\":\"a-79161234567\"}"},
        {{"caller", LOG_FIELD_PHONE, NULL, 0, {{0}}}, "{}", "{}"},
        {{"code", LOG_FIELD_SECRET, NULL, 0, {{0}}}, "{}", "{}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_encoded(&rows[i].field, 1, false, rows[i].shown);
        assert_encoded(&rows[i].field, 1, true, rows[i].sensitive);
    }
}

static void fields_stand_side_by_side(void **state)
{
    (void)state;
    const struct log_field fields[] = {
        log_secret("code", "493021"),
        log_uuid("id", &some_id),
        log_plain("none", NULL),
        log_int("n", 7),
        log_phone("recipient", "+79161234567"),
        log_secret("key", "hd_x"),
    };
    assert_encoded(fields, COUNT_OF(fields), false,
                   "{\"id\":\"01920000-0000-0000-0000-00000000008f\",\"n\":7,"
                   "\"recipient\":\"+7916***4567\"}");
    assert_encoded(fields, COUNT_OF(fields), true,
                   "{\"code\":\"493021\",\"id\":\"01920000-0000-0000-0000-00000000008f\",\"n\":7,"
                   "\"recipient\":\"+79161234567\",\"key\":\"hd_x\"}");
    assert_encoded(NULL, 0, false, "{}");
}

/* People may put anything into a name. */
static void name_stands_beside_its_id(void **state)
{
    (void)state;
    const struct log_field fields[] = {log_device(&some_id), log_int("n", 7)};
#define ID "\"device_id\":\"01920000-0000-0000-0000-00000000008f\","
    assert_encoded(fields, COUNT_OF(fields), false, "{" ID "\"n\":7}");
    log_keep_name(&some_id, "Hall \"2\", 8 916 123-45-67");
    assert_true(log_name_is_fresh(&some_id));
    assert_encoded(fields, COUNT_OF(fields), false,
                   "{" ID "\"device_name\":\"Hall \\\"2\\\", ***67\",\"n\":7}");
    assert_encoded(fields, COUNT_OF(fields), true,
                   "{" ID "\"device_name\":\"Hall \\\"2\\\", 8 916 123-45-67\",\"n\":7}");
    log_keep_name(&some_id, "Shop");
    assert_encoded(fields, 1, false, "{" ID "\"device_name\":\"Shop\"}");
#undef ID
}

static void names_are_bounded(void **state)
{
    (void)state;
    enum { MANY = 20 * 1000 };
    AUTO_BUF name = {0};
    buf_init(&name, 100);
    for (int i = 0; i < MANY; i++) {
        struct uuid id = {.bytes = {[12] = (uint8_t)(i >> 16), (uint8_t)(i >> 8), 7, (uint8_t)i}};
        log_keep_name(&id, "x");
        buf_clear(&name);
        assert_true(log_copy_name(&id, &name));
        assert_true(str_is(buf_view(&name), "x"));
    }
    assert_false(log_name_is_fresh(&(struct uuid){.bytes = {[12] = 0, 0, 7, 1}}));
}

/* --- Escaping --- */

static void text_is_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"", ""},
        {"a\"b\\c/d", "a\\\"b\\\\c/d"},
        {"a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"},
        {"\x01\x1b[2J\x1f", "\\u0001\\u001b[2J\\u001f"},
        {"\x7f", "\\u007f"},
        {"a\u2028b\u2029c", "a\\u2028b\\u2029c"},
        {"\u2028", "\\u2028"},
        {"\u2027\u202f", "\u2027\u202f"},
        {"\u202ea\u2066b\u2069", "\\u202ea\\u2066b\\u2069"}, /* turns what follows around */
        {"Код €😀", "Код €😀"},
        {"\xE2\x80", "\xE2\x80"}, /* cut off: no byte behind it is looked at */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char expected[128];
        struct log_field field = log_plain("t", rows[i].text);
        snprintf(expected, sizeof expected, "{\"t\":\"%s\"}", rows[i].json);
        assert_encoded(&field, 1, false, expected);
    }
}

/* log.h promises that no content breaks a terminal. U+009B begins a command to a terminal as ESC [
 * does, U+0085 ends a line: the JSON writer escapes both. */
static void c1_control_characters_are_escaped(void **state)
{
    (void)state;
    struct log_field field = log_plain("t", "a\xC2\x80\xC2\x85\xC2\x9B"
                                            "2J\xC2\x9F\xC2\xA0");
    assert_encoded(&field, 1, false, "{\"t\":\"a\\u0080\\u0085\\u009b2J\\u009f\xC2\xA0\"}");
}

static void names_are_escaped_too(void **state)
{
    (void)state;
    struct log_field field = log_id("a\"\n", "x");
    assert_encoded(&field, 1, false, "{\"a\\\"\\u000a\":\"x\"}");
}

/* --- The process's own log --- */

static void an_entry_is_one_line_of_json(void **state)
{
    (void)state;
    struct log_capture capture = log_capture_begin();
    log_write(LOG_WARNING, "two\nlines",
              LOG_FIELDS(log_phone("recipient", "+79161234567"), log_secret("code", "493021")));
    char *text = log_capture_end(capture);
    const char *rest = strstr(text, "\"level\"");
    assert_non_null(rest);
    assert_string_equal(rest, "\"level\":\"warning\",\"message\":\"two\\u000alines\","
                              "\"fields\":{\"recipient\":\"+7916***4567\"}}\n");
    assert_memory_equal(text, "{\"at\":\"20", 9);
    assert_int_equal(rest - text, strlen("{\"at\":\"2026-11-21T04:33:00.123Z\","));
    free(text);
}

static size_t lines_in(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void entries_below_the_level_are_dropped(void **state)
{
    (void)state;
    for (int shown = LOG_DEBUG; shown < LOG_LEVEL_COUNT; shown++) {
        struct log_capture capture = log_capture_begin();
        log_set_level((enum log_level)shown);
        for (int level = LOG_DEBUG; level < LOG_LEVEL_COUNT; level++)
            log_write((enum log_level)level, "said", NULL, 0);
        char *text = log_capture_end(capture);
        assert_int_equal(lines_in(text), LOG_LEVEL_COUNT - shown);
        for (int level = LOG_DEBUG; level < LOG_LEVEL_COUNT; level++) {
            char mark[32];
            snprintf(mark, sizeof mark, "\"level\":\"%s\"", log_level_words[level]);
            assert_int_equal(strstr(text, mark) != NULL, level >= shown);
        }
        free(text);
    }
    log_set_level(LOG_INFO);
}

static void an_entry_too_long_is_no_half_line(void **state)
{
    (void)state;
    char *longest = calloc(1, 20001);
    memset(longest, 'x', 20000);
    struct log_capture capture = log_capture_begin();
    log_write(LOG_ERROR, "too long", LOG_FIELDS(log_plain("text", longest)));
    char *text = log_capture_end(capture);
    size_t len = strlen(text);
    assert_true(len == 0 || strcmp(text + len - 3, "}}\n") == 0);
    free(text);
    free(longest);
}

static void *write_lines(void *arg)
{
    for (int i = 0; i < 500; i++)
        log_write(LOG_INFO, "from a thread", LOG_FIELDS(log_plain("thread", arg), log_int("i", i)));
    return NULL;
}

static void lines_of_several_threads_do_not_mix(void **state)
{
    (void)state;
    static char names[4][2] = {"a", "b", "c", "d"};
    pthread_t threads[4];
    struct log_capture capture = log_capture_begin();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, names[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    char *text = log_capture_end(capture);
    assert_int_equal(lines_in(text), 4 * 500);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_memory_equal(line, "{\"at\":\"", 7);
        assert_string_equal(line + strlen(line) - 2, "}}");
        assert_non_null(strstr(line, "\"message\":\"from a thread\",\"fields\":{\"thread\":"));
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_masked_by_type),
        cmocka_unit_test(fields_stand_side_by_side),
        cmocka_unit_test(name_stands_beside_its_id),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(c1_control_characters_are_escaped),
        cmocka_unit_test(names_are_escaped_too),
        cmocka_unit_test(an_entry_is_one_line_of_json),
        cmocka_unit_test(entries_below_the_level_are_dropped),
        cmocka_unit_test(an_entry_too_long_is_no_half_line),
        cmocka_unit_test(lines_of_several_threads_do_not_mix),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
