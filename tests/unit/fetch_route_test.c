/*
 * kit/fetch: proxies and TLS. Nothing of the environment decides where a fetch goes, and a proxy
 * learns nothing that is for the provider.
 */
#include "fetch_fixture.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

/* --- Proxies --- */

static struct trial trial_by_proxy(const char *url, const char *proxy)
{
    struct trial trial = trial_new("POST", url, "code 1234");
    trial.fetch.headers[0] = (struct fetch_header){"Authorization", "Bearer secret"};
    trial.fetch.route.proxy = proxy;
    return trial;
}

/* The part of http://127.0.0.1:port/path that names a proxy. */
static const char *origin_of(const char *url, char origin[static 64])
{
    snprintf(origin, 64, "%.*s", (int)(7 + strcspn(url + 7, "/")), url);
    return origin;
}

static void test_forward_proxy(void **state)
{
    (void)state;
    char origin[64];
    struct server *proxy = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    /* The proxy finds the name, not we. */
    struct trial trial = trial_by_proxy("http://provider.test/send", origin_of(proxy->url, origin));
    trial_run(client, &trial);
    assert_answer(&trial, 200, "fine");
    assert_non_null(
        strstr(server_request(proxy, 1), "POST http://provider.test/send HTTP/1.1\r\n"));
    assert_non_null(strstr(server_request(proxy, 1), "Bearer secret"));
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(proxy);
}

static void test_proxy_is_silent(void **state)
{
    (void)state;
    char origin[64];
    struct server *proxy = server_start(visit_ignore, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial silent = trial_by_proxy("https://provider.test/", origin_of(proxy->url, origin));
    silent.fetch.route.connect_timeout_ms = 200;
    trial_run(client, &silent);
    assert_no_answer(&silent, FETCH_NOT_SENT, false);
    fetch_client_free(client);
    trial_drop(&silent);
    server_stop(proxy);
}

static void serve_refusal(struct visit *visit)
{
    while (visit_read(visit))
        visit_send(visit, STR("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"));
}

/* The words of a proxy to CONNECT are no answer of the provider. */
static void test_proxy_answers_for_the_provider(void **state)
{
    (void)state;
    char origin[64];
    struct server *proxy = server_start(serve_refusal, NULL);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_by_proxy("https://provider.test/", origin_of(proxy->url, origin));
    trial_run(client, &trial);
    assert_no_answer(&trial, FETCH_NOT_SENT, false);
    const char *request = server_request(proxy, 1);
    assert_non_null(strstr(request, "CONNECT provider.test:443 HTTP/1.1\r\n"));
    assert_null(strstr(request, "Bearer"));
    assert_null(strstr(request, "1234"));
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(proxy);
}

static void test_environment_names_no_proxy(void **state)
{
    (void)state;
    char origin[64];
    struct server *proxy = server_start(serve_refusal, NULL);
    struct server *server = server_start(serve_answers, NULL);
    origin_of(proxy->url, origin);
    setenv("http_proxy", origin, 1);
    setenv("ALL_PROXY", origin, 1);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial direct = trial_new("POST", server->url, "body");
    trial_run(client, &direct);
    assert_answer(&direct, 200, "fine");
    assert_int_equal(proxy->connections, 0);

    /* And it takes none away. */
    setenv("no_proxy", "127.0.0.1", 1);
    struct trial by_proxy = trial_by_proxy(server->url, origin);
    trial_run(client, &by_proxy);
    assert_answer(&by_proxy, 503, "");
    assert_int_equal(server->connections, 1);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    unsetenv("no_proxy");
    fetch_client_free(client);
    trial_drop(&direct);
    trial_drop(&by_proxy);
    server_stop(proxy);
    server_stop(server);
}

/* --- TLS, by the openssl program --- */

enum { TLS_PORT_DIGITS = 16 };

struct tls {
    char folder[64];
    char cert[96]; /* for 127.0.0.1, signed by itself */
    char url[64];
    char localhost_url[64]; /* which the certificate does not name */
    int port;
    pid_t server;
};

static pid_t spawn(const char *const argv[], int out_fd)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (out_fd >= 0) posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : pid;
}

static bool make_certificate(struct tls *tls)
{
    char key[96];
    int status = -1;
    snprintf(key, sizeof(key), "%s/key.pem", tls->folder);
    snprintf(tls->cert, sizeof(tls->cert), "%s/cert.pem", tls->folder);
    const char *const argv[] = {
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        "/CN=provider.test",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        key,
        "-out",
        tls->cert,
        NULL,
    };
    pid_t pid = spawn(argv, -1);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* `openssl s_server` says "ACCEPT 127.0.0.1:port" when it listens. */
static int read_port(int fd)
{
    char text[256] = {0};
    size_t len = 0;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    const char *at = NULL;
    while (!at && len < sizeof(text) - 1 && poll(&ready, 1, PATIENCE_MS) == 1) {
        ssize_t got = read(fd, text + len, sizeof(text) - 1 - len);
        if (got <= 0) break;
        len += (size_t)got;
        at = strstr(text, "ACCEPT 127.0.0.1:");
        if (at && !strchr(at, '\n')) at = NULL;
    }
    return at ? atoi(at + strlen("ACCEPT 127.0.0.1:")) : 0;
}

static int tls_stop(void **state)
{
    struct tls *tls = *state;
    char key[96];
    if (!tls) return 0;
    if (tls->server > 0) {
        kill(tls->server, SIGTERM);
        waitpid(tls->server, NULL, 0);
    }
    snprintf(key, sizeof(key), "%s/key.pem", tls->folder);
    unlink(key);
    unlink(tls->cert);
    rmdir(tls->folder);
    free(tls);
    return 0;
}

static int tls_start(void **state)
{
    char key[96];
    int out[2];
    struct tls *tls = calloc(1, sizeof(*tls));
    assert_non_null(tls);
    *state = tls;
    strcpy(tls->folder, "/tmp/client_route_test.XXXXXX");
    if (!mkdtemp(tls->folder)) return -1;
    if (!make_certificate(tls) || pipe2(out, O_CLOEXEC)) return -1; /* the openssl program */
    snprintf(key, sizeof(key), "%s/key.pem", tls->folder);
    const char *const argv[] = {"openssl", "s_server", "-accept", "127.0.0.1:0", "-cert",
                                tls->cert, "-key",     key,       "-www",        NULL};
    tls->server = spawn(argv, out[1]);
    close(out[1]);
    tls->port = read_port(out[0]);
    close(out[0]);
    if (tls->port == 0) return -1;
    snprintf(tls->url, sizeof(tls->url), "https://127.0.0.1:%d/", tls->port);
    snprintf(tls->localhost_url, sizeof(tls->localhost_url), "https://localhost:%d/", tls->port);
    return 0;
}

static void assert_tls_failure(const char *url, const char *ca_file, const char *error)
{
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("GET", url, NULL);
    trial.fetch.route.ca_file = ca_file;
    trial_run(client, &trial);
    assert_no_answer(&trial, FETCH_NOT_SENT, false);
    assert_string_equal(trial.fetch.error, error);
    fetch_client_free(client);
    trial_drop(&trial);
}

static void test_tls(void **state)
{
    struct tls *tls = *state;
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    for (int i = 0; i < 3; i++) {
        struct trial trial = trial_new("GET", tls->url, NULL);
        trial.fetch.route.ca_file = tls->cert;
        trial_run(client, &trial);
        if (trial.fetch.error) fail_msg("%s", trial.fetch.error);
        assert_int_equal(trial.fetch.status, 200);
        trial_drop(&trial);
    }
    /* A file that one route trusts is not trusted on another. */
    struct trial other = trial_new("GET", tls->url, NULL);
    trial_run(client, &other);
    assert_no_answer(&other, FETCH_NOT_SENT, false);
    trial_drop(&other);
    fetch_client_free(client);
}

static void test_tls_without_trust(void **state)
{
    struct tls *tls = *state;
    const char *untrusted = "the server's certificate is not trusted";
    assert_tls_failure(tls->url, NULL, untrusted);
    assert_tls_failure(tls->localhost_url, tls->cert, untrusted);
    assert_tls_failure(tls->url, "/nowhere/ca.pem", "the CA file cannot be read");
}

/* Passes bytes between two sockets until one of them ends. */
static void pass_bytes(int a, int b)
{
    struct pollfd ready[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
    while (poll(ready, 2, PATIENCE_MS) > 0) {
        for (int i = 0; i < 2; i++) {
            char bytes[16384];
            if (!ready[i].revents) continue;
            ssize_t len = recv(ready[i].fd, bytes, sizeof(bytes), 0);
            if (len <= 0 || send(ready[1 - i].fd, bytes, (size_t)len, MSG_NOSIGNAL) != len) return;
        }
    }
}

/* A proxy that knows one provider, at the port that `answer` names. */
static void serve_tunnel(struct visit *visit)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    to.sin_port = htons((uint16_t)atoi(visit->server->answer));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!visit_read(visit)) return;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0) {
        visit_send(visit, STR("HTTP/1.1 200 Connected\r\nRetry-After: 5\r\n\r\n"));
        pass_bytes(visit->fd, fd);
    }
    close(fd);
}

static void test_tls_through_a_proxy(void **state)
{
    struct tls *tls = *state;
    char port[TLS_PORT_DIGITS], origin[64];
    snprintf(port, sizeof(port), "%d", tls->port);
    struct server *proxy = server_start(serve_tunnel, port);
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_by_proxy(tls->url, origin_of(proxy->url, origin));
    trial.fetch.method = "GET";
    trial.fetch.body = (struct str){0};
    trial.fetch.route.ca_file = tls->cert;
    trial_run(client, &trial);
    if (trial.fetch.error) fail_msg("%s", trial.fetch.error);
    assert_int_equal(trial.fetch.status, 200);
    assert_int_equal(trial.fetch.retry_after_ms, -1); /* the proxy's */
    assert_null(strstr(server_request(proxy, 1), "Bearer"));
    fetch_client_free(client);
    trial_drop(&trial);
    server_stop(proxy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_proxy),
        cmocka_unit_test(test_proxy_is_silent),
        cmocka_unit_test(test_proxy_answers_for_the_provider),
        cmocka_unit_test(test_environment_names_no_proxy),
        cmocka_unit_test_setup_teardown(test_tls, tls_start, tls_stop),
        cmocka_unit_test_setup_teardown(test_tls_without_trust, tls_start, tls_stop),
        cmocka_unit_test_setup_teardown(test_tls_through_a_proxy, tls_start, tls_stop),
    };
    return cmocka_run_group_tests_name("client_route", tests, NULL, NULL);
}
