/* kit/fetch: what is sent, to the byte. */
#include "fetch_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void test_request(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("POST", server->url, "{}");
    trial.fetch.headers[0] = (struct fetch_header){"Content-Type", "application/json"};
    trial.fetch.headers[1] = (struct fetch_header){"X-Key", "abc: def; g"};
    trial.fetch.headers[2] = (struct fetch_header){"X-Empty", ""};
    trial_run(client, &trial);
    assert_answer(&trial, 200, "fine");

    char expected[512];
    snprintf(expected, sizeof(expected),
             "POST /path HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: herald/%s\r\nAccept: */*\r\n"
             "Content-Type: application/json\r\nX-Key: abc: def; g\r\nX-Empty:\r\n"
             "Content-Length: 2\r\n\r\n{}",
             (int)strcspn(server->url + 7, "/"), server->url + 7, HERALD_VERSION);
    assert_string_equal(server_request(server, 1), expected);
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(server);
}

static void test_path_is_sent_as_it_is(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    char url[100];
    snprintf(url, sizeof(url), "%s/a/../%%2e/./..?b=..", server->url);
    struct trial trial = trial_new("GET", url, NULL);
    trial_run(client, &trial);
    assert_answer(&trial, 200, "fine");
    static const char line[] = "GET /path/a/../%2e/./..?b=.. HTTP/1.1\r\n";
    assert_memory_equal(server_request(server, 1), line, strlen(line));
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(server);
}

/* Without a body, one after the other on one connection: nothing of what libcurl adds by itself,
 * and nothing of the fetch before. */
static void test_request_without_body(void **state)
{
    (void)state;
    static const char *const methods[] = {"GET", "POST", "PATCH", "GET"};
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        bool has_body = strcmp(methods[i], "GET") != 0;
        struct trial trial = trial_new(methods[i], server->url, NULL);
        trial_run(client, &trial);
        assert_answer(&trial, 200, "fine");
        const char *request = server_request(server, 1);
        assert_memory_equal(request, methods[i], strlen(methods[i]));
        assert_null(strcasestr(request, "Content-Type"));
        assert_int_equal(strcasestr(request, "\r\nContent-Length: 0\r\n") != NULL, has_body);
        trial_drop(&trial);
    }
    assert_int_equal(server->connections, 1);
    fetch_client_free(client);
    server_stop(server);
}

static void test_request_headers_at_maximum(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("POST", server->url, "x");
    for (int i = 0; i < FETCH_HEADERS_MAX; i++)
        trial.fetch.headers[i] = (struct fetch_header){"X-Many", "v"};
    trial_run(client, &trial);
    assert_answer(&trial, 200, "fine");

    int count = 0;
    for (const char *at = server_request(server, 1); (at = strstr(at, "X-Many: v")); at++)
        count++;
    assert_int_equal(count, FETCH_HEADERS_MAX);
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(server);
}

#ifndef HERALD_SANITIZED /* sanitizers follow no fork that starts threads */
/* A line break in a header would be a second header: a bug of ours, and the end of the process. */
static void test_control_character_aborts(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = {0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        struct trial trial = trial_new("GET", "http://127.0.0.1:1/", NULL);
        trial.fetch.headers[0] = (struct fetch_header){"X-Name", "a\r\nX-Other: b"};
        trial_run(fetch_client_new(1, 0, FETCH_ANSWER_MAX), &trial);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#endif

/* From 1 MiB on, libcurl waits 1 s for a 100; where it does not, one of some fetches is quicker. */
static void test_large_body_is_sent_at_once(void **state)
{
    (void)state;
    enum { SIZE = (1 << 20) + 1, CALLS = 30 };
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    int64_t least_ms = INT64_MAX;
    char *body = malloc(SIZE + 1);
    assert_non_null(body);
    memset(body, 'x', SIZE);
    body[SIZE] = '\0';
    for (int i = 0; i < CALLS && least_ms >= 900; i++) {
        struct trial trial = trial_new("POST", server->url, body);
        trial_run(client, &trial);
        assert_answer(&trial, 200, "fine");
        assert_null(strcasestr(server_request(server, server->connections), "Expect"));
        if (trial.fetch.duration_ms < least_ms) least_ms = trial.fetch.duration_ms;
        trial_drop(&trial);
    }
    assert_true(least_ms < 900);
    fetch_client_free(client);
    free(body);
    server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_path_is_sent_as_it_is),
        cmocka_unit_test(test_request_without_body),
        cmocka_unit_test(test_request_headers_at_maximum),
#ifndef HERALD_SANITIZED
        cmocka_unit_test(test_control_character_aborts),
#endif
        cmocka_unit_test(test_large_body_is_sent_at_once),
    };
    return cmocka_run_group_tests_name("client_request", tests, NULL, NULL);
}
