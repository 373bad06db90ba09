/* app/supervisor: what systemd hears while the loops live, while one hangs, and at the end
 * (contract, section 17.3). */
#include "app/supervisor.h"
#include "kit/base/clock.h"
#include "kit/http/server.h"
#include "notify_socket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

enum { LOOPS = 3, WATCHDOG_MS = 200, LONG_MS = 5000 };

struct scene {
    int fd;
    struct http_server *server;
    struct supervisor_setup setup;
    struct supervisor *supervisor;
    _Atomic(const char *) trouble;
    atomic_int_least64_t worker_silence_ms;
    atomic_bool is_stuck;
};

static const char *trouble_of(const void *arg)
{
    const struct scene *scene = arg;
    return atomic_load(&scene->trouble);
}

static int64_t silence_of(const void *arg)
{
    const struct scene *scene = arg;
    return atomic_load(&scene->worker_silence_ms);
}

static void on_request(void *arg, struct http_request *x)
{
    (void)arg;
    (void)x;
}

static int begin(void **state)
{
    static struct scene scene;
    char name[64], us[32];
    struct buf why;

    memset(&scene, 0, sizeof(scene));
    snprintf(name, sizeof(name), "@herald-supervisor-%d", (int)getpid());
    snprintf(us, sizeof(us), "%d", WATCHDOG_MS * 1000);
    setenv("WATCHDOG_USEC", us, 1);
    scene.fd = notify_socket_open(name);
    buf_init(&why, 1024);
    struct http_options options = {
        .listen = "127.0.0.1:0",
        .loops = LOOPS,
        .limits = http_limits_default,
        .handler = {.on_head = on_request, .on_end = on_request, .on_close = on_request},
    };
    if (http_server_start(&options, &scene.server, &why)) return 1;
    buf_done(&why);
    scene.setup = (struct supervisor_setup){.server = scene.server,
                                            .worker_silence_ms = silence_of,
                                            .trouble = trouble_of,
                                            .status = "listens",
                                            .arg = &scene};
    *state = &scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    if (scene->server) http_server_stop(scene->server, 0);
    close(scene->fd);
    return 0;
}

static void expect(const struct scene *scene, const char *text)
{
    char heard[NOTIFY_TEXT_MAX];

    if (!notify_socket_hear(scene->fd, LONG_MS, heard)) fail_msg("not heard: %s", text);
    assert_string_equal(heard, text);
}

static void start(struct scene *scene)
{
    scene->supervisor = supervisor_start(&scene->setup);
    assert_non_null(scene->supervisor);
    expect(scene, "READY=1\nSTATUS=listens");
}

/* Whatever was sent before is heard; then nothing is for several times of the watchdog. */
static void expect_silence(const struct scene *scene)
{
    char heard[NOTIFY_TEXT_MAX];
    int64_t until_ms = clock_monotonic_ms() + 2 * WATCHDOG_MS;

    while (clock_monotonic_ms() < until_ms)
        (void)notify_socket_hear(scene->fd, WATCHDOG_MS / 4, heard);
    assert_false(notify_socket_hear(scene->fd, 3 * WATCHDOG_MS, heard));
}

static void stop(struct scene *scene)
{
    char heard[NOTIFY_TEXT_MAX] = "";

    supervisor_stopping(scene->supervisor);
    while (strncmp(heard, "STOPPING=1\n", 11) != 0)
        assert_true(notify_socket_hear(scene->fd, LONG_MS, heard));
    expect(scene, "WATCHDOG=1"); /* whatever the loops do: a stop takes its time */
    http_server_stop(scene->server, 0);
    scene->server = NULL;
    supervisor_free(scene->supervisor);
}

static void the_watchdog_is_told_in_time(void **state)
{
    struct scene *scene = *state;
    int64_t began_ms = clock_monotonic_ms();

    start(scene);
    for (int i = 0; i < 5; i++)
        expect(scene, "WATCHDOG=1");
    /* At half its time; so much is certain on a machine that is busy, too. */
    assert_true(clock_monotonic_ms() - began_ms >= 5 * WATCHDOG_MS / 2 - 10);
    stop(scene);
}

static void hang(void *arg)
{
    struct scene *scene = arg;
    while (atomic_load(&scene->is_stuck))
        usleep(1000);
}

static void one_loop_that_hangs_is_enough_for_silence(void **state)
{
    struct scene *scene = *state;

    start(scene);
    expect(scene, "WATCHDOG=1");
    atomic_store(&scene->is_stuck, true);
    http_server_post(scene->server, LOOPS - 1, hang, scene);
    expect_silence(scene);
    atomic_store(&scene->is_stuck, false);
    expect(scene, "WATCHDOG=1");
    stop(scene);
}

static void a_worker_that_hangs_is_enough_for_silence(void **state)
{
    struct scene *scene = *state;

    start(scene);
    atomic_store(&scene->worker_silence_ms, SUPERVISOR_WORKER_MAX_MS);
    expect(scene, "WATCHDOG=1");
    atomic_store(&scene->worker_silence_ms, SUPERVISOR_WORKER_MAX_MS + 1);
    expect_silence(scene);
    atomic_store(&scene->worker_silence_ms, 0);
    expect(scene, "WATCHDOG=1");
    stop(scene);
}

static void the_status_tells_of_trouble_once(void **state)
{
    struct scene *scene = *state;

    start(scene);
    expect(scene, "WATCHDOG=1");
    atomic_store(&scene->trouble, "The database does not answer.");
    char heard[NOTIFY_TEXT_MAX] = "WATCHDOG=1";
    while (strcmp(heard, "WATCHDOG=1") == 0)
        assert_true(notify_socket_hear(scene->fd, LONG_MS, heard));
    assert_string_equal(heard, "STATUS=not ready: The database does not answer.");
    expect(scene, "WATCHDOG=1"); /* a restart would not help */
    expect(scene, "WATCHDOG=1");
    atomic_store(&scene->trouble, NULL);
    strcpy(heard, "WATCHDOG=1");
    while (strcmp(heard, "WATCHDOG=1") == 0)
        assert_true(notify_socket_hear(scene->fd, LONG_MS, heard));
    assert_string_equal(heard, "STATUS=listens");
    stop(scene);
}

static void a_process_without_a_server_is_told_of_too(void **state)
{
    struct scene *scene = *state;

    scene->setup.server = NULL;
    start(scene);
    expect(scene, "WATCHDOG=1");
    stop(scene);
}

static void without_a_watchdog_there_is_none(void **state)
{
    struct scene *scene = *state;

    unsetenv("WATCHDOG_USEC");
    start(scene);
    char heard[NOTIFY_TEXT_MAX];
    assert_false(notify_socket_hear(scene->fd, 3 * WATCHDOG_MS, heard));
    supervisor_stopping(scene->supervisor);
    expect(scene, "STOPPING=1\nSTATUS=running requests end");
    supervisor_free(scene->supervisor);
}

static void nobody_listens(void **state)
{
    struct scene *scene = *state;

    unsetenv("NOTIFY_SOCKET");
    assert_null(supervisor_start(&scene->setup));
    supervisor_stopping(NULL);
    supervisor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_watchdog_is_told_in_time, begin, end),
        cmocka_unit_test_setup_teardown(one_loop_that_hangs_is_enough_for_silence, begin, end),
        cmocka_unit_test_setup_teardown(a_worker_that_hangs_is_enough_for_silence, begin, end),
        cmocka_unit_test_setup_teardown(the_status_tells_of_trouble_once, begin, end),
        cmocka_unit_test_setup_teardown(a_process_without_a_server_is_told_of_too, begin, end),
        cmocka_unit_test_setup_teardown(without_a_watchdog_there_is_none, begin, end),
        cmocka_unit_test_setup_teardown(nobody_listens, begin, end),
    };
    return cmocka_run_group_tests_name("supervisor", tests, NULL, NULL);
}
