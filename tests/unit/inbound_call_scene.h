/* A phone of two numbers, and challenges of callers, for the tests of calls. */
#pragma once

#include "world.h"

#include <stdio.h>

#define CALLER  "+79161234567"
#define GATEWAY "+79160000001"
#define SECOND  "+79160000002"
#define FOREIGN "+79160000003"

static const char *const own_numbers[] = {GATEWAY, SECOND};

struct scene {
    struct world *world;
    struct device phone;
    struct call_challenge call;
    struct uuid active;
    struct event_result result;
    int events;
};

static inline void begin(struct scene *scene, struct world *world)
{
    *scene = (struct scene){.world = world, .phone = world_phone_of(world, own_numbers, 2)};
}

static inline enum err start(struct scene *scene, const char *caller, const char *gateway_number)
{
    return world_call(scene->world, caller, gateway_number, &scene->call, &scene->active);
}

/* A new event of the phone, that happened now. */
static inline enum err ring(struct scene *scene, const char *gateway_number, const char *caller)
{
    char id[32];
    snprintf(id, sizeof id, "event-%d", ++scene->events);
    struct call_event event = {arena_text(scene->world->arena, id), gateway_number, caller,
                               scene->world->now_ms};
    return world_report_call(scene->world, &scene->phone, &event, &scene->result);
}

static inline void assert_state(struct scene *scene, enum inbound_call_state state)
{
    struct call_challenge call;
    assert_ok(world_read_call(scene->world, &scene->call.id, &call));
    assert_string_equal(inbound_call_state_words[call.state], inbound_call_state_words[state]);
}
