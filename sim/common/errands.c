/* A heap of what is due later, and a curl multi handle, on one thread. */
#include "errands.h"

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

struct errands {
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

static void sift_up(struct errands *errands, size_t at)
{
    struct task *heap = errands->heap;

    while (at > 0 && heap[at].due_us < heap[(at - 1) / 2].due_us) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct errands *errands, size_t at)
{
    struct task *heap = errands->heap;

    for (;;) {
        size_t least = at, child = 2 * at + 1;
        if (child < errands->count && heap[child].due_us < heap[least].due_us) least = child;
        child++;
        if (child < errands->count && heap[child].due_us < heap[least].due_us) least = child;
        if (least == at) return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void push(struct errands *errands, struct task task)
{
    if (errands->count == errands->capacity) {
        errands->capacity = errands->capacity > 0 ? errands->capacity * 2 : 64;
        errands->heap = realloc(errands->heap, errands->capacity * sizeof(*errands->heap));
        if (!errands->heap) abort();
    }
    errands->heap[errands->count++] = task;
    sift_up(errands, errands->count - 1);
}

static bool take_due(struct errands *errands, struct task *ret_task)
{
    bool is_due;

    pthread_mutex_lock(&errands->lock);
    is_due = errands->count > 0 &&
             (atomic_load(&errands->is_hurried) || errands->heap[0].due_us <= clock_monotonic_us());
    if (is_due) {
        *ret_task = errands->heap[0];
        errands->heap[0] = errands->heap[--errands->count];
        sift_down(errands, 0);
    }
    pthread_mutex_unlock(&errands->lock);
    return is_due;
}

/* How long nothing is due, rounded up. */
static int wait_ms(struct errands *errands)
{
    int64_t wait = POLL_MAX_MS;

    pthread_mutex_lock(&errands->lock);
    if (errands->count > 0 && atomic_load(&errands->is_hurried)) {
        wait = 0;
    } else if (errands->count > 0) {
        int64_t left_us = errands->heap[0].due_us - clock_monotonic_us();
        int64_t left_ms = left_us <= 0 ? 0 : (left_us + 999) / 1000;
        if (left_ms < wait) wait = left_ms;
    }
    pthread_mutex_unlock(&errands->lock);
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
    const struct errands *errands = context;

    (void)down_total, (void)down, (void)up_total, (void)up;
    return atomic_load(&errands->is_hurried);
}

static void set_up(struct errands *errands, struct transfer *transfer, const struct parcel *parcel)
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
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, errands);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, (void *)(uintptr_t)parcel);
}

static void finish(struct errands *errands, struct parcel *parcel)
{
    struct transfer *transfer = parcel->transfer;

    curl_multi_remove_handle(errands->multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    free(transfer);
    parcel->transfer = NULL;
    errands->parcel_count--;
    parcel->done(parcel);
}

void errands_post(struct errands *errands, struct parcel *parcel)
{
    struct transfer *transfer = calloc(1, sizeof(*transfer));

    if (!transfer) abort();
    parcel->http_status = 0;
    parcel->transfer = transfer;
    transfer->curl = curl_easy_init();
    if (!transfer->curl) abort();
    set_up(errands, transfer, parcel);
    errands->parcel_count++;
    bool is_started = !atomic_load(&errands->is_hurried) &&
                      curl_multi_add_handle(errands->multi, transfer->curl) == CURLM_OK;
    if (!is_started) finish(errands, parcel);
}

static struct parcel *parcel_of(CURL *curl)
{
    void *parcel = NULL;

    curl_easy_getinfo(curl, CURLINFO_PRIVATE, &parcel);
    return parcel;
}

static void collect(struct errands *errands)
{
    struct CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(errands->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        struct parcel *parcel = parcel_of(message->easy_handle);
        if (message->data.result == CURLE_OK)
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &parcel->http_status);
        finish(errands, parcel);
    }
}

/* ---- the thread ---- */

static bool has_work(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    bool has_tasks = errands->count > 0;
    pthread_mutex_unlock(&errands->lock);
    return has_tasks || errands->parcel_count > 0;
}

static void *run(void *arg)
{
    struct errands *errands = arg;
    struct task task;
    int running;

    while (!atomic_load(&errands->is_over) || has_work(errands)) {
        while (take_due(errands, &task))
            task.fn(task.arg);
        curl_multi_perform(errands->multi, &running);
        collect(errands);
        curl_multi_poll(errands->multi, NULL, 0, wait_ms(errands), NULL);
    }
    return NULL;
}

static bool start_thread(struct errands *errands)
{
    sigset_t all, before;

    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&errands->thread, NULL, run, errands) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

struct errands *errands_new(void)
{
    struct errands *errands = calloc(1, sizeof(*errands));

    if (!errands) abort();
    pthread_mutex_init(&errands->lock, NULL);
    errands->multi = curl_multi_init();
    if (errands->multi) {
        curl_multi_setopt(errands->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS_MAX);
        if (start_thread(errands)) return errands;
        curl_multi_cleanup(errands->multi);
    }
    pthread_mutex_destroy(&errands->lock);
    free(errands);
    return NULL;
}

void errands_free(struct errands *errands)
{
    if (!errands) return;
    errands_hurry(errands);
    atomic_store(&errands->is_over, true);
    curl_multi_wakeup(errands->multi);
    pthread_join(errands->thread, NULL);
    curl_multi_cleanup(errands->multi);
    pthread_mutex_destroy(&errands->lock);
    free(errands->heap);
    free(errands);
}

void errands_after(struct errands *errands, int64_t wait, void (*fn)(void *arg), void *arg)
{
    int64_t due_us = clock_monotonic_us() + (wait > 0 ? wait : 0) * 1000;

    pthread_mutex_lock(&errands->lock);
    push(errands, (struct task){due_us, fn, arg});
    bool is_soonest = errands->heap[0].arg == arg;
    pthread_mutex_unlock(&errands->lock);
    if (is_soonest) curl_multi_wakeup(errands->multi);
}

void errands_rush(struct errands *errands, void (*fn)(void *arg))
{
    pthread_mutex_lock(&errands->lock);
    for (size_t i = 0; i < errands->count; i++) {
        if (!fn || errands->heap[i].fn == fn) errands->heap[i].due_us = 0;
        sift_up(errands, i);
    }
    pthread_mutex_unlock(&errands->lock);
    curl_multi_wakeup(errands->multi);
}

void errands_hurry(struct errands *errands)
{
    atomic_store(&errands->is_hurried, true);
    errands_rush(errands, NULL);
}
