/* A world with channels, whose sends belong to owners of the test's own. */
#pragma once

#include "domain/channel/channel_job.h"
#include "domain/channel/channel_rules.h"
#include "kit/job/job.h"
#include "world.h"

#include <pthread.h>
#include <stdio.h>

enum { OWNERS_MAX = 400 };

struct owner {
    bool is_final;  /* nobody wants its sends */
    bool is_broken; /* its row cannot be read */
    int told;       /* how often of a state */
    int state;      /* the last one told */
};

struct channel_scene {
    struct world world;
    struct channel_setup setups[CHANNEL_COUNT];
    pthread_mutex_t lock;
    struct owner owners[OWNERS_MAX];
};

static inline struct channel_scene *scene_of(const struct work *work)
{
    return (struct channel_scene *)((char *)work->service -
                                    offsetof(struct channel_scene, world.service));
}

/* Owners are numbered; the number is in the id, and in the recipient. */
static inline struct uuid owner_id(int number)
{
    struct uuid id = {0};
    memcpy(&id, &number, sizeof number);
    return id;
}

static inline int owner_number(const struct uuid *id)
{
    int number;
    memcpy(&number, id, sizeof number);
    assert(number >= 0 && number < OWNERS_MAX);
    return number;
}

static inline enum err owner_load(struct work *work, const struct uuid *id,
                                  struct channel_content *content)
{
    struct channel_scene *scene = scene_of(work);
    int number = owner_number(id);

    content->recipient = arena_printf(work->arena, "+7916%07d", number);
    content->code = "0042";
    content->chat_id = arena_printf(work->arena, "%d", number);
    content->text = "hello";
    pthread_mutex_lock(&scene->lock);
    bool is_final = scene->owners[number].is_final;
    pthread_mutex_unlock(&scene->lock);
    return is_final ? ERR_NOT_FOUND : ERR_OK;
}

static inline enum err owner_apply(struct work *work, const struct channel_send *send,
                                   const char *learned_code)
{
    struct channel_scene *scene = scene_of(work);
    struct owner *owner = &scene->owners[owner_number(&send->owner_id)];

    (void)learned_code;
    pthread_mutex_lock(&scene->lock);
    bool is_broken = owner->is_broken;
    if (!is_broken) {
        owner->told++;
        owner->state = send->state;
    }
    pthread_mutex_unlock(&scene->lock);
    return is_broken ? ERR_INTERNAL : ERR_OK;
}

static inline struct owner scene_owner(struct channel_scene *scene, int number)
{
    pthread_mutex_lock(&scene->lock);
    struct owner owner = scene->owners[number];
    pthread_mutex_unlock(&scene->lock);
    return owner;
}

static inline void scene_end_owner(struct channel_scene *scene, int number)
{
    pthread_mutex_lock(&scene->lock);
    scene->owners[number].is_final = true;
    pthread_mutex_unlock(&scene->lock);
}

static inline void scene_open(struct channel_scene *scene, struct store *store)
{
    *scene = (struct channel_scene){0};
    world_open(&scene->world, store);
    pthread_mutex_init(&scene->lock, NULL);
    for (int i = 0; i < CHANNEL_COUNT; i++)
        scene->setups[i].owner = (struct channel_owner){.load = owner_load, .apply = owner_apply};
    scene->world.service.channels = scene->setups;
}

static inline void scene_close(struct channel_scene *scene)
{
    pthread_mutex_destroy(&scene->lock);
    world_close(&scene->world);
}

/* --- Transactions --- */

struct queueing {
    enum channel channel;
    int first, count;
    int64_t delay_ms, ttl_ms;
};

static inline enum err run_queue(struct work *work, void *arg)
{
    const struct queueing *queueing = arg;
    enum err err = ERR_OK;
    for (int i = 0; !err && i < queueing->count; i++) {
        struct uuid id = owner_id(queueing->first + i);
        err = channel_queue(work, queueing->channel, &id, work->now_ms + queueing->delay_ms,
                            work->now_ms + queueing->ttl_ms);
    }
    return err;
}

/* A send for each of the owners `first` to `first + count - 1`. */
static inline void scene_queue(struct channel_scene *scene, enum channel channel, int first,
                               int count, int64_t ttl_ms)
{
    struct queueing queueing = {channel, first, count, 0, ttl_ms};
    assert_ok(world_run(&scene->world, run_queue, &queueing));
}

struct checking {
    enum channel channel;
    int64_t retry_after_ms;
};

static inline enum err run_check(struct work *work, void *arg)
{
    struct checking *checking = arg;
    return channel_check(work, checking->channel, &checking->retry_after_ms);
}

static inline enum err scene_check(struct channel_scene *scene, enum channel channel)
{
    struct checking checking = {channel, 0};
    return world_read(&scene->world, run_check, &checking);
}

struct listing {
    struct uuid owner_id;
    struct record_list sends;
};

static inline enum err run_list(struct work *work, void *arg)
{
    struct listing *listing = arg;
    enum err err = channel_list(work, &listing->owner_id, &listing->sends);
    struct channel_send *sends = listing->sends.items;
    for (size_t i = 0; !err && i < listing->sends.count; i++)
        sends[i].error = channel_error(work, &sends[i]); /* as it is shown */
    return err;
}

static inline struct record_list scene_list(struct channel_scene *scene, int owner)
{
    struct listing listing = {.owner_id = owner_id(owner)};
    assert_ok(world_read(&scene->world, run_list, &listing));
    return listing.sends;
}

/* The only send of the owner. */
static inline struct channel_send scene_send(struct channel_scene *scene, int owner)
{
    struct record_list list = scene_list(scene, owner);
    assert_int_equal(list.count, 1);
    return *(const struct channel_send *)list.items;
}

static inline void assert_send(struct channel_scene *scene, int owner, enum send_state state,
                               const char *error)
{
    struct channel_send send = scene_send(scene, owner);
    assert_string_equal(channel_send_words[send.state], channel_send_words[state]);
    if (error)
        assert_string_equal(send.error, error);
    else
        assert_null(send.error);
}

struct ending {
    struct uuid owner_id;
    const char *right_code; /* NULL: it was given up */
};

static inline enum err run_end(struct work *work, void *arg)
{
    const struct ending *ending = arg;
    return channel_end(work, &ending->owner_id, "the test ended it", ending->right_code);
}

static inline void scene_end(struct channel_scene *scene, int owner, const char *right_code)
{
    struct ending ending = {owner_id(owner), right_code};
    scene_end_owner(scene, owner);
    assert_ok(world_run(&scene->world, run_end, &ending));
}

static inline enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

static inline void scene_sql(struct channel_scene *scene, const char *sql)
{
    assert_ok(world_run(&scene->world, run_sql, (void *)sql));
}

static inline int64_t scene_count(struct channel_scene *scene, const char *where)
{
    return store_number(scene->world.store,
                        arena_printf(scene->world.arena, "SELECT COUNT(*) AS n FROM %s", where));
}
