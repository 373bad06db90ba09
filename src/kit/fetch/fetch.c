/*
 * The client's thread takes fetches from the queue, lets libcurl work on those under way, and calls
 * `done` of each that has ended.
 *
 * Other threads touch only the queue and the count, under one lock; `done` is called without it.
 */
#include "kit/fetch/fetch.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "kit/base/thread.h"
#include "kit/fetch/poller.h"
#include "kit/fetch/transfer.h"

#include <stdlib.h>

enum { QUEUE_SWEEP_MS = 100 }; /* a fetch that waits learns so late that its time is up */

struct fetch_client {
    pthread_t thread;
    struct poller poller;
    int in_flight_max;
    int load_max;
    size_t answer_max;

    pthread_mutex_t lock; /* guards the queue, `load` and `is_ending` */
    struct fetch *queue;
    struct fetch **queue_end;
    int load; /* waiting or under way */
    bool is_ending;

    /* Only the thread uses these. */
    struct transfer **transfers; /* all transfers, made as they are needed */
    int transfer_count;
    struct transfer
        *idle; /* the one used last comes first, since its TLS sessions are the freshest */
    int in_flight;
    int64_t sweep_at_ms;
};

/* Calls `done`, which may free the fetch. Its place is free before that, so that `done` can start
 * the next one. */
static void give_back(struct fetch_client *client, struct fetch *fetch)
{
    fetch->duration_ms = clock_monotonic_ms() - fetch->started_ms;
    pthread_mutex_lock(&client->lock);
    client->load--;
    pthread_mutex_unlock(&client->lock);
    fetch->done(fetch);
}

static void give_back_unsent(struct fetch_client *client, struct fetch *fetch, enum fetch_end end,
                             const char *error)
{
    fetch->end = end;
    fetch->error = error;
    give_back(client, fetch);
}

static int64_t ms_left(const struct fetch *fetch, int64_t now_ms)
{
    return fetch->started_ms + fetch->route.timeout_ms - now_ms;
}

static void unlink_first_locked(struct fetch_client *client)
{
    client->queue = client->queue->next;
    if (!client->queue) client->queue_end = &client->queue;
}

/* Returns the next fetch to start; NULL if none waits or all places are taken. */
static struct fetch *take_waiting(struct fetch_client *client)
{
    if (client->in_flight == client->in_flight_max) return NULL;
    pthread_mutex_lock(&client->lock);
    struct fetch *fetch = client->is_ending ? NULL : client->queue;
    if (fetch) unlink_first_locked(client);
    pthread_mutex_unlock(&client->lock);
    return fetch;
}

static struct transfer *take_transfer(struct fetch_client *client)
{
    struct transfer *transfer = client->idle;
    if (transfer) {
        client->idle = transfer->next_idle;
        return transfer;
    }
    assert(client->transfer_count < client->in_flight_max);
    transfer = transfer_new(client->answer_max);
    client->transfers[client->transfer_count++] = transfer;
    return transfer;
}

static void hand_to_libcurl(struct fetch_client *client, struct transfer *transfer)
{
    CURLMcode code = curl_multi_add_handle(client->poller.multi, transfer->easy);
    assert(code == CURLM_OK);
}

static void begin_fetches(struct fetch_client *client)
{
    struct fetch *fetch;
    while ((fetch = take_waiting(client))) {
        int64_t left_ms = ms_left(fetch, clock_monotonic_ms());
        if (left_ms <= 0) {
            give_back_unsent(client, fetch, FETCH_NOT_SENT, "the time was up while it waited");
            continue;
        }
        struct transfer *transfer = take_transfer(client);
        transfer_begin(transfer, fetch, (long)left_ms);
        client->in_flight++;
        hand_to_libcurl(client, transfer);
    }
}

static void end_fetch(struct fetch_client *client, CURL *easy, CURLcode code)
{
    struct transfer *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    struct fetch *fetch = transfer->fetch;

    curl_multi_remove_handle(client->poller.multi, easy);
    int64_t left_ms = ms_left(fetch, clock_monotonic_ms());
    if (transfer_reconnect(transfer, left_ms > 0 ? (long)left_ms : 1)) {
        hand_to_libcurl(client, transfer);
        return;
    }
    transfer_end(transfer, code);
    transfer->next_idle = client->idle;
    client->idle = transfer;
    client->in_flight--;
    give_back(client, fetch);
}

static void end_fetches(struct fetch_client *client)
{
    const CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(client->poller.multi, &left))) {
        /* The message goes with its handle. */
        if (message->msg == CURLMSG_DONE)
            end_fetch(client, message->easy_handle, message->data.result);
    }
}

/* Cuts the fetches out of the queue whose time is up. */
static struct fetch *cut_overdue_locked(struct fetch_client *client, int64_t now_ms)
{
    struct fetch *overdue = NULL;
    struct fetch **overdue_end = &overdue;
    struct fetch **at = &client->queue;

    while (*at) {
        struct fetch *fetch = *at;
        if (ms_left(fetch, now_ms) > 0) {
            at = &fetch->next;
            continue;
        }
        *at = fetch->next;
        fetch->next = NULL;
        *overdue_end = fetch;
        overdue_end = &fetch->next;
    }
    client->queue_end = at;
    return overdue;
}

static void sweep_queue(struct fetch_client *client)
{
    int64_t now_ms = clock_monotonic_ms();
    if (now_ms < client->sweep_at_ms) return;
    client->sweep_at_ms = now_ms + QUEUE_SWEEP_MS;

    pthread_mutex_lock(&client->lock);
    struct fetch *fetch = cut_overdue_locked(client, now_ms);
    pthread_mutex_unlock(&client->lock);
    while (fetch) {
        struct fetch *next = fetch->next;
        give_back_unsent(client, fetch, FETCH_NOT_SENT, "the time was up while it waited");
        fetch = next;
    }
}

static bool is_ending(struct fetch_client *client)
{
    pthread_mutex_lock(&client->lock);
    bool is_ending = client->is_ending;
    pthread_mutex_unlock(&client->lock);
    return is_ending;
}

static void cancel_all(struct fetch_client *client)
{
    for (int i = 0; i < client->transfer_count; i++) {
        struct transfer *transfer = client->transfers[i];
        struct fetch *fetch = transfer->fetch;
        if (!fetch) continue;
        curl_multi_remove_handle(client->poller.multi, transfer->easy);
        transfer_cancel(transfer);
        give_back(client, fetch);
    }
    /* No lock is needed: once is_ending is set, no fetch comes in. */
    while (client->queue) {
        struct fetch *fetch = client->queue;
        unlink_first_locked(client);
        give_back_unsent(client, fetch, FETCH_CANCELED, "herald is stopping");
    }
}

static void *run(void *arg)
{
    struct fetch_client *client = arg;
    while (!is_ending(client)) {
        begin_fetches(client);
        bool may_wait = client->in_flight == client->in_flight_max;
        poller_run(&client->poller, may_wait ? QUEUE_SWEEP_MS : -1);
        end_fetches(client);
        sweep_queue(client);
    }
    cancel_all(client);
    return NULL;
}

struct fetch_client *fetch_client_new(int in_flight_max, int queue_max, size_t answer_max)
{
    assert(in_flight_max > 0 && queue_max >= 0);
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    must_have(code == CURLE_OK, "libcurl cannot be started; is its installation whole?");

    struct fetch_client *client = must_calloc(1, sizeof(*client));
    client->in_flight_max = in_flight_max;
    client->load_max = in_flight_max + queue_max;
    client->answer_max = answer_max;
    client->queue_end = &client->queue;
    client->transfers = must_calloc((size_t)in_flight_max, sizeof(struct transfer *));
    pthread_mutex_init(&client->lock, NULL);
    poller_init(&client->poller, in_flight_max);
    thread_start(&client->thread, "http-client", run, client);
    return client;
}

void fetch_client_free(struct fetch_client *client)
{
    if (!client) return;
    assert(!pthread_equal(pthread_self(), client->thread));
    pthread_mutex_lock(&client->lock);
    client->is_ending = true;
    pthread_mutex_unlock(&client->lock);
    poller_wake(&client->poller);
    pthread_join(client->thread, NULL);

    for (int i = 0; i < client->transfer_count; i++)
        transfer_free(client->transfers[i]);
    poller_done(&client->poller);
    pthread_mutex_destroy(&client->lock);
    free(client->transfers);
    free(client);
    curl_global_cleanup();
}

static enum err push_locked(struct fetch_client *client, struct fetch *fetch, bool *ret_was_empty)
{
    if (client->is_ending || client->load == client->load_max) return ERR_OVERLOADED;
    *ret_was_empty = !client->queue;
    client->load++;
    *client->queue_end = fetch;
    client->queue_end = &fetch->next;
    return ERR_OK;
}

enum err fetch_start(struct fetch_client *client, struct fetch *fetch)
{
    bool was_empty = false;
    assert(fetch->done && fetch->route.timeout_ms > 0);
    fetch->end = FETCH_NOT_SENT;
    fetch->was_sent = false;
    fetch->status = 0;
    fetch->retry_after_ms = -1;
    buf_init(&fetch->answer, client->answer_max);
    fetch->error = NULL;
    fetch->started_ms = clock_monotonic_ms();
    fetch->next = NULL;

    pthread_mutex_lock(&client->lock);
    enum err err = push_locked(client, fetch, &was_empty);
    pthread_mutex_unlock(&client->lock);
    /* If others wait, the thread knows already. */
    if (was_empty) poller_wake(&client->poller);
    return err;
}

void fetch_done(struct fetch *fetch)
{
    if (fetch->answer.data) secret_wipe(fetch->answer.data, fetch->answer.capacity);
    buf_done(&fetch->answer);
}

const char *fetch_library_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

int fetch_client_load(struct fetch_client *client)
{
    pthread_mutex_lock(&client->lock);
    int load = client->load;
    pthread_mutex_unlock(&client->lock);
    return load;
}
