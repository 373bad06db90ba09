/* FIELD_MAP: objects of strings, their one form, and what is wrong with others. */
#include "kit/base/macros.h"
#include "kit/json/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { KEYS_MAX = 3, BYTES_MAX = 40, TEXT_MAX = 4000 };

struct thing {
    const char *map;
};

static bool is_key(struct str key)
{
    return key.len > 0 && key.data[0] != '-';
}

static const struct field_format format_key = {
    .is_valid = is_key, .message = "A key must not begin with a dash.", .pattern = "^[^-]"};

static const struct field fields[] = {
    FIELD(struct thing, map, FIELD_MAP, FIELD_OMIT_NULL, "A map.", .items_max = KEYS_MAX,
          .max = BYTES_MAX, .format = &format_key, .example = "{\"a\":\"b\"}"),
};
static const struct record thing_record = {
    .name = "Thing", .size = sizeof(struct thing), RECORD_FIELDS(fields)};

/* A body with this map gives that text, or NULL and these faults. */
static void assert_map(const char *map, const char *expected, const char *faults_expected)
{
    struct record_faults faults;
    struct arena arena;
    struct thing thing;
    char body[TEXT_MAX], told[TEXT_MAX] = "";

    arena_init(&arena);
    record_faults_init(&faults, &arena);
    snprintf(body, sizeof(body), "{\"map\":%s}", map);
    enum err err = record_decode(&thing_record, str_of(body), true, &arena, &thing, &faults);
    for (size_t i = 0; i < faults.count; i++)
        snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s: %s\n", faults.rows[i].path,
                 faults.rows[i].message);
    assert_string_equal(told, faults_expected);
    assert_int_equal(err, faults_expected[0] ? ERR_VALIDATION : ERR_OK);
    if (!err && !expected) assert_null(thing.map);
    if (!err && expected) assert_string_equal(thing.map, expected);
    arena_done(&arena);
}

static void a_map_has_one_form(void **state)
{
    (void)state;
    assert_map("{\"a\":\"1\"}", "{\"a\":\"1\"}", "");
    assert_map(" { \"b\" : \"2\",\n\"a\":\"1\", \"ab\": \"\" } ",
               "{\"a\":\"1\",\"ab\":\"\",\"b\":\"2\"}", "");
    assert_map("{\"\\u0061\":\"\\ud83c\\udf55\\u0416\\/\"}", "{\"a\":\"🍕Ж/\"}", "");
    assert_map("{\"a\":\"\\\"\\\\\\n\"}", "{\"a\":\"\\\"\\\\\\n\"}", "");
    assert_map("{}", NULL, "");
}

static void a_map_has_limits(void **state)
{
    (void)state;
    assert_map("{\"a\":\"\",\"b\":\"\",\"c\":\"\"}", "{\"a\":\"\",\"b\":\"\",\"c\":\"\"}", "");
    assert_map("{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\"}", NULL,
               "map: Must have at most 3 keys; this has 4.\n");
    assert_map("{\"a\":\"12345678901234567890123456789012\"}",
               "{\"a\":\"12345678901234567890123456789012\"}", "");
    assert_map("{\"a\":\"123456789012345678901234567890123\"}", NULL,
               "map: Must have at most 40 bytes as JSON; this has 41.\n");
    assert_map("{\"a\":\"🍕🍕🍕🍕🍕🍕🍕🍕\"}", "{\"a\":\"🍕🍕🍕🍕🍕🍕🍕🍕\"}", "");
    assert_map("{\"a\":\"🍕🍕🍕🍕🍕🍕🍕🍕\\u0001\"}", NULL,
               "map: Must have at most 40 bytes as JSON; this has 46.\n");
}

static void what_is_no_map_is_told_where_it_is(void **state)
{
    (void)state;
    assert_map("1", NULL, "map: Must be an object of strings.\n");
    assert_map("[]", NULL, "map: Must be an object of strings.\n");
    assert_map("null", NULL, "map: Must be an object of strings.\n");
    assert_map("{\"a\":1,\"b\":\"\",\"c\":null}", NULL,
               "map.a: Must be a string.\nmap.c: Must be a string.\n");
    assert_map("{\"a\":{\"b\":[{}]},\"c\":[[],\"d\"],\"e\":\"f\"}", NULL,
               "map.a: Must be a string.\nmap.c: Must be a string.\n");
    assert_map("{\"-a\":\"\",\"\":\"\"}", NULL,
               "map.-a: A key must not begin with a dash.\n"
               "map.: A key must not begin with a dash.\n");
    assert_map("{\"a\":\"1\",\"\\u0061\":\"1\"}", NULL, "map.a: Duplicate key.\n");
}

/* A body of a mebibyte has no more faults than others. */
static void a_long_map_is_read_to_its_end(void **state)
{
    enum { LENGTH = 1 << 20 };
    struct record_faults faults;
    struct arena arena;
    struct thing thing;
    AUTO_BUF body = {0};

    (void)state;
    arena_init(&arena);
    record_faults_init(&faults, &arena);
    buf_init(&body, LENGTH + 100);
    buf_text(&body, "{\"map\":{\"first\":1");
    for (int i = 0; body.len < LENGTH && i < 10000; i++)
        buf_printf(&body, ",\"-%d\":[%d,{}]", i, i);
    buf_text(&body, "}}");
    enum err err = record_decode(&thing_record, buf_view(&body), true, &arena, &thing, &faults);
    assert_int_equal(err, ERR_VALIDATION);
    assert_int_equal(faults.count, FAULTS_MAX);
    assert_true(faults.is_truncated);
    arena_done(&arena);
}

static void a_map_is_written_and_described(void **state)
{
    static const struct schema_style new_style = {SCHEMA_2020_12, NULL};
    static const struct schema_style old_style = {SCHEMA_OPENAPI_3_0, NULL};
    struct thing thing = {.map = "{\"a\":\"1\"}"};
    struct json_writer writer;
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, TEXT_MAX);
    json_writer_init(&writer, &out);
    record_encode(&thing_record, &thing, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, "{\"map\":{\"a\":\"1\"}}");

    buf_clear(&out);
    json_writer_init(&writer, &out);
    record_encode(&thing_record, &(struct thing){NULL}, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, "{}");

    buf_clear(&out);
    json_writer_init(&writer, &out);
    record_describe(&thing_record, RECORD_BODY, &new_style, &writer);
    buf_char(&out, '\0');
    assert_non_null(strstr(out.data, "\"type\":\"object\",\"additionalProperties\":{\"type\":"
                                     "\"string\"},\"maxProperties\":3,\"propertyNames\":"
                                     "{\"pattern\":\"^[^-]\"}"));
    assert_non_null(strstr(out.data, "\"examples\":[{\"a\":\"b\"}]"));

    buf_clear(&out);
    json_writer_init(&writer, &out);
    record_describe(&thing_record, RECORD_BODY, &old_style, &writer);
    buf_char(&out, '\0');
    assert_non_null(strstr(out.data, "\"maxProperties\":3,\"description\""));
    assert_null(strstr(out.data, "propertyNames"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_has_one_form),
        cmocka_unit_test(a_map_has_limits),
        cmocka_unit_test(what_is_no_map_is_told_where_it_is),
        cmocka_unit_test(a_long_map_is_read_to_its_end),
        cmocka_unit_test(a_map_is_written_and_described),
    };
    return cmocka_run_group_tests_name("json_map", tests, NULL, NULL);
}
