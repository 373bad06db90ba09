/*
 * herald-modem as it runs: everything that is due is done in one turn, which follows each event,
 * and a timer wakes it for what comes next. So nothing waits busily, and what could not be done is
 * due again.
 */
#pragma once

#include "kit/base/signals.h"
#include "modem/herald.h"
#include "modem/journal.h"
#include "modem/manager.h"

enum { RINGS_MAX = 128 };

/* An incoming call, until herald knows of it and it is hung up. */
struct ring {
    struct uuid event_id;
    uint64_t modem; /* its serial */
    char path[PATH_TEXT_SIZE], number[CONFIG_NUMBER_SIZE], caller[CONFIG_NUMBER_SIZE];
    size_t key;
    int64_t rang_ms, since_ms, hung_up_ms; /* monotonic; 0: not hung up yet */
    bool is_telling, is_told, is_deleted, was_asked_again;
};

struct agent {
    sd_event *event;
    sd_bus *bus;
    const struct config *config;
    struct manager manager;
    struct herald *herald;
    struct journal *journal;
    struct link links[CONFIG_KEYS_MAX];
    struct ring rings[RINGS_MAX];
    size_t ring_count;
    int sending;     /* tasks that a modem has */
    int64_t stop_ms; /* monotonic: it was told to stop; 0: it was not */
    sd_event_source *timer, *post;
    struct signals signals;
};

/* A turn collects when the next one is due. */
struct turn {
    int64_t now_ms; /* monotonic */
    int64_t next_ms;
};

/* Tells whether it is time; if not, the next turn comes then at the latest. */
static inline bool turn_is_due(struct turn *turn, int64_t due_ms)
{
    if (due_ms <= turn->now_ms) return true;
    if (due_ms < turn->next_ms) turn->next_ms = due_ms;
    return false;
}

/* SMS: line.c claims, send.c sends and takes delivery reports, report.c tells herald. */
void line_turn(struct agent *agent, struct turn *turn);
void report_turn(struct agent *agent, struct turn *turn);
/* Sends the SMS of a claim by the modem; its outcome comes into the journal. */
void send_begin(struct agent *agent, struct modem *modem, const struct job *job,
                int64_t claimed_ms);
/* Tells herald that a task which was not begun cannot be sent here. */
void report_refusal(struct agent *agent, struct link *link, const char *number,
                    const struct job *job, const char *why);
/* An SMS lies on the SIM: a delivery report is told to herald; what is done with is deleted. */
void send_look(struct agent *agent, struct modem *modem, const char *path);
/* Looks at all SMS of a modem that came. */
void send_look_at_all(struct agent *agent, struct modem *modem, bool is_full);

/* Calls: ring.c. */
void ring_turn(struct agent *agent, struct turn *turn);
void ring_begin(struct agent *agent, struct modem *modem, const char *path);
/* Looks at the calls of a modem that came: one may have rung meanwhile. */
void ring_look_at_all(struct agent *agent, struct modem *modem);

/* Runs until SIGTERM; returns the exit status. */
int agent_run(const struct config *config);
