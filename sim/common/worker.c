/* A heap of what is due later, and a curl multi handle, on one thread. */
#include "worker.h"

#include "kit/base/clock.h"
#include "memory.h"
#include "trust.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { POLL_MAX_MS = 1000, CONNECTIONS_MAX = 64 };

struct task {
    int64_t due_us;
    void (*fn)(void *arg);
    void *arg;
};

struct worker {
    pthread_t thread;
    CURLM *multi;
    int post_count; /* under way */
    atomic_bool is_draining;
    atomic_bool is_over;
    pthread_mutex_t lock; /* of what follows */
    struct task *heap;    /* the soonest at 0 */
    size_t count;
    size_t capacity;
};

/* ---- the heap ---- */

static void swap(struct task *a, struct task *b)
{
    struct task kept = *a;

    *a = *b;
    *b = kept;
}

static void sift_up(struct worker *worker, size_t at)
{
    struct task *heap = worker->heap;

    while (at > 0 && heap[at].due_us < heap[(at - 1) / 2].due_us) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct worker *worker, size_t at)
{
    struct task *heap = worker->heap;

    for (;;) {
        size_t least = at, child = 2 * at + 1;
        if (child < worker->count && heap[child].due_us < heap[least].due_us) least = child;
        child++;
        if (child < worker->count && heap[child].due_us < heap[least].due_us) least = child;
        if (least == at) return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void push(struct worker *worker, struct task task)
{
    if (worker->count == worker->capacity) {
        worker->capacity = worker->capacity > 0 ? worker->capacity * 2 : 64;
        worker->heap = realloc(worker->heap, worker->capacity * sizeof(*worker->heap));
        if (!worker->heap) abort();
    }
    worker->heap[worker->count++] = task;
    sift_up(worker, worker->count - 1);
}

static bool take_due(struct worker *worker, struct task *ret_task)
{
    bool is_due;

    pthread_mutex_lock(&worker->lock);
    is_due = worker->count > 0 &&
             (atomic_load(&worker->is_draining) || worker->heap[0].due_us <= clock_monotonic_us());
    if (is_due) {
        *ret_task = worker->heap[0];
        worker->heap[0] = worker->heap[--worker->count];
        sift_down(worker, 0);
    }
    pthread_mutex_unlock(&worker->lock);
    return is_due;
}

/* Returns how long nothing is due, rounded up. */
static int wait_ms(struct worker *worker)
{
    int64_t wait = POLL_MAX_MS;

    pthread_mutex_lock(&worker->lock);
    if (worker->count > 0 && atomic_load(&worker->is_draining)) {
        wait = 0;
    } else if (worker->count > 0) {
        int64_t left_us = worker->heap[0].due_us - clock_monotonic_us();
        int64_t left_ms = left_us <= 0 ? 0 : (left_us + 999) / 1000;
        if (left_ms < wait) wait = left_ms;
    }
    pthread_mutex_unlock(&worker->lock);
    return (int)wait;
}

/* ---- posts ---- */

struct transfer {
    CURL *curl;
    struct curl_slist *headers;
};

static size_t drop_body(char *data, size_t size, size_t count, void *context)
{
    (void)data, (void)context;
    return size * count;
}

/* libcurl asks about once a second: at the end nobody waits for a slow receiver. */
static int on_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                       curl_off_t up)
{
    const struct worker *worker = context;

    (void)down_total, (void)down, (void)up_total, (void)up;
    return atomic_load(&worker->is_draining);
}

static void set_up(struct worker *worker, struct transfer *transfer, const struct http_post *post)
{
    CURL *curl = transfer->curl;

    for (size_t i = 0; i < POST_HEADERS_MAX && post->headers[i]; i++)
        transfer->headers = curl_slist_append(transfer->headers, post->headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, post->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post->body.data);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)post->body.len);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)POST_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    trust(curl);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, worker);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, (void *)(uintptr_t)post);
}

static void finish(struct worker *worker, struct http_post *post)
{
    struct transfer *transfer = post->transfer;

    curl_multi_remove_handle(worker->multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    free(transfer);
    post->transfer = NULL;
    worker->post_count--;
    post->done(post);
}

void worker_post(struct worker *worker, struct http_post *post)
{
    struct transfer *transfer = memory_new(sizeof(*transfer));

    post->http_status = 0;
    post->transfer = transfer;
    transfer->curl = curl_easy_init();
    if (!transfer->curl) abort();
    set_up(worker, transfer, post);
    worker->post_count++;
    bool is_started = !atomic_load(&worker->is_draining) &&
                      curl_multi_add_handle(worker->multi, transfer->curl) == CURLM_OK;
    if (!is_started) finish(worker, post);
}

static struct http_post *post_of(CURL *curl)
{
    void *post = NULL;

    curl_easy_getinfo(curl, CURLINFO_PRIVATE, &post);
    return post;
}

static void collect(struct worker *worker)
{
    struct CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(worker->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        struct http_post *post = post_of(message->easy_handle);
        if (message->data.result == CURLE_OK)
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &post->http_status);
        finish(worker, post);
    }
}

/* ---- the thread ---- */

static bool has_work(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    bool has_tasks = worker->count > 0;
    pthread_mutex_unlock(&worker->lock);
    return has_tasks || worker->post_count > 0;
}

static void *run(void *arg)
{
    struct worker *worker = arg;
    struct task task;
    int running;

    while (!atomic_load(&worker->is_over) || has_work(worker)) {
        while (take_due(worker, &task))
            task.fn(task.arg);
        curl_multi_perform(worker->multi, &running);
        collect(worker);
        curl_multi_poll(worker->multi, NULL, 0, wait_ms(worker), NULL);
    }
    return NULL;
}

static bool start_thread(struct worker *worker)
{
    sigset_t all, before;

    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&worker->thread, NULL, run, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

struct worker *worker_new(void)
{
    struct worker *worker = memory_new(sizeof(*worker));

    pthread_mutex_init(&worker->lock, NULL);
    worker->multi = curl_multi_init();
    if (worker->multi) {
        curl_multi_setopt(worker->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS_MAX);
        if (start_thread(worker)) return worker;
        curl_multi_cleanup(worker->multi);
    }
    pthread_mutex_destroy(&worker->lock);
    free(worker);
    return NULL;
}

void worker_free(struct worker *worker)
{
    if (!worker) return;
    worker_drain(worker);
    atomic_store(&worker->is_over, true);
    curl_multi_wakeup(worker->multi);
    pthread_join(worker->thread, NULL);
    curl_multi_cleanup(worker->multi);
    pthread_mutex_destroy(&worker->lock);
    free(worker->heap);
    free(worker);
}

void worker_run_after(struct worker *worker, int64_t wait, void (*fn)(void *arg), void *arg)
{
    int64_t due_us = clock_monotonic_us() + (wait > 0 ? wait : 0) * 1000;

    pthread_mutex_lock(&worker->lock);
    push(worker, (struct task){due_us, fn, arg});
    bool is_soonest = worker->heap[0].arg == arg;
    pthread_mutex_unlock(&worker->lock);
    if (is_soonest) curl_multi_wakeup(worker->multi);
}

void worker_run_now(struct worker *worker, void (*fn)(void *arg))
{
    pthread_mutex_lock(&worker->lock);
    for (size_t i = 0; i < worker->count; i++) {
        if (!fn || worker->heap[i].fn == fn) worker->heap[i].due_us = 0;
        sift_up(worker, i);
    }
    pthread_mutex_unlock(&worker->lock);
    curl_multi_wakeup(worker->multi);
}

void worker_drain(struct worker *worker)
{
    atomic_store(&worker->is_draining, true);
    worker_run_now(worker, NULL);
}
