/* The head parser and, behind it, the framing of bodies: every raw case, and every limit. */
#include "http_cases.h"
#include "http_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Returns what became of the bytes, in the terms of http_cases.def. */
static int outcome(const struct http_machine *m)
{
    if (m->err) return err_info(m->err)->http_status;
    return machine_is_idle(m) ? 200 : 0;
}

static void feed_in_pieces(struct http_machine *m, struct str bytes, size_t piece)
{
    for (size_t at = 0; at < bytes.len; at += piece) {
        size_t len = bytes.len - at < piece ? bytes.len - at : piece;
        machine_feed(m, (struct str){bytes.data + at, len});
    }
}

static void check_case(const struct http_case *c, size_t piece)
{
    struct http_machine m;

    machine_init(&m);
    feed_in_pieces(&m, c->bytes, piece);
    if (outcome(&m) != c->status)
        fail_msg("%s: %d instead of %d, in pieces of %zu:\n%.*s", c->rule, outcome(&m), c->status,
                 piece, (int)c->bytes.len, c->bytes.data);
    machine_done(&m);
}

static void test_every_case(void **state)
{
    (void)state;
    for (int i = 0; i < HTTP_CASE_COUNT; i++)
        check_case(&http_cases[i], SIZE_MAX / 2);
}

static void test_every_case_in_pieces(void **state)
{
    (void)state;
    for (int i = 0; i < HTTP_CASE_COUNT; i++) {
        for (size_t piece = 1; piece <= 7; piece++)
            check_case(&http_cases[i], piece);
    }
}

/* Wherever a head is cut off, it waits; no prefix of a good request is refused. */
static void test_prefixes_wait(void **state)
{
    (void)state;
    for (int i = 0; i < HTTP_CASE_COUNT; i++) {
        if (http_cases[i].status != 200) continue;
        for (size_t len = 0; len < http_cases[i].bytes.len; len++) {
            struct http_machine m;
            machine_init(&m);
            machine_feed(&m, (struct str){http_cases[i].bytes.data, len});
            if (m.err) fail_msg("%s: refused after %zu bytes", http_cases[i].rule, len);
            machine_done(&m);
        }
    }
}

/* ---- what is read from a good head ---- */

static struct http_head parse(const char *text, struct http_field *fields)
{
    struct http_head head;

    enum err err = http_head_parse(str_of(text), fields, MACHINE_HEADERS_MAX, &head);
    assert_int_equal(err, ERR_OK);
    return head;
}

static void assert_span(const struct http_head *head, struct http_span span, const char *expected)
{
    struct str text = http_head_view(head, span);

    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void test_parts_of_the_target(void **state)
{
    static const struct {
        const char *target, *path, *query;
    } rows[] = {
        {"/", "/", ""},           {"/a/b", "/a/b", ""},        {"/a?b=c", "/a", "b=c"},
        {"/a?", "/a", ""},        {"/a?b?c", "/a", "b?c"},     {"http://a", "/", ""},
        {"http://a?b", "/", "b"}, {"http://a/b?c", "/b", "c"},
    };
    struct http_field fields[MACHINE_HEADERS_MAX];
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].target);
        struct http_head head = parse(text, fields);
        assert_span(&head, head.method, "GET");
        assert_span(&head, head.path, rows[i].path);
        assert_span(&head, head.query, rows[i].query);
    }
}

static void test_fields(void **state)
{
    struct http_field fields[MACHINE_HEADERS_MAX];
    (void)state;

    struct http_head head =
        parse("GET / HTTP/1.1\r\nHost: a\r\nX-One:  b c \t\r\nY:\r\n\r\n", fields);
    assert_int_equal(head.field_count, 3);
    assert_span(&head, head.fields[1].name, "X-One");
    assert_span(&head, head.fields[1].value, "b c");
    assert_span(&head, head.fields[2].name, "Y");
    assert_span(&head, head.fields[2].value, "");
}

static void test_keep_alive(void **state)
{
    static const struct {
        const char *version, *fields;
        bool is_keep_alive;
    } rows[] = {
        {"1.1", "", true},
        {"1.1", "Connection: keep-alive\r\n", true},
        {"1.1", "Connection: close\r\n", false},
        {"1.1", "connection: CLOSE\r\n", false},
        {"1.1", "Connection: x, close , y\r\n", false},
        {"1.1", "Connection: closed\r\n", true},
        {"1.1", "Connection: keep-alive\r\nConnection: close\r\n", false},
        {"1.1", "Connection: ,,close\r\n", false},
        {"1.0", "", false},
        {"1.0", "Connection: keep-alive\r\n", true},
        {"1.0", "Connection: keep-alive, close\r\n", false},
    };
    struct http_field fields[MACHINE_HEADERS_MAX];
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text), "GET / HTTP/%s\r\nHost: a\r\n%s\r\n", rows[i].version,
                 rows[i].fields);
        assert_int_equal(parse(text, fields).is_keep_alive, rows[i].is_keep_alive);
    }
}

static void test_body_fields(void **state)
{
    struct http_field fields[MACHINE_HEADERS_MAX];
    (void)state;

    struct http_head head = parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0042\r\n"
                                  "Expect: 100-continue\r\n\r\n",
                                  fields);
    assert_int_equal(head.content_length, 42);
    assert_true(head.expects_continue);
    assert_false(head.is_chunked);
    head = parse("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", fields);
    assert_true(head.is_chunked);
    head = parse("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", fields);
    assert_false(head.expects_continue);
}

/* ---- limits, each at n and n + 1 ---- */

/* The outcome for "GET /aaa... HTTP/1.1" with a target of `target_len`, `fields` fields "X: y", and
 * a last field that fills the head up to `head_len` bytes (0: none). */
static int outcome_of_size(size_t target_len, int fields, size_t head_len)
{
    struct http_machine m;
    AUTO_BUF text = {0};

    buf_init(&text, MACHINE_MEMORY);
    buf_text(&text, "GET /");
    while (text.len < 4 + target_len)
        buf_char(&text, 'a');
    buf_text(&text, " HTTP/1.1\r\nHost: a\r\n");
    for (int i = 0; i < fields; i++)
        buf_text(&text, "X: y\r\n");
    if (head_len > 0) {
        buf_text(&text, "Y: ");
        while (text.len < head_len - 4)
            buf_char(&text, 'b');
        buf_text(&text, "\r\n");
    }
    buf_text(&text, "\r\n");
    machine_init(&m);
    machine_feed(&m, buf_view(&text));
    int result = outcome(&m);
    machine_done(&m);
    return result;
}

static void test_limits(void **state)
{
    (void)state;
    assert_int_equal(outcome_of_size(HTTP_TARGET_MAX, 0, 0), 200);
    assert_int_equal(outcome_of_size(HTTP_TARGET_MAX + 1, 0, 0), 414);
    assert_int_equal(outcome_of_size(12 * 1024, 0, 0), 414);
    assert_int_equal(outcome_of_size(1, MACHINE_HEADERS_MAX - 1, 0), 200);
    assert_int_equal(outcome_of_size(1, MACHINE_HEADERS_MAX, 0), 431);
    assert_int_equal(outcome_of_size(1, 0, MACHINE_HEAD_MAX), 200);
    assert_int_equal(outcome_of_size(1, 0, MACHINE_HEAD_MAX + 1), 431);
}

/* Bytes that go on for ever are refused as soon as they pass a limit. */
static int outcome_of_flood(const char *start, char filler, size_t count)
{
    struct http_machine m;

    machine_init(&m);
    machine_feed(&m, str_of(start));
    for (size_t i = 0; i < count && !m.err; i++)
        machine_feed(&m, (struct str){&filler, 1});
    int result = outcome(&m);
    machine_done(&m);
    return result;
}

static void test_floods(void **state)
{
    static const char chunked[] =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    char text[256];
    (void)state;

    assert_int_equal(outcome_of_flood("G", 'G', 10000), 414);
    assert_int_equal(outcome_of_flood("GET /", 'a', 10000), 414);
    assert_int_equal(outcome_of_flood("GET / HTTP/1.1\r\nX: ", 'a', 20000), 431);
    assert_int_equal(outcome_of_flood("GET / HTTP/1.1\r\n", 'a', 20000), 431);
    snprintf(text, sizeof(text), "%s1;", chunked);
    assert_int_equal(outcome_of_flood(text, 'a', HTTP_CHUNK_EXTENSION_MAX - 1), 0);
    assert_int_equal(outcome_of_flood(text, 'a', HTTP_CHUNK_EXTENSION_MAX), 400);
    snprintf(text, sizeof(text), "%s1", chunked);
    assert_int_equal(outcome_of_flood(text, ' ', HTTP_CHUNK_EXTENSION_MAX + 1), 400);
    snprintf(text, sizeof(text), "%s0\r\nX:", chunked);
    assert_int_equal(outcome_of_flood(text, 'a', HTTP_TRAILER_MAX - 2), 0);
    assert_int_equal(outcome_of_flood(text, 'a', HTTP_TRAILER_MAX - 1), 400);
}

/* Many small chunks with long extensions are bounded as a whole. */
static void test_extensions_of_all_chunks(void **state)
{
    struct http_machine m;
    int chunks = 0;
    (void)state;

    machine_init(&m);
    machine_feed(&m, STR("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for (; chunks < 2 * HTTP_EXTENSIONS_MAX && !m.err; chunks++)
        machine_feed(&m, STR("1;234567\r\na\r\n"));
    assert_int_equal(outcome(&m), 400);
    assert_int_equal(chunks, HTTP_EXTENSIONS_MAX / 7 + 1);
    machine_done(&m);
}

/* Nothing after a refusal is read as a request. */
static void test_refusal_is_final(void **state)
{
    struct http_machine m;
    (void)state;

    machine_init(&m);
    machine_feed(&m, STR("GET / HTTP/1.1\r\nHost : a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"));
    machine_feed(&m, STR("GET /c HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_int_equal(m.requests, 0);
    assert_int_equal(outcome(&m), 400);
    machine_done(&m);
}

static void test_payload_of_chunks(void **state)
{
    static const char text[] = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "5\r\nhello\r\n1;x=y\r\n,\r\n006\r\n world\r\n0\r\nX: y\r\n\r\n";
    (void)state;

    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct http_machine m;
        machine_init(&m);
        feed_in_pieces(&m, (struct str){text, sizeof(text) - 1}, piece);
        assert_int_equal(m.requests, 1);
        assert_true(str_is(buf_view(&m.payload), "hello, world"));
        machine_done(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case),       cmocka_unit_test(test_every_case_in_pieces),
        cmocka_unit_test(test_prefixes_wait),    cmocka_unit_test(test_parts_of_the_target),
        cmocka_unit_test(test_fields),           cmocka_unit_test(test_keep_alive),
        cmocka_unit_test(test_body_fields),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_floods),           cmocka_unit_test(test_extensions_of_all_chunks),
        cmocka_unit_test(test_refusal_is_final), cmocka_unit_test(test_payload_of_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
