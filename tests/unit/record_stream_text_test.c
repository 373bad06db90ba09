/* Streams as a whole: the envelope, streamed lists in any order, places, what is too much, hostile
 * texts, and texts that are known. */
#include "stream_scene.h"

#include <sys/resource.h>

enum { TEXT_MAX = 4 * 1024 * 1024, MEMORY_GROWTH_MAX_KB = 16 * 1024 };

#ifdef HERALD_SANITIZED
enum { MANY = 100 * 1000 }; /* each takes ten times as long there */
#else
enum { MANY = 1000 * 1000 };
#endif

#define HEAD      "\"event_id\":\"e\",\"generated_at\":\"2026-01-01T00:00:00Z\""
#define HEAD_OUT  "{\"event_id\":\"e\",\"generated_at\":\"2026-01-01T00:00:00.000Z\"}\n"
#define THING(id) "{\"id\":\"" id "\",\"price\":1}"
#define THING_OUT(id) \
    "{\"id\":\"" id   \
    "\",\"count\":0,\"price\":1,\"on\":true,\"kind\":\"service\"}\n= " THING(id) "\n"

static void test_lists_in_any_order(void **state)
{
    (void)state;
    assert_outcome("{\"things\" : [ " THING("1") " ,\n" THING(
                       "2") "],\"x\":[{}],"
                            "\"rows\":[{\"id\":\"r\"}]," HEAD
                            ",\"note\":{\"b\" : 1},\"extras\":[{\"id\":\"a\"},{\"id\":\"b\"}]}",
                   "things[0] " THING_OUT("1") "things[1] " THING_OUT(
                       "2") "rows[0] {\"id\":\"r\"}\n= {\"id\":\"r\"}\n"
                            "1 rows, 2 things, {\"event_id\":\"e\",\"generated_at\":"
                            "\"2026-01-01T00:00:00.000Z\",\"note\":{\"b\" : 1},"
                            "\"extras\":[{\"id\":\"a\"},{\"id\":\"b\"}]}\n");
    assert_outcome("{\"things\":[],\"rows\":null," HEAD "}", "0 rows, 0 things, " HEAD_OUT);
}

/* The values that the envelope holds stay, though the memory of items is used again. */
static void test_envelope_between_lists(void **state)
{
    (void)state;
    assert_outcome("{\"rows\":[{\"id\":\"r\"}]," HEAD
                   ",\"note\":{\"b\":1},\"extras\":[{\"id\":\"a\"}],"
                   "\"things\":[" THING("11111") "," THING("22222") "]}",
                   "rows[0] {\"id\":\"r\"}\n= {\"id\":\"r\"}\n"
                   "things[0] " THING_OUT("11111") "things[1] " THING_OUT(
                       "22222") "1 rows, 2 things, {\"event_id\":\"e\",\"generated_at\":"
                                "\"2026-01-01T00:00:00.000Z\",\"note\":{\"b\":1},\"extras\":[{"
                                "\"id\":\"a\"}]}\n");
}

static void test_whole_body(void **state)
{
    (void)state;
    assert_outcome("[1, {\"a\":1,\"a\":2}]",
                   "0 rows, 0 things, {}\ndict_type at : Input should be a valid dictionary <- "
                   "[1, {\"a\":1,\"a\":2}]\nduplicate_key at 1,\"a\": This key stands twice in its "
                   "object <- \"a\"\n");
    assert_outcome(" \"x\"", "0 rows, 0 things, {}\ndict_type at : Input should be a valid "
                             "dictionary <- \"x\"\n");
    assert_outcome("null", "0 rows, 0 things, {}\ndict_type at : Input should be a valid "
                           "dictionary <- null\n");
    assert_outcome(" { \"x\":1 } ", "0 rows, 0 things, {}\n"
                                    "missing at \"event_id\": Field required <- { \"x\":1 }\n"
                                    "missing at \"generated_at\": Field required <- { \"x\":1 }\n"
                                    "missing at \"things\": Field required <- { \"x\":1 }\n");
    assert_outcome("{" HEAD ",\"things\":null}",
                   "0 rows, 0 things, " HEAD_OUT
                   "list_type at \"things\": Input should be a valid list <- null\n");
    assert_outcome("{" HEAD ",\"things\":{\"a\":[]}}",
                   "0 rows, 0 things, " HEAD_OUT
                   "list_type at \"things\": Input should be a valid list <- {\"a\":[]}\n");
}

static void test_items_that_are_no_objects(void **state)
{
    (void)state;
    assert_outcome(
        "{" HEAD ",\"things\":[1,[2]," THING("1") ",null]}",
        "things[2] " THING_OUT(
            "1") "0 rows, 4 things, " HEAD_OUT
                 "dict_type at \"things\",0: Input should be a valid dictionary <- 1\n"
                 "dict_type at \"things\",1: Input should be a valid dictionary <- [2]\n"
                 "dict_type at \"things\",3: Input should be a valid dictionary <- null\n");
}

static void test_limits_of_streamed_lists(void **state)
{
#define ROW(id)            "{\"id\":\"" id "\"}"
#define ROW_OUT(index, id) "rows[" index "] " ROW(id) "\n= " ROW(id) "\n"
    (void)state;
    assert_outcome("{" HEAD
                   ",\"things\":[],\"rows\":[" ROW("1") "," ROW("2") "," ROW("3") "," ROW("4") "]}",
                   ROW_OUT("0", "1") ROW_OUT("1", "2") ROW_OUT("2", "3")
                       ROW_OUT("3", "4") "4 rows, 0 things, " HEAD_OUT);
    assert_outcome(
        "{" HEAD
        ",\"things\":[],\"rows\":[" ROW("1") "," ROW("2") "," ROW("3") "," ROW("4") ",{}]}",
        ROW_OUT("0", "1") ROW_OUT("1", "2") ROW_OUT("2", "3")
            ROW_OUT("3", "4") "5 rows, 0 things, " HEAD_OUT
                              "too_long at \"rows\": List should have at most 4 items after "
                              "validation, not 5 {\"field_type\":\"List\",\"max_length\":4,"
                              "\"actual_length\":5} <- [" ROW("1") "," ROW("2") "," ROW(
                                  "3") "," ROW("4") ",{}]\n");
    assert_outcome("{" HEAD ",\"things\":[],\"rows\":[]}",
                   "0 rows, 0 things, " HEAD_OUT
                   "too_short at \"rows\": List should have at least 1 item after validation, not "
                   "0 {\"field_type\":\"List\",\"min_length\":1,\"actual_length\":0} <- []\n");
}

static void test_repeated_lists(void **state)
{
    (void)state;
    assert_outcome("{" HEAD ",\"things\":[" THING("1") "],\"things\":[" THING("2") "]}",
                   "things[0] " THING_OUT(
                       "1") "0 rows, 1 things, " HEAD_OUT
                            "duplicate_key at \"things\": This key stands twice in its object "
                            "<- \"things\"\n");
}

/* The scene reports two faults of each thing "bad"; places that have one already keep theirs. */
static void test_faults_from_outside(void **state)
{
#define BAD "{\"id\":\"bad\",\"price\":1,\"parts\":[{\"id\":\"1\"},{\"id\":\"2\"},{\"id\":0}]}"
    (void)state;
    assert_outcome(
        "{" HEAD ",\"things\":[" THING("1") "," BAD "]}",
        "things[0] " THING_OUT(
            "1") "things[1] {\"id\":\"bad\",\"count\":0,\"price\":1,\"on\":true,\"kind\":"
                 "\"service\",\"parts\":[{\"id\":\"1\",\"count\":0},{\"id\":\"2\",\"count\":0},"
                 "{\"count\":0}]}\n= " BAD "\n0 rows, 2 things, " HEAD_OUT
                 "string_type at \"things\",1,\"parts\",2,\"id\": Input should be a valid string "
                 "<- 0\n"
                 "ours at \"things\",1: Not this thing {\"a\":1} <- " BAD "\n");
}

static void count_items(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    const struct stream_package *package = record_stream_value(stream);

    assert_true(record_stream_has(stream, &stream_package_fields[0]));
    assert_false(record_stream_has(stream, &stream_package_fields[1]));
    assert_true(record_stream_has(stream, item->list));
    assert_string_equal(package->event_id, "e1");
    assert_int_equal(package->things.count, item->index + 1);
    assert_null(package->things.items);
    ++*(size_t *)arg;
}

/* Also before the record is whole, and whatever was said from outside of an item. */
static void test_envelope_while_items_come(void **state)
{
    static const char text[] =
        "{\"event_id\":\"e1\",\"things\":[" THING("1") "," THING("2") "],"
                                                                      "\"generated_at\":null}";
    size_t count = 0, fault_count;
    bool is_truncated;
    struct record_stream *stream = record_stream_new(&(struct record_stream_options){
        .record = &stream_package_record, .token_max = 100, .on_item = count_items, .arg = &count});

    (void)state;
    assert_false(record_stream_has(stream, &stream_package_fields[0]));
    assert_int_equal(record_stream_feed(stream, STR(text), true), STREAM_END);
    assert_int_equal(count, 2);
    assert_true(record_stream_has(stream, &stream_package_fields[1]));
    assert_false(record_stream_has(stream, &stream_package_fields[3]));
    record_stream_fault(stream, &(struct stream_fault){.type = "ours",
                                                       .message = "Another",
                                                       .loc = "\"event_id\"",
                                                       .input = "\"e1\""});
    const struct stream_fault *faults = record_stream_faults(stream, &fault_count, &is_truncated);
    assert_int_equal(fault_count, 2);
    assert_string_equal(faults[0].type, "datetime_type");
    assert_string_equal(faults[1].loc, "\"event_id\"");
    assert_int_equal(record_stream_feed(stream, STR("x"), true), STREAM_END);
    record_stream_free(stream);
}

static size_t count_lines(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* Things without a price, and one at the end whose faults from outside have places of their own. */
static char *outcome_of_faults(size_t count, const char *last)
{
    AUTO_BUF text = {0};

    buf_init(&text, TEXT_MAX);
    buf_text(&text, "{" HEAD ",\"things\":[");
    for (size_t i = 0; i < count; i++)
        buf_text(&text, "{\"id\":\"1\"},");
    buf_printf(&text, "%s]}", last);
    return scene_outcome(buf_view(&text));
}

static void test_number_of_faults(void **state)
{
    char *outcome = outcome_of_faults(100, THING("1"));

    (void)state;
    assert_int_equal(count_lines(outcome, "missing at "), 100);
    assert_int_equal(count_lines(outcome, "and more"), 0);
    assert_int_equal(count_lines(outcome, "things[100]"), 1);
    free(outcome);

    outcome = outcome_of_faults(101, THING("1"));
    assert_int_equal(count_lines(outcome, "missing at "), 100);
    assert_int_equal(count_lines(outcome, "and more"), 1);
    assert_int_equal(count_lines(outcome, "things[99]"), 1);
    assert_int_equal(count_lines(outcome, "things[100]"), 0); /* not handed over any more */
    assert_int_equal(count_lines(outcome, "102 things"), 1);
    free(outcome);

    /* One that is dropped for its place is not one more. */
    outcome = outcome_of_faults(98, "{\"id\":\"bad\",\"parts\":[{},{},{\"id\":1}],\"price\":1}");
    assert_int_equal(count_lines(outcome, " at \"things\""), 100);
    assert_int_equal(count_lines(outcome, "and more"), 1); /* "Not this thing" */
    free(outcome);
}

static void assert_input(const char *value, const char *expected)
{
    char text[TEXT_MAX / 1024], line[TEXT_MAX / 1024];

    snprintf(text, sizeof(text), "{" HEAD ",\"things\":%s}", value);
    snprintf(line, sizeof(line),
             "0 rows, 0 things, " HEAD_OUT
             "list_type at \"things\": Input should be a valid list <- %s\n",
             expected);
    assert_outcome(text, line);
}

static void test_long_inputs(void **state)
{
    char value[1000], cut[1000];

    (void)state;
    for (size_t len = 199; len <= 201; len++) {
        snprintf(value, sizeof(value), "\"%0*d\"", (int)len, 0);
        snprintf(cut, sizeof(cut), "\"%0*d\"", (int)(len < 200 ? len : 200), 0);
        assert_input(value, cut);
    }
    AUTO_BUF letters = {0};
    buf_init(&letters, 1000);
    for (int i = 0; i < 199; i++)
        buf_text(&letters, "ж");
    buf_char(&letters, '\0');
    snprintf(value, sizeof(value), "\"%s\\u0022ж\"", letters.data);
    snprintf(cut, sizeof(cut), "\"%s\\\"\"", letters.data);
    assert_input(value, cut);
    snprintf(value, sizeof(value), "1.%0198de10", 1);
    snprintf(cut, sizeof(cut), "1.%0198d", 1);
    assert_input(value, cut);
    snprintf(value, sizeof(value), "%0198de+10", 1);
    value[0] = '1';
    snprintf(cut, sizeof(cut), "%0198d", 1);
    cut[0] = '1';
    assert_input(value, cut);
}

/* Keys that no table knows show their front. */
static void test_long_places(void **state)
{
    (void)state;
    assert_outcome("{" HEAD ",\"things\":[],\"12345678901234567890123456789012345678901234567890"
                   "123456789жжж\\n\":{\"\\\"\":1,\"\\\"\":2}}",
                   "0 rows, 0 things, " HEAD_OUT
                   "duplicate_key at \"12345678901234567890123456789012345678901234567890"
                   "123456789...\",\"\\\"\": This key stands twice in its object <- \"\\\"\"\n");
}

static void test_no_json(void **state)
{
    static const char whole[] = "{" HEAD ",\"note\":{\"a\":[1.5e3]},\"things\":[" THING(
        "1") ","
             "{\"id\":\"\\u0416\",\"tags\":[\"a\"],\"x\":[true,null]}]}";

    (void)state;
    assert_outcome("{\"things\":[{}]", "things[0] {\"count\":0,\"on\":true,\"kind\":\"service\"}\n"
                                       "= {}\nno JSON at 14: The text ends inside an object.\n");
    assert_outcome("{" HEAD ",\"things\":[01]}",
                   "no JSON at 65: A number must not begin with 0.\n");
    assert_outcome("", "no JSON at 0: The text ends before a value.\n");
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        char *outcome = scene_outcome((struct str){whole, len});
        assert_non_null(strstr(outcome, "no JSON at "));
        free(outcome);
    }
}

static void put_unknown_keys(struct buf *text, size_t count)
{
    buf_text(text, "{" HEAD ",\"things\":[],\"x\":{");
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%s\"k%zu\":0", i > 0 ? "," : "", i);
    buf_text(text, "},\"y\":{\"a\":1,\"a\":2}}");
}

static void assert_unknown_keys(size_t count, size_t piece_len, bool is_refused)
{
    AUTO_BUF text = {0}, out = {0};

    buf_init(&text, 32 * TEXT_MAX);
    buf_init(&out, 32 * TEXT_MAX);
    put_unknown_keys(&text, count);
    scene_decode(buf_view(&text), piece_len, &out);
    assert_int_equal(count_lines(out.data, "too_many_keys at \"x\": Object should have at most "
                                           "65536 unknown keys <- {\"k0\":0,\"k1\":0,"),
                     is_refused);
    assert_int_equal(count_lines(out.data, "duplicate_key at \"y\",\"a\""), 1);
    assert_int_equal(count_lines(out.data, " at \""), 1 + is_refused);
}

static void test_unknown_keys(void **state)
{
    (void)state;
    /* "x" itself is one that is open. */
    assert_unknown_keys(STREAM_UNKNOWN_KEYS_MAX - 1, 100, false);
    assert_unknown_keys(STREAM_UNKNOWN_KEYS_MAX, 4096, true);
    assert_unknown_keys(MANY, 65536, true);
}

/* `count` times the same, in an envelope. */
static void scene_repeat(const char *begin, const char *unit, size_t count, const char *end,
                         struct buf *out)
{
    AUTO_BUF text = {0};

    buf_init(&text, 32 * TEXT_MAX);
    buf_text(&text, begin);
    for (size_t i = 0; i < count; i++)
        buf_text(&text, unit);
    buf_text(&text, end);
    scene_decode(buf_view(&text), 65536, out);
}

static void test_depth(void **state)
{
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, TEXT_MAX);
    scene_repeat("{" HEAD ",\"things\":[],\"x\":", "{\"x\":", 62, "[]", &out);
    assert_non_null(strstr(out.data, "The text ends inside an object."));
    buf_clear(&out);
    scene_repeat("{" HEAD ",\"things\":[],\"x\":", "{\"x\":", 63, "[]", &out);
    assert_non_null(strstr(out.data, "nested deeper than 64 levels"));
    buf_clear(&out);
    scene_repeat("{" HEAD ",\"things\":", "[", 25 * MANY, "", &out);
    assert_non_null(strstr(out.data, "nested deeper than 64 levels"));
}

static void test_long_tokens(void **state)
{
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, TEXT_MAX);
    scene_repeat("{" HEAD ",\"things\":[{\"id\":\"1\",\"price\":1", "0", 1024 * 1024, "}]}", &out);
    assert_non_null(strstr(out.data, "A string or number is too long."));
    buf_clear(&out);
    scene_repeat("{" HEAD ",\"things\":[{\"id\":\"1\",\"price\":0.", "0", 90000, "1e90001}]}",
                 &out);
    assert_non_null(strstr(out.data, "\"price\":1,"));
    buf_clear(&out);
    scene_repeat("{" HEAD ",\"things\":[{\"id\":\"1\",\"price\":1", "0", 90000, "}]}", &out);
    assert_int_equal(count_lines(out.data, "decimal_max_digits at \"things\",0,\"price\""), 1);
}

/* Repetitions of one key are told once and cost no more. */
static void test_many_repetitions(void **state)
{
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, 32 * TEXT_MAX);
    scene_repeat("{" HEAD ",\"things\":[]", ",\"x\":1,\"rows\":1", MANY, "}", &out);
    assert_int_equal(count_lines(out.data, " at \""), 3);
    assert_int_equal(count_lines(out.data, "duplicate_key at \""), 2);
    assert_int_equal(count_lines(out.data, "list_type at \"rows\""), 1);
}

static long peak_memory_kb(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void ignore_item(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    (void)stream, (void)item;
    ++*(size_t *)arg;
}

/* A list of `count` times a thousand units, which is never whole in memory. */
static void feed_many(const char *unit, size_t count, size_t *ret_items)
{
    struct record_stream *stream =
        record_stream_new(&(struct record_stream_options){.record = &stream_package_record,
                                                          .token_max = 1000,
                                                          .on_item = ignore_item,
                                                          .arg = ret_items});
    AUTO_BUF piece = {0};

    buf_init(&piece, TEXT_MAX);
    for (int i = 0; i < 1000; i++)
        buf_printf(&piece, "%s,", unit);
    *ret_items = 0;
    assert_int_equal(record_stream_feed(stream, STR("{" HEAD ",\"things\":["), false), STREAM_MORE);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(record_stream_feed(stream, buf_view(&piece), false), STREAM_MORE);
    assert_int_equal(record_stream_feed(stream, STR("{}]}"), true), STREAM_END);
    const struct stream_package *package = record_stream_value(stream);
    assert_int_equal(package->things.count, count * 1000 + 1);
    record_stream_free(stream);
}

static void test_bounded_memory(void **state)
{
    long before = peak_memory_kb();
    size_t items;

    (void)state;
    feed_many("1", 12000, &items); /* 24 MB */
    assert_int_equal(items, 0);
    assert_true(peak_memory_kb() - before < MEMORY_GROWTH_MAX_KB);
#ifdef HERALD_SANITIZED
    size_t count = 5; /* freed memory stays away for a while here, so nothing can be measured */
#else
    size_t count = 300;
#endif
    feed_many(
        "{\"id\":\"12345\",\"price\":1.5,\"parts\":[{\"id\":\"1\",\"notes\":[\"abc\",\"def\"]},"
        "{\"id\":\"2\",\"count\":3}],\"owner\":{\"name\":\"somebody\"},\"x\":{\"y\":1}}",
        count, &items);
    assert_int_equal(items, count * 1000 + 1);
    assert_true(count < 100 || peak_memory_kb() - before < MEMORY_GROWTH_MAX_KB);
    /* Faults too many to tell do not cost memory either, nor do the items that have them. */
    feed_many("{\"id\":\"12345\",\"parts\":[{},{},{}]}", count, &items);
    assert_true(items < 100);
    assert_true(count < 100 || peak_memory_kb() - before < MEMORY_GROWTH_MAX_KB);
}

/* The values that an item holds stay where they are, however long its lists grow. */
static void test_long_lists_in_an_item(void **state)
{
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, 32 * TEXT_MAX);
    scene_repeat("{" HEAD ",\"things\":[{\"id\":\"1\",\"price\":1,\"parts\":[{\"id\":\"p\","
                 "\"notes\":[\"first\"",
                 ",\"note\"", 20000, "]},{\"id\":\"q\",\"notes\":[\"last\"]}]}]}", &out);
    assert_non_null(strstr(out.data, "\"notes\":[\"first\",\"note\","));
    assert_non_null(
        strstr(out.data, ",\"note\"]},{\"id\":\"q\",\"count\":0,\"notes\":[\"last\"]}"));
    assert_int_equal(count_lines(out.data, "\"note\""), 2 * 20000);
}

/* A list of an item that would take more than may be; what follows is checked as ever. */
static void test_too_large_items(void **state)
{
    static const char begin[] = "{" HEAD ",\"things\":[{\"id\":\"1\",\"price\":1,\"parts\":[{"
                                "\"id\":\"p\",\"notes\":[\"\"";
    static const char end[] = "]}]},{\"id\":\"bad\"}]}";
    size_t count = STREAM_MEMORY_MAX / sizeof(const char *);
    AUTO_BUF out = {0};

    (void)state;
#ifdef HERALD_SANITIZED
    count = 1; /* texts take more there */
#endif
    buf_init(&out, 64 * TEXT_MAX);
    scene_repeat(begin, ",\"\"", count / 2, end, &out);
    assert_null(strstr(out.data, "too_large"));
    buf_clear(&out);
#ifdef HERALD_SANITIZED
    count = 50 * MANY;
#endif
    scene_repeat(begin, ",\"\"", count, end, &out);
    assert_int_equal(count_lines(out.data,
                                 "too_large at \"things\",0,\"parts\",0,\"notes\": List is "
                                 "too large to be read <- [\"\",\"\","),
                     1);
    assert_int_equal(count_lines(out.data, "missing at \"things\",1,\"price\": Field required"), 1);
    assert_non_null(strstr(out.data, "things[1] "));
}

static enum err decode_known(const char *text, struct buf *out)
{
    struct arena arena;
    struct stream_thing thing;

    arena_init(&arena);
    enum err err = record_decode_known(&stream_thing_record, str_of(text), &arena, &thing);
    buf_clear(out);
    if (!err) put_stream_value(out, &stream_thing_record, &thing);
    buf_char(out, '\0');
    arena_done(&arena);
    return err;
}

static void test_known_texts(void **state)
{
    static const char whole[] =
        "{\"id\":\"1\",\"count\":7,\"price\":1.5,\"weight\":2,\"delta\":-3,\"on\":false,"
        "\"flag\":true,\"kind\":\"other\",\"rate\":\"20\",\"at\":\"2026-01-01T00:00:00.000Z\","
        "\"uuid\":\"0193503c-6d5b-7000-8000-000000000001\",\"value\":12.50,"
        "\"owner\":{\"name\":\"me\"},\"parts\":[{\"id\":\"p\",\"count\":0,\"notes\":[\"n\"]}],"
        "\"tags\":[\"a\",\"b\"],\"chat\":5,\"meta\":{\"a\" : 1},\"code\":\"c\","
        "\"phone\":\"+79161234567\"}\n";
    AUTO_BUF out = {0};

    (void)state;
    buf_init(&out, TEXT_MAX);
    assert_int_equal(decode_known(whole, &out), ERR_OK);
    assert_string_equal(out.data, whole);
    assert_int_equal(decode_known("{\"price\":2,\"x\":{\"a\":1}}", &out), ERR_OK);
    assert_string_equal(out.data, "{\"count\":0,\"price\":2,\"on\":true,\"kind\":\"service\"}\n");
    assert_int_equal(decode_known("{\"price\":-2}", &out), ERR_INTERNAL);
    assert_int_equal(decode_known("{\"price\":2", &out), ERR_INTERNAL);
    assert_int_equal(decode_known("[]", &out), ERR_INTERNAL);
    assert_int_equal(decode_known("", &out), ERR_INTERNAL);
}

/* The arena has too little for one after the other: the text, its lists, a record in it. */
static void test_known_texts_without_memory(void **state)
{
    static const char text[] = "{\"id\":\"1\",\"price\":1,\"owner\":{\"name\":\"somebody\"},"
                               "\"parts\":[{\"id\":\"p\",\"notes\":[\"a\",\"b\"]}]}";
    struct stream_thing thing;
    struct arena arena;
    size_t refused = 0;

    (void)state;
    arena_init(&arena);
    assert_int_equal(record_decode_known(&stream_thing_record, STR(text), &arena, &thing), ERR_OK);
    size_t needed = arena.used;
    arena_done(&arena);
    for (size_t max = 1; max <= needed; max++) {
        arena_init_large(&arena, max);
        enum err err = record_decode_known(&stream_thing_record, STR(text), &arena, &thing);
        refused += err == ERR_OVERLOADED;
        assert_true(err == ERR_OK || err == ERR_OVERLOADED);
        assert_int_equal(err == ERR_OVERLOADED, arena.is_exhausted);
        arena_done(&arena);
    }
    assert_true(refused >= needed / 2 && refused < needed);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded_memory), /* first, while the peak is low */
        cmocka_unit_test(test_lists_in_any_order),
        cmocka_unit_test(test_envelope_between_lists),
        cmocka_unit_test(test_whole_body),
        cmocka_unit_test(test_items_that_are_no_objects),
        cmocka_unit_test(test_limits_of_streamed_lists),
        cmocka_unit_test(test_repeated_lists),
        cmocka_unit_test(test_faults_from_outside),
        cmocka_unit_test(test_envelope_while_items_come),
        cmocka_unit_test(test_number_of_faults),
        cmocka_unit_test(test_long_inputs),
        cmocka_unit_test(test_long_places),
        cmocka_unit_test(test_no_json),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long_tokens),
        cmocka_unit_test(test_many_repetitions),
        cmocka_unit_test(test_long_lists_in_an_item),
        cmocka_unit_test(test_too_large_items),
        cmocka_unit_test(test_known_texts_without_memory),
        cmocka_unit_test(test_known_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
