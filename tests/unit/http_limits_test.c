/* Deadlines, limits, stopping, and what is left behind by peers that leave. */
#include "http_clock.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>

/* For tests in which a time must be over. */
static struct http_limits short_limits(void)
{
    struct http_limits limits = http_limits_default;

    limits.head_timeout_ms = 200;
    limits.idle_timeout_ms = 300;
    limits.body_grace_ms = 200;
    limits.body_rate_min = 1000;
    limits.write_stall_ms = 400;
    return limits;
}

/* For tests in which no time may be over, but what they let pass. */
static struct http_limits long_limits(void)
{
    struct http_limits limits = http_limits_default;

    limits.idle_timeout_ms = 2000;
    limits.body_grace_ms = 1500;
    limits.body_rate_min = 1000;
    limits.write_stall_ms = 2000;
    return limits;
}

static int start_short(void **state)
{
    struct http_limits limits = short_limits();

    *state = fixture_start(1, &limits);
    return 0;
}

static int start_long(void **state)
{
    struct http_limits limits = long_limits();

    clock_stop();
    *state = fixture_start(1, &limits);
    return 0;
}

static int stop_long(void **state)
{
    stop_on_time(*state);
    return 0;
}

static int stop(void **state)
{
    fixture_stop(*state);
    return 0;
}

enum { TRICKLE_MS = 30, ENDURED_MAX_MS = 10000 };

/* Sends letters one by one, for 30 s if the server lets it; how long the server endured it. */
static int64_t trickle(int fd)
{
    int64_t start_ms = clock_monotonic_ms();

    for (int i = 0; i < 1000 && wire_send_bytes(fd, STR("a")); i++) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, TRICKLE_MS) == 1) break;
    }
    return clock_monotonic_ms() - start_ms;
}

static void test_slow_head(void **state)
{
    int fd = fixture_connect(*state);

    int64_t start_ms = clock_monotonic_ms();
    wire_send(fd, "GET / HTTP/1.1\r\nHost: a\r\nX: ");
    assert_true(trickle(fd) < ENDURED_MAX_MS);
    assert_true(clock_monotonic_ms() - start_ms >= 190);
    wire_expect(fd, 408, NULL);
    wire_expect_end(fd);
}

static void test_idle(void **state)
{
    int64_t start_ms = clock_monotonic_ms();
    int fresh = fixture_connect(*state);

    wire_expect_end(fresh);
    assert_in_range(clock_monotonic_ms() - start_ms, 290, ENDURED_MAX_MS);
    int used = fixture_connect(*state);
    wire_send(used, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(used, 200, "");
    wire_expect_end(used);
}

static void test_each_request_starts_the_idle_time_anew(void **state)
{
    int fd = fixture_connect(*state);

    for (int i = 0; i < 5; i++) {
        clock_pass_and_look(*state, 1999);
        wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        wire_expect(fd, 200, "");
    }
    close(fd);
}

static void test_slow_body(void **state)
{
    int fd = fixture_connect(*state);

    int64_t start_ms = clock_monotonic_ms();
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    assert_true(trickle(fd) < ENDURED_MAX_MS); /* 33 bytes a second, far below 1000 */
    assert_true(clock_monotonic_ms() - start_ms >= 190);
    wire_expect(fd, 408, NULL);
    wire_expect_end(fd);
}

/* Slow, but not too slow; and the grace is a grace. */
static void test_body_at_the_rate(void **state)
{
    static char piece[100];
    int fd = fixture_connect(*state);

    memset(piece, 'a', sizeof(piece));
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n");
    for (int i = 0; i < 100; i++) {
        assert_true(wire_send_bytes(fd, (struct str){piece, sizeof(piece)}));
        if (i % 10 == 9) clock_pass_and_look(*state, 200);
    }
    wire_expect(fd, 200, NULL);
    close(fd);
}

/* The time in which the server itself does not want bytes is not the peer's. */
static void test_pause_is_not_slowness(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect(f);

    wire_send(fd, "POST /pause?-1 HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n0123456789");
    FIXTURE_AWAIT(atomic_load(&f->held) == 1);
    clock_pass_and_look(f, 1800);
    f->is_gate_open = true;
    FIXTURE_AWAIT(atomic_load(&f->held) == 0);
    clock_pass_and_look(f, 100);
    wire_send(fd, "0123456789");
    wire_expect(fd, 200, "01234567890123456789");
    close(fd);
}

/* The handler pauses, then answers without the rest, which never comes. */
static void test_answer_during_a_pause(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect(f);

    wire_send(fd, "POST /abort?50 HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n0123456789");
    wire_expect(fd, 200, "0123456789");
    clock_go_on(); /* the rest is awaited for a while */
    FIXTURE_AWAIT(atomic_load(&f->closed) == 1);
    wire_expect_end(fd);
}

static void test_stalled_reader(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect_with(f, 4096);
    int64_t start_ms = clock_monotonic_ms();

    wire_send(fd, "GET /stream?100000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->opened) == 1);
    FIXTURE_AWAIT(atomic_load(&f->closed) == 1);
    assert_true(clock_monotonic_ms() - start_ms >= 390);
    close(fd);
}

/* A long answer that is taken slowly, but taken, is not a stall. With less room than one segment of
 * the loopback the kernel would not see the window open, and TCP_USER_TIMEOUT go on. */
static void test_slow_reader(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect_with(f, 256 * 1024);
    AUTO_BUF in = {0};

    buf_init(&in, WIRE_ANSWER_MAX);
    wire_send(fd, "GET /stream?6000000 HTTP/1.0\r\n\r\n");
    for (int i = 0; i < 12; i++) {
        wire_read_exactly(fd, &in, 200000);
        clock_pass_and_look(f, 500);
    }
    struct buf rest = wire_read_all(fd);
    assert_in_range(in.len + rest.len, 6000000, 6001000);
    buf_done(&rest);
}

/* ---- how many ---- */

/* The kernel's hash may give all to one loop; after the hand-over none has many more. */
static void test_connections_are_balanced(void **state)
{
    enum { COUNT = 40 };
    struct fixture *f = fixture_start(2, &http_limits_default);
    int fds[COUNT];
    (void)state;

    for (int i = 0; i < COUNT; i++) {
        fds[i] = fixture_connect(f);
        wire_send(fds[i], "GET /defer HTTP/1.1\r\nHost: a\r\n\r\n");
        wire_expect(fds[i], 200, "");
    }
    assert_int_equal(http_server_connections(f->server), COUNT);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    fixture_stop(f);
}

/* ---- stopping ---- */

static void test_stop_while_busy(void **state)
{
    struct fixture *f = fixture_start(2, &http_limits_default);
    (void)state;

    int idle = fixture_connect(f), busy = fixture_connect(f), stream = fixture_connect(f);
    wire_send(idle, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(idle, 200, "");
    wire_send(stream, "GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->events) == 1);
    int64_t start_ms = clock_monotonic_ms();
    wire_send(busy, "GET /defer?300 HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->held) == 1);
    fixture_stop_within(f, 2 * WIRE_TIMEOUT_MS);
    assert_in_range(clock_monotonic_ms() - start_ms, 300, WIRE_TIMEOUT_MS);
    wire_expect_end(idle);
    struct wire_answer answer = wire_read_answer(busy);
    assert_int_equal(answer.status, 200);
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(busy);
    answer = wire_read_answer(stream);
    assert_true(str_is(buf_view(&answer.body), "hello\n")); /* whole: with its last chunk */
    wire_answer_done(&answer);
    wire_expect_end(stream);
}

/* An exchange that does not end in time is cut; one that is held is waited for all the same. */
__attribute__((unused)) static void test_stop_cuts(void **state)
{
    struct fixture *f = fixture_start(2, &http_limits_default);
    (void)state;

    int upload = fixture_connect(f), held = fixture_connect(f);
    wire_send(upload, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    int64_t start_ms = clock_monotonic_ms();
    wire_send(held, "GET /defer?1500 HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->held) == 1 && atomic_load(&f->opened) == 2);
    fixture_stop_within(f, 100);
    assert_in_range(clock_monotonic_ms() - start_ms, 1500, WIRE_TIMEOUT_MS);
    wire_expect_end(upload);
    wire_expect_end(held);
}

static void test_stop_at_once(void **state)
{
    struct fixture *f = fixture_start(2, &http_limits_default);
    (void)state;

    int upload = fixture_connect(f);
    wire_send(upload, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    FIXTURE_AWAIT(atomic_load(&f->opened) == 1);
    fixture_stop_within(f, 0);
    close(upload);
    http_server_stop(NULL, 0);
}

/* ---- nothing is left behind ---- */

static int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void drop_connection(const struct fixture *f, int i)
{
    static const char *const beginnings[] = {
        "",
        "GET / HT",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "GET /defer?1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /pause?1 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
        "GET /stream?10000000 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /events HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc",
        "GET / HTTP/1.1\n",
    };
    const struct linger reset = {.l_onoff = 1};
    int fd = fixture_connect(f);

    wire_send(fd, beginnings[i % 10]);
    if (i % 3 == 0) usleep(500);
    if (i % 2 == 0) setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    close(fd);
}

static void drop_connections(const struct fixture *f, int count)
{
    for (int i = 0; i < count; i++)
        drop_connection(f, i);
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
}

__attribute__((unused)) static void test_dropped_connections(void **state)
{
    int before = count_descriptors();
    struct fixture *f = fixture_start(2, &http_limits_default);
    (void)state;

    drop_connections(f, 50);                 /* each loop has opened what libuv keeps for itself */
    int while_running = count_descriptors(); /* with any that is being closed just now */
    drop_connections(f, 1000);
    FIXTURE_AWAIT(atomic_load(&f->opened) == atomic_load(&f->closed));
    FIXTURE_AWAIT(count_descriptors() <= while_running);
    fixture_stop(f);
    assert_int_equal(count_descriptors(), before);
}

#ifndef HERALD_SANITIZED
/* An open stream that says nothing costs at most 2 KB of the heap. */
__attribute__((unused)) static void test_memory_of_idle_streams(void **state)
{
    enum { COUNT = 400, BYTES_MAX = 2048 };
    struct fixture *f = fixture_start(1, &http_limits_default);
    int fds[COUNT];
    (void)state;

    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < COUNT; i++) {
        fds[i] = fixture_connect(f);
        wire_send(fds[i],
                  "GET /events HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: a browser\r\n"
                  "Accept: text/event-stream\r\nX-Internal-API-Key: 0123456789abcdef\r\n\r\n");
    }
    FIXTURE_AWAIT(atomic_load(&f->events) == COUNT);
    size_t used = (mallinfo2().uordblks - before) / COUNT;
    print_message("# %zu bytes of heap for an idle stream\n", used);
    assert_in_range(used, 1, BYTES_MAX);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    fixture_stop(f);
}
#endif

/* Wherever the start runs out of descriptors, it says so and closes what it opened. */
__attribute__((unused)) static void test_start_without_descriptors(void **state)
{
    const struct http_options options = {.listen = "127.0.0.1:0",
                                         .loops = 3,
                                         .limits = http_limits_default,
                                         .handler = {.render_error = render_error}};
    int before = count_descriptors(), failures = 0;
    struct http_server *server = NULL;
    struct rlimit limit;
    AUTO_BUF why = {0};
    (void)state;

    buf_init(&why, 1024);
    getrlimit(RLIMIT_NOFILE, &limit);
    for (int more = 0; more < 100; more += 2) {
        int lowest = dup(0);
        close(lowest);
        struct rlimit low = {(rlim_t)(lowest + more), limit.rlim_max};
        buf_clear(&why);
        setrlimit(RLIMIT_NOFILE, &low);
        enum err err = http_server_start(&options, &server, &why);
        setrlimit(RLIMIT_NOFILE, &limit);
        if (!err) break;
        failures++;
        assert_true(why.len > 20);
        /* libuv 1.44 may leave one behind where it cannot make a loop; we leave none. */
        assert_in_range(count_descriptors(), before, before + failures);
    }
    assert_in_range(failures, 5, 20);
    assert_non_null(server);
    int with_server = count_descriptors();
    http_server_stop(server, 0);
    assert_true(count_descriptors() <= with_server - 12); /* 3 loops: socket, epoll, event, pipe */
}

/* Out of descriptors, the server waits for some, and takes up its work again. */
__attribute__((unused)) static void test_out_of_descriptors(void **state)
{
    struct fixture *f = fixture_start(1, &http_limits_default);
    struct rlimit limit, low;
    (void)state;

    int fd = fixture_connect(f);
    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    getrlimit(RLIMIT_NOFILE, &limit);
    int waiting = fixture_connect(f);
    FIXTURE_AWAIT(http_server_connections(f->server) == 2);
    close(waiting);
    FIXTURE_AWAIT(http_server_connections(f->server) == 1);
    waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    low = (struct rlimit){.rlim_cur = (rlim_t)waiting + 1, .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    const char *port = strrchr(http_server_address(f->server), ':') + 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(waiting, (struct sockaddr *)&to, sizeof(to)), 0);
    usleep(300 * 1000);
    assert_int_equal(http_server_connections(f->server), 1);
    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    setrlimit(RLIMIT_NOFILE, &limit);
    wire_send(waiting, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(waiting, 200, "");
    close(waiting);
    close(fd);
    fixture_stop(f);
}

#define SHORT_TEST(function) cmocka_unit_test_setup_teardown(function, start_short, stop)
#define LONG_TEST(function)  cmocka_unit_test_setup_teardown(function, start_long, stop_long)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHORT_TEST(test_slow_head),
        SHORT_TEST(test_idle),
        LONG_TEST(test_each_request_starts_the_idle_time_anew),
        SHORT_TEST(test_slow_body),
        LONG_TEST(test_body_at_the_rate),
        LONG_TEST(test_pause_is_not_slowness),
        LONG_TEST(test_answer_during_a_pause),
        SHORT_TEST(test_stalled_reader),
        LONG_TEST(test_slow_reader),
        cmocka_unit_test(test_connections_are_balanced),
        cmocka_unit_test(test_stop_while_busy),
#ifndef HTTP_OVER_TLS /* where a cut looks like one */
        cmocka_unit_test(test_stop_cuts),
#endif
        cmocka_unit_test(test_stop_at_once),
#ifndef HTTP_OVER_TLS /* a bridge has descriptors, too */
        cmocka_unit_test(test_dropped_connections),
#endif
#if !defined(HERALD_SANITIZED) && !defined(HTTP_OVER_TLS)
        cmocka_unit_test(test_memory_of_idle_streams),
#endif
#ifndef HTTP_OVER_TLS /* likewise */
        cmocka_unit_test(test_start_without_descriptors),
        cmocka_unit_test(test_out_of_descriptors),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
