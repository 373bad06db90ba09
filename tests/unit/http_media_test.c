/* Content-Type: the type, and a charset however it is written (contract, section 1 "Bodies"). */
#include "kit/base/macros.h"
#include "kit/http/media.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* In memory of the exact size: a byte read too far is seen. */
static struct str copy_of(const char *text)
{
    size_t len = strlen(text);
    char *copy = malloc(len > 0 ? len : 1);

    assert_non_null(copy);
    for (size_t i = 0; i < len; i++)
        copy[i] = text[i];
    return (struct str){copy, len};
}

static void check(const char *text, bool is_json, bool is_utf8)
{
    struct str value = copy_of(text);

    if (http_media_is(value, "application/json") != is_json) fail_msg("the type of: %s", text);
    if (http_media_is_utf8(value) != is_utf8) fail_msg("the charset of: %s", text);
    free((char *)value.data);
}

static void charsets_that_are_utf8(void **state)
{
    static const char *const rows[] = {
        "application/json",
        "application/json;",
        "application/json; charset=utf-8",
        "Application/JSON;CHARSET=UTF-8",
        "application/json ; charset=\"UTF-8\" ; x=y",
        "application/json; charset=\"utf\\-8\"",
        "application/json; charset=utf8",
        "application/json; x=y; charset=utf-8",
        "application/json; x=\"; charset=latin1\"; charset=utf-8",
        "application/json; x=\"a\\\"; charset=latin1\"",
        "application/json;;; ;",
        "application/json; charsets=latin1",
        "application/json; charset = utf-8",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i], true, true);
}

static void charsets_that_are_not(void **state)
{
    static const char *const rows[] = {
        "application/json; charset=windows-1251",
        "application/json; charset=ISO-8859-1",
        "application/json; charset=utf-16",
        "application/json; charset=us-ascii",
        "application/json; CharSet=\"Windows-1251\"",
        "application/json; charset=\"utf-8 \"",
        "application/json; charset='utf-8'",
        "application/json; charset=",
        "application/json; charset",
        "application/json; charset=\"\"",
        "application/json; charset=\"",
        "application/json; charset=\"utf-8-and-many-more-characters\"",
        "application/json; charset=utf-8; charset=latin1",
        "application/json; charset=latin1; charset=utf-8",
        "application/json; x=\"y\"; charset=latin1",
        "application/json; charset = latin1",
        "application/json;charset=utf-8x",
        "application/json; charset=\"\\",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i], true, false);
}

static void types_that_are_none(void **state)
{
    static const char *const rows[] = {
        "",
        ";",
        "json",
        "application/jsonp",
        "application/json-patch+json",
        "text/plain",
        "application /json",
        "\"application/json\"",
        "application/json, text/plain",
        ";application/json",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(rows[i], false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charsets_that_are_utf8),
        cmocka_unit_test(charsets_that_are_not),
        cmocka_unit_test(types_that_are_none),
    };
    return cmocka_run_group_tests_name("http_media", tests, NULL, NULL);
}
