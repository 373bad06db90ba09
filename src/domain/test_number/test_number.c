/*
 * Each scenario is a row (contract, section 12.1). Its steps are the states that a send goes
 * through; a job plays each at its time, counted from the creation of the send, and leaves the
 * worker's lease and the next step behind it as any job does.
 */
#include "domain/test_number/test_number.h"

#include "core/phone.h"
#include "domain/test_number/test_number_db.h"
#include "kit/base/macros.h"
#include "kit/job/job.h"

enum {
    STEPS_MAX = 2,
    PLAY_LEASE_MS = 10 * 1000,
    LATE_MS = 20 * 1000,
    CALL_MS = 2 * 1000,
    LIMITED_MS = 10 * 60 * 1000, /* as if the window of the number had begun just now */
    CLOSED_MS = 30 * 1000,
};

static const char job_kind[] = "test_number/step";

/* --- Scenarios -------------------------------------------------------------------------------- */

struct step {
    enum send_state state; /* SEND_QUEUED: there is none */
    int64_t after_ms;      /* the creation of the send */
    const char *error;
};

/* A scenario says what becomes of codes and messages, and of calls, for which SEND_DELIVERED is the
 * call. */
struct scenario {
    enum err refusal, call_refusal; /* of the creation; ERR_OK: it is not refused */
    int64_t retry_after_ms;         /* where `refusal` tells when */
    int64_t attempts;               /* wrong codes that a code bears; 0: as usual */
    struct step send[STEPS_MAX], call[STEPS_MAX];
};

#define AT_ONCE               \
    {                         \
        {                     \
            SEND_DELIVERED, 0 \
        }                     \
    }
#define CALLED                      \
    {                               \
        {                           \
            SEND_DELIVERED, CALL_MS \
        }                           \
    }

/* The last two digits of a number are the index; all further ones are as 00. */
static const struct scenario scenarios[] = {
    [0] = {.send = AT_ONCE, .call = CALLED},
    [1] = {.send = {{SEND_FAILED, 0, "the test number ends in 01"}}},
    [2] = {.send = {{SEND_UNKNOWN, 0, "the test number ends in 02"}}},
    [3] = {.send = {{SEND_SENT, 0}, {SEND_DELIVERED, LATE_MS}},
           .call = {{SEND_DELIVERED, LATE_MS}}},
    [4] = {.refusal = ERR_RATE_LIMITED, .retry_after_ms = LIMITED_MS, .call = CALLED},
    [5] = {.refusal = ERR_CIRCUIT_OPEN,
           .retry_after_ms = CLOSED_MS,
           .call_refusal = ERR_NO_ENABLED_NUMBER},
    [6] = {.send = AT_ONCE, .call = CALLED, .attempts = 1},
};

static size_t scenario_of(const char *number)
{
    size_t len = strlen(number);
    size_t ending = (size_t)(number[len - 2] - '0') * 10 + (size_t)(number[len - 1] - '0');
    return ending < COUNT_OF(scenarios) ? ending : 0;
}

/* NULL: the send has no further step, or a later version of herald wrote it. */
static const struct step *step_of(const struct test_send *send)
{
    bool is_known = send->scenario >= 0 && send->scenario < (int64_t)COUNT_OF(scenarios);
    if (!is_known || send->step < 0 || send->step >= STEPS_MAX) return NULL;
    const struct scenario *scenario = &scenarios[send->scenario];
    const struct step *step =
        send->owner == TEST_OF_CALL ? &scenario->call[send->step] : &scenario->send[send->step];
    return step->state == SEND_QUEUED ? NULL : step;
}

enum err test_number_refuse(const char *number, enum test_owner owner, int64_t *ret_retry_after_ms)
{
    const struct scenario *scenario = &scenarios[scenario_of(number)];
    if (owner == TEST_OF_CALL) return scenario->call_refusal;
    if (scenario->refusal) *ret_retry_after_ms = scenario->retry_after_ms;
    return scenario->refusal;
}

int64_t test_number_attempts(const char *number, int64_t usual)
{
    int64_t attempts = scenarios[scenario_of(number)].attempts;
    return attempts ? attempts : usual;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static bool read_number(struct str text, long long *ret_number)
{
    text = str_trim(text);
    if (!phone_is_e164(text)) return false;
    return str_to_int64((struct str){text.data + 1, text.len - 1}, ret_number);
}

static bool read_range(struct str text, struct test_range *ret_range)
{
    struct str first = str_until(text, '-');
    if (first.len == text.len) return false;
    struct str last = {text.data + first.len + 1, text.len - first.len - 1};
    if (str_trim(first).len != str_trim(last).len) return false;
    if (!read_number(first, &ret_range->first) || !read_number(last, &ret_range->last))
        return false;
    return ret_range->last >= ret_range->first &&
           ret_range->last - ret_range->first < TEST_RANGE_NUMBERS_MAX;
}

bool test_numbers_read(struct str text, struct test_numbers *ret_numbers)
{
    struct str item;

    *ret_numbers = (struct test_numbers){0};
    if (text.len == 0) return true;
    while (str_next_item(&text, &item)) {
        if (ret_numbers->count == TEST_RANGES_MAX) return false;
        if (!read_range(item, &ret_numbers->ranges[ret_numbers->count++])) return false;
    }
    return true;
}

bool test_number_may_use(const struct work *work)
{
    const struct test_number_setup *setup = work->service->test_numbers;
    const struct actor *actor = work->actor;

    if (!actor || !setup) return false;
    bool is_of_house = actor->kind == ACTOR_ROOT || actor->kind == ACTOR_OPERATOR;
    return is_of_house ? setup->is_test_environment : actor->is_test;
}

bool test_number_applies(const struct work *work, const char *number)
{
    long long digits;

    if (!test_number_may_use(work) || !number || !read_number(str_of(number), &digits))
        return false;
    const struct test_numbers *numbers = &work->service->test_numbers->numbers;
    for (size_t i = 0; i < numbers->count; i++) {
        if (digits >= numbers->ranges[i].first && digits <= numbers->ranges[i].last) return true;
    }
    return false;
}

const char *test_number_to_call(const struct work *work)
{
    const struct test_numbers *numbers = &work->service->test_numbers->numbers;
    assert(numbers->count > 0); /* test_number_applies saw it */
    return arena_printf(work->arena, "+%lld", numbers->ranges[0].first);
}

/* --- Sends ------------------------------------------------------------------------------------ */

enum err test_send_queue(struct work *work, const struct test_send *send, const char *number,
                         bool is_fallback)
{
    struct test_send row = *send;
    row.id = uuid_new(work->now_ms);
    row.state = SEND_QUEUED;
    row.created_at = work->now_ms;
    row.scenario = (int64_t)scenario_of(number);
    const struct step *last = &scenarios[row.scenario].send[STEPS_MAX - 1];
    bool is_late = last->state == SEND_DELIVERED;
    if (is_fallback && !is_late) row.scenario = 0;

    enum err err = test_send_insert(work, &row);
    const struct step *step = step_of(&row);
    if (err || !step) return err;
    return job_enqueue(work->tx, job_kind, &row.id, work->now_ms + step->after_ms, work->now_ms);
}

static enum err move(struct work *work, struct test_send *send, const struct step *step)
{
    enum send_state from = send->state;
    bool is_moved;

    send->state = step->state;
    send->error = step->error;
    send->step++;
    enum err err = work->service->test_numbers->apply[send->owner](work, send);
    if (err && err != ERR_NOT_FOUND) return err;
    err = test_send_move(work, send, from, &is_moved);
    if (err) return err;
    return is_moved ? ERR_OK : ERR_TX_RETRY;
}

/* A send that its owner has ended, or that is gone, has no step any more. */
static enum err play(struct work *work, const struct job *job)
{
    struct test_send send;
    enum err err = test_send_select(work, &job->subject, &send);
    if (err == ERR_NOT_FOUND) return job_finish(work->tx, job);
    if (err) return err;
    bool is_open = send.state == SEND_QUEUED || send.state == SEND_SENT;
    const struct step *step = is_open ? step_of(&send) : NULL;
    if (step) err = move(work, &send, step);
    if (err) return err;
    const struct step *next = step ? step_of(&send) : NULL;
    return next ? job_retry(work->tx, job, send.created_at + next->after_ms)
                : job_finish(work->tx, job);
}

enum err test_send_play(struct work *work, int max, int64_t *ret_played)
{
    struct job *jobs;
    size_t count;
    enum err err =
        job_claim(work->tx, job_kind, max, PLAY_LEASE_MS, work->now_ms, work->arena, &jobs, &count);
    for (size_t i = 0; !err && i < count; i++)
        err = play(work, &jobs[i]);
    if (!err) *ret_played = (int64_t)count;
    return err;
}
