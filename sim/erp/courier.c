/* Deliveries and their schedule; the watch over what was delivered. */
#include "courier.h"

#include "kit/base/clock.h"
#include "kit/json/iso_time.h"
#include "kit/json/pointer.h"
#include "sim/common/stop.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    WATCH_FIRST_MS = 5, /* between two questions for the status; grows by half each time */
    WATCH_LAST_MS = 1000,
    WATCH_TROUBLE_MS = 1000,
};

/* Waits, at most until the time to give up. */
static enum courier_end wait_for(const struct courier *courier, int64_t ms)
{
    int64_t left_ms = courier->give_up_at_ms - clock_monotonic_ms();
    bool is_last = courier->give_up_at_ms > 0 && left_ms <= ms;

    if (is_last) ms = left_ms > 0 ? left_ms : 0;
    if (stop_wait(courier->stop_fd, ms)) return COURIER_STOPPED;
    return is_last ? COURIER_GAVE_UP : COURIER_DONE;
}

/* Returns whether the same may be tried again by itself. */
static bool is_temporary(const struct link_answer *answer)
{
    long status = answer->http.status;

    return status == 0 || status == 429 || status >= 500;
}

static enum courier_end refuse(const struct courier *courier, struct package *package,
                               const struct link_answer *answer, const char *doing)
{
    char reason[128];

    snprintf(reason, sizeof(reason), "%s: %s answers %ld", doing,
             answer->is_of_token ? "the token endpoint" : "the service", answer->http.status);
    tell(courier->teller, &(struct happening){.kind = HAPPENED_STOP,
                                              .event_id = package->event_id,
                                              .outcome = reason,
                                              .http_status = answer->http.status,
                                              .detail = buf_view(&answer->http.body)});
    return COURIER_REFUSED;
}

/* --- Delivery --------------------------------------------------------------------------------- */

/* The longer of the schedule of doc B and what the service asks for. */
static int64_t wait_before(const struct courier *courier, int64_t next_attempt,
                           const struct link_answer *answer)
{
    static const int64_t waits_s[] = {5, 15, 30, 60, 120, 300};
    const int64_t last = sizeof(waits_s) / sizeof(waits_s[0]) - 1;
    int64_t place = next_attempt - 2;
    int64_t ms = waits_s[place < last ? place : last] * 1000 / courier->options->hurry;
    int64_t asked_ms = answer->http.retry_after_s * 1000;

    return asked_ms > ms ? asked_ms : ms;
}

static void tell_post(const struct courier *courier, const struct package *package, size_t bytes,
                      int64_t attempt, const struct link_answer *answer)
{
    const char *outcome = answer->status_word[0] ? answer->status_word : answer->http.problem;

    tell(courier->teller, &(struct happening){.kind = HAPPENED_POST,
                                              .event_id = package->event_id,
                                              .attempt = attempt,
                                              .http_status = answer->http.status,
                                              .outcome = outcome,
                                              .us = answer->http.took_us,
                                              .bytes = bytes});
}

static void count(struct courier_tally *tally, const struct link_answer *answer)
{
    if (answer->http.status == 0)
        tally->unanswered++;
    else if (answer->http.status != 202)
        tally->refused++;
    else if (strcmp(answer->status_word, "accepted") == 0)
        tally->accepted++;
    else
        tally->duplicate++;
}

/* One attempt. True: it ended the delivery, as `ret_end` says; else `ret_wait_ms` is what to wait.
 */
static bool try_once(const struct courier *courier, struct package *package, struct str body,
                     int64_t attempt, enum courier_end *ret_end, int64_t *ret_wait_ms)
{
    AUTO_LINK_ANSWER answer = {0};

    link_answer_init(&answer);
    link_post(courier->link, package, body, attempt, &answer);
    if (!answer.is_of_token) {
        tell_post(courier, package, body.len, attempt, &answer);
        count(courier->tally, &answer);
    }
    if (answer.http.status == 202) {
        bool is_marked = queue_mark(courier->queue, package, PACKAGE_SENT);
        *ret_end = is_marked ? COURIER_DONE : COURIER_REFUSED;
        return true;
    }
    *ret_wait_ms = wait_before(courier, attempt + 1, &answer);
    if (is_temporary(&answer)) return false;
    *ret_end = refuse(courier, package, &answer, "not delivered");
    /* Wrong credentials are no fault of the package: it waits for better ones. */
    bool is_its_fault = !answer.is_of_token && answer.http.status != 401;
    if (is_its_fault && !queue_mark(courier->queue, package, PACKAGE_REFUSED))
        perror("erp: the queue");
    return true;
}

static enum courier_end deliver_body(const struct courier *courier, struct package *package,
                                     struct str body)
{
    for (int64_t attempt = 1;; attempt++) {
        enum courier_end end;
        int64_t wait_ms;
        if (try_once(courier, package, body, attempt, &end, &wait_ms)) return end;
        if (!stop_wait(courier->stop_fd, 0)) /* what a signal broke off needs no next attempt */
            tell(courier->teller, &(struct happening){.kind = HAPPENED_WAIT,
                                                      .event_id = package->event_id,
                                                      .wait_ms = wait_ms});
        end = wait_for(courier, wait_ms);
        if (end != COURIER_DONE) return end;
    }
}

enum courier_end courier_deliver(const struct courier *courier, struct package *package)
{
    struct str body;

    if (!queue_map_body(courier->queue, package, &body)) {
        perror("erp: a body of the queue");
        return COURIER_REFUSED;
    }
    enum courier_end end = deliver_body(courier, package, body);
    queue_unmap_body(body);
    return end;
}

/* --- The watch -------------------------------------------------------------------------------- */

/* From its receipt until it was processed, by the service's clock; -1: it does not say. */
static int64_t server_span_ms(struct str body, struct arena *arena)
{
    struct json_value received, processed;
    const char *reason;
    int64_t from_ms, to_ms;

    if (!json_find(body, "/received_at", arena, &received)) return -1;
    if (!json_find(body, "/processed_at", arena, &processed)) return -1;
    if (received.type != JSON_STRING || processed.type != JSON_STRING) return -1;
    bool is_good = iso_time_read(received.text, &from_ms, &reason) == ISO_TIME_OK &&
                   iso_time_read(processed.text, &to_ms, &reason) == ISO_TIME_OK;
    return is_good ? to_ms - from_ms : -1;
}

/* Shows beside a state the result, or the record as a whole where there is none. */
static void tell_state(const struct courier *courier, const struct package *package,
                       const struct link_answer *answer, int64_t since_us)
{
    struct str body = buf_view(&answer->http.body);
    struct arena arena;

    arena_init(&arena);
    bool is_applied = strcmp(answer->status_word, "applied") == 0;
    bool is_trouble =
        strcmp(answer->status_word, "retry") == 0 || strcmp(answer->status_word, "failed") == 0;
    tell(courier->teller, &(struct happening){
                              .kind = HAPPENED_STATE,
                              .event_id = package->event_id,
                              .outcome = answer->status_word,
                              .us = since_us ? clock_monotonic_us() - since_us : 0,
                              .server_ms = server_span_ms(body, &arena),
                              .detail = is_applied || is_trouble ? body : (struct str){0},
                          });
    arena_done(&arena);
}

/* Returns whether the status ends the watch. */
static bool is_final(const struct courier *courier, struct package *package,
                     const struct link_answer *answer, enum courier_end *ret_end)
{
    if (strcmp(answer->status_word, "applied") == 0) {
        queue_drop(courier->queue, package);
        *ret_end = COURIER_DONE;
        return true;
    }
    bool is_failed = strcmp(answer->status_word, "failed") == 0;
    if (!is_failed && (answer->http.status == 200 || is_temporary(answer))) return false;
    *ret_end = refuse(courier, package, answer, is_failed ? "failed" : "its status is not told");
    return true;
}

enum courier_end courier_watch(const struct courier *courier, struct package *package,
                               int64_t since_us)
{
    char last_word[sizeof(((struct link_answer *)NULL)->status_word)] = "";
    int64_t wait_ms = WATCH_FIRST_MS;

    for (;;) {
        AUTO_LINK_ANSWER answer = {0};
        enum courier_end end;
        link_answer_init(&answer);
        link_read_status(courier->link, package->event_id, &answer);
        if (answer.http.status == 200 && strcmp(answer.status_word, last_word) != 0) {
            memcpy(last_word, answer.status_word, sizeof(last_word));
            tell_state(courier, package, &answer, since_us);
        }
        if (is_final(courier, package, &answer, &end)) return end;
        wait_ms = wait_ms * 3 / 2 < WATCH_LAST_MS ? wait_ms * 3 / 2 : WATCH_LAST_MS;
        int64_t asked_ms = answer.http.retry_after_s * 1000;
        if (answer.http.status != 200 && wait_ms < WATCH_TROUBLE_MS) wait_ms = WATCH_TROUBLE_MS;
        end = wait_for(courier, asked_ms > wait_ms ? asked_ms : wait_ms);
        if (end != COURIER_DONE) return end;
    }
}
