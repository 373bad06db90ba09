/* Decimals and scalars of records: decoded from a text, encoded, described. What streams make of
 * them is in record_stream_test.c. */
#include "kit/json/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { OUT_MAX = 10000 };

struct offer {
    const char *price, *weight, *delta;
    struct scalar value;
};

static const struct field offer_fields[] = {
    {"price", FIELD_DECIMAL, FIELD_REQUIRED | FIELD_OMIT_NULL | FIELD_NOT_NEGATIVE,
     offsetof(struct offer, price), .doc = "Of one."},
    {"weight", FIELD_DECIMAL, FIELD_OMIT_NULL | FIELD_POSITIVE, offsetof(struct offer, weight)},
    {"delta", FIELD_DECIMAL, 0, offsetof(struct offer, delta)},
    {"value", FIELD_SCALAR, 0, offsetof(struct offer, value)},
};
static const struct record offer_record = {"Offer", NULL, sizeof(struct offer),
                                           RECORD_FIELDS(offer_fields)};

static void encode(const struct offer *offer, struct buf *out)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    record_encode(&offer_record, offer, &writer);
}

/* Compares what the text is when it is encoded again, or its faults. */
static void assert_decoded(const char *text, const char *expected)
{
    struct arena arena;
    struct record_faults faults;
    struct offer offer;
    AUTO_BUF out = {0};

    buf_init(&out, OUT_MAX);
    arena_init(&arena);
    record_faults_init(&faults, &arena);
    if (!record_decode(&offer_record, str_of(text), true, &arena, &offer, &faults))
        encode(&offer, &out);
    for (size_t i = 0; i < faults.count; i++)
        buf_printf(&out, "%s: %s\n", faults.rows[i].path, faults.rows[i].message);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
    arena_done(&arena);
}

static void test_decode(void **state)
{
    (void)state;
    assert_decoded("{\"price\":-0e5,\"weight\":1e-6,\"delta\":-999999999999999.9999990,"
                   "\"value\":1.50}",
                   "{\"price\":0,\"weight\":0.000001,\"delta\":-999999999999999.999999,"
                   "\"value\":1.50}");
    assert_decoded("{\"price\":12e1,\"value\":\"1\\n\"}",
                   "{\"price\":120,\"delta\":null,\"value\":\"1\\n\"}");
    assert_decoded("{\"price\":1,\"value\":false}", "{\"price\":1,\"delta\":null,\"value\":false}");
    assert_decoded("{\"price\":1,\"value\":true}", "{\"price\":1,\"delta\":null,\"value\":true}");
}

static void test_faults(void **state)
{
    (void)state;
    assert_decoded("{\"price\":-1,\"weight\":0,\"delta\":1e15,\"value\":[]}",
                   "price: Must be a number of at least 0 with at most 15 digits before the point "
                   "and 6 after it.\n"
                   "weight: Must be a number above 0 with at most 15 digits before the point and 6 "
                   "after it.\n"
                   "delta: Must be a number with at most 15 digits before the point and 6 after "
                   "it.\n"
                   "value: Must be a string, a number, true or false.\n");
    assert_decoded("{\"weight\":-1,\"delta\":\"1\",\"value\":null}",
                   "weight: Must be a number above 0 with at most 15 digits before the point and 6 "
                   "after it.\n"
                   "delta: Must be a number with at most 15 digits before the point and 6 after "
                   "it.\n"
                   "value: Must be a string, a number, true or false.\n"
                   "price: Required.\n");
    assert_decoded("{\"price\":0.0000001}",
                   "price: Must be a number of at least 0 with at most 15 digits before the point "
                   "and 6 after it.\n");
}

/* A required field that is not there, as in a text that was stored without it. */
static void test_encode_absent(void **state)
{
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, OUT_MAX);
    encode(&(struct offer){.delta = "-1"}, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.data, "{\"delta\":-1,\"value\":null}");
}

static void assert_described(enum record_use use, enum schema_dialect dialect, const char *expected)
{
    struct schema_style style = {.dialect = dialect};
    struct json_writer writer;
    AUTO_BUF out = {0};

    buf_init(&out, OUT_MAX);
    json_writer_init(&writer, &out);
    record_describe(&offer_record, use, &style, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

#define DIGITS "At most 15 digits before the point and 6 after it, kept exactly.\"}"
#define ABOVE  "\"exclusiveMinimum\":-1000000000000000,"
#define BELOW  "\"exclusiveMaximum\":1000000000000000"
#define SCALAR "{\"type\":\"string\"},{\"type\":\"number\"},{\"type\":\"boolean\"}"

static void test_describe(void **state)
{
    (void)state;
    assert_described(RECORD_STRICT_BODY, SCHEMA_2020_12,
                     "{\"type\":\"object\",\"properties\":{"
                     "\"price\":{\"type\":\"number\",\"minimum\":0," BELOW
                     ",\"description\":\"Of one. " DIGITS ","
                     "\"weight\":{\"type\":\"number\",\"exclusiveMinimum\":0," BELOW
                     ",\"description\":\"" DIGITS ","
                     "\"delta\":{\"type\":\"number\"," ABOVE BELOW ",\"description\":\"" DIGITS ","
                     "\"value\":{\"anyOf\":[" SCALAR "]}},"
                     "\"required\":[\"price\"],\"additionalProperties\":false}");
    assert_described(RECORD_ANSWER, SCHEMA_2020_12,
                     "{\"type\":\"object\",\"properties\":{"
                     "\"price\":{\"type\":\"number\",\"minimum\":0," BELOW
                     ",\"description\":\"Of one. " DIGITS ","
                     "\"weight\":{\"type\":\"number\",\"exclusiveMinimum\":0," BELOW
                     ",\"description\":\"" DIGITS ","
                     "\"delta\":{\"anyOf\":[{\"type\":\"number\"," ABOVE BELOW
                     "},{\"type\":\"null\"}],\"description\":\"" DIGITS ","
                     "\"value\":{\"anyOf\":[" SCALAR ",{\"type\":\"null\"}]}},"
                     "\"required\":[\"delta\",\"value\"]}");
}

/* In OpenAPI 3.0 null is a word beside each type, and a bound is in the range or not by another. */
static void test_describe_for_3_0(void **state)
{
#define OLD_BELOW "\"maximum\":1000000000000000,\"exclusiveMaximum\":true"
    (void)state;
    assert_described(
        RECORD_ANSWER, SCHEMA_OPENAPI_3_0,
        "{\"type\":\"object\",\"properties\":{"
        "\"price\":{\"type\":\"number\",\"minimum\":0," OLD_BELOW
        ",\"description\":\"Of one. " DIGITS ","
        "\"weight\":{\"type\":\"number\",\"minimum\":0,\"exclusiveMinimum\":true," OLD_BELOW
        ",\"description\":\"" DIGITS ","
        "\"delta\":{\"type\":\"number\",\"nullable\":true,\"minimum\":-1000000000000000,"
        "\"exclusiveMinimum\":true," OLD_BELOW ",\"description\":\"" DIGITS ","
        "\"value\":{\"anyOf\":[{\"type\":\"string\",\"nullable\":true},"
        "{\"type\":\"number\",\"nullable\":true},{\"type\":\"boolean\",\"nullable\":true}]}},"
        "\"required\":[\"delta\",\"value\"]}");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),           cmocka_unit_test(test_faults),
        cmocka_unit_test(test_encode_absent),    cmocka_unit_test(test_describe),
        cmocka_unit_test(test_describe_for_3_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
