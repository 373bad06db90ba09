/* The event loop: D-Bus, the ends of requests, the timer and the signals that end it. */
#include "modem/agent.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/base/notify.h"
#include "kit/json/writer.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PING_MS = 30 * 1000,
    ASK_AGAIN_MS = 10 * 1000,
    PING_SIZE = 16 * 1024, /* herald takes no more */
    STOP_MS = 20 * 1000,   /* what is under way may come to its end */
    TIMER_SLACK_US = 10 * 1000,
};

/* --- Pings ------------------------------------------------------------------------------------ */

static void write_modem(const struct modem *modem, struct json_writer *json)
{
    json_object_begin(json);
    json_put_text(json, "number", modem->number);
    json_put_text(json, "imei", modem->imei);
    json_put_text(json, "iccid", modem->iccid);
    json_put_text(json, "operator", modem->operator_name);
    json_put_text(json, "registration", modem_registration_word(modem));
    json_put_int(json, "signal", modem->signal);
    json_put_bool(json, "sms", modem->has_sms);
    json_put_bool(json, "calls", modem->has_voice);
    json_object_end(json);
}

static bool is_of_key(const struct modem *modem, size_t key)
{
    return modem->number[0] && !modem->is_second && modem->key == key;
}

static void write_status(const struct agent *agent, size_t key, struct buf *out)
{
    struct json_writer json;
    char network[64];
    int count = 0, ready = 0;

    for (size_t i = 0; i < agent->manager.count; i++) {
        const struct modem *modem = agent->manager.modems[i];
        if (!is_of_key(modem, key)) continue;
        count++;
        ready += modem_is_ready(modem);
    }
    snprintf(network, sizeof network, "%d of %d SIMs registered", ready, count);
    json_writer_init(&json, out);
    json_object_begin(&json);
    json_put_text(&json, "app_version", "herald-modem " HERALD_VERSION);
    json_put_text(&json, "network", network);
    json_key(&json, "modems");
    json_array_begin(&json);
    for (size_t i = 0; i < agent->manager.count; i++)
        if (is_of_key(agent->manager.modems[i], key)) write_modem(agent->manager.modems[i], &json);
    json_array_end(&json);
    json_object_end(&json);
}

/* A ping that did not come through is made again as soon as herald may be asked. */
static void take_ping_end(struct herald_call *call)
{
    bool is_to_repeat;
    bool is_good = herald_is_good(call, &is_to_repeat);

    call->link->is_pinging = false;
    if (!is_good && is_to_repeat) call->link->ping_ms = call->link->open_ms;
}

static void ping(struct agent *agent, size_t key, struct turn *turn)
{
    struct link *link = &agent->links[key];
    AUTO_BUF status = {0};

    if (!link->key.len || link->is_pinging || agent->stop_ms) return;
    if (!turn_is_due(turn, link->ping_ms) || !turn_is_due(turn, link->open_ms)) return;
    buf_init(&status, PING_SIZE);
    write_status(agent, key, &status);
    /* So many modems have no key that names are that long; without them it is a ping all the same.
     */
    struct str body = status.is_full ? STR("{}") : buf_view(&status);
    link->is_pinging = herald_ping(agent->herald, link, body, take_ping_end);
    link->ping_ms = turn->now_ms + PING_MS;
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* It stops when no modem has an SMS any more and herald has heard of all, or after a while. */
static bool is_to_end(const struct agent *agent, struct turn *turn)
{
    const struct task *task;

    if (!agent->stop_ms) return false;
    if (turn_is_due(turn, agent->stop_ms + STOP_MS)) return true;
    for (size_t i = 0; (task = journal_at(agent->journal, i)); i++)
        if (task->told != task->state) return false;
    return agent->sending == 0 && herald_load(agent->herald) == 0;
}

/* The system's bus starts ModemManager where it does not run. */
static void ask_manager(struct agent *agent, struct turn *turn)
{
    struct manager *manager = &agent->manager;

    if (manager->is_there || !turn_is_due(turn, manager->ask_ms)) return;
    manager->ask_ms = turn->now_ms + ASK_AGAIN_MS;
    turn_is_due(turn, manager->ask_ms);
    manager_ask_again(manager);
}

static int take_turn(sd_event_source *source, void *context)
{
    struct agent *agent = context;
    struct turn turn = {.now_ms = clock_monotonic_ms(), .next_ms = INT64_MAX};

    (void)source;
    ask_manager(agent, &turn);
    ring_turn(agent, &turn);
    report_turn(agent, &turn);
    line_turn(agent, &turn);
    for (size_t i = 0; i < CONFIG_KEYS_MAX; i++)
        ping(agent, i, &turn);
    if (is_to_end(agent, &turn)) return sd_event_exit(agent->event, 0);
    if (turn.next_ms == INT64_MAX) return sd_event_source_set_enabled(agent->timer, SD_EVENT_OFF);
    int64_t us = turn.next_ms * 1000;
    sd_event_source_set_time(agent->timer, (uint64_t)us);
    return sd_event_source_set_enabled(agent->timer, SD_EVENT_ONESHOT);
}

/* The turn follows each event by itself. */
static int wake(sd_event_source *source, uint64_t us, void *context)
{
    (void)source, (void)us, (void)context;
    return 0;
}

static int take_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    struct agent *agent = context;
    enum signal_meaning meaning =
        signals_judge(&agent->signals, (int)info->ssi_signo, (int)info->ssi_pid);

    (void)source;
    if (meaning == SIGNAL_RELOADS)
        log_write(LOG_INFO, "SIGHUP: nothing is read anew; settings take a restart", NULL, 0);
    if (meaning != SIGNAL_STOPS) return 0;
    if (!agent->stop_ms) agent->stop_ms = clock_monotonic_ms();
    notify_send("STOPPING=1");
    return 0;
}

static void on_sms(void *context, struct modem *modem, const char *path)
{
    send_look(context, modem, path);
}

static void on_call(void *context, struct modem *modem, const char *path)
{
    ring_begin(context, modem, path);
}

/* --- Start and end ---------------------------------------------------------------------------- */

static bool add_signals(struct agent *agent)
{
    signals_block(&agent->signals);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&agent->signals.all, number) != 1) continue;
        if (sd_event_add_signal(agent->event, NULL, number, take_signal, agent) < 0) return false;
    }
    return true;
}

static bool add_sources(struct agent *agent)
{
    return sd_event_default(&agent->event) >= 0 && add_signals(agent) &&
           sd_event_add_time(agent->event, &agent->timer, CLOCK_MONOTONIC, 0, TIMER_SLACK_US, wake,
                             agent) >= 0 &&
           sd_event_add_post(agent->event, &agent->post, take_turn, agent) >= 0 &&
           sd_event_set_watchdog(agent->event, 1) >= 0;
}

/* Without the bus there is nothing to do: the process ends, and systemd starts it anew. */
static bool open_bus(struct agent *agent)
{
    const struct manager_hooks hooks = {.context = agent, .sms_came = on_sms, .call_came = on_call};

    return sd_bus_open_system(&agent->bus) >= 0 &&
           sd_bus_set_exit_on_disconnect(agent->bus, 1) >= 0 &&
           sd_bus_attach_event(agent->bus, agent->event, SD_EVENT_PRIORITY_NORMAL) >= 0 &&
           manager_init(&agent->manager, agent->bus, agent->config, &hooks);
}

static bool open_journal(struct agent *agent)
{
    const char *fault = NULL;
    struct arena arena;

    arena_init(&arena);
    agent->journal = journal_open(agent->config->state_dir, clock_now_ms(), &arena, &fault);
    if (fault) fprintf(stderr, "herald-modem: %s\n", fault);
    arena_done(&arena);
    return agent->journal != NULL;
}

static void close_agent(struct agent *agent)
{
    herald_free(agent->herald);
    manager_done(&agent->manager);
    if (agent->bus) sd_bus_flush_close_unref(agent->bus);
    sd_event_source_unref(agent->timer);
    sd_event_source_unref(agent->post);
    sd_event_unref(agent->event);
    journal_close(agent->journal);
    for (size_t i = 0; i < CONFIG_KEYS_MAX; i++)
        secret_done(&agent->links[i].key);
    free(agent);
}

static int fail(struct agent *agent, const char *sentence)
{
    if (sentence) fprintf(stderr, "herald-modem: %s\n", sentence);
    close_agent(agent);
    return 1;
}

int agent_run(const struct config *config)
{
    struct agent *agent = must_calloc(1, sizeof *agent);

    agent->config = config;
    for (size_t i = 0; i < CONFIG_KEYS_MAX; i++)
        if (config->keys[i]) secret_init(&agent->links[i].key, str_of(config->keys[i]));
    if (!open_journal(agent)) return fail(agent, NULL);
    if (!add_sources(agent)) return fail(agent, "The system does not give what it takes to run.");
    agent->herald = herald_new(agent->event, config, agent);
    if (!agent->herald) return fail(agent, "The system does not give what it takes to run.");
    if (!open_bus(agent))
        return fail(agent, "The system's D-Bus cannot be reached: is dbus running, and is the "
                           "package modemmanager installed?");
    log_write(LOG_INFO, "herald-modem has started",
              LOG_FIELDS(log_plain("version", HERALD_VERSION), log_plain("url", config->url)));
    notify_send("READY=1\nSTATUS=serves the modems of ModemManager");
    take_turn(NULL, agent);
    int status = sd_event_loop(agent->event);
    log_write(LOG_INFO, "herald-modem has ended", LOG_FIELDS(log_int("status", status)));
    close_agent(agent);
    return status == 0 ? 0 : 1;
}
