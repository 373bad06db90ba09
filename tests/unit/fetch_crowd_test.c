/* kit/fetch: many fetches at once, those that wait for their turn, and the end of a client. */
#include "fetch_fixture.h"

#include <netdb.h>

enum { CROWD = 200 };

static struct trial *trials_new(int count, const char *url)
{
    struct trial *trials = calloc((size_t)count, sizeof(*trials));
    assert_non_null(trials);
    for (int i = 0; i < count; i++)
        trials[i] = trial_new("POST", url, "body");
    return trials;
}

static void trials_free(struct trial *trials, int count)
{
    for (int i = 0; i < count; i++)
        trial_drop(&trials[i]);
    free(trials);
}

/* --- Many at once --- */

/* Answers when the crowd is there as a whole. */
static void serve_crowd(struct visit *visit)
{
    if (!visit_read(visit)) return;
    while (visit->server->requests < CROWD && !visit->server->is_open)
        usleep(1000);
    visit_answer(visit, "together");
    visit_ignore(visit);
}

static void test_all_are_under_way_at_once(void **state)
{
    (void)state;
    struct server *server = server_start(serve_crowd, NULL);
    struct fetch_client *client = fetch_client_new(CROWD, 0, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(CROWD, server->url);
    for (int i = 0; i < CROWD; i++)
        trial_start(client, &trials[i]);
    for (int i = 0; i < CROWD; i++) {
        trial_await(&trials[i]);
        assert_answer(&trials[i], 200, "together");
    }
    assert_int_equal(server->connections, CROWD);
    assert_int_equal(fetch_client_load(client), 0);
    fetch_client_free(client);
    trials_free(trials, CROWD);
    server_stop(server);
}

struct starter {
    struct fetch_client *client;
    struct trial *trials;
    pthread_t thread;
};

enum { STARTERS = 8, ROUNDS = 50 };

static void *start_many(void *arg)
{
    struct starter *starter = arg;
    for (int i = 0; i < ROUNDS; i++)
        trial_start(starter->client, &starter->trials[i]);
    return NULL;
}

static void test_many_threads_start_fetches(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(10, STARTERS * ROUNDS, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(STARTERS * ROUNDS, server->url);
    struct starter starters[STARTERS];
    for (int i = 0; i < STARTERS; i++) {
        starters[i] = (struct starter){.client = client, .trials = trials + i * ROUNDS};
        pthread_create(&starters[i].thread, NULL, start_many, &starters[i]);
    }
    for (int i = 0; i < STARTERS; i++)
        pthread_join(starters[i].thread, NULL);
    for (int i = 0; i < STARTERS * ROUNDS; i++) {
        trial_await(&trials[i]);
        assert_answer(&trials[i], 200, "fine");
    }
    assert_int_equal(server->requests, STARTERS * ROUNDS);
    assert_true(server->connections <= 10);
    fetch_client_free(client);
    trials_free(trials, STARTERS * ROUNDS);
    server_stop(server);
}

/* --- Nobody waits for anybody else --- */

/* A fetch that is answered while others are under way. */
static void assert_quick_fetch(struct fetch_client *client)
{
    struct server *server = server_start(serve_answers, NULL);
    struct trial trial = trial_new("POST", server->url, "body");
    trial_run(client, &trial);
    assert_answer(&trial, 200, "fine");
    trial_drop(&trial);
    server_stop(server);
}

static void test_slow_server_delays_nobody(void **state)
{
    (void)state;
    enum { SLOW = 50 };
    struct server *slow = server_start(serve_nothing, NULL);
    struct fetch_client *client = fetch_client_new(SLOW + 1, 0, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(SLOW, slow->url);
    for (int i = 0; i < SLOW; i++)
        trial_start(client, &trials[i]);
    counter_await(&slow->requests, SLOW);
    assert_quick_fetch(client);
    for (int i = 0; i < SLOW; i++)
        assert_int_equal(trials[i].done_count, 0);
    fetch_client_free(client);
    trials_free(trials, SLOW);
    server_stop(slow);
}

static atomic_int look_ups, look_ups_over;
static atomic_bool is_name_server_back;

/* libcurl finds names by this function too, on a thread of its own. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret_addresses)
{
    (void)name, (void)service, (void)hints, (void)ret_addresses;
    look_ups++;
    for (int ms = 0; ms < PATIENCE_MS && !is_name_server_back; ms++)
        usleep(1000);
    look_ups_over++;
    return EAI_NONAME;
}

/* Not even the end of the fetch waits for the look-up. */
static void test_slow_name_delays_nobody(void **state)
{
    (void)state;
    struct fetch_client *client = fetch_client_new(4, 0, FETCH_ANSWER_MAX);
    struct trial slow = trial_new("POST", "http://slow.test/", "body");
    slow.fetch.route.timeout_ms = 100;
    trial_start(client, &slow);
    assert_quick_fetch(client);
    trial_await(&slow);
    assert_no_answer(&slow, FETCH_NOT_SENT, false);
    assert_quick_fetch(client);

    struct trial canceled = trial_new("POST", "http://slow.test/", "body");
    trial_start(client, &canceled);
    counter_await(&look_ups, 2);
    fetch_client_free(client);
    assert_no_answer(&canceled, FETCH_CANCELED, false);
    trial_drop(&slow);
    trial_drop(&canceled);
    assert_int_equal(look_ups_over, 0);
    is_name_server_back = true;
    counter_await(&look_ups_over, 2);
    usleep(LINGER_MS * 1000); /* their threads end by themselves */
}

/* --- The queue --- */

static void serve_when_open(struct visit *visit)
{
    while (visit_read(visit)) {
        visit_await_opening(visit);
        visit_answer(visit, "late");
    }
}

static void test_queue_has_an_end(void **state)
{
    (void)state;
    struct server *server = server_start(serve_when_open, NULL);
    struct fetch_client *client = fetch_client_new(1, 2, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(4, server->url);
    for (int i = 0; i < 3; i++)
        trial_start(client, &trials[i]);
    counter_await(&server->requests, 1);
    assert_int_equal(fetch_client_load(client), 3);
    assert_int_equal(fetch_start(client, &trials[3].fetch), ERR_OVERLOADED);

    server->is_open = true;
    for (int i = 0; i < 3; i++) {
        trial_await(&trials[i]);
        assert_answer(&trials[i], 200, "late");
    }
    assert_int_equal(trials[3].done_count, 0);
    assert_int_equal(fetch_client_load(client), 0);
    trial_run(client, &trials[3]);
    assert_answer(&trials[3], 200, "late");
    fetch_client_free(client);
    trials_free(trials, 4);
    server_stop(server);
}

static void test_time_is_up_in_the_queue(void **state)
{
    (void)state;
    struct server *server = server_start(serve_when_open, NULL);
    struct fetch_client *client = fetch_client_new(1, 3, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(4, server->url);
    trials[1].fetch.route.timeout_ms = 100;
    trials[3].fetch.route.timeout_ms = 100;
    for (int i = 0; i < 4; i++)
        trial_start(client, &trials[i]);
    for (int i = 1; i < 4; i += 2) {
        trial_await(&trials[i]);
        assert_no_answer(&trials[i], FETCH_NOT_SENT, false);
        assert_string_equal(trials[i].fetch.error, "the time was up while it waited");
        assert_true(trials[i].fetch.duration_ms >= 100);
        assert_int_equal(trials[0].done_count, 0);
    }
    /* The queue's end, which went, is found again while others wait. */
    struct trial last = trial_new("POST", server->url, "body");
    trial_start(client, &last);
    server->is_open = true;
    for (int i = 0; i < 4; i += 2) {
        trial_await(&trials[i]);
        assert_answer(&trials[i], 200, "late");
    }
    trial_await(&last);
    assert_answer(&last, 200, "late");
    trial_drop(&last);
    fetch_client_free(client);
    trials_free(trials, 4);
    server_stop(server);
}

/* A fetch that has waited has less time left. */
static void test_waiting_counts(void **state)
{
    (void)state;
    struct server *server = server_start(serve_nothing, NULL);
    struct fetch_client *client = fetch_client_new(1, 1, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(2, server->url);
    trials[0].fetch.route.timeout_ms = 1500;
    trials[1].fetch.route.timeout_ms = 3000;
    trial_start(client, &trials[0]);
    trial_start(client, &trials[1]);
    for (int i = 0; i < 2; i++) {
        trial_await(&trials[i]);
        assert_no_answer(&trials[i], FETCH_UNKNOWN, true);
    }
    assert_true(trials[1].fetch.duration_ms < trials[0].fetch.duration_ms + 3000);
    fetch_client_free(client);
    trials_free(trials, 2);
    server_stop(server);
}

/* --- Fetches that start fetches --- */

struct chain {
    struct trial trial;
    struct fetch_client *client;
    int left;
};

static void chain_done(struct fetch *fetch)
{
    struct chain *chain = (struct chain *)fetch;
    bool is_end = fetch->end != FETCH_ANSWERED || --chain->left == 0;
    if (!is_end) fetch_done(fetch);
    if (is_end || fetch_start(chain->client, fetch)) trial_done(fetch);
}

static void test_done_starts_the_next(void **state)
{
    (void)state;
    struct server *server = server_start(serve_answers, NULL);
    struct fetch_client *client = fetch_client_new(1, 0, FETCH_ANSWER_MAX);
    struct chain chain = {.client = client, .left = 100};
    chain.trial = trial_new("POST", server->url, "body");
    chain.trial.fetch.done = chain_done;
    trial_run(client, &chain.trial);
    assert_answer(&chain.trial, 200, "fine");
    assert_int_equal(chain.left, 0);
    assert_int_equal(server->requests, 100);
    assert_int_equal(server->connections, 1);
    fetch_client_free(client);
    trial_drop(&chain.trial);
    server_stop(server);
}

/* --- The end --- */

static void assert_canceled(const struct trial *trial, bool was_sent)
{
    assert_int_equal(trial->done_count, 1);
    assert_no_answer(trial, FETCH_CANCELED, was_sent);
    assert_string_equal(trial->fetch.error, "herald is stopping");
}

static void test_free_cancels(void **state)
{
    (void)state;
    struct server *server = server_start(serve_nothing, NULL);
    struct server *stalled = server_start(visit_ignore, NULL);
    struct fetch_client *client = fetch_client_new(2, 2, FETCH_ANSWER_MAX);
    struct trial *trials = trials_new(4, server->url);
    trials[1].fetch.url = stalled->https_url;
    for (int i = 0; i < 4; i++)
        trial_start(client, &trials[i]);
    counter_await(&server->requests, 1);
    counter_await(&stalled->connections, 1);

    fetch_client_free(client);
    assert_canceled(&trials[0], true);
    assert_canceled(&trials[1], false); /* it greets, and never gets to its request */
    assert_canceled(&trials[2], false);
    assert_canceled(&trials[3], false);
    trials_free(trials, 4);
    server_stop(server);
    server_stop(stalled);
}

static void refused_done(struct fetch *fetch)
{
    struct chain *chain = (struct chain *)fetch;
    enum fetch_end end = fetch->end;
    assert_int_equal(fetch_start(chain->client, fetch), ERR_OVERLOADED);
    fetch->end = end;
    trial_done(fetch);
}

static void test_canceled_fetch_cannot_start_another(void **state)
{
    (void)state;
    struct server *server = server_start(serve_nothing, NULL);
    struct chain chain = {.client = fetch_client_new(2, 2, FETCH_ANSWER_MAX)};
    chain.trial = trial_new("POST", server->url, "body");
    chain.trial.fetch.done = refused_done;
    trial_start(chain.client, &chain.trial);
    counter_await(&server->requests, 1);
    fetch_client_free(chain.client);
    assert_int_equal(chain.trial.done_count, 1);
    assert_int_equal(chain.trial.fetch.end, FETCH_CANCELED);
    trial_drop(&chain.trial);
    server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_under_way_at_once),
        cmocka_unit_test(test_many_threads_start_fetches),
        cmocka_unit_test(test_slow_server_delays_nobody),
        cmocka_unit_test(test_slow_name_delays_nobody),
        cmocka_unit_test(test_queue_has_an_end),
        cmocka_unit_test(test_time_is_up_in_the_queue),
        cmocka_unit_test(test_waiting_counts),
        cmocka_unit_test(test_done_starts_the_next),
        cmocka_unit_test(test_free_cancels),
        cmocka_unit_test(test_canceled_fetch_cannot_start_another),
    };
    return cmocka_run_group_tests_name("client_crowd", tests, NULL, NULL);
}
