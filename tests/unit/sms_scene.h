/* Two phones with a ready SIM each, for the tests of SMS tasks. */
#pragma once

#include "world.h"

#define RECIPIENT "+79161234567"
#define OTHER     "+79161234568"
#define A         "+79160000001"
#define B         "+79160000002"

struct scene {
    struct world *world;
    struct device first, second; /* owner of A, of B */
    struct otp otp;              /* the last one created */
    struct otp_refusal refusal;
};

static inline void make_ready(struct scene *scene)
{
    world_set_ready(scene->world, &scene->first, A, true);
    world_set_ready(scene->world, &scene->second, B, true);
}

/* A is the longest unused, so the first code goes over it. */
static inline void begin(struct scene *scene, struct world *world, struct store *store)
{
    world_open(world, store);
    *scene = (struct scene){.world = world};
    scene->first = world_phone(world, A);
    scene->second = world_phone(world, B);
    make_ready(scene);
}

/* A code over `gateway_number`, or over one that is chosen (NULL). */
static inline void create(struct scene *scene, const char *recipient, const char *gateway_number)
{
    struct otp_input input = {.channel = OTP_SMS,
                              .recipient = recipient,
                              .gateway_number = gateway_number,
                              .ttl_seconds = OTP_TTL_MAX_S};
    assert_ok(world_otp_of(scene->world, &input, &scene->otp, &scene->refusal));
}

static inline enum err report(struct scene *scene, const struct device *phone,
                              const struct claimed_task *job, enum phone_task_status status)
{
    struct phone_task_result result = {.lease_id = job->lease_id, .status = status};
    return world_report(scene->world, phone, &job->id, &result);
}

static inline void assert_otp(struct scene *scene, enum otp_state state, const char *sends)
{
    struct otp otp = world_read_otp(scene->world, &scene->otp.id);
    const struct otp_send *rows = otp.sends.items;
    AUTO_BUF text = {0};
    buf_init(&text, 1000);
    for (size_t i = 0; i < otp.sends.count; i++)
        buf_printf(&text, "%s%s %s", i > 0 ? ", " : "", rows[i].gateway_number,
                   otp_send_state_words[rows[i].state]);
    buf_char(&text, '\0');
    assert_string_equal(otp_state_words[otp.state], otp_state_words[state]);
    assert_string_equal(text.data, sends);
}
