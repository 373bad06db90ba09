/* app/setup/config: the herald of this machine is found (contract, section 11.10). */
#include "config_start.h"

#include <sys/wait.h>

enum { NOBODY = 65534 };

static enum err load_installed(struct start *start, const char *const args[ARGS_MAX],
                               struct config_installed *installed)
{
    char *copies[ARGS_MAX];
    int count = 0;
    for (; args && count < ARGS_MAX && args[count]; count++)
        copies[count] = arena_text(&start->arena, args[count]);
    buf_clear(&start->why);
    config_forget_secrets(&start->config);
    return config_load_installed(count, copies, installed, &start->arena, &start->config,
                                 &start->why);
}

static struct config_installed install(struct start *start, const char *settings)
{
    return (struct config_installed){.file = write_file(start, "herald.conf", settings),
                                     .state_dir = "/srv/herald"};
}

static void test_its_settings_and_its_folder_count(void **state)
{
    struct start *start = *state;
    struct config_installed installed = install(start, "HERALD_LISTEN=127.0.0.1:1\n");

    assert_int_equal(load_installed(start, NULL, &installed), ERR_OK);
    assert_true(installed.is_read);
    assert_string_equal(start->config.listen, "127.0.0.1:1");
    assert_string_equal(start->config.state_dir, "/srv/herald");
    assert_string_equal(config_source(&start->config, "HERALD_STATE_DIR"), "the installed service");
}

static void test_it_may_name_another_folder(void **state)
{
    struct start *start = *state;
    struct config_installed installed = install(start, "HERALD_STATE_DIR=/elsewhere\n");

    assert_int_equal(load_installed(start, NULL, &installed), ERR_OK);
    assert_string_equal(start->config.state_dir, "/elsewhere");
}

static void test_flags_and_the_environment_weigh_more(void **state)
{
    static const char *const args[ARGS_MAX] = {"--listen=127.0.0.1:3"};
    struct start *start = *state;
    struct config_installed installed = install(start, "HERALD_LISTEN=127.0.0.1:1\n");

    setenv("HERALD_LISTEN", "127.0.0.1:2", 1);
    assert_int_equal(load_installed(start, NULL, &installed), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:2");
    assert_int_equal(load_installed(start, args, &installed), ERR_OK);
    assert_string_equal(start->config.listen, "127.0.0.1:3");
    assert_string_equal(start->config.state_dir, "/srv/herald");
}

static void test_another_one_that_is_named_counts_alone(void **state)
{
    struct start *start = *state;
    const char *other = write_file(start, "other.conf", "HERALD_LISTEN=127.0.0.1:4\n");
    const char *const rows[][ARGS_MAX] = {
        {"--config", other},
        {"--state-dir=x"},
        {"--state-dir", "x"},
        {"--database-url", "sqlite:x.db"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct config_installed installed = install(start, "HERALD_LISTEN=127.0.0.1:1\n");
        assert_int_equal(load_installed(start, rows[i], &installed), ERR_OK);
        assert_false(installed.is_read);
        assert_string_not_equal(start->config.listen, "127.0.0.1:1");
        assert_string_not_equal(start->config.state_dir, "/srv/herald");
    }
    static const char *const names[] = {"HERALD_STATE_DIR", "HERALD_DATABASE_URL"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct config_installed installed = install(start, "HERALD_LISTEN=127.0.0.1:1\n");
        setenv(names[i], "sqlite:x", 1);
        assert_int_equal(load_installed(start, NULL, &installed), ERR_OK);
        assert_false(installed.is_read);
        unsetenv(names[i]);
    }
}

static void test_a_machine_may_have_none(void **state)
{
    struct start *start = *state;
    struct config_installed installed = {.file = "/nowhere/herald.conf", .state_dir = "/srv"};

    assert_int_equal(load_installed(start, NULL, &installed), ERR_OK);
    assert_false(installed.is_read || installed.is_closed);
    assert_string_equal(start->config.state_dir, "./var");
    config_explain_closed(&installed, &start->why);
    assert_int_equal(start->why.len, 0);
}

static void test_a_wrong_setting_in_it_is_refused(void **state)
{
    struct start *start = *state;
    struct config_installed installed = install(start, "HERALD_LISTEN=nowhere\n");

    assert_int_equal(load_installed(start, NULL, &installed), ERR_VALIDATION);
    assert_says(start, "herald.conf, line 1");
}

/* The folder is closed, so nobody can tell whether the file is there. */
static void test_who_may_not_read_it_is_told_so(void **state)
{
    struct start *start = *state;
    struct config_installed installed = install(start, "HERALD_LISTEN=127.0.0.1:1\n");

    if (geteuid() != 0) skip();
    pid_t child = fork();
    if (child == 0) {
        if (setresuid(NOBODY, NOBODY, NOBODY)) _exit(2);
        bool is_right = load_installed(start, NULL, &installed) == ERR_OK && installed.is_closed &&
                        !installed.is_read;
        config_explain_closed(&installed, &start->why);
        _exit(is_right && strstr(text_of(start, &start->why), "sudo") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_its_settings_and_its_folder_count),
        CASE(test_it_may_name_another_folder),
        CASE(test_flags_and_the_environment_weigh_more),
        CASE(test_another_one_that_is_named_counts_alone),
        CASE(test_a_machine_may_have_none),
        CASE(test_a_wrong_setting_in_it_is_refused),
        CASE(test_who_may_not_read_it_is_told_so),
    };
    return cmocka_run_group_tests_name("config_installed", tests, NULL, NULL);
}
