/* Records: decoding with all faults at once, each limit at n and n + 1, encoding, describing. */
#include "json_sample.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { BODY_MAX = 4 * 1024 * 1024 };

/* One decoding, with what came out of it. */
struct decoding {
    struct arena arena;
    struct record_faults faults;
    struct sample sample;
    enum err err;
};

static void decode(struct decoding *d, struct str body, bool is_strict)
{
    /* A copy of its exact size, so that reading too far shows. */
    arena_init(&d->arena);
    char *copy = arena_alloc(&d->arena, body.len);
    memcpy(copy, body.data, body.len);
    record_faults_init(&d->faults, &d->arena);
    d->err = record_decode(&sample_record, (struct str){copy, body.len}, is_strict, &d->arena,
                           &d->sample, &d->faults);
    assert_int_equal(d->err, d->faults.count > 0 ? ERR_VALIDATION : ERR_OK);
}

/* The faults as lines of "path: message". */
static void assert_faults(const char *body, bool is_strict, const char *expected)
{
    struct decoding d;
    AUTO_BUF found = {0};

    buf_init(&found, BODY_MAX);
    decode(&d, str_of(body), is_strict);
    for (size_t i = 0; i < d.faults.count; i++)
        buf_printf(&found, "%s: %s\n", d.faults.rows[i].path, d.faults.rows[i].message);
    buf_char(&found, '\0');
    assert_string_equal(found.data, expected);
    arena_done(&d.arena);
}

/* A sound body with one more property; "" expects no fault. */
static void assert_property(const char *property, const char *expected)
{
    char body[1000];
    snprintf(body, sizeof(body), "{\"name\":\"n\",\"channel\":\"flash_call\",%s}", property);
    assert_faults(body, true, expected);
}

static void test_every_type(void **state)
{
    struct decoding d;

    (void)state;
    decode(&d,
           STR("{\"name\":\"\\u0416a\",\"phone\":\"+79161234567\",\"code\":\"1234\","
               "\"ttl_seconds\":6e1,\"balance\":-5,\"weight\":1,\"is_on\":true,"
               "\"occurred_at\":\"2026-11-21T07:33:00.123+03:00\","
               "\"id\":\"0193503C-6D5B-7000-8000-000000000001\",\"channel\":\"sms\","
               "\"mode\":\"slow\",\"erp\":{\"base_url\":\"http\",\"extra\":{ \"a\" : [1] }},"
               "\"parts\":[{\"id\":\"p1\"},{\"id\":\"p2\",\"is_spare\":false}],"
               "\"numbers\":[\"+79160000001\",\"+79160000002\",\"+79160000003\","
               "\"+79160000004\",\"+79160000005\"],\"meta\": {\"x\":{}} ,\"chat_id\":1.5e3}"),
           true);
    assert_int_equal(d.err, ERR_OK);
    assert_string_equal(d.sample.name, "Жa");
    assert_string_equal(d.sample.phone, "+79161234567");
    assert_string_equal(d.sample.code, "1234");
    assert_int_equal(d.sample.ttl_seconds, 60);
    assert_int_equal(d.sample.balance, -5);
    assert_true(d.sample.is_on);
    assert_int_equal(d.sample.occurred_at, 1795235580123);
    assert_int_equal(d.sample.id.bytes[0], 0x01);
    assert_int_equal(d.sample.id.bytes[15], 0x01);
    assert_int_equal(d.sample.channel, SAMPLE_SMS);
    assert_int_equal(d.sample.mode, SAMPLE_SLOW);
    assert_string_equal(d.sample.erp->base_url, "http");
    assert_int_equal(d.sample.erp->timeout_s, 5);
    assert_true(str_is(d.sample.erp->extra, "{ \"a\" : [1] }"));
    const struct sample_part *parts = d.sample.parts.items;
    assert_int_equal(d.sample.parts.count, 2);
    assert_string_equal(parts[0].id, "p1");
    assert_true(parts[0].is_spare);
    assert_string_equal(parts[1].id, "p2");
    assert_false(parts[1].is_spare);
    const char *const *numbers = d.sample.numbers.items;
    assert_int_equal(d.sample.numbers.count, 5);
    assert_string_equal(numbers[0], "+79160000001");
    assert_string_equal(numbers[4], "+79160000005");
    assert_true(str_is(d.sample.meta, "{\"x\":{}}"));
    assert_string_equal(d.sample.chat_id.text, "1500");
    assert_true(d.sample.chat_id.is_integer);
    arena_done(&d.arena);
}

static void test_absent_and_null(void **state)
{
    static const char *const bodies[] = {
        "{\"name\":\"n\",\"channel\":\"flash_call\"}",
        "{\"name\":\"n\",\"channel\":\"flash_call\",\"occurred_at\":null,\"mode\":null,"
        "\"erp\":null,\"numbers\":null,\"meta\":null}",
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct decoding d;
        decode(&d, str_of(bodies[i]), true);
        assert_int_equal(d.err, ERR_OK);
        assert_null(d.sample.phone);
        assert_int_equal(d.sample.ttl_seconds, 300);
        assert_int_equal(d.sample.balance, 0);
        assert_false(d.sample.is_on);
        assert_int_equal(d.sample.occurred_at, 0);
        assert_true(uuid_is_nil(&d.sample.id));
        assert_int_equal(d.sample.mode, i == 0 ? SAMPLE_FAST : -1);
        assert_null(d.sample.erp);
        assert_int_equal(d.sample.parts.count, 0);
        assert_null(d.sample.numbers.items);
        assert_null(d.sample.meta.data);
        assert_null(d.sample.chat_id.text);
        assert_false(d.sample.chat_id.is_integer);
        arena_done(&d.arena);
    }
}

static void test_wrong_types(void **state)
{
    (void)state;
    assert_faults("{\"name\":1,\"phone\":null,\"code\":true,\"ttl_seconds\":\"60\","
                  "\"balance\":1.5,\"weight\":[],\"is_on\":0,\"occurred_at\":1,\"id\":\"x\","
                  "\"channel\":null,\"mode\":{\"a\":1},\"erp\":[{\"b\":2}],\"parts\":{},"
                  "\"numbers\":\"+79161234567\",\"meta\":[],\"chat_id\":1.5}",
                  true,
                  "name: Must be a string.\n"
                  "phone: Must be a string.\n"
                  "code: Must be a string.\n"
                  "ttl_seconds: Must be an integer between 60 and 900.\n"
                  "balance: Must be an integer.\n"
                  "weight: Must be an integer of at least 1.\n"
                  "is_on: Must be true or false.\n"
                  "occurred_at: Must be a time with a time zone (RFC 3339), such as "
                  "2026-11-21T04:33:00.123Z.\n"
                  "id: Must be a UUID.\n"
                  "channel: Must be one of: sms, flash_call.\n"
                  "mode: Must be one of: slow, fast.\n"
                  "erp: Must be an object.\n"
                  "parts: Must be a list of objects.\n"
                  "numbers: Must be a list of strings.\n"
                  "meta: Must be an object.\n"
                  "chat_id: Must be a string or an integer.\n");
}

static void test_all_faults_at_once(void **state)
{
    (void)state;
    assert_faults("{\"channel\":\"sms\",\"extra\":1,\"ttl_seconds\":59,"
                  "\"erp\":{\"base_url\":\"01234567890\",\"timeout_s\":61},"
                  "\"parts\":[{\"id\":\"a b\"},7,{},null],"
                  "\"numbers\":[\"+79161234567\",\"8916\",null,\"+79161234567\"]}",
                  true,
                  "extra: Unknown property.\n"
                  "ttl_seconds: Must be an integer between 60 and 900.\n"
                  "erp.base_url: Must have at most 10 characters; this has 11.\n"
                  "erp.extra: Required with a timeout above 60.\n"
                  "parts[0].id: Must hold visible ASCII characters only: no spaces, no other "
                  "letters.\n"
                  "parts[1]: Must be an object.\n"
                  "parts[2].id: Required.\n"
                  "parts[3]: Must be an object.\n"
                  "parts: Must have at most 3 items; this has 4.\n"
                  "numbers[1]: Must be a phone number such as +79161234567.\n"
                  "numbers[2]: Must be a string.\n"
                  "numbers[3]: Must differ from item [0].\n"
                  "name: Required.\n"
                  "phone: Required for sms.\n");
}

/* A rule over several fields says nothing about a field that was told to be faulty. */
static void test_one_fault_a_path_from_rules(void **state)
{
    (void)state;
    assert_faults("{\"name\":\"n\",\"channel\":\"sms\",\"phone\":\"x\"}", true,
                  "phone: Must be a phone number such as +79161234567.\n");
}

static void test_limits(void **state)
{
    static const struct {
        const char *property, *fault;
    } rows[] = {
        {"\"code\":\"123\"", "code: Must have exactly 4 characters; this has 3.\n"},
        {"\"code\":\"ЖЖЖЖ\"", ""},
        {"\"code\":\"ЖЖЖЖЖ\"", "code: Must have exactly 4 characters; this has 5.\n"},
        {"\"ttl_seconds\":59", "ttl_seconds: Must be an integer between 60 and 900.\n"},
        {"\"ttl_seconds\":60", ""},
        {"\"ttl_seconds\":900", ""},
        {"\"ttl_seconds\":901", "ttl_seconds: Must be an integer between 60 and 900.\n"},
        {"\"weight\":0", "weight: Must be an integer of at least 1.\n"},
        {"\"weight\":1", ""},
        {"\"weight\":9223372036854775807", ""},
        {"\"balance\":9223372036854775808", "balance: Must be an integer.\n"},
        {"\"balance\":-9223372036854775808", ""},
        {"\"balance\":-9223372036854775809", "balance: Must be an integer.\n"},
        {"\"chat_id\":\"\"", "chat_id: Must have at least 1 character; this has 0.\n"},
        {"\"chat_id\":\"01234567890123456789\"", ""},
        {"\"chat_id\":\"012345678901234567890\"",
         "chat_id: Must have at most 20 characters; this has 21.\n"},
        {"\"chat_id\":-1001234567890", ""},
        {"\"chat_id\":9223372036854775808", "chat_id: Must be a string or an integer.\n"},
        {"\"numbers\":[]", "numbers: Must have at least 1 item; this has 0.\n"},
        {"\"numbers\":[\"+79160000000\"]", ""},
        {"\"parts\":[]", ""},
        {"\"parts\":[{\"id\":\"1\"},{\"id\":\"2\"},{\"id\":\"3\"}]", ""},
        {"\"parts\":[{\"id\":\"1\"},{\"id\":\"2\"},{\"id\":\"3\"},{\"id\":\"\\u0416\"},{}]",
         "parts[3].id: Must hold visible ASCII characters only: no spaces, no other letters.\n"
         "parts[4].id: Required.\nparts: Must have at most 3 items; this has 5.\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_property(rows[i].property, rows[i].fault);
    assert_faults("{\"name\":\"\",\"channel\":\"flash_call\"}", true,
                  "name: Must have at least 1 character; this has 0.\n");
    assert_faults("{\"name\":\"ЖЖЖЖЖ\",\"channel\":\"flash_call\"}", true, "");
    assert_faults("{\"name\":\"ЖЖЖЖЖЖ\",\"channel\":\"flash_call\"}", true,
                  "name: Must have at most 5 characters; this has 6.\n");
}

static void test_items_n_and_one_more(void **state)
{
    (void)state;
    for (int count = 9; count <= 10; count++) {
        char property[400] = "\"numbers\":[";
        for (int i = 0; i < count; i++) {
            size_t len = strlen(property);
            snprintf(property + len, sizeof(property) - len, "%s\"+7916000000%d\"",
                     i == 0 ? "" : ",", i);
        }
        strcat(property, "]");
        assert_property(property,
                        count == 9 ? "" : "numbers: Must have at most 9 items; this has 10.\n");
    }
}

static void test_strict_or_not(void **state)
{
    (void)state;
    assert_property("\"x\":1", "x: Unknown property.\n");
    assert_property("\"parts\":[{\"id\":\"1\",\"x\":{\"name\":5}}]",
                    "parts[0].x: Unknown property.\n");
    assert_faults("{\"x\":[{\"name\":1,\"erp\":[2]},3],\"name\":\"n\",\"y\":{\"z\":{}},"
                  "\"channel\":\"flash_call\",\"erp\":{\"base_url\":\"u\",\"w\":null}}",
                  false, "");
}

static void test_duplicate_keys(void **state)
{
    (void)state;
    assert_property("\"balance\":1,\"balance\":\"x\"", "balance: Duplicate key.\n");
    assert_property("\"balance\":1,\"b\\u0061lance\":2", "balance: Duplicate key.\n");
    assert_property("\"erp\":{\"base_url\":\"u\",\"base_url\":\"u\"}",
                    "erp.base_url: Duplicate key.\n");
    assert_property("\"meta\":{\"a\":1,\"b\":[{\"c\":1,\"c\":2},{\"c\":3}],\"a\":{}}",
                    "meta.b[0].c: Duplicate key.\nmeta.a: Duplicate key.\n");
    assert_property("\"\":1,\"\":2", ": Unknown property.\n: Duplicate key.\n");
    assert_faults("{\"name\":\"n\",\"channel\":\"flash_call\",\"x\":{\"k\":1,\"k\":2},\"x\":0,"
                  "\"y\":{\"k\":{\"k\":0}}}",
                  false, "x.k: Duplicate key.\nx: Duplicate key.\n");
}

static void test_malformed(void **state)
{
    (void)state;
    assert_faults("", true, ": Malformed JSON at byte 0: The text ends before a value.\n");
    assert_faults("{\"x\":1,\"name\":1,\"is_on\":}", true,
                  ": Malformed JSON at byte 24: Expected a value.\n");
    assert_faults("{\"name\":\"\\u0000\"}", true,
                  ": Malformed JSON at byte 9: \\u0000 is not allowed in strings.\n");
    assert_faults("{} x", true, ": Malformed JSON at byte 3: Nothing may follow the value.\n");
    assert_faults("[{\"a\":1,\"a\":2}]", true, ": Must be a JSON object.\n");
    assert_faults("null", true, ": Must be a JSON object.\n");
    assert_faults("\"{}\"", true, ": Must be a JSON object.\n");
}

static void decode_unknown(struct decoding *d, int count, bool is_strict)
{
    AUTO_BUF body = {0};

    buf_init(&body, BODY_MAX);
    buf_text(&body, "{\"name\":\"n\",\"channel\":\"flash_call\"");
    for (int i = 0; i < count; i++)
        buf_printf(&body, ",\"k%d\":%d", i, i);
    buf_char(&body, '}');
    assert_false(body.is_full);
    decode(d, buf_view(&body), is_strict);
}

static void test_faults_max(void **state)
{
    struct decoding d;

    (void)state;
    decode_unknown(&d, FAULTS_MAX, true);
    assert_int_equal(d.faults.count, FAULTS_MAX);
    assert_false(d.faults.is_truncated);
    arena_done(&d.arena);
    decode_unknown(&d, FAULTS_MAX + 1, true);
    assert_int_equal(d.faults.count, FAULTS_MAX);
    assert_true(d.faults.is_truncated);
    assert_int_equal(d.err, ERR_VALIDATION);
    record_fault(&d.faults, "more", "One more.");
    assert_int_equal(d.faults.count, FAULTS_MAX);
    arena_done(&d.arena);
}

static void test_unknown_keys_max(void **state)
{
    struct decoding d;

    (void)state;
    decode_unknown(&d, 16384, false);
    assert_int_equal(d.err, ERR_OK);
    arena_done(&d.arena);
    decode_unknown(&d, 16385, false);
    assert_int_equal(d.err, ERR_VALIDATION);
    assert_int_equal(d.faults.count, 1);
    assert_string_equal(d.faults.rows[0].message, "Has more than 16384 unknown properties.");
    arena_done(&d.arena);
}

static void test_faults_before_are_kept(void **state)
{
    struct decoding d;

    (void)state;
    arena_init(&d.arena);
    record_faults_init(&d.faults, &d.arena);
    record_fault(&d.faults, "Idempotency-Key", "Required.");
    record_fault(&d.faults, "Idempotency-Key", "Told already.");
    d.err =
        record_decode(&sample_record, STR("{\"balance\":{}"), true, &d.arena, &d.sample, &d.faults);
    assert_int_equal(d.err, ERR_VALIDATION);
    assert_int_equal(d.faults.count, 2);
    assert_string_equal(d.faults.rows[0].path, "Idempotency-Key");
    assert_string_equal(d.faults.rows[1].path, "");
    arena_done(&d.arena);
}

/* Foreign keys are shown, but not at any length, and never cut within a character. */
static void test_long_keys_in_paths(void **state)
{
    char key[400] = "k", property[500], fault[500];

    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(key, "Ж");
    snprintf(property, sizeof(property), "\"%s\":1", key);
    snprintf(fault, sizeof(fault), "%.59s...: Unknown property.\n", key);
    assert_property(property, fault);
}

/* A secret that a caller sent is in no message. */
static void test_secrets_are_not_echoed(void **state)
{
    static const char *const values[] = {"\"hunter2\"", "77012", "[\"hunter2\"]",
                                         "{\"a\":\"hunter2\"}"};

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        char body[200];
        struct decoding d;
        snprintf(body, sizeof(body), "{\"code\":%s}", values[i]);
        decode(&d, str_of(body), true);
        assert_true(d.faults.count >= 3);
        for (size_t j = 0; j < d.faults.count; j++) {
            assert_null(strstr(d.faults.rows[j].message, "hunter2"));
            assert_null(strstr(d.faults.rows[j].message, "77012"));
        }
        arena_done(&d.arena);
    }
}

static void assert_encoded(const struct sample *sample, const char *expected)
{
    AUTO_BUF out = {0};
    struct json_writer writer;

    buf_init(&out, BODY_MAX);
    json_writer_init(&writer, &out);
    record_encode(&sample_record, sample, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void test_encode_absent(void **state)
{
    struct sample sample = {.name = "n", .channel = SAMPLE_FLASH_CALL, .mode = -1, .weight = 1};

    (void)state;
    assert_encoded(&sample, "{\"name\":\"n\",\"ttl_seconds\":0,\"balance\":0,\"weight\":1,"
                            "\"is_on\":false,\"occurred_at\":null,\"channel\":\"flash_call\","
                            "\"mode\":null,\"erp\":null,\"parts\":[],\"numbers\":null,"
                            "\"meta\":null}");
}

static void test_round_trip(void **state)
{
    static const char text[] =
        "{\"name\":\"Ж\\u2028\",\"phone\":\"+79161234567\",\"code\":\"1234\",\"ttl_seconds\":60,"
        "\"balance\":-9223372036854775808,\"weight\":1,\"is_on\":true,"
        "\"occurred_at\":\"2026-11-21T04:33:00.123Z\","
        "\"id\":\"0193503c-6d5b-7000-8000-000000000001\",\"channel\":\"sms\",\"mode\":\"slow\","
        "\"erp\":{\"base_url\":\"u\",\"timeout_s\":7,\"extra\":{ \"a\" : [1.50] }},"
        "\"parts\":[{\"id\":\"1\",\"is_spare\":true},{\"id\":\"2\",\"is_spare\":false}],"
        "\"numbers\":[\"+79160000001\"],\"meta\":{},\"chat_id\":\"-100\"}";
    struct decoding d;

    (void)state;
    decode(&d, STR(text), true);
    assert_int_equal(d.err, ERR_OK);
    assert_encoded(&d.sample, text);
    arena_done(&d.arena);
}

/* A string that looks like a number stays a string; a number gets its plain form. */
static void test_string_or_integer_stays_what_it_was(void **state)
{
    static const struct {
        const char *sent, *encoded;
        bool is_integer;
    } rows[] = {
        {"\"1500\"", "\"1500\"", false},
        {"\"@name\"", "\"@name\"", false},
        {"1500", "1500", true},
        {"-1.0e3", "-1000", true},
        {"0", "0", true},
        {"-9223372036854775808", "-9223372036854775808", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char body[200], expected[200];
        struct decoding d;
        AUTO_BUF out = {0};
        struct json_writer writer;

        snprintf(body, sizeof(body), "{\"name\":\"n\",\"channel\":\"flash_call\",\"chat_id\":%s}",
                 rows[i].sent);
        snprintf(expected, sizeof(expected), "\"chat_id\":%s}", rows[i].encoded);
        decode(&d, str_of(body), true);
        assert_int_equal(d.err, ERR_OK);
        assert_int_equal(d.sample.chat_id.is_integer, rows[i].is_integer);
        buf_init(&out, BODY_MAX);
        json_writer_init(&writer, &out);
        record_encode(&sample_record, &d.sample, &writer);
        buf_char(&out, '\0');
        assert_non_null(strstr(out.data, expected));
        arena_done(&d.arena);
    }
}

/* A boolean that may be left out: absent is neither. */
static void test_tristate(void **state)
{
    static const struct field fields[] = {
        {"is_on", FIELD_TRISTATE, FIELD_NULLABLE | FIELD_OMIT_NULL, 0},
    };
    static const struct record record = {"Switch", NULL, sizeof(int), RECORD_FIELDS(fields)};
    static const struct {
        const char *sent, *encoded;
        int value;
    } rows[] = {
        {"{}", "{}", -1},
        {"{\"is_on\":null}", "{}", -1},
        {"{\"is_on\":false}", "{\"is_on\":false}", 0},
        {"{\"is_on\":true}", "{\"is_on\":true}", 1},
    };
    struct decoding d;
    int value;

    (void)state;
    arena_init(&d.arena);
    record_faults_init(&d.faults, &d.arena);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_BUF out = {0};
        struct json_writer writer;

        assert_int_equal(
            record_decode(&record, str_of(rows[i].sent), true, &d.arena, &value, &d.faults),
            ERR_OK);
        assert_int_equal(value, rows[i].value);
        buf_init(&out, BODY_MAX);
        json_writer_init(&writer, &out);
        record_encode(&record, &value, &writer);
        assert_true(str_is(buf_view(&out), rows[i].encoded));
    }
    assert_int_equal(
        record_decode(&record, STR("{\"is_on\":1}"), true, &d.arena, &value, &d.faults),
        ERR_VALIDATION);
    assert_string_equal(d.faults.rows[0].message, "Must be true or false.");
    arena_done(&d.arena);
}

#define NULL_TYPE "{\"type\":\"null\"}"
static const struct schema_style sample_style = {
    .names = (const struct named_words[]){{"SampleMode", sample_modes}, {0}}};

static void assert_described(const struct record *record, bool is_input, const char *expected)
{
    AUTO_BUF out = {0};
    struct json_writer writer;

    buf_init(&out, BODY_MAX);
    json_writer_init(&writer, &out);
    record_describe(record, is_input ? RECORD_STRICT_BODY : RECORD_ANSWER, &sample_style, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void test_describe_input(void **state)
{
    (void)state;
    assert_described(
        &sample_record, true,
        "{\"type\":\"object\",\"description\":\"One of everything.\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,"
        "\"description\":\"What people call it.\",\"examples\":[\"Ёлка\"]},"
        "\"phone\":{\"type\":\"string\",\"pattern\":\"^\\\\+7[0-9]{10}$\"},"
        "\"code\":{\"type\":\"string\",\"minLength\":4,\"maxLength\":4,\"format\":\"password\"},"
        "\"ttl_seconds\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":60,"
        "\"maximum\":900,\"default\":300},"
        "\"balance\":{\"type\":\"integer\",\"format\":\"int64\"},"
        "\"weight\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1},"
        "\"is_on\":{\"type\":\"boolean\",\"examples\":[true]},"
        "\"occurred_at\":{\"anyOf\":[{\"type\":\"string\",\"format\":\"date-time\"}," NULL_TYPE "],"
        "\"examples\":[\"2026-11-21T04:33:00.123Z\"]},"
        "\"id\":{\"type\":\"string\",\"format\":\"uuid\","
        "\"examples\":[\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\"]},"
        "\"channel\":{\"type\":\"string\",\"enum\":[\"sms\",\"flash_call\"],"
        "\"examples\":[\"sms\"]},"
        "\"mode\":{\"anyOf\":[{\"$ref\":\"#/components/schemas/SampleMode\"}," NULL_TYPE "],"
        "\"default\":\"fast\",\"examples\":[\"slow\"]},"
        "\"erp\":{\"anyOf\":[{\"$ref\":\"#/components/schemas/SampleErp\"}," NULL_TYPE "]},"
        "\"parts\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/SamplePart\"},"
        "\"maxItems\":3},"
        "\"numbers\":{\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"string\","
        "\"pattern\":\"^\\\\+7[0-9]{10}$\"},\"minItems\":1,\"maxItems\":9,\"uniqueItems\":true}"
        "," NULL_TYPE "]},\"meta\":{\"anyOf\":[{\"type\":\"object\"}," NULL_TYPE "]},"
        "\"chat_id\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":1,\"maxLength\":20},"
        "{\"type\":\"integer\",\"format\":\"int64\"}]}},"
        "\"required\":[\"name\",\"channel\"],\"additionalProperties\":false}");
}

static void test_describe_output(void **state)
{
    (void)state;
    assert_described(&sample_erp_record, false,
                     "{\"type\":\"object\",\"description\":\"Where the ERP is.\",\"properties\":{"
                     "\"base_url\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":10},"
                     "\"timeout_s\":{\"type\":\"integer\",\"format\":\"int64\"},"
                     "\"extra\":{\"type\":\"object\"}},"
                     "\"required\":[\"base_url\",\"timeout_s\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_absent_and_null),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_all_faults_at_once),
        cmocka_unit_test(test_one_fault_a_path_from_rules),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_items_n_and_one_more),
        cmocka_unit_test(test_strict_or_not),
        cmocka_unit_test(test_duplicate_keys),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_faults_max),
        cmocka_unit_test(test_unknown_keys_max),
        cmocka_unit_test(test_faults_before_are_kept),
        cmocka_unit_test(test_long_keys_in_paths),
        cmocka_unit_test(test_secrets_are_not_echoed),
        cmocka_unit_test(test_encode_absent),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_string_or_integer_stays_what_it_was),
        cmocka_unit_test(test_tristate),
        cmocka_unit_test(test_describe_input),
        cmocka_unit_test(test_describe_output),
    };
    if (sodium_init() < 0) return 1;
    return cmocka_run_group_tests_name("json_record", tests, NULL, NULL);
}
