/* domain/event_log: the entries of the log stream (contract, section 2, rule 12). */
#include "app/setup/migrations.h"
#include "domain/event_log/event_log.h"
#include "world.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Reading --- */

struct reading {
    int64_t after_id;
    struct log_entry *entries;
    size_t count;
};

static enum err run_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    return event_log_read(work, step->after_id, &step->entries, &step->count);
}

static struct reading read_after(struct world *world, int64_t after_id)
{
    struct reading step = {.after_id = after_id};
    assert_ok(world_read(world, run_read, &step));
    return step;
}

static enum err run_last_id(struct work *work, void *arg)
{
    return event_log_last_id(work, arg);
}

static int64_t last_id(struct world *world)
{
    int64_t id = -1;
    assert_ok(world_read(world, run_last_id, &id));
    return id;
}

/* Publishes what a transaction at the world's time would have said. */
static void publish(struct event_log *event_log, struct world *world, const char *message,
                    const struct log_field *fields, size_t count)
{
    struct work work;
    work_init(&work, &world->service, world->arena, world->now_ms, "request-1");
    work_note(&work, LOG_WARNING, message, fields, count);
    event_log_publish(event_log, &work, "hd_key");
}

/* --- What an entry shows --- */

static struct log_entry published(struct world *world, bool is_sensitive)
{
    int64_t before = last_id(world);
    struct event_log *event_log = event_log_new(world->store->db, is_sensitive);
    publish(event_log, world, "otp created",
            LOG_FIELDS(log_phone("recipient", "+79161234567"), log_secret("code", "493021"),
                       log_plain("error", "a\nb")));
    event_log_free(event_log);
    struct reading step = read_after(world, before);
    assert_int_equal(step.count, 1);
    return step.entries[0];
}

static void an_entry_is_masked(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct log_entry entry = published(&world, false);
    assert_int_equal(entry.id, 1);
    assert_int_equal(entry.level, LOG_WARNING);
    assert_string_equal(entry.message, "otp created");
    assert_true(str_is(entry.fields,
                       "{\"at\":\"2026-11-21T04:33:00.000Z\",\"request_id\":\"request-1\","
                       "\"recipient\":\"+7916***4567\",\"error\":\"a\\u000ab\"}"));
}

static void a_sensitive_entry_shows_it_all(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct log_entry entry = published(&world, true);
    assert_true(str_is(entry.fields,
                       "{\"at\":\"2026-11-21T04:33:00.000Z\",\"request_id\":\"request-1\","
                       "\"key\":\"hd_key\",\"recipient\":\"+79161234567\",\"code\":\"493021\","
                       "\"error\":\"a\\u000ab\",\"unmasked\":true}"));
    assert_true(event_log_is_unmasked(entry.fields));
    assert_false(event_log_is_unmasked(STR("{\"name\":\",\\\"unmasked\\\":true}\"}")));
}

static void a_work_says_its_notes_in_order(struct store *store)
{
    AUTO_WORLD world;
    struct work work;
    world_open(&world, store);
    struct event_log *event_log = event_log_new(store->db, false);
    work_init(&work, &world.service, world.arena, world.now_ms, NULL);
    event_log_publish(event_log, &work, NULL); /* nothing to say */
    for (int i = 0; i < 3; i++)
        work_note(&work, LOG_INFO, "note", LOG_FIELDS(log_int("i", i)));
    event_log_publish(event_log, &work, NULL);
    event_log_write(event_log, LOG_ERROR, "by itself", NULL, 0);
    event_log_free(event_log);
    struct reading step = read_after(&world, 0);
    assert_int_equal(step.count, 4);
    for (int i = 0; i < 3; i++) {
        const char *expected =
            arena_printf(world.arena, "{\"at\":\"2026-11-21T04:33:00.000Z\",\"i\":%d}", i);
        assert_true(str_is(step.entries[i].fields, expected));
    }
    assert_string_equal(step.entries[3].message, "by itself");
    assert_int_equal(step.entries[3].level, LOG_ERROR);
}

/* --- Pages --- */

static void publish_many(struct world *world, int count)
{
    struct event_log *event_log = event_log_new(world->store->db, false);
    for (int i = 0; i < count; i++)
        publish(event_log, world, "entry", LOG_FIELDS(log_int("i", i)));
    event_log_free(event_log);
}

static void a_page_has_a_maximum(struct store *store)
{
    enum { MANY = EVENT_LOG_BATCH_MAX + EVENT_LOG_PAGE_MAX + 3 };
    AUTO_WORLD world;
    world_open(&world, store);
    assert_int_equal(last_id(&world), 0);
    assert_int_equal(read_after(&world, 0).count, 0);
    publish_many(&world, MANY);
    assert_int_equal(last_id(&world), MANY);
    int64_t seen = 0;
    while (seen < MANY) {
        struct reading step = read_after(&world, seen);
        size_t left = (size_t)(MANY - seen);
        assert_int_equal(step.count, left < EVENT_LOG_PAGE_MAX ? left : EVENT_LOG_PAGE_MAX);
        for (size_t i = 0; i < step.count; i++)
            assert_int_equal(step.entries[i].id, ++seen);
    }
    assert_int_equal(read_after(&world, MANY).count, 0);
    assert_int_equal(read_after(&world, MANY - 1).count, 1);
    assert_int_equal(read_after(&world, MANY + 1000).count, 0);
}

/* --- A search --- */

struct searching {
    struct log_filter filter;
    struct log_entry_list list;
};

static enum err run_list(struct work *work, void *arg)
{
    struct searching *step = arg;
    return event_log_list(work, &step->filter, &step->list);
}

/* The ids of the page, "3 2 1", and whether there is a next one. */
static const char *search(struct world *world, struct log_filter filter)
{
    struct searching step = {.filter = filter};
    const char *text = "";

    if (step.filter.limit == 0) step.filter.limit = 50;
    assert_ok(world_read(world, run_list, &step));
    const struct log_entry *entries = step.list.entries.items;
    for (size_t i = 0; i < step.list.entries.count; i++)
        text = arena_printf(world->arena, "%s%s%lld", text, i > 0 ? " " : "",
                            (long long)entries[i].id);
    const char *next = step.list.next_cursor;
    return next ? arena_printf(world->arena, "%s, then %s", text, next) : text;
}
#define assert_found(world, wanted, ...) \
    assert_string_equal(search(world, (struct log_filter){.level = -1, __VA_ARGS__}), wanted)

static enum err run_insert(struct work *work, void *arg)
{
    static const char insert[] = "INSERT INTO log_entry (id, at, level, message, fields)"
                                 " VALUES ($1, $2, $3, $4, $5)";
    const struct log_entry *entry = arg;
    enum err err = db_exec(work->tx, insert,
                           DB_ARGS(db_int(entry->id), db_int(work->now_ms), db_int(entry->level),
                                   db_text(entry->message), db_str(entry->fields)),
                           NULL);
    if (err) return err;
    return db_exec(work->tx, "UPDATE log_head SET last_id = $1", DB_ARGS(db_int(entry->id)), NULL);
}

static void insert(struct world *world, int64_t id, enum log_level level, const char *message,
                   const char *fields)
{
    struct log_entry entry = {id, level, message, str_of(fields)};
    assert_ok(world_run(world, run_insert, &entry));
}

static void pages_come_newest_first(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    assert_found(&world, "", .limit = 2);
    publish_many(&world, 5);
    assert_found(&world, "5 4, then 4", .limit = 2);
    assert_found(&world, "3 2, then 2", .limit = 2, .cursor = "4");
    assert_found(&world, "1", .limit = 2, .cursor = "2");
    assert_found(&world, "5 4 3 2 1", .limit = 5);
    assert_found(&world, "5 4 3 2, then 2", .limit = 4, .cursor = "1000");
    assert_found(&world, "", .cursor = "1");
    struct searching step = {.filter = {.level = -1, .limit = 1, .cursor = "x"}};
    assert_err(world_read(&world, run_list, &step), ERR_VALIDATION);
}

static void each_filter_leaves_out_what_it_must(struct store *store)
{
    static const char otp[] = "{\"otp_id\":\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\"}";
    static const char sent[] = "{\"owner_id\":\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\"}";
    struct uuid id, other = {{1}};
    AUTO_WORLD world;
    world_open(&world, store);
    assert_true(uuid_parse(STR("0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"), &id));
    insert(&world, 1, LOG_INFO, "otp created", otp);
    world.now_ms += 10;
    insert(&world, 2, LOG_WARNING, "sms sent", sent);
    world.now_ms += 10;
    insert(&world, 3, LOG_ERROR, "50% off_", "{\"request_id\":\"Shop-1\"}");
    insert(&world, 4, LOG_DEBUG, "none", "{\"request_id\":\"Shop-12\"}");
    assert_found(&world, "3 2", .level = LOG_WARNING);
    assert_found(&world, "3", .level = LOG_ERROR);
    assert_found(&world, "2 1", .otp_id = id);
    assert_found(&world, "", .otp_id = other);
    assert_found(&world, "3", .request_id = "Shop-1");
    assert_found(&world, "", .request_id = "hop-1");
    assert_found(&world, "", .request_id = "Shop-_");
    assert_found(&world, "2", .q = "SMS");
    assert_found(&world, "4 3", .q = "shop-1");
    assert_found(&world, "3", .q = "0% o");
    assert_found(&world, "3", .q = "off_");
    assert_found(&world, "", .q = "of__");
    assert_found(&world, "", .q = "o%f");
    assert_found(&world, "3", .q = "50%");
    assert_found(&world, "", .q = "!");
    assert_found(&world, "4 3 2", .since = WORLD_START_MS + 10);
    assert_found(&world, "1", .until = WORLD_START_MS + 10);
    assert_found(&world, "2", .since = WORLD_START_MS + 1, .until = WORLD_START_MS + 11);
    assert_found(&world, "", .q = "sms", .request_id = "Shop-1");
}

/* A request looks at 20,000 ids at most, whatever it finds there. */
static void a_search_is_bounded(struct store *store)
{
    enum { FAR = 2 * EVENT_LOG_LOOKED_MAX + 1 };
    AUTO_WORLD world;
    world_open(&world, store);
    insert(&world, 1, LOG_INFO, "first", "{}");
    insert(&world, FAR - EVENT_LOG_LOOKED_MAX, LOG_INFO, "just too far", "{}");
    insert(&world, FAR - EVENT_LOG_LOOKED_MAX + 1, LOG_INFO, "just near enough", "{}");
    insert(&world, FAR, LOG_INFO, "last", "{}");
    assert_found(&world, "40001 20002, then 20002", .cursor = NULL);
    assert_found(&world, ", then 20002", .q = "nowhere");
    assert_found(&world, "20001, then 2", .cursor = "20002");
    assert_found(&world, ", then 2", .q = "first", .cursor = "20002");
    assert_found(&world, "1", .q = "first", .cursor = "2");
}

/* --- Retention --- */

struct sweeping {
    int max;
    bool goes_on;
};

static enum err run_sweep(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return event_log_sweep(work, step->max, &step->goes_on);
}

/* Returns how many entries are left. */
static int64_t sweep(struct world *world, int max)
{
    struct sweeping step = {.max = max};
    do {
        assert_ok(world_run(world, run_sweep, &step));
    } while (step.goes_on);
    return store_number(world->store, "SELECT count(*) AS n FROM log_entry");
}

static void entries_older_than_a_day_go(struct store *store)
{
    enum { DAY = 24 * HOUR_MS };
    AUTO_WORLD world;
    world_open(&world, store);
    publish_many(&world, 5);
    world.now_ms++;
    publish_many(&world, 3);
    world.now_ms = WORLD_START_MS + DAY;
    assert_int_equal(sweep(&world, 100), 8);
    world.now_ms++;
    assert_int_equal(sweep(&world, 2), 3);
    /* An id from before the window resumes at the oldest entry. */
    assert_int_equal(read_after(&world, 0).entries[0].id, 6);
    assert_int_equal(read_after(&world, 3).entries[0].id, 6);
    world.now_ms++;
    assert_int_equal(sweep(&world, 100), 0);
    assert_int_equal(last_id(&world), 8);
    publish_many(&world, 1);
    assert_int_equal(read_after(&world, 8).entries[0].id, 9); /* ids never come twice */
}

/* --- Several writers --- */

enum { WRITERS = 8, EACH = 300, READER = WRITERS, ALL = WRITERS * EACH, IDLE_MAX = 6000 };

struct crowd {
    struct event_log *audits[2]; /* as of two processes */
    atomic_int written;
    int64_t seen[ALL + 1];
    size_t count;
    bool has_failed;
};

static void write_entries(struct world *world, int index, struct crowd *crowd)
{
    for (int i = 0; i < EACH; i++) {
        struct arena_mark mark = arena_mark(world->arena);
        publish(crowd->audits[index % 2], world, "entry",
                LOG_FIELDS(log_int("writer", index), log_int("i", i)));
        arena_rewind(world->arena, mark);
        if (i % 20 == 0) sleep_ms(1);
    }
    atomic_fetch_add(&crowd->written, 1);
}

/* Resumes behind the last id seen, again and again, as a stream does. */
static void follow(struct world *world, struct crowd *crowd)
{
    int64_t after_id = 0;
    for (int idle = 0; idle < IDLE_MAX && crowd->count < ALL;) {
        struct arena_mark mark = arena_mark(world->arena);
        struct reading step = {.after_id = after_id};
        if (world_read(world, run_read, &step)) crowd->has_failed = true;
        for (size_t i = 0; i < step.count && crowd->count < ALL; i++) {
            after_id = step.entries[i].id;
            crowd->seen[crowd->count++] = after_id;
        }
        arena_rewind(world->arena, mark);
        if (step.count > 0) continue;
        sleep_ms(5);
        if (atomic_load(&crowd->written) == WRITERS) idle++;
    }
}

static void write_or_follow(struct world *world, int index, void *arg)
{
    if (index == READER)
        follow(world, arg);
    else
        write_entries(world, index, arg);
}

/* Each entry of each writer, in that writer's order, in ids without a gap. */
static void assert_all_entries(struct world *world)
{
    int next[WRITERS] = {0};
    int64_t after_id = 0;
    for (;;) {
        struct reading step = read_after(world, after_id);
        if (step.count == 0) break;
        for (size_t i = 0; i < step.count; i++) {
            int writer, number;
            const char *fields = strstr(step.entries[i].fields.data, "\"writer\":");
            assert_int_equal(sscanf(fields, "\"writer\":%d,\"i\":%d", &writer, &number), 2);
            assert_int_equal(number, next[writer]++);
            assert_int_equal(step.entries[i].id, ++after_id);
        }
    }
    assert_int_equal(after_id, ALL);
}

/* Rule 12: a reader that resumes misses nothing and sees nothing twice. */
static void a_reader_misses_nothing_of_eight_writers(struct store *store)
{
    AUTO_WORLD world;
    struct crowd *crowd = calloc(1, sizeof *crowd);
    assert_non_null(crowd);
    world_open(&world, store);
    for (int i = 0; i < 2; i++)
        crowd->audits[i] = event_log_new(store->db, false);
    world_crowd(&world, WRITERS + 1, write_or_follow, crowd);
    for (int i = 0; i < 2; i++)
        event_log_free(crowd->audits[i]);
    assert_false(crowd->has_failed);
    assert_int_equal(crowd->count, ALL);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(crowd->seen[i], i + 1);
    assert_all_entries(&world);
    free(crowd);
}

/* --- Announcements --- */

static void count_call(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void new_entries_are_announced(struct store *store)
{
    static atomic_int calls;
    AUTO_WORLD world;
    world_open(&world, store);
    atomic_store(&calls, 0);
    db_subscribe(store->db, EVENT_LOG_TOPIC, count_call, &calls);
    publish_many(&world, 1);
    for (int i = 0; i < 3000 && atomic_load(&calls) == 0; i++)
        sleep_ms(10);
    assert_true(atomic_load(&calls) > 0);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"an entry is masked", an_entry_is_masked},
        {"a sensitive entry shows it all", a_sensitive_entry_shows_it_all},
        {"a work says its notes in order", a_work_says_its_notes_in_order},
        {"a page has a maximum", a_page_has_a_maximum},
        {"pages come newest first", pages_come_newest_first},
        {"each filter leaves out what it must", each_filter_leaves_out_what_it_must},
        {"a search is bounded", a_search_is_bounded},
        {"entries older than a day go", entries_older_than_a_day_go},
        {"a reader misses nothing of eight writers", a_reader_misses_nothing_of_eight_writers},
        {"new entries are announced", new_entries_are_announced},
    };
    return store_run_cases("audit", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
