/* app/setup/config and app/setup/channels: the settings of drivers, which driver a channel gets by
 * them, and what stops a start. */
#include "app/setup/channels.h"
#include "config_start.h"
#include "domain/channel/flash_template.h"

#define TOKEN "12345:made-up_TOKEN"

static const char own_template[] =
    "\n {\"name\":\"own\",\"mode\":\"give\",\"base_url\":\"https://calls.example\","
    "\"send\":{\"method\":\"POST\",\"path\":\"/call\","
    "\"json\":{\"to\":\"{phone_e164}\",\"code\":\"{code}\"}},"
    "\"success\":{\"pointer\":\"/ok\",\"equals\":\"true\"}}\n";

/* --- Values --- */

static const char long_name[] = "abcdefghijklmnopqrstuvwxyz_01234";
static_assert(sizeof(long_name) - 1 == 32, "as long as a name may be");

static void values_of_drivers_are_checked_at_their_ends(void **state)
{
    static const struct value_row rows[] = {
        {"HERALD_WEBHOOK_ALLOW_HTTP", "true", true},
        {"HERALD_WEBHOOK_ALLOW_HTTP", "yes", false},
        {"HERALD_WEBHOOK_NETWORKS", "public,10.1.0.0/16", true},
        {"HERALD_WEBHOOK_NETWORKS", "everything", false},
        {"HERALD_EVENTS", "auto", true},
        {"HERALD_EVENTS", "on", true},
        {"HERALD_EVENTS", "off", true},
        {"HERALD_EVENTS", "true", false},
        {"HERALD_EVENT_DAYS", "0", false},
        {"HERALD_EVENT_DAYS", "1", true},
        {"HERALD_EVENT_DAYS", "90", true},
        {"HERALD_EVENT_DAYS", "91", false},
        {"HERALD_METRICS_LISTEN", "127.0.0.1:9465", true},
        {"HERALD_METRICS_LISTEN", "[::1]:0", true},
        {"HERALD_METRICS_LISTEN", "127.0.0.1:65536", false},
        {"HERALD_METRICS_LISTEN", "9465", false},
        {"HERALD_METRICS_LISTEN", "https://0.0.0.0:9465,http://127.0.0.1:9465", true},
        {"HERALD_TELEGRAM_GATEWAY_URL", "http://127.0.0.1:9000", true},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/telegram/", true},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example//", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/?a=b", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/#a", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/a b", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/\n", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://прокси.example", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://user:hunter2@proxy.example", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "ftp://proxy.example", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://", false},
        {"HERALD_TELEGRAM_GATEWAY_URL", "https://:443", false},
        {"HERALD_TELEGRAM_BOT_URL", "gatewayapi.telegram.org", false},
        {"HERALD_UCALLER_URL", "https:///v1.0", false},
        {"HERALD_FLASH_TEMPLATE_URL", "https://a.example/v2", true},
        {"HERALD_FLASH_TEMPLATE_URL", "/v2", false},
        {"HERALD_TELEGRAM_GATEWAY_TOKEN", TOKEN, true},
        {"HERALD_TELEGRAM_GATEWAY_TOKEN", "two words", false},
        {"HERALD_TELEGRAM_BOT_TOKEN", "ключ", false},
        {"HERALD_TELEGRAM_BOT_TOKEN", "a\tb", false},
        {"HERALD_UCALLER_KEY", "a\x7f", false},
        {"HERALD_FLASH_TEMPLATE_KEY", " ", false},
        {"HERALD_UCALLER_SERVICE_ID", "1 000", false},
        {"HERALD_FLASH_TEMPLATE_SERVICE_ID", "логин", false},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", "herald_shop", true},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", "abcd", true},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", "abc", false},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", long_name, true},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", "abcdefghijklmnopqrstuvwxyz_012345", false},
        {"HERALD_TELEGRAM_GATEWAY_SENDER", "@herald_shop", false},
        {"HERALD_FLASH_CALL_DRIVER", "auto", true},
        {"HERALD_FLASH_CALL_DRIVER", "ucaller", true},
        {"HERALD_FLASH_CALL_DRIVER", "flash_template", true},
        {"HERALD_FLASH_CALL_DRIVER", "smsru", false},
    };
    check_values(*state, rows, COUNT_OF(rows));
}

/* Every driver has the same four settings for the way of its calls. */
static const char *const prefixes[] = {"HERALD_TELEGRAM_GATEWAY", "HERALD_TELEGRAM_BOT",
                                       "HERALD_UCALLER", "HERALD_FLASH_TEMPLATE"};

static void the_way_of_calls_is_checked_for_each_driver(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "ca.pem", "-----BEGIN CERTIFICATE-----\n");
    const char *empty = write_file(start, "empty.pem", "");
    const struct value_row rows[] = {
        {"_PROXY", "http://proxy.example:3128", true},
        {"_PROXY", "http://proxy.example:3128/", true},
        {"_PROXY", "https://user:p%40ss@proxy.example", true},
        {"_PROXY", "socks5h://[::1]:1080", true},
        {"_PROXY", "http://user:p@ss@proxy.example", false},
        {"_PROXY", "http://user:hunter2@", false},
        {"_PROXY", "http://proxy.example/path", false},
        {"_PROXY", "http://proxy.example?a", false},
        {"_PROXY", "ftp://proxy.example", false},
        {"_PROXY", "proxy.example:3128", false},
        {"_PROXY", "http://", false},
        {"_PROXY", "http://:3128", false},
        {"_PROXY", "http://a proxy", false},
        {"_CA_FILE", file, true},
        {"_CA_FILE", empty, false},
        {"_CA_FILE", start->folder, false},
        {"_CA_FILE", "/nowhere/ca.pem", false},
        {"_CONNECT_TIMEOUT_MS", "99", false},
        {"_CONNECT_TIMEOUT_MS", "100", true},
        {"_CONNECT_TIMEOUT_MS", "60000", true},
        {"_CONNECT_TIMEOUT_MS", "60001", false},
        {"_TIMEOUT_MS", "99", false},
        {"_TIMEOUT_MS", "100", true},
        {"_TIMEOUT_MS", "60000", true},
        {"_TIMEOUT_MS", "60001", false},
        {"_TIMEOUT_MS", "10s", false},
    };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        struct value_row named[COUNT_OF(rows)];
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            named[k] = rows[k];
            named[k].name = arena_printf(&start->arena, "%s%s", prefixes[i], rows[k].name);
        }
        check_values(start, named, COUNT_OF(rows));
    }
}

static void a_ca_file_is_no_file_with_a_value_in_it(void **state)
{
    struct start *start = *state;
    setenv("HERALD_TELEGRAM_BOT_CA", "x", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "HERALD_TELEGRAM_BOT_CA from the environment is no setting");
    empty_environment();
    setenv("HERALD_TELEGRAM_BOT_PROXY_FILE", write_file(start, "proxy", "http://proxy:1\n"), 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_string_equal(start->config.telegram_bot.proxy, "http://proxy:1");
}

static void passwords_of_drivers_are_never_repeated(void **state)
{
    struct start *start = *state;
    static const struct value_row rows[] = {
        {"HERALD_TELEGRAM_GATEWAY_TOKEN", "hunter2 x", false},
        {"HERALD_UCALLER_KEY", "hunter2 x", false},
        {"HERALD_FLASH_TEMPLATE_KEY", "hunter2 x", false},
        {"HERALD_TELEGRAM_BOT_URL", "https://user:hunter2@bot.example", false},
        {"HERALD_TELEGRAM_BOT_PROXY", "httpx://user:hunter2@bot.example", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        empty_environment();
        setenv(rows[i].name, rows[i].value, 1);
        assert_int_equal(load(start, NULL), ERR_VALIDATION);
        assert_says(start, rows[i].name);
        assert_silent(start, "hunter2");
    }
}

static void the_list_shows_no_secret_of_a_driver(void **state)
{
    struct start *start = *state;
    setenv("HERALD_TELEGRAM_GATEWAY_TOKEN", "hunter2", 1);
    setenv("HERALD_UCALLER_KEY", "hunter2", 1);
    setenv("HERALD_UCALLER_PROXY", "http://herald:hunter2@proxy.example:3128", 1);
    setenv("HERALD_UCALLER_SERVICE_ID", "1000", 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    const char *list = printed(start);
    assert_null(strstr(list, "hunter2"));
    assert_non_null(strstr(list, "\nHERALD_TELEGRAM_GATEWAY_TOKEN=(set)\n"));
    assert_non_null(strstr(list, "\nHERALD_TELEGRAM_BOT_TOKEN=(none)\n"));
    assert_non_null(strstr(list, "\nHERALD_UCALLER_PROXY=http://***@proxy.example:3128\n"));
    assert_non_null(strstr(list, "\nHERALD_UCALLER_SERVICE_ID=1000\n"));
    assert_non_null(strstr(list, "\nHERALD_UCALLER_TIMEOUT_MS=10000\n"));
    assert_non_null(strstr(list, "\nHERALD_FLASH_CALL_DRIVER=auto\n"));
    assert_non_null(strstr(list, "\nHERALD_FLASH_TEMPLATE=(none)\n"));
}

static void the_list_shows_a_template_by_its_name(void **state)
{
    struct start *start = *state;
    setenv("HERALD_FLASH_TEMPLATE", "smsru", 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_non_null(strstr(printed(start), "\nHERALD_FLASH_TEMPLATE=smsru\n"));
    empty_environment();
    setenv("HERALD_FLASH_TEMPLATE_FILE", write_file(start, "t.json", own_template), 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_non_null(strstr(printed(start), "\nHERALD_FLASH_TEMPLATE=(a template)\n"));
    assert_null(strstr(printed(start), "calls.example"));
}

/* --- From settings to drivers --- */

/* Loads the environment and makes the channels of it; to be freed. */
static struct channels *open_channels(struct start *start)
{
    struct channels *channels = NULL;
    assert_int_equal(load(start, NULL), ERR_OK);
    if (channels_new(&start->config, &channels, &start->why))
        fail_msg("%s", text_of(start, &start->why));
    assert_int_equal(start->why.len, 0);
    return channels;
}

static void without_settings_no_channel_has_a_driver(void **state)
{
    struct channels *channels = open_channels(*state);
    const struct channel_setup *setup = channels_setup(channels);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        assert_null(setup[i].driver);
        assert_null(setup[i].config.token);
        assert_non_null(setup[i].owner.load); /* of sends from before */
        assert_non_null(setup[i].owner.apply);
    }
    channels_free(channels);
    channels_free(NULL);
}

static void a_token_makes_a_driver(void **state)
{
    struct start *start = *state;
    setenv("HERALD_TELEGRAM_GATEWAY_TOKEN", TOKEN, 1);
    setenv("HERALD_TELEGRAM_GATEWAY_URL", "https://proxy.example/telegram/", 1);
    setenv("HERALD_TELEGRAM_GATEWAY_SENDER", "herald_shop", 1);
    setenv("HERALD_TELEGRAM_GATEWAY_PROXY", "socks5h://127.0.0.1:1080", 1);
    setenv("HERALD_TELEGRAM_GATEWAY_CONNECT_TIMEOUT_MS", "200", 1);
    setenv("HERALD_TELEGRAM_GATEWAY_TIMEOUT_MS", "300", 1);
    struct channels *channels = open_channels(start);
    const struct channel_setup *setup = &channels_setup(channels)[CHANNEL_MESSENGER_GATEWAY];
    assert_ptr_equal(setup->driver, &driver_telegram_gateway);
    assert_string_equal(setup->config.base_url, "https://proxy.example/telegram");
    assert_true(secret_equals(setup->config.token, STR(TOKEN)));
    assert_string_equal(setup->config.sender, "herald_shop");
    assert_null(setup->config.callback_url);
    assert_string_equal(setup->config.route.proxy, "socks5h://127.0.0.1:1080");
    assert_null(setup->config.route.ca_file);
    assert_int_equal(setup->config.route.connect_timeout_ms, 200);
    assert_int_equal(setup->config.route.timeout_ms, 300);
    assert_null(channels_setup(channels)[CHANNEL_MESSENGER_BOT].driver);
    channels_free(channels);

    empty_environment();
    setenv("HERALD_TELEGRAM_BOT_TOKEN", TOKEN, 1);
    channels = open_channels(start);
    setup = &channels_setup(channels)[CHANNEL_MESSENGER_BOT];
    assert_ptr_equal(setup->driver, &driver_telegram_bot);
    assert_string_equal(setup->config.base_url, "https://api.telegram.org");
    assert_int_equal(setup->config.route.connect_timeout_ms, 3000);
    assert_int_equal(setup->config.route.timeout_ms, 10000);
    assert_null(channels_setup(channels)[CHANNEL_MESSENGER_GATEWAY].driver);
    channels_free(channels);
}

/* Telegram reports to https only, and to 256 bytes at most. */
static void reports_are_asked_for_where_they_can_come(void **state)
{
    enum { PATH_LEN = sizeof("/callbacks/telegram-gateway") - 1, URL_MAX = 256 };
    struct start *start = *state;
    char longest[URL_MAX - PATH_LEN + 1], too_long[URL_MAX - PATH_LEN + 2];
    const char *const urls[] = {
        NULL,    "http://h.example", "https://h.example", "https://h.example/herald/", longest,
        too_long};
    const char *const callbacks[] = {NULL,
                                     NULL,
                                     "https://h.example/callbacks/telegram-gateway",
                                     "https://h.example/herald/callbacks/telegram-gateway",
                                     "(256 bytes)",
                                     NULL};
    snprintf(longest, sizeof longest, "https://h%0*d", (int)sizeof longest - 10, 0);
    snprintf(too_long, sizeof too_long, "https://h%0*d", (int)sizeof too_long - 10, 0);
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        empty_environment();
        setenv("HERALD_TELEGRAM_GATEWAY_TOKEN", TOKEN, 1);
        if (urls[i]) setenv("HERALD_PUBLIC_URL", urls[i], 1);
        struct channels *channels = open_channels(start);
        const char *url = channels_setup(channels)[CHANNEL_MESSENGER_GATEWAY].config.callback_url;
        if (!callbacks[i])
            assert_null(url);
        else if (urls[i] == longest)
            assert_int_equal(strlen(url), URL_MAX);
        else
            assert_string_equal(url, callbacks[i]);
        channels_free(channels);
    }
}

/* --- Flash calls --- */

enum { PAIRS_MAX = 6 };

static void set_pairs(const char *const pairs[PAIRS_MAX])
{
    empty_environment();
    for (int i = 0; i < PAIRS_MAX && pairs[i]; i += 2)
        setenv(pairs[i], pairs[i + 1], 1);
}

#define DRIVER(word)   "HERALD_FLASH_CALL_DRIVER", word
#define UCALLER_KEY    "HERALD_UCALLER_KEY", "k"
#define UCALLER_ID     "HERALD_UCALLER_SERVICE_ID", "1000"
#define FLASH(text)    "HERALD_FLASH_TEMPLATE", text
#define TEMPLATE_KEY   "HERALD_FLASH_TEMPLATE_KEY", "k"
#define TEMPLATE_ID    "HERALD_FLASH_TEMPLATE_SERVICE_ID", "s"
#define TEMPLATE_THERE "HERALD_FLASH_TEMPLATE_URL", "http://127.0.0.1:9000/"

static void a_flash_call_driver_is_chosen(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *pairs[PAIRS_MAX];
        const char *driver, *base_url;
    } rows[] = {
        {{UCALLER_KEY, UCALLER_ID}, "ucaller", "https://api.ucaller.ru"},
        {{UCALLER_KEY, UCALLER_ID, FLASH(own_template)}, "ucaller", "https://api.ucaller.ru"},
        {{DRIVER("ucaller"), UCALLER_KEY, UCALLER_ID}, "ucaller", "https://api.ucaller.ru"},
        {{FLASH(own_template)}, "own", NULL},
        {{FLASH(own_template), TEMPLATE_THERE}, "own", "http://127.0.0.1:9000"},
        {{FLASH("smsru"), TEMPLATE_KEY}, "smsru", NULL},
        {{FLASH("smsc"), TEMPLATE_KEY, TEMPLATE_ID}, "smsc", NULL},
        {{DRIVER("flash_template"), UCALLER_KEY, FLASH(own_template)}, "own", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        set_pairs(rows[i].pairs);
        struct channels *channels = open_channels(start);
        const struct channel_setup *setup = &channels_setup(channels)[CHANNEL_FLASH_CALL];
        assert_non_null(setup->driver);
        assert_string_equal(setup->driver->name, rows[i].driver);
        if (rows[i].base_url)
            assert_string_equal(setup->config.base_url, rows[i].base_url);
        else
            assert_null(setup->config.base_url);
        bool is_template = strcmp(rows[i].driver, "ucaller") != 0;
        assert_int_equal(setup->config.template != NULL, is_template);
        if (!is_template) assert_string_equal(setup->config.service_id, "1000");
        channels_free(channels);
    }
}

static void what_a_driver_needs_must_be_there(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *pairs[PAIRS_MAX];
        const char *missing;
    } rows[] = {
        {{UCALLER_KEY}, "HERALD_UCALLER_SERVICE_ID is not set"},
        {{DRIVER("ucaller")}, "HERALD_UCALLER_KEY is not set"},
        {{DRIVER("ucaller"), UCALLER_ID}, "HERALD_UCALLER_KEY is not set"},
        {{DRIVER("ucaller"), FLASH(own_template)}, "HERALD_UCALLER_KEY is not set"},
        {{DRIVER("flash_template")}, "HERALD_FLASH_TEMPLATE is not set"},
        {{DRIVER("flash_template"), UCALLER_KEY, UCALLER_ID}, "HERALD_FLASH_TEMPLATE is not set"},
        {{FLASH("smsru")}, "HERALD_FLASH_TEMPLATE_KEY is not set"},
        {{FLASH("smsc"), TEMPLATE_KEY}, "HERALD_FLASH_TEMPLATE_SERVICE_ID is not set"},
        {{FLASH("smsc"), TEMPLATE_ID}, "HERALD_FLASH_TEMPLATE_KEY is not set"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct channels *channels;
        set_pairs(rows[i].pairs);
        assert_int_equal(load(start, NULL), ERR_OK);
        assert_int_equal(channels_new(&start->config, &channels, &start->why), ERR_VALIDATION);
        assert_says(start, rows[i].missing);
        assert_says(start, strcmp(rows[i].pairs[0], "HERALD_FLASH_CALL_DRIVER") == 0
                               ? "from the environment"
                               : "from the default");
    }
}

/* Also while another driver is in use. */
static void a_template_with_a_fault_stops_the_start(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *pairs[PAIRS_MAX];
        const char *says;
    } rows[] = {
        {{FLASH("smsrus")}, "smsru, unibell, plusofon, zvonok, smsc"},
        {{FLASH("{\"name\":1}")}, "name: "},
        {{FLASH("{\"name\":1}"), UCALLER_KEY, UCALLER_ID}, "name: "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct channels *channels;
        set_pairs(rows[i].pairs);
        assert_int_equal(load(start, NULL), ERR_OK);
        assert_int_equal(channels_new(&start->config, &channels, &start->why), ERR_VALIDATION);
        assert_says(start, "HERALD_FLASH_TEMPLATE from the environment");
        assert_says(start, rows[i].says);
    }
    const char *path = write_file(start, "t.json", "{}");
    struct channels *channels;
    empty_environment();
    setenv("HERALD_FLASH_TEMPLATE_FILE", path, 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_int_equal(channels_new(&start->config, &channels, &start->why), ERR_VALIDATION);
    assert_says(start, path);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_of_drivers_are_checked_at_their_ends),
        CASE(the_way_of_calls_is_checked_for_each_driver),
        CASE(a_ca_file_is_no_file_with_a_value_in_it),
        CASE(passwords_of_drivers_are_never_repeated),
        CASE(the_list_shows_no_secret_of_a_driver),
        CASE(the_list_shows_a_template_by_its_name),
        CASE(without_settings_no_channel_has_a_driver),
        CASE(a_token_makes_a_driver),
        CASE(reports_are_asked_for_where_they_can_come),
        CASE(a_flash_call_driver_is_chosen),
        CASE(what_a_driver_needs_must_be_there),
        CASE(a_template_with_a_fault_stops_the_start),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("config_drivers", tests, NULL, NULL);
}
