/* kit/fetch: each way in which a fetch can end. */
#include "fetch_fixture.h"
#include "kit/fetch/answer.h"

#include <netdb.h>

/* --- Whole answers --- */

static void serve_raw(struct visit *visit)
{
    if (visit_read(visit)) visit_send(visit, str_of(visit->server->answer));
}

static const struct {
    const char *answer;
    int status;
    const char *body;
} whole_answers[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
    {"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201, ""},
    {"HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
    {"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", 404, "gone"},
    {"HTTP/1.1 429 Slow Down\r\nContent-Length: 2\r\n\r\n{}", 429, "{}"},
    {"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}", 503, "{}"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", 200,
     "abcde"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n", 200,
     "ab"},
    {"HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"},
    {"HTTP/1.0 200 OK\r\n\r\nold", 200, "old"},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
    {"HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     200, "ok"},
    {"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n", 302, ""},
    {"HTTP/1.1 307 Again\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n", 307, ""},
    {"HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 401, ""},
    {"HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n", 417, ""},
    {"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
};

static void test_whole_answers(void **state)
{
    (void)state;
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    for (size_t i = 0; i < sizeof(whole_answers) / sizeof(whole_answers[0]); i++) {
        struct server *server = server_start(serve_raw, whole_answers[i].answer);
        struct trial trial = trial_new("POST", server->url, "body");
        trial_run(client, &trial);
        assert_answer(&trial, whole_answers[i].status, whole_answers[i].body);
        assert_int_equal(trial.fetch.retry_after_ms, -1);
        assert_int_equal(server->requests, 1); /* neither redirect nor second try */
        trial_drop(&trial);
        server_stop(server);
    }
    fetch_client_free(client);
}

static void test_retry_after(void **state)
{
    (void)state;
    struct server *server =
        server_start(serve_raw, "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("POST", server->url, "body");
    trial_run(client, &trial);
    assert_answer(&trial, 429, "");
    assert_int_equal(trial.fetch.retry_after_ms, 7000);
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(server);
}

/* An answer with a body of `size` bytes; the caller frees it. */
static char *answer_of(const char *head, size_t size)
{
    size_t head_len = strlen(head);
    char *answer = malloc(head_len + size + 1);
    assert_non_null(answer);
    memcpy(answer, head, head_len);
    memset(answer + head_len, 'x', size);
    answer[head_len + size] = '\0';
    return answer;
}

static void test_answer_at_maximum(void **state)
{
    enum { WIDE = 4 * FETCH_ANSWER_MAX };
    static const size_t sizes[] = {FETCH_ANSWER_MAX, WIDE, WIDE + 1};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char *answer = answer_of("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", sizes[i]);
        struct server *server = server_start(serve_raw, answer);
        struct fetch_client *client =
            i == 0 ? fetch_client_new(2, 0, FETCH_ANSWER_MAX) : fetch_client_new(2, 0, WIDE);
        struct trial trial = trial_new("GET", server->url, NULL);
        trial_run(client, &trial);
        assert_int_equal(trial.fetch.end, sizes[i] > WIDE ? FETCH_UNKNOWN : FETCH_ANSWERED);
        assert_int_equal(trial.fetch.answer.len, sizes[i] > WIDE ? 0 : sizes[i]);
        fetch_client_free(client);
        trial_drop(&trial);
        server_stop(server);
        free(answer);
    }
}

/* --- Answers that do not come whole --- */

static void serve_raw_and_reset(struct visit *visit)
{
    serve_raw(visit);
    visit_reset(visit);
}

static void assert_unknown(void (*serve)(struct visit *visit), const char *answer,
                           const char *error)
{
    struct server *server = server_start(serve, answer);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("POST", server->url, "code 1234");
    trial_run(client, &trial);
    if (trial.fetch.end != FETCH_UNKNOWN) fail_msg("taken as whole: %.80s", answer);
    assert_no_answer(&trial, FETCH_UNKNOWN, true);
    if (error) assert_string_equal(trial.fetch.error, error);
    assert_int_equal(server->requests, 1);
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(server);
}

static const char *const cut_answers[] = {
    "",
    "HT",
    "HTTP/1.1 200 OK",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\nContent-Le",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd",
    "HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nabcd",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
};

static void test_cut_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cut_answers) / sizeof(cut_answers[0]); i++) {
        assert_unknown(serve_raw, cut_answers[i], NULL);
        assert_unknown(serve_raw_and_reset, cut_answers[i], NULL);
    }
    /* A FIN would make it whole. */
    assert_unknown(serve_raw_and_reset, "HTTP/1.1 200 OK\r\n\r\nabc",
                   "the connection ended before the whole answer came");
}

static void test_foreign_answers(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "hello\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        assert_unknown(serve_raw, answers[i], NULL);
}

static void test_too_large_answers(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        size_t size;
    } answers[] = {
        {"HTTP/1.1 200 OK\r\n\r\n", FETCH_ANSWER_MAX + 1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", FETCH_ANSWER_MAX + 1},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", FETCH_ANSWER_MAX + 1},
        {"HTTP/1.1 200 OK\r\n\r\n", 1 << 20},
        {"HTTP/1.1 200 OK\r\nX-Long: ", ANSWER_HEAD_MAX},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        char *answer = answer_of(answers[i].head, answers[i].size);
        bool is_head = strstr(answer, "X-Long") != NULL;
        assert_unknown(serve_raw, answer, is_head ? NULL : "the answer is too large");
        free(answer);
    }
}

/* 1xx answers without end. */
static void serve_interim(struct visit *visit)
{
    if (!visit_read(visit)) return;
    while (visit_send(visit, STR("HTTP/1.1 100 Continue\r\n\r\n")))
        continue;
}

static void test_endless_head(void **state)
{
    (void)state;
    assert_unknown(serve_interim, NULL, "the answer is too large");
}

static void serve_raw_and_stall(struct visit *visit)
{
    serve_raw(visit);
    visit_ignore(visit);
}

static void test_time_is_up_after_sending(void **state)
{
    (void)state;
    enum { COUNT = 2, TIMEOUT_MS = 1500 };
    static const char *const beginnings[COUNT] = {"",
                                                  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"};
    struct server *servers[COUNT];
    struct trial trials[COUNT];
    struct fetch_client *client = fetch_client_new(COUNT, 0, FETCH_ANSWER_MAX);
    for (int i = 0; i < COUNT; i++) {
        servers[i] = server_start(serve_raw_and_stall, beginnings[i]);
        trials[i] = trial_new("POST", servers[i]->url, "code 1234");
        trials[i].fetch.route.timeout_ms = TIMEOUT_MS;
        trial_start(client, &trials[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        trial_await(&trials[i]);
        assert_no_answer(&trials[i], FETCH_UNKNOWN, true);
        assert_string_equal(trials[i].fetch.error, "the time was up");
        assert_in_range(trials[i].fetch.duration_ms, TIMEOUT_MS, PATIENCE_MS / 2);
    }
    fetch_client_free(client);
    for (int i = 0; i < COUNT; i++) {
        trial_drop(&trials[i]);
        server_stop(servers[i]);
    }
}

/* --- Calls that never left --- */

/* libcurl finds names by this function too: names of the tests need no name server. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret_addresses)
{
    (void)name, (void)service, (void)hints, (void)ret_addresses;
    return EAI_NONAME;
}

static void test_no_such_name(void **state)
{
    (void)state;
    assert_unsent("http://nowhere.test/", "the server's name was not found");
}

static void test_no_url(void **state)
{
    (void)state;
    assert_unsent("ftp://127.0.0.1/", "the URL or the answer is not HTTP");
    assert_unsent("file:///etc/passwd", "the URL or the answer is not HTTP");
    assert_unsent("http://", "the URL is malformed");
}

static void test_refused(void **state)
{
    (void)state;
    int port;
    char url[64];
    close(listen_socket(1, &port));
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
    assert_unsent(url, "no connection to the server");
}

/* With its queue full, a listening socket ignores whoever knocks. */
static void test_connect_takes_too_long(void **state)
{
    (void)state;
    enum { KNOCKS = 4 };
    int port, knocks[KNOCKS];
    char url[64];
    int fd = listen_socket(0, &port);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < KNOCKS; i++) {
        knocks[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(knocks[i], (struct sockaddr *)&to, sizeof(to));
    }
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
    assert_not_connected(url);
    for (int i = 0; i < KNOCKS; i++)
        close(knocks[i]);
    close(fd);
}

static void test_tls_handshake_stalls(void **state)
{
    (void)state;
    struct server *server = server_start(visit_ignore, NULL);
    assert_not_connected(server->https_url);
    counter_await(&server->connections, 1);
    server_stop(server);
}

static void serve_plain_text(struct visit *visit)
{
    visit_send(visit, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
    visit_ignore(visit);
}

static void test_tls_handshake_fails(void **state)
{
    (void)state;
    struct server *server = server_start(serve_plain_text, NULL);
    assert_unsent(server->https_url, "the TLS handshake failed");
    server_stop(server);
}

/* --- Kept connections --- */

static void test_connection_is_reused(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    for (int i = 0; i < 20; i++) {
        struct trial trial = trial_new("POST", server->url, "body");
        trial_run(client, &trial);
        assert_answer(&trial, 200, "fine");
        trial_drop(&trial);
    }
    assert_int_equal(server->requests, 20);
    assert_int_equal(server->connections, 1);
    fetch_client_free(client);
    server_stop(server);
}

static void serve_one(struct visit *visit)
{
    if (visit_read(visit)) visit_answer(visit, "fine");
}

static void serve_one_and_reset(struct visit *visit)
{
    serve_one(visit);
    visit_await_reading(visit); /* a reset would take the answer with it */
    visit_reset(visit);
}

/* As a proxy does that is tired of waiting. */
static void serve_one_and_more(struct visit *visit)
{
    serve_one(visit);
    visit_await_reading(visit);
    visit_send(visit, STR("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"));
    visit_note_end(visit);
    visit_ignore(visit);
}

/* A kept connection on which the server has closed, or said anything, is replaced before a request
 * is sent. */
static void test_dead_connection_is_replaced(void **state)
{
    (void)state;
    void (*const serves[])(struct visit *) = {serve_one, serve_one_and_reset, serve_one_and_more};
    for (size_t i = 0; i < sizeof(serves) / sizeof(serves[0]); i++) {
        struct server *server = server_start(serves[i], NULL);
        struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
        for (int round = 1; round <= 3; round++) {
            struct trial trial = trial_new("POST", server->url, "body");
            trial_run(client, &trial);
            assert_answer(&trial, 200, "fine");
            assert_int_equal(server->requests, round);
            assert_int_equal(server->connections, round);
            trial_drop(&trial);
            server->read_answers = round;
            counter_await(&server->ends, round);
            usleep(20000); /* what the server has sent is on its way for a moment */
        }
        fetch_client_free(client);
        server_stop(server);
    }
}

/* Answers once, and ends the connection exactly when the second request is there. */
static void serve_one_and_drop(struct visit *visit)
{
    serve_one(visit);
    visit_read(visit);
}

static void serve_one_and_drop_by_reset(struct visit *visit)
{
    serve_one_and_drop(visit);
    visit_reset(visit);
}

/* libcurl would send it again on a new connection: see transfer.c. */
static void test_request_never_leaves_twice(void **state)
{
    (void)state;
    void (*const serves[])(struct visit *) = {serve_one_and_drop, serve_one_and_drop_by_reset};
    for (int i = 0; i < 4; i++) {
        struct server *server = server_start(serves[i % 2], NULL);
        struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
        const char *method = i < 2 ? "POST" : "GET";
        struct trial first = trial_new(method, server->url, i < 2 ? "first" : NULL);
        struct trial second = trial_new(method, server->url, i < 2 ? "second" : NULL);
        trial_run(client, &first);
        assert_answer(&first, 200, "fine");
        trial_run(client, &second);
        assert_no_answer(&second, FETCH_UNKNOWN, true);
        assert_string_equal(second.fetch.error,
                            "the server closed a kept connection on the request");
        usleep(LINGER_MS * 1000);
        assert_int_equal(server->requests, 2);
        fetch_client_free(client);
        trial_drop(&first);
        trial_drop(&second);
        server_stop(server);
    }
}

/* Servers close a connection after 5 s: one that is nearly that old is not used again. */
static void test_old_connection_is_not_reused(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    for (int round = 1; round <= 2; round++) {
        struct trial trial = trial_new("POST", server->url, "body");
        trial_run(client, &trial);
        assert_answer(&trial, 200, "fine");
        assert_int_equal(server->connections, round);
        trial_drop(&trial);
        if (round == 1) usleep(4200000);
    }
    fetch_client_free(client);
    server_stop(server);
}

/* --- The end of a fetch --- */

static void test_done_drops_the_answer(void **state)
{
    (void)state;
    struct fetch never_started = {0};
    fetch_done(&never_started);

    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(1, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("GET", server->url, NULL);
    trial_run(client, &trial);
    fetch_done(&trial.fetch);
    assert_null(trial.fetch.answer.data);
    fetch_client_free(client);
    trial_drop(&trial); /* and again */
    server_stop(server);
    fetch_client_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_answers),
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_answer_at_maximum),
        cmocka_unit_test(test_cut_answers),
        cmocka_unit_test(test_foreign_answers),
        cmocka_unit_test(test_too_large_answers),
        cmocka_unit_test(test_endless_head),
        cmocka_unit_test(test_time_is_up_after_sending),
        cmocka_unit_test(test_no_such_name),
        cmocka_unit_test(test_no_url),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_connect_takes_too_long),
        cmocka_unit_test(test_tls_handshake_stalls),
        cmocka_unit_test(test_tls_handshake_fails),
        cmocka_unit_test(test_connection_is_reused),
        cmocka_unit_test(test_dead_connection_is_replaced),
        cmocka_unit_test(test_request_never_leaves_twice),
        cmocka_unit_test(test_old_connection_is_not_reused),
        cmocka_unit_test(test_done_drops_the_answer),
    };
    return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
