/*
 * The reader against JSONTestSuite: what must be accepted (y_) is, what must be refused (n_) is,
 * and what a parser may decide (i_) is decided in the table below. The folder is
 * HERALD_JSON_TEST_SUITE, else ../shared/data/json-test-suite beside the source tree; where there
 * is none the tests skip.
 */
#include "json_trace.h"
#include "kit/json/record.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { FILE_MAX = 8 * 1024 * 1024, PATH_LEN = 4096 };

struct decision {
    const char *name;
    bool is_accepted;
};

/* y_ cases that the contract refuses (section 1: no NUL in a string). */
static const struct decision exceptions[] = {
    {"y_object_escaped_null_in_key.json", false}, /* {"foo\u0000bar": 42} */
    {"y_string_null_escape.json", false},         /* ["\u0000"] */
};

/* y_ cases that the reader takes and the record decoder refuses (section 1: duplicate keys). */
static const char *const duplicates[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
};

/* Numbers keep their digits, so none is too large for the reader; strings must be Unicode. */
static const struct decision decisions[] = {
    {"i_number_double_huge_neg_exp.json", true},
    {"i_number_huge_exp.json", true},
    {"i_number_neg_int_huge_exp.json", true},
    {"i_number_pos_double_huge_exp.json", true},
    {"i_number_real_neg_overflow.json", true},
    {"i_number_real_pos_overflow.json", true},
    {"i_number_real_underflow.json", true},
    {"i_number_too_big_neg_int.json", true},
    {"i_number_too_big_pos_int.json", true},
    {"i_number_very_big_negative_int.json", true},
    {"i_object_key_lone_2nd_surrogate.json", false},
    {"i_string_1st_surrogate_but_2nd_missing.json", false},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", false},
    {"i_string_UTF-16LE_with_BOM.json", false},
    {"i_string_UTF-8_invalid_sequence.json", false},
    {"i_string_UTF8_surrogate_U+D800.json", false},
    {"i_string_incomplete_surrogate_and_escape_valid.json", false},
    {"i_string_incomplete_surrogate_pair.json", false},
    {"i_string_incomplete_surrogates_escape_valid.json", false},
    {"i_string_invalid_lonely_surrogate.json", false},
    {"i_string_invalid_surrogate.json", false},
    {"i_string_invalid_utf-8.json", false},
    {"i_string_inverted_surrogates_U+1D11E.json", false},
    {"i_string_iso_latin_1.json", false},
    {"i_string_lone_second_surrogate.json", false},
    {"i_string_lone_utf8_continuation_byte.json", false},
    {"i_string_not_in_unicode_range.json", false},
    {"i_string_overlong_sequence_2_bytes.json", false},
    {"i_string_overlong_sequence_6_bytes.json", false},
    {"i_string_overlong_sequence_6_bytes_null.json", false},
    {"i_string_truncated-utf-8.json", false},
    {"i_string_utf16BE_no_BOM.json", false},
    {"i_string_utf16LE_no_BOM.json", false},
    {"i_structure_500_nested_arrays.json", false}, /* deeper than 64 */
    {"i_structure_UTF-8_BOM_empty_object.json", false},
};

#define LENGTH_OF(array) (sizeof(array) / sizeof(*(array)))

struct suite {
    char folder[PATH_LEN];
    struct dirent **entries;
    int count;
};

static int is_case(const struct dirent *entry)
{
    return strchr("yni", entry->d_name[0]) && entry->d_name[1] == '_';
}

static int open_suite(struct suite *suite)
{
    const char *folder = getenv("HERALD_JSON_TEST_SUITE");
    const char *source_root = getenv("HERALD_SOURCE_ROOT");

    if (folder)
        snprintf(suite->folder, sizeof(suite->folder), "%s", folder);
    else
        snprintf(suite->folder, sizeof(suite->folder), "%s/../shared/data/json-test-suite",
                 source_root ? source_root : ".");
    suite->count = scandir(suite->folder, &suite->entries, is_case, alphasort);
    return suite->count;
}

static void close_suite(struct suite *suite)
{
    for (int i = 0; i < suite->count; i++)
        free(suite->entries[i]);
    free(suite->entries);
}

static void read_case(const struct suite *suite, const char *name, struct buf *ret_text)
{
    char path[2 * PATH_LEN];
    snprintf(path, sizeof(path), "%s/%s", suite->folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);

    char block[65536];
    size_t len;
    buf_init(ret_text, FILE_MAX);
    while ((len = fread(block, 1, sizeof(block), file)) > 0)
        buf_append(ret_text, block, len);
    fclose(file);
    assert_false(ret_text->is_full);
}

static const struct decision *find_decision(const struct decision *rows, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    return NULL;
}

static bool is_to_be_accepted(const char *name)
{
    if (name[0] == 'n') return false;
    if (name[0] == 'y') return !find_decision(exceptions, LENGTH_OF(exceptions), name);
    const struct decision *decision = find_decision(decisions, LENGTH_OF(decisions), name);
    if (!decision) fail_msg("%s has no decision in the table", name);
    return decision->is_accepted;
}

static void test_verdicts(void **state)
{
    const struct suite *suite = *state;
    int counts[3] = {0};

    for (int i = 0; i < suite->count; i++) {
        const char *name = suite->entries[i]->d_name;
        AUTO_BUF text = {0}, trace = {0};
        read_case(suite, name, &text);
        buf_init(&trace, TRACE_MAX);
        bool is_accepted = trace_text(buf_view(&text), text.len + 1, FILE_MAX, &trace) == JSON_END;
        if (is_accepted != is_to_be_accepted(name))
            fail_msg("%s is %s", name, is_accepted ? "accepted" : "refused");
        counts[strchr("yni", name[0]) - "yni"]++;
    }
    assert_true(counts[0] >= 90 && counts[1] >= 180);
    assert_int_equal(counts[2], LENGTH_OF(decisions));
}

static void test_pieces_change_nothing(void **state)
{
    static const size_t pieces[] = {1, 2, 3, 5, 64};
    const struct suite *suite = *state;

    for (int i = 0; i < suite->count; i++) {
        AUTO_BUF text = {0}, whole = {0};
        read_case(suite, suite->entries[i]->d_name, &text);
        buf_init(&whole, TRACE_MAX);
        trace_text(buf_view(&text), text.len + 1, FILE_MAX, &whole);
        for (size_t j = 0; j < LENGTH_OF(pieces); j++) {
            AUTO_BUF trace = {0};
            buf_init(&trace, TRACE_MAX);
            trace_text(buf_view(&text), pieces[j], FILE_MAX, &trace);
            if (trace.len != whole.len || memcmp(trace.data, whole.data, whole.len) != 0)
                fail_msg("%s in pieces of %zu", suite->entries[i]->d_name, pieces[j]);
        }
    }
}

struct empty {
    char nothing;
};

static const struct record empty_record = {.name = "Empty", .size = sizeof(struct empty)};

static bool is_duplicate_case(const char *name)
{
    for (size_t i = 0; i < LENGTH_OF(duplicates); i++) {
        if (strcmp(duplicates[i], name) == 0) return true;
    }
    return false;
}

/* A record without fields reads over everything, and still minds what the contract refuses. */
static void test_records_refuse_duplicates(void **state)
{
    const struct suite *suite = *state;
    size_t refused = 0;

    for (int i = 0; i < suite->count; i++) {
        const char *name = suite->entries[i]->d_name;
        if (strncmp(name, "y_object", 8) != 0) continue;
        AUTO_BUF text = {0};
        struct arena arena;
        struct record_faults faults;
        struct empty value;
        read_case(suite, name, &text);
        arena_init(&arena);
        record_faults_init(&faults, &arena);
        enum err err =
            record_decode(&empty_record, buf_view(&text), false, &arena, &value, &faults);
        bool is_wanted = is_to_be_accepted(name) && !is_duplicate_case(name);
        if ((err == ERR_OK) != is_wanted) fail_msg("%s", name);
        refused += is_duplicate_case(name);
        arena_done(&arena);
    }
    assert_int_equal(refused, LENGTH_OF(duplicates));
}

int main(void)
{
    struct suite suite;
    struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_verdicts, &suite),
        cmocka_unit_test_prestate(test_pieces_change_nothing, &suite),
        cmocka_unit_test_prestate(test_records_refuse_duplicates, &suite),
    };

    if (open_suite(&suite) <= 0) {
        printf("1..0 # SKIP no JSONTestSuite at %s\n", suite.folder);
        return 0;
    }
    int failed = cmocka_run_group_tests_name("json_suite", tests, NULL, NULL);
    close_suite(&suite);
    return failed;
}
