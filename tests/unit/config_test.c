/* app/setup/config: sources, what is refused, and the keys of the first start (contract, section
 * 7). Which values a setting takes is in config_values_test.c. */
#include "app/setup/key_watch.h"
#include "app/setup/stores.h"
#include "config_start.h"
#include "domain/sms/sms_text.h"

#include <dirent.h>

/* --- Weight --- */

static void defaults_are_those_of_the_contract(void **state)
{
    struct start *start = *state;
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:8080");
    assert_string_equal(start->config.database_url, "sqlite:herald.db");
    assert_string_equal(start->config.state_dir, "./var");
    assert_null(start->config.secret_key.data);
    assert_null(start->config.internal_keys.data);
    assert_false(start->config.is_log_sensitive);
    assert_string_equal(start->config.trusted_proxies, "");
    assert_string_equal(start->config.erp_networks, "public,private");
    assert_int_equal(start->config.connections_per_address, CONFIG_AUTO);
}

/* Default, file, environment, flag: each is set together with all that weigh less. */
static void a_heavier_source_wins(void **state)
{
    struct start *start = *state;
    const char *path = write_file(start, "herald.conf", "HERALD_LISTEN=127.0.0.1:1\n");
    const char *const file[ARGS_MAX] = {"--config", path};
    const char *const both[ARGS_MAX] = {"--listen=127.0.0.1:3", "--config", path};
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:8080");
    assert_int_equal(load(start, file), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:1");
    setenv("HERALD_LISTEN", "127.0.0.1:2", 1);
    assert_int_equal(load(start, file), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:2");
    assert_int_equal(load(start, both), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:3");
}

static void a_file_has_lines_and_comments(void **state)
{
    struct start *start = *state;
    const char *path = write_file(start, "herald.conf",
                                  "# a comment\r\n"
                                  "\n"
                                  "  HERALD_LISTEN = 127.0.0.1:1  \r\n"
                                  "HERALD_PUBLIC_URL=https://h.example.com/a=b\n"
                                  "LOG_SENSITIVE=true\n"
                                  "HERALD_SMS_LANGUAGE=en"); /* without a line end */
    const char *const args[ARGS_MAX] = {"--config", path};
    assert_int_equal(load(start, args), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:1");
    assert_string_equal(start->config.public_url, "https://h.example.com/a=b");
    assert_true(start->config.is_log_sensitive);
    assert_int_equal(start->config.sms_language, SMS_ENGLISH);
}

static void flags_come_in_two_shapes(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--listen", "127.0.0.1:5", "--log-sensitive=true",
                                        "--database-connections=20"};
    assert_int_equal(load(start, args), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:5");
    assert_true(start->config.is_log_sensitive);
    assert_int_equal(start->config.database_connections, 20);
}

/* --- Bad values --- */

static void a_complaint_names_its_source(void **state)
{
    struct start *start = *state;
    const char *path = write_file(start, "herald.conf", "\nHERALD_EVENT_LOOPS=0\n");
    const char *const file[ARGS_MAX] = {"--config", path};
    const char *const flag[ARGS_MAX] = {"--event-loops", "none"};
    assert_int_equal(load(start, file), ERR_VALIDATION);
    assert_says(start, "HERALD_EVENT_LOOPS");
    assert_says(start, arena_printf(&start->arena, "%s, line 2", path));
    assert_says(start, "from 1 to 64");
    assert_int_equal(load(start, flag), ERR_VALIDATION);
    assert_says(start, "--event-loops");
    assert_says(start, "\"none\"");
    setenv("HERALD_LOG_LEVEL", "loud", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "debug, info, warning, error");
    unsetenv("HERALD_LOG_LEVEL");
    setenv("HERALD_ERP_NETWORKS", "public,10.0.0.1/8", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "HERALD_ERP_NETWORKS from the environment is \"public,10.0.0.1/8\"");
    assert_says(start, "it must be public, private, loopback, or networks such as 10.1.0.0/16");
}

static void unknown_names_are_refused(void **state)
{
    struct start *start = *state;
    const char *const file[ARGS_MAX] = {
        "--config", write_file(start, "herald.conf", "HERALD_LISTENN=127.0.0.1:1\n")};
    const char *const flag[ARGS_MAX] = {"--listenn=127.0.0.1:1"};
    const char *const word[ARGS_MAX] = {"listen"};
    const char *const no_file[ARGS_MAX] = {"--config=/nowhere/herald.conf"};
    const char *const no_pair[ARGS_MAX] = {"--config", write_file(start, "bad.conf", "LISTEN\n")};
    assert_int_equal(load(start, file), ERR_VALIDATION);
    assert_says(start, "HERALD_LISTENN");
    assert_int_equal(load(start, flag), ERR_VALIDATION);
    assert_says(start, "--listenn");
    assert_int_equal(load(start, word), ERR_VALIDATION);
    assert_int_equal(load(start, no_file), ERR_VALIDATION);
    assert_says(start, "/nowhere/herald.conf");
    assert_int_equal(load(start, no_pair), ERR_VALIDATION);
    assert_says(start, "line 1");
    setenv("HERALD_LISTENN", "127.0.0.1:1", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "HERALD_LISTENN");
    empty_environment();
    setenv("PATH", "/usr/bin", 1); /* what is not ours is not looked at */
    setenv("LOG_LEVEL", "loud", 1);
    assert_int_equal(load(start, NULL), ERR_OK);
}

/* A fault of the flag itself is told before a value is missed. */
static void a_flag_is_known_before_its_value_is_missed(void **state)
{
    static const struct {
        const char *flag, *said;
    } rows[] = {
        {"--listen", "--listen needs a value: --listen=VALUE."},
        {"--config", "--config needs a value: --config=VALUE."},
        {"--listenn", "--listenn is no flag of herald. `herald config` lists the settings."},
        {"--secret-key", "HERALD_SECRET_KEY is a secret and a flag can be seen by others"},
        {"-l", "\"-l\" is not understood here."},
    };
    struct start *start = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const args[ARGS_MAX] = {"--log-level=info", rows[i].flag};
        assert_int_equal(load(start, args), ERR_VALIDATION);
        assert_says(start, rows[i].said);
    }
}

/* --- The first start --- */

/* Completes a fresh start with the state folder given. */
static enum err complete(struct start *start, const char *folder, enum process_role role)
{
    setenv("HERALD_STATE_DIR", folder, 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    buf_clear(&start->notes);
    return config_complete(&start->config, role, &start->arena, &start->notes, &start->why);
}

static void assert_mode(const char *path, mode_t mode)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, mode);
}

static void the_first_start_makes_keys_that_stay(void **state)
{
    struct start *start = *state;
    const char *folder = arena_printf(&start->arena, "%s/deep/var", start->folder);
    umask(0);
    assert_int_equal(complete(start, folder, PROCESS_SERVE), ERR_OK);
    umask(022);
    const char *secret_key = start->config.secret_key.data,
               *internal = start->config.internal_keys.data;
    assert_int_equal(strlen(secret_key), SECRET_TOKEN_LEN);
    assert_true(strlen(internal) >= SECRET_TOKEN_LEN);
    assert_mode(folder, 0700);
    assert_mode(arena_printf(&start->arena, "%s/secret-key", folder), 0600);
    assert_mode(arena_printf(&start->arena, "%s/internal-api-key", folder), 0600);
    assert_string_equal(start->config.database_url,
                        arena_printf(&start->arena, "sqlite:%s/herald.db", folder));
    const char *notes = text_of(start, &start->notes);
    assert_non_null(strstr(notes, folder)); /* says where they are, not what */
    assert_null(strstr(notes, secret_key));
    assert_null(strstr(notes, internal));
    struct vault *vault;
    assert_int_equal(vault_new(str_of(secret_key), &vault), ERR_OK);
    vault_free(vault);

    assert_int_equal(complete(start, folder, PROCESS_SERVE), ERR_OK);
    assert_string_equal(start->config.secret_key.data, secret_key);
    assert_string_equal(start->config.internal_keys.data, internal);
    assert_int_equal(start->notes.len, 0);
}

static int is_no_key(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "secret-key") != 0 &&
           strcmp(entry->d_name, "internal-api-key") != 0;
}

/* Nothing is written to what already has the name of a file to be made, or of a draft that could be
 * foretold; and no draft is left. */
static void making_keys_touches_no_other_file(void **state)
{
    struct start *start = *state;
    struct dirent **entries;
    const char *bait = write_file(start, "bait", "bait");
    const char *draft =
        arena_printf(&start->arena, "%s/var/secret-key.%ld", start->folder, (long)getpid());
    assert_int_equal(mkdir(arena_printf(&start->arena, "%s/var", start->folder), 0700), 0);
    assert_int_equal(symlink(bait, draft), 0);
    const char *folder = arena_printf(&start->arena, "%s/var", start->folder);
    assert_int_equal(complete(start, folder, PROCESS_SERVE), ERR_OK);
    char text[8] = "";
    FILE *file = fopen(bait, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "bait");
    assert_int_equal(unlink(draft), 0);
    assert_int_equal(scandir(folder, &entries, is_no_key, alphasort), 0);
    free(entries);
}

static void keys_that_were_given_are_not_made(void **state)
{
    struct start *start = *state;
    setenv("HERALD_SECRET_KEY", KEY, 1);
    setenv("INTERNAL_API_KEY", "one", 1);
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_OK);
    assert_string_equal(start->config.secret_key.data, KEY);
    assert_string_equal(start->config.internal_keys.data, "one");
    assert_int_equal(access(arena_printf(&start->arena, "%s/secret-key", start->folder), F_OK), -1);
}

static void a_key_file_that_is_no_good_is_not_replaced(void **state)
{
    struct start *start = *state;
    const char *path = write_file(start, "secret-key", "");
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_VALIDATION);
    assert_says(start, path);
    assert_int_equal(unlink(path), 0);
    /* It is there and cannot be read: a new key would make all that is stored worthless. */
    assert_int_equal(symlink("secret-key", path), 0);
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_VALIDATION);
}

static void roles_need_what_they_need(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *url;
        bool has_secret, has_internal;
        enum process_role role;
        bool is_fine;
        const char *says;
    } rows[] = {
        {"sqlite:x.db", true, true, PROCESS_API, false, "herald serve"},
        {"sqlite:x.db", true, true, PROCESS_WORKER, false, "herald serve"},
        {"sqlite:x.db", true, true, PROCESS_IDP, false, "herald serve"},
        {"sqlite:x.db", false, false, PROCESS_TOOL, true, ""},
        {"sqlite:x.db", false, false, PROCESS_MIGRATE, true, ""},
        {"postgresql://h@db/h", true, true, PROCESS_SERVE, true, ""},
        {"postgresql://h@db/h", true, true, PROCESS_API, true, ""},
        {"postgresql://h@db/h", true, true, PROCESS_IDP, true, ""},
        {"postgresql://h@db/h", false, true, PROCESS_SERVE, false, "HERALD_SECRET_KEY"},
        {"postgresql://h@db/h", true, false, PROCESS_SERVE, false, "INTERNAL_API_KEY"},
        {"postgresql://h@db/h", true, false, PROCESS_API, false, "INTERNAL_API_KEY"},
        {"postgresql://h@db/h", false, true, PROCESS_WORKER, false, "HERALD_SECRET_KEY"},
        {"postgresql://h@db/h", false, true, PROCESS_IDP, false, "HERALD_SECRET_KEY"},
        {"postgresql://h@db/h", false, false, PROCESS_TOOL, true, ""},
        {"postgresql://h@db/h", false, false, PROCESS_MIGRATE, true, ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        empty_environment();
        setenv("HERALD_DATABASE_URL", rows[i].url, 1);
        if (rows[i].has_secret) setenv("HERALD_SECRET_KEY", KEY, 1);
        if (rows[i].has_internal) setenv("INTERNAL_API_KEY", "one", 1);
        enum err err = complete(start, start->folder, rows[i].role);
        assert_int_equal(err == ERR_OK, rows[i].is_fine);
        if (!rows[i].is_fine) assert_says(start, rows[i].says);
    }
    /* A tool makes no keys. */
    assert_int_equal(access(arena_printf(&start->arena, "%s/secret-key", start->folder), F_OK), -1);
}

/* Two files embedded, one database on PostgreSQL. */
static void the_exchange_store_lies_beside_the_other(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *url, *exchange_url;
    } rows[] = {
        {"sqlite:/srv/herald.db", "sqlite:/srv/herald-exchange.db"},
        {"sqlite:/srv/a.b/data", "sqlite:/srv/a.b/data-exchange"},
        {"sqlite:/srv/.db", "sqlite:/srv/-exchange.db"},
        {"postgresql://h@db/h.db", "postgresql://h@db/h.db"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("HERALD_DATABASE_URL", rows[i].url, 1);
        assert_int_equal(complete(start, start->folder, PROCESS_TOOL), ERR_OK);
        assert_string_equal(start->config.exchange_url, rows[i].exchange_url);
    }
}

/* Starts on the files of the state folder, once. */
static void use_stores(struct start *start)
{
    struct vault *vault;
    assert_int_equal(vault_new(STR(KEY), &vault), ERR_OK);
    struct service service = {.vault = vault, .key_watch = &(struct key_watch){0}};
    enum err err = stores_open(&service, &start->config, &start->why);
    if (err) fail_msg("%s", text_of(start, &start->why));
    stores_close(&service);
    vault_free(vault);
}

/* A new key would open neither of them. */
static void stores_without_their_key_are_told(void **state)
{
    struct start *start = *state;
    setenv("HERALD_SECRET_KEY", KEY, 1);
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_OK);
    use_stores(start);
    unsetenv("HERALD_SECRET_KEY");
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_VALIDATION);
    assert_says(start, arena_printf(&start->arena, "%s/secret-key is missing", start->folder));
    assert_int_equal(access(arena_printf(&start->arena, "%s/secret-key", start->folder), F_OK), -1);
}

/* Nothing in them was sealed yet. */
static void stores_that_were_only_migrated_get_a_key(void **state)
{
    struct start *start = *state;
    bool are_current;
    assert_int_equal(complete(start, start->folder, PROCESS_MIGRATE), ERR_OK);
    assert_int_equal(stores_migrate(&start->config, true, &start->notes, &are_current, &start->why),
                     ERR_OK);
    assert_true(are_current);
    assert_int_equal(complete(start, start->folder, PROCESS_SERVE), ERR_OK);
    assert_int_equal(access(arena_printf(&start->arena, "%s/secret-key", start->folder), F_OK), 0);
}

static void a_tool_makes_nothing(void **state)
{
    struct start *start = *state;
    const char *folder = arena_printf(&start->arena, "%s/var", start->folder);
    assert_int_equal(complete(start, folder, PROCESS_TOOL), ERR_OK);
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(complete(start, folder, PROCESS_MIGRATE), ERR_OK);
    assert_mode(folder, 0700);
    assert_int_equal(rmdir(folder), 0); /* and no key in it */
}

static void the_own_address_ends_without_a_slash(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *public_url; /* NULL: not set */
        const char *own_url, *token_url;
    } rows[] = {
        {NULL, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/oauth/token"},
        {"https://h.example.com", "https://h.example.com", "https://h.example.com/v1/oauth/token"},
        {"https://h.example.com/", "https://h.example.com", "https://h.example.com/v1/oauth/token"},
        {"https://h.example.com/a//", "https://h.example.com/a",
         "https://h.example.com/a/v1/oauth/token"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].public_url) setenv("HERALD_PUBLIC_URL", rows[i].public_url, 1);
        assert_int_equal(complete(start, start->folder, PROCESS_TOOL), ERR_OK);
        assert_string_equal(start->config.own_url, rows[i].own_url);
        assert_string_equal(start->config.token_url, rows[i].token_url);
    }
}

/* An issuer of port 0 would be nobody's address. */
static void port_0_becomes_the_one_that_is_taken(void **state)
{
    struct start *start = *state;
    static const struct {
        const char *listen, *address, *public_url;
        const char *own_url;
    } rows[] = {
        {"127.0.0.1:0", "127.0.0.1:41234", NULL, "http://127.0.0.1:41234"},
        {"localhost:0", "127.0.0.1:41234", NULL, "http://localhost:41234"},
        {"[::1]:00", "[::1]:41234", NULL, "http://[::1]:41234"},
        {"localhost:8081", "127.0.0.1:8081", NULL, "http://localhost:8081"},
        {"127.0.0.1:0", "127.0.0.1:41234", "https://h.example/", "https://h.example"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("HERALD_LISTEN", rows[i].listen, 1);
        if (rows[i].public_url) setenv("HERALD_PUBLIC_URL", rows[i].public_url, 1);
        assert_int_equal(complete(start, start->folder, PROCESS_TOOL), ERR_OK);
        config_set_ports(&start->config, rows[i].address, &start->arena);
        assert_string_equal(start->config.own_url, rows[i].own_url);
        assert_string_equal(start->config.token_url,
                            arena_printf(&start->arena, "%s/v1/oauth/token", rows[i].own_url));
    }
    assert_string_equal(start->config.listen, "127.0.0.1:41234");
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    struct start *start = *state;
    const char *file = write_file(start, "file", "x");
    const char *folder = arena_printf(&start->arena, "%s/var", file);
    assert_int_equal(complete(start, folder, PROCESS_SERVE), ERR_VALIDATION);
    assert_says(start, "HERALD_STATE_DIR");
}

/* --- The key of a tool --- */

static void test_key_comes_from_the_settings_or_the_file_of_serve(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--state-dir", start->folder};

    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why),
                     ERR_VALIDATION);
    assert_says(start, "internal-api-key");
    write_file(start, "internal-api-key", "from-file\n");
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why), ERR_OK);
    assert_string_equal(start->config.internal_keys.data, "from-file");
    setenv("INTERNAL_API_KEY", "from-environment", 1);
    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why), ERR_OK);
    assert_string_equal(start->config.internal_keys.data, "from-environment");
}

static void test_no_key_is_made_up_for_postgresql(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--state-dir", start->folder};

    write_file(start, "internal-api-key", "from-file\n");
    setenv("HERALD_DATABASE_URL", "postgresql://h@db/herald", 1);
    assert_int_equal(load(start, args), ERR_OK);
    assert_int_equal(config_find_internal_key(&start->config, &start->arena, &start->why),
                     ERR_VALIDATION);
    assert_says(start, "INTERNAL_API_KEY is not set");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(defaults_are_those_of_the_contract),
        CASE(a_heavier_source_wins),
        CASE(a_file_has_lines_and_comments),
        CASE(flags_come_in_two_shapes),
        CASE(a_complaint_names_its_source),
        CASE(unknown_names_are_refused),
        CASE(a_flag_is_known_before_its_value_is_missed),
        CASE(the_first_start_makes_keys_that_stay),
        CASE(making_keys_touches_no_other_file),
        CASE(keys_that_were_given_are_not_made),
        CASE(a_key_file_that_is_no_good_is_not_replaced),
        CASE(roles_need_what_they_need),
        CASE(the_exchange_store_lies_beside_the_other),
        CASE(stores_without_their_key_are_told),
        CASE(stores_that_were_only_migrated_get_a_key),
        CASE(a_tool_makes_nothing),
        CASE(the_own_address_ends_without_a_slash),
        CASE(port_0_becomes_the_one_that_is_taken),
        CASE(a_folder_that_cannot_be_made_is_told),
        CASE(test_key_comes_from_the_settings_or_the_file_of_serve),
        CASE(test_no_key_is_made_up_for_postgresql),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
