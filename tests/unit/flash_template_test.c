/* Flash-call templates: what is refused, and where the fault is said to be. */
#include "domain/channel/flash_template.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WHY_MAX = 16 * 1024, DOC_MAX = 64 * 1024 };

/* Returns what reading it says; "" if it is taken. */
static char *read_why(struct arena *arena, const char *name_or_json)
{
    AUTO_BUF why = {0};
    const struct flash_template *template = NULL;

    buf_init(&why, WHY_MAX);
    enum err err = flash_template_read(name_or_json, arena, &template, &why);
    assert_int_equal(err, why.len > 0 ? ERR_VALIDATION : ERR_OK);
    assert_int_equal(template != NULL, err == ERR_OK);
    return arena_str(arena, buf_view(&why));
}

/* A sound template of the mode give, with members of it replaced: each `…_` is JSON. */
struct parts {
    const char *head, *send, *answer;
};

static const struct parts sound = {
    "\"name\":\"x\",\"mode\":\"give\",\"base_url\":\"https://x.test\"",
    "\"send\":{\"method\":\"POST\",\"path\":\"/c\",\"json\":{\"p\":\"{phone_e164}\","
    "\"c\":\"{code}\"}}",
    "\"success\":{\"pointer\":\"/ok\",\"equals\":\"true\"}",
};

static char *compose(struct arena *arena, const struct parts *parts)
{
    return arena_printf(arena, "{%s,%s,%s}", parts->head ? parts->head : sound.head,
                        parts->send ? parts->send : sound.send,
                        parts->answer ? parts->answer : sound.answer);
}

struct fault_row {
    struct parts parts;
    const char *why;
};

static void check(const struct fault_row *rows, size_t count)
{
    struct arena arena;

    arena_init(&arena);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(read_why(&arena, compose(&arena, &rows[i].parts)), rows[i].why);
    arena_done(&arena);
}

#define HEAD(mode, base_url) "\"name\":\"x\",\"mode\":\"" mode "\",\"base_url\":\"" base_url "\""
#define BAD_BASE \
    "base_url: Must be an https:// address without a slash at the end, a query or a password."
#define BAD_PATH \
    "send.path: Must begin with a slash and hold visible ASCII only; a query stands in `query`."
#define POST(path, more) "\"send\":{\"method\":\"POST\",\"path\":\"" path "\"" more "}"
#define FILLED           ",\"query\":{\"p\":\"{phone_int}\",\"c\":\"{code_int}\"}"

static void the_sound_one_is_taken(void **state)
{
    static const struct fault_row rows[] = {{{0}, ""}};

    (void)state;
    check(rows, COUNT_OF(rows));
}

static void members_are_checked(void **state)
{
    static const struct fault_row rows[] = {
        {{.head = "\"mode\":\"give\""}, "name: Required. base_url: Required."},
        {{.head = HEAD("take", "https://x.test")}, "mode: Must be one of: give, learn."},
        {{.head = HEAD("give", "http://x.test")}, BAD_BASE},
        {{.head = HEAD("give", "https://x.test/")}, BAD_BASE},
        {{.head = HEAD("give", "https://u:p@x.test")}, BAD_BASE},
        {{.head = HEAD("give", "https://x.test?a=1")}, BAD_BASE},
        {{.head = HEAD("give", "https://")}, BAD_BASE},
        {{.head = HEAD("give", "https://x\\ny")}, BAD_BASE},
        {{.head = HEAD("give", "https://x.test") ",\"more\":1"}, "more: Unknown property."},
        {{.head = HEAD("give", "https://x.test") ",\"name\":\"y\""}, "name: Duplicate key."},
        {{.send = "\"send\":{}"}, "send.method: Required. send.path: Required."},
        {{.send = POST("c", FILLED)}, BAD_PATH},
        {{.send = POST("/c?d", FILLED)}, BAD_PATH},
        {{.send = POST("/c d", FILLED)}, BAD_PATH},
        {{.send = "\"send\":{\"method\":\"PUT\",\"path\":\"/c\"" FILLED "}"},
         "send.method: Must be one of: GET, POST."},
        {{.answer = "\"success\":{\"pointer\":\"ok\",\"equals\":\"\"}"},
         "success.pointer: Must be a JSON Pointer such as /data/id. "
         "success.equals: Must have at least 1 character; this has 0."},
        {{.answer = "\"success\":{\"pointer\":\"/ok\",\"equals\":true}"},
         "success.equals: Must be a string."},
        {{.answer = "\"error\":{\"code\":\"/e\",\"ours\":[401]},\"id\":\"/i\""},
         "error.ours[0]: Must be a string."},
        {{.answer = "\"error\":{\"code\":\"/e~2\"},\"id\":\"\""},
         "error.code: Must be a JSON Pointer such as /data/id. "
         "id: Must be a JSON Pointer such as /data/id."},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

static void requests_are_checked(void **state)
{
    static const struct fault_row rows[] = {
        {{.send = POST("/c", FILLED ",\"headers\":{\"X\":\"{kee}\"}")},
         "send.headers: {kee} is no placeholder."},
        {{.send = POST("/{c", FILLED)}, "send.path: { is no placeholder."},
        {{.send = POST("/c}", FILLED)}, "send.path: } is no placeholder."},
        {{.send = POST("/c", FILLED ",\"json\":{\"a\":[{\"b\":\"{}\"}]}")},
         "send.json: {} is no placeholder."},
        {{.send = POST("/c", FILLED ",\"form\":{\"a\":1}")}, "send.form.a: Must be a string."},
        {{.send = POST("/c", FILLED ",\"form\":{\"a\":[\"x\",{\"b\":\"y\"}],\"c\":{\"d\":\"e\"}}")},
         "send.form.a: Must be a string. send.form.c: Must be a string."},
        {{.send = POST("/c", FILLED ",\"form\":{\"a\":\"1\",\"a\":\"2\"}")},
         "send.form.a: Duplicate key."},
        {{.send = POST("/c", FILLED ",\"form\":{\"\":\"1\"}")},
         "send.form.: Must have a name, and at most 512 bytes."},
        {{.send = POST("/c", FILLED ",\"form\":{},\"json\":{}")},
         "send.json: Must not stand beside `form`."},
        {{.send = "\"send\":{\"method\":\"GET\",\"path\":\"/c\"" FILLED ",\"json\":{}}"},
         "send.method: Must be POST, since there is a body."},
        {{.send = POST("/c", FILLED ",\"headers\":{\"Content-length\":\"1\",\"A B\":\"1\"}")},
         "send.headers.Content-length: Is no header's name, or one that is set by the request "
         "itself. send.headers.A B: Is no header's name, or one that is set by the request "
         "itself."},
        {{.send = POST("/c", FILLED ",\"headers\":{\"A\":\"x\\r\\nB: y\",\"C\":\"ы\",\"D\":\"\"}")},
         "send.headers.A: Must hold 1 to 512 printable ASCII characters. "
         "send.headers.C: Must hold 1 to 512 printable ASCII characters. "
         "send.headers.D: Must hold 1 to 512 printable ASCII characters."},
        {{.send = POST("/c", FILLED ",\"query\":{\"a\\n\\u001b\":1}")},
         "send.query: Duplicate key."},
        {{.send = POST("/c", ",\"form\":{\"p\":\"{phone_int}{code}\",\"a\\n\\u001bы\":1}")},
         "send.form.a????: Must be a string."},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

static void the_parts_must_fit_together(void **state)
{
    static const struct fault_row rows[] = {
        {{.send = POST("/c", ",\"query\":{\"p\":\"{phone_int}\"}")},
         "send: Must hold {code} or {code_int}, since the mode is give."},
        {{.send = POST("/c", ",\"query\":{\"c\":\"{code}\"}")},
         "send: Must hold {phone_digits}, {phone_e164} or {phone_int}."},
        {{.send = POST("/{id}", FILLED)},
         "send: Must not hold {id}: there is none before the answer."},
        {{.head = HEAD("learn", "https://x.test")},
         "send: Must not hold {code}: the provider chooses it. "
         "code: Required, since the mode is learn."},
        {{.answer = "\"success\":{\"pointer\":\"/o\",\"equals\":\"1\"},"
                    "\"code\":{\"pointer\":\"/c\"}"},
         "code: Must not be there, since the mode is give."},
        {{.head = HEAD("give", "https://x.test") ",\"deduplicates\":true"},
         "deduplicates: Must not be true without {uuid} in `send`."},
        {{.answer = "\"id\":\"/i\""}, "success: Required, unless `error` is there."},
        {{.answer = "\"error\":{\"code\":\"/e\"}"},
         "success: Required, unless `id` or `code` is there."},
        {{.answer = "\"error\":{\"wait\":\"/e\"},\"id\":\"/i\""},
         "error: Must have `code` or `text`."},
        {{.answer = "\"success\":{\"pointer\":\"/o\",\"equals\":\"1\"},"
                    "\"status\":{\"request\":{\"method\":\"GET\",\"path\":\"/{code}\"},"
                    "\"state\":\"/s\"}"},
         "id: Required, since there is `status`. "
         "status.request: Must hold {id}, the id of the call."},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

static void what_is_no_template_is_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", " is no flash-call template; there are smsru, unibell, plusofon, zvonok, smsc, or a "
             "JSON object."},
        {"smsru2\n", "smsru2? is no flash-call template; there are smsru, unibell, plusofon, "
                     "zvonok, smsc, or a JSON object."},
        {"[]", "[] is no flash-call template; there are smsru, unibell, plusofon, zvonok, smsc, "
               "or a JSON object."},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(read_why(&arena, rows[i].text), rows[i].why);
    assert_string_not_equal(read_why(&arena, "{"), "");
    assert_string_not_equal(read_why(&arena, " {\"name\":\"x\"} x"), "");
    arena_done(&arena);
}

/* A sound template, with white space to a given size. */
static const char *padded(struct arena *arena, size_t size)
{
    const char *json = compose(arena, &sound);
    return arena_printf(arena, "%*s", (int)size, json);
}

static const char *with_headers(struct arena *arena, int count)
{
    AUTO_BUF send = {0};

    buf_init(&send, WHY_MAX);
    buf_text(&send, "\"send\":{\"method\":\"POST\",\"path\":\"/c\"" FILLED ",\"headers\":{");
    for (int i = 0; i < count; i++)
        buf_printf(&send, "%s\"X-%d\":\"y\"", i > 0 ? "," : "", i);
    buf_text(&send, "}}");
    return compose(arena, &(struct parts){.send = arena_str(arena, buf_view(&send))});
}

static const char *with_words(struct arena *arena, int count)
{
    AUTO_BUF send = {0};

    buf_init(&send, WHY_MAX);
    buf_text(&send, "\"send\":{\"method\":\"POST\",\"path\":\"/c\",\"json\":{\"a\":\"{code}");
    for (int i = 1; i < count; i++)
        buf_text(&send, "{phone_int}");
    buf_text(&send, "\"}}");
    return compose(arena, &(struct parts){.send = arena_str(arena, buf_view(&send))});
}

static void every_limit_holds(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(read_why(&arena, padded(&arena, FLASH_TEMPLATE_MAX)), "");
    assert_string_equal(read_why(&arena, padded(&arena, FLASH_TEMPLATE_MAX + 1)),
                        "template: Must have at most 16384 bytes.");
    assert_string_equal(read_why(&arena, with_headers(&arena, FLASH_HEADERS_MAX)), "");
    assert_string_equal(read_why(&arena, with_headers(&arena, FLASH_HEADERS_MAX + 1)),
                        "send.headers: Must have at most 8 members.");
    assert_string_equal(read_why(&arena, with_words(&arena, FLASH_WORDS_MAX)), "");
    assert_string_equal(read_why(&arena, with_words(&arena, FLASH_WORDS_MAX + 1)),
                        "send: Must hold at most 64 placeholders.");
    arena_done(&arena);
}

static void every_preset_is_sound(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (const struct flash_preset *preset = flash_presets; preset->name; preset++) {
        assert_string_equal(read_why(&arena, preset->name), "");
        assert_string_equal(read_why(&arena, preset->json), "");
    }
    arena_done(&arena);
}

/* docs/flash-call-providers.md shows one; it must be as good as it looks. */
static void the_example_of_the_documentation_is_sound(void **state)
{
    static const char begin[] = "\n```json\n", end[] = "\n```\n";
    static char page[DOC_MAX + 1];
    const char *root = getenv("HERALD_SOURCE_ROOT");
    struct arena arena;

    (void)state;
    arena_init(&arena);
    FILE *file =
        fopen(arena_printf(&arena, "%s/docs/flash-call-providers.md", root ? root : "."), "r");
    assert_non_null(file);
    size_t len = fread(page, 1, DOC_MAX, file);
    fclose(file);
    assert_in_range(len, 1, DOC_MAX - 1);
    char *json = strstr(page, begin);
    assert_non_null(json);
    json += strlen(begin);
    char *stop = strstr(json, end);
    assert_non_null(stop);
    *stop = '\0';
    assert_string_equal(read_why(&arena, json), "");
    arena_done(&arena);
}

static void patterns_are_open_where_a_star_stands(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool fits;
    } rows[] = {
        {"401", "401", true},  {"401", "4010", false}, {"401", "", false},   {"40*", "401", true},
        {"40*", "40", true},   {"40*", "140", false},  {"*01", "401", true}, {"*01", "01", true},
        {"*01", "010", false}, {"*0*", "401", true},   {"*0*", "0", true},   {"*0*", "41", false},
        {"*", "", true},       {"*", "x", true},       {"**", "", true},     {"**", "x", true},
        {"a*b", "a*b", true},  {"a*b", "axb", false},  {"*aa*", "a", false}, {"aa*", "a", false},
        {"*aa", "a", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(flash_pattern_fits(rows[i].pattern, rows[i].text), rows[i].fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sound_one_is_taken),
        cmocka_unit_test(members_are_checked),
        cmocka_unit_test(requests_are_checked),
        cmocka_unit_test(the_parts_must_fit_together),
        cmocka_unit_test(what_is_no_template_is_refused),
        cmocka_unit_test(every_limit_holds),
        cmocka_unit_test(every_preset_is_sound),
        cmocka_unit_test(the_example_of_the_documentation_is_sound),
        cmocka_unit_test(patterns_are_open_where_a_star_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
