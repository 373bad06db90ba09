/* The parts of the server that need no socket: deadlines, the mailbox, the counting of callers. */
#include "kit/http/admission.h"
#include "kit/http/deadline.h"
#include "kit/http/mailbox.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Whose letter it is shows in its address; those of one sender keep their order. */
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

static struct http_caller caller_of(const char *text)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;

    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
        address.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1)
        address.ss_family = AF_INET6;
    return http_caller_of(&address);
}

static bool is_one_caller(const char *a, const char *b)
{
    struct http_caller one = caller_of(a), other = caller_of(b);

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
    struct http_caller a = caller_of("192.0.2.1"), b = caller_of("192.0.2.2");
    struct http_admission admission;
    (void)state;

    http_admission_init(&admission, 3, 2);
    assert_true(http_admission_enter(&admission, a));
    assert_true(http_admission_enter(&admission, a));
    assert_false(http_admission_enter(&admission, a));
    assert_true(http_admission_enter(&admission, b));
    assert_false(http_admission_enter(&admission, b)); /* all places are taken */
    http_admission_leave(&admission, a);
    assert_true(http_admission_enter(&admission, b));
    http_admission_leave(&admission, a);
    http_admission_leave(&admission, b);
    http_admission_leave(&admission, b);
    http_admission_done(&admission); /* asserts that nobody is left */
}

/* Many callers share the buckets and are told apart. */
static void test_admission_of_many(void **state)
{
    enum { CALLERS = 5000 };
    struct http_admission admission;
    char text[32];
    (void)state;

    http_admission_init(&admission, 2 * CALLERS, 1);
    for (int i = 0; i < CALLERS; i++) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i / 250, i % 250);
        assert_true(http_admission_enter(&admission, caller_of(text)));
        assert_false(http_admission_enter(&admission, caller_of(text)));
    }
    assert_int_equal(atomic_load(&admission.connections), CALLERS);
    for (int i = CALLERS - 1; i >= 0; i--) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i / 250, i % 250);
        http_admission_leave(&admission, caller_of(text));
    }
    http_admission_done(&admission);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines_come_in_order),
        cmocka_unit_test(test_deadline_moves_to_another_list),
        cmocka_unit_test(test_mailbox_loses_nothing),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_admission),
        cmocka_unit_test(test_admission_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
