/*
 * Polls claim for each number and account, sends what comes, and reports it (doc A, section 4, "SMS
 * tasks for phones", "Messages").
 *
 * A report is a row in a list with a due time: late answers, repeated answers and answers that
 * herald could not take at once are then the same thing. Polling goes on meanwhile.
 */
#include "poller.h"

#include "air.h"
#include "device_api.h"
#include "kit/base/clock.h"
#include "sim/common/say.h"
#include "sim/common/sent_list.h"
#include "sim/common/stop.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    REPORTS_MAX = 64,
    BACKOFF_FIRST_MS = 500,
    BACKOFF_MAX_MS = 30000,
    DECLARE_MS = 20000, /* a word on an account holds for 60 s */
};

enum send_status { SEND_SENT, SEND_DELIVERED, SEND_FAILED };
static const char *const send_status_words[] = {"sent", "delivered", "failed"};

struct report {
    struct sender sender;
    struct uuid task_id;
    char lease_id[UUID_TEXT_LEN + 1];
    enum send_status status;
    bool is_repeat; /* the second telling of --answer-twice */
    int64_t due_ms; /* monotonic */
};

enum end { END_NOT_YET, END_VANISHED, END_REFUSED, END_BROKEN };

struct phone {
    const struct options *options;
    struct http *http;
    struct sent_list *sent_list;
    int stop_fd;
    enum end end;

    int64_t claimed; /* tasks so far, repeats of one included */
    int64_t sent;
    int64_t failed;

    int64_t next_poll_ms;
    int64_t next_declare_ms;
    int64_t backoff_ms; /* 0 while herald answers */
    struct report reports[REPORTS_MAX];
    size_t report_count;
};

static int64_t max_ms(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waits `ms`, less if the phone is to stop; answers whether it is. */
static bool wait_or_stop(const struct phone *phone, int64_t ms)
{
    return stop_wait(phone->stop_fd, max_ms(ms, 0));
}

/* Returns how long to leave herald alone after an answer that asks for it or that never came. */
static int64_t back_off(struct phone *phone, const struct http_answer *answer)
{
    int64_t doubled = min_ms(phone->backoff_ms * 2, BACKOFF_MAX_MS);
    int64_t told_ms = answer->retry_after_s * 1000;

    phone->backoff_ms = phone->backoff_ms ? doubled : BACKOFF_FIRST_MS;
    return max_ms(phone->backoff_ms, told_ms);
}

static bool is_to_be_repeated(const struct http_answer *answer)
{
    return answer->status == 0 || answer->status == 429 || answer->status >= 500;
}

/* Tells what herald said; a refused key ends the phone, as a person must enter the new one. */
static void say_refusal(struct phone *phone, const char *name, const char *deed,
                        const struct http_answer *answer)
{
    struct arena arena;

    if (answer->status == 0) {
        say(name, "%s: herald does not answer", deed);
        return;
    }
    arena_init(&arena);
    say(name, "%s: refused, %ld %s", deed, answer->status,
        device_error_code(buf_view(&answer->body), &arena));
    arena_done(&arena);
    if (answer->status == 401) phone->end = END_REFUSED;
}

/* ------------------------------------------------------------------------------- reports */

/* Queues one, due in `late_ms`. The list has room (poll_senders sees to it). */
static void add_report(struct phone *phone, struct sender sender, const struct task *task,
                       enum send_status status, int64_t late_ms)
{
    struct report *report = &phone->reports[phone->report_count++];

    *report = (struct report){
        .sender = sender,
        .status = status,
        .due_ms = clock_monotonic_ms() + late_ms,
    };
    snprintf(report->lease_id, sizeof report->lease_id, "%s", task->lease_id);
    if (!uuid_parse(str_of(task->id), &report->task_id)) phone->end = END_BROKEN;
}

static bool is_report_waiting(const struct phone *phone, const struct task *task,
                              const struct uuid *id)
{
    for (size_t i = 0; i < phone->report_count; i++) {
        const struct report *report = &phone->reports[i];
        if (uuid_equal(&report->task_id, id) && strcmp(report->lease_id, task->lease_id) == 0)
            return true;
    }
    return false;
}

/* Does what follows on a report that was taken: the repeat, or the delivery. Returns whether the
 * row stays in the list. */
static bool advance(const struct phone *phone, struct report *report)
{
    if (phone->options->answers_twice && !report->is_repeat) {
        report->is_repeat = true;
        return true;
    }
    report->is_repeat = false;
    /* Messengers always say when they delivered. */
    bool tells = phone->options->reports_delivered || report->sender.kind == SENDER_ACCOUNT;
    if (!tells || report->status != SEND_SENT) return false;
    report->status = SEND_DELIVERED;
    return true;
}

/* Tells herald once; answers whether the row stays in the list. */
static bool tell(struct phone *phone, struct report *report)
{
    const char *word = send_status_words[report->status];
    char task_id[UUID_TEXT_LEN + 1];
    AUTO_ANSWER answer = {0};

    uuid_format(&report->task_id, task_id);
    struct task_result result = {
        .task_id = task_id,
        .lease_id = report->lease_id,
        .status = word,
        .error = report->status == SEND_FAILED ? "simulated: no network" : NULL,
        .permanent = report->status == SEND_FAILED && phone->options->fails_for_good,
    };
    http_answer_init(&answer);
    device_report(phone->http, report->sender, &result, &answer);
    if (answer.status == 204) {
        phone->backoff_ms = 0;
        say(report->sender.name, "reported %s%s, task %s", word, report->is_repeat ? " again" : "",
            task_id);
        return advance(phone, report);
    }
    say_refusal(phone, report->sender.name, "report", &answer);
    if (!is_to_be_repeated(&answer)) return false;
    report->due_ms = clock_monotonic_ms() + back_off(phone, &answer);
    return true;
}

static void tell_what_is_due(struct phone *phone)
{
    size_t i = 0;

    while (i < phone->report_count && phone->end == END_NOT_YET) {
        struct report *report = &phone->reports[i];
        bool stays = report->due_ms > clock_monotonic_ms() || tell(phone, report);
        if (!stays) {
            *report = phone->reports[--phone->report_count];
            continue;
        }
        if (report->due_ms > clock_monotonic_ms()) i++;
        if (wait_or_stop(phone, 0)) return;
    }
}

/* ------------------------------------------------------------------------------- sending */

static bool is_send_to_fail(struct phone *phone)
{
    if (phone->failed >= phone->options->fail_count) return false;
    phone->failed++;
    return true;
}

static void vanish(struct phone *phone, struct sender sender)
{
    say(sender.name, "vanishes in mid-lease, as told");
    phone->end = END_VANISHED;
}

static void send_task(struct phone *phone, struct sender sender, const struct task *task,
                      const struct uuid *id)
{
    if (is_send_to_fail(phone)) {
        say(sender.name, "sending fails, as told");
        add_report(phone, sender, task, SEND_FAILED, phone->options->answer_late_ms);
        return;
    }
    if (!sent_list_add(phone->sent_list, id) || !air_send(sender, task, phone->options->sms_file)) {
        say(sender.name, "a file cannot be written");
        phone->end = END_BROKEN;
        return;
    }
    if (++phone->sent == phone->options->vanish_after_send) {
        vanish(phone, sender);
        return;
    }
    add_report(phone, sender, task, SEND_SENT, phone->options->answer_late_ms);
}

static void take_task(struct phone *phone, struct sender sender, const struct task *task)
{
    char expires[CLOCK_TEXT_LEN + 1];
    struct uuid id;

    if (!uuid_parse(str_of(task->id), &id)) {
        say(sender.name, "the task's id is no UUID");
        phone->end = END_BROKEN;
        return;
    }
    if (is_report_waiting(phone, task, &id)) return;
    clock_format(task->lease_expires_at, expires);
    say(sender.name, "claimed task %s, attempt %lld, lease until %.8s", task->id,
        (long long)task->attempt, expires + 11);
    if (++phone->claimed == phone->options->vanish_after_claim) {
        vanish(phone, sender);
        return;
    }
    if (sent_list_has(phone->sent_list, &id)) {
        say(sender.name, "sent this one before: not again, only its report");
        add_report(phone, sender, task, SEND_SENT, 0);
        return;
    }
    send_task(phone, sender, task, &id);
}

/* Asks for one sender; answers false when herald is to be left alone for a while. */
static bool poll_sender(struct phone *phone, struct sender sender)
{
    const struct task *task = NULL;
    struct arena arena;
    AUTO_ANSWER answer = {0};

    arena_init(&arena);
    http_answer_init(&answer);
    bool was_down = phone->backoff_ms > 0;
    bool is_good = device_claim(phone->http, sender, &arena, &answer, &task);
    if (is_good) {
        phone->backoff_ms = 0;
        if (was_down) say(sender.name, "herald answers again");
        if (task) take_task(phone, sender, task);
    } else if (answer.status == 200) {
        say(sender.name, "claim: the answer is not what the contract promises");
    } else {
        say_refusal(phone, sender.name, "claim", &answer);
    }
    arena_done(&arena);
    if (is_good || !is_to_be_repeated(&answer)) return true;
    phone->next_poll_ms = clock_monotonic_ms() + back_off(phone, &answer);
    return false;
}

/* The numbers first, then the accounts. */
static struct sender sender_at(const struct options *options, size_t i)
{
    if (i < options->number_count) return (struct sender){SENDER_SIM, options->numbers[i]};
    return (struct sender){SENDER_ACCOUNT, options->accounts[i - options->number_count].id};
}

static void poll_senders(struct phone *phone)
{
    const struct options *options = phone->options;

    phone->next_poll_ms = clock_monotonic_ms() + options->poll_ms;
    for (size_t i = 0; i < options->number_count + options->account_count; i++) {
        if (phone->end != END_NOT_YET || phone->report_count == REPORTS_MAX) return;
        if (wait_or_stop(phone, 0)) return;
        if (!poll_sender(phone, sender_at(options, i))) return;
    }
}

/* ------------------------------------------------------------------------------ accounts */

/* Tells herald of the accounts. While it cannot take that, it is not asked for tasks either. */
static void declare(struct phone *phone)
{
    const struct options *options = phone->options;
    AUTO_ANSWER answer = {0};

    phone->next_declare_ms = clock_monotonic_ms() + DECLARE_MS;
    http_answer_init(&answer);
    device_declare(phone->http, options->accounts, options->account_count, &answer);
    if (answer.status == 204) {
        phone->backoff_ms = 0;
        return;
    }
    say_refusal(phone, NULL, "accounts", &answer);
    if (!is_to_be_repeated(&answer)) return;
    phone->next_declare_ms = clock_monotonic_ms() + back_off(phone, &answer);
    phone->next_poll_ms = max_ms(phone->next_poll_ms, phone->next_declare_ms);
}

static void declare_if_due(struct phone *phone)
{
    if (phone->options->account_count == 0) return;
    if (clock_monotonic_ms() >= phone->next_declare_ms) declare(phone);
}

/* ---------------------------------------------------------------------------------- life */

static int64_t ms_to_next(const struct phone *phone)
{
    int64_t next_ms = phone->next_poll_ms;

    if (phone->options->account_count > 0) next_ms = min_ms(next_ms, phone->next_declare_ms);
    for (size_t i = 0; i < phone->report_count; i++)
        next_ms = min_ms(next_ms, phone->reports[i].due_ms);
    return next_ms - clock_monotonic_ms();
}

static void introduce(struct phone *phone)
{
    struct device_state device;
    struct arena arena;
    AUTO_ANSWER answer = {0};

    arena_init(&arena);
    http_answer_init(&answer);
    if (device_ping(phone->http, &arena, &answer, &device)) {
        char *name = say_quote(str_of(device.name));
        say(NULL, "herald knows this phone as %s (%s)", name,
            device.enabled ? "enabled" : "disabled");
        free(name);
    } else {
        say_refusal(phone, NULL, "ping", &answer);
    }
    arena_done(&arena);
}

static void live(struct phone *phone)
{
    bool has_polled = false;

    introduce(phone);
    while (phone->end == END_NOT_YET) {
        tell_what_is_due(phone);
        if (phone->end != END_NOT_YET) return;
        if (phone->options->is_once && has_polled && phone->report_count == 0) return;
        declare_if_due(phone);
        if (phone->end != END_NOT_YET) return;
        if (clock_monotonic_ms() >= phone->next_poll_ms &&
            !(phone->options->is_once && has_polled)) {
            poll_senders(phone);
            has_polled = true;
            continue;
        }
        if (wait_or_stop(phone, ms_to_next(phone))) return;
    }
}

int poller_run(const struct options *options, struct http *http, int stop_fd)
{
    struct phone phone = {.options = options, .http = http, .stop_fd = stop_fd};

    phone.sent_list = sent_list_new(options->memory_file);
    if (!phone.sent_list) {
        say(NULL, "%s can be neither read nor made", options->memory_file);
        return 1;
    }
    live(&phone);
    sent_list_free(phone.sent_list);
    if (phone.end == END_NOT_YET) say(NULL, "stops");
    return phone.end == END_REFUSED || phone.end == END_BROKEN;
}
