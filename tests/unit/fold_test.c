/* kit/base/fold, and the characters that it is asked with. What names lose is catalog_name_test's.
 */
#include "kit/base/fold.h"
#include "kit/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_letter_loses_its_case(void **state)
{
    static const uint32_t rows[][2] = {
        {0, 0},
        {'@', '@'},
        {'A', 'a'},
        {'Z', 'z'},
        {'[', '['},
        {'a', 'a'},
        {0xC9, 0xE9},
        {0xD7, 0xD7},
        {0x178, 0xFF},
        {0x401, 0x451},
        {0x410, 0x430},
        {0x4D8, 0x4D9},
        {0x1E9E, 0xDF},
        {0x212A, 'k'},
        {0x4E2D, 0x4E2D},
        {0x10400, 0x10428},
        {0x1F600, 0x1F600},
        {0x10FFFF, 0x10FFFF},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(fold_point(rows[i][0]), rows[i][1]);
}

static void characters_are_taken_one_by_one(void **state)
{
    static const uint32_t points[] = {'a', 0x416, 0x2011, 0x1F600, 'z'};
    struct str rest = STR("a\xD0\x96\xE2\x80\x91\xF0\x9F\x98\x80z");
    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        assert_int_equal(utf8_take(&rest), points[i]);
    assert_int_equal(rest.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_loses_its_case),
        cmocka_unit_test(characters_are_taken_one_by_one),
    };
    return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
