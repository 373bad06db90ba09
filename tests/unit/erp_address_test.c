/* domain/integration/erp_address: which addresses and paths an ERP may have (contract, section 4).
 */
#include "domain/integration/erp_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A list of texts that ends with NULL; the first that is not as expected fails. */
static void assert_each(bool (*is_valid)(struct str text), const char *const *texts, bool expected)
{
    for (size_t i = 0; texts[i]; i++)
        if (is_valid(str_of(texts[i])) != expected)
            fail_msg("%s: '%s'", expected ? "refused" : "taken", texts[i]);
}

/* --- Addresses --- */

static void test_addresses_that_are_taken(void **state)
{
    static const char *const urls[] = {
        "https://erp.example",
        "http://erp.example",
        "https://erp.example/",
        "https://erp",
        "https://erp:8443",
        "https://erp.example:1/hs",
        "https://erp.example:65535",
        "https://10.0.0.7:8080/base",
        "https://[::1]",
        "https://[2001:db8::7]:8443/hs/",
        "https://[::ffff:10.0.0.7]",
        "https://xn--80ak6aa92e.example",
        "https://my_erp-2.example/a/b.c/~d/%D0%96/e;f=g,h",
        "https://erp.example/a..b/.../.c",
        "https://erp.example/user@host:1",
        "HTTPS://erp.example",
        "Http://erp.example",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, true);
}

/* Contract, section 4 "The ERP's address": what a token belongs to. */
static void test_origins(void **state)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } rows[] = {
        {"https://erp.example", "https://erp.example/hs/", true},
        {"https://erp.example", "https://ERP.Example:443", true},
        {"https://erp.example:443", "https://erp.example:00443/x", true},
        {"http://erp.example", "http://erp.example:80", true},
        {"https://[2001:db8::7]:8443/hs", "https://[2001:DB8:0:0:0:0:0:7]:8443", true},
        {"https://10.0.0.7:8080/base", "https://10.0.0.7:8080", true},
        {"https://erp.example", "http://erp.example", false},
        {"https://erp.example:443", "http://erp.example:443", false},
        {"https://erp.example:80", "http://erp.example", false},
        {"https://erp.example", "https://erp.example:8443", false},
        {"https://erp.example", "https://erp.example.evil", false},
        {"https://erp.example", "https://evil.example/erp.example", false},
        {"https://erp.example", "https://erp-example", false},
        {"https://xn--80ak6aa92e.example", "https://apple.example", false},
        {"https://[2001:db8::7]", "https://[2001:db8::8]", false},
        {"https://[::ffff:10.0.0.7]", "https://10.0.0.7", false},
        {"https://127.0.0.1", "https://127.1", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str a = str_of(rows[i].a), b = str_of(rows[i].b);
        assert_true(erp_url_is_valid(a) && erp_url_is_valid(b));
        if (erp_url_has_same_origin(a, b) != rows[i].is_same ||
            erp_url_has_same_origin(b, a) != rows[i].is_same)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
    assert_false(erp_url_is_valid(STR("https://erp.example./hs"))); /* so there is no such twin */
}

static void test_what_is_no_address(void **state)
{
    static const char *const urls[] = {
        "",
        "https",
        "https://",
        "http://",
        "https:///hs",
        "//erp.example",
        "erp.example",
        "ftp://erp.example",
        "httpss://erp.example",
        "https:/erp.example",
        "https:erp.example",
        " https://erp.example",
        "\thttps://erp.example",
        "https://erp.example ",
        "https://erp.example\n",
        "https://erp.example\r\nX: y",
        "https://erp.example/\r\nX: y",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, false);
    assert_false(erp_url_is_valid((struct str){"https://erp\0.example", 20}));
    assert_false(erp_url_is_valid((struct str){"https://erp/a\0b", 15}));
}

static void test_user_info_query_and_fragment(void **state)
{
    static const char *const urls[] = {
        "https://user@erp.example",
        "https://user:word@erp.example",
        "https://@erp.example",
        "https://erp.example?",
        "https://erp.example/hs?a=b",
        "https://erp.example#a",
        "https://erp.example/hs#",
        "https://erp.example?@other.example",
        "https://erp.example#@other.example",
        "https://erp.example\\@other.example",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, false);
}

static void test_ports(void **state)
{
    static const char *const urls[] = {
        "https://erp.example:",
        "https://erp.example:/hs",
        "https://erp.example:0",
        "https://erp.example:65536",
        "https://erp.example:+1",
        "https://erp.example:-1",
        "https://erp.example: 1",
        "https://erp.example:8o",
        "https://erp.example:000443",
        "https://erp.example:1:2",
        "https://:443",
        "https://[::1]:",
        "https://[::1]:0",
        "https://[::1]443",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, false);
}

static void test_hosts(void **state)
{
    static const char *const urls[] = {
        "https://erp..example",
        "https://.example",
        "https://erp.example.",
        "https://er p.example",
        "https://erp.example\\hs",
        "https://erp%2eexample",
        "https://Ж.example",
        "https://erp\x7f.example",
        "https://[::1",
        "https://[",
        "https://[]",
        "https://::1",
        "https://[::1]]",
        "https://[::1]hs",
        "https://[fe80::1%25eth0]",
        "https://[10.0.0.7]",
        "https://[0:0:0:0:0:0:0:0:0]",
        "https://[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, false);
}

#define TEN "xxxxxxxxxx"
#define L63 TEN TEN TEN TEN TEN TEN "xxx"

static void test_lengths_of_hosts(void **state)
{
    static const char *const fitting[] = {
        "https://" L63 ".example",
        "https://" L63 "." L63 "." L63 "." TEN TEN TEN TEN TEN TEN "x/hs", /* 253 */
        NULL,
    };
    static const char *const longer[] = {
        "https://" L63 "x.example",
        "https://" L63 "." L63 "." L63 "." TEN TEN TEN TEN TEN TEN "xx/hs",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, fitting, true);
    assert_each(erp_url_is_valid, longer, false);
}

static void test_paths_of_addresses(void **state)
{
    static const char *const urls[] = {
        "https://erp.example/a b",
        "https://erp.example/%",
        "https://erp.example/%2",
        "https://erp.example/%zz",
        "https://erp.example/Ж",
        "https://erp.example/a\\b",
        "https://erp.example/<a>",
        "https://erp.example/..",
        "https://erp.example/a/../b",
        "https://erp.example/./b",
        "https://erp.example/b/.",
        "https://erp.example/%2e%2E/b",
        "https://erp.example/a/.%2e",
        "https://erp.example/%2E",
        "https://erp.example/a\x7f",
        "https://erp.example/a/%2e./b/",
        NULL,
    };

    (void)state;
    assert_each(erp_url_is_valid, urls, false);
}

static void test_schemes(void **state)
{
    (void)state;
    assert_true(erp_url_is_https(STR("https://erp.example")));
    assert_false(erp_url_is_https(STR("http://erp.example")));
    assert_false(erp_url_is_https(STR("http://https://")));
}

static void test_slashes_at_the_end(void **state)
{
    (void)state;
    assert_true(str_is(erp_url_trim(STR("https://erp.example")), "https://erp.example"));
    assert_true(str_is(erp_url_trim(STR("https://erp.example/")), "https://erp.example"));
    assert_true(str_is(erp_url_trim(STR("https://erp.example/hs//")), "https://erp.example/hs"));
}

/* --- Paths --- */

static void test_paths_of_orders(void **state)
{
    static const char *const good[] = {
        "/",
        "/svc/v1/orders",
        "/hs/svc/v1/orders/",
        "/a-b_c.d~e",
        "/%D0%96",
        "/a..b",
        "/...",
        "//a",
        NULL,
    };
    static const char *const bad[] = {
        "",
        "svc/v1/orders",
        "https://erp.example/orders",
        "*",
        "/a?b",
        "/a?",
        "/a#b",
        "/a b",
        "/a\n",
        "/Ж",
        "/..",
        "/.",
        "/a/.",
        "/a/../b",
        "/./a",
        "/%2e",
        "/%",
        "/%4",
        "/%4g",
        "/a\\b",
        "/{a}",
        "/a\x7f",
        "..",
        "/a\r\nX: y",
        NULL,
    };

    (void)state;
    assert_each(erp_path_is_valid, good, true);
    assert_each(erp_path_is_valid, bad, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_that_are_taken),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_what_is_no_address),
        cmocka_unit_test(test_user_info_query_and_fragment),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_lengths_of_hosts),
        cmocka_unit_test(test_paths_of_addresses),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_slashes_at_the_end),
        cmocka_unit_test(test_paths_of_orders),
    };
    return cmocka_run_group_tests_name("erp_address", tests, NULL, NULL);
}
