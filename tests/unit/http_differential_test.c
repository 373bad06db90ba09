/*
 * Against another parser: what it refuses, ours refuses. It is the more lenient of the two, so the
 * other direction says nothing.
 */
#include "http_cases.h"
#include "http_judge.h"
#include "http_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static bool is_refused_by_us(struct str bytes)
{
    struct http_machine m;

    machine_init(&m);
    machine_feed(&m, bytes);
    /* A head is judged when it is whole: what has lost its last line end gets another. */
    if (!m.is_in_body && m.pending.len > 0) machine_feed(&m, STR("\r\n\r\n"));
    bool is_refused = m.err != ERR_OK;
    machine_done(&m);
    return is_refused;
}

static void test_cases(void **state)
{
    int refused = 0;
    (void)state;

    for (int i = 0; i < HTTP_CASE_COUNT; i++) {
        if (!http_judge_refuses(http_cases[i].bytes)) continue;
        refused++;
        if (!is_refused_by_us(http_cases[i].bytes)) fail_msg("taken: %s", http_cases[i].rule);
    }
    assert_in_range(refused, 50, HTTP_CASE_COUNT); /* the peer does judge */
}

/* In the place of one byte, `byte`. The peer refuses a tab behind a length or a coding, where RFC
 * 9110, section 5.6.3, has it equal a space; so it is asked about a space. */
static bool is_taken_by_us_alone(char *at, struct str text, char byte)
{
    *at = byte == '\t' ? ' ' : byte;
    if (!http_judge_refuses(text)) return false;
    *at = byte;
    return !is_refused_by_us(text);
}

static void mutate(const struct http_case *c)
{
    static const char bytes[] = {'\0', '\t', '\n', '\v', '\r', ' ',    '"',
                                 ',',  ':',  ';',  '0',  'x',  '\x7f', '\xff'};
    char copy[1024];
    struct str text = {copy, c->bytes.len};

    assert_in_range(text.len, 1, sizeof(copy));
    memcpy(copy, c->bytes.data, text.len);
    for (size_t at = 0; at < text.len; at++) {
        for (size_t b = 0; b < sizeof(bytes); b++) {
            if (is_taken_by_us_alone(copy + at, text, bytes[b]))
                fail_msg("taken: %s, with %d at %zu:\n%.*s", c->rule, bytes[b], at, (int)text.len,
                         text.data);
        }
        copy[at] = c->bytes.data[at];
    }
}

static void test_mutations(void **state)
{
    (void)state;
    for (int i = 0; i < HTTP_CASE_COUNT; i++)
        mutate(&http_cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
