/* These tests show what answers of an ERP mean: doc B, section 4, "Service reaction to the ERP
 * order response", row by row, with hostile answers; and when an order is tried again (contract,
 * section 6). */
#include "arena_fixture.h"
#include "kit/base/macros.h"
#include "kit/fetch/fetch.h"
#include "kit/json/said_text.h"
#include "order_sample.h"

#define TOKEN "s3cr3t-T0ken"

/* --- Fetches ---------------------------------------------------------------------------------- */

static struct order_answer read_fetch(struct arena *arena, struct fetch *fetch, struct str body)
{
    struct order_answer answer;

    fetch->body = STR(SAMPLE_ORDER);
    fetch->headers[0] = (struct fetch_header){"Content-Type", "application/json"};
    fetch->headers[1] = (struct fetch_header){"Authorization", "Bearer " TOKEN};
    buf_init(&fetch->answer, FETCH_ANSWER_MAX);
    buf_str(&fetch->answer, body);
    order_read_answer(fetch, arena, &answer);
    buf_done(&fetch->answer);
    return answer;
}

static struct order_answer answer_of(struct arena *arena, int status, struct str body)
{
    struct fetch fetch = {
        .end = FETCH_ANSWERED, .was_sent = true, .status = status, .retry_after_ms = -1};
    return read_fetch(arena, &fetch, body);
}

static void assert_text(const char *found, const char *expected)
{
    if (!expected) assert_null(found);
    if (!expected) return;
    assert_non_null(found);
    assert_string_equal(found, expected);
}

/* --- The table of reactions ------------------------------------------------------------------- */

#define ACCEPTED(rest) "{\"accepted\":true" rest "}"
#define CONTRACT(how)  "contract error: HTTP 200, " how
#define NO_JSON        CONTRACT("the answer is no JSON")
#define NEITHER        CONTRACT("accepted is neither true nor false")

static const struct {
    int status;
    const char *body;
    enum order_outcome outcome;
    const char *shown; /* behind NO_JSON, all of the body is shown as well */
    const char *order_id, *number;
} rows[] = {
    /* 2xx, accepted true and order_id present: accepted. */
    {200, ACCEPTED(",\"order_id\":\"d-1\",\"number\":\"00-1\""), ATTEMPT_ACCEPTED, NULL, "d-1",
     "00-1"},
    {201, ACCEPTED(",\"order_id\":\"d-1\""), ATTEMPT_ACCEPTED, NULL, "d-1", NULL},
    {299, " \n{\"order_id\":\"\\u0416\",\"accepted\":true} ", ATTEMPT_ACCEPTED, NULL, "\xD0\x96",
     NULL},
    {202, "{\"\\u0061ccepted\":true,\"order_id\":\" 1\\n\"}", ATTEMPT_ACCEPTED, NULL, " 1 ", NULL},
    {200, "\xEF\xBB\xBF" ACCEPTED(",\"order_id\":\"d-1\""), ATTEMPT_ACCEPTED, NULL, "d-1", NULL},
    /* Other members do not matter. */
    {200, ACCEPTED(",\"order_id\":\"d\",\"number\":17"), ATTEMPT_ACCEPTED, NULL, "d", "17"},
    {200, ACCEPTED(",\"order_id\":\"d\",\"number\":null"), ATTEMPT_ACCEPTED, NULL, "d", NULL},
    {200, ACCEPTED(",\"order_id\":\"d\",\"number\":{\"accepted\":false,\"order_id\":7}"),
     ATTEMPT_ACCEPTED, NULL, "d", NULL},
    {200, ACCEPTED(",\"order_id\":\"d\",\"x\":[1,{\"a\":1,\"a\":2}],\"error\":{\"message\":\"!\"}"),
     ATTEMPT_ACCEPTED, NULL, "d", NULL},

    /* 2xx, accepted false: rejected. */
    {200, "{\"accepted\":false}", ATTEMPT_REJECTED, "the ERP gave no reason", NULL, NULL},
    {202, "{\"accepted\":false,\"order_id\":\"d-1\",\"number\":\"1\"}", ATTEMPT_REJECTED,
     "the ERP gave no reason", NULL, NULL},
    {200, "{\"error\":{\"code\":\"no_stock\",\"message\":\"Sold out.\"},\"accepted\":false}",
     ATTEMPT_REJECTED, "Sold out.", NULL, NULL},
    {200, "{\"accepted\":false,\"message\":\"Closed\\r\\n\\u2028today\"}", ATTEMPT_REJECTED,
     "Closed   today", NULL, NULL},
    {200, "{\"accepted\":false,\"error\":{\"code\":\"no_stock\"}}", ATTEMPT_REJECTED, "no_stock",
     NULL, NULL},
    {200, "{\"accepted\":false,\"error\":\"Closed\"}", ATTEMPT_REJECTED, "Closed", NULL, NULL},
    {200, "{\"accepted\":false,\"message\":[\"x\"]}", ATTEMPT_REJECTED, "the ERP gave no reason",
     NULL, NULL},
    {200, "{\"accepted\":false,\"message\":\"b\",\"reason\":\"a\"}", ATTEMPT_REJECTED, "a", NULL,
     NULL},
    {200, "{\"accepted\":false,\"error\":{\"message\":\"c\"},\"message\":\"b\"}", ATTEMPT_REJECTED,
     "b", NULL, NULL},
    {200, "{\"accepted\":false,\"reason\":\" \",\"detail\":\"d\"}", ATTEMPT_REJECTED, "d", NULL,
     NULL},
    {200, "{\"accepted\":false,\"description\":\"e\"}", ATTEMPT_REJECTED, "e", NULL, NULL},
    {200, "{\"accepted\":false,\"errors\":[{\"message\":\"f\"},{\"message\":\"g\"}]}",
     ATTEMPT_REJECTED, "f", NULL, NULL},
    {200, "{\"accepted\":false,\"errors\":[\"h\"]}", ATTEMPT_REJECTED, "h", NULL, NULL},

    /* Accepted without order_id, and whatever is no acceptance response: contract error. */
    {200, ACCEPTED(""), ATTEMPT_CONTRACT_ERROR, CONTRACT("accepted, but no order_id"), NULL, NULL},
    {200, ACCEPTED(",\"order_id\":null"), ATTEMPT_CONTRACT_ERROR,
     CONTRACT("accepted, but no order_id"), NULL, NULL},
    {200, ACCEPTED(",\"number\":\"1\",\"x\":{\"order_id\":\"d\"}"), ATTEMPT_CONTRACT_ERROR,
     CONTRACT("accepted, but no order_id"), NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"\""), ATTEMPT_CONTRACT_ERROR, CONTRACT("order_id is empty"),
     NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\" \\n\""), ATTEMPT_CONTRACT_ERROR, CONTRACT("order_id is empty"),
     NULL, NULL},
    {200, ACCEPTED(",\"order_id\":17"), ATTEMPT_CONTRACT_ERROR, CONTRACT("order_id is no string"),
     NULL, NULL},
    {200, ACCEPTED(",\"order_id\":{\"order_id\":\"d\"}"), ATTEMPT_CONTRACT_ERROR,
     CONTRACT("order_id is no string"), NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"a\",\"order_id\":\"b\""), ATTEMPT_CONTRACT_ERROR,
     CONTRACT("order_id is given twice"), NULL, NULL},
    {200, "{\"accepted\":false,\"accepted\":true,\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR,
     CONTRACT("accepted is given twice"), NULL, NULL},
    {200, "{\"accepted\":\"true\",\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL,
     NULL},
    {200, "{\"accepted\":1,\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{\"accepted\":null,\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{\"Accepted\":true,\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{\"accepted\":[false]}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{\"order_id\":\"d\"}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{\"x\":{\"accepted\":true,\"order_id\":\"d\"}}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL,
     NULL},
    {200, "[{\"accepted\":true,\"order_id\":\"d\"}]", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "\"accepted\"", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "true", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "{}", ATTEMPT_CONTRACT_ERROR, NEITHER, NULL, NULL},
    {200, "", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "\xEF\xBB\xBF", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "OK", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "<html>accepted</html>", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "{\"accepted\":false", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "{\"accepted\":true,\"order_id\":\"d-", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "{\"accepted\":false}}", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "{'accepted':false}", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, "{\"accepted\":False}", ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"\xC0\xAF\""), ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"\xE0\xEA\""), ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"\\ud800\""), ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {200, ACCEPTED(",\"order_id\":\"d\\u0000\""), ATTEMPT_CONTRACT_ERROR, NO_JSON, NULL, NULL},
    {204, "", ATTEMPT_CONTRACT_ERROR, "contract error: HTTP 204, the answer is no JSON", NULL,
     NULL},

    /* 3xx, 4xx, 5xx, whatever the body: refused. */
    {301, ACCEPTED(",\"order_id\":\"d\""), ATTEMPT_REFUSED, "HTTP 301: redirects are not followed",
     NULL, NULL},
    {400, "", ATTEMPT_REFUSED, "HTTP 400", NULL, NULL},
    {409, ACCEPTED(",\"order_id\":\"d\""), ATTEMPT_REFUSED, "HTTP 409", NULL, NULL},
    {422, "{\"error\":{\"code\":\"x\",\"message\":\"No such point.\"}}", ATTEMPT_REFUSED,
     "HTTP 422: No such point.", NULL, NULL},
    {422, "{\"accepted\":false}", ATTEMPT_REFUSED, "HTTP 422", NULL, NULL},
    {500, "<html>Internal Server Error</html>", ATTEMPT_REFUSED,
     "HTTP 500: <html>Internal Server Error</html>", NULL, NULL},
    {503, "{\"message\":\"Busy", ATTEMPT_REFUSED, "HTTP 503: {\"message\":\"Busy", NULL, NULL},
    {599, "\xFF\xFE", ATTEMPT_REFUSED, "HTTP 599: \uFFFD\uFFFD", NULL, NULL},
};

static const char *shown_of(struct arena *arena, size_t row)
{
    const char *shown = rows[row].shown;
    bool has_mark = strncmp(rows[row].body, "\xEF\xBB\xBF", 3) == 0; /* of its byte order */
    const char *body =
        said_keep(arena, rows[row].body + (has_mark ? 3 : 0), &(struct said_rule){0});
    bool has_body = shown && body && strstr(shown, "the answer is no JSON");
    return has_body ? arena_printf(arena, "%s: %s", shown, body) : shown;
}

/* herald's own word is there without those of the ERP. */
static void assert_shown(const struct order_answer *answer, const char *shown)
{
    assert_text(answer->words ? answer->words : answer->error, shown);
    if (!answer->words) return;
    if (answer->outcome == ATTEMPT_REJECTED)
        assert_text(answer->error, "the ERP rejected it");
    else
        assert_true(strncmp(shown, answer->error, strlen(answer->error)) == 0 &&
                    shown[strlen(answer->error)] == ':');
}

static void each_answer_has_its_meaning(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct order_answer answer = answer_of(*state, rows[i].status, str_of(rows[i].body));
        if (answer.outcome != rows[i].outcome)
            fail_msg("%s is %s", rows[i].body, order_outcome_words[answer.outcome]);
        assert_int_equal(answer.status, rows[i].status);
        assert_shown(&answer, shown_of(*state, i));
        assert_text(answer.erp_order_id, rows[i].order_id);
        assert_text(answer.erp_number, rows[i].number);
        assert_int_equal(answer.retry_after_ms, -1);
        assert_false(answer.is_unauthorized);
    }
}

static void no_answer_has_its_meaning(void **state)
{
    static const struct {
        enum fetch_end end;
        bool was_sent;
        enum order_outcome outcome;
    } ends[] = {
        {FETCH_NOT_SENT, false, ATTEMPT_NOT_SENT},
        {FETCH_UNKNOWN, true, ATTEMPT_UNKNOWN},
        {FETCH_CANCELED, true, ATTEMPT_UNKNOWN},
        {FETCH_CANCELED, false, ATTEMPT_NOT_SENT},
    };
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        struct fetch fetch = {
            .end = ends[i].end, .was_sent = ends[i].was_sent, .error = "the time was up"};
        struct order_answer answer = read_fetch(*state, &fetch, STR(""));
        assert_int_equal(answer.outcome, ends[i].outcome);
        assert_int_equal(answer.status, 0);
        assert_text(answer.error, "the time was up");
        assert_int_equal(answer.retry_after_ms, -1);
    }
}

static void credentials_that_are_refused_are_told(void **state)
{
    static const int statuses[] = {400, 401, 402, 403, 404, 407};

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        struct order_answer answer = answer_of(*state, statuses[i], STR(""));
        assert_int_equal(answer.is_unauthorized, statuses[i] == 401 || statuses[i] == 403);
        assert_int_equal(answer.outcome, ATTEMPT_REFUSED);
    }
}

static void some_answers_are_about_the_order_alone(void **state)
{
    static const struct {
        int status;
        bool is_of_order;
    } answers[] = {
        {200, false}, {302, false}, {400, true},  {401, false}, {402, false}, {403, false},
        {404, false}, {408, false}, {409, true},  {412, false}, {413, true},  {415, false},
        {421, false}, {422, true},  {423, false}, {429, false}, {500, false}, {503, false},
    };
    for (size_t i = 0; i < COUNT_OF(answers); i++)
        assert_int_equal(answer_of(*state, answers[i].status, STR("")).is_of_order,
                         answers[i].is_of_order);
}

static void a_wait_that_is_asked_for_is_passed_on(void **state)
{
    static const int statuses[] = {200, 302, 429, 503};

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        struct fetch fetch = {.end = FETCH_ANSWERED,
                              .was_sent = true,
                              .status = statuses[i],
                              .retry_after_ms = 17000};
        assert_int_equal(read_fetch(*state, &fetch, STR("{}")).retry_after_ms, 17000);
    }
}

/* --- Hostile answers -------------------------------------------------------------------------- */

static void ids_have_limits(void **state)
{
    for (size_t count = 128; count <= 129; count++) {
        const char *id = repeated(*state, "\xD0\x96", count);
        const char *body = arena_printf(
            *state, "{\"accepted\":true,\"order_id\":\"%s\",\"number\":\"%s\"}", id, id);
        struct order_answer answer = answer_of(*state, 200, str_of(body));
        if (count == 129) {
            assert_text(answer.error, CONTRACT("order_id has more than 128 characters"));
            continue;
        }
        assert_text(answer.erp_order_id, id);
        assert_text(answer.erp_number, id);
    }
    const char *body = arena_printf(*state, ACCEPTED(",\"order_id\":\"d\",\"number\":\"%s\""),
                                    repeated(*state, "\xD0\x96", 200));
    assert_text(answer_of(*state, 200, str_of(body)).erp_number, repeated(*state, "\xD0\x96", 128));
    body = arena_printf(*state, ACCEPTED(",\"order_id\":\"d\",\"number\":%s"),
                        repeated(*state, "9", 60000));
    assert_text(answer_of(*state, 200, str_of(body)).erp_number, repeated(*state, "9", 128));
}

static void depth_and_size_are_bounded(void **state)
{
    const char *deep = arena_printf(*state, "{\"x\":%s", repeated(*state, "[", 65000));
    const char *nested = arena_printf(*state, "{\"x\":%s%s,\"accepted\":false}",
                                      repeated(*state, "[", 64), repeated(*state, "]", 64));
    const char *fine = arena_printf(*state, "{\"x\":%s%s,\"accepted\":false}",
                                    repeated(*state, "[", 63), repeated(*state, "]", 63));
    const char *wide =
        arena_printf(*state, "{%s\"accepted\":false}", repeated(*state, "\"accepte\":true,", 4000));
    const char *huge = arena_printf(*state, "{\"accepted\":false,\"message\":\"%s\"}",
                                    repeated(*state, "1 ", 30000));

    assert_int_equal(answer_of(*state, 200, str_of(deep)).outcome, ATTEMPT_CONTRACT_ERROR);
    assert_int_equal(answer_of(*state, 200, str_of(nested)).outcome, ATTEMPT_CONTRACT_ERROR);
    assert_int_equal(answer_of(*state, 200, str_of(fine)).outcome, ATTEMPT_REJECTED);
    assert_int_equal(answer_of(*state, 200, str_of(wide)).outcome, ATTEMPT_REJECTED);
    assert_int_equal(strlen(answer_of(*state, 200, str_of(huge)).words), SAID_MAX - 1);
}

static void a_nul_ends_nothing(void **state)
{
    static const char body[] = "{\"accepted\":false}\0{\"accepted\":true}";
    struct str whole = {body, sizeof(body) - 1};
    assert_int_equal(answer_of(*state, 200, whole).outcome, ATTEMPT_CONTRACT_ERROR);
}

/* Each prefix and each broken byte of good answers: no crash, and never accepted. */
static void a_damaged_answer_is_no_acceptance(void **state)
{
    static const char body[] = "{\"accepted\":true,\"order_id\":\"d-1\"}";

    for (size_t len = 0; len < sizeof(body) - 1; len++) {
        struct order_answer answer = answer_of(*state, 200, (struct str){body, len});
        assert_int_equal(answer.outcome, ATTEMPT_CONTRACT_ERROR);
    }
    for (size_t i = 0; i < sizeof(body) - 1; i++) {
        char damaged[sizeof(body)];
        memcpy(damaged, body, sizeof(body));
        damaged[i] = '\x80';
        struct order_answer answer = answer_of(*state, 200, str_of(damaged));
        assert_int_equal(answer.outcome, ATTEMPT_CONTRACT_ERROR);
    }
}

/* --- The ERP's own words ---------------------------------------------------------------------- */

/* The words that an ERP repeats of an order are kept, sealed, but for herald's own token. */
static void words_are_kept_without_the_token(void **state)
{
    static const char body[] = "{\"accepted\":false,\"message\":\"" TOKEN " of\\n +79161234567\"}";
    struct order_answer answer = answer_of(*state, 200, str_of(body));

    assert_int_equal(answer.outcome, ATTEMPT_REJECTED);
    assert_text(answer.words, "*** of  +79161234567");
    assert_text(answer.error, "the ERP rejected it");
}

/* --- When to try again ------------------------------------------------------------------------ */

static void delays_follow_the_schedule(void **state)
{
    static const int64_t seconds[] = {1, 5, 15, 30, 60, 120, 300, 300, 300};
    (void)state;

    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        int64_t attempt = (int64_t)i + 1, ms = seconds[i] * 1000;
        assert_int_equal(order_retry_delay_ms(attempt, -1, 0), ms * 8 / 10);
        assert_int_equal(order_retry_delay_ms(attempt, -1, 999999), ms * 12 / 10);
        assert_in_range(order_retry_delay_ms(attempt, -1, 500000), ms, ms + 1);
    }
    assert_int_equal(order_retry_delay_ms(1000000000000, -1, 0), 240000);
    assert_int_equal(order_retry_delay_ms(0, -1, 0), 800);
}

static void a_wait_only_lengthens(void **state)
{
    (void)state;
    assert_int_equal(order_retry_delay_ms(1, 0, 0), 800);
    assert_int_equal(order_retry_delay_ms(1, 799, 0), 800);
    assert_int_equal(order_retry_delay_ms(1, 801, 0), 801);
    assert_int_equal(order_retry_delay_ms(7, 1000, 0), 240000);
    assert_int_equal(order_retry_delay_ms(7, 3600000, 999999), 3600000);
    assert_int_equal(order_retry_delay_ms(7, 3600001, 0), 3600000);
    assert_int_equal(order_retry_delay_ms(1, INT64_MAX, 0), 3600000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        TEST(each_answer_has_its_meaning),
        TEST(no_answer_has_its_meaning),
        TEST(credentials_that_are_refused_are_told),
        TEST(some_answers_are_about_the_order_alone),
        TEST(a_wait_that_is_asked_for_is_passed_on),
        TEST(ids_have_limits),
        TEST(depth_and_size_are_bounded),
        TEST(a_nul_ends_nothing),
        TEST(a_damaged_answer_is_no_acceptance),
        TEST(words_are_kept_without_the_token),
        TEST(delays_follow_the_schedule),
        TEST(a_wait_only_lengthens),
    };
    return cmocka_run_group_tests_name("order_outcome", tests, NULL, NULL);
}
