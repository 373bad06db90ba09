/* Events and their feed (contract, section 13): there exactly when their change is, numbered
 * without a gap, and written by whom somebody listens to. */
#include "app/setup/migrations.h"
#include "domain/event/event.h"
#include "domain/event/event_db.h"
#include "domain/process/process.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define A "+79160000001"

/* --- A world with events ---------------------------------------------------------------------- */

static enum err read_device(struct work *work, const char *id, const void **ret_value,
                            int64_t *ret_sequence)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    struct uuid device_id;

    assert_true(uuid_parse(str_of(id), &device_id));
    enum err err = fleet_read(work, &device_id, device);
    *ret_value = device;
    *ret_sequence = device->changes;
    return err;
}

static enum err read_otp(struct work *work, const char *id, const void **ret_value,
                         int64_t *ret_sequence)
{
    struct otp *otp = ARENA_NEW(work->arena, struct otp);
    struct uuid otp_id;

    assert_true(uuid_parse(str_of(id), &otp_id));
    enum err err = otp_read(work, &otp_id, otp);
    *ret_value = otp;
    *ret_sequence = otp->changes;
    return err;
}

static const struct event_reader readers[EVENT_SUBJECT_COUNT] = {
    [EVENT_OF_DEVICE] = {&device_record, read_device},
    [EVENT_OF_OTP] = {&otp_record, read_otp},
};

struct scene {
    struct world world;
    struct event_setup setup;
    struct own_process process;
};

static void begin(struct scene *scene, struct store *store, enum event_mode mode)
{
    *scene = (struct scene){.setup = {.readers = readers, .mode = mode, .days = 7}};
    world_open(&scene->world, store);
    scene->world.now_ms = clock_now_ms(); /* the publisher drops by the clock what is old */
    scene->world.service.events = &scene->setup;
    atomic_store(&scene->setup.known_at_ms, clock_monotonic_ms());
}

static void end(struct scene *scene)
{
    world_close(&scene->world);
}

/* A worker comes, and goes when it has published what there is. */
static void publish(struct scene *scene)
{
    struct event_publisher *publisher = event_publisher_start(&scene->world.service);
    event_publisher_stop(publisher);
    event_publisher_free(publisher);
}

struct reading {
    struct event_query query;
    struct event_list list;
    const char *fault;
};

static enum err run_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    return event_list(work, &step->query, &step->list, &step->fault);
}

static enum err read_feed(struct scene *scene, int64_t after, const char *types, int64_t limit,
                          struct event_list *ret_list)
{
    struct reading step = {.query = {.after = after, .types = types, .limit = limit}};
    enum err err = world_read(&scene->world, run_read, &step);
    *ret_list = step.list;
    return err;
}

/* The feed from its beginning on. */
static struct event_list all_of(struct scene *scene)
{
    struct event_list list;
    publish(scene);
    assert_ok(read_feed(scene, 0, NULL, EVENT_LIMIT_MAX, &list));
    return list;
}

static const struct event *event_at(const struct event_list *list, size_t index)
{
    assert_true(index < list->events.count);
    return &((const struct event *)list->events.items)[index];
}

/* --- Events ----------------------------------------------------------------------------------- */

static void an_event_is_there_exactly_when_its_change_is(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    assert_ok(world_set_enabled(&scene.world, &phone.id, false));
    assert_ok(world_set_enabled(&scene.world, &phone.id, false)); /* nothing changes */
    struct uuid nobody = uuid_new(scene.world.now_ms);
    assert_err(world_set_enabled(&scene.world, &nobody, false), ERR_NOT_FOUND);
    struct event_list list = all_of(&scene);
    assert_int_equal(list.events.count, 1);
    const struct event *event = event_at(&list, 0);
    assert_string_equal(event->type, "device.disabled");
    assert_int_equal(event->seq, 1);
    assert_int_equal(event->subject->sequence, 1);
    assert_int_equal(event->timestamp, scene.world.now_ms);
    assert_non_null(strstr(arena_str(scene.world.arena, event->data), "\"enabled\":false"));
    assert_count(store, "outbox", 0);
    end(&scene);
}

static enum err fail_behind(struct work *work, void *arg)
{
    enum err err = fleet_set_enabled(work, arg, false);
    return err ? err : ERR_NUMBER_TAKEN;
}

static void a_rollback_leaves_none(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    assert_err(world_run(&scene.world, fail_behind, &phone.id), ERR_NUMBER_TAKEN);
    assert_int_equal(all_of(&scene).events.count, 0);
    end(&scene);
}

static enum err toggle_twice(struct work *work, void *arg)
{
    enum err err = fleet_set_enabled(work, arg, false);
    return err ? err : fleet_set_enabled(work, arg, true);
}

static void each_change_of_one_transaction_has_its_sequence(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    assert_ok(world_run(&scene.world, toggle_twice, &phone.id));
    struct event_list list = all_of(&scene);
    assert_int_equal(list.events.count, 2);
    assert_string_equal(event_at(&list, 0)->type, "device.disabled");
    assert_int_equal(event_at(&list, 0)->subject->sequence, 1);
    assert_string_equal(event_at(&list, 1)->type, "device.enabled");
    assert_int_equal(event_at(&list, 1)->subject->sequence, 2);
    end(&scene);
}

static void changes_count_while_nobody_listens(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_OFF);
    struct device phone = world_phone(&scene.world, A);
    for (int i = 0; i < 3; i++)
        assert_ok(world_set_enabled(&scene.world, &phone.id, i % 2 == 1));
    assert_count(store, "outbox", 0);
    scene.setup.mode = EVENTS_ON;
    assert_ok(world_set_enabled(&scene.world, &phone.id, true));
    struct event_list list = all_of(&scene);
    assert_int_equal(event_at(&list, 0)->subject->sequence, 4);
    end(&scene);
}

/* --- Who listens ------------------------------------------------------------------------------ */

struct toggling {
    struct scene *scene;
    const struct uuid *id;
    int unheard; /* how many such units of work there were while it ran */
};

static enum err run_toggle(struct work *work, void *arg)
{
    struct toggling *step = arg;
    enum err err = fleet_set_enabled(work, step->id, false);
    step->unheard = atomic_load(&step->scene->setup.unheard);
    return err;
}

static void a_unit_of_work_that_found_nobody_is_counted_until_its_end(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_AUTO);
    struct device phone = world_phone(&scene.world, A);
    struct toggling step = {&scene, &phone.id, 0};
    assert_ok(world_run(&scene.world, run_toggle, &step));
    assert_int_equal(step.unheard, 1);
    assert_int_equal(atomic_load(&scene.setup.unheard), 0);
    assert_count(store, "outbox", 0);
    assert_err(world_run(&scene.world, fail_behind, &phone.id), ERR_NUMBER_TAKEN);
    assert_int_equal(atomic_load(&scene.setup.unheard), 0);
    end(&scene);
}

static void a_process_that_does_not_know_writes_events(struct store *store)
{
    struct scene scene;
    begin(&scene, store, EVENTS_AUTO);
    struct device phone = world_phone(&scene.world, A);
    atomic_store(&scene.setup.known_at_ms, clock_monotonic_ms() - EVENT_KNOWN_MS - 1);
    assert_ok(world_set_enabled(&scene.world, &phone.id, false));
    assert_count(store, "outbox", 1);
    atomic_store(&scene.setup.known_at_ms, clock_monotonic_ms());
    assert_ok(world_set_enabled(&scene.world, &phone.id, true));
    assert_count(store, "outbox", 1);
    end(&scene);
}

static enum err run_want(struct work *work, void *arg)
{
    return event_want(work, arg != NULL);
}

static enum err run_is_confirmed(struct work *work, void *arg)
{
    return event_is_confirmed(work, arg);
}

static bool is_confirmed(struct scene *scene)
{
    bool is_confirmed = false;
    assert_ok(world_read(&scene->world, run_is_confirmed, &is_confirmed));
    return is_confirmed;
}

static bool becomes_confirmed(struct scene *scene)
{
    int64_t until_ms = clock_monotonic_ms() + 10 * SECOND_MS;
    while (!is_confirmed(scene) && clock_monotonic_ms() < until_ms)
        usleep(5 * 1000);
    return is_confirmed(scene);
}

/* The rule of ERR_EVENTS_OFF goes by the database, and the writing by what was confirmed. */
static void a_registration_is_true_for_every_process(struct store *store)
{
    struct scene scene;
    struct event_list list;
    begin(&scene, store, EVENTS_AUTO);
    scene.world.now_ms = clock_now_ms(); /* signs of life go by the clock */
    own_process_init(&scene.process, VERB_SERVE, NULL, scene.world.now_ms);
    scene.world.service.process = &scene.process;
    process_sign_on(&scene.world.service);
    assert_false(is_confirmed(&scene));
    struct event_listener *listener = event_listener_start(&scene.world.service);
    assert_true(becomes_confirmed(&scene));
    assert_err(read_feed(&scene, 0, NULL, 1, &list), ERR_EVENTS_OFF);

    atomic_fetch_add(&scene.setup.unheard, 1); /* a transaction is under way that found nobody */
    assert_ok(world_run(&scene.world, run_want, &scene));
    event_listener_wake(listener);
    usleep(100 * 1000);
    assert_true(atomic_load(&scene.setup.is_wanted));
    assert_false(is_confirmed(&scene));
    atomic_fetch_sub(&scene.setup.unheard, 1);
    assert_true(becomes_confirmed(&scene));

    struct device phone = world_phone(&scene.world, A);
    assert_ok(world_set_enabled(&scene.world, &phone.id, false));
    assert_int_equal(all_of(&scene).events.count, 1);
    assert_ok(world_run(&scene.world, run_want, NULL));
    event_listener_wake(listener);
    assert_true(becomes_confirmed(&scene));
    assert_false(atomic_load(&scene.setup.is_wanted));
    assert_err(read_feed(&scene, 0, NULL, 1, &list), ERR_EVENTS_OFF);
    event_listener_stop(listener);
    event_listener_free(listener);
    process_sign_off(&scene.world.service);
    end(&scene);
}

/* --- The feed --------------------------------------------------------------------------------- */

static void make_events(struct scene *scene, const struct device *phone, int count)
{
    for (int i = 0; i < count; i++)
        assert_ok(world_set_enabled(&scene->world, &phone->id, i % 2 == 1));
}

static void it_is_read_in_parts_and_by_types(struct store *store)
{
    struct scene scene;
    struct event_list list;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    make_events(&scene, &phone, 5);
    publish(&scene);
    assert_ok(read_feed(&scene, 1, NULL, 2, &list));
    assert_int_equal(event_at(&list, 0)->seq, 2);
    assert_int_equal(list.last_seq, 3);
    assert_false(list.is_at_end);
    assert_ok(read_feed(&scene, 3, "device.*", 2, &list));
    assert_int_equal(list.last_seq, 5);
    assert_true(list.is_at_end);
    assert_ok(read_feed(&scene, 0, "otp.sent, device.enabled", 10, &list));
    assert_int_equal(list.events.count, 2);
    assert_int_equal(list.last_seq, 5);
    assert_ok(read_feed(&scene, 0, "otp.*", 10, &list));
    assert_int_equal(list.events.count, 0);
    assert_true(list.is_at_end);
    assert_err(read_feed(&scene, 0, "otp", 10, &list), ERR_VALIDATION);
    assert_err(read_feed(&scene, 0, "otp.sent,,", 10, &list), ERR_VALIDATION);
    assert_err(read_feed(&scene, 6, NULL, 10, &list), ERR_EVENTS_GONE);
    assert_int_equal(list.oldest_seq, 1);
    assert_ok(read_feed(&scene, 5, NULL, 10, &list));
    assert_int_equal(list.events.count, 0);
    end(&scene);
}

struct aging {
    int64_t seq, days;
};

static enum err run_age(struct work *work, void *arg)
{
    const struct aging *aging = arg;
    struct uuid id = uuid_at(clock_now_ms() - aging->days * 24 * HOUR_MS);
    id.bytes[15] = (uint8_t)aging->seq;
    return db_exec(work->tx, "UPDATE event SET id = $2 WHERE seq = $1",
                   DB_ARGS(db_int(aging->seq), db_uuid(&id)), NULL);
}

static void old_events_go_and_the_numbers_go_on(struct store *store)
{
    struct aging ages[] = {{1, 8}, {2, 8}, {3, 6}};
    struct scene scene;
    struct event_list list;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    make_events(&scene, &phone, 3);
    publish(&scene);
    for (size_t i = 0; i < COUNT_OF(ages); i++)
        assert_ok(world_run(&scene.world, run_age, &ages[i]));
    publish(&scene); /* the next worker drops what is old */
    assert_err(read_feed(&scene, 1, NULL, 10, &list), ERR_EVENTS_GONE);
    assert_int_equal(list.oldest_seq, 3);
    assert_ok(read_feed(&scene, 2, NULL, 10, &list));
    assert_int_equal(event_at(&list, 0)->seq, 3);
    assert_ok(read_feed(&scene, -1, NULL, 10, &list));
    assert_int_equal(list.events.count, 1);
    end(&scene);
}

/* --- Personal data ---------------------------------------------------------------------------- */

struct erasing {
    const char *number;
    int64_t erased;
};

static enum err run_erase(struct work *work, void *arg)
{
    struct erasing *step = arg;
    return otp_erase_of(work, step->number, 10, &step->erased);
}

static void what_is_erased_is_taken_out(struct store *store)
{
    struct scene scene;
    struct otp otp;
    struct otp_refusal refusal;
    begin(&scene, store, EVENTS_ON);
    struct device phone = world_phone(&scene.world, A);
    world_set_ready(&scene.world, &phone, A, true);
    assert_ok(world_otp(&scene.world, "+79161234567", &otp, &refusal));
    assert_ok(world_cancel_otp(&scene.world, &otp.id));
    struct event_list list = all_of(&scene);
    const char *data = arena_str(scene.world.arena, event_at(&list, 0)->data);
    assert_non_null(strstr(data, "\"recipient\":\"+79161234567\""));

    struct erasing step = {"+79161234567", 0};
    assert_ok(world_run(&scene.world, run_erase, &step));
    assert_int_equal(step.erased, 1);
    list = all_of(&scene);
    assert_int_equal(list.events.count, 1);
    assert_null(event_at(&list, 0)->data.data);
    assert_count(store, "event WHERE data IS NOT NULL OR masked IS NOT NULL", 0);
    end(&scene);
}

/* --- Crowds ----------------------------------------------------------------------------------- */

enum { PHONES = 6, TOGGLES = 40 };

struct crowd {
    struct device phones[PHONES];
    atomic_int left;
};

static void toggle_on(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 0; i < TOGGLES; i++) {
        /* Two at once change the same phone. */
        enum err err = world_set_enabled(world, &crowd->phones[index / 2].id, (i + index) % 2 == 1);
        if (err) must_have(false, err_info(err)->name);
    }
    atomic_fetch_sub(&crowd->left, 1);
}

static void *publish_meanwhile(void *arg)
{
    struct scene *scene = arg;
    for (int i = 0; i < 10; i++)
        publish(scene);
    return NULL;
}

static void many_writers_and_publishers_leave_no_gap(struct store *store)
{
    struct scene scene;
    struct crowd crowd;
    pthread_t publishers[2];
    char name[32];
    begin(&scene, store, EVENTS_ON);
    for (int i = 0; i < PHONES; i++) {
        snprintf(name, sizeof(name), "+7916000010%d", i);
        crowd.phones[i] = world_phone(&scene.world, arena_text(scene.world.arena, name));
    }
    atomic_init(&crowd.left, PHONES * 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&publishers[i], NULL, publish_meanwhile, &scene), 0);
    world_crowd(&scene.world, PHONES * 2, toggle_on, &crowd);
    for (int i = 0; i < 2; i++)
        pthread_join(publishers[i], NULL);

    struct event_list list = all_of(&scene);
    int64_t sequences[PHONES] = {0}, changes = 0;
    for (size_t i = 0; i < list.events.count; i++) {
        const struct event *event = event_at(&list, i);
        assert_int_equal(event->seq, i + 1);
        for (int k = 0; k < PHONES; k++) {
            const char *id = uuid_text(&crowd.phones[k].id, scene.world.arena);
            if (strcmp(event->subject->id, id) == 0)
                assert_int_equal(event->subject->sequence, ++sequences[k]);
        }
    }
    for (int k = 0; k < PHONES; k++)
        changes += world_read_phone(&scene.world, &crowd.phones[k].id).changes;
    assert_int_equal(list.events.count, changes);
    assert_true(changes > PHONES);
    assert_count(store, "outbox", 0);
    end(&scene);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(an_event_is_there_exactly_when_its_change_is),
        STORE_CASE(a_rollback_leaves_none),
        STORE_CASE(each_change_of_one_transaction_has_its_sequence),
        STORE_CASE(changes_count_while_nobody_listens),
        STORE_CASE(a_unit_of_work_that_found_nobody_is_counted_until_its_end),
        STORE_CASE(a_process_that_does_not_know_writes_events),
        STORE_CASE(a_registration_is_true_for_every_process),
        STORE_CASE(it_is_read_in_parts_and_by_types),
        STORE_CASE(old_events_go_and_the_numbers_go_on),
        STORE_CASE(what_is_erased_is_taken_out),
        STORE_CASE(many_writers_and_publishers_leave_no_gap),
    };
    return store_run_cases("event", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
