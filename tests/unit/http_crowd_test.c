/* More connections than there are places (contract, section 7 "Connections make room"): who
 * goes, who stays, and what is answered all the same. */
#include "http_clock.h"

static struct fixture *start(int loops, int connections_max, int per_address)
{
    struct http_limits limits = http_limits_default;

    limits.connections_max = connections_max;
    limits.connections_per_address = per_address;
    clock_stop();
    return fixture_start(loops, &limits);
}

static void ask(int fd)
{
    wire_send(fd, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
}

/* A connection that was asked something, so that it surely has its place; the next one is younger.
 */
static int connect_and_ask(struct fixture *f)
{
    int fd = fixture_connect(f);

    ask(fd);
    clock_pass(f, 5);
    return fd;
}

static int connect_stream(struct fixture *f)
{
    int before = atomic_load(&f->events);
    int fd = fixture_connect(f);

    wire_send(fd, "GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->events) == before + 1);
    return fd;
}

static int connect_busy(struct fixture *f)
{
    int before = atomic_load(&f->held);
    int fd = fixture_connect(f);

    wire_send(fd, "GET /defer?-1 HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->held) == before + 1);
    return fd;
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        close(fds[i]);
}

static void test_longest_idle_goes(void **state)
{
    enum { COUNT = 6, MORE = 4 };
    static const int goes[MORE] = {0, 2, 3, 4};
    int fds[COUNT + MORE];
    (void)state;

    for (int loops = 1; loops <= 3; loops++) {
        struct fixture *f = start(loops, COUNT, 0);
        for (int i = 0; i < COUNT; i++)
            fds[i] = connect_and_ask(f);
        ask(fds[1]); /* so it is idle for the shortest time */
        clock_pass(f, 5);
        for (int i = 0; i < MORE; i++) {
            fds[COUNT + i] = connect_and_ask(f);
            wire_expect_end(fds[goes[i]]);
            assert_int_equal(http_server_connections(f->server), COUNT);
        }
        ask(fds[5]);
        ask(fds[1]);
        close_all(fds + COUNT, MORE);
        close(fds[1]);
        close(fds[5]);
        stop_on_time(f);
    }
}

static void test_slowest_head_goes_next(void **state)
{
    struct fixture *f = start(2, 4, 0);
    int heads[2], busy[2];
    (void)state;

    for (int i = 0; i < 2; i++) {
        heads[i] = fixture_connect(f);
        wire_send(heads[i], "GET / HTTP/1.1\r\nHost: a\r\nX: ");
        clock_pass(f, 20);
    }
    int stream = connect_stream(f);
    int idle = connect_and_ask(f);
    clock_pass(f, 1100);
    busy[0] = connect_busy(f);
    wire_expect_end(idle); /* what is idle goes before what has begun */
    busy[1] = connect_busy(f);
    wire_expect_end(heads[0]);
    wire_send(heads[1], "1\r\n\r\n");
    wire_expect(heads[1], 200, "");
    f->is_gate_open = true;
    wire_expect(busy[0], 200, "");
    wire_expect(busy[1], 200, "");
    close_all((int[]){heads[1], busy[0], busy[1], stream}, 4);
    stop_on_time(f);
}

/* Among slow heads, who has just come and is about to ask is not taken for idle. */
static void test_newcomer_stays_among_heads(void **state)
{
    struct fixture *f = start(2, 3, 0);
    int heads[3];
    (void)state;

    for (int i = 0; i < 3; i++) {
        heads[i] = fixture_connect(f);
        FIXTURE_AWAIT(http_server_connections(f->server) == i + 1);
        wire_send(heads[i], "GET / HTTP/1.1\r\nHost: a\r\nX: ");
        clock_pass(f, 50);
    }
    int first = connect_and_ask(f), second = connect_and_ask(f);
    wire_expect_end(heads[0]);
    wire_expect_end(heads[1]);
    ask(first);
    ask(second);
    close_all((int[]){heads[2], first, second}, 3);
    stop_on_time(f);
}

static void expect_refusal(int fd)
{
    struct wire_answer answer = wire_read_answer(fd);

    assert_int_equal(answer.status, 503);
    assert_true(wire_has(&answer, "Retry-After: 1\r\n"));
    assert_true(wire_has(&answer, "Connection: close\r\n"));
    wire_answer_done(&answer);
    wire_expect_end(fd);
}

static int begin_upload(struct fixture *f, const char *path)
{
    int before = atomic_load(&f->opened);
    int fd = fixture_connect(f);
    char head[100];

    snprintf(head, sizeof(head), "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", path);
    wire_send(fd, head);
    FIXTURE_AWAIT(atomic_load(&f->opened) == before + 1);
    clock_pass(f, 5);
    return fd;
}

/* One that has shown no right key is told why; one that has shown it is never given up. */
static void test_slowest_body_goes_then(void **state)
{
    (void)state;

    for (int loops = 1; loops <= 2; loops++) {
        struct fixture *f = start(loops, 4, 0);
        int key = begin_upload(f, "/key"), first = begin_upload(f, "/echo");
        int second = begin_upload(f, "/echo"), head = fixture_connect(f);
        wire_send(head, "GET / HTTP/1.1\r\nHost: a\r\nX: ");
        clock_pass(f, 1100);
        int busy[] = {connect_busy(f), connect_busy(f), -1};
        wire_expect_end(head); /* which goes before any body */
        expect_refusal(first);
        wire_send(second, "b");
        wire_expect(second, 200, "ab");
        busy[2] = connect_busy(f);
        wire_expect_end(second); /* it is idle now */
        int refused = fixture_connect(f);
        wire_send(refused, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        expect_refusal(refused);
        wire_send(key, "b");
        wire_expect(key, 200, "ab");
        f->is_gate_open = true;
        for (int i = 0; i < 3; i++)
            wire_expect(busy[i], 200, "");
        close_all((int[]){key, busy[0], busy[1], busy[2]}, 4);
        stop_on_time(f);
    }
}

/* The rest of a body whose request was answered keeps no place, whatever key came before it. */
static void test_rest_of_a_body_keeps_no_place(void **state)
{
    enum { MAX = 3 };
    struct fixture *f = start(1, MAX, 0);
    int rest[MAX];
    (void)state;

    for (int i = 0; i < MAX; i++) {
        rest[i] = fixture_connect(f);
        wire_send(rest[i], "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\nabc");
        wire_expect(rest[i], 413, "too large");
    }
    clock_pass(f, 5);
    int busy = connect_busy(f);
    wire_expect_end(rest[0]);
    f->is_gate_open = true;
    wire_expect(busy, 200, "");
    close_all((int[]){rest[1], rest[2], busy}, 3);
    stop_on_time(f);
}

enum {
    UNREAD = 8 << 20,
    RECEIVE_BUFFER = 4096,
    LOOKS = 3, /* the last of them finds that nothing has moved */
    LOOK_MS = 1000,
};

/* Somebody who asks for much and reads nothing of it. */
static int connect_unread(struct fixture *f, bool is_stream)
{
    struct buf request;
    int before = atomic_load(&f->opened);
    int fd = fixture_connect_with(f, RECEIVE_BUFFER);

    buf_init(&request, 2 * UNREAD);
    if (is_stream) {
        buf_printf(&request, "GET /stream?%d HTTP/1.1\r\nHost: a\r\n\r\n", UNREAD);
    } else {
        buf_printf(&request, "POST /key HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", UNREAD);
        memset(buf_reserve(&request, UNREAD), 'a', UNREAD);
    }
    assert_true(wire_send_bytes(fd, buf_view(&request)));
    buf_done(&request);
    FIXTURE_AWAIT(atomic_load(&f->opened) == before + 1);
    FIXTURE_AWAIT(recv(fd, &(char){0}, 1, MSG_PEEK | MSG_DONTWAIT) == 1);
    clock_pass(f, 5);
    return fd;
}

static void read_some(int fd)
{
    for (int left = UNREAD / 64; left > 0;) {
        char bytes[64 * 1024];
        ssize_t len = recv(fd, bytes, sizeof(bytes), 0);
        assert_true(len > 0);
        left -= (int)len;
    }
}

static void expect_cut(int fd)
{
    struct buf rest;
    ssize_t len;

    buf_init(&rest, 2 * UNREAD);
    do
        len = wire_receive(fd, &rest);
    while (len > 0);
    assert_true(rest.len < UNREAD);
    buf_done(&rest);
    close(fd);
}

static void be_seen_unread(struct fixture *f)
{
    for (int i = 0; i < LOOKS; i++)
        clock_pass_and_look(f, LOOK_MS);
}

/* Answers that nobody reads go behind bodies, and streams that nobody reads last. In one loop: what
 * others have seen of its readers may be a second old. */
static void test_answers_that_nobody_reads_go_last(void **state)
{
    struct fixture *f = start(1, 5, 0);
    int stream = connect_unread(f, true), read = connect_unread(f, false);
    int unread = connect_unread(f, false), events = connect_stream(f);
    int upload = begin_upload(f, "/echo");
    (void)state;

    be_seen_unread(f);
    read_some(read); /* so it is not the one that waits for longest */
    clock_pass(f, 5);
    int busy[] = {connect_busy(f), connect_busy(f), -1, -1};
    expect_refusal(upload);
    expect_cut(unread);
    be_seen_unread(f);
    busy[2] = connect_busy(f);
    expect_cut(read);
    busy[3] = connect_busy(f);
    expect_cut(stream);
    int refused = fixture_connect(f);
    wire_send(refused, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    expect_refusal(refused);
    assert_int_equal(atomic_load(&f->events), 1);
    f->is_gate_open = true;
    for (int i = 0; i < 4; i++)
        wire_expect(busy[i], 200, "");
    close_all((int[]){events, busy[0], busy[1], busy[2], busy[3]}, 5);
    stop_on_time(f);
}

/* A connection that comes again before it counts as slow keeps no place by that: the one that came
 * first goes. */
static void test_coming_again_keeps_no_place(void **state)
{
    enum { MAX = 12, ROUNDS = 4, AGE_MS = 900 };
    struct fixture *f = start(2, MAX, 0);
    int crowd[MAX];
    (void)state;

    for (int i = 0; i < MAX; i++)
        crowd[i] = begin_upload(f, "/echo");
    for (int i = 0; i < ROUNDS * MAX; i++) {
        int *oldest = &crowd[i % MAX];
        clock_pass(f, AGE_MS / MAX);
        close(connect_and_ask(f));
        close(*oldest);
        *oldest = i % 2 == 0 ? fixture_connect(f) : begin_upload(f, "/echo");
        if (i % 4 == 0) wire_send(*oldest, "GET / HTTP/1.1\r\nHost: a\r\nX: ");
    }
    close_all(crowd, MAX);
    stop_on_time(f);
}

static void ask_vital(struct fixture *f)
{
    int fd = fixture_connect(f);

    wire_send(fd, "GET /vital HTTP/1.1\r\nHost: a\r\n\r\n");
    wire_expect(fd, 200, "");
    wire_expect_end(fd); /* it has no place to be kept at */
}

/* Requests that run and streams stay; others are refused, unless they are vital. */
static void test_who_works_is_never_sent_away(void **state)
{
    enum { SILENT = 200 };
    int silent[SILENT];
    (void)state;

    for (int loops = 1; loops <= 2; loops++) {
        struct fixture *f = start(loops, 3, 0);
        int stream = connect_stream(f), busy = connect_busy(f), upload = begin_upload(f, "/key");
        int refused = fixture_connect(f);
        wire_send(refused, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        expect_refusal(refused);
        ask_vital(f);
        refused = fixture_connect(f);
        wire_send(refused, "POST /vital HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
        expect_refusal(refused); /* with a body it could last */
        for (int i = 0; i < SILENT; i++)
            silent[i] = fixture_connect(f);
        for (int i = 0; i < 20; i++)
            ask_vital(f);
        assert_int_equal(http_server_connections(f->server), 3);
        close_all(silent, SILENT);
        wire_send(upload, "b");
        wire_expect(upload, 200, "ab");
        f->is_gate_open = true;
        wire_expect(busy, 200, "");
        assert_int_equal(atomic_load(&f->events), 1);
        close_all((int[]){stream, busy, upload}, 3);
        stop_on_time(f);
    }
}

/* A connection that was answered and does not close goes, too. */
static void test_answered_ones_go(void **state)
{
    enum { MAX = 4 };
    struct fixture *f = start(2, MAX, 0);
    int answered[MAX];
    (void)state;

    for (int i = 0; i < MAX; i++) {
        answered[i] = fixture_connect(f);
        wire_send(answered[i], "GET\r\n\r\n");
        wire_expect(answered[i], 400, NULL);
    }
    clock_pass(f, 5);
    int first = connect_and_ask(f), second = connect_and_ask(f);
    ask(first);
    ask(second);
    close_all(answered, MAX);
    close(first);
    close(second);
    stop_on_time(f);
}

static void refuse(int fd, const char *query, bool is_kept)
{
    char requests[200];

    snprintf(requests, sizeof(requests),
             "GET /early%s HTTP/1.1\r\nHost: a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n",
             query);
    wire_send(fd, requests);
    struct wire_answer answer = wire_read_answer(fd);
    assert_int_equal(answer.status, 413);
    assert_int_equal(wire_has(&answer, "Connection: close\r\n"), !is_kept);
    wire_answer_done(&answer);
    if (is_kept)
        wire_expect(fd, 200, "");
    else
        wire_expect_end(fd);
}

/* A client that has shown no right key and is refused keeps its place while there are others, and
 * else it is the next one's: what came behind the request is not served. One that has shown a right
 * key stays. */
static void test_strangers_who_are_refused_go(void **state)
{
    enum { MAX = 8, ENOUGH = MAX - MAX / 4 };
    struct fixture *f = start(2, MAX, 0);
    int fds[ENOUGH + 1];
    (void)state;

    for (int i = 0; i < ENOUGH; i++)
        fds[i] = connect_and_ask(f);
    refuse(fds[0], "", true);
    fds[ENOUGH] = connect_and_ask(f);
    refuse(fds[1], "?key", true);
    refuse(fds[0], "", false);
    FIXTURE_AWAIT(http_server_connections(f->server) == ENOUGH);
    refuse(fds[2], "", true);
    close_all(fds + 1, ENOUGH);
    stop_on_time(f);
}

/* The first one asks while the loop is busy, and it meets the new one before it reads of that. */
static void test_who_has_asked_is_not_idle(void **state)
{
    enum { MAX = 4 };
    struct fixture *f = start(1, MAX, 0);
    int fds[MAX + 1];
    struct pause pause = {0};
    (void)state;

    for (int i = 0; i < MAX; i++)
        fds[i] = connect_and_ask(f);
    http_server_post(f->server, 0, pause_loop, &pause);
    FIXTURE_AWAIT(pause.has_begun);
    fds[MAX] = fixture_connect(f);
    wire_send(fds[0], "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    pause.is_over = true;
    wire_expect(fds[0], 200, "");
    wire_expect_end(fds[1]);
    for (int i = 2; i <= MAX; i++)
        ask(fds[i]);
    close(fds[0]);
    close_all(fds + 2, MAX - 1);
    stop_on_time(f);
}

/* Whoever says nothing is told so after a second. */
static void test_connections_per_address(void **state)
{
    struct fixture *f = start(1, 100, 2);
    (void)state;

    int first = fixture_connect(f), second = fixture_connect(f), third = fixture_connect(f);
    clock_pass(f, 1000);
    expect_refusal(third);
    ask_vital(f);
    close(first);
    FIXTURE_AWAIT(http_server_connections(f->server) == 1);
    third = fixture_connect(f);
    ask(third);
    close(second);
    close(third);
    stop_on_time(f);
}

/* Far more silent ones than places, over and over: whoever comes and asks is served. */
static void test_flood_of_silent_connections(void **state)
{
    enum { MAX = 40, SILENT = 300, ROUNDS = 5 };
    int silent[SILENT];
    struct fixture *f = start(2, MAX, 0);
    (void)state;

    int stream = connect_stream(f);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SILENT; i++) {
            silent[i] = fixture_connect(f);
            if (i % 3 == 0) (void)wire_send_bytes(silent[i], STR("GET / HTTP/1.1\r\nX: "));
            if (i % 50 != 0) continue;
            clock_pass(f, 20); /* those before are in, and this one is not lost among them */
            close(connect_and_ask(f));
        }
        assert_in_range(http_server_connections(f->server), 1, MAX);
        close_all(silent, SILENT);
    }
    assert_int_equal(atomic_load(&f->events), 1);
    close(stream);
    stop_on_time(f);
}

/* Peers that send many requests in one piece take turns with all others: here each of them has one
 * answer before a stranger has the own, whatever they sent before. */
static void test_many_in_one_piece_take_turns(void **state)
{
    enum { PEERS = 5, REQUESTS = 1000 };
    struct fixture *f = start(1, 100, 0);
    AUTO_BUF many = {0};
    int peers[PEERS];
    (void)state;

    buf_init(&many, 1 << 20);
    for (int i = 0; i < REQUESTS; i++)
        buf_text(&many, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    int blocker = connect_and_ask(f), stranger = connect_and_ask(f);
    for (int i = 0; i < PEERS; i++)
        peers[i] = connect_and_ask(f);
    int before = atomic_load(&f->opened) + 1;
    wire_send(blocker, "GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
    FIXTURE_AWAIT(atomic_load(&f->opened) == before);
    for (int i = 0; i < PEERS; i++)
        assert_true(wire_send_bytes(peers[i], buf_view(&many)));
    wire_send(stranger, "GET /count HTTP/1.1\r\nHost: a\r\n\r\n");
    f->is_gate_open = true;
    struct wire_answer answer = wire_read_answer(stranger);
    buf_char(&answer.body, '\0');
    int place = atoi(answer.body.data);
    if (place > before + PEERS + 1) fail_msg("%d were answered first", place - before - 1);
    wire_answer_done(&answer);
    for (int i = 0; i < PEERS * REQUESTS; i++)
        wire_expect(peers[i % PEERS], 200, "");
    close_all(peers, PEERS);
    close_all((int[]){blocker, stranger}, 2);
    stop_on_time(f);
}

/* A peer that leaves, or sends no more, while it waits for its turn. */
static void test_turns_of_those_who_leave(void **state)
{
    static const char two[] = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"
                              "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n";
    struct fixture *f = start(1, 1000, 0);
    (void)state;

    for (int i = 0; i < 200; i++) {
        int fd = fixture_connect(f);
        wire_send(fd, two);
        if (i % 2 == 0) {
            assert_int_equal(shutdown(fd, SHUT_WR), 0);
            wire_expect(fd, 200, "");
            wire_expect(fd, 200, "");
        }
        close(fd);
    }
    FIXTURE_AWAIT(http_server_connections(f->server) == 0);
    stop_on_time(f);
}

/* On stop, those that are being refused and those on their way go as well. */
static void test_stop_in_a_crowd(void **state)
{
    enum { SILENT = 100 };
    int silent[SILENT];
    struct fixture *f = start(2, 2, 0);
    (void)state;

    int streams[2] = {connect_stream(f), connect_stream(f)};
    for (int i = 0; i < SILENT; i++)
        silent[i] = fixture_connect(f);
    stop_on_time(f);
    close_all(silent, SILENT);
    close_all(streams, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_idle_goes),
        cmocka_unit_test(test_slowest_head_goes_next),
        cmocka_unit_test(test_newcomer_stays_among_heads),
        cmocka_unit_test(test_slowest_body_goes_then),
        cmocka_unit_test(test_rest_of_a_body_keeps_no_place),
        cmocka_unit_test(test_answers_that_nobody_reads_go_last),
        cmocka_unit_test(test_coming_again_keeps_no_place),
        cmocka_unit_test(test_who_works_is_never_sent_away),
        cmocka_unit_test(test_answered_ones_go),
        cmocka_unit_test(test_strangers_who_are_refused_go),
        cmocka_unit_test(test_who_has_asked_is_not_idle),
        cmocka_unit_test(test_connections_per_address),
        cmocka_unit_test(test_flood_of_silent_connections),
        cmocka_unit_test(test_many_in_one_piece_take_turns),
        cmocka_unit_test(test_turns_of_those_who_leave),
        cmocka_unit_test(test_stop_in_a_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
