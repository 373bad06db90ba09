/* kit/job/fetcher: where the ends of fetches are read, and how it pauses and stops. */
#include "fetch_fixture.h"
#include "kit/base/macros.h"
#include "kit/job/fetcher.h"

enum { FETCHES = 8, LONG_MS = 60 * 1000 };

/* A fetcher that fetches as often as it is told, once it is woken. */
struct owner {
    struct fetcher fetcher;
    const char *url;
    int to_fetch;
    bool has_paused, is_turn_slow;
    int under_way;
    struct fetch_slot slots[FETCHES];
    atomic_int turns, ended, canceled, abandoned;
    pthread_t read_by; /* the thread of the last end */
    pthread_t thread;
};

static struct owner *owner_of(const struct fetcher *fetcher)
{
    return CONTAINER_OF(fetcher, struct owner, fetcher);
}

static void count_end(struct fetch_slot *slot)
{
    struct owner *owner = owner_of(slot->fetcher);

    pthread_mutex_lock(&owner->fetcher.lock);
    owner->read_by = pthread_self();
    owner->under_way--;
    owner->canceled += slot->fetch.end == FETCH_CANCELED && slot->fetch.was_sent;
    owner->abandoned += slot->fetch.end == FETCH_CANCELED && !slot->fetch.was_sent;
    fetch_slot_done(slot);
    owner->ended++;
    fetcher_changed(&owner->fetcher);
    pthread_mutex_unlock(&owner->fetcher.lock);
}

static void begin_all(struct owner *owner)
{
    for (int i = 0; owner->to_fetch > 0; owner->to_fetch--, i++) {
        struct fetch_slot *slot = &owner->slots[i];
        fetch_slot_init(slot, &owner->fetcher);
        slot->end = count_end;
        slot->fetch.method = "GET";
        slot->fetch.url = owner->url;
        slot->fetch.route =
            (struct fetch_route){.connect_timeout_ms = LONG_MS, .timeout_ms = LONG_MS};
        pthread_mutex_lock(&owner->fetcher.lock);
        owner->under_way++;
        pthread_mutex_unlock(&owner->fetcher.lock);
        assert_int_equal(fetch_slot_start(slot), ERR_OK);
    }
}

static void work_on(struct fetcher *fetcher)
{
    struct owner *owner = owner_of(fetcher);
    struct fetcher_news news;
    bool is_busy;

    owner->thread = pthread_self();
    do {
        news = fetcher_wait(fetcher, 10, false);
        owner->turns++;
        for (struct fetch_slot *slot = news.ended, *next; slot; slot = next) {
            next = slot->next;
            slot->end(slot);
        }
        if (owner->is_turn_slow) usleep(LINGER_MS * 1000);
        if (news.state == FETCHER_RUNNING) begin_all(owner);
        pthread_mutex_lock(&fetcher->lock);
        owner->has_paused = news.state != FETCHER_RUNNING;
        is_busy = owner->under_way > 0;
        fetcher_changed(fetcher);
        pthread_mutex_unlock(&fetcher->lock);
    } while (news.state != FETCHER_STOPPING || is_busy);
}

static bool is_beginning(const struct fetcher *fetcher)
{
    return !owner_of(fetcher)->has_paused;
}

static bool is_busy(const struct fetcher *fetcher)
{
    return owner_of(fetcher)->under_way > 0;
}

static const struct fetcher_kind kind = {
    .thread = "test",
    .fetches_max = FETCHES,
    .answer_max = FETCH_ANSWER_MAX,
    .run = work_on,
    .is_beginning = is_beginning,
    .is_busy = is_busy,
};

static const struct fetcher_kind turns = {
    .thread = "test",
    .takes_turns = true,
    .fetches_max = FETCHES,
    .answer_max = FETCH_ANSWER_MAX,
    .run = work_on,
    .is_beginning = is_beginning,
    .is_busy = is_busy,
};

static void serve(struct visit *visit)
{
    while (visit_read(visit))
        visit_answer(visit, "ok");
}

static void serve_in_silence(struct visit *visit)
{
    if (visit_read(visit)) visit_await_opening(visit);
}

static void await(const atomic_int *number, int count)
{
    for (int ms = 0; *number < count && ms < PATIENCE_MS; ms++)
        usleep(1000);
    assert_int_equal(*number, count);
}

static void ends_are_read_where_the_kind_says(void **state)
{
    const struct fetcher_kind *kinds[] = {&kind, &turns};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct server *server = server_start(serve, NULL);
        struct owner owner = {.url = server->url, .to_fetch = FETCHES};
        fetcher_start(&owner.fetcher, kinds[i]);
        await(&owner.ended, FETCHES);
        bool is_own_thread = pthread_equal(owner.read_by, owner.thread);
        assert_int_equal(is_own_thread, kinds[i]->takes_turns);
        fetcher_stop(&owner.fetcher, PATIENCE_MS);
        fetcher_wake(&owner.fetcher); /* a notification may come as late as that */
        fetcher_done(&owner.fetcher);
        server_stop(server);
    }
}

/* Whoever pauses goes on when no fetch can begin any more, and has not waited for their ends. */
static void a_pause_waits_for_the_turn_at_hand(void **state)
{
    struct server *server = server_start(serve_in_silence, NULL);
    struct owner owner = {.url = server->url, .to_fetch = FETCHES, .is_turn_slow = true};
    (void)state;
    fetcher_start(&owner.fetcher, &turns);
    while (owner.turns == 0)
        usleep(1000);
    fetcher_pause(&owner.fetcher, 0);
    int begun = owner.under_way;
    assert_int_equal(begun, FETCHES);
    await(&server->requests, FETCHES);
    assert_int_equal(owner.ended, 0);
    fetcher_stop(&owner.fetcher, 0);
    assert_int_equal(owner.canceled, FETCHES);
    fetcher_done(&owner.fetcher);
    server_stop(server);
}

static void what_ends_within_the_grace_is_not_cancelled(void **state)
{
    struct server *server = server_start(serve_in_silence, NULL);
    struct owner owner = {.url = server->url, .to_fetch = 1};
    (void)state;
    fetcher_start(&owner.fetcher, &turns);
    await(&server->requests, 1);
    int64_t start_ms = clock_monotonic_ms();
    fetcher_begin_no_more(&owner.fetcher);
    assert_true(clock_monotonic_ms() - start_ms < PATIENCE_MS);
    assert_int_equal(owner.ended, 0);
    server->is_open = true; /* it hangs up, which is an end */
    fetcher_stop(&owner.fetcher, PATIENCE_MS);
    assert_int_equal(owner.ended, 1);
    assert_int_equal(owner.canceled, 0);
    fetcher_done(&owner.fetcher);
    server_stop(server);
}

static void what_is_abandoned_ends_as_others_do(void **state)
{
    struct owner owner = {.under_way = 1};
    (void)state;
    fetcher_start(&owner.fetcher, &turns);
    fetch_slot_init(&owner.slots[0], &owner.fetcher);
    owner.slots[0].end = count_end;
    fetch_slot_abandon(&owner.slots[0], FETCH_CANCELED, "there is no room");
    await(&owner.ended, 1);
    assert_int_equal(owner.abandoned, 1);
    assert_true(pthread_equal(owner.read_by, owner.thread));
    fetcher_stop(&owner.fetcher, 0);
    fetcher_done(&owner.fetcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_read_where_the_kind_says),
        cmocka_unit_test(a_pause_waits_for_the_turn_at_hand),
        cmocka_unit_test(what_ends_within_the_grace_is_not_cancelled),
        cmocka_unit_test(what_is_abandoned_ends_as_others_do),
    };
    return cmocka_run_group_tests_name("fetcher", tests, NULL, NULL);
}
