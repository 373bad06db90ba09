/* The parts of the server that need no connection: deadlines, the mailbox, the counting of callers,
 * and who gets a port. */
#include "kit/http/address.h"
#include "kit/http/admission.h"
#include "kit/http/deadline.h"
#include "kit/http/mailbox.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- deadlines ---- */

static void test_deadlines_come_in_order(void **state)
{
    struct http_deadlines list;
    struct http_deadline a = {0}, b = {0}, c = {0};
    (void)state;

    http_deadlines_init(&list, 100);
    assert_null(http_deadlines_take_due(&list, 1000));
    http_deadline_set(&a, &list, 0);
    http_deadline_set(&b, &list, 10);
    http_deadline_set(&c, &list, 20);
    http_deadline_set(&a, &list, 30); /* anew: now the last */
    http_deadline_clear(&b);
    assert_false(http_deadline_is_set(&b));
    assert_null(http_deadlines_take_due(&list, 119));
    assert_ptr_equal(http_deadlines_take_due(&list, 120), &c);
    assert_null(http_deadlines_take_due(&list, 129));
    assert_ptr_equal(http_deadlines_take_due(&list, 500), &a);
    assert_false(http_deadline_is_set(&a));
    assert_null(http_deadlines_take_due(&list, 500));
    http_deadline_clear(&a);
}

static void test_deadline_moves_to_another_list(void **state)
{
    struct http_deadlines soon, late;
    struct http_deadline a = {0};
    (void)state;

    http_deadlines_init(&soon, 10);
    http_deadlines_init(&late, 1000);
    http_deadline_set(&a, &soon, 0);
    http_deadline_set(&a, &late, 0);
    assert_null(http_deadlines_take_due(&soon, 5000));
    assert_ptr_equal(http_deadlines_take_due(&late, 1000), &a);
}

/* ---- the mailbox ---- */

enum { SENDERS = 4, LETTERS = 20000 };

struct sender {
    pthread_t thread;
    struct http_mailbox *mailbox;
    int sent[LETTERS];
    int received;
    int wake_ups;
};

static void nothing(void *arg)
{
    (void)arg;
}

static void *send_letters(void *arg)
{
    struct sender *sender = arg;

    for (int i = 0; i < LETTERS; i++) {
        sender->sent[i] = i;
        struct http_task task = {.run = nothing, .arg = &sender->sent[i]};
        if (http_mailbox_put(sender->mailbox, task)) sender->wake_ups++;
    }
    return NULL;
}

/* The address of a letter shows whose it is; those of one sender keep their order. */
static void receive(struct sender *senders, const struct http_task *task)
{
    for (int i = 0; i < SENDERS; i++) {
        int *first = senders[i].sent, *letter = task->arg;
        if (letter < first || letter >= first + LETTERS) continue;
        assert_ptr_equal(letter, first + senders[i].received);
        senders[i].received++;
        return;
    }
    fail_msg("a letter from nobody");
}

static void test_mailbox_loses_nothing(void **state)
{
    struct sender *senders = calloc(SENDERS, sizeof(*senders));
    struct http_mailbox mailbox;
    struct http_tasks tasks = {0};
    int received = 0, bursts = 0, wake_ups = 0;
    (void)state;

    assert_non_null(senders);
    http_mailbox_init(&mailbox);
    for (int i = 0; i < SENDERS; i++) {
        senders[i].mailbox = &mailbox;
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_letters, &senders[i]), 0);
    }
    while (received < SENDERS * LETTERS) {
        http_mailbox_take(&mailbox, &tasks);
        for (size_t i = 0; i < tasks.count; i++)
            receive(senders, &tasks.items[i]);
        received += (int)tasks.count;
        if (tasks.count > 0) bursts++;
    }
    for (int i = 0; i < SENDERS; i++) {
        pthread_join(senders[i].thread, NULL);
        wake_ups += senders[i].wake_ups;
    }
    assert_int_equal(wake_ups, bursts); /* one a burst: none is missed, none is in vain */
    http_mailbox_done(&mailbox);
    free(tasks.items);
    free(senders);
}

/* ---- who may come in ---- */

static struct in6_addr parsed(const char *text)
{
    struct in6_addr address;

    assert_true(http_address_parse_forwarded(str_of(text), &address));
    return address;
}

static bool is_one_address(const char *a, const char *b)
{
    struct in6_addr one = parsed(a), other = parsed(b);

    return IN6_ARE_ADDR_EQUAL(&one, &other);
}

static void test_spellings_of_one_address(void **state)
{
    static const char *const v4[] = {"192.0.2.1:80", "::ffff:192.0.2.1", "::FFFF:c000:201",
                                     "[::ffff:192.0.2.1]:65535", "0:0:0:0:0:ffff:192.0.2.1"};
    static const char *const v6[] = {
        "2001:DB8::1",       "2001:0db8:0:0:0:0:0:1", "[2001:db8::1]",          "[2001:db8::1]:80",
        "2001:db8::0.0.0.1", "2001:db8::1%eth0",      "[2001:db8::1%25eth0]:80"};
    (void)state;

    for (size_t i = 0; i < sizeof(v4) / sizeof(*v4); i++)
        assert_true(is_one_address("192.0.2.1", v4[i]));
    for (size_t i = 0; i < sizeof(v6) / sizeof(*v6); i++)
        assert_true(is_one_address("2001:db8::1", v6[i]));
    assert_false(is_one_address("192.0.2.1", "192.0.2.2"));
    assert_false(is_one_address("2001:db8::1", "2001:db8::1:80"));
}

static void test_what_is_no_address(void **state)
{
    static const char *const texts[] = {
        "",
        "unknown",
        "_hidden",
        "192.0.2",
        "192.0.2.256",
        "192.0.2.1:",
        "192.0.2.1:x",
        "192.0.2.1:65536",
        "[2001:db8::1",
        "[2001:db8::1]80",
        "[2001:db8::1]:",
        "2001:db8::1]",
        "[]",
        "[",
        ":",
        "::1 ",
        "192.0.2.1\t",
        "01.2.3.4",
        "2001:db8::1::",
    };
    struct in6_addr address;
    char long_text[300];
    (void)state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_false(http_address_parse_forwarded(str_of(texts[i]), &address));
    memset(long_text, '1', sizeof(long_text));
    assert_false(
        http_address_parse_forwarded((struct str){long_text, sizeof(long_text)}, &address));
    /* Alone it has neither port nor brackets nor scope. */
    assert_true(http_address_parse(STR("2001:db8::1"), &address));
    assert_false(http_address_parse(STR("192.0.2.1:80"), &address));
    assert_false(http_address_parse(STR("[2001:db8::1]"), &address));
    assert_false(http_address_parse(STR("2001:db8::1%lo"), &address));
}

static void test_lists_of_addresses(void **state)
{
    struct http_addresses list;
    struct in6_addr address = parsed("10.0.0.5");
    char many[HTTP_ADDRESSES_MAX * 8 + 16] = "";
    (void)state;

    assert_true(http_addresses_parse(STR(""), &list));
    assert_false(http_addresses_have(&list, &address));
    assert_true(http_addresses_parse(STR("FD00:0::5 , ::ffff:10.0.0.5"), &list));
    assert_true(http_addresses_have(&list, &address));
    address = parsed("fd00::5");
    assert_true(http_addresses_have(&list, &address));
    address = parsed("fd00::6");
    assert_false(http_addresses_have(&list, &address));
    for (int i = 0; i < HTTP_ADDRESSES_MAX; i++)
        strcat(many, "1.2.3.4,");
    assert_true(http_addresses_parse(str_of(many), &list));
    strcat(many, "1.2.3.4");
    assert_false(http_addresses_parse(str_of(many), &list));
}

static bool is_one_caller(const char *a, const char *b)
{
    struct in6_addr first = parsed(a), second = parsed(b);
    struct http_source one = http_source_of(&first), other = http_source_of(&second);

    return memcmp(one.bytes, other.bytes, sizeof(one.bytes)) == 0;
}

static void test_callers(void **state)
{
    (void)state;
    assert_true(is_one_caller("192.0.2.1", "192.0.2.1"));
    assert_false(is_one_caller("192.0.2.1", "192.0.2.2"));
    assert_true(is_one_caller("192.0.2.1", "::ffff:192.0.2.1"));
    assert_true(is_one_caller("2001:db8::1", "2001:db8:0:0:ffff::2")); /* of one /64 */
    assert_false(is_one_caller("2001:db8::1", "2001:db8:0:1::1"));
}

static void test_admission(void **state)
{
    struct in6_addr a = parsed("192.0.2.1"), b = parsed("192.0.2.2"), c = parsed("192.0.2.3");
    struct http_admission admission;
    (void)state;

    http_admission_init(&admission, 3, 2, NULL);
    assert_int_equal(http_admission_enter(&admission, &a), HTTP_ADMITTED);
    assert_int_equal(http_admission_enter(&admission, &a), HTTP_ADMITTED);
    assert_int_equal(http_admission_enter(&admission, &a), HTTP_SOURCE_HAS_ALL);
    assert_int_equal(http_admission_enter(&admission, &b), HTTP_ADMITTED);
    assert_int_equal(http_admission_enter(&admission, &b), HTTP_ALL_PLACES_TAKEN);
    assert_true(http_admission_replace(&admission, &b, &c));
    assert_false(http_admission_replace(&admission, &c, &a)); /* who has two already */
    assert_true(http_admission_replace(&admission, &a, &a));
    http_admission_leave(&admission, &a);
    assert_int_equal(http_admission_enter(&admission, &b), HTTP_ADMITTED);
    http_admission_leave(&admission, &a);
    http_admission_leave(&admission, &b);
    http_admission_leave(&admission, &c);
    http_admission_done(&admission); /* asserts that nobody is left */
}

static void test_bodies_kept_for_one_key(void **state)
{
    enum { PLACES = 8, KEPT = PLACES / 4 };
    struct http_source one = {{1}}, other = {{2}};
    struct http_admission admission;
    (void)state;

    http_admission_init(&admission, PLACES, 1, NULL);
    for (int i = 0; i < KEPT; i++) {
        assert_true(http_admission_keep(&admission, &one));
        assert_true(http_admission_keep(&admission, &other));
    }
    assert_false(http_admission_keep(&admission, &one));
    http_admission_drop(&admission, &one);
    assert_true(http_admission_keep(&admission, &one));
    for (int i = 0; i < KEPT; i++) {
        http_admission_drop(&admission, &one);
        http_admission_drop(&admission, &other);
    }
    http_admission_done(&admission);
    http_admission_init(&admission, 1, 1, NULL); /* one, where a quarter is none */
    assert_true(http_admission_keep(&admission, &one));
    assert_false(http_admission_keep(&admission, &one));
    http_admission_drop(&admission, &one);
    http_admission_done(&admission);
}

/* Proxies speak for many, and so may whoever is on this machine. */
static void test_admission_of_the_uncounted(void **state)
{
    static const char *const free_of_limit[] = {"10.0.0.5", "127.0.0.1", "127.1.2.3", "::1"};
    struct http_addresses proxies;
    struct http_admission admission;
    struct in6_addr other = parsed("10.0.0.6");
    (void)state;

    assert_true(http_addresses_parse(STR("::ffff:10.0.0.5"), &proxies));
    http_admission_init(&admission, 100, 1, &proxies);
    for (int i = 0; i < 12; i++) {
        struct in6_addr address = parsed(free_of_limit[i % 4]);
        assert_int_equal(http_admission_enter(&admission, &address), HTTP_ADMITTED);
    }
    assert_int_equal(http_admission_enter(&admission, &other), HTTP_ADMITTED);
    assert_int_equal(http_admission_enter(&admission, &other), HTTP_SOURCE_HAS_ALL);
    http_admission_leave(&admission, &other);
    for (int i = 0; i < 12; i++) {
        struct in6_addr address = parsed(free_of_limit[i % 4]);
        http_admission_leave(&admission, &address);
    }
    assert_int_equal(atomic_load(&admission.connections), 0);
    http_admission_done(&admission);
}

/* Many callers share the buckets and are told apart. */
static void test_admission_of_many(void **state)
{
    enum { CALLERS = 5000 };
    struct http_admission admission;
    char text[32];
    (void)state;

    http_admission_init(&admission, 2 * CALLERS, 1, NULL);
    for (int i = 0; i < CALLERS; i++) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i / 250, i % 250);
        struct in6_addr address = parsed(text);
        assert_int_equal(http_admission_enter(&admission, &address), HTTP_ADMITTED);
        assert_int_equal(http_admission_enter(&admission, &address), HTTP_SOURCE_HAS_ALL);
    }
    assert_int_equal(atomic_load(&admission.connections), CALLERS);
    for (int i = CALLERS - 1; i >= 0; i--) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i / 250, i % 250);
        struct in6_addr address = parsed(text);
        http_admission_leave(&admission, &address);
    }
    http_admission_done(&admission);
}

/* ---- a port belongs to one ---- */

enum { RIVALS = 4, RACES = 500, SHARING = 2 };

struct rival {
    pthread_barrier_t *begin;
    const char *address;
    int sockets[SHARING];
    bool has_port;
    pthread_t thread;
};

static void *race(void *arg)
{
    struct rival *rival = arg;
    char address[HTTP_LISTEN_LEN];
    AUTO_BUF why = {0};

    buf_init(&why, 1024);
    pthread_barrier_wait(rival->begin);
    rival->has_port = http_listen(rival->address, SHARING, rival->sockets, address, &why) == ERR_OK;
    return NULL;
}

/* Returns how many of them have got the port. */
static int race_for(const char *address)
{
    struct rival rivals[RIVALS];
    pthread_barrier_t begin;
    int count = 0;

    pthread_barrier_init(&begin, NULL, RIVALS);
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = (struct rival){.begin = &begin, .address = address};
        assert_int_equal(pthread_create(&rivals[i].thread, NULL, race, &rivals[i]), 0);
    }
    for (int i = 0; i < RIVALS; i++)
        pthread_join(rivals[i].thread, NULL);
    for (int i = 0; i < RIVALS; i++) {
        for (int k = 0; rivals[i].has_port && k < SHARING; k++)
            close(rivals[i].sockets[k]);
        count += rivals[i].has_port;
    }
    pthread_barrier_destroy(&begin);
    return count;
}

/* Half of the clients of one would reach the other, perhaps over TLS what they sent plainly. */
static void test_of_those_who_start_at_once_one_gets_the_port(void **state)
{
    char address[HTTP_LISTEN_LEN];
    int socket;
    AUTO_BUF why = {0};
    (void)state;

    buf_init(&why, 1024);
    assert_int_equal(http_listen("127.0.0.1:0", 1, &socket, address, &why), ERR_OK);
    assert_int_equal(race_for(address), 0);
    close(socket);
    for (int i = 0; i < RACES; i++)
        assert_int_equal(race_for(address), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines_come_in_order),
        cmocka_unit_test(test_deadline_moves_to_another_list),
        cmocka_unit_test(test_mailbox_loses_nothing),
        cmocka_unit_test(test_spellings_of_one_address),
        cmocka_unit_test(test_what_is_no_address),
        cmocka_unit_test(test_lists_of_addresses),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_admission),
        cmocka_unit_test(test_bodies_kept_for_one_key),
        cmocka_unit_test(test_admission_of_the_uncounted),
        cmocka_unit_test(test_admission_of_many),
        cmocka_unit_test(test_of_those_who_start_at_once_one_gets_the_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
