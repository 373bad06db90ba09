/* What a phone's report does to a task (contract, section 2, rule 7). */
#include "domain/task/task.h"
#include "domain/task/task_db.h"
#include "kit/base/redact.h"

/* May this phone speak for this task? */
static enum err check_reporter(struct work *work, const struct device *device,
                               const struct task *task, const struct task_result *result)
{
    bool is_holder = uuid_equal(&task->lease_device_id, &device->id);
    bool names_lease = !uuid_is_nil(&result->lease_id);
    struct device enabled = *device;

    /* Somebody who names another lease held the task before it was given on. */
    if (names_lease && !uuid_equal(&result->lease_id, &task->lease_id)) return ERR_LEASE_LOST;
    if (is_holder) return ERR_OK;
    /* A disabled phone may still report; whose sender it is decides. */
    enabled.enabled = true;
    enum err err =
        work->service->task_lines[task->channel]->check_owned(work, &enabled, task->sender);
    return err ? err : ERR_LEASE_LOST;
}

static enum task_change judge_first(const struct task *task, const struct task_result *result,
                                    int64_t now_ms)
{
    switch ((enum task_status)result->status) {
    case TASK_STATUS_SENT:
        return TASK_NOW_SENT;
    case TASK_STATUS_DELIVERED:
        return TASK_NOW_DELIVERED;
    case TASK_STATUS_FAILED:
        break;
    }
    bool is_worth_it =
        !result->permanent && task->attempt < TASK_SENDS_MAX && task->expires_at >= now_ms;
    return is_worth_it ? TASK_NOW_QUEUED : TASK_NOW_GIVEN_UP;
}

/* A report on a task that was reported on before. */
static enum err judge_repeat(const struct task *task, const struct task_result *result,
                             enum task_change *ret_change)
{
    bool was_sent = task->state == TASK_SENT || task->state == TASK_DELIVERED;
    bool says_sent = result->status != TASK_STATUS_FAILED;

    if (was_sent != says_sent) return ERR_RESULT_CONFLICT;
    bool is_news = task->state == TASK_SENT && result->status == TASK_STATUS_DELIVERED;
    *ret_change = is_news ? TASK_NOW_DELIVERED : TASK_UNCHANGED;
    return ERR_OK;
}

static enum err judge(const struct task *task, const struct task_result *result, int64_t now_ms,
                      enum task_change *ret_change)
{
    switch ((enum task_state)task->state) {
    case TASK_QUEUED:
    case TASK_CLAIMED:
    case TASK_UNKNOWN:
        *ret_change = judge_first(task, result, now_ms);
        return ERR_OK;
    case TASK_SENT:
    case TASK_DELIVERED:
    case TASK_FAILED:
        return judge_repeat(task, result, ret_change);
    }
    return ERR_INTERNAL;
}

static enum task_state state_after(enum task_change change)
{
    switch (change) {
    case TASK_NOW_SENT:
        return TASK_SENT;
    case TASK_NOW_DELIVERED:
        return TASK_DELIVERED;
    case TASK_NOW_QUEUED:
    case TASK_NOW_GIVEN_UP:
    case TASK_UNCHANGED:
        return TASK_FAILED;
    }
    return TASK_FAILED;
}

static void note_report(struct work *work, const struct device *device, const struct task *task)
{
    const struct task_line *line = work->service->task_lines[task->channel];
    const char *state = task_state_words[task->state];
    work_note(work, task->state == TASK_FAILED ? LOG_WARNING : LOG_INFO,
              arena_printf(work->arena, "%s %s", line->noun, state),
              LOG_FIELDS(log_uuid("task_id", &task->id), log_uuid("owner_id", &task->owner_id),
                         log_uuid("device_id", &device->id), line->log_sender(task->sender),
                         log_phone("recipient", task->recipient), log_text("state", state),
                         log_text("error", task->error)));
}

/* Its owner's row and its sender's are held from here on, in this order; the task is read once more
 * behind them, since a cancel may have ended it in the meantime. */
static enum err read_locked(struct work *work, enum task_channel channel,
                            const struct uuid *task_id, bool is_failure, struct task *ret_task)
{
    struct task seen;
    enum err err = task_select(work, task_id, &seen);
    if (err) return err;
    if (seen.channel != (int)channel) return ERR_NOT_FOUND;
    err = work->service->task_owners[seen.owner_kind]->hold(work, &seen.owner_id, is_failure);
    if (!err) err = work->service->task_lines[channel]->hold(work, seen.sender);
    if (!err) err = task_select(work, task_id, ret_task);
    if (err) return err;
    return strcmp(seen.sender, ret_task->sender) == 0 ? ERR_OK : ERR_TX_RETRY;
}

/* After a failure: another task, since phones remember the ids of those that they had. */
static enum err send_again(struct work *work, const struct task *task)
{
    struct task again = {
        .id = uuid_new(work->now_ms),
        .channel = task->channel,
        .owner_kind = task->owner_kind,
        .owner_id = task->owner_id,
        .recipient = task->recipient,
        .attempt = task->attempt + 1,
        .state = TASK_QUEUED,
        .created_at = work->now_ms,
        .expires_at = task->expires_at,
    };
    enum err err =
        work->service->task_lines[task->channel]->choose_again(work, task, &again.sender);
    return err ? err : task_insert(work, &again);
}

/* What a phone says of a failure may quote the text that it could not send, or its key. Where that
 * text is erased or cannot be read, what looks like a code is hidden all the same. */
static enum err redact(struct work *work, const struct task *task, const char *error,
                       const char **ret_error)
{
    const char *text = NULL;

    *ret_error = NULL;
    if (!error) return ERR_OK;
    enum err err = work->service->task_owners[task->owner_kind]->make_text(work, task, &text);
    if (err && err != ERR_NOT_FOUND && err != ERR_INTERNAL) return err;
    *ret_error = redact_codes(work->arena, error, str_of(err ? NULL : text));
    return ERR_OK;
}

static enum err record(struct work *work, const struct device *device, struct task *task,
                       enum task_change change, const char *error)
{
    enum task_state state = state_after(change);
    enum err err = ERR_OK;
    bool is_moved;

    if (state == TASK_FAILED) err = redact(work, task, error, &task->error);
    if (!err) err = task_move(work, task, state, task->error, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    task->state = state;
    note_report(work, device, task);
    return work->service->task_owners[task->owner_kind]->apply(work, task, change);
}

enum err task_report(struct work *work, enum task_channel channel, const struct device *device,
                     const struct uuid *task_id, const struct task_result *result)
{
    struct task task;
    enum task_change change;

    bool is_failure = result->status == TASK_STATUS_FAILED;
    enum err err = read_locked(work, channel, task_id, is_failure, &task);
    if (!err) err = check_reporter(work, device, &task, result);
    if (!err) err = judge(&task, result, work->now_ms, &change);
    if (err) return err;
    fleet_note_seen(work, device);
    if (change == TASK_UNCHANGED) return ERR_OK;
    if (change == TASK_NOW_QUEUED) err = send_again(work, &task);
    return err ? err : record(work, device, &task, change, result->error);
}
