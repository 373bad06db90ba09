/* A phone reports what became of a task (contract, section 2, rule 7). */
#include "core/said.h"
#include "domain/fleet/fleet_account.h"
#include "domain/phone_task/phone_task.h"
#include "domain/phone_task/phone_task_db.h"

/* Checks that this phone may speak for this task. */
static enum err check_reporter(struct work *work, const struct device *device,
                               const struct phone_task *task,
                               const struct phone_task_result *result)
{
    bool is_holder = uuid_equal(&task->lease_device_id, &device->id);
    bool names_lease = !uuid_is_nil(&result->lease_id);
    struct device enabled = *device;

    /* A phone that names another lease held the task before it was given on. */
    if (names_lease && !uuid_equal(&result->lease_id, &task->lease_id)) return ERR_LEASE_LOST;
    if (is_holder) return ERR_OK;
    /* A disabled phone may still report, if the sender is its own. */
    enabled.enabled = true;
    enum err err =
        work->service->phone_tasks->lines[task->channel]->check_owned(work, &enabled, task->sender);
    return err ? err : ERR_LEASE_LOST;
}

static bool is_known_handed(const struct phone_task *task)
{
    return task->state == PHONE_TASK_UNKNOWN || task->handed_over_at > 0;
}

static enum phone_task_change judge_first(const struct phone_task *task,
                                          const struct phone_task_result *result, int64_t now_ms)
{
    switch ((enum phone_task_status)result->status) {
    case PHONE_TASK_STATUS_SENT:
        return PHONE_TASK_NOW_SENT;
    case PHONE_TASK_STATUS_DELIVERED:
        return PHONE_TASK_NOW_DELIVERED;
    case PHONE_TASK_STATUS_UNKNOWN:
        return task->state == PHONE_TASK_UNKNOWN ? PHONE_TASK_UNCHANGED : PHONE_TASK_NOW_UNKNOWN;
    case PHONE_TASK_STATUS_HANDED_OVER:
        return is_known_handed(task) ? PHONE_TASK_UNCHANGED : PHONE_TASK_NOW_HANDED_OVER;
    case PHONE_TASK_STATUS_FAILED:
        break;
    }
    /* One that was unknown is never sent again, whatever its phone finds out later. */
    bool is_unknown = phone_task_shown_state(task, now_ms) == PHONE_TASK_UNKNOWN;
    bool is_worth_it = !is_unknown && !result->permanent && task->attempt < PHONE_TASK_SENDS_MAX &&
                       task->expires_at >= now_ms;
    return is_worth_it ? PHONE_TASK_NOW_QUEUED : PHONE_TASK_NOW_GIVEN_UP;
}

/* Judges a report on a task that was reported on before. */
static enum err judge_repeat(const struct phone_task *task, const struct phone_task_result *result,
                             enum phone_task_change *ret_change)
{
    bool was_sent = task->state == PHONE_TASK_SENT || task->state == PHONE_TASK_DELIVERED;
    bool says_sent = result->status != PHONE_TASK_STATUS_FAILED;

    *ret_change = PHONE_TASK_UNCHANGED;
    /* These two contradict nothing. */
    if (result->status == PHONE_TASK_STATUS_UNKNOWN ||
        result->status == PHONE_TASK_STATUS_HANDED_OVER)
        return ERR_OK;
    if (was_sent != says_sent) return ERR_RESULT_CONFLICT;
    bool is_news = task->state == PHONE_TASK_SENT && result->status == PHONE_TASK_STATUS_DELIVERED;
    *ret_change = is_news ? PHONE_TASK_NOW_DELIVERED : PHONE_TASK_UNCHANGED;
    return ERR_OK;
}

static enum err judge(const struct phone_task *task, const struct phone_task_result *result,
                      int64_t now_ms, enum phone_task_change *ret_change)
{
    switch (task->state) {
    case PHONE_TASK_QUEUED:
    case PHONE_TASK_CLAIMED:
    case PHONE_TASK_UNKNOWN:
        *ret_change = judge_first(task, result, now_ms);
        return ERR_OK;
    case PHONE_TASK_SENT:
    case PHONE_TASK_DELIVERED:
    case PHONE_TASK_FAILED:
        return judge_repeat(task, result, ret_change);
    }
    return ERR_INTERNAL;
}

static enum phone_task_state state_after(enum phone_task_change change)
{
    switch (change) {
    case PHONE_TASK_NOW_SENT:
        return PHONE_TASK_SENT;
    case PHONE_TASK_NOW_DELIVERED:
        return PHONE_TASK_DELIVERED;
    case PHONE_TASK_NOW_UNKNOWN:
        return PHONE_TASK_UNKNOWN;
    case PHONE_TASK_NOW_HANDED_OVER:
        return PHONE_TASK_CLAIMED;
    case PHONE_TASK_NOW_QUEUED:
    case PHONE_TASK_NOW_GIVEN_UP:
    case PHONE_TASK_UNCHANGED:
        return PHONE_TASK_FAILED;
    }
    return PHONE_TASK_FAILED;
}

static void note_report(struct work *work, const struct device *device,
                        const struct phone_task *task, const char *words)
{
    const struct phone_task_line *line = work->service->phone_tasks->lines[task->channel];
    bool is_on_its_way = task->state == PHONE_TASK_CLAIMED;
    const char *state = is_on_its_way ? "handed over" : phone_task_state_words[task->state];
    bool is_bad = task->state == PHONE_TASK_FAILED || task->state == PHONE_TASK_UNKNOWN;
    work_note(work, is_bad ? LOG_WARNING : LOG_INFO,
              arena_printf(work->arena, "%s %s", line->noun, state),
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                         log_device(&device->id), fleet_log_sender(line->sender_name, task->sender),
                         log_phone("recipient", task->recipient), log_plain("state", state),
                         log_length("error_length", words)));
}

/* Holds the rows of the task's owner and its sender, in this order. The task is read once more
 * behind them, since a cancel may have ended it in the meantime. */
static enum err read_locked(struct work *work, enum phone_task_channel channel,
                            const struct uuid *task_id, bool is_failure,
                            struct phone_task *ret_task)
{
    struct phone_task seen;
    enum err err = phone_task_read(work, task_id, &seen);
    if (err) return err;
    if (seen.channel != channel) return ERR_NOT_FOUND;
    err =
        work->service->phone_tasks->owners[seen.owner_kind]->hold(work, &seen.owner_id, is_failure);
    if (!err) err = work->service->phone_tasks->lines[channel]->hold(work, seen.sender);
    if (!err) err = phone_task_read(work, task_id, ret_task);
    if (err) return err;
    return strcmp(seen.sender, ret_task->sender) == 0 ? ERR_OK : ERR_TX_RETRY;
}

/* Queues another task after a failure, since phones remember the ids of those that they had. */
static enum err send_again(struct work *work, const struct phone_task *task)
{
    struct phone_task again = {
        .id = uuid_new(work->now_ms),
        .channel = task->channel,
        .owner_kind = task->owner_kind,
        .owner_id = task->owner_id,
        .sender = task->sender,
        .recipient = task->recipient,
        .attempt = task->attempt + 1,
        .state = PHONE_TASK_QUEUED,
        .created_at = work->now_ms,
        .expires_at = task->expires_at,
    };
    const struct phone_task_line *line = work->service->phone_tasks->lines[task->channel];
    enum err err = line->choose_again ? line->choose_again(work, task, &again.sender) : ERR_OK;
    return err ? err : phone_task_insert(work, &again);
}

/* Keeps what a phone said of a failure, which may quote the text that it could not send. */
static enum err take_words(struct work *work, const char *said, struct phone_task *task,
                           const char **ret_words)
{
    const struct phone_task_owner *owner = work->service->phone_tasks->owners[task->owner_kind];
    int64_t code_length = 0;

    enum err err =
        owner->code_length ? owner->code_length(work, &task->owner_id, &code_length) : ERR_OK;
    if (err) return err;
    const struct said_rule rule = {.code_length = (size_t)code_length};
    *ret_words = said_keep(work->arena, said, &rule);
    task->error = *ret_words ? "the phone could not send it" : NULL;
    return said_seal(work, SEALED_TASK_WORDS, uuid_view(&task->id), *ret_words, &task->words);
}

static enum err record(struct work *work, const struct device *device, struct phone_task *task,
                       enum phone_task_change change, const char *said)
{
    enum phone_task_state state = state_after(change);
    const char *words = NULL;
    enum err err = ERR_OK;
    bool is_moved;

    if (state == PHONE_TASK_FAILED || state == PHONE_TASK_UNKNOWN)
        err = take_words(work, said, task, &words);
    if (!err)
        err = change == PHONE_TASK_NOW_HANDED_OVER
                  ? phone_task_hand_over(work, task, &is_moved)
                  : phone_task_move(work, task, state, task->error, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    task->state = state;
    note_report(work, device, task, words);
    return work->service->phone_tasks->owners[task->owner_kind]->apply(work, task, change);
}

enum err phone_task_report(struct work *work, enum phone_task_channel channel,
                           const struct device *device, const struct uuid *task_id,
                           const struct phone_task_result *result)
{
    struct phone_task task;
    enum phone_task_change change;

    bool is_failure = result->status == PHONE_TASK_STATUS_FAILED;
    enum err err = read_locked(work, channel, task_id, is_failure, &task);
    if (!err) err = check_reporter(work, device, &task, result);
    if (!err) err = judge(&task, result, work->now_ms, &change);
    if (err) return err;
    fleet_renew_seen(work, device);
    if (change == PHONE_TASK_UNCHANGED) return ERR_OK;
    if (change == PHONE_TASK_NOW_QUEUED) err = send_again(work, &task);
    return err ? err : record(work, device, &task, change, result->error);
}
