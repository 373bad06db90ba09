/* libcurl's sockets and timer on epoll: an event costs what it costs, however many calls are under
 * way (curl_multi_perform walks all of them each time). */
#pragma once

#include <curl/curl.h>
#include <stdint.h>

struct poller {
    CURLM *multi;
    int epoll_fd;
    int wake_fd;
    int64_t timer_at_ms; /* monotonic, when libcurl wants to be called; INT64_MAX: never */
};

/* Keeps `idle_max` connections open that no call uses. */
void poller_init(struct poller *poller, long idle_max);
void poller_done(struct poller *poller);

/* Lets libcurl work on what is ready; waits for it up to `wait_ms` (-1: without end). */
void poller_run(struct poller *poller, int64_t wait_ms);
/* Ends the wait of poller_run. Any thread. */
void poller_wake(struct poller *poller);
