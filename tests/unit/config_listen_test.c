/* app/setup/config_listen: where herald listens, and the URLs that follow (contract, section 19).
 */
#include "app/setup/certificate.h"
#include "app/setup/risks.h"
#include "config_start.h"

static enum err complete_with(struct start *start, const char *listen, const char *cert,
                              const char *key)
{
    setenv("HERALD_STATE_DIR", start->folder, 1);
    setenv("HERALD_LISTEN", listen, 1);
    unsetenv("HERALD_TLS_CERT_FILE");
    unsetenv("HERALD_TLS_KEY_FILE");
    if (cert) setenv("HERALD_TLS_CERT_FILE", cert, 1);
    if (key) setenv("HERALD_TLS_KEY_FILE", key, 1);
    buf_clear(&start->notes);
    enum err err = load(start, NULL);
    return err ? err
               : config_complete(&start->config, PROCESS_TOOL, &start->arena, &start->notes,
                                 &start->why);
}

static void test_lists(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *listen;
        bool is_taken;
    } rows[] = {
        {"http://127.0.0.1:1, http://[::1]:2 ,localhost:3", true},
        {"a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8", true},
        {"a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8,a:9", false},
        {"127.0.0.1:1,", false},
        {"http://", false},
        {"http://127.0.0.1", false},
        {"HTTP:127.0.0.1", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool is_taken = complete_with(start, rows[i].listen, NULL, NULL) == ERR_OK;
        if (is_taken != rows[i].is_taken) fail_msg("%s", rows[i].listen);
    }
}

static void test_certificate_and_addresses_go_together(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file.pem", "x");
    const struct {
        const char *listen, *cert, *key;
        const char *words; /* NULL: it is taken */
    } rows[] = {
        {"127.0.0.1:1", file, file, NULL},
        {"https://127.0.0.1:1", file, file, NULL},
        {"http://127.0.0.1:1,https://127.0.0.1:2", file, file, NULL},
        {"127.0.0.1:1", file, NULL, "HERALD_TLS_KEY_FILE is not"},
        {"127.0.0.1:1", NULL, file, "HERALD_TLS_CERT_FILE is not"},
        {"127.0.0.1:1,https://127.0.0.1:2", NULL, NULL, "no certificate for it"},
        {"http://127.0.0.1:1,http://127.0.0.1:2", file, file, "http:// addresses alone"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum err err = complete_with(start, rows[i].listen, rows[i].cert, rows[i].key);
        assert_int_equal(err, rows[i].words ? ERR_VALIDATION : ERR_OK);
        if (rows[i].words) assert_says(start, rows[i].words);
    }
}

/* The addresses of metrics are written alike, and may be the only ones that speak HTTPS. */
static void test_metrics_may_use_the_certificate(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file.pem", "x");

    setenv("HERALD_METRICS_LISTEN", "http://127.0.0.1:3,https://127.0.0.1:4", 1);
    assert_int_equal(complete_with(start, "http://127.0.0.1:1", file, file), ERR_OK);
    assert_string_equal(start->config.own_url, "http://127.0.0.1:1");
    assert_int_equal(complete_with(start, "127.0.0.1:1", NULL, NULL), ERR_VALIDATION);
    assert_says(start, "HERALD_METRICS_LISTEN");
    setenv("HERALD_METRICS_LISTEN", "127.0.0.1:3", 1);
    assert_int_equal(complete_with(start, "127.0.0.1:1", NULL, NULL), ERR_OK);
}

/* Tokens name the first that speaks HTTPS; tools ask at a plain one of the loopback. */
static void test_urls(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file.pem", "x");
    const struct {
        const char *listen, *file, *own_url, *local_url;
    } rows[] = {
        {"127.0.0.1:1,127.0.0.1:2", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"0.0.0.0:1,127.0.0.1:2", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"0.0.0.0:1", file, "https://127.0.0.1:1", "https://127.0.0.1:1"},
        {"*:1", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"https://*:1,http://*:2", file, "https://127.0.0.1:1", "http://127.0.0.1:2"},
        {"0:1", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"[0::0]:1", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"[::1]:1", NULL, "http://[::1]:1", "http://[::1]:1"},
        {"[::ffff:0.0.0.0]:1", NULL, "http://127.0.0.1:1", "http://127.0.0.1:1"},
        {"http://10.0.0.1:1,a:2,http://localhost:3", file, "https://a:2", "http://localhost:3"},
        {"https://[::]:1,http://[::1]:2", file, "https://127.0.0.1:1", "http://[::1]:2"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(complete_with(start, rows[i].listen, rows[i].file, rows[i].file), ERR_OK);
        assert_string_equal(start->config.own_url, rows[i].own_url);
        assert_string_equal(config_local_url(&start->config, &start->arena), rows[i].local_url);
    }
}

static void test_each_port_0_becomes_its_own(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file.pem", "x");

    assert_int_equal(
        complete_with(start, "http://localhost:0,https://[::]:8443, 127.0.0.1:00", file, file),
        ERR_OK);
    config_set_ports(&start->config,
                     "http://127.0.0.1:41000,https://[::]:8443,https://127.0.0.1:42000",
                     &start->arena);
    assert_string_equal(start->config.listen,
                        "http://localhost:41000,https://[::]:8443,127.0.0.1:42000");
    assert_string_equal(start->config.own_url, "https://127.0.0.1:8443");
}

static const char *plain_addresses(struct start *start)
{
    for (size_t i = 0; i < risk_count; i++) {
        AUTO_BUF detail = {0};
        buf_init(&detail, 1024);
        if (strcmp(risks[i].name, "plain_http") != 0) continue;
        bool is_taken = risks[i].is_taken(&start->config, PROCESS_SERVE, &start->arena, &detail);
        return is_taken ? arena_str(&start->arena, buf_view(&detail)) : "";
    }
    return NULL;
}

static void test_plain_addresses_beyond_loopback_are_a_risk(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file.pem", "x");
    const struct {
        const char *listen, *file, *risky;
    } rows[] = {
        {"127.0.0.1:1,localhost:2,[::1]:3", NULL, ""},
        {"0.0.0.0:1,127.0.0.1:2,10.0.0.1:3", NULL, "0.0.0.0:1, 10.0.0.1:3"},
        {"0.0.0.0:1,http://127.0.0.1:2", file, ""},
        {"0.0.0.0:1,http://0.0.0.0:2", file, "0.0.0.0:2"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(complete_with(start, rows[i].listen, rows[i].file, rows[i].file), ERR_OK);
        assert_string_equal(plain_addresses(start), rows[i].risky);
    }
}

static void test_files_that_cannot_be_used_are_one_fault(void **state)
{
    struct start *start = *state;
    struct certificate_fault faults[CERTIFICATE_FAULTS_MAX];
    const char *file = write_file(start, "file.pem", "x");

    assert_int_equal(complete_with(start, "127.0.0.1:1", file, file), ERR_OK);
    assert_int_equal(certificate_find_faults(&start->config, 0, &start->arena, faults), 1);
    assert_true(faults[0].is_fatal);
    assert_non_null(strstr(faults[0].sentence, "has no certificate"));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_lists),
        CASE(test_certificate_and_addresses_go_together),
        CASE(test_metrics_may_use_the_certificate),
        CASE(test_urls),
        CASE(test_each_port_0_becomes_its_own),
        CASE(test_plain_addresses_beyond_loopback_are_a_risk),
        CASE(test_files_that_cannot_be_used_are_one_fault),
    };
    return cmocka_run_group_tests_name("config_listen", tests, NULL, NULL);
}
