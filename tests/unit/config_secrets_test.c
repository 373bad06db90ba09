/* app/setup/config: what becomes of secrets among the settings, and who is shown them (contract,
 * section 7; doc A, section 5). */
#include "config_start.h"

#include <sys/socket.h>
#include <sys/un.h>

/* --- Secrets --- */

static void a_secret_comes_from_a_file(void **state)
{
    struct start *start = *state;
    setenv("HERALD_SECRET_KEY_FILE", write_file(start, "secret", KEY "\n"), 1);
    setenv("INTERNAL_API_KEY_FILE", write_file(start, "internal", "one,two\r\n"), 1);
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_string_equal(start->config.secret_key.data, KEY);
    assert_string_equal(start->config.internal_keys.data, "one,two");

    setenv("INTERNAL_API_KEY_FILE", "/nowhere/internal", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_says(start, "/nowhere/internal");
    empty_environment();
    setenv("HERALD_LISTEN_FILE", write_file(start, "listen", "127.0.0.1:1"), 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION); /* only secrets have one */
}

/* A row says what can lie where a file should, and what is said of it. */
static const struct wrong_file {
    const char *kind, *target, *words; /* target: what a link leads to */
    const char *text;
    size_t len;
} wrong_files[] = {
    {"missing", NULL, "no file"},
    {"link", "nowhere", "is a link that leads to nothing"},
    {"folder", NULL, "is a folder"},
    {"pipe", NULL, "is a pipe"},
    {"socket", NULL, "is a socket"},
    {"device", "/dev/zero", "is a device"},
    {"terminal", "/dev/tty", "cannot be read"}, /* there is none, or it is a device */
    {"circle", "circle", "Too many levels"},
    {"empty", NULL, "is empty", "", 0},
    {"blank", NULL, "is empty", " \r\n\n", 4},
    {"long", NULL, "is larger than 64 KiB", NULL, 64 * 1024 + 1},
    {"binary", NULL, "holds bytes that are no text", KEY "\0", sizeof KEY},
    {"no UTF-8", NULL, "holds bytes that are no text", "\xff\xfe\n", 3},
};

/* At the path `name` in the start's folder. */
static const char *put_wrong_file(struct start *start, const char *name,
                                  const struct wrong_file *wrong)
{
    const char *path = arena_printf(&start->arena, "%s/%s", start->folder, name);
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)remove(path);
    if (wrong->target)
        assert_int_equal(symlink(strcmp(wrong->kind, "circle") == 0 ? path : wrong->target, path),
                         0);
    else if (strcmp(wrong->kind, "folder") == 0)
        assert_int_equal(mkdir(path, 0700), 0);
    else if (strcmp(wrong->kind, "pipe") == 0)
        assert_int_equal(mkfifo(path, 0600), 0);
    else if (strcmp(wrong->kind, "socket") == 0) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
        close(fd);
    } else if (strcmp(wrong->kind, "missing") != 0) {
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        for (size_t i = 0; i < wrong->len; i++)
            fputc(wrong->text ? wrong->text[i] : 'x', file);
        fclose(file);
    }
    return path;
}

/* The start ends with a sentence that names the file, what it is, and the setting; it hangs
 * nowhere.
 */
static void what_is_no_file_is_told(void **state)
{
    struct start *start = *state;
    static const char *const names[] = {"HERALD_SECRET_KEY_FILE", "INTERNAL_API_KEY_FILE",
                                        "HERALD_TELEGRAM_BOT_TOKEN_FILE",
                                        "HERALD_DATABASE_URL_FILE", "HERALD_FLASH_TEMPLATE_FILE"};
    alarm(60);
    for (size_t i = 0; i < COUNT_OF(wrong_files) * COUNT_OF(names); i++) {
        const struct wrong_file *wrong = &wrong_files[i / COUNT_OF(names)];
        const char *path = put_wrong_file(start, "value", wrong);
        empty_environment();
        setenv(names[i % COUNT_OF(names)], path, 1);
        assert_int_equal(load(start, NULL), ERR_VALIDATION);
        assert_says(start, path);
        assert_says(start, wrong->words);
        assert_says(start, names[i % COUNT_OF(names)]);
    }
    alarm(0);
}

static void what_is_no_key_file_is_told_and_stays(void **state)
{
    struct start *start = *state;
    static const char *const names[] = {"secret-key", "internal-api-key"};
    static const char *const settings[] = {"HERALD_SECRET_KEY", "INTERNAL_API_KEY"};
    alarm(60);
    for (size_t i = 2; i < COUNT_OF(wrong_files) * COUNT_OF(names); i++) {
        const struct wrong_file *wrong = &wrong_files[i / 2];
        struct stat before, after;
        (void)remove(arena_printf(&start->arena, "%s/secret-key", start->folder));
        const char *path = put_wrong_file(start, names[i % 2], wrong);
        assert_int_equal(lstat(path, &before), 0);
        empty_environment();
        setenv("HERALD_STATE_DIR", start->folder, 1);
        assert_int_equal(load(start, NULL), ERR_OK);
        assert_int_equal(config_complete(&start->config, PROCESS_SERVE, &start->arena,
                                         &start->notes, &start->why),
                         ERR_VALIDATION);
        assert_says(start, path);
        assert_says(start, wrong->words);
        assert_says(start, settings[i % 2]);
        assert_int_equal(lstat(path, &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
    }
    alarm(0);
}

/* Certificates are read by others later: a start that they would hang is refused. */
static void certificates_lie_in_a_file(void **state)
{
    struct start *start = *state;
    alarm(60);
    for (size_t i = 0; i < COUNT_OF(wrong_files); i++) {
        bool is_file = wrong_files[i].len > 0;
        empty_environment();
        setenv("HERALD_TELEGRAM_BOT_CA_FILE", put_wrong_file(start, "ca", &wrong_files[i]), 1);
        assert_int_equal(load(start, NULL), is_file ? ERR_OK : ERR_VALIDATION);
        if (!is_file) assert_says(start, "HERALD_TELEGRAM_BOT_CA_FILE");
    }
    alarm(0);
}

/* Not even a wrong one, from wherever it came. */
static void secrets_are_never_repeated(void **state)
{
    struct start *start = *state;
    const char *const file[ARGS_MAX] = {
        "--config", write_file(start, "herald.conf", "HERALD_SECRET_KEY=hunter2\n")};
    const char *const flag[ARGS_MAX] = {"--internal-api-key=hunter2"};
    const char *const secret_flag[ARGS_MAX] = {"--secret-key", KEY};
    setenv("INTERNAL_API_KEY", "hunter2 hunter2", 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_silent(start, "hunter2");
    empty_environment();
    assert_int_equal(load(start, file), ERR_VALIDATION);
    assert_silent(start, "hunter2");
    assert_says(start, "HERALD_SECRET_KEY");
    /* A flag can be seen by others: it takes no secret at all. */
    assert_int_equal(load(start, flag), ERR_VALIDATION);
    assert_silent(start, "hunter2");
    assert_int_equal(load(start, secret_flag), ERR_VALIDATION);
    assert_silent(start, KEY);
    setenv("HERALD_SECRET_KEY_FILE", write_file(start, "key", "hunter2"), 1);
    assert_int_equal(load(start, NULL), ERR_VALIDATION);
    assert_silent(start, "hunter2");
}

/* A mistyped database URL holds its password all the same. */
static void a_complaint_never_tells_the_password_of_a_database(void **state)
{
    struct start *start = *state;
    static const char *const urls[] = {"postgre://herald:hunter2@db/herald",
                                       "postgresql:/herald:hunter2@db/herald",
                                       "herald:hunter2@db/herald"};
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        setenv("HERALD_DATABASE_URL", urls[i], 1);
        assert_int_equal(load(start, NULL), ERR_VALIDATION);
        assert_says(start, "HERALD_DATABASE_URL");
        assert_silent(start, "hunter2");
    }
}

static void the_list_shows_values_sources_and_no_secret(void **state)
{
    struct start *start = *state;
    const char *const args[ARGS_MAX] = {"--listen=127.0.0.1:5"};
    setenv("HERALD_SECRET_KEY", KEY, 1);
    setenv("INTERNAL_API_KEY", "hunter2", 1);
    setenv("HERALD_DATABASE_URL", "postgresql://herald:hunter2@db/herald", 1);
    assert_int_equal(load(start, args), ERR_OK);
    const char *list = printed(start);
    assert_non_null(strstr(list, "# From --listen.\nHERALD_LISTEN=127.0.0.1:5\n"));
    assert_non_null(strstr(list, "# From the default.\nHERALD_EVENT_LOOPS=2\n"));
    assert_non_null(strstr(list, "# From the environment.\nHERALD_DATABASE_URL=postgresql://"));
    assert_null(strstr(list, KEY));
    assert_null(strstr(list, "hunter2"));
}

/* libpq takes a password as a parameter, too. */
static void the_list_shows_no_password_wherever_it_stands(void **state)
{
    struct start *start = *state;
    static const char *const urls[] = {
        "postgresql://db/herald?user=herald&password=hunter2",
        "postgresql://herald@db/herald?password=hunter2&sslmode=require",
    };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        setenv("HERALD_DATABASE_URL", urls[i], 1);
        assert_int_equal(load(start, NULL), ERR_OK);
        if (strstr(printed(start), "hunter2")) fail_msg("%s is shown whole", urls[i]);
    }
}

/* --- What others see of it --- */

static void what_was_read_of_the_environment_is_overwritten(void **state)
{
    struct start *start = *state;
    setenv("INTERNAL_API_KEY", "canary-key", 1);
    setenv("HERALD_DATABASE_URL", "postgresql://herald:canary@db/herald", 1);
    setenv("HERALD_LISTEN", "127.0.0.1:9000", 1);
    const char *key = getenv("INTERNAL_API_KEY"), *url = getenv("HERALD_DATABASE_URL");
    assert_int_equal(load(start, NULL), ERR_OK);
    assert_string_equal(start->config.internal_keys.data, "canary-key");
    assert_string_equal(start->config.database_url, "postgresql://herald:canary@db/herald");
    for (size_t i = 0; i < strlen("canary-key"); i++)
        assert_int_equal(key[i], 0);
    assert_null(memmem(url, strlen("postgresql://herald:canary@db/herald"), "canary", 6));
    assert_string_equal(getenv("HERALD_LISTEN"), "127.0.0.1:9000");
}

static void passwords_in_arguments_are_overwritten(void **state)
{
    static const struct {
        const char *arg, *shown;
    } rows[] = {
        {"--listen", "--listen"},
        {"127.0.0.1:80", "127.0.0.1:80"},
        {"--x-proxy=http://u:p@h:1", "--x-proxy=http://***@h:1"},
        {"socks5h://u:p@h", "socks5h://***@h"},
        {"postgresql://u:p@h/d?password=p@w", "postgresql://********************"},
        {"postgresql://h/d?password=pw", "postgresql://h/d?***********"},
        {"https://h.example/@", "https://**********@"},
    };
    struct start *start = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *arg = arena_text(&start->arena, rows[i].arg);
        char **copies = config_take_args(1, &arg, &start->arena);
        assert_string_equal(copies[0], rows[i].arg);
        assert_string_equal(arg, rows[i].shown);
    }
    assert_non_null(config_take_args(0, NULL, &start->arena));
}
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_secret_comes_from_a_file),
        CASE(what_is_no_file_is_told),
        CASE(what_is_no_key_file_is_told_and_stays),
        CASE(certificates_lie_in_a_file),
        CASE(secrets_are_never_repeated),
        CASE(a_complaint_never_tells_the_password_of_a_database),
        CASE(the_list_shows_values_sources_and_no_secret),
        CASE(the_list_shows_no_password_wherever_it_stands),
        CASE(what_was_read_of_the_environment_is_overwritten),
        CASE(passwords_in_arguments_are_overwritten),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("config secrets", tests, NULL, NULL);
}
