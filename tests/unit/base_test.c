/* kit/base: arenas, buffers, borrowed texts, errors. */
#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"
#include "kit/base/macros.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- Arena --- */

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 15, 16, 17, 3999, 4000, 4001, 100000};
    struct arena arena;
    arena_init(&arena);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            unsigned char *memory = arena_alloc(&arena, sizes[i]);
            assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(memory[k], 0);
            memset(memory, 0xA5, sizes[i]); /* what comes next must not show it */
        }
    }
    arena_done(&arena);
}

static void arena_pieces_keep_what_was_written(void **state)
{
    (void)state;
    enum { PIECES = 2000 };
    struct arena arena;
    char *pieces[PIECES];
    arena_init(&arena);
    for (int i = 0; i < PIECES; i++)
        pieces[i] = arena_printf(&arena, "piece %d", i);
    for (int i = 0; i < PIECES; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "piece %d", i);
        assert_string_equal(pieces[i], expected);
    }
    arena_done(&arena);
    assert_int_equal(arena.used, 0);
}

/* A budget holds for what may be refused, not for what is small beside it. */
static void arena_refuses_what_passes_its_budget(void **state)
{
    (void)state;
    struct arena arena;

    arena_init_large(&arena, 4096);
    assert_non_null(arena_try(&arena, 512, 8));
    assert_false(arena.is_exhausted);
    assert_null(arena_try(&arena, 1, 1));
    assert_true(arena.is_exhausted);
    assert_string_equal(arena_text(&arena, "small"), "small");
    arena_done(&arena);
    assert_false(arena.is_exhausted);
    assert_string_equal(arena_try_str(&arena, STR("text")), "text");
    assert_null(arena_try(&arena, SIZE_MAX / 2, 3));
    assert_null(arena_try_str(&arena, STR("text")));
    arena_done(&arena);
    arena_init(&arena);
    assert_non_null(arena_try(&arena, 512, 80));
    arena_done(&arena);
}

static void arena_copies_end_in_nul(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_string_equal(arena_str(&arena, (struct str){"herald", 3}), "her");
    assert_string_equal(arena_str(&arena, (struct str){NULL, 0}), "");
    assert_string_equal(arena_text(&arena, "text"), "text");
    assert_null(arena_text(&arena, NULL));
    assert_string_equal(arena_printf(&arena, "%s-%05d", "a", 42), "a-00042");
    assert_int_equal(strlen(arena_printf(&arena, "%5000d", 1)), 5000);
    arena_done(&arena);
}

static void arena_rewinds_to_its_mark(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct arena_mark empty = arena_mark(&arena);
    char *kept = arena_text(&arena, "kept");
    struct arena_mark mark = arena_mark(&arena);
    for (int i = 0; i < 100; i++)
        memset(arena_alloc(&arena, 999), 'x', 999);
    arena_rewind(&arena, mark);
    assert_int_equal(arena.used, mark.used);
    assert_string_equal(kept, "kept");
    const char *again = arena_alloc(&arena, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(again[i], 0);
    arena_rewind(&arena, empty);
    assert_int_equal(arena.used, 0);
    arena_done(&arena);
}

static void an_array_that_overflows_aborts(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct arena arena;
        arena_init(&arena);
        signal(SIGABRT, SIG_DFL);
        arena_array(&arena, SIZE_MAX / 2, 3);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* --- Buf --- */

static void assert_buf(const struct buf *buf, const char *expected)
{
    assert_int_equal(buf->len, strlen(expected));
    if (buf->len > 0) assert_memory_equal(buf->data, expected, buf->len);
}

static void a_buf_grows_up_to_its_maximum(void **state)
{
    (void)state;
    static const size_t maxima[] = {1, 255, 256, 257, 5000};
    for (size_t i = 0; i < COUNT_OF(maxima); i++) {
        AUTO_BUF buf = {0};
        buf_init(&buf, maxima[i]);
        for (size_t k = 0; k < maxima[i]; k++)
            buf_char(&buf, 'x');
        assert_int_equal(buf.len, maxima[i]);
        assert_false(buf.is_full);
        buf_char(&buf, 'y');
        assert_int_equal(buf.len, maxima[i]);
        assert_true(buf.is_full);
        assert_true(buf.capacity <= maxima[i]);
    }
}

static void what_does_not_fit_is_left_out_as_a_whole(void **state)
{
    (void)state;
    AUTO_BUF buf = {0};
    buf_init(&buf, 8);
    buf_text(&buf, "123456");
    buf_text(&buf, "789");
    assert_buf(&buf, "123456");
    assert_true(buf.is_full);
    assert_null(buf_reserve(&buf, SIZE_MAX));
    buf_printf(&buf, "%d", 78);
    assert_buf(&buf, "12345678");
    buf_clear(&buf);
    assert_false(buf.is_full);
    assert_buf(&buf, "");
}

static void a_buf_takes_every_kind_of_text(void **state)
{
    (void)state;
    AUTO_BUF buf = {0};
    buf_init(&buf, 100000);
    buf_append(&buf, NULL, 0);
    buf_str(&buf, (struct str){NULL, 0});
    buf_str(&buf, STR("ab"));
    buf_text(&buf, "");
    memcpy(buf_reserve(&buf, 2), "cd", 2);
    buf_printf(&buf, "%s%d", "e", 5);
    assert_buf(&buf, "abcde5");
    assert_int_equal(buf_view(&buf).len, 6);
    buf_clear(&buf);
    buf_printf(&buf, "%255d|%256d|%4000d", 1, 2, 3);
    assert_int_equal(buf.len, 255 + 1 + 256 + 1 + 4000);
    assert_int_equal(buf.data[buf.len - 1], '3');
}

static void a_buf_drops_from_its_front(void **state)
{
    (void)state;
    AUTO_BUF buf = {0};
    buf_init(&buf, 64);
    buf_text(&buf, "abcdef");
    buf_consume(&buf, 0);
    assert_buf(&buf, "abcdef");
    buf_consume(&buf, 2);
    assert_buf(&buf, "cdef");
    buf_consume(&buf, 4);
    assert_buf(&buf, "");
    buf_text(&buf, "x");
    buf_consume(&buf, 99);
    assert_buf(&buf, "");
}

/* --- Str --- */

static void texts_are_compared_whole(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool is_equal, is_nocase;
    } rows[] = {
        {"", "", true, true},          {"Host", "Host", true, true},  {"Host", "hOST", false, true},
        {"Host", "Hos", false, false}, {"Hos", "Host", false, false}, {"a[", "a{", false, false},
        {"@", "`", false, false},      {"x-1", "X-1", false, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(str_is(str_of(rows[i].a), rows[i].b), rows[i].is_equal);
        assert_int_equal(str_is_nocase(str_of(rows[i].a), rows[i].b), rows[i].is_nocase);
    }
    assert_int_equal(str_of(NULL).len, 0);
}

static void texts_are_trimmed_of_blanks_only(void **state)
{
    (void)state;
    static const struct {
        const char *text, *trimmed;
    } rows[] = {{"", ""},        {" \t ", ""},  {"a", "a"}, {" \ta b\t ", "a b"},
                {"a\n ", "a\n"}, {"\va", "\va"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(str_is(str_trim(str_of(rows[i].text)), rows[i].trimmed));
}

static void texts_are_cut_at_a_mark(void **state)
{
    (void)state;
    static const struct {
        const char *text, *front, *rest; /* NULL: there is no mark */
    } rows[] = {{"", "", NULL},  {"ab", "ab", NULL},    {",", "", ""},      {"a,", "a", ""},
                {",b", "", "b"}, {"a,b,c", "a", "b,c"}, {"a,,c", "a", ",c"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str text = str_of(rows[i].text), front = str_until(text, ',');
        assert_true(str_is(front, rows[i].front));
        assert_int_equal(front.len == text.len, rows[i].rest == NULL);
        if (rows[i].rest) assert_true(str_is(str_behind(text, front.len + 1), rows[i].rest));
    }
    assert_int_equal(str_until((struct str){NULL, 0}, ',').len, 0);
    assert_int_equal(str_until((struct str){"a,b", 1}, ',').len, 1);
}

static void whole_numbers_fill_their_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_number;
        long long value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"9223372036854775807", true, LLONG_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, LLONG_MIN},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1a", false, 0},
        {"1.0", false, 0},
        {"--1", false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        long long value = 4711;
        assert_int_equal(str_to_int64(str_of(rows[i].text), &value), rows[i].is_number);
        assert_true(value == (rows[i].is_number ? rows[i].value : 4711));
    }
}

static void characters_are_counted_not_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {{"", 0}, {"abc", 3}, {"Код", 3}, {"€", 1}, {"😀", 1}, {"aК€😀", 4}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(utf8_length(str_of(rows[i].text)), rows[i].length);
}

static void a_text_is_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max;
        const char *front;
    } rows[] = {
        {"", 3, ""},       {"abc", 0, ""},   {"abc", 2, "ab"}, {"abc", 3, "abc"},
        {"abc", 4, "abc"}, {"Код", 2, "Ко"}, {"€😀a", 1, "€"},  {"€😀a", 2, "€😀"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(str_is(utf8_cut(str_of(rows[i].text), rows[i].max), rows[i].front));
}

static void a_text_is_cut_to_bytes_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max;
        const char *front;
    } rows[] = {{"", 0, ""},   {"abc", 0, ""}, {"abc", 2, "ab"}, {"abc", 3, "abc"},
                {"€a", 2, ""}, {"€a", 3, "€"}, {"a€", 3, "a"},   {"a😀", 5, "a😀"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(str_is(utf8_fit(str_of(rows[i].text), rows[i].max), rows[i].front));
}

/* --- Errors --- */

/* Every code of the contract, section 1, with its status. */
static void a_word_is_found_by_one_that_is_near(void **state)
{
    static const char *const words[] = {"serve", "api", "doctor", "migrate"};
    static const struct {
        const char *typed, *meant;
    } rows[] = {
        {"doctor", "doctor"}, {"docter", "doctor"},   {"dcotor", "doctor"}, {"docto", "doctor"},
        {"sevre", "serve"},   {"mirgate", "migrate"}, {"apo", "api"},       {"status", NULL},
        {"", NULL},           {"xyz", NULL},          {"o", NULL},
    };
    char longest[100];
    (void)state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *nearest = str_nearest(rows[i].typed, words, 4);
        if (rows[i].meant && !nearest) fail_msg("nothing is near %s", rows[i].typed);
        if (rows[i].meant) assert_string_equal(nearest, rows[i].meant);
        if (!rows[i].meant) assert_null(nearest);
    }
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_null(str_nearest(longest, words, 4));
}

static void errors_have_the_status_and_code_of_the_contract(void **state)
{
    (void)state;
    static const struct {
        enum err err;
        int status;
        const char *code;
        const char *reason;
    } rows[] = {
        {ERR_UNAUTHORIZED, 401, "unauthorized"},
        {ERR_NUMBER_NOT_OWNED, 403, "number_not_owned"},
        {ERR_DEVICE_DISABLED, 403, "device_disabled"},
        {ERR_NOT_FOUND, 404, "not_found"},
        {ERR_METHOD_NOT_ALLOWED, 405, "method_not_allowed"},
        {ERR_IDEMPOTENCY_CONFLICT, 409, "idempotency_conflict"},
        {ERR_ACTIVE_CHALLENGE_EXISTS, 409, "active_challenge_exists"},
        {ERR_NUMBER_TAKEN, 409, "number_taken"},
        {ERR_LEASE_LOST, 409, "lease_lost"},
        {ERR_ALREADY_CONFIRMED, 409, "already_confirmed"},
        {ERR_CHALLENGE_EXPIRED, 409, "challenge_expired"},
        {ERR_ATTEMPTS_EXHAUSTED, 409, "attempts_exhausted"},
        {ERR_CHALLENGE_CANCELED, 409, "challenge_canceled"},
        {ERR_FALLBACK_NOT_APPLICABLE, 409, "fallback_not_applicable"},
        {ERR_RESULT_CONFLICT, 409, "result_conflict"},
        {ERR_PAYLOAD_TOO_LARGE, 413, "payload_too_large"},
        {ERR_UNSUPPORTED_MEDIA_TYPE, 415, "unsupported_media_type"},
        {ERR_VALIDATION, 422, "validation_error"},
        {ERR_CODE_MISMATCH, 422, "code_mismatch"},
        {ERR_RATE_LIMITED, 429, "rate_limited"},
        {ERR_STORAGE_UNAVAILABLE, 503, "storage_unavailable"},
        {ERR_CHANNEL_NOT_CONFIGURED, 503, "channel_unavailable", "not_configured"},
        {ERR_CIRCUIT_OPEN, 503, "channel_unavailable", "circuit_open"},
        {ERR_ACCOUNT_NOT_CONNECTED, 503, "channel_unavailable", "account_not_connected"},
        {ERR_NO_ENABLED_NUMBER, 503, "channel_unavailable", "no_enabled_number"},
        {ERR_NO_READY_SIM, 503, "no_ready_sim"},
        {ERR_OVERLOADED, 503, "overloaded"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(err_info(rows[i].err)->http_status, rows[i].status);
        assert_string_equal(err_info(rows[i].err)->code, rows[i].code);
        if (rows[i].reason) assert_string_equal(err_info(rows[i].err)->reason, rows[i].reason);
    }
    for (int err = 0; err < ERR_COUNT; err++) {
        const struct err_info *info = err_info((enum err)err);
        assert_int_equal(info->sentence[strlen(info->sentence) - 1], '.');
        assert_int_equal(info->reason != NULL, strcmp(info->code, "channel_unavailable") == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_pieces_keep_what_was_written),
        cmocka_unit_test(arena_refuses_what_passes_its_budget),
        cmocka_unit_test(arena_copies_end_in_nul),
        cmocka_unit_test(arena_rewinds_to_its_mark),
        cmocka_unit_test(an_array_that_overflows_aborts),
        cmocka_unit_test(a_buf_grows_up_to_its_maximum),
        cmocka_unit_test(what_does_not_fit_is_left_out_as_a_whole),
        cmocka_unit_test(a_buf_takes_every_kind_of_text),
        cmocka_unit_test(a_buf_drops_from_its_front),
        cmocka_unit_test(texts_are_compared_whole),
        cmocka_unit_test(texts_are_trimmed_of_blanks_only),
        cmocka_unit_test(texts_are_cut_at_a_mark),
        cmocka_unit_test(whole_numbers_fill_their_text),
        cmocka_unit_test(characters_are_counted_not_bytes),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(a_text_is_cut_to_bytes_between_characters),
        cmocka_unit_test(a_word_is_found_by_one_that_is_near),
        cmocka_unit_test(errors_have_the_status_and_code_of_the_contract),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
