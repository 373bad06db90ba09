/* core/role: who may do what, and what an answer masks for whom (contract, section 10.2). */
#include "core/actor.h"
#include "kit/base/macros.h"
#include "kit/json/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_ladder_and_core_are_apart(void **state)
{
    static const struct {
        enum role least;
        bool is_for_core;
        bool may[ROLE_COUNT];
        enum role wanted;
    } rows[] = {
        {ROLE_VIEWER, false, {false, true, true, true, true}, ROLE_VIEWER},
        {ROLE_VIEWER, true, {true, true, true, true, true}, ROLE_VIEWER},
        {ROLE_SUPPORT, true, {true, false, true, true, true}, ROLE_SUPPORT},
        {ROLE_OPERATOR, false, {false, false, false, true, true}, ROLE_OPERATOR},
        {ROLE_ADMIN, false, {false, false, false, false, true}, ROLE_ADMIN},
        {ROLE_ADMIN, true, {true, false, false, false, true}, ROLE_CORE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int role = 0; role < ROLE_COUNT; role++)
            assert_int_equal(role_may((enum role)role, rows[i].least, rows[i].is_for_core),
                             rows[i].may[role]);
        assert_int_equal(role_wanted(rows[i].least, rows[i].is_for_core), rows[i].wanted);
    }
    assert_int_equal(actor_root.role, ROLE_ADMIN);
}

/* --- Masks --- */

struct customer {
    const char *phone;
    const char *name;
    struct string_or_integer chat;
};
static const struct field customer_fields[] = {
    FIELD(struct customer, phone, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL,
          "P."),
    FIELD(struct customer, name, FIELD_STRING, FIELD_REQUIRED, "N."),
    FIELD(struct customer, chat, FIELD_STRING_OR_INTEGER,
          FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL, "C."),
};
static const struct record customer_record = {
    .name = "Customer", .size = sizeof(struct customer), RECORD_FIELDS(customer_fields)};

static void assert_seen(enum role role, struct customer customer, const char *wanted)
{
    AUTO_BUF out = {0};
    struct json_writer writer;

    buf_init(&out, 1024);
    json_writer_init(&writer, &out);
    writer.masks = role_masks(role);
    record_encode(&customer_record, &customer, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, wanted);
}

static void what_is_personal_is_masked_by_role(void **state)
{
    const struct customer anna = {"+79161234567", "+79160000001", {"4242", true}};
    const struct customer group = {NULL, "n", {"-1001234567890", true}};
    const struct customer channel = {"+79161234567", "n", {"@example", false}};
    const struct customer nobody = {NULL, "n", {NULL, false}};
    static const enum role blind[] = {ROLE_VIEWER, ROLE_SUPPORT, ROLE_OPERATOR};
    static const enum role seeing[] = {ROLE_CORE, ROLE_ADMIN};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(blind); i++) {
        assert_seen(blind[i], anna,
                    "{\"phone\":\"+7916***4567\",\"name\":\"+79160000001\",\"chat\":\"***\"}");
        assert_seen(blind[i], group, "{\"phone\":null,\"name\":\"n\",\"chat\":-1001234567890}");
        assert_seen(blind[i], channel,
                    "{\"phone\":\"+7916***4567\",\"name\":\"n\",\"chat\":\"@example\"}");
        assert_seen(blind[i], nobody, "{\"phone\":null,\"name\":\"n\",\"chat\":null}");
    }
    for (size_t i = 0; i < COUNT_OF(seeing); i++)
        assert_seen(seeing[i], anna,
                    "{\"phone\":\"+79161234567\",\"name\":\"+79160000001\",\"chat\":4242}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_and_core_are_apart),
        cmocka_unit_test(what_is_personal_is_masked_by_role),
    };
    return cmocka_run_group_tests_name("role", tests, NULL, NULL);
}
