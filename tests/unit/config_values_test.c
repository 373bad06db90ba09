/* app/setup/config: which values the settings take (contract, section 7). Those of drivers are in
 * config_drivers_test.c. */
#include "config_start.h"
#include "kit/base/secret.h"

/* Each setting at the ends of what is allowed. */
static const struct value_row values[] = {
    {"HERALD_CONNECTIONS_PER_ADDRESS", "auto", true},
    {"HERALD_CONNECTIONS_PER_ADDRESS", "-1", false},
    {"HERALD_LISTEN", "127.0.0.1:0", true},
    {"HERALD_LISTEN", "127.0.0.1:65535", true},
    {"HERALD_LISTEN", "127.0.0.1:65536", false},
    {"HERALD_LISTEN", "[::]:8080", true},
    {"HERALD_LISTEN", "127.0.0.1", false},
    {"HERALD_LISTEN", "127.0.0.1:", false},
    {"HERALD_LISTEN", ":8080", false},
    {"HERALD_LISTEN", "127.0.0.1:80x", false},
    {"HERALD_STATE_DIR", "/srv/herald", true},
    {"HERALD_DATABASE_URL", "sqlite:x.db", true},
    {"HERALD_DATABASE_URL", "sqlite:", false},
    {"HERALD_DATABASE_URL", "postgresql://h@db1,db2/herald", true},
    {"HERALD_DATABASE_URL", "mysql://h@db/herald", false},
    {"HERALD_DATABASE_URL", "herald.db", false},
    {"HERALD_DATABASE_CONNECTIONS", "1", false},
    {"HERALD_DATABASE_CONNECTIONS", "2", true},
    {"HERALD_DATABASE_CONNECTIONS", "100", true},
    {"HERALD_DATABASE_CONNECTIONS", "101", false},
    {"HERALD_DATABASE_CONNECTIONS", "8.5", false},
    {"HERALD_DATABASE_TIMEOUT_MS", "999", false},
    {"HERALD_DATABASE_TIMEOUT_MS", "1000", true},
    {"HERALD_DATABASE_TIMEOUT_MS", "15001", false},
    {"HERALD_DATABASE_SILENCE_MS", "999", false},
    {"HERALD_DATABASE_SILENCE_MS", "1000", true},
    {"HERALD_DATABASE_SILENCE_MS", "60000", true},
    {"HERALD_DATABASE_SILENCE_MS", "60001", false},
    {"HERALD_EVENT_LOOPS", "0", false},
    {"HERALD_EVENT_LOOPS", "1", true},
    {"HERALD_EVENT_LOOPS", "64", true},
    {"HERALD_EVENT_LOOPS", "65", false},
    {"HERALD_CONNECTIONS_MAX", "9", false},
    {"HERALD_CONNECTIONS_MAX", "10", true},
    {"HERALD_CONNECTIONS_MAX", "1000000", true},
    {"HERALD_CONNECTIONS_MAX", "1000001", false},
    {"HERALD_LOG_LEVEL", "debug", true},
    {"HERALD_LOG_LEVEL", "error", true},
    {"HERALD_LOG_LEVEL", "warn", false},
    {"LOG_SENSITIVE", "true", true},
    {"LOG_SENSITIVE", "false", true},
    {"LOG_SENSITIVE", "1", false},
    {"LOG_SENSITIVE", "True", false},
    {"HERALD_SMS_LANGUAGE", "de", false},
    {"HERALD_PUBLIC_URL", "https://h.example.com", true},
    {"HERALD_PUBLIC_URL", "h.example.com", false},
    {"HERALD_PUBLIC_URL", "http://*:8080", false},
    {"HERALD_PUBLIC_URL", "https://*/herald", false},
    {"HERALD_PUBLIC_URL", "http://0.0.0.0:8080", false},
    {"HERALD_PUBLIC_URL", "http://0.0.0.0", false},
    {"HERALD_PUBLIC_URL", "http://[::]:8080/", false},
    {"HERALD_PUBLIC_URL", "http://[::]", false},
    {"HERALD_PUBLIC_URL", "http://[::1]", true},
    {"HERALD_PUBLIC_URL", "http://[2001:db8::1]:8080/herald", true},
    {"HERALD_PUBLIC_URL", "http://127.0.0.1:8080", true},
    {"HERALD_PUBLIC_URL", "https://user:password@h.example.com", false},
    {"HERALD_PUBLIC_URL", "https://h.example.com/\xff", false},
    {"HERALD_JWKS_URL", "https://id.example.com/.well-known/jwks.json", true},
    {"HERALD_JWKS_URL", "http://10.0.0.2:8080/keys", true},
    {"HERALD_JWKS_URL", "id.example.com", false},
    {"HERALD_JWKS_URL", "https://user:pass@id.example.com/keys", false},
    {"HERALD_JWKS_URL", "https://id.example.com/keys?v=1", false},
    {"HERALD_JWKS_CA_FILE", "/nowhere/ca.pem", false},
    {"HERALD_ISSUER", "https://id.example.com", true},
    {"HERALD_ISSUER", "an issuer", false},
    {"HERALD_ERP_ALLOW_HTTP", "true", true},
    {"HERALD_ERP_ALLOW_HTTP", "yes", false},
    {"HERALD_ERP_CA_FILE", "/nowhere/ca.pem", false},
    {"HERALD_WEBHOOK_CA_FILE", "/nowhere/ca.pem", false},
    {"HERALD_ERP_NETWORKS", "loopback", true},
    {"HERALD_ERP_NETWORKS", "public, 10.1.0.0/16, fd12::/16", true},
    {"HERALD_ERP_NETWORKS", "10.1.2.3/16", false},
    {"HERALD_ERP_NETWORKS", "10.1.0.0", false},
    {"HERALD_ERP_NETWORKS", "any", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "0", true},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "1.000000", true},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "1.000001", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "0.1234567", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "-0.5", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "2", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", ".5", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "0.", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "0,5", false},
    {"HERALD_ERP_MAX_ARCHIVE_SHARE", "50%", false},
    {"HERALD_ERP_VAT_RATES", "none,24,124/24", true},
    {"HERALD_ERP_VAT_RATES", "22%", false},
    {"HERALD_ERP_BODY_DAYS", "0", true},
    {"HERALD_ERP_BODY_DAYS", "3650", true},
    {"HERALD_ERP_BODY_DAYS", "3651", false},
    {"HERALD_ERP_BODY_DAYS", "-1", false},
    {"HERALD_AUDIT_DAYS", "0", true},
    {"HERALD_AUDIT_DAYS", "3650", true},
    {"HERALD_AUDIT_DAYS", "3651", false},
    {"HERALD_AUDIT_DAYS", "-1", false},
    {"HERALD_PERSONAL_DAYS", "0", true},
    {"HERALD_PERSONAL_DAYS", "3650", true},
    {"HERALD_PERSONAL_DAYS", "3651", false},
    {"HERALD_PERSONAL_DAYS", "-1", false},
    {"HERALD_PERSONAL_DAYS", "90d", false},
    {"HERALD_SECRET_KEY", KEY, true},
    {"HERALD_SECRET_KEY", KEY "=", false},
    {"HERALD_SECRET_KEY", "MDEy", false},
    {"HERALD_API_KEY", "hk_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGx", false},
    {"INTERNAL_API_KEY", "one", true},
    {"INTERNAL_API_KEY", "one,two", true},
    {"INTERNAL_API_KEY", "one,two,three", false},
    {"INTERNAL_API_KEY", ",two", false},
    {"INTERNAL_API_KEY", "one,", false},
    {"INTERNAL_API_KEY", "with space", false},
    {"INTERNAL_API_KEY", "ключ", false},
};

static void values_are_checked_at_their_ends(void **state)
{
    check_values(*state, values, COUNT_OF(values));
}

static void a_share_is_kept_in_millionths(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *value, *shown;
        int64_t ppm;
    } rows[] = {{"0.5", "0.5", 500000},    {"0.000001", "0.000001", 1},
                {"0.250", "0.25", 250000}, {"0.123456", "0.123456", 123456},
                {"1.0", "1", 1000000},     {"0.0", "0", 0}};
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_int_equal(start->config.erp_archive_share_ppm, 1000000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("HERALD_ERP_MAX_ARCHIVE_SHARE", rows[i].value, 1);
        assert_int_equal(load(start, NULL), ERR_OK);
        assert_int_equal(start->config.erp_archive_share_ppm, rows[i].ppm);
        const char *line =
            arena_printf(&start->arena, "\nHERALD_ERP_MAX_ARCHIVE_SHARE=%s\n", rows[i].shown);
        assert_non_null(strstr(printed(start), line));
    }
    setenv("HERALD_ERP_MAX_ARCHIVE_SHARE", "half", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "a number from 0 to 1");
}

static void nothing_personal_goes_by_itself_unless_it_is_said(void **state)
{
    struct start *start = *state;
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_int_equal(start->config.personal_days, 0);
    assert_int_equal(start->config.audit_days, 400);
    setenv("HERALD_PERSONAL_DAYS", "90", 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_int_equal(start->config.personal_days, 90);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_are_checked_at_their_ends),
        CASE(a_share_is_kept_in_millionths),
        CASE(nothing_personal_goes_by_itself_unless_it_is_said),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("config_values", tests, NULL, NULL);
}
