/* These tests show how much of bodies on their way in there may be: sizes, places of large ones,
 * and whose place goes (contract, sections 1 and 5). */
#include "erp_intake_scene.h"

/* A good package of changes of exactly `length` bytes. */
static struct buf padded_changes(size_t length)
{
    struct buf text;
    buf_init(&text, length);
    buf_text(&text, CHANGES);
    while (text.len < length)
        buf_char(&text, ' ');
    return text;
}

static void test_25_mib_are_taken_and_a_byte_more_is_not(void **state)
{
    for (size_t length = ERP_BODY_MAX; length <= ERP_BODY_MAX + 1; length++) {
        bool is_good = length == ERP_BODY_MAX;
        struct buf text = padded_changes(length);
        struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_DELTA, -1);
        const char *detail;
        feed(intake, buf_view(&text), 65536);
        assert_int_equal(erp_intake_is_clean(intake), is_good);
        assert_int_equal(check(*state, intake, &detail), is_good ? ERR_OK : ERR_PAYLOAD_TOO_LARGE);
        erp_intake_free(intake);
        buf_done(&text);
    }
}

static void test_what_is_announced_too_long_is_not_read(void **state)
{
    struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_SNAPSHOT, ERP_BODY_MAX + 1);
    const char *detail;
    assert_false(erp_intake_take(intake, STR("{")));
    assert_false(erp_intake_is_clean(intake));
    assert_int_equal(check(*state, intake, &detail), ERR_PAYLOAD_TOO_LARGE);
    erp_intake_free(intake);
}

static int losses;

static void count_loss(void *arg)
{
    (void)arg;
    losses++;
}

static enum err new_large(struct bench *bench, int integration, struct erp_intake **ret_intake)
{
    return erp_intake_new(&bench->service, &integrations[integration], ERP_PACKAGE_SNAPSHOT,
                          ERP_BODY_LARGE + 1, &(struct body_ending){count_loss, NULL}, ret_intake);
}

static void test_large_bodies_are_counted(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_MAX], *more;
    const char *detail;
    for (size_t i = 0; i < ERP_LARGE_BODIES_OF_ONE; i++)
        assert_int_equal(new_large(bench, 0, &intakes[i]), ERR_OK);
    assert_int_equal(new_large(bench, 0, &more), ERR_OVERLOADED);
    for (size_t i = ERP_LARGE_BODIES_OF_ONE; i < ERP_LARGE_BODIES_MAX; i++)
        assert_int_equal(new_large(bench, 1, &intakes[i]), ERR_OK);
    assert_int_equal(new_large(bench, 0, &more), ERR_OVERLOADED);

    /* One that is not large, and one that turns out to be. */
    struct buf text = padded_changes(ERP_BODY_LARGE + 1);
    more = new_intake(bench, ERP_PACKAGE_DELTA, ERP_BODY_LARGE);
    feed(more, (struct str){text.data, ERP_BODY_LARGE}, SIZE_MAX);
    assert_true(erp_intake_is_clean(more));
    erp_intake_free(more);
    more = new_intake(bench, ERP_PACKAGE_DELTA, -1);
    feed(more, buf_view(&text), SIZE_MAX);
    assert_int_equal(check(bench, more, &detail), ERR_OVERLOADED);
    erp_intake_free(more);

    erp_intake_free(intakes[0]);
    more = new_intake(bench, ERP_PACKAGE_DELTA, -1);
    feed(more, buf_view(&text), SIZE_MAX);
    assert_int_equal(check(bench, more, &detail), ERR_OK);
    erp_intake_free(more);
    intakes[0] = new_intake(bench, ERP_PACKAGE_SNAPSHOT, ERP_BODY_LARGE + 1);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
    buf_done(&text);
}

/* Short as a text, large as variants: it counts as what it takes. */
static void test_bodies_that_grow_are_counted(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_OF_ONE], *more;
    const char *detail;
    AUTO_BUF text = {0};

    buf_init(&text, ERP_BODY_LARGE);
    buf_text(&text,
             "{" HEAD "," CATEGORIES ",\"products\":[{\"id\":\"p\",\"name\":\"\",\"variants\":"
             "[{\"id\":\"v\",\"price\":1}");
    for (int i = 0; i < 8000; i++)
        buf_printf(&text, ",{\"id\":\"%d\",\"price\":1}", i);
    buf_text(&text, "]}]}");
    assert_false(text.is_full);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        assert_int_equal(new_large(bench, 0, &intakes[i]), ERR_OK);
    more = new_intake(bench, ERP_PACKAGE_SNAPSHOT, (int64_t)text.len);
    feed(more, buf_view(&text), 16 * 1024);
    assert_int_equal(check(bench, more, &detail), ERR_OVERLOADED);
    erp_intake_free(more);
    erp_intake_free(intakes[0]);
    more = new_intake(bench, ERP_PACKAGE_SNAPSHOT, (int64_t)text.len);
    feed(more, buf_view(&text), 16 * 1024);
    assert_int_equal(check(bench, more, &detail), ERR_OK);
    erp_intake_free(more);
    for (size_t i = 1; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
}

/* Contract, section 5 "Places for large bodies": its place goes to an integration that has none. */
static void test_a_body_may_lose_its_place(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_MAX], *more;
    const char *detail;
    size_t open = 0;

    losses = 0;
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        assert_int_equal(new_large(bench, i % 2, &intakes[i]), ERR_OK);
    erp_intake_end(intakes[0]); /* it is here: this one keeps its place */
    assert_int_equal(new_large(bench, 2, &more), ERR_OK);
    assert_int_equal(losses, 1);
    for (size_t i = 0; i < COUNT_OF(intakes); i++) {
        bool is_open = erp_intake_take(intakes[i], STR("{"));
        open += is_open;
        if (i > 0 && !is_open) assert_int_equal(check(bench, intakes[i], &detail), ERR_OVERLOADED);
    }
    assert_int_equal(open, COUNT_OF(intakes) - 2);
    assert_true(erp_intake_take(more, STR("{")));
    erp_intake_free(more);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_25_mib_are_taken_and_a_byte_more_is_not),
        cmocka_unit_test(test_what_is_announced_too_long_is_not_read),
        cmocka_unit_test(test_large_bodies_are_counted),
        cmocka_unit_test(test_bodies_that_grow_are_counted),
        cmocka_unit_test(test_a_body_may_lose_its_place),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
