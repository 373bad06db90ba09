/* kit/base/notify: the protocol of sd_notify(3), heard by a socket of the test's own. */
#include "kit/base/notify.h"
#include "notify_socket.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char folder[] = "/tmp/herald-notify-XXXXXX";

static void assert_heard(const char *name)
{
    char text[NOTIFY_TEXT_MAX];
    int fd = notify_socket_open(name);

    assert_true(notify_is_wanted());
    assert_true(notify_send("READY=1\nSTATUS=listens"));
    assert_true(notify_socket_hear(fd, 1000, text));
    assert_string_equal(text, "READY=1\nSTATUS=listens");
    assert_false(notify_socket_hear(fd, 0, text)); /* once */
    close(fd);
}

static void a_socket_with_a_file_is_told(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof(path), "%s/notify", folder);
    assert_heard(path);
    unlink(path);
}

static void an_abstract_socket_is_told(void **state)
{
    char name[256];
    (void)state;
    snprintf(name, sizeof(name), "@%s", folder);
    assert_heard(name);
}

static void nobody_listens(void **state)
{
    static const char *const names[] = {"", "/", "relative/path", "vsock:2:1234", "@"};
    char name[300];
    (void)state;

    unsetenv("NOTIFY_SOCKET");
    assert_false(notify_is_wanted());
    assert_false(notify_send("READY=1"));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        setenv("NOTIFY_SOCKET", names[i], 1);
        assert_false(notify_is_wanted());
        assert_false(notify_send("READY=1"));
    }
    memset(name, 'x', sizeof(name) - 1); /* no address is so long */
    name[0] = '/';
    name[sizeof(name) - 1] = '\0';
    setenv("NOTIFY_SOCKET", name, 1);
    assert_false(notify_is_wanted());
    snprintf(name, sizeof(name), "%s/nothing", folder); /* wanted, but nobody is there */
    setenv("NOTIFY_SOCKET", name, 1);
    assert_true(notify_is_wanted());
    assert_false(notify_send("READY=1"));
}

/* A supervisor that does not read holds up nobody for long. */
static void a_full_socket_is_given_up(void **state)
{
    char name[256];
    int sent = 0;
    (void)state;

    snprintf(name, sizeof(name), "@%s-full", folder);
    int fd = notify_socket_open(name);
    while (sent < 100000 && notify_send("WATCHDOG=1"))
        sent++;
    assert_in_range(sent, 1, 99999);
    close(fd);
}

static void watchdog_has_a_time(void **state)
{
    static const struct {
        const char *us;
        int64_t ms;
    } rows[] = {
        {"30000000", 30000}, {"1000", 1}, {"999", 0}, {"0", 0}, {"-5000000", 0}, {"", 0}, {"x", 0},
        {"5s", 0},           {NULL, 0}};
    char pid[32];
    (void)state;

    unsetenv("WATCHDOG_PID");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsetenv("WATCHDOG_USEC");
        if (rows[i].us) setenv("WATCHDOG_USEC", rows[i].us, 1);
        assert_int_equal(notify_watchdog_ms(), rows[i].ms);
    }
    setenv("WATCHDOG_USEC", "30000000", 1);
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(notify_watchdog_ms(), 30000);
    snprintf(pid, sizeof(pid), "%d", (int)getppid()); /* it is meant for whoever started this one */
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(notify_watchdog_ms(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_socket_with_a_file_is_told),
        cmocka_unit_test(an_abstract_socket_is_told),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_full_socket_is_given_up),
        cmocka_unit_test(watchdog_has_a_time),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests_name("notify", tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
