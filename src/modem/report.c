/*
 * The results of SMS are told until herald has heard it, in the phone's words: sent, delivered,
 * failed, or unknown where nobody knows (contract, section 2, rule 7, section 15.4).
 */
#include "kit/base/log.h"
#include "modem/agent.h"

enum { TELL_AGAIN_MS = 1000 };

static struct link *link_of(struct agent *agent, const char *number, const struct modem *modem)
{
    if (modem) return &agent->links[modem->key];
    for (size_t i = 0; i < agent->config->sim_count; i++)
        if (strcmp(agent->config->sims[i].number, number) == 0)
            return &agent->links[agent->config->sims[i].key];
    return &agent->links[0];
}

/* A result that herald has no use for, such as that of a task that it gave up, is told no more. */
static void take_report_end(struct herald_call *call)
{
    struct agent *agent = call->owner;
    struct task *task = journal_find(agent->journal, &call->id);
    bool is_to_repeat;
    bool is_good = herald_is_good(call, &is_to_repeat);

    if (!task) return;
    task->is_reporting = false;
    if (is_to_repeat) return;
    task->told = call->state;
    journal_note(agent->journal, task, false);
    if (!is_good)
        log_write(LOG_WARNING, "herald does not take the result of an SMS",
                  LOG_FIELDS(log_uuid("task_id", &call->id),
                             log_plain("state", task_state_words[call->state]),
                             log_int("status", call->fetch.status)));
}

static void report(struct agent *agent, struct task *task, struct turn *turn)
{
    bool is_failure = task->state == TASK_FAILED || task->state == TASK_UNKNOWN;
    struct link *link =
        link_of(agent, task->number, manager_find_number(&agent->manager, task->number));
    struct herald_result result = {.task_id = task->id,
                                   .lease_id = task->lease_id,
                                   .state = task->state,
                                   .number = task->number,
                                   .status = task_state_words[task->state],
                                   .error = is_failure ? task->error : NULL,
                                   .permanent = task->permanent};

    if (!turn_is_due(turn, link->open_ms)) return;
    task->is_reporting = herald_report(agent->herald, link, &result, take_report_end);
    if (!task->is_reporting) turn_is_due(turn, turn->now_ms + TELL_AGAIN_MS);
}

void report_turn(struct agent *agent, struct turn *turn)
{
    struct task *task;

    for (size_t i = 0; (task = journal_at(agent->journal, i)); i++)
        if (task->state != TASK_SENDING && task->told != task->state && !task->is_reporting)
            report(agent, task, turn);
}

/* A task that nobody hears of is put back when its lease ends. */
static void take_refusal_end(struct herald_call *call)
{
    bool is_to_repeat;

    if (!herald_is_good(call, &is_to_repeat))
        log_write(LOG_WARNING, "herald could not be told that an SMS is not sent here",
                  LOG_FIELDS(log_uuid("task_id", &call->id)));
}

void report_refusal(struct agent *agent, struct link *link, const char *number,
                    const struct job *job, const char *why)
{
    struct herald_result result = {.task_id = job->id,
                                   .lease_id = job->lease_id,
                                   .state = TASK_FAILED,
                                   .number = number,
                                   .status = task_state_words[TASK_FAILED],
                                   .error = why};

    log_write(LOG_WARNING, "an SMS is not sent",
              LOG_FIELDS(log_uuid("task_id", &job->id), log_phone("gateway_number", number),
                         log_plain("error", why)));
    if (!herald_report(agent->herald, link, &result, take_refusal_end))
        log_write(LOG_WARNING, "too many requests are under way", NULL, 0);
}
