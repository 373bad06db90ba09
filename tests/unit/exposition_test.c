/* app/metrics/exposition: both formats, to the letter, and who gets which. */
#include "app/metrics/exposition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const words[] = {"x", "y"};
METRIC(counted, 2, 1, .name = "t_total", .help = "Counts.", .labels = {"l"}, .words = {words},
       .word_counts = {2, 1});
METRIC(plain, 1, 1, .name = "p_total", .help = "Plain.", .word_counts = {1, 1});
METRIC(measured, 1, METRIC_HISTOGRAM_CELLS, .name = "m_seconds", .help = "Measures.",
       .type = METRIC_HISTOGRAM, .word_counts = {1, 1}, .bounds = &metric_bounds_delivery);

static void assert_written(enum exposition_format format, const struct metric *metric,
                           const char *expected)
{
    AUTO_BUF out = {0};
    buf_init(&out, 1 << 16);
    exposition_metric(&out, format, metric);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void counters(void **state)
{
    (void)state;
    metric_add(&counted, 1, 3);
    metric_add(&plain, 0, 1);
    assert_written(EXPOSITION_TEXT, &counted,
                   "# HELP t_total Counts.\n# TYPE t_total counter\n"
                   "t_total{l=\"x\"} 0\nt_total{l=\"y\"} 3\n");
    assert_written(EXPOSITION_OPENMETRICS, &counted,
                   "# HELP t Counts.\n# TYPE t counter\n"
                   "t_total{l=\"x\"} 0\nt_total{l=\"y\"} 3\n");
    assert_written(EXPOSITION_TEXT, &plain,
                   "# HELP p_total Plain.\n# TYPE p_total counter\np_total 1\n");
}

static void histograms(void **state)
{
    (void)state;
    metric_observe(&measured, 0, 1500 * 1000);
    metric_observe(&measured, 0, 400LL * 1000 * 1000);
    assert_written(EXPOSITION_TEXT, &measured,
                   "# HELP m_seconds Measures.\n# TYPE m_seconds histogram\n"
                   "m_seconds_bucket{le=\"1.0\"} 0\nm_seconds_bucket{le=\"2.0\"} 1\n"
                   "m_seconds_bucket{le=\"5.0\"} 1\nm_seconds_bucket{le=\"10.0\"} 1\n"
                   "m_seconds_bucket{le=\"15.0\"} 1\nm_seconds_bucket{le=\"20.0\"} 1\n"
                   "m_seconds_bucket{le=\"30.0\"} 1\nm_seconds_bucket{le=\"45.0\"} 1\n"
                   "m_seconds_bucket{le=\"60.0\"} 1\nm_seconds_bucket{le=\"90.0\"} 1\n"
                   "m_seconds_bucket{le=\"120.0\"} 1\nm_seconds_bucket{le=\"180.0\"} 1\n"
                   "m_seconds_bucket{le=\"300.0\"} 1\nm_seconds_bucket{le=\"+Inf\"} 2\n"
                   "m_seconds_sum 401.500000\nm_seconds_count 2\n");
}

static void values(void **state)
{
    AUTO_BUF out = {0};
    (void)state;
    buf_init(&out, 1 << 16);
    exposition_family(&out, EXPOSITION_OPENMETRICS, "b_info", EXPOSITION_INFO, "What.");
    exposition_family(&out, EXPOSITION_TEXT, "b_info", EXPOSITION_INFO, "What.");
    exposition_value(&out, "g", NULL, NULL, -7);
    exposition_value(&out, "g", "l", "w", 7);
    exposition_ms(&out, "s_seconds", NULL, NULL, 61005);
    exposition_end(&out, EXPOSITION_TEXT);
    exposition_end(&out, EXPOSITION_OPENMETRICS);
    buf_char(&out, '\0');
    assert_string_equal(out.data, "# HELP b What.\n# TYPE b info\n# HELP b_info What.\n"
                                  "# TYPE b_info gauge\ng -7\ng{l=\"w\"} 7\ns_seconds 61.005\n"
                                  "# EOF\n");
}

static void accept_chooses(void **state)
{
    static const struct {
        const char *accept;
        enum exposition_format format;
    } rows[] = {
        {NULL, EXPOSITION_TEXT},
        {"", EXPOSITION_TEXT},
        {"*/*", EXPOSITION_TEXT},
        {"text/plain", EXPOSITION_TEXT},
        {"application/json", EXPOSITION_TEXT},
        {"application/openmetrics-text", EXPOSITION_OPENMETRICS},
        {"Application/OpenMetrics-Text; version=1.0.0", EXPOSITION_OPENMETRICS},
        {"application/openmetrics-text;version=0.0.1", EXPOSITION_TEXT},
        {"application/openmetrics-text;version=2.0.0", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=0", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=0.3,text/plain;q=0.5", EXPOSITION_TEXT},
        /* Prometheus 2.42 and 2.53 ask so. */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
         "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         EXPOSITION_OPENMETRICS},
        {"text/plain;version=0.0.4;q=1,*/*;q=0.1", EXPOSITION_TEXT},
        {"application/openmetrics-text; Q=0.9; version=1.0.0,text/plain;q=0.5",
         EXPOSITION_OPENMETRICS},
        {"application/openmetrics-text;faq=0", EXPOSITION_OPENMETRICS},
        {"application/openmetrics-text;q=nan", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=-1", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=1e9,text/plain", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=999999999999,text/plain", EXPOSITION_TEXT},
        {"application/openmetrics-text;q=0.999999,text/plain;q=0.998", EXPOSITION_OPENMETRICS},
        {";q=1,;;,\"", EXPOSITION_TEXT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str accept = rows[i].accept ? str_of(rows[i].accept) : (struct str){0};
        if (exposition_choose(accept) != rows[i].format) fail_msg("%s", rows[i].accept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters),
        cmocka_unit_test(histograms),
        cmocka_unit_test(values),
        cmocka_unit_test(accept_chooses),
    };
    return cmocka_run_group_tests_name("exposition", tests, NULL, NULL);
}
