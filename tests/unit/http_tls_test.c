/* A server that speaks HTTPS, and peers that break the rules of TLS or keep it waiting. */
#define HTTP_OVER_TLS
#include "http_fixture.h"

#include <malloc.h>

enum { MANY = 200 };

static int start_with(void **state, struct http_limits limits)
{
    *state = fixture_start(2, &limits);
    return 0;
}

static int start(void **state)
{
    struct http_limits limits = http_limits_default;

    limits.head_timeout_ms = 400;
    limits.write_stall_ms = 600;
    return start_with(state, limits);
}

static int stop(void **state)
{
    fixture_stop(*state);
    return 0;
}

static int connect_raw(const struct fixture *f)
{
    return wire_connect(http_server_address(f->server));
}

static void expect_service(const struct fixture *f)
{
    int fd = fixture_connect(f);

    wire_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    wire_expect(fd, 200, "hello");
    close(fd);
}

/* The first flight of a client. */
static struct buf make_hello(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    struct buf hello;
    char *bytes;

    buf_init(&hello, 4096);
    SSL_set_bio(ssl, in, out);
    SSL_set_connect_state(ssl);
    SSL_do_handshake(ssl);
    ERR_clear_error();
    long len = BIO_get_mem_data(out, &bytes);
    buf_append(&hello, bytes, (size_t)len);
    SSL_free(ssl);
    SSL_CTX_free(context);
    return hello;
}

/* ---- the wrong language ---- */

static void test_plain_request(void **state)
{
    int fd = connect_raw(*state);

    wire_send(fd, "DELETE /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 400);
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
    expect_service(*state);
}

static void test_noise(void **state)
{
    static const char *const noise[] = {"\x16\x03\x01\xff\xff nothing", "\x16hello", "\x01\x02\x03",
                                        "ssh", "\x80\x2e\x01\x03\x01"};

    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
        AUTO_BUF in = {0};
        int fd = connect_raw(*state);
        buf_init(&in, 4096);
        wire_send(fd, noise[i]);
        while (wire_receive(fd, &in) > 0)
            continue; /* an alert, and the end or a reset */
        close(fd);
    }
    expect_service(*state);
}

/* TLS where plain HTTP is spoken is a request that is not well-formed. */
static void test_handshake_at_a_plain_server(void **state)
{
    struct http_options options = {
        .listen = "127.0.0.1:0",
        .loops = 1,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, on_drain, render_error, *state},
    };
    struct buf hello = make_hello();
    struct http_server *server;
    AUTO_BUF why = {0};

    buf_init(&why, 1024);
    assert_int_equal(http_server_start(&options, &server, &why), ERR_OK);
    int fd = wire_connect(http_server_address(server));
    assert_true(wire_send_bytes(fd, buf_view(&hello)));
    wire_send(fd, "\r\n\r\n");
    wire_expect(fd, 400, NULL);
    close(fd);
    http_server_stop(server, 0);
    options.listen = "https://127.0.0.1:0";
    assert_int_equal(http_server_start(&options, &server, &why), ERR_VALIDATION);
    buf_done(&hello);
}

/* One server may have plain and other addresses. */
static void test_both(void **state)
{
    struct fixture *f = *state;
    const struct http_options options = {
        .listen = "https://127.0.0.1:0, http://localhost:0,127.0.0.1:0",
        .tls = f->tls,
        .loops = 2,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, on_drain, render_error, f},
    };
    struct http_server *server;
    AUTO_BUF text = {0};

    buf_init(&text, 1024);
    assert_int_equal(http_server_start(&options, &server, &text), ERR_OK);
    http_server_addresses(server, &text);
    buf_char(&text, '\0');
    char *second = strchr(text.data, ',') + 1, *third = strchr(second, ',') + 1;
    assert_memory_equal(text.data, "https://127.0.0.1:", 18);
    assert_memory_equal(second, "http://127.0.0.1:", 17);
    assert_memory_equal(third, "https://127.0.0.1:", 18);
    second[strcspn(second, ",")] = '\0';
    const int fds[] = {wire_connect(second), bridge_over(wire_connect(third)),
                       bridge_over(wire_connect(http_server_address(server)))};
    for (size_t i = 0; i < 3; i++) {
        wire_send(fds[i], "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        wire_expect(fds[i], 200, "");
        close(fds[i]);
    }
    http_server_stop(server, 1000);
}

/* ---- who keeps it waiting ---- */

/* Tells whether one more connection is served; on a busy machine its own handshake may come too
 * late. */
static bool is_served(const struct fixture *f)
{
    static const char request[] = "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    static const char served[] = "HTTP/1.1 200 ";
    int fd = fixture_connect(f);
    AUTO_BUF in = {0};

    buf_init(&in, 64 * 1024);
    bool is_sent = wire_send_bytes(fd, str_of(request));
    while (is_sent && wire_receive(fd, &in) > 0)
        continue;
    close(fd);
    return in.len > strlen(served) && memcmp(in.data, served, strlen(served)) == 0;
}

/* Half handshakes take a place for as long as a head may take, and no longer. */
static void test_half_handshakes(void **state)
{
    struct fixture *f = *state;
    struct buf hello = make_hello();
    int fds[MANY];

    for (int i = 0; i < MANY; i++) {
        fds[i] = connect_raw(f);
        size_t len = i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : i % 4 == 2 ? hello.len / 2 : hello.len;
        assert_true(wire_send_bytes(fds[i], (struct str){hello.data, len}));
    }
    FIXTURE_AWAIT(is_served(f));
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    assert_int_equal(f->opened, 1); /* no handler has seen them */
    buf_done(&hello);
}

/* A slow one is done all the same, if it comes in time. */
static void test_slow_handshake(void **state)
{
    struct fixture *f = *state;
    struct buf hello = make_hello();
    AUTO_BUF in = {0};
    int fd = connect_raw(f);

    buf_init(&in, 64 * 1024);
    for (size_t i = 0; i < hello.len; i++) {
        assert_true(wire_send_bytes(fd, (struct str){hello.data + i, 1}));
        if (i % 16 == 0) usleep(2000);
    }
    assert_true(wire_receive(fd, &in) > 0);
    assert_int_equal(in.data[0], 22); /* a handshake, not an alert */
    close(fd);
    buf_done(&hello);
}

/* A record that does not come whole: the head has its deadline, as over plain HTTP. */
static void test_record_that_is_cut_off(void **state)
{
    struct fixture *f = *state;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    BIO *piece = BIO_new(BIO_s_mem());
    int fd = connect_raw(f);
    AUTO_BUF in = {0};
    char *bytes;

    buf_init(&in, 64 * 1024);
    SSL_set_fd(ssl, fd);
    assert_int_equal(SSL_connect(ssl), 1);
    SSL_set0_wbio(ssl, piece);
    SSL_write(ssl, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n", 30);
    long len = BIO_get_mem_data(piece, &bytes);
    assert_true(wire_send_bytes(fd, (struct str){bytes, (size_t)len - 3}));
    shutdown(fd, SHUT_WR);
    while (wire_receive(fd, &in) > 0)
        continue;
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
    assert_int_equal(f->opened, 0);
    close(fd);
    SSL_free(ssl);
    SSL_CTX_free(context);
}

/* A client that reads nothing is cut, and costs no copy of what it is sent. */
static void test_reader_that_takes_nothing(void **state)
{
    struct fixture *f = *state;
    int fd = fixture_connect_with(f, 4096);
    AUTO_BUF request = {0};

    buf_init(&request, 32 << 20);
    buf_text(&request, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 25000000\r\n\r\n");
    memset(buf_reserve(&request, 25000000), 'x', 25000000);
    assert_true(wire_send_bytes(fd, buf_view(&request)));
    FIXTURE_AWAIT(f->body_bytes == 25000000);
    expect_service(f);
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
    close(fd);
}

static void test_large_answer(void **state)
{
    enum { LEN = 25000000 };
    struct fixture *f = *state;
    int fd = fixture_connect(f);
    AUTO_BUF request = {0};

    buf_init(&request, 32 << 20);
    buf_printf(&request, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", LEN);
    char *body = buf_reserve(&request, LEN);
    for (size_t i = 0; i < LEN; i++)
        body[i] = (char)(i % 251);
    assert_true(wire_send_bytes(fd, buf_view(&request)));
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.body.len, LEN);
    assert_memory_equal(answer.body.data, request.data + request.len - LEN, LEN);
    wire_answer_done(&answer);
    close(fd);
}

#ifndef HERALD_SANITIZED
/* This measures what an open stream costs over TLS, of 10,000 that may be read (contract, section
 * 7). */
static void test_memory_of_a_stream(void **state)
{
    enum { COUNT = 50, BYTES_MAX = 24 * 1024 };
    struct fixture *f = *state;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    static const char request[] = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
    SSL *clients[COUNT];
    size_t used = 0;

    for (int i = 0; i < COUNT; i++) {
        struct mallinfo2 before = mallinfo2();
        clients[i] = SSL_new(context);
        SSL_set_fd(clients[i], connect_raw(f));
        assert_int_equal(SSL_connect(clients[i]), 1);
        struct mallinfo2 with_client = mallinfo2();
        SSL_write(clients[i], request, sizeof(request) - 1);
        FIXTURE_AWAIT(atomic_load(&f->events) == i + 1);
        fixture_settle(f);
        (void)with_client;
        used += mallinfo2().uordblks - before.uordblks;
    }
    /* Both ends are in this process, and alike. */
    print_message("# %zu bytes of heap for an idle stream and its client\n", used / COUNT);
    assert_in_range(used / COUNT, 1, 2 * BYTES_MAX);
    for (int i = 0; i < COUNT; i++) {
        close(SSL_get_fd(clients[i]));
        SSL_free(clients[i]);
    }
    SSL_CTX_free(context);
}
#endif

#define SERVER_TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_plain_request),
        SERVER_TEST(test_noise),
        SERVER_TEST(test_handshake_at_a_plain_server),
        SERVER_TEST(test_both),
        SERVER_TEST(test_half_handshakes),
        SERVER_TEST(test_slow_handshake),
        SERVER_TEST(test_record_that_is_cut_off),
        SERVER_TEST(test_reader_that_takes_nothing),
        SERVER_TEST(test_large_answer),
#ifndef HERALD_SANITIZED
        SERVER_TEST(test_memory_of_a_stream),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
