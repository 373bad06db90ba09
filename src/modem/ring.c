/*
 * An incoming call is told to herald with its caller and its SIM, and hung up: first told, so that
 * a call which still rings after a crash is told by the next process (contract, section 15.4,
 * and section 2, rule 6). A call without a number is told as such, and confirms nothing.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "modem/agent.h"

#include <stdio.h>
#include <stdlib.h>

#define VOICE MM_NAME ".Modem.Voice"
#define CALL  MM_NAME ".Call"

enum {
    INCOMING = 1, /* MMCallDirection */
    RINGING = 3,  /* MMCallState */
    WAITING = 6,
    TERMINATED = 7,
    NUMBER_MS = 1500,         /* the number may come behind the first ring */
    HANG_UP_MS = 10 * 1000,   /* whatever herald says */
    DELETE_MS = 3 * 1000,     /* behind hanging up */
    TELL_MS = 15 * 60 * 1000, /* no challenge lives longer */
    TELL_AGAIN_MS = 1000,
    LIST_TIMEOUT_S = 20,
};

struct asked {
    struct agent *agent;
    uint64_t modem;
    char path[PATH_TEXT_SIZE];
};

struct seen_call {
    int64_t state, direction;
    char number[32];
};

static const struct bus_property call_rows[] = {
    BUS_VALUE(struct seen_call, state, "State", 'i'),
    BUS_VALUE(struct seen_call, direction, "Direction", 'i'),
    BUS_TEXT(struct seen_call, number, "Number"),
};

/* --- Telling ---------------------------------------------------------------------------------- */

static struct ring *find_event(struct agent *agent, const struct uuid *id)
{
    for (size_t i = 0; i < agent->ring_count; i++)
        if (uuid_equal(&agent->rings[i].event_id, id)) return &agent->rings[i];
    return NULL;
}

static void take_tell_end(struct herald_call *call)
{
    struct agent *agent = call->owner;
    struct ring *ring = find_event(agent, &call->id);
    struct arena arena;
    bool is_to_repeat;
    bool is_good = herald_is_good(call, &is_to_repeat);

    if (!ring) return;
    ring->is_telling = false;
    ring->is_told = !is_to_repeat;
    if (is_to_repeat) return;
    arena_init(&arena);
    log_write(is_good ? LOG_INFO : LOG_WARNING, "call told",
              LOG_FIELDS(log_uuid("event_id", &call->id), log_phone("gateway_number", call->number),
                         log_phone("caller", ring->caller[0] ? ring->caller : NULL),
                         log_plain("result", is_good ? herald_read_verdict(call, &arena) : NULL),
                         log_int("status", call->fetch.status)));
    arena_done(&arena);
}

/* The wall clock may have been set since it rang, as soon as a small computer has a network. */
static void tell(struct agent *agent, struct ring *ring, struct turn *turn)
{
    struct link *link = &agent->links[ring->key];
    struct herald_event event = {.id = ring->event_id,
                                 .number = ring->number,
                                 .caller = ring->caller[0] ? ring->caller : NULL,
                                 .occurred_ms = clock_now_ms() - (turn->now_ms - ring->rang_ms)};

    if (turn->now_ms - ring->since_ms > TELL_MS) {
        log_write(LOG_ERROR, "a call could not be told in time",
                  LOG_FIELDS(log_uuid("event_id", &ring->event_id),
                             log_phone("gateway_number", ring->number)));
        ring->is_told = true;
        return;
    }
    if (!turn_is_due(turn, link->open_ms)) return;
    ring->is_telling = herald_tell_call(agent->herald, link, &event, take_tell_end);
    if (!ring->is_telling) turn_is_due(turn, turn->now_ms + TELL_AGAIN_MS);
}

/* --- A call ----------------------------------------------------------------------------------- */

static struct ring *find_ring(struct agent *agent, uint64_t modem, const char *path)
{
    for (size_t i = 0; i < agent->ring_count; i++) {
        struct ring *ring = &agent->rings[i];
        if (ring->modem == modem && !ring->is_deleted && strcmp(ring->path, path) == 0) return ring;
    }
    return NULL;
}

/* The oldest of too many is given up: calls of hours have no challenge any more. */
static struct ring *add_ring(struct agent *agent)
{
    if (agent->ring_count == RINGS_MAX) {
        log_write(LOG_ERROR, "too many calls wait for herald; the oldest is dropped",
                  LOG_FIELDS(log_uuid("event_id", &agent->rings[0].event_id)));
        memmove(&agent->rings[0], &agent->rings[1], (RINGS_MAX - 1) * sizeof agent->rings[0]);
        agent->ring_count--;
    }
    return &agent->rings[agent->ring_count++];
}

static void take_number(struct ring *ring, const char *number)
{
    if (!ring->caller[0] && number[0] && strlen(number) < sizeof ring->caller)
        snprintf(ring->caller, sizeof ring->caller, "%s", number);
}

static void note_ring(struct agent *agent, const struct modem *modem, const char *path,
                      const char *caller)
{
    struct ring *ring = add_ring(agent);
    int64_t now_ms = clock_monotonic_ms();

    *ring = (struct ring){.event_id = uuid_new(clock_now_ms()),
                          .modem = modem->serial,
                          .key = modem->key,
                          .rang_ms = now_ms,
                          .since_ms = now_ms};
    snprintf(ring->path, sizeof ring->path, "%s", path);
    memcpy(ring->number, modem->number, sizeof ring->number);
    take_number(ring, caller);
}

static int take_call(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct asked *asked = context;
    struct agent *agent = asked->agent;
    const struct modem *modem = manager_find(&agent->manager, asked->modem);
    struct ring *ring = find_ring(agent, asked->modem, asked->path);
    struct seen_call call = {0};

    (void)error;
    if (!modem || sd_bus_message_is_method_error(reply, NULL)) return 0;
    if (bus_read_properties(reply, call_rows, sizeof call_rows / sizeof *call_rows, &call) < 0)
        return 0;
    if (ring) {
        take_number(ring, call.number);
        return 0;
    }
    if (call.direction != INCOMING || !modem->number[0] || modem->is_second) return 0;
    if (call.state == TERMINATED)
        bus_order(agent->bus, modem->path, VOICE, "DeleteCall", asked->path);
    if (call.state == RINGING || call.state == WAITING)
        note_ring(agent, modem, asked->path, call.number);
    return 0;
}

static void ask(struct agent *agent, uint64_t modem, const char *path)
{
    struct asked *asked = must_malloc(sizeof *asked);

    *asked = (struct asked){.agent = agent, .modem = modem};
    snprintf(asked->path, sizeof asked->path, "%s", path);
    bus_ask_properties(agent->bus, path, CALL, take_call, asked);
}

void ring_begin(struct agent *agent, struct modem *modem, const char *path)
{
    ask(agent, modem->serial, path);
}

static int take_list(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct asked *asked = context;
    const char *path;

    (void)error;
    if (sd_bus_message_is_method_error(reply, NULL)) return 0;
    if (sd_bus_message_enter_container(reply, 'a', "o") < 0) return 0;
    while (sd_bus_message_read_basic(reply, 'o', &path) > 0)
        ask(asked->agent, asked->modem, path);
    return 0;
}

void ring_look_at_all(struct agent *agent, struct modem *modem)
{
    AUTO_MESSAGE *message = NULL;
    struct asked *asked = must_malloc(sizeof *asked);

    *asked = (struct asked){.agent = agent, .modem = modem->serial};
    int made = sd_bus_message_new_method_call(agent->bus, &message, MM_NAME, modem->path, VOICE,
                                              "ListCalls");
    if (made >= 0)
        bus_ask(agent->bus, message, take_list, LIST_TIMEOUT_S, asked);
    else
        free(asked);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* A call is hung up once it was told, or after a while, and its object deleted behind that. */
static void hang_up(struct agent *agent, struct ring *ring, struct turn *turn)
{
    const struct modem *modem = manager_find(&agent->manager, ring->modem);

    if (!modem) ring->hung_up_ms = turn->now_ms;
    if (!modem) ring->is_deleted = true;
    if (ring->is_deleted) return;
    if (!ring->hung_up_ms) {
        if (!ring->is_told && !turn_is_due(turn, ring->since_ms + HANG_UP_MS)) return;
        bus_order(agent->bus, ring->path, CALL, "Hangup", NULL);
        ring->hung_up_ms = turn->now_ms;
    }
    if (!turn_is_due(turn, ring->hung_up_ms + DELETE_MS)) return;
    bus_order(agent->bus, modem->path, VOICE, "DeleteCall", ring->path);
    ring->is_deleted = true;
}

static bool waits_for_number(struct agent *agent, struct ring *ring, struct turn *turn)
{
    if (ring->caller[0]) return false;
    if (!turn_is_due(turn, ring->since_ms + NUMBER_MS)) return true;
    if (!ring->was_asked_again) {
        ring->was_asked_again = true;
        ring->since_ms += NUMBER_MS;
        ask(agent, ring->modem, ring->path);
        turn_is_due(turn, ring->since_ms + NUMBER_MS);
        return true;
    }
    return false;
}

void ring_turn(struct agent *agent, struct turn *turn)
{
    for (size_t i = 0; i < agent->ring_count;) {
        struct ring *ring = &agent->rings[i];
        bool waits = !ring->is_told && waits_for_number(agent, ring, turn);
        if (!waits && !ring->is_told && !ring->is_telling) tell(agent, ring, turn);
        hang_up(agent, ring, turn);
        if (!ring->is_told || ring->is_telling || !ring->is_deleted) {
            i++;
            continue;
        }
        memmove(ring, ring + 1, (--agent->ring_count - i) * sizeof *ring);
    }
}
