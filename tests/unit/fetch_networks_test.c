/*
 * kit/fetch: fetches that may reach some addresses only. Two servers stand at two addresses of the
 * loopback, and each test looks at what arrived there.
 */
#include "fetch_fixture.h"
#include "kit/fetch/networks.h"

#include <dlfcn.h>
#include <netdb.h>

static const char *const not_allowed = "the address is not allowed";
static const char *const everything = "public,private,loopback,0.0.0.0/0,::/0";

enum { ADDRESSES_MAX = 3 };

static const struct {
    const char *name;
    const char *addresses[ADDRESSES_MAX]; /* ends with NULL */
} names[] = {
    {"first.test", {"127.0.0.1", "127.0.0.2"}},
    {"second.test", {"127.0.0.2", "127.0.0.1"}},
    {"both.test", {"::1", "127.0.0.1"}},
    {"hidden.test", {"::ffff:127.0.0.1"}},
    {"link.test", {"169.254.169.254", "127.0.0.1"}},
};

typedef int look_up(const char *name, const char *service, const struct addrinfo *hints,
                    struct addrinfo **ret_addresses);

/* libcurl finds names by this function too, on a thread of its own. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret_addresses)
{
    look_up *real;
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
    struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo **end = ret_addresses;

    memcpy(&real, &symbol, sizeof(real)); /* ISO C has no cast for it */
    *end = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].name, name) != 0) continue;
        for (int j = 0; names[i].addresses[j]; j++) {
            if (real(names[i].addresses[j], service, &numeric, end)) abort();
            end = &(*end)->ai_next;
        }
        return 0;
    }
    return real(name, service, hints, ret_addresses);
}

/* --- Calls --- */

struct stage {
    struct server *first, *second; /* at 127.0.0.1 and 127.0.0.2, on the same port */
    struct fetch_client *client;
};

static void serve_named(struct visit *visit)
{
    while (visit_read(visit))
        visit_answer(visit, visit->server->answer);
}

static void serve_when_open(struct visit *visit)
{
    while (visit_read(visit)) {
        visit_await_opening(visit);
        visit_answer(visit, visit->server->answer);
    }
}

static int stage_open_with(void **state, void (*serve_second)(struct visit *visit))
{
    struct stage *stage = calloc(1, sizeof(*stage));
    assert_non_null(stage);
    stage->first = server_start(serve_named, "first");
    stage->second = server_start_at("127.0.0.2", stage->first->port, serve_second, "second");
    stage->client = fetch_client_new(4, 0, FETCH_ANSWER_MAX);
    *state = stage;
    return 0;
}

static int stage_open(void **state)
{
    return stage_open_with(state, serve_named);
}

/* The second server waits to be opened. */
static int stage_open_slow(void **state)
{
    return stage_open_with(state, serve_when_open);
}

static int stage_close(void **state)
{
    struct stage *stage = *state;
    fetch_client_free(stage->client);
    server_stop(stage->first);
    server_stop(stage->second);
    free(stage);
    return 0;
}

/* A fetch from a host, at the port of the stage, that may reach what the list says; NULL: all. */
struct planned {
    struct trial trial;
    char url[128];
    struct networks networks;
};

static void plan(struct planned *plan, const struct stage *stage, const char *host,
                 const char *list)
{
    snprintf(plan->url, sizeof(plan->url), "http://%s:%d/path", host, stage->first->port);
    plan->trial = trial_new("POST", plan->url, "body");
    if (!list) return;
    assert_true(networks_parse(str_of(list), &plan->networks));
    plan->trial.fetch.route.networks = &plan->networks;
}

static void assert_answered(struct stage *stage, const char *host, const char *list,
                            const char *answer)
{
    struct planned fetch;
    plan(&fetch, stage, host, list);
    trial_run(stage->client, &fetch.trial);
    assert_answer(&fetch.trial, 200, answer);
    trial_drop(&fetch.trial);
}

static void assert_fails(struct stage *stage, const char *host, const char *list, const char *error)
{
    struct planned fetch;
    int requests = stage->first->requests + stage->second->requests;
    plan(&fetch, stage, host, list);
    trial_run(stage->client, &fetch.trial);
    assert_no_answer(&fetch.trial, FETCH_NOT_SENT, false);
    assert_string_equal(fetch.trial.fetch.error, error);
    assert_true(fetch.trial.fetch.duration_ms < fetch.trial.fetch.route.timeout_ms);
    assert_int_equal(stage->first->requests + stage->second->requests, requests);
    trial_drop(&fetch.trial);
}

static void assert_connections(const struct stage *stage, int first, int second)
{
    assert_int_equal(stage->first->connections, first);
    assert_int_equal(stage->second->connections, second);
}

/* --- Addresses --- */

static void test_allowed(void **state)
{
    struct stage *stage = *state;
    assert_answered(stage, "127.0.0.1", NULL, "first");
    assert_answered(stage, "127.0.0.1", "loopback", "first");
    assert_answered(stage, "127.0.0.1", "public,127.0.0.1/32", "first");
    assert_answered(stage, "127.0.0.2", "127.0.0.2/32", "second");
}

/* Not even a connection is made, however the address is written. */
static void test_not_allowed(void **state)
{
    static const char *const hosts[] = {
        "127.0.0.1",          "127.1",           "2130706433",
        "0x7f000001",         "0177.0.0.1",      "[::1]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",   "localhost",       "first.test",
        "both.test",          "hidden.test",
    };
    struct stage *stage = *state;
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
        assert_fails(stage, hosts[i], "public,private", not_allowed);
    assert_fails(stage, "127.0.0.1", "127.0.0.2/32", not_allowed);
    assert_connections(stage, 0, 0);
}

/* A system takes these for itself, or for who stands next to it. */
static void test_never_allowed(void **state)
{
    struct stage *stage = *state;
    assert_fails(stage, "0.0.0.0", everything, not_allowed);
    assert_fails(stage, "0", everything, not_allowed);
    assert_fails(stage, "[::]", everything, not_allowed);
    assert_fails(stage, "[::ffff:0.0.0.0]", everything, not_allowed);
    assert_fails(stage, "[::127.0.0.1]", everything, not_allowed);
    assert_fails(stage, "169.254.169.254", everything, not_allowed);
    assert_fails(stage, "[fe80::1]", everything, not_allowed);
    assert_fails(stage, "[fe80::1%25lo]", everything, not_allowed);
    assert_fails(stage, "255.255.255.255", everything, not_allowed);
    assert_connections(stage, 0, 0);
}

static void test_mapped_address_is_reached(void **state)
{
    struct stage *stage = *state;
    assert_answered(stage, "[::ffff:127.0.0.1]", "127.0.0.1/32", "first");
    assert_answered(stage, "hidden.test", "loopback", "first");
}

/* --- Names with several addresses --- */

static void test_other_addresses_are_tried(void **state)
{
    struct stage *stage = *state;
    assert_answered(stage, "second.test", "127.0.0.1/32", "first");
    assert_answered(stage, "first.test", "127.0.0.2/32", "second");
    assert_answered(stage, "both.test", "127.0.0.1/32", "first");
    assert_answered(stage, "link.test", everything, "first");
    assert_answered(stage, "localhost", "127.0.0.1/32", "first");
    assert_answered(stage, "localhost", "loopback", "first"); /* nobody listens at ::1 */
}

/* The address that is allowed was tried, and is what the operator has to look at. */
static void test_allowed_address_is_down(void **state)
{
    struct stage *stage = *state;
    assert_fails(stage, "both.test", "::1/128", "no connection to the server");
    assert_fails(stage, "localhost", "::1/128", "no connection to the server");
    assert_connections(stage, 0, 0);
}

/* --- Kept connections --- */

static void test_connection_is_kept(void **state)
{
    struct stage *stage = *state;
    for (int i = 0; i < 5; i++)
        assert_answered(stage, "127.0.0.1", i % 2 ? "loopback" : "127.0.0.1/32", "first");
    assert_answered(stage, "127.0.0.1", NULL, "first");
    assert_connections(stage, 1, 0);
}

static void test_kept_connection_is_not_allowed(void **state)
{
    struct stage *stage = *state;
    assert_answered(stage, "127.0.0.1", NULL, "first");
    assert_fails(stage, "127.0.0.1", "public,private", not_allowed);
    assert_answered(stage, "127.0.0.1", "loopback", "first");
    assert_fails(stage, "127.0.0.1", "127.0.0.2/32", not_allowed);
    assert_int_equal(stage->first->requests, 2);
}

static void test_kept_connection_is_replaced(void **state)
{
    struct stage *stage = *state;
    assert_answered(stage, "first.test", NULL, "first");
    assert_answered(stage, "first.test", "127.0.0.2/32", "second");
    assert_connections(stage, 1, 1);
    assert_answered(stage, "first.test", "127.0.0.2/32", "second"); /* and kept in its turn */
    assert_answered(stage, "first.test", NULL, "second");
    assert_connections(stage, 1, 1);
    assert_answered(stage, "first.test", "127.0.0.1/32", "first");
    assert_connections(stage, 2, 1);
}

/* A fetch that may not use them costs others one of them at most. */
static void test_other_kept_connections_stay(void **state)
{
    enum { COUNT = 3 };
    struct stage *stage = *state;
    struct planned fetches[COUNT];
    for (int i = 0; i < COUNT; i++) {
        plan(&fetches[i], stage, "127.0.0.2", NULL);
        trial_start(stage->client, &fetches[i].trial);
    }
    while (stage->second->requests < COUNT)
        usleep(1000);
    stage->second->is_open = true;
    for (int i = 0; i < COUNT; i++) {
        trial_await(&fetches[i].trial);
        assert_answer(&fetches[i].trial, 200, "second");
        trial_drop(&fetches[i].trial);
    }
    assert_fails(stage, "127.0.0.2", "public", not_allowed);
    assert_answered(stage, "127.0.0.2", NULL, "second");
    assert_connections(stage, 0, COUNT);
}

/* A handle of libcurl that was last connected to an allowed address takes a kept connection of
 * another handle: it is judged by where that leads. */
static void test_handle_forgets_its_last_address(void **state)
{
    struct stage *stage = *state;
    struct planned loose, strict;
    plan(&loose, stage, "127.0.0.1", NULL);
    plan(&strict, stage, "127.0.0.2", "127.0.0.2/32");
    trial_start(stage->client, &loose.trial);
    trial_start(stage->client, &strict.trial);
    trial_await(&loose.trial);
    stage->second->is_open = true;
    trial_await(&strict.trial); /* its handle is the last one used, and the next one */
    assert_answer(&loose.trial, 200, "first");
    assert_answer(&strict.trial, 200, "second");
    assert_fails(stage, "127.0.0.1", "127.0.0.2/32", not_allowed);
    trial_drop(&loose.trial);
    trial_drop(&strict.trial);
}

/* --- All at once --- */

enum { CROWD = 400 };

static void test_crowd_of_two_policies(void **state)
{
    struct stage *stage = *state;
    struct fetch_client *client = fetch_client_new(8, CROWD, FETCH_ANSWER_MAX);
    struct planned *fetches = calloc(CROWD, sizeof(*fetches));
    assert_non_null(fetches);
    for (int i = 0; i < CROWD; i++) {
        bool is_strict = i % 2;
        plan(&fetches[i], stage, "first.test", is_strict ? "127.0.0.2/32" : NULL);
        trial_start(client, &fetches[i].trial);
    }
    int strict_by_second = 0;
    for (int i = 0; i < CROWD; i++) {
        trial_await(&fetches[i].trial);
        assert_int_equal(fetches[i].trial.fetch.end, FETCH_ANSWERED);
        struct str answer = {fetches[i].trial.fetch.answer.data, fetches[i].trial.fetch.answer.len};
        if (i % 2) strict_by_second += str_is(answer, "second");
        trial_drop(&fetches[i].trial);
    }
    assert_int_equal(strict_by_second, CROWD / 2);
    assert_int_equal(stage->first->requests + stage->second->requests, CROWD);
    fetch_client_free(client);
    free(fetches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_allowed, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_not_allowed, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_never_allowed, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_mapped_address_is_reached, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_other_addresses_are_tried, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_allowed_address_is_down, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_connection_is_kept, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_kept_connection_is_not_allowed, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(test_kept_connection_is_replaced, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_other_kept_connections_stay, stage_open_slow,
                                        stage_close),
        cmocka_unit_test_setup_teardown(test_handle_forgets_its_last_address, stage_open_slow,
                                        stage_close),
        cmocka_unit_test_setup_teardown(test_crowd_of_two_policies, stage_open, stage_close),
    };
    return cmocka_run_group_tests_name("client_networks", tests, NULL, NULL);
}
