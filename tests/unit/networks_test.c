/* kit/fetch/networks: what a list of networks may say, and which addresses it allows. */
#include "kit/fetch/networks.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/un.h>

#include <cmocka.h>

static bool is_list(const char *text)
{
    struct networks networks;
    return networks_parse(str_of(text), &networks);
}

static struct networks parse(const char *text)
{
    struct networks networks;
    if (!networks_parse(str_of(text), &networks)) fail_msg("refused: '%s'", text);
    return networks;
}

static bool allows(const struct networks *networks, const char *text)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &ipv4.sin_addr) == 1)
        return networks_allow(networks, (const struct sockaddr *)&ipv4);
    if (inet_pton(AF_INET6, text, &ipv6.sin6_addr) != 1) fail_msg("no address: '%s'", text);
    return networks_allow(networks, (const struct sockaddr *)&ipv6);
}

static void assert_allows(const char *list, const char *address, bool expected)
{
    struct networks networks = parse(list);
    if (allows(&networks, address) != expected)
        fail_msg("'%s' %s %s", list, expected ? "refuses" : "allows", address);
}

/* --- Lists --- */

static void test_lists(void **state)
{
    static const char *const lists[] = {
        "public",
        "private",
        "loopback",
        "public,private",
        " public , private\t,loopback",
        "private,private",
        "10.0.0.0/8",
        "0.0.0.0/0",
        "::/0",
        "10.1.2.3/32",
        "fd00::/8",
        "fd12:3456::1/128",
        "2001:DB8::/32",
        "169.254.0.0/16",
        "public,10.0.0.0/8,fd00::/8",
        "10.0.0.0/9",
        "10.128.0.0/9",
        "fe00::/7",
        "64:ff9b:1::/48",
        NULL,
    };

    (void)state;
    for (size_t i = 0; lists[i]; i++)
        if (!is_list(lists[i])) fail_msg("refused: '%s'", lists[i]);
}

static void test_what_is_no_list(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        ",",
        "public,",
        ",public",
        "public,,private",
        "public private",
        "public;private",
        "Public",
        "all",
        "*",
        "localhost",
        "erp.example/8",
        "10.0.0.0",
        "fd00::",
        "10.0.0.0/",
        "10.0.0.0/ 8",
        "10.0.0.0 /8",
        "10.0.0.0/+8",
        "10.0.0.0/-0",
        "10.0.0.0/08",
        "10.0.0.0/00",
        "10.0.0.0/33",
        "10.0.0.0/8/8",
        "10.0.0.0/255.0.0.0",
        "10.0.0.0/99999999999999999999",
        "10.0.0/8",
        "10/8",
        "010.0.0.0/8",
        "0x0a.0.0.0/8",
        "10.0.0.0.0/8",
        "/8",
        "fd00::/129",
        "fd00::/-1",
        "[fd00::]/8",
        "fe80::%eth0/64",
        "fd00::1::/8",
        "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/8",
        /* A bit behind the prefix: is it that host or its network? */
        "10.0.0.1/8",
        "10.64.0.0/9",
        "0.0.0.1/0",
        "10.1.2.3/31",
        "fd00::1/8",
        "fd00:8000::/16",
        "::1/0",
        "::1/127",
        /* All that is in them is judged as IPv4. */
        "::ffff:10.0.0.0/104",
        "::ffff:0:0/96",
        "64:ff9b::/96",
        "64:ff9b::a00:0/104",
        "2002::/16",
        "2002:a00::/24",
        NULL,
    };

    (void)state;
    for (size_t i = 0; texts[i]; i++)
        if (is_list(texts[i])) fail_msg("taken: '%s'", texts[i]);
    assert_false(networks_parse((struct str){"10.0.0.0/8\0", 11}, &(struct networks){0}));
}

static void test_list_has_an_end(void **state)
{
    char text[(NETWORKS_MAX + 1) * 16];
    size_t len = 0;

    (void)state;
    for (int i = 0; i < NETWORKS_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "10.%d.0.0/16,", i);
    struct networks networks;
    assert_true(networks_parse((struct str){text, len - 1}, &networks));
    assert_true(allows(&networks, "10.63.0.1"));
    assert_false(allows(&networks, "10.64.0.1"));
    snprintf(text + len, sizeof(text) - len, "loopback");
    assert_true(is_list(text)); /* words are not counted */
    snprintf(text + len, sizeof(text) - len, "11.0.0.0/8");
    assert_false(is_list(text));
}

/* --- Addresses --- */

enum { PUBLIC = 1, PRIVATE = 2, LOOPBACK = 4, NEVER = 0 };

/* The first and the last address of each class, and their neighbours. */
static const struct {
    const char *address;
    int class;
} addresses[] = {
    {"0.0.0.0", NEVER},
    {"0.255.255.255", NEVER},
    {"1.0.0.0", PUBLIC},
    {"9.255.255.255", PUBLIC},
    {"10.0.0.0", PRIVATE},
    {"10.255.255.255", PRIVATE},
    {"11.0.0.0", PUBLIC},
    {"100.63.255.255", PUBLIC},
    {"100.64.0.0", PRIVATE},
    {"100.100.100.199", PRIVATE},
    {"100.100.100.200", NEVER},
    {"100.100.100.201", PRIVATE},
    {"100.127.255.255", PRIVATE},
    {"100.128.0.0", PUBLIC},
    {"126.255.255.255", PUBLIC},
    {"127.0.0.0", LOOPBACK},
    {"127.0.0.1", LOOPBACK},
    {"127.255.255.255", LOOPBACK},
    {"128.0.0.0", PUBLIC},
    {"168.63.129.15", PUBLIC},
    {"168.63.129.16", NEVER},
    {"168.63.129.17", PUBLIC},
    {"169.253.255.255", PUBLIC},
    {"169.254.0.0", NEVER},
    {"169.254.169.254", NEVER},
    {"169.254.255.255", NEVER},
    {"169.255.0.0", PUBLIC},
    {"172.15.255.255", PUBLIC},
    {"172.16.0.0", PRIVATE},
    {"172.31.255.255", PRIVATE},
    {"172.32.0.0", PUBLIC},
    {"191.255.255.255", PUBLIC},
    {"192.0.0.0", NEVER},
    {"192.0.0.192", NEVER},
    {"192.0.0.255", NEVER},
    {"192.0.1.0", PUBLIC},
    {"192.0.1.255", PUBLIC},
    {"192.0.2.0", NEVER},
    {"192.0.2.255", NEVER},
    {"192.0.3.0", PUBLIC},
    {"192.88.98.255", PUBLIC},
    {"192.88.99.0", NEVER},
    {"192.88.99.255", NEVER},
    {"192.88.100.0", PUBLIC},
    {"192.167.255.255", PUBLIC},
    {"192.168.0.0", PRIVATE},
    {"192.168.255.255", PRIVATE},
    {"192.169.0.0", PUBLIC},
    {"198.17.255.255", PUBLIC},
    {"198.18.0.0", NEVER},
    {"198.19.255.255", NEVER},
    {"198.20.0.0", PUBLIC},
    {"198.51.99.255", PUBLIC},
    {"198.51.100.0", NEVER},
    {"198.51.100.255", NEVER},
    {"198.51.101.0", PUBLIC},
    {"203.0.112.255", PUBLIC},
    {"203.0.113.0", NEVER},
    {"203.0.113.255", NEVER},
    {"203.0.114.0", PUBLIC},
    {"223.255.255.255", PUBLIC},
    {"224.0.0.0", NEVER},
    {"239.255.255.255", NEVER},
    {"240.0.0.0", NEVER},
    {"255.255.255.255", NEVER},

    {"::", NEVER},
    {"::1", LOOPBACK},
    {"::2", NEVER},
    {"::127.0.0.1", NEVER},
    {"::10.0.0.1", NEVER},
    {"::ffff:0:10.0.0.1", NEVER},
    {"64:ff9b:1::a00:1", NEVER},
    {"100::1", NEVER},
    {"1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"2000::", PUBLIC},
    {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC},
    {"2001::", NEVER},
    {"2001:0:a00:1::1", NEVER},
    {"2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"2001:200::", PUBLIC},
    {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC},
    {"2001:db8::", NEVER},
    {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"2001:db9::", PUBLIC},
    {"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC},
    {"2003::", PUBLIC},
    {"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC},
    {"3fff::", NEVER},
    {"3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"3fff:1000::", PUBLIC},
    {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC},
    {"4000::", NEVER},
    {"fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"fc00::", PRIVATE},
    {"fd00:42::41", PRIVATE},
    {"fd00:42::42", NEVER},
    {"fd00:42::43", PRIVATE},
    {"fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff", PRIVATE},
    {"fd00:ec2::254", NEVER},
    {"fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"fd00:ec3::", PRIVATE},
    {"fd20:ce::253", PRIVATE},
    {"fd20:ce::254", NEVER},
    {"fd20:ce::255", PRIVATE},
    {"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PRIVATE},
    {"fe00::", NEVER},
    {"fe80::", NEVER},
    {"fe80::1", NEVER},
    {"fe80::a9fe:a9fe", NEVER},
    {"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
    {"fec0::1", NEVER},
    {"ff02::1", NEVER},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NEVER},
};

enum { ADDRESS_COUNT = sizeof(addresses) / sizeof(addresses[0]) };

static void test_words_at_their_borders(void **state)
{
    (void)state;
    for (int i = 0; i < ADDRESS_COUNT; i++) {
        const char *address = addresses[i].address;
        int class = addresses[i].class;
        assert_allows("public", address, class == PUBLIC);
        assert_allows("private", address, class == PRIVATE);
        assert_allows("loopback", address, class == LOOPBACK);
        assert_allows("public,private", address, class == PUBLIC || class == PRIVATE);
    }
}

/* Whatever is named, even one by one, what is never allowed stays so. */
static void test_networks_name_all_but_the_refused(void **state)
{
    (void)state;
    for (int i = 0; i < ADDRESS_COUNT; i++) {
        const char *address = addresses[i].address;
        char own[INET6_ADDRSTRLEN + 4];
        bool is_ipv6 = strchr(address, ':');
        snprintf(own, sizeof(own), "%s/%d", address, is_ipv6 ? 128 : 32);
        assert_allows(own, address, addresses[i].class != NEVER);
        assert_allows(is_ipv6 ? "::/0" : "0.0.0.0/0", address, addresses[i].class != NEVER);
        assert_allows(is_ipv6 ? "0.0.0.0/0" : "::/0", address, false);
    }
}

/* Each address of IPv4 in its other forms. */
static void test_embedded_ipv4(void **state)
{
    static const struct {
        const char *before, *behind;
    } forms[] = {
        {"::ffff:", ""},
        {"64:ff9b::", ""},
        {"2002:", "::1"},
        {"2002:", ":ffff:a00:1:ffff:ffff"},
    };

    (void)state;
    for (int i = 0; i < ADDRESS_COUNT; i++) {
        uint8_t b[4];
        if (inet_pton(AF_INET, addresses[i].address, b) != 1) continue;
        for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
            char text[INET6_ADDRSTRLEN];
            snprintf(text, sizeof(text), "%s%02x%02x:%02x%02x%s", forms[form].before, b[0], b[1],
                     b[2], b[3], forms[form].behind);
            assert_allows("public", text, addresses[i].class == PUBLIC);
            assert_allows("private", text, addresses[i].class == PRIVATE);
            assert_allows("loopback", text, addresses[i].class == LOOPBACK);
            assert_allows("0.0.0.0/0", text, addresses[i].class != NEVER);
            assert_allows("::/0", text, false);
        }
    }
}

static void test_networks_at_their_borders(void **state)
{
    static const struct {
        const char *list, *address;
        bool is_allowed;
    } rows[] = {
        {"10.1.0.0/16", "10.0.255.255", false},
        {"10.1.0.0/16", "10.1.0.0", true},
        {"10.1.0.0/16", "10.1.255.255", true},
        {"10.1.0.0/16", "10.2.0.0", false},
        {"10.1.2.4/30", "10.1.2.3", false},
        {"10.1.2.4/30", "10.1.2.4", true},
        {"10.1.2.4/30", "10.1.2.7", true},
        {"10.1.2.4/30", "10.1.2.8", false},
        {"10.128.0.0/9", "10.127.255.255", false},
        {"10.128.0.0/9", "10.255.255.255", true},
        {"10.1.2.3/32", "10.1.2.3", true},
        {"10.1.2.3/32", "10.1.2.2", false},
        {"8.8.8.0/24", "8.8.8.8", true},
        {"8.8.8.0/24", "8.8.9.8", false},
        {"127.0.0.1/32", "127.0.0.1", true},
        {"127.0.0.1/32", "127.0.0.2", false},
        {"127.0.0.1/32", "::1", false},
        {"::1/128", "::1", true},
        {"fd12::/16", "fd11:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false},
        {"fd12::/16", "fd12::", true},
        {"fd12::/16", "fd12:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true},
        {"fd12::/16", "fd13::", false},
        {"fd12:3400::/23", "fd12:35ff::1", true},
        {"fd12:3400::/23", "fd12:3600::1", false},
        {"10.1.0.0/16,fd12::/16", "fd12::1", true},
        {"10.1.0.0/16,private", "10.2.0.1", true},
        {"public,10.1.0.0/16", "10.2.0.1", false},
        {"public,10.1.0.0/16", "1.1.1.1", true},
        {"loopback", "10.1.0.1", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_allows(rows[i].list, rows[i].address, rows[i].is_allowed);
}

static void test_other_families(void **state)
{
    struct networks all = parse("public,private,loopback,0.0.0.0/0,::/0");
    struct networks none = {0};
    struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "/tmp/socket"};
    struct sockaddr nothing = {.sa_family = AF_UNSPEC};

    (void)state;
    assert_false(networks_allow(&all, (const struct sockaddr *)&path));
    assert_false(networks_allow(&all, &nothing));
    assert_true(allows(&all, "127.0.0.1"));
    assert_false(allows(&none, "127.0.0.1"));
    assert_false(allows(&none, "1.1.1.1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_what_is_no_list),
        cmocka_unit_test(test_list_has_an_end),
        cmocka_unit_test(test_words_at_their_borders),
        cmocka_unit_test(test_networks_name_all_but_the_refused),
        cmocka_unit_test(test_embedded_ipv4),
        cmocka_unit_test(test_networks_at_their_borders),
        cmocka_unit_test(test_other_families),
    };
    return cmocka_run_group_tests_name("networks", tests, NULL, NULL);
}
