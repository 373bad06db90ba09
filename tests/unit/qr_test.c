/* kit/qr: what is drawn of a symbol, and how long a text may be. */
#include "kit/base/macros.h"
#include "kit/qr/qr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_link_is_an_svg_image(void **state)
{
    static const char begin[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ";
    static const char finder[] = "M4 4h7v1h-7z"; /* behind the margin */
    AUTO_BUF svg = {0};
    (void)state;

    buf_init(&svg, QR_SVG_MAX);
    assert_int_equal(qr_svg("https://herald.example/pair?code=40718265", &svg), ERR_OK);
    assert_memory_equal(svg.data, begin, strlen(begin));
    assert_non_null(memmem(svg.data, svg.len, finder, strlen(finder)));
    assert_memory_equal(svg.data + svg.len - 6, "</svg>", 6);
}

/* The smallest symbol has 21 modules, and 29 with its margin: 15 lines of 29 blocks. */
static void a_terminal_has_two_rows_to_a_line(void **state)
{
    AUTO_BUF lines = {0};
    size_t ends = 0, whole = 0;
    (void)state;

    buf_init(&lines, QR_TERMINAL_MAX);
    assert_int_equal(qr_terminal("A", &lines), ERR_OK);
    for (size_t i = 0; i < lines.len; i++) {
        ends += lines.data[i] == '\n';
        whole += lines.len - i >= 3 && memcmp(lines.data + i, "\u2588", 3) == 0;
    }
    assert_int_equal(ends, 15);
    assert_true(whole > 20);
}

static void a_text_has_1_to_1000_bytes(void **state)
{
    static const struct {
        size_t len;
        enum err err;
    } cases[] = {{0, ERR_VALIDATION}, {1, ERR_OK}, {1000, ERR_OK}, {1001, ERR_VALIDATION}};
    (void)state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[QR_TEXT_MAX + 2] = "";
        AUTO_BUF svg = {0}, lines = {0};
        memset(text, 'x', cases[i].len);
        buf_init(&svg, QR_SVG_MAX);
        buf_init(&lines, QR_TERMINAL_MAX);
        assert_int_equal(qr_svg(text, &svg), cases[i].err);
        assert_int_equal(qr_terminal(text, &lines), cases[i].err);
        assert_false(svg.is_full || lines.is_full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_an_svg_image),
        cmocka_unit_test(a_terminal_has_two_rows_to_a_line),
        cmocka_unit_test(a_text_has_1_to_1000_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
