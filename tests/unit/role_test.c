/* core/role: who may do what, and what an answer masks for whom (contract, section 10.2). */
#include "core/actor.h"
#include "kit/base/macros.h"
#include "kit/json/mask.h"

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

/* Names that a record shares with those within it, and with what people put into free JSON. */
struct remark {
    const char *phone; /* of herald itself */
    const char *text;
};
static const struct field remark_fields[] = {
    FIELD(struct remark, phone, FIELD_STRING, FIELD_REQUIRED, "P."),
    FIELD(struct remark, text, FIELD_STRING, FIELD_REQUIRED | FIELD_WORDS, "T."),
};
static const struct record remark_record = {
    .name = "Remark", .size = sizeof(struct remark), RECORD_FIELDS(remark_fields)};

struct visit {
    struct remark *remark;
    const char *phone;
    struct record_list remarks;
    const char *text;
    struct str metadata;
    struct string_or_integer chat;
};
static const struct field visit_fields[] = {
    FIELD(struct visit, remark, FIELD_RECORD, FIELD_REQUIRED, "R.", .record = &remark_record),
    FIELD(struct visit, phone, FIELD_STRING, FIELD_REQUIRED | FIELD_PERSONAL, "P."),
    FIELD(struct visit, remarks, FIELD_RECORDS, FIELD_REQUIRED, "R.", .record = &remark_record),
    FIELD(struct visit, text, FIELD_STRING, FIELD_REQUIRED, "T."),
    FIELD(struct visit, metadata, FIELD_OBJECT, FIELD_REQUIRED | FIELD_WORDS, "M."),
    FIELD(struct visit, chat, FIELD_STRING_OR_INTEGER, FIELD_REQUIRED | FIELD_PERSONAL, "C."),
};
static const struct record visit_record = {
    .name = "Visit", .size = sizeof(struct visit), RECORD_FIELDS(visit_fields)};

static void write_visit(struct buf *out, struct json_masks masks)
{
    struct remark remarks[] = {{"+79160000002", "call +79160000003"}, {"+79160000004", "none"}};
    const struct visit visit = {
        .remark = remarks,
        .phone = "+79161234567",
        .remarks = {remarks, COUNT_OF(remarks)},
        .text = "+79160000005",
        .metadata = STR("{\"phone\":[[{\"phone\":\"+79160000006\"}],79160000007],"
                        "\"+79160000008\":{\"text\":\"a 79160000009\"},\"chat\":1}"),
        .chat = {"4242", true},
    };
    struct json_writer writer;

    buf_init(out, 4096);
    json_writer_init(&writer, out);
    writer.masks = masks;
    record_encode(&visit_record, &visit, &writer);
}

static void what_was_written_can_be_masked_later(void **state)
{
    (void)state;
    for (int role = 0; role < ROLE_COUNT; role++) {
        AUTO_BUF whole = {0}, masked = {0}, later = {0};
        struct json_masks masks = role_masks((enum role)role);
        write_visit(&whole, (struct json_masks){0});
        write_visit(&masked, masks);
        buf_init(&later, MASK_GROWTH * whole.len);
        assert_true(json_mask_record(buf_view(&whole), &visit_record, masks, &later));
        buf_char(&whole, '\0');
        buf_char(&masked, '\0');
        assert_int_equal(strcmp(masked.data, whole.data) == 0, masks.personal == NULL);
        buf_char(&later, '\0');
        assert_string_equal(later.data, masked.data);
    }
}

static void what_cannot_be_read_is_not_shown(void **state)
{
    static const char *const rows[] = {"{\"phone\":\"+79161234567\"",
                                       "{\"phone\":\"+79161234567\"}}"};
    struct json_masks masks = role_masks(ROLE_VIEWER);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_BUF shown = {0};
        buf_init(&shown, 1024);
        assert_false(json_mask_record(str_of(rows[i]), &visit_record, masks, &shown));
    }
    AUTO_BUF small = {0};
    buf_init(&small, 8);
    assert_false(
        json_mask_record(STR("{\"text\":\"longer than that\"}"), &visit_record, masks, &small));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_and_core_are_apart),
        cmocka_unit_test(what_is_personal_is_masked_by_role),
        cmocka_unit_test(what_was_written_can_be_masked_later),
        cmocka_unit_test(what_cannot_be_read_is_not_shown),
    };
    return cmocka_run_group_tests_name("role", tests, NULL, NULL);
}
