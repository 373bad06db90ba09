/* The protocol over a socket: what a client says and what it hears. */
#include "http_cases.h"
#include "http_fixture.h"

static int start(void **state)
{
    *state = fixture_start(2, &http_limits_default);
    return 0;
}

static int stop(void **state)
{
    fixture_stop(*state);
    return 0;
}

static void test_answer(void **state)
{
    int fd = fixture_connect(*state);
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    struct wire_answer answer = wire_read_answer(fd);

    assert_int_equal(answer.status, 200);
    assert_true(wire_has(&answer, "HTTP/1.1 200 OK\r\n"));
    assert_true(wire_has(&answer, "\r\nContent-Length: 5\r\n"));
    assert_true(wire_has(&answer, "\r\nContent-Type: text/plain\r\n"));
    assert_true(wire_has(&answer, "\r\nDate: "));
    assert_true(wire_has(&answer, " GMT\r\n"));
    assert_false(wire_has(&answer, "Connection:"));
    assert_true(str_is(buf_view(&answer.body), "hello"));
    wire_answer_done(&answer);
    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    answer = wire_read_answer(fd);
    assert_true(wire_has(&answer, "\r\nConnection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

static void test_deferred_answer(void **state)
{
    int fd = fixture_connect(*state);

    for (int i = 0; i < 50; i++) {
        wire_send(fd, "POST /defer HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
        wire_expect(fd, 200, "hello");
    }
    close(fd);
}

static void test_keep_alive_of_1_0(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    struct wire_answer answer = wire_read_answer(fd);
    assert_true(wire_has(&answer, "\r\nConnection: keep-alive\r\n"));
    wire_answer_done(&answer);
    wire_send(fd, "GET /echo HTTP/1.0\r\n\r\n");
    answer = wire_read_answer(fd);
    assert_true(wire_has(&answer, "\r\nConnection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

/* Requests behind each other in one piece; answers come in their order, also from the worker. */
static void test_pipelining(void **state)
{
    enum { COUNT = 300 };
    int fd = fixture_connect(*state);
    AUTO_BUF requests = {0};

    buf_init(&requests, 1 << 20);
    for (int i = 0; i < COUNT; i++)
        buf_printf(&requests, "POST /%s HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n%03d",
                   i % 3 == 0 ? "defer" : "echo", i);
    assert_true(wire_send_bytes(fd, buf_view(&requests)));
    for (int i = 0; i < COUNT; i++) {
        char expected[16];
        snprintf(expected, sizeof(expected), "%03d", i);
        wire_expect(fd, 200, expected);
    }
    close(fd);
}

/* The bytes that wait behind an exchange are bounded: the sender is held back. */
static void test_pipelining_is_held_back(void **state)
{
    static char requests[64 * 1024];
    struct fixture *f = *state;
    int fd = fixture_connect(f);
    size_t sent = 0;

    wire_send(fd, "GET /defer?-1 HTTP/1.1\r\nHost: a\r\n\r\n");
    memset(requests, 'a', sizeof(requests));
    int small = 64 * 1024;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    for (int i = 0; i < 200; i++) {
        ssize_t len = send(fd, requests, sizeof(requests), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (len > 0) sent += (size_t)len;
        usleep(1000);
    }
    assert_in_range(sent, 1, 12 << 20); /* the sockets' own buffers, not 200 times 64 KiB */
    f->is_gate_open = true;
    wire_expect(fd, 200, "");
    close(fd);
}

static void test_split_at_every_byte(void **state)
{
    static const char text[] =
        "\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;x\r\nhello\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n"
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok";
    int fd = fixture_connect(*state);

    for (size_t split = 1; split + 1 < sizeof(text); split++) {
        assert_true(wire_send_bytes(fd, (struct str){text, split}));
        usleep(300);
        assert_true(wire_send_bytes(fd, (struct str){text + split, sizeof(text) - 1 - split}));
        wire_expect(fd, 200, "hello!");
        wire_expect(fd, 200, "ok");
    }
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        assert_true(wire_send_bytes(fd, (struct str){text + i, 1}));
        usleep(100);
    }
    wire_expect(fd, 200, "hello!");
    wire_expect(fd, 200, "ok");
    close(fd);
}

static void test_large_body(void **state)
{
    enum { LEN = 8 << 20 };
    int fd = fixture_connect(*state);
    char *body = malloc(LEN);
    char head[128];

    assert_non_null(body);
    for (int i = 0; i < LEN; i++)
        body[i] = (char)('a' + i % 23);
    snprintf(head, sizeof(head), "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n",
             LEN);
    wire_send(fd, head);
    assert_true(wire_send_bytes(fd, (struct str){body, LEN}));
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.body.len, LEN);
    assert_memory_equal(answer.body.data, body, LEN);
    wire_answer_done(&answer);
    free(body);
    close(fd);
}

/* The answer is there before the body is; the client that sends on still hears it. */
static void test_early_answer_to_a_large_body(void **state)
{
    static char piece[64 * 1024];
    int fd = fixture_connect(*state);

    wire_send(fd, "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 26214400\r\n\r\n");
    for (int i = 0; i < 400; i++)
        assert_true(wire_send_bytes(fd, (struct str){piece, sizeof(piece)}));
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 413);
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

static void test_early_answer_to_a_small_body(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
    wire_expect(fd, 413, "too large");
    wire_send(fd, "56789GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    close(fd);
}

static void test_early_answer_to_chunks(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(
        fd, "POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    wire_expect(fd, 413, "too large");
    wire_send(fd, "0\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect_end(fd);
}

static void test_continue(void **state)
{
    static const char head[] =
        "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    int fd = fixture_connect(*state);

    wire_send(fd, head);
    wire_expect(fd, 100, NULL);
    wire_send(fd, "hello");
    wire_expect(fd, 200, "hello");
    /* No need for it where the body is there, or where there is none. */
    wire_send(
        fd, "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab"
            "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n");
    wire_expect(fd, 200, "ab");
    wire_expect(fd, 200, "");
    close(fd);
}

/* After a refusal the client may send the body or not: the connection cannot go on. */
static void test_continue_is_refused(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(
        fd, "POST /early HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 413);
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

static void test_head_and_empty_statuses(void **state)
{
    struct wire_answer answer = {0};
    int fd = fixture_connect(*state);

    wire_send(fd, "HEAD /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    wire_read_head(fd, &answer);
    assert_int_equal(answer.status, 200);
    assert_true(wire_has(&answer, "Content-Length: 5\r\n"));
    wire_send(fd, "HEAD /stream?100 HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_read_head(fd, &answer);
    assert_int_equal(answer.status, 200);
    wire_send(fd, "GET /silence HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_read_head(fd, &answer);
    assert_int_equal(answer.status, 204);
    assert_false(wire_has(&answer, "Content-Length"));
    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    close(fd);
}

static void test_header_fields(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "GET /list HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: b\r\nx-single: 1\r\n"
                  "x-forwarded-for: c, d\r\nX-Single: 2\r\nX-FORWARDED-FOR:\r\n\r\n");
    wire_expect(fd, 200, "b, c, d, |3|1|2|1");
    wire_send(fd, "GET /list HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: b\r\n\r\n");
    wire_expect(fd, 200, "b|1||0|1");
    close(fd);
}

/* ---- streams ---- */

static void assert_stream(const struct buf *body, size_t len)
{
    assert_int_equal(body->len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(body->data[i], 'a' + (len - i) % 26);
}

static void test_stream(void **state)
{
    enum { LEN = 3 << 20 };
    int fd = fixture_connect(*state);

    wire_send(
        fd, "GET /stream?3145728 HTTP/1.1\r\nHost: a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    struct wire_answer answer = wire_read_answer(fd);
    assert_true(wire_has(&answer, "Transfer-Encoding: chunked\r\n"));
    assert_false(wire_has(&answer, "Content-Length"));
    assert_stream(&answer.body, LEN);
    wire_answer_done(&answer);
    wire_expect(fd, 200, "");
    close(fd);
}

/* A reader that takes nothing for a while fills the queue, no more; later it misses nothing. */
static void test_stream_with_a_slow_reader(void **state)
{
    enum { LEN = 16 << 20 };
    struct fixture *f = *state;
    int fd = fixture_connect_with(f, 16 * 1024);

    wire_send(fd, "GET /stream?16777216 HTTP/1.1\r\nHost: a\r\n\r\n");
    usleep(200 * 1000);
    assert_int_equal(atomic_load(&f->closed), 0);
    struct wire_answer answer = wire_read_answer(fd);
    assert_stream(&answer.body, LEN);
    assert_true(atomic_load(&f->drained) > 0);
    wire_answer_done(&answer);
    close(fd);
}

static void test_stream_of_1_0(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "GET /stream?100000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    struct buf answer = wire_read_all(fd);
    const char *body = strstr(answer.data, "\r\n\r\n") + 4;
    assert_null(strstr(answer.data, "chunked"));
    assert_int_equal(strlen(body), 100000);
    buf_done(&answer);
}

/* The reader of a silent stream leaves: the handler hears of it though it writes nothing. */
static void test_stream_whose_reader_leaves(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect(f);

    wire_send(fd, "GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->events) == 1);
    close(fd);
    FIXTURE_AWAIT(atomic_load(&f->events) == 0);
}

/* ---- the peer's end of the connection ---- */

/* It has said all and closes its side: the answer still comes. */
static void test_half_close(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "GET /defer?50 HTTP/1.1\r\nHost: a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    shutdown(fd, SHUT_WR);
    wire_expect(fd, 200, "");
    wire_expect(fd, 200, "");
    wire_expect_end(fd);
}

/* It leaves while the worker works: the exchange stays until the worker is through. */
static void test_peer_leaves_while_held(void **state)
{
    const struct linger reset = {.l_onoff = 1};
    struct fixture *f = *state;
    int fd = fixture_connect(f);

    wire_send(fd, "GET /defer?-1 HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->held) == 1);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    close(fd);
#ifdef HTTP_OVER_TLS
    FIXTURE_AWAIT(bridges == 0); /* the bridge has passed it on */
#endif
    fixture_settle(f);
    f->is_gate_open = true;
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
    assert_int_equal(atomic_load(&f->deferred_to_closed), 1);
}

static void test_body_pause(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect(f);

    wire_send(fd, "POST /pause?5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5\r\nhello\r\n2\r\n, \r\n5\r\nworld\r\n0\r\n\r\n");
    wire_expect(fd, 200, "hello, world");
    /* While it is paused the bytes stay in the peer. */
    wire_send(fd, "POST /pause?-1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nab");
    FIXTURE_AWAIT(atomic_load(&f->held) == 1);
    atomic_store(&f->body_bytes, 0);
    assert_true(wire_send_bytes(fd, (struct str){"cd", 2}));
    usleep(100 * 1000);
    assert_int_equal(atomic_load(&f->body_bytes), 0);
    f->is_gate_open = true;
    FIXTURE_AWAIT(atomic_load(&f->body_bytes) == 2);
    close(fd);
}

/* ---- refusals ---- */

/* Every raw case over the wire. The last answer is the refusal, and then the connection ends. */
static void test_every_case(void **state)
{
    for (size_t i = 0; i < HTTP_CASE_COUNT; i++) {
        char expected[32];
        int fd = fixture_connect(*state);
        wire_send_bytes(fd, http_cases[i].bytes);
        shutdown(fd, SHUT_WR);
        struct buf answers = wire_read_all(fd);
        snprintf(expected, sizeof(expected), "HTTP/1.1 %d ", http_cases[i].status);
        if (http_cases[i].status == 0)
            assert_null(strstr(answers.data, "HTTP/1.1 2"));
        else if (!strstr(answers.data, expected))
            fail_msg("%s: not %d but %s", http_cases[i].rule, http_cases[i].status, answers.data);
        if (http_cases[i].status >= 400)
            assert_non_null(strstr(answers.data, "Connection: close\r\n"));
        buf_done(&answers);
    }
}

static void test_refusal(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost : a\r\n\r\n"
                  "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 400);
    assert_true(wire_has(&answer, "Content-Type: application/json\r\n"));
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    assert_non_null(strstr(answer.head, "X-Request-Id: "));
    assert_memory_equal(answer.body.data, "{\"code\":\"bad_request\"", 21);
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

/* A refusal after the head carries the caller's own id. */
static void test_refusal_in_a_body(void **state)
{
    int fd = fixture_connect(*state);

    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n3\r\nabc0\r\n\r\n");
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 400);
    assert_true(wire_has(&answer, "X-Request-Id: mine\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

/* ---- the interface between threads ---- */

static void test_posts(void **state)
{
    struct fixture *f = *state;
    atomic_int count = 0;

    assert_int_equal(http_server_loops(f->server), 2);
    for (int i = 0; i < 1000; i++)
        http_server_post(f->server, i % 2, count_post, &count);
    FIXTURE_AWAIT(atomic_load(&count) == 1000);
}

static void test_listen_addresses(void **state)
{
    static const char *const bad[] = {"",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:x",
                                      "::1:80",
                                      "[::1]",
                                      "no.such.host.invalid:80",
                                      "127.0.0.1:99999"};
    struct fixture *f = *state;
    struct http_options options = {
        .loops = 1, .limits = http_limits_default, .handler = {.render_error = render_error}};
    struct http_server *server = NULL;
    AUTO_BUF why = {0};

    buf_init(&why, 1024);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        options.listen = bad[i];
        buf_clear(&why);
        assert_int_equal(http_server_start(&options, &server, &why), ERR_VALIDATION);
        assert_true(why.len > 20);
    }
    /* A port in use is said so, though SO_REUSEPORT would allow it. */
    options.listen = http_server_address(f->server);
    assert_int_equal(http_server_start(&options, &server, &why), ERR_INTERNAL);
    assert_null(server);
    options.listen = "localhost:0";
    assert_int_equal(http_server_start(&options, &server, &why), ERR_OK);
    http_server_stop(server, 0);
}

/* A client that comes before it runs waits; and a server that never ran is stopped, too. */
static void test_opened_before_it_runs(void **state)
{
    struct fixture *f = *state;
    const struct http_options options = {
        .listen = "127.0.0.1:0",
        .loops = 2,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, on_drain, render_error, f},
    };
    struct http_server *server, *idle;
    AUTO_BUF why = {0};

    buf_init(&why, 1024);
    assert_int_equal(http_server_open(&options, &server, &why), ERR_OK);
    assert_int_equal(http_server_open(&options, &idle, &why), ERR_OK);
    assert_string_not_equal(http_server_address(server), "127.0.0.1:0");
    int fd = wire_connect(http_server_address(server));
    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 50), 0);

    assert_int_equal(http_server_run(server, &why), ERR_OK);
    struct wire_answer answer = wire_read_answer(fd);
    assert_true(str_is(buf_view(&answer.body), "hello"));
    wire_answer_done(&answer);
    close(fd);
    http_server_stop(server, 0);
    http_server_stop(idle, 1000);
}

#define SERVER_TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_answer),
        SERVER_TEST(test_deferred_answer),
        SERVER_TEST(test_keep_alive_of_1_0),
        SERVER_TEST(test_pipelining),
        SERVER_TEST(test_pipelining_is_held_back),
        SERVER_TEST(test_split_at_every_byte),
        SERVER_TEST(test_large_body),
        SERVER_TEST(test_early_answer_to_a_large_body),
        SERVER_TEST(test_early_answer_to_a_small_body),
        SERVER_TEST(test_early_answer_to_chunks),
        SERVER_TEST(test_continue),
        SERVER_TEST(test_continue_is_refused),
        SERVER_TEST(test_head_and_empty_statuses),
        SERVER_TEST(test_header_fields),
        SERVER_TEST(test_stream),
        SERVER_TEST(test_stream_with_a_slow_reader),
        SERVER_TEST(test_stream_of_1_0),
        SERVER_TEST(test_stream_whose_reader_leaves),
        SERVER_TEST(test_half_close),
        SERVER_TEST(test_peer_leaves_while_held),
        SERVER_TEST(test_body_pause),
        SERVER_TEST(test_every_case),
        SERVER_TEST(test_refusal),
        SERVER_TEST(test_refusal_in_a_body),
        SERVER_TEST(test_posts),
        SERVER_TEST(test_listen_addresses),
        SERVER_TEST(test_opened_before_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
