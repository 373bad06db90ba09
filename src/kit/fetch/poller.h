/* The poller runs libcurl's sockets and timer on epoll. An event costs the same however many
 * fetches are under way (curl_multi_perform walks all of them each time). */
#pragma once

#include <curl/curl.h>
#include <stdint.h>

struct poller {
    CURLM *multi;
    int epoll_fd;
    int wake_fd;
    int64_t timer_at_ms; /* monotonic: libcurl wants to be called then; INT64_MAX: never */
};

/* Keeps up to `idle_max` connections open that no fetch uses. */
void poller_init(struct poller *poller, long idle_max);
void poller_done(struct poller *poller);

/* Waits up to `wait_ms` (-1: without end) for sockets, and lets libcurl work on those that are
 * ready. */
void poller_run(struct poller *poller, int64_t wait_ms);
/* Ends the wait of poller_run. Any thread may call. */
void poller_wake(struct poller *poller);
