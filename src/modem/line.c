/*
 * A SIM that is registered claims its next SMS every few seconds, by which it says that it is
 * ready; one that is not any more says so once. What became of SMS is told until herald has heard
 * it (contract, section 2, rule 7, section 15.4).
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "modem/agent.h"

#include <stdio.h>

enum { REFUSED_MS = 30 * 1000, ENABLE_MS = 30 * 1000, ENABLE_TIMEOUT_S = 60 };

/* --- Claims ----------------------------------------------------------------------------------- */

/* A task that was begun is told again, under the lease that counts now. */
static bool tell_again(struct agent *agent, const struct job *job)
{
    struct task *known = journal_find(agent->journal, &job->id);

    if (!known) return false;
    known->lease_id = job->lease_id;
    known->told = -1;
    journal_note(agent->journal, known, false);
    return true;
}

/* Returns false if it was begun before. */
static bool take_job(struct agent *agent, const struct herald_call *call, const struct job *job)
{
    struct modem *modem = manager_find_number(&agent->manager, call->number);

    log_write(LOG_INFO, "SMS claimed",
              LOG_FIELDS(log_uuid("task_id", &job->id), log_phone("gateway_number", call->number),
                         log_phone("recipient", job->recipient), log_int("attempt", job->attempt)));
    if (tell_again(agent, job)) return false;
    if (!modem || !modem_is_ready(modem) || agent->stop_ms)
        report_refusal(agent, call->link, call->number, job, "the modem is gone");
    else if (!journal_has_room(agent->journal))
        report_refusal(agent, call->link, call->number, job, "too many results wait for herald");
    else
        send_begin(agent, modem, job, call->started_ms);
    return true;
}

/* A modem may have lost its number to another while it claimed. */
static void end_claim(struct agent *agent, const char *number)
{
    for (size_t i = 0; i < agent->manager.count; i++)
        if (strcmp(agent->manager.modems[i]->number, number) == 0)
            agent->manager.modems[i]->is_claiming = false;
}

/* herald does not know this number as one of this key's, or the device is disabled. */
static void tell_refusal(const struct herald_call *call, struct modem *modem)
{
    if (modem) modem->claim_ms = clock_monotonic_ms() + REFUSED_MS;
    log_write(LOG_WARNING,
              "herald gives this SIM no SMS: register its number with the device of this key, "
              "and enable the device",
              LOG_FIELDS(log_phone("gateway_number", call->number),
                         log_int("status", call->fetch.status)));
}

static void take_claim_end(struct herald_call *call)
{
    struct agent *agent = call->owner;
    struct modem *modem = manager_find_number(&agent->manager, call->number);
    const struct job *job = NULL;
    struct arena arena;
    bool is_to_repeat, is_new = false;
    bool is_good = herald_is_good(call, &is_to_repeat);

    arena_init(&arena);
    end_claim(agent, call->number);
    if (is_good && !herald_read_job(call, &arena, &job))
        log_write(LOG_ERROR, "the answer to a claim is not what the contract promises", NULL, 0);
    else if (is_good && job)
        is_new = take_job(agent, call, job);
    else if (!is_good && !is_to_repeat)
        tell_refusal(call, modem);
    if (is_new && modem) modem->claim_ms = 0; /* the next may wait already */
    arena_done(&arena);
}

static void claim(struct agent *agent, struct modem *modem, struct turn *turn)
{
    struct link *link = &agent->links[modem->key];
    bool is_ready = modem_is_ready(modem);

    if (modem->is_claiming || modem->is_sending || agent->stop_ms) return;
    if (!is_ready && !modem->is_declared) {
        if (modem_is_aside(modem)) turn_is_due(turn, modem->aside_ms);
        return;
    }
    if (!turn_is_due(turn, modem->claim_ms) || !turn_is_due(turn, link->open_ms)) return;
    modem->claim_ms = turn->now_ms + agent->config->poll_seconds * 1000;
    modem->is_claiming = herald_claim(agent->herald, link, modem->number, is_ready, take_claim_end);
    if (modem->is_claiming) modem->is_declared = is_ready;
    turn_is_due(turn, modem->claim_ms);
}

/* --- Modems ----------------------------------------------------------------------------------- */

static int ignore_reply(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    (void)reply, (void)context, (void)error;
    return 0;
}

static void enable(struct agent *agent, struct modem *modem, struct turn *turn)
{
    AUTO_MESSAGE *message = NULL;

    if (modem->state != MM_STATE_DISABLED || !turn_is_due(turn, modem->enable_ms)) return;
    modem->enable_ms = turn->now_ms + ENABLE_MS;
    turn_is_due(turn, modem->enable_ms);
    int made = sd_bus_message_new_method_call(agent->bus, &message, MM_NAME, modem->path,
                                              MM_NAME ".Modem", "Enable");
    if (made >= 0) made = sd_bus_message_append(message, "b", 1);
    if (made >= 0) bus_ask(agent->bus, message, ignore_reply, ENABLE_TIMEOUT_S, NULL);
}

/* Each trouble is told when it comes, and its end. */
static void tell_trouble(struct modem *modem)
{
    char trouble[TROUBLE_SIZE];

    if (!modem->knows_sim) return;
    modem_write_trouble(modem, trouble, sizeof trouble);
    if (strcmp(trouble, modem->told) == 0) return;
    memcpy(modem->told, trouble, sizeof modem->told);
    log_write(trouble[0] ? LOG_WARNING : LOG_INFO, trouble[0] ? trouble : "the SIM is ready",
              LOG_FIELDS(log_plain("modem", modem->path), log_plain("imei", modem->imei),
                         log_plain("iccid", modem->iccid),
                         log_phone("gateway_number", modem->number[0] ? modem->number : NULL)));
}

/* Asks for what came while nobody was here: delivery reports, and a call that still rings. */
static void look_once(struct agent *agent, struct modem *modem)
{
    if (modem->was_looked_at || !modem_is_ready(modem)) return;
    modem->was_looked_at = true;
    send_look_at_all(agent, modem, false);
    if (modem->has_voice) ring_look_at_all(agent, modem);
}

void line_turn(struct agent *agent, struct turn *turn)
{
    for (size_t i = 0; i < agent->manager.count; i++) {
        struct modem *modem = agent->manager.modems[i];
        tell_trouble(modem);
        enable(agent, modem, turn);
        manager_prefer_ready(&agent->manager, modem);
        look_once(agent, modem);
        if (modem->number[0] && !modem->is_second) claim(agent, modem, turn);
    }
}
