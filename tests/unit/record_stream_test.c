/* Streams: every type with its faults and limits, at n and at n + 1. */
#include "arena_fixture.h"
#include "stream_scene.h"

enum { TEXT_MAX = 8000 };

#define ENVELOPE     "\"event_id\":\"e\",\"generated_at\":\"2026-01-01T00:00:00Z\""
#define ENVELOPE_OUT "{\"event_id\":\"e\",\"generated_at\":\"2026-01-01T00:00:00.000Z\"}\n"

/* One thing with an id, a price and this; what its last lines are. */
static char *thing_outcome(const char *member)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof(text), "{%s,\"things\":[{\"id\":\"1\",\"price\":1,%s}]}", ENVELOPE,
             member);
    return scene_outcome(str_of(text));
}

/* The member is taken and written like this; NULL: like nothing. */
static void assert_taken(const char *member, const char *written)
{
    char *outcome = thing_outcome(member);
    char expected[TEXT_MAX];

    snprintf(expected, sizeof(expected), "\n0 rows, 1 things, %s", ENVELOPE_OUT);
    const char *end = strstr(outcome, expected);
    if (!end || end[strlen(expected)] != '\0') fail_msg("%s: %s", member, outcome);
    char *item_end = strchr(outcome, '\n');
    assert_non_null(item_end);
    *item_end = '\0';
    if (written && !strstr(outcome, written)) fail_msg("%s: %s", member, outcome);
    if (!written)
        assert_string_equal(outcome, "things[0] {\"id\":\"1\",\"count\":0,\"price\":1,\"on\":true,"
                                     "\"kind\":\"service\"}");
    free(outcome);
}

/* The member has this one fault: from its place below the thing on. */
static void assert_fault(const char *member, const char *fault)
{
    char *outcome = thing_outcome(member);
    const char *lines = strstr(outcome, ENVELOPE_OUT);
    char expected[TEXT_MAX];
    const char *at = strstr(fault, " at ");

    assert_non_null(lines);
    assert_non_null(at);
    snprintf(expected, sizeof(expected), "%.*s at \"things\",0,%s\n", (int)(at - fault), fault,
             at + strlen(" at "));
    if (strcmp(lines + strlen(ENVELOPE_OUT), expected) != 0)
        fail_msg("%s: %s instead of %s", member, lines, expected);
    free(outcome);
}

static void test_strings(void **state)
{
    (void)state;
    assert_taken("\"code\":\"c\"", "\"code\":\"c\"");
    assert_taken("\"code\":\"c\\u0436\\n\"", "\"code\":\"cж\\n\"");
    assert_taken("\"code\":null", NULL);
    assert_taken("\"phone\":null", NULL);
    assert_taken("\"phone\":\"+79161234567\"", "\"phone\":\"+79161234567\"");
    assert_taken("\"owner\":{\"name\":\"жж\"}", "\"owner\":{\"name\":\"жж\"}");
    assert_fault("\"code\":1", "string_type at \"code\": Input should be a valid string <- 1");
    assert_fault("\"code\":true",
                 "string_type at \"code\": Input should be a valid string <- true");
    assert_fault("\"code\":{\"a\":[1, 2]}",
                 "string_type at \"code\": Input should be a valid string <- {\"a\":[1, 2]}");
    assert_fault("\"code\":[ ]", "string_type at \"code\": Input should be a valid string <- [ ]");
    assert_fault("\"code\":\"x\"", "string_pattern_mismatch at \"code\": String should match "
                                   "pattern '^c\"' {\"pattern\":\"^c\\\"\"} <- \"x\"");
    assert_fault("\"owner\":{\"name\":\"ж\"}",
                 "string_too_short at \"owner\",\"name\": String should have at least 2 characters "
                 "{\"min_length\":2} <- \"ж\"");
    assert_fault("\"owner\":{\"name\":null}",
                 "string_type at \"owner\",\"name\": Input should be a valid string <- null");
}

/* Characters, not bytes. */
static void test_lengths(void **state)
{
    (void)state;
    assert_taken("\"parts\":[{\"id\":\"ж\"},{\"id\":\"жжжжж\"},{\"id\":\"😀😀😀😀😀\"}]",
                 "[{\"id\":\"ж\",\"count\":0},{\"id\":\"жжжжж\",\"count\":0},"
                 "{\"id\":\"😀😀😀😀😀\",\"count\":0}]");
    assert_fault("\"parts\":[{\"id\":\"\"}]",
                 "string_too_short at \"parts\",0,\"id\": String should have at least 1 character "
                 "{\"min_length\":1} <- \"\"");
    assert_fault("\"parts\":[{\"id\":\"жжжжжж\"}]",
                 "string_too_long at \"parts\",0,\"id\": String should have at most 5 characters "
                 "{\"max_length\":5} <- \"жжжжжж\"");
    assert_fault("\"parts\":[{\"id\":\"abcdef\"}]",
                 "string_too_long at \"parts\",0,\"id\": String should have at most 5 characters "
                 "{\"max_length\":5} <- \"abcdef\"");
}

static void test_integers(void **state)
{
    (void)state;
    assert_taken("\"count\":-5", "\"count\":-5");
    assert_taken("\"count\":100", "\"count\":100");
    assert_taken("\"count\":1e2", "\"count\":100");
    assert_taken("\"count\":100.0", "\"count\":100");
    assert_taken("\"count\":-0", "\"count\":0");
    assert_taken("\"count\":null", NULL);
    assert_taken("\"parts\":[{\"id\":\"p\",\"count\":9223372036854775807}]",
                 "\"count\":9223372036854775807}");
    assert_taken("\"parts\":[{\"id\":\"p\",\"count\":-9223372036854775808}]",
                 "\"count\":-9223372036854775808}");
    assert_taken("\"parts\":[{\"id\":\"p\",\"count\":999999999999999999}]",
                 "\"count\":999999999999999999}");
    assert_fault("\"count\":-6",
                 "greater_than_equal at \"count\": Input should be greater than or equal to -5 "
                 "{\"ge\":-5} <- -6");
    assert_fault("\"count\":101",
                 "less_than_equal at \"count\": Input should be less than or equal to 100 "
                 "{\"le\":100} <- 101");
    assert_fault("\"count\":\"1\"", "int_type at \"count\": Input should be a valid integer "
                                    "<- \"1\"");
    assert_fault("\"count\":[1]", "int_type at \"count\": Input should be a valid integer <- [1]");
    assert_fault(
        "\"count\":1.5",
        "int_from_float at \"count\": Input should be a valid integer, got a number with a "
        "fractional part <- 1.5");
    assert_fault(
        "\"count\":1e-999999999999999999999",
        "int_from_float at \"count\": Input should be a valid integer, got a number with a "
        "fractional part <- 1e-999999999999999999999");
    assert_fault("\"count\":9223372036854775808",
                 "int_parsing_size at \"count\": Unable to parse input string as an integer, "
                 "exceeded maximum size <- 9223372036854775808");
    assert_fault("\"count\":1e999999999999999999999",
                 "int_parsing_size at \"count\": Unable to parse input string as an integer, "
                 "exceeded maximum size <- 1e999999999999999999999");
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void assert_delta_faults(const char *const *numbers, size_t count, const char *fault)
{
    for (size_t i = 0; i < count; i++) {
        char member[TEXT_MAX], told[TEXT_MAX];
        snprintf(member, sizeof(member), "\"delta\":%s", numbers[i]);
        snprintf(told, sizeof(told), "%s <- %s", fault, numbers[i]);
        assert_fault(member, told);
    }
}

static void test_decimals(void **state)
{
    static const char *const same[][2] = {
        {"0", "0"},
        {"-0", "0"},
        {"-0.000", "0"},
        {"0e999999999", "0"},
        {"0.0e-99999999999999999999", "0"},
        {"1", "1"},
        {"1.0", "1"},
        {"1e2", "100"},
        {"1E+2", "100"},
        {"12e-1", "1.2"},
        {"0.1", "0.1"},
        {"-12.50", "-12.5"},
        {"100e-2", "1"},
        {"0.000001", "0.000001"},
        {"0.0000010000000", "0.000001"},
        {"1e-6", "0.000001"},
        {"-1000000e-12", "-0.000001"},
        {"0.0012e5", "120"},
        {"0.0012e3", "1.2"},
        {"999999999999999.999999", "999999999999999.999999"},
        {"-999999999999999.999999", "-999999999999999.999999"},
        {"999999999999999999999e-6", "999999999999999.999999"},
        {"1e14", "100000000000000"},
        {"0.00000000000000000000000000001e40", "100000000000"},
    };
    static const char *const too_large[] = {"1000000000000000", "1e15", "-1000000000000000.5",
                                            "0.1e16", "1e20"};
    static const char *const too_long[] = {"1e21", "1e999999999", "1e99999999999999999999999999",
                                           "1000000000000000.000001"};
    static const char *const too_fine[] = {"0.0000001", "1e-7", "1.0000001",
                                           "1e-99999999999999999999999999",
                                           "-999999999999999.9999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        char member[TEXT_MAX], written[TEXT_MAX];
        snprintf(member, sizeof(member), "\"delta\":%s", same[i][0]);
        snprintf(written, sizeof(written), "\"delta\":%s,", same[i][1]);
        assert_taken(member, written);
    }
    assert_delta_faults(too_large, COUNT(too_large),
                        "decimal_whole_digits at \"delta\": Decimal input should have no more than "
                        "15 digits before the decimal point {\"whole_digits\":15}");
    assert_delta_faults(too_long, COUNT(too_long),
                        "decimal_max_digits at \"delta\": Decimal input should have no more than "
                        "21 digits in total {\"max_digits\":21}");
    assert_delta_faults(too_fine, COUNT(too_fine),
                        "decimal_max_places at \"delta\": Decimal input should have no more than 6 "
                        "decimal places {\"decimal_places\":6}");
}

static void test_signs_of_decimals(void **state)
{
    (void)state;
    assert_taken("\"weight\":0.000001", "\"weight\":0.000001");
    assert_taken("\"weight\":null", NULL);
    assert_fault("\"weight\":0", "greater_than at \"weight\": Input should be greater than 0 "
                                 "{\"gt\":0} <- 0");
    assert_fault("\"weight\":-0.0", "greater_than at \"weight\": Input should be greater than 0 "
                                    "{\"gt\":0} <- -0.0");
    assert_fault("\"weight\":-1e0", "greater_than at \"weight\": Input should be greater than 0 "
                                    "{\"gt\":0} <- -1e0");
    assert_fault("\"weight\":\"1\"",
                 "float_type at \"weight\": Input should be a valid number <- \"1\"");
    assert_outcome(
        "{" ENVELOPE ",\"things\":[{\"id\":\"1\",\"price\":-0},"
        "{\"id\":\"2\",\"price\":-0.01},{\"id\":\"3\",\"price\":null}]}",
        "things[0] {\"id\":\"1\",\"count\":0,\"price\":0,\"on\":true,\"kind\":"
        "\"service\"}\n= {\"id\":\"1\",\"price\":-0}\n"
        "things[1] {\"id\":\"2\",\"count\":0,\"on\":true,\"kind\":\"service\"}\n"
        "= {\"id\":\"2\",\"price\":-0.01}\n"
        "things[2] {\"id\":\"3\",\"count\":0,\"on\":true,\"kind\":\"service\"}\n"
        "= {\"id\":\"3\",\"price\":null}\n"
        "0 rows, 3 things, " ENVELOPE_OUT
        "greater_than_equal at \"things\",1,\"price\": Input should be greater than or "
        "equal to 0 {\"ge\":0} <- -0.01\n"
        "float_type at \"things\",2,\"price\": Input should be a valid number <- null\n");
}

static void test_booleans(void **state)
{
    (void)state;
    assert_taken("\"on\":false", "\"on\":false");
    assert_taken("\"on\":true", "\"on\":true");
    assert_taken("\"on\":null", NULL);
    assert_taken("\"flag\":false", "\"flag\":false");
    assert_taken("\"flag\":true", "\"flag\":true");
    assert_taken("\"flag\":null", NULL);
    assert_fault("\"on\":1", "bool_type at \"on\": Input should be a valid boolean <- 1");
    assert_fault("\"on\":\"true\"",
                 "bool_type at \"on\": Input should be a valid boolean <- \"true\"");
    assert_fault("\"flag\":{}", "bool_type at \"flag\": Input should be a valid boolean <- {}");
}

static void test_enums(void **state)
{
    (void)state;
    assert_taken("\"kind\":\"other\"", "\"kind\":\"other\"");
    assert_taken("\"kind\":null", NULL);
    assert_taken("\"rate\":\"20\"", "\"rate\":\"20\"");
    assert_taken("\"rate\":20", "\"rate\":\"20\"");
    assert_taken("\"rate\":0", "\"rate\":\"0\"");
    assert_fault("\"kind\":\"Other\"",
                 "enum at \"kind\": Input should be 'good', 'service' or 'other' "
                 "{\"expected\":\"'good', 'service' or 'other'\"} <- \"Other\"");
    assert_fault("\"kind\":0", "enum at \"kind\": Input should be 'good', 'service' or 'other' "
                               "{\"expected\":\"'good', 'service' or 'other'\"} <- 0");
    assert_fault("\"kind\":[]", "enum at \"kind\": Input should be 'good', 'service' or 'other' "
                                "{\"expected\":\"'good', 'service' or 'other'\"} <- []");
    assert_fault("\"rate\":200", "enum at \"rate\": Input should be 'none', '0' or '20' "
                                 "{\"expected\":\"'none', '0' or '20'\"} <- 200");
}

static void pass_over(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    (void)arg, (void)stream, (void)item;
}

/* An item that was checked by other words stays as it is. */
static void test_words_of_the_reader(void **state)
{
    static const char *const words[] = {"none", "22", NULL};
    static const char text[] = "{" ENVELOPE ",\"things\":[{\"id\":\"a\",\"price\":1,\"rate\":22},"
                               "{\"id\":\"b\",\"price\":1,\"rate\":\"20\"}]}";
    struct record_stream *stream =
        record_stream_new(&(struct record_stream_options){.record = &stream_package_record,
                                                          .token_max = SCENE_TOKEN_MAX,
                                                          .on_item = pass_over,
                                                          .words = words});
    struct stream_thing thing;
    size_t count;
    bool is_truncated;

    assert_int_equal(record_stream_feed(stream, str_of(text), true), STREAM_END);
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);
    assert_int_equal(count, 1);
    assert_string_equal(faults[0].loc, "\"things\",1,\"rate\"");
    assert_string_equal(faults[0].message, "Input should be 'none' or '22'");
    record_stream_free(stream);
    assert_int_equal(
        record_decode_known(&stream_thing_record, STR("{\"rate\":\"22\"}"), *state, &thing),
        ERR_OK);
    assert_string_equal(thing.rate, "22");
}

static void test_times(void **state)
{
    static const char *const same[][2] = {
        {"2026-11-21T04:33:00.123Z", "2026-11-21T04:33:00.123Z"},
        {"2026-11-21t04:33:00.1z", "2026-11-21T04:33:00.100Z"},
        {"2026-11-21 04:33Z", "2026-11-21T04:33:00.000Z"},
        {"2026-11-21T04:33:00.123999999999Z", "2026-11-21T04:33:00.123Z"},
        {"2026-11-21T04:33:00,5+03:00", "2026-11-21T01:33:00.500Z"},
        {"2026-11-21T04:33:00+0300", "2026-11-21T01:33:00.000Z"},
        {"2026-11-21T04:33:00-11", "2026-11-21T15:33:00.000Z"},
        {"2026-11-21T23:59-00:01", "2026-11-22T00:00:00.000Z"},
        {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
        {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"},
        {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"},
        {"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        char member[TEXT_MAX], written[TEXT_MAX];
        snprintf(member, sizeof(member), "\"at\":\"%s\"", same[i][0]);
        snprintf(written, sizeof(written), "\"at\":\"%s\"", same[i][1]);
        assert_taken(member, written);
    }
    assert_taken("\"at\":null", NULL);
    assert_fault("\"at\":1", "datetime_type at \"at\": Input should be a valid datetime <- 1");
    assert_fault("\"at\":{\"a\":1}",
                 "datetime_type at \"at\": Input should be a valid datetime <- {\"a\":1}");
    assert_fault("\"at\":\"2026-11-21T04:33:00\"",
                 "timezone_aware at \"at\": Input should have timezone info "
                 "<- \"2026-11-21T04:33:00\"");
    assert_fault("\"at\":\"2026-11-21 04:33\"",
                 "timezone_aware at \"at\": Input should have timezone info "
                 "<- \"2026-11-21 04:33\"");
}

static void test_wrong_times(void **state)
{
    static const char *const rows[][2] = {
        {"", "input is too short"},
        {"2026", "input is too short"},
        {"2026-11-21", "input is too short"},
        {"2026-11-21T04", "input is too short"},
        {"2026-11-21T04:33:", "input is too short"},
        {"2026-11-21T04:33:00.", "second fraction value is empty"},
        {"2026-11-21T04:33:00.Z", "second fraction value is empty"},
        {"yesterday", "invalid character in year"},
        {"21.11.2026 04:33:00Z", "invalid character in year"},
        {"2026/11/21T04:33:00Z", "invalid date separator, expected `-`"},
        {"2026-1-21T04:33:00Z", "invalid character in month"},
        {"2026-11-2 04:33:00Z", "invalid character in day"},
        {"0000-11-21T04:33:00Z", "year 0 is out of range"},
        {"2026-00-21T04:33:00Z", "month value is outside expected range of 1-12"},
        {"2026-13-21T04:33:00Z", "month value is outside expected range of 1-12"},
        {"2026-11-00T04:33:00Z", "day value is outside expected range"},
        {"2026-11-31T04:33:00Z", "day value is outside expected range"},
        {"2026-02-29T04:33:00Z", "day value is outside expected range"},
        {"1900-02-29T04:33:00Z", "day value is outside expected range"},
        {"2026-11-21_04:33:00Z", "invalid datetime separator, expected `T`, `t` or space"},
        {"2026-11-21Tx4:33:00Z", "invalid character in hour"},
        {"2026-11-21T24:00:00Z", "hour value is outside expected range of 0-23"},
        {"2026-11-21T0433Z", "invalid time separator, expected `:`"},
        {"2026-11-21T04:60:00Z", "minute value is outside expected range of 0-59"},
        {"2026-11-21T04:33:61Z", "second value is outside expected range of 0-59"},
        {"2026-11-21T04:33:00+24:00", "timezone offset must be less than 24 hours"},
        {"2026-11-21T04:33:00+03:60", "timezone minute value is outside expected range of 0-59"},
        {"2026-11-21T04:33:00+3", "input is too short"},
        {"2026-11-21T04:33:00+03:", "input is too short"},
        {"2026-11-21T04:33:00+x3", "invalid character in timezone hour"},
        {"2026-11-21T04:33:00+03:0x", "invalid character in timezone minute"},
        {"2026-11-21T04:33:00Z ", "unexpected extra characters at the end of the input"},
        {"2026-11-21T04:33:00+03:00x", "unexpected extra characters at the end of the input"},
        {"2026-11-21T04:33:00 Moscow", "unexpected extra characters at the end of the input"},
        {"0001-01-01T00:00:00+00:01", "year is out of range"},
        {"9999-12-31T23:59:59-00:01", "year is out of range"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char member[TEXT_MAX], fault[TEXT_MAX];
        snprintf(member, sizeof(member), "\"at\":\"%s\"", rows[i][0]);
        snprintf(fault, sizeof(fault),
                 "datetime_parsing at \"at\": Input should be a valid datetime, %s "
                 "{\"error\":\"%s\"} <- \"%s\"",
                 rows[i][1], rows[i][1], rows[i][0]);
        assert_fault(member, fault);
    }
}

static void test_scalars(void **state)
{
    (void)state;
    assert_taken("\"value\":\"a\\\"b\"", "\"value\":\"a\\\"b\"");
    assert_taken("\"value\":\"\"", "\"value\":\"\"");
    assert_taken("\"value\":1.500", "\"value\":1.500");
    assert_taken("\"value\":true", "\"value\":true");
    assert_taken("\"value\":false", "\"value\":false");
    assert_taken("\"value\":null", NULL);
    assert_taken("\"chat\":\"abc\"", "\"chat\":\"abc\"");
    assert_taken("\"chat\":15e2", "\"chat\":1500");
    assert_taken("\"uuid\":\"0193503C-6D5B-7000-8000-000000000001\"",
                 "\"uuid\":\"0193503c-6d5b-7000-8000-000000000001\"");
    assert_fault("\"value\":[]", "string_type at \"value\": Input should be a valid string <- []");
    assert_fault("\"value\":{\"a\":1}",
                 "string_type at \"value\": Input should be a valid string <- {\"a\":1}");
    assert_fault("\"chat\":1.5",
                 "int_from_float at \"chat\": Input should be a valid integer, got a number with a "
                 "fractional part <- 1.5");
    assert_fault("\"chat\":true",
                 "string_type at \"chat\": Input should be a valid string <- true");
    assert_fault("\"uuid\":\"x\"", "uuid_parsing at \"uuid\": Input should be a valid UUID "
                                   "<- \"x\"");
    assert_fault("\"uuid\":1", "uuid_type at \"uuid\": UUID input should be a string <- 1");
}

static void test_objects_and_lists(void **state)
{
    (void)state;
    assert_taken("\"meta\":{ \"a\" : [1,{\"b\":\"}\"}] }",
                 "\"meta\":{ \"a\" : [1,{\"b\":\"}\"}] }");
    assert_taken("\"meta\":null", NULL);
    assert_taken("\"owner\":null", NULL);
    assert_taken("\"parts\":null", NULL);
    assert_taken("\"tags\":[]", "\"tags\":[]");
    assert_taken("\"tags\":[\"a\",\"жжж\",\"b\",\"c\",\"d\"]",
                 "\"tags\":[\"a\",\"жжж\",\"b\",\"c\",\"d\"]");
    assert_taken("\"parts\":[{\"id\":\"1\",\"notes\":[\"n\",\"n\"]},{\"id\":\"2\",\"notes\":[]}]",
                 "\"parts\":[{\"id\":\"1\",\"count\":0,\"notes\":[\"n\",\"n\"]},"
                 "{\"id\":\"2\",\"count\":0,\"notes\":[]}]");
    assert_fault("\"meta\":[{}]",
                 "dict_type at \"meta\": Input should be a valid dictionary <- [{}]");
    assert_fault("\"owner\":\"x\"",
                 "dict_type at \"owner\": Input should be a valid dictionary <- \"x\"");
    assert_fault("\"parts\":{\"0\":{}}",
                 "list_type at \"parts\": Input should be a valid list <- {\"0\":{}}");
    assert_fault("\"tags\":\"a\"", "list_type at \"tags\": Input should be a valid list <- \"a\"");
    assert_fault("\"parts\":[{\"id\":\"1\"},null]",
                 "dict_type at \"parts\",1: Input should be a valid dictionary <- null");
    assert_fault("\"parts\":[[{\"id\":\"1\"}]]",
                 "dict_type at \"parts\",0: Input should be a valid dictionary "
                 "<- [{\"id\":\"1\"}]");
    assert_fault("\"tags\":[null]", "string_type at \"tags\",0: Input should be a valid string "
                                    "<- null");
    assert_fault("\"tags\":[\"a\",{}]",
                 "string_type at \"tags\",1: Input should be a valid string <- {}");
    assert_fault("\"tags\":[\"abcd\"]",
                 "string_too_long at \"tags\",0: String should have at most 3 characters "
                 "{\"max_length\":3} <- \"abcd\"");
    assert_fault("\"owner\":{\"x\":1}",
                 "missing at \"owner\",\"name\": Field required <- {\"x\":1}");
}

static void test_list_limits(void **state)
{
    (void)state;
    assert_fault("\"parts\":[ ]",
                 "too_short at \"parts\": List should have at least 1 item after validation, not 0 "
                 "{\"field_type\":\"List\",\"min_length\":1,\"actual_length\":0} <- [ ]");
    assert_fault("\"parts\":[{\"id\":\"1\"},{\"id\":\"2\"},{\"id\":\"3\"},4,{}]",
                 "too_long at \"parts\": List should have at most 3 items after validation, not 5 "
                 "{\"field_type\":\"List\",\"max_length\":3,\"actual_length\":5} <- "
                 "[{\"id\":\"1\"},{\"id\":\"2\"},{\"id\":\"3\"},4,{}]");
    assert_fault("\"tags\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"5\"]",
                 "too_long at \"tags\": List should have at most 5 items after validation, not 6 "
                 "{\"field_type\":\"List\",\"max_length\":5,\"actual_length\":6} <- "
                 "[\"1\",\"2\",\"3\",\"4\",\"5\",\"5\"]");
}

static void test_repeated_texts(void **state)
{
    (void)state;
    assert_fault("\"tags\":[\"a\",\"b\",\"\\u0061\"]",
                 "duplicate_id at \"tags\",2: This value stands twice in the list <- \"a\"");
    assert_taken("\"parts\":[{\"id\":\"1\",\"notes\":[\"n\",\"n\"]}]", "[\"n\",\"n\"]");
}

/* The same key in another object is another key. */
static void test_repeated_keys(void **state)
{
    (void)state;
    assert_fault("\"count\":1,\"count\":2",
                 "duplicate_key at \"count\": This key stands twice in its object <- \"count\"");
    assert_fault("\"count\":1,\"count\":2,\"c\\u006funt\":3",
                 "duplicate_key at \"count\": This key stands twice in its object <- \"count\"");
    assert_fault("\"x\":1,\"count\":1,\"\\u0078\":2,\"x\":3",
                 "duplicate_key at \"x\": This key stands twice in its object <- \"x\"");
    assert_fault("\"x\":{\"y\":[0,{\"a\":{\"b\":1,\"\":2,\"b\":{}}}]},\"y\":{\"a\":0}",
                 "duplicate_key at \"x\",\"y\",1,\"a\",\"b\": This key stands twice in its object "
                 "<- \"b\"");
    assert_fault("\"meta\":{\"a\":1,\"a\":1}",
                 "duplicate_key at \"meta\",\"a\": This key stands twice in its object <- \"a\"");
    assert_taken("\"x\":{\"x\":{\"x\":1}},\"y\":[{\"x\":1},{\"x\":1}],\"owner\":{\"name\":\"xx\","
                 "\"x\":1},\"parts\":[{\"id\":\"1\",\"x\":1},{\"id\":\"1\",\"x\":1}]",
                 "\"parts\":[{");
    /* The first fault at a place wins, but these are of two kinds. */
    char *both = thing_outcome("\"count\":\"x\",\"count\":true");
    assert_non_null(strstr(both, "int_type at \"things\",0,\"count\""));
    assert_non_null(strstr(both, "duplicate_key at \"things\",0,\"count\""));
    assert_null(strstr(both, "<- true"));
    free(both);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_signs_of_decimals),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_enums),
        cmocka_unit_test_setup_teardown(test_words_of_the_reader, arena_begin, arena_end),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_wrong_times),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_objects_and_lists),
        cmocka_unit_test(test_list_limits),
        cmocka_unit_test(test_repeated_texts),
        cmocka_unit_test(test_repeated_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
