/*
 * kit/json: the decoder of bodies and that of streams find the same, each in its own words. They
 * differ only where `enum decode_rule` says so: a row that does names the rule.
 */
#include "arena_fixture.h"
#include "kit/json/record_stream.h"
#include "kit/json/record_value.h"
#include "made_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TEXT_MAX = 4000 };

struct owner {
    const char *name;
};

struct thing {
    const char *text, *code;
    int64_t count;
    const char *price, *weight;
    bool is_on;
    int flag;
    int64_t at, born;
    struct uuid id;
    int kind;
    const char *rate;
    struct owner *owner;
    struct record_list owners, tags;
    struct string_or_integer chat;
    struct scalar any;
    struct str meta;
};

static const char *const kinds[] = {"good", "service", NULL};
static const char *const rates[] = {"none", "20", NULL};

static const struct field owner_fields[] = {
    FIELD(struct owner, name, FIELD_STRING, FIELD_REQUIRED, "The name.", .min = 1, .max = 3),
};
static const struct record owner_record = {"Owner", NULL, sizeof(struct owner),
                                           RECORD_FIELDS(owner_fields)};

static const struct field fields[] = {
    FIELD(struct thing, text, FIELD_STRING, 0, "A text.", .min = 2, .max = 3),
    FIELD(struct thing, code, FIELD_STRING, 0, "A code.", .format = &format_visible),
    FIELD(struct thing, count, FIELD_INTEGER, 0, "A count.", .min = -5, .max = 5),
    FIELD(struct thing, price, FIELD_DECIMAL, FIELD_NOT_NEGATIVE, "A price."),
    FIELD(struct thing, weight, FIELD_DECIMAL, FIELD_POSITIVE | FIELD_NULLABLE, "A weight."),
    FIELD(struct thing, is_on, FIELD_BOOLEAN, 0, "A boolean."),
    FIELD(struct thing, flag, FIELD_TRISTATE, 0, "A boolean."),
    FIELD(struct thing, at, FIELD_TIME, 0, "A time."),
    FIELD(struct thing, born, FIELD_TIME, FIELD_SINCE, "A time that may be 0."),
    FIELD(struct thing, id, FIELD_UUID, 0, "An id."),
    FIELD(struct thing, kind, FIELD_ENUM, 0, "A kind.", .words = kinds),
    FIELD(struct thing, rate, FIELD_WORD, FIELD_NUMBER_WORDS, "A rate.", .words = rates),
    FIELD(struct thing, owner, FIELD_RECORD, 0, "An owner.", .record = &owner_record),
    FIELD(struct thing, owners, FIELD_RECORDS, 0, "Owners.", .items_max = 2,
          .record = &owner_record),
    FIELD(struct thing, tags, FIELD_STRINGS, FIELD_UNIQUE, "Tags.", .items_min = 1, .items_max = 4,
          .max = 3),
    FIELD(struct thing, chat, FIELD_STRING_OR_INTEGER, 0, "A chat.", .min = 1, .max = 3),
    FIELD(struct thing, any, FIELD_SCALAR, 0, "Any value."),
    FIELD(struct thing, meta, FIELD_OBJECT, 0, "An object."),
};
static const struct record thing_record = {"Thing", NULL, sizeof(struct thing),
                                           RECORD_FIELDS(fields)};

struct row {
    const char *sent;
    const char *body;     /* lines of "path: sentence"; "" is sound */
    const char *stream;   /* lines of "type place" */
    enum decode_rule why; /* the rule by which they differ; 0: they agree */
};

static const char *faults_of_body(struct arena *arena, struct str text)
{
    struct record_faults faults;
    struct thing thing;
    AUTO_BUF out = {0};

    buf_init(&out, TEXT_MAX);
    record_faults_init(&faults, arena);
    enum err err = record_decode(&thing_record, text, false, arena, &thing, &faults);
    assert_int_equal(err, faults.count > 0 ? ERR_VALIDATION : ERR_OK);
    for (size_t i = 0; i < faults.count; i++)
        buf_printf(&out, "%s: %s\n", faults.rows[i].path, faults.rows[i].message);
    return arena_str(arena, buf_view(&out));
}

static const char *faults_of_stream(struct arena *arena, struct str text)
{
    struct record_stream *stream = record_stream_new(
        &(struct record_stream_options){.record = &thing_record, .token_max = TEXT_MAX});
    size_t count;
    bool is_truncated;
    AUTO_BUF out = {0};

    buf_init(&out, TEXT_MAX);
    assert_int_equal(record_stream_feed(stream, text, true), STREAM_END);
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s %s\n", faults[i].type, faults[i].loc);
    record_stream_free(stream);
    return arena_str(arena, buf_view(&out));
}

static void check_rows(struct arena *arena, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        struct str text = str_of(quoted(arena, row->sent));
        if ((row->body[0] == '\0') != (row->stream[0] == '\0') && !row->why)
            fail_msg("%s: one refuses it, and no rule says so", row->sent);
        assert_string_equal(faults_of_body(arena, text), row->body);
        assert_string_equal(faults_of_stream(arena, text), quoted(arena, row->stream));
    }
}

#define OBJECT "Must be an object.\n"

static void both_take_the_same(void **state)
{
    static const struct row rows[] = {
        {"{}", "", ""},
        {"{'text':'жж','code':'c','count':1e0,'price':0,'weight':0.5,'is_on':true,'flag':false}",
         "", ""},
        {"{'at':'2026-11-21T04:33:00Z','id':'0193503c-6d5b-7000-8000-000000000001'}", "", ""},
        {"{'kind':'good','rate':'none','owner':{'name':'a'},'owners':[],'tags':['a']}", "", ""},
        {"{'chat':'a','any':false,'meta':{'a':1}}", "", ""},
        {"{'chat':-5,'any':1e9,'rate':20}", "", ""},
        {"{'weight':null}", "", ""},
        {"{'born':'1970-01-01T00:00:00Z'}", "", ""},
    };

    check_rows(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

static void both_refuse_the_same_values(void **state)
{
    static const struct row rows[] = {
        {"{'text':1}", "text: Must be a string.\n", "string_type 'text'\n"},
        {"{'text':'a'}", "text: Must have at least 2 characters; this has 1.\n",
         "string_too_short 'text'\n"},
        {"{'text':'жжжж'}", "text: Must have at most 3 characters; this has 4.\n",
         "string_too_long 'text'\n"},
        {"{'code':'a b'}",
         "code: Must hold visible ASCII characters only: no spaces, no other letters.\n",
         "string_pattern_mismatch 'code'\n"},
        {"{'count':'1'}", "count: Must be an integer between -5 and 5.\n", "int_type 'count'\n"},
        {"{'count':-6}", "count: Must be an integer between -5 and 5.\n",
         "greater_than_equal 'count'\n"},
        {"{'count':6}", "count: Must be an integer between -5 and 5.\n",
         "less_than_equal 'count'\n"},
        {"{'count':1.5}", "count: Must be an integer between -5 and 5.\n",
         "int_from_float 'count'\n"},
        {"{'count':1e30}", "count: Must be an integer between -5 and 5.\n",
         "int_parsing_size 'count'\n"},
        {"{'price':-1}",
         "price: Must be a number of at least 0 with at most 15 digits before the point and 6 "
         "after it.\n",
         "greater_than_equal 'price'\n"},
        {"{'weight':0}",
         "weight: Must be a number above 0 with at most 15 digits before the point and 6 after "
         "it.\n",
         "greater_than 'weight'\n"},
        {"{'weight':1e-7}",
         "weight: Must be a number above 0 with at most 15 digits before the point and 6 after "
         "it.\n",
         "decimal_max_places 'weight'\n"},
        {"{'is_on':1,'flag':'true'}",
         "is_on: Must be true or false.\nflag: Must be true or false.\n",
         "bool_type 'is_on'\nbool_type 'flag'\n"},
        {"{'at':5}",
         "at: Must be a time with a time zone (RFC 3339), such as 2026-11-21T04:33:00.123Z.\n",
         "datetime_type 'at'\n"},
        {"{'at':'2026-02-30T00:00:00Z'}",
         "at: Must be a time with a time zone (RFC 3339), such as 2026-11-21T04:33:00.123Z.\n",
         "datetime_parsing 'at'\n"},
        {"{'at':'2026-02-20T00:00:00'}",
         "at: Must be a time with a time zone (RFC 3339), such as 2026-11-21T04:33:00.123Z.\n",
         "timezone_aware 'at'\n"},
        {"{'id':'x'}", "id: Must be a UUID.\n", "uuid_parsing 'id'\n"},
    };

    check_rows(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

static void both_refuse_the_same_words_and_lists(void **state)
{
    static const struct row rows[] = {
        {"{'kind':'x'}", "kind: Must be one of: good, service.\n", "enum 'kind'\n"},
        {"{'rate':2}", "rate: Must be one of: none, 20.\n", "enum 'rate'\n"},
        {"{'owner':[{'a':1}]}", "owner: " OBJECT, "dict_type 'owner'\n"},
        {"{'owner':{'name':''}}", "owner.name: Must have at least 1 character; this has 0.\n",
         "string_too_short 'owner','name'\n"},
        {"{'owner':{'x':{'name':1}}}", "owner.name: Required.\n", "missing 'owner','name'\n"},
        {"{'owners':{}}", "owners: Must be a list of objects.\n", "list_type 'owners'\n"},
        {"{'owners':[7,[]]}", "owners[0]: " OBJECT "owners[1]: " OBJECT,
         "dict_type 'owners',0\ndict_type 'owners',1\n"},
        {"{'tags':[]}", "tags: Must have at least 1 item; this has 0.\n", "too_short 'tags'\n"},
        {"{'tags':['1234',{}]}",
         "tags[0]: Must have at most 3 characters; this has 4.\ntags[1]: Must be a string.\n",
         "string_too_long 'tags',0\nstring_type 'tags',1\n"},
        {"{'chat':''}", "chat: Must have at least 1 character; this has 0.\n",
         "string_too_short 'chat'\n"},
        {"{'chat':0.5}", "chat: Must be a string or an integer.\n", "int_from_float 'chat'\n"},
        {"{'any':[]}", "any: Must be a string, a number, true or false.\n", "string_type 'any'\n"},
        {"{'meta':'x'}", "meta: " OBJECT, "dict_type 'meta'\n"},
        {"{'x':{'y':1,'y':2},'count':1,'count':'a'}",
         "x.y: Duplicate key.\ncount: Duplicate key.\n",
         "duplicate_key 'x','y'\nduplicate_key 'count'\n"},
        {"7", ": Must be a JSON object.\n", "dict_type \n"},
    };

    check_rows(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

#define NIL "'00000000-0000-0000-0000-000000000000'"

static void they_differ_by_their_rules(void **state)
{
    static const struct row rows[] = {
        {"{'text':null}", "text: Must be a string.\n", "", DECODE_PYDANTIC},
        {"{'at':'1970-01-01T00:00:00Z'}", "at: Must be another moment than 1970-01-01T00:00:00Z.\n",
         "", DECODE_PYDANTIC},
        {"{'id':" NIL "}", "id: Must be a UUID that is not all zeros.\n", "", DECODE_PYDANTIC},
        {"{'owners':[{'name':'a'},{},{},{'name':7}]}",
         "owners[1].name: Required.\nowners[2].name: Required.\n"
         "owners[3].name: Must be a string.\nowners: Must have at most 2 items; this has 4.\n",
         "missing 'owners',1,'name'\ntoo_long 'owners'\n", DECODE_PIECES},
        {"{'x':1,'x':2,'x':3,'count':1,'count':2,'count':3}",
         "x: Duplicate key.\nx: Duplicate key.\ncount: Duplicate key.\ncount: Duplicate key.\n",
         "duplicate_key 'x'\nduplicate_key 'count'\n", DECODE_PIECES},
        {"{'tags':['b','a','b','a','b','c']}",
         "tags: Must have at most 4 items; this has 6.\n"
         "tags[3]: Must differ from item [1].\ntags[2]: Must differ from item [0].\n",
         "duplicate_id 'tags',2\nduplicate_id 'tags',3\ntoo_long 'tags'\n", DECODE_PIECES},
    };

    check_rows(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

/* `count` unknown keys of as many objects, each closed before the next opens, and "x". */
static struct str with_closed_objects(struct arena *arena, size_t count)
{
    return str_of(
        quoted(arena, arena_printf(arena, "{'x':[%s{}]}", repeat(arena, "{'k':0},", count))));
}

/* A body has bounded length, so that 16,384 keys in all will do; a stream has any. */
static void closed_objects_count_in_bodies_only(void **state)
{
    enum { KEYS_MAX = 16384, MANY = STREAM_UNKNOWN_KEYS_MAX + 1 };

    assert_string_equal(faults_of_body(*state, with_closed_objects(*state, KEYS_MAX - 1)), "");
    assert_string_equal(faults_of_body(*state, with_closed_objects(*state, KEYS_MAX)),
                        ": Has more than 16384 unknown properties.\n");
    assert_string_equal(faults_of_stream(*state, with_closed_objects(*state, MANY)), "");
}

/* A text that was checked before is taken without a look at its unknown keys. */
static void known_texts_lack_nothing(void **state)
{
    static const struct {
        const char *sent;
        enum err err;
    } rows[] = {
        {"{'owner':{},'rate':'22','x':{'y':1,'y':2}}", ERR_OK},
        {"{'text':null,'id':" NIL "}", ERR_OK},
        {"{'count':1,'count':2}", ERR_INTERNAL},
        {"{'count':6}", ERR_INTERNAL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str text = str_of(quoted(*state, rows[i].sent));
        struct thing thing;
        assert_int_equal(record_decode_known(&thing_record, text, *state, &thing), rows[i].err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_take_the_same, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(both_refuse_the_same_values, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(both_refuse_the_same_words_and_lists, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(they_differ_by_their_rules, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(closed_objects_count_in_bodies_only, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(known_texts_lack_nothing, arena_begin, arena_end),
    };
    return cmocka_run_group_tests_name("record_voices", tests, NULL, NULL);
}
