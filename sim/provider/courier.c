/* A heap of what is due later, and a curl multi handle, on one thread. */
#include "courier.h"

#include "kit/base/clock.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { POLL_MAX_MS = 1000, CONNECTIONS_MAX = 64 };

struct task {
    int64_t due_us;
    void (*fn)(void *arg);
    void *arg;
};

struct courier {
    pthread_t thread;
    CURLM *multi;
    int parcel_count; /* under way */
    atomic_bool is_hurried;
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

static void sift_up(struct courier *courier, size_t at)
{
    struct task *heap = courier->heap;

    while (at > 0 && heap[at].due_us < heap[(at - 1) / 2].due_us) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct courier *courier, size_t at)
{
    struct task *heap = courier->heap;

    for (;;) {
        size_t least = at, child = 2 * at + 1;
        if (child < courier->count && heap[child].due_us < heap[least].due_us) least = child;
        child++;
        if (child < courier->count && heap[child].due_us < heap[least].due_us) least = child;
        if (least == at) return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void push(struct courier *courier, struct task task)
{
    if (courier->count == courier->capacity) {
        courier->capacity = courier->capacity > 0 ? courier->capacity * 2 : 64;
        courier->heap = realloc(courier->heap, courier->capacity * sizeof(*courier->heap));
        if (!courier->heap) abort();
    }
    courier->heap[courier->count++] = task;
    sift_up(courier, courier->count - 1);
}

static bool take_due(struct courier *courier, struct task *ret_task)
{
    bool is_due;

    pthread_mutex_lock(&courier->lock);
    is_due = courier->count > 0 &&
             (atomic_load(&courier->is_hurried) || courier->heap[0].due_us <= clock_monotonic_us());
    if (is_due) {
        *ret_task = courier->heap[0];
        courier->heap[0] = courier->heap[--courier->count];
        sift_down(courier, 0);
    }
    pthread_mutex_unlock(&courier->lock);
    return is_due;
}

/* How long nothing is due, rounded up. */
static int wait_ms(struct courier *courier)
{
    int64_t wait = POLL_MAX_MS;

    pthread_mutex_lock(&courier->lock);
    if (courier->count > 0 && atomic_load(&courier->is_hurried)) {
        wait = 0;
    } else if (courier->count > 0) {
        int64_t left_us = courier->heap[0].due_us - clock_monotonic_us();
        int64_t left_ms = left_us <= 0 ? 0 : (left_us + 999) / 1000;
        if (left_ms < wait) wait = left_ms;
    }
    pthread_mutex_unlock(&courier->lock);
    return (int)wait;
}

/* ---- parcels ---- */

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
    const struct courier *courier = context;

    (void)down_total, (void)down, (void)up_total, (void)up;
    return atomic_load(&courier->is_hurried);
}

static void set_up(struct courier *courier, struct transfer *transfer, const struct parcel *parcel)
{
    CURL *curl = transfer->curl;

    for (size_t i = 0; i < PARCEL_HEADERS_MAX && parcel->headers[i]; i++)
        transfer->headers = curl_slist_append(transfer->headers, parcel->headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, parcel->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, parcel->body.data);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)parcel->body.len);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)PARCEL_TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, courier);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, (void *)(uintptr_t)parcel);
}

static void finish(struct courier *courier, struct parcel *parcel)
{
    struct transfer *transfer = parcel->transfer;

    curl_multi_remove_handle(courier->multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    free(transfer);
    parcel->transfer = NULL;
    courier->parcel_count--;
    parcel->done(parcel);
}

void courier_post(struct courier *courier, struct parcel *parcel)
{
    struct transfer *transfer = calloc(1, sizeof(*transfer));

    if (!transfer) abort();
    parcel->http_status = 0;
    parcel->transfer = transfer;
    transfer->curl = curl_easy_init();
    if (!transfer->curl) abort();
    set_up(courier, transfer, parcel);
    courier->parcel_count++;
    bool is_started = !atomic_load(&courier->is_hurried) &&
                      curl_multi_add_handle(courier->multi, transfer->curl) == CURLM_OK;
    if (!is_started) finish(courier, parcel);
}

static struct parcel *parcel_of(CURL *curl)
{
    void *parcel = NULL;

    curl_easy_getinfo(curl, CURLINFO_PRIVATE, &parcel);
    return parcel;
}

static void collect(struct courier *courier)
{
    struct CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(courier->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        struct parcel *parcel = parcel_of(message->easy_handle);
        if (message->data.result == CURLE_OK)
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &parcel->http_status);
        finish(courier, parcel);
    }
}

/* ---- the thread ---- */

static bool has_work(struct courier *courier)
{
    pthread_mutex_lock(&courier->lock);
    bool has_tasks = courier->count > 0;
    pthread_mutex_unlock(&courier->lock);
    return has_tasks || courier->parcel_count > 0;
}

static void *run(void *arg)
{
    struct courier *courier = arg;
    struct task task;
    int running;

    while (!atomic_load(&courier->is_over) || has_work(courier)) {
        while (take_due(courier, &task))
            task.fn(task.arg);
        curl_multi_perform(courier->multi, &running);
        collect(courier);
        curl_multi_poll(courier->multi, NULL, 0, wait_ms(courier), NULL);
    }
    return NULL;
}

static bool start_thread(struct courier *courier)
{
    sigset_t all, before;

    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&courier->thread, NULL, run, courier) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

struct courier *courier_new(void)
{
    struct courier *courier = calloc(1, sizeof(*courier));

    if (!courier) abort();
    pthread_mutex_init(&courier->lock, NULL);
    courier->multi = curl_multi_init();
    if (courier->multi) {
        curl_multi_setopt(courier->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS_MAX);
        if (start_thread(courier)) return courier;
        curl_multi_cleanup(courier->multi);
    }
    pthread_mutex_destroy(&courier->lock);
    free(courier);
    return NULL;
}

void courier_free(struct courier *courier)
{
    if (!courier) return;
    courier_hurry(courier);
    atomic_store(&courier->is_over, true);
    curl_multi_wakeup(courier->multi);
    pthread_join(courier->thread, NULL);
    curl_multi_cleanup(courier->multi);
    pthread_mutex_destroy(&courier->lock);
    free(courier->heap);
    free(courier);
}

void courier_after(struct courier *courier, int64_t wait, void (*fn)(void *arg), void *arg)
{
    int64_t due_us = clock_monotonic_us() + (wait > 0 ? wait : 0) * 1000;

    pthread_mutex_lock(&courier->lock);
    push(courier, (struct task){due_us, fn, arg});
    bool is_soonest = courier->heap[0].arg == arg;
    pthread_mutex_unlock(&courier->lock);
    if (is_soonest) curl_multi_wakeup(courier->multi);
}

void courier_rush(struct courier *courier, void (*fn)(void *arg))
{
    pthread_mutex_lock(&courier->lock);
    for (size_t i = 0; i < courier->count; i++) {
        if (!fn || courier->heap[i].fn == fn) courier->heap[i].due_us = 0;
        sift_up(courier, i);
    }
    pthread_mutex_unlock(&courier->lock);
    curl_multi_wakeup(courier->multi);
}

void courier_hurry(struct courier *courier)
{
    atomic_store(&courier->is_hurried, true);
    courier_rush(courier, NULL);
}
