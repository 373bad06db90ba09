/* domain/trouble: which words people read, what differs from what is kept, and what comes first. */
#include "domain/sms/sms_text.h"
#include "domain/trouble/trouble.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW_MS = 1000 * 1000 * 1000 };

/* --- Words ------------------------------------------------------------------------------------ */

static const char *sentence(int kind, const char *name, bool is_over, enum sms_language language)
{
    static char text[TROUBLE_SENTENCE_MAX];
    AUTO_BUF out = {0};

    buf_init(&out, sizeof(text));
    trouble_write(kind, name, is_over, language, &out);
    buf_char(&out, '\0');
    assert_false(out.is_full);
    memcpy(text, out.data, out.len);
    return text;
}

/* Each sentence names what it is about, if there are several of it; none has a line of its own. */
static void each_kind_has_its_sentences(void **state)
{
    (void)state;
    for (int kind = 0; kind < TROUBLE_KIND_COUNT; kind++) {
        bool is_alone =
            kind == TROUBLE_NO_READY_SIM || kind == TROUBLE_NO_WORKER || kind == TROUBLE_DEGRADED;
        for (int i = 0; i < 4; i++) {
            const char *text = sentence(kind, "Shop 7", i % 2, i < 2 ? SMS_RUSSIAN : SMS_ENGLISH);
            assert_true(strlen(text) > 10 && text[strlen(text) - 1] == '.');
            assert_null(strpbrk(text, "@\n"));
            assert_true(!strstr(text, "Shop 7") == is_alone);
        }
    }
}

static void each_kind_says_what_to_do_and_where(void **state)
{
    (void)state;
    for (int kind = 0; kind < TROUBLE_KIND_COUNT; kind++) {
        const struct trouble_form *form = &trouble_forms[kind];
        assert_true(strlen(form->remedy) > 20 && form->remedy[strlen(form->remedy) - 1] == '.');
        assert_int_equal(strncmp(form->command, "herald ", 7), 0);
        if (form->path) assert_int_equal(strncmp(form->path, "/internal/v1/", 13), 0);
    }
}

static void of_an_address_only_the_host_is_told(void **state)
{
    (void)state;
    assert_string_equal(sentence(TROUBLE_ENDPOINT_DISABLED,
                                 "https://core.example:8443/hook/secret?key=17", false,
                                 SMS_ENGLISH),
                        "the webhook endpoint https://core.example:8443 is disabled: it took no "
                        "events.");
}

static void a_name_is_one_line_and_ends(void **state)
{
    char endless[4000];
    (void)state;
    assert_string_equal(sentence(TROUBLE_ERP_CIRCUIT, "Shop\n7\x7f\r\tЁж", false, SMS_ENGLISH),
                        "the ERP of Shop 7   Ёж takes no orders; they wait.");
    memset(endless, 'x', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    const char *text = sentence(TROUBLE_ERP_CIRCUIT, endless, false, SMS_ENGLISH);
    assert_int_equal(strspn(strchr(text, 'x'), "x"), 200);
}

/* --- Keeping ---------------------------------------------------------------------------------- */

static struct trouble silent(const char *number, int64_t since)
{
    return (struct trouble){.kind = TROUBLE_SIM_SILENT,
                            .subject = number,
                            .name = number,
                            .record_id = "device",
                            .since = since};
}

/* Compares what was found with what is kept. */
static bool differs(struct trouble found, struct trouble kept, int64_t well_since)
{
    struct trouble_list list = {.items = {found}, .count = found.subject ? 1 : 0};
    const struct trouble_watch watch = {{&kept, kept.subject ? 1 : 0}, well_since};

    return trouble_compare(&list, &watch, NOW_MS);
}

static void what_is_as_it_was_is_not_written(void **state)
{
    const struct trouble none = {0}, one = silent("+79160000001", 5);
    struct trouble named = one;
    named.name = "Shop 8";
    (void)state;
    assert_false(differs(one, one, 0));
    assert_false(differs(none, none, 7));
    assert_true(differs(none, none, -1)); /* nobody has looked yet */
    assert_true(differs(none, none, 0));  /* the last one has gone */
    assert_true(differs(one, none, 7));
    assert_true(differs(none, one, 0));
    assert_true(differs(one, silent("+79160000002", 5), 0));
    assert_true(differs(one, silent("+79160000001", 6), 0));
    assert_true(differs(named, one, 0));
}

static void one_whose_beginning_is_not_known_began_when_it_was_found(void **state)
{
    struct trouble kept = silent("+79160000001", 5);
    const struct trouble_watch before = {{NULL, 0}, 7}, after = {{&kept, 1}, 0};
    struct trouble_list found = {.items = {silent("+79160000001", 0)}, .count = 1};
    (void)state;
    assert_true(trouble_compare(&found, &before, NOW_MS));
    assert_int_equal(found.items[0].since, NOW_MS);
    found.items[0].since = 0;
    assert_false(trouble_compare(&found, &after, NOW_MS));
    assert_int_equal(found.items[0].since, 5);
}

/* --- Showing ---------------------------------------------------------------------------------- */

static void the_worst_comes_first_and_then_the_oldest(void **state)
{
    struct arena arena;
    struct work work = {.arena = &arena, .now_ms = NOW_MS};
    struct trouble rows[] = {
        silent("+79160000002", 9),
        silent("+79160000001", 9),
        {.kind = TROUBLE_CHANNEL_CLOSED, .subject = "c", .name = "c", .since = 10},
        silent("+79160000003", NOW_MS + 1),
        silent("+79160000004", 8),
    };
    struct record_list list = {rows, COUNT_OF(rows)};
    static const char *const order[] = {"c", "+79160000004", "+79160000001", "+79160000002",
                                        "+79160000003"};
    (void)state;

    arena_init(&arena);
    assert_int_equal(trouble_show(&work, &list), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(order); i++)
        assert_string_equal(rows[i].subject, order[i]);
    assert_int_equal(rows[4].since, NOW_MS); /* another process wrote it a moment later */
    assert_string_equal(rows[1].record->path, "/internal/v1/devices/device");
    assert_string_equal(rows[1].record->command, "herald admin devices show device");
    arena_done(&arena);
}

static void what_there_is_no_room_for_is_counted(void **state)
{
    static struct trouble rows[TROUBLES_SHOWN_MAX + 1];
    struct arena arena;
    struct work work = {.arena = &arena, .now_ms = NOW_MS};
    (void)state;

    arena_init(&arena);
    for (size_t count = TROUBLES_SHOWN_MAX; count <= COUNT_OF(rows); count++) {
        for (size_t i = 0; i < count; i++)
            rows[i] = silent(arena_printf(&arena, "%zu", i), 5);
        struct record_list list = {rows, count};
        assert_int_equal(trouble_show(&work, &list), count);
        assert_int_equal(list.count, TROUBLES_SHOWN_MAX);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_sentences),
        cmocka_unit_test(each_kind_says_what_to_do_and_where),
        cmocka_unit_test(of_an_address_only_the_host_is_told),
        cmocka_unit_test(a_name_is_one_line_and_ends),
        cmocka_unit_test(what_is_as_it_was_is_not_written),
        cmocka_unit_test(one_whose_beginning_is_not_known_began_when_it_was_found),
        cmocka_unit_test(the_worst_comes_first_and_then_the_oldest),
        cmocka_unit_test(what_there_is_no_room_for_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
