/* kit/json/record: an integer that may be null is -1 then, and where it is left out; and
 * how values are compared. */
#include "arena_fixture.h"
#include "kit/json/record_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct field fields[] = {
    {"shown", FIELD_INTEGER, FIELD_NULLABLE, 0},
    {"omitted", FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL, sizeof(int64_t)},
};
static const struct record record = {"Pair", NULL, 2 * sizeof(int64_t), RECORD_FIELDS(fields)};

static void integers_may_be_null(void **state)
{
    static const struct {
        const char *sent, *encoded;
        int64_t shown, omitted;
    } rows[] = {
        {"{}", "{\"shown\":null}", -1, -1},
        {"{\"shown\":null,\"omitted\":null}", "{\"shown\":null}", -1, -1},
        {"{\"shown\":0,\"omitted\":0}", "{\"shown\":0,\"omitted\":0}", 0, 0},
        {"{\"shown\":7,\"omitted\":-2}", "{\"shown\":7,\"omitted\":-2}", 7, -2},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct record_faults faults;
        struct json_writer writer;
        int64_t decoded[2], known[2];
        AUTO_BUF text = {0};

        record_faults_init(&faults, *state);
        assert_int_equal(
            record_decode(&record, str_of(rows[i].sent), true, *state, decoded, &faults), ERR_OK);
        assert_int_equal(record_decode_known(&record, str_of(rows[i].sent), *state, known), ERR_OK);
        assert_memory_equal(decoded, known, sizeof(known));
        assert_true(decoded[0] == rows[i].shown && decoded[1] == rows[i].omitted);
        buf_init(&text, 100);
        json_writer_init(&writer, &text);
        record_encode(&record, decoded, &writer);
        assert_string_equal(arena_str(*state, buf_view(&text)), rows[i].encoded);
    }
}

struct moment {
    int64_t needed, wanted;
    struct uuid id, other;
};

static const struct field moment_fields[] = {
    {"needed", FIELD_TIME, FIELD_REQUIRED, offsetof(struct moment, needed)},
    {"wanted", FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE, offsetof(struct moment, wanted)},
    {"id", FIELD_UUID, 0, offsetof(struct moment, id)},
    {"other", FIELD_UUID, FIELD_REQUIRED, offsetof(struct moment, other)},
};
static const struct record moment_record = {"Moment", NULL, sizeof(struct moment),
                                            RECORD_FIELDS(moment_fields)};

#define EPOCH "\"1970-01-01T03:00:00+03:00\""
#define NIL   "\"00000000-0000-0000-0000-000000000000\""

/* The value that stands for null is refused where null may be, and nowhere else. */
static void what_stands_for_null_is_not_given(void **state)
{
    static const struct {
        const char *sent, *path;
    } rows[] = {
        {"{\"needed\":" EPOCH ",\"wanted\":null,\"other\":" NIL "}", NULL},
        {"{\"needed\":" EPOCH ",\"wanted\":" EPOCH ",\"other\":" NIL "}", "wanted"},
        {"{\"needed\":" EPOCH ",\"wanted\":null,\"id\":" NIL ",\"other\":" NIL "}", "id"},
        {"{\"needed\":" EPOCH ",\"wanted\":\"1970-01-01T00:00:00.001Z\",\"other\":" NIL "}", NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct record_faults faults;
        struct moment moment;

        record_faults_init(&faults, *state);
        enum err err =
            record_decode(&moment_record, str_of(rows[i].sent), true, *state, &moment, &faults);
        assert_int_equal(err, rows[i].path ? ERR_VALIDATION : ERR_OK);
        if (rows[i].path) assert_string_equal(faults.rows[0].path, rows[i].path);
    }
}

static void its_schema_says_so(void **state)
{
    struct json_writer writer;
    AUTO_BUF text = {0};

    buf_init(&text, 1000);
    json_writer_init(&writer, &text);
    record_describe(&record, RECORD_ANSWER, &(struct schema_style){0}, &writer);
    assert_non_null(strstr(
        arena_str(*state, buf_view(&text)),
        "\"shown\":{\"anyOf\":[{\"type\":\"integer\",\"format\":\"int64\"},{\"type\":\"null\"}]"));
}

static const char *const rate_words[] = {"none", "20", "120/20", NULL};
static const struct field sent_fields[] = {
    {"id", FIELD_STRING, FIELD_REQUIRED, 0},
    {"unit", FIELD_STRING, 0, sizeof(char *)},
    {"tags", FIELD_STRINGS, 0, 2 * sizeof(char *)},
    {.name = "rate",
     .type = FIELD_WORD,
     .flags = FIELD_REQUIRED | FIELD_NUMBER_WORDS,
     .offset = 4 * sizeof(char *),
     .words = rate_words},
    {.name = "other",
     .type = FIELD_ENUM,
     .flags = FIELD_DEFAULT,
     .offset = 5 * sizeof(char *),
     .words = rate_words},
};
static const struct record sent_record = {"Sent", NULL, 6 * sizeof(char *),
                                          RECORD_FIELDS(sent_fields)};

static const char *describe(struct arena *arena, enum record_use use, enum schema_dialect dialect)
{
    static const struct named_words names[] = {{"Rate", rate_words}, {0}};
    struct schema_style style = {.dialect = dialect, .names = names};
    struct json_writer writer;
    AUTO_BUF text = {0};

    buf_init(&text, 2000);
    json_writer_init(&writer, &text);
    record_describe(&sent_record, use, &style, &writer);
    return arena_str(arena, buf_view(&text));
}

/* An answer holds null for what a request may leave out, and words that only its writer knows. */
static void an_answer_is_read_as_it_is_written(void **state)
{
    static const char text[] =
        "{\"id\":\"a\",\"unit\":null,\"tags\":[],\"rate\":\"24\",\"other\":\"20\"}";
    struct record_faults faults;
    struct json_writer writer;
    const char *sent[6];
    AUTO_BUF again = {0};

    record_faults_init(&faults, *state);
    assert_int_equal(record_decode(&sent_record, STR(text), false, *state, sent, &faults),
                     ERR_VALIDATION);
    assert_int_equal(faults.count, 2);
    record_faults_init(&faults, *state);
    assert_int_equal(record_decode_answer(&sent_record, STR(text), *state, sent, &faults), ERR_OK);
    buf_init(&again, 200);
    json_writer_init(&writer, &again);
    record_encode(&sent_record, sent, &writer);
    assert_string_equal(arena_str(*state, buf_view(&again)), text);
    /* A member that is missing, or of another kind, is wrong in an answer as well. */
    assert_int_equal(
        record_decode_answer(&sent_record, STR("{\"id\":null,\"unit\":7}"), *state, sent, &faults),
        ERR_VALIDATION);
    assert_int_equal(faults.count, 3);
}

#define NULL_TYPE "{\"type\":\"null\"}"
#define RATE      "\"$ref\":\"#/components/schemas/Rate\""

/* Null for all that may be left out, and for nothing else; a word that may come as a number is a
 * string all the same. */
static void streams_take_null_and_say_so(void **state)
{
    assert_string_equal(
        describe(*state, RECORD_STREAM, SCHEMA_2020_12),
        "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
        "\"unit\":{\"anyOf\":[{\"type\":\"string\"}," NULL_TYPE "]},"
        "\"tags\":{\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"string\"}}," NULL_TYPE "]},"
        "\"rate\":{" RATE "},"
        "\"other\":{\"anyOf\":[{" RATE "}," NULL_TYPE "],"
        "\"default\":\"none\",\"examples\":[\"none\"]}},\"required\":[\"id\",\"rate\"]}");
    assert_null(strstr(describe(*state, RECORD_BODY, SCHEMA_2020_12), "null"));
    assert_null(strstr(describe(*state, RECORD_BODY, SCHEMA_2020_12), "number"));
}

/* The same in the words of OpenAPI 3.0: no type null, one example, nothing beside a reference. */
static void streams_say_so_in_the_old_dialect(void **state)
{
    assert_string_equal(
        describe(*state, RECORD_STREAM, SCHEMA_OPENAPI_3_0),
        "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
        "\"unit\":{\"type\":\"string\",\"nullable\":true},"
        "\"tags\":{\"type\":\"array\",\"nullable\":true,\"items\":{\"type\":\"string\"}},"
        "\"rate\":{\"allOf\":[{" RATE "}]},"
        "\"other\":{\"nullable\":true,\"allOf\":[{" RATE "}],"
        "\"default\":\"none\",\"example\":\"none\"}},\"required\":[\"id\",\"rate\"]}");
}

static void values_differ_by_what_is_written_of_them(void **state)
{
    static const int64_t pairs[][2] = {{7, -1}, {7, -2}, {-1, -1}, {0, -1}, {0, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        int64_t same[2] = {pairs[i][0], pairs[i][1]};
        assert_false(record_differs(&record, pairs[i], same));
        for (size_t k = 0; k < i; k++)
            assert_true(record_differs(&record, pairs[i], pairs[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integers_may_be_null, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(what_stands_for_null_is_not_given, arena_begin, arena_end),
        cmocka_unit_test(values_differ_by_what_is_written_of_them),
        cmocka_unit_test_setup_teardown(its_schema_says_so, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(an_answer_is_read_as_it_is_written, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(streams_take_null_and_say_so, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(streams_say_so_in_the_old_dialect, arena_begin, arena_end),
    };
    return cmocka_run_group_tests_name("json_null", tests, NULL, NULL);
}
