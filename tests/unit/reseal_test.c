/*
 * A database of herald 0.5.0: every sealed column holds values that are bound to their row alone.
 * They stay readable, and are sealed anew once nobody else reads them.
 */
#include "app/jobs/reseal.h"
#include "app/setup/key_watch.h"
#include "app/setup/migrations.h"
#include "kit/base/clock.h"
#include "world.h"

#include <stdio.h>

enum { MANY = 2100, STEPS_MAX = 100 }; /* more rows than two pages */

static struct key_watch watch;
static const struct vault_forms form_1 = {.writes_form_2 = false, .takes_form_1 = true};
static const struct vault_forms both = {.writes_form_2 = true, .takes_form_1 = true};

/* --- What 0.5.0 left ------------------------------------------------------------------------- */

/* $1 is the key of the row, $2 what is sealed in it. */
static const char *const inserts[] = {
    [SEALED_OTP_CODE] =
        "INSERT INTO otp (id, channel, recipient, state, code, code_length, attempts_left,"
        " created_at, expires_at) VALUES ($1, 'sms', '+79161234567', 'queued', $2, 6, 5, 1, 2)",
    [SEALED_SEND_CODE] =
        "INSERT INTO channel_send (id, channel, owner_id, state, attempt, created_at, updated_at,"
        " expires_at, success_code) VALUES ($1, 'messenger_gateway', $1, 'sent', 1, 1, 1, 2, $2)",
    [SEALED_MESSAGE_TEXT] =
        "INSERT INTO message (id, channel, state, chat_is_integer, text, created_at, updated_at,"
        " expires_at) VALUES ($1, 'messenger_bot', 'accepted', 0, $2, 1, 1, 2)",
    [SEALED_SUBJECT_NUMBER] =
        "INSERT INTO subject_job (id, kind, state, number, mark, phase, place, created_at,"
        " updated_at) VALUES ($1, 'erase', 'running', $2, $1, 0, 0, 1, 1)",
    [SEALED_SUBJECT_RESULT] =
        "INSERT INTO subject_job (id, kind, state, result, mark, phase, place, created_at,"
        " updated_at, finished_at) VALUES ($1, 'export', 'done', $2, $1, 0, 0, 1, 1, 1)",
    [SEALED_WEBHOOK_SECRET] =
        "INSERT INTO webhook_endpoint (id, url, types, full_numbers, is_enabled, secret,"
        " created_at, updated_at, active_from) VALUES ($1, 'https://a', '*', 0, 1, $2, 1, 1, 1)",
    [SEALED_WEBHOOK_OLD_SECRET] =
        "INSERT INTO webhook_endpoint (id, url, types, full_numbers, is_enabled, secret, "
        "old_secret,"
        " created_at, updated_at, active_from)"
        " VALUES ($1, 'https://a', '*', 0, 1, $1, $2, 1, 1, 1)", /* a secret that does not open */
    [SEALED_ERP_TOKEN] =
        "INSERT INTO integration (id, tenant_id, point_id, name, is_enabled, erp_url, erp_token,"
        " erp_path, erp_timeout_s, created_at, updated_at)"
        " VALUES ($1, $1, $1, 'shop', 1, 'https://erp.example', $2, '/o', 10, 1, 1)",
    [SEALED_SIGNING_SEED] =
        "INSERT INTO signing_key (number, kid, public_key, sealed_seed, created_at, signs_from)"
        " SELECT COUNT(*) + 1, $1, $2, $2, 1, 1 FROM signing_key",
    [SEALED_TASK_WORDS] =
        "INSERT INTO phone_task (id, channel, owner_kind, owner_id, sender, recipient, attempt,"
        " state, words, created_at, updated_at, expires_at) VALUES ($1, 'sms', 'otp', $1,"
        " '+79160000001', '+79161234567', 1, 'failed', $2, 1, 1, 2)",
    [SEALED_SEND_WORDS] =
        "INSERT INTO channel_send (id, channel, owner_id, state, attempt, created_at, updated_at,"
        " expires_at, words) VALUES ($1, 'messenger_gateway', $1, 'failed', 1, 1, 1, 2, $2)",
    [SEALED_MESSAGE_WORDS] =
        "INSERT INTO message (id, channel, state, chat_is_integer, words, created_at, updated_at,"
        " expires_at) VALUES ($1, 'messenger_bot', 'failed', 0, $2, 1, 1, 2)",
    [SEALED_ORDER_WORDS] = /* of the integration with the token above */
    "INSERT INTO order_delivery (id, integration_id, state, attempts, give_up_at, fingerprint,"
    " words, created_at, updated_at) SELECT $1, id, 'rejected', 1, 2, $1, $2, 1, 1"
    " FROM integration LIMIT 1",
    [SEALED_ATTEMPT_WORDS] =
        "INSERT INTO order_attempt (id, attempt, started_at, duration_ms, status, outcome, words,"
        " words_key) VALUES ($1, 1, 1, 1, 200, 'rejected', $2, $1)",
    [SEALED_ORDER_BODY] = "INSERT INTO order_body (id, sealed) VALUES ($1, $2)",
};
_Static_assert(COUNT_OF(inserts) == SEALED_COLUMN_COUNT, "a row of 0.5.0 for each sealed column");

struct row {
    enum sealed_column column;
    struct uuid id;
    struct vault_place place;
    const char *plain; /* NULL: erased */
};

static struct row row_of(struct world *world, enum sealed_column column, const char *plain)
{
    struct row row = {.column = column, .id = uuid_new(world->now_ms), .plain = plain};
    struct str key = column == SEALED_SIGNING_SEED ? str_of(uuid_text(&row.id, world->arena))
                                                   : uuid_view(&row.id);
    row.place = sealed_at(column, (struct str){arena_str(world->arena, key), key.len});
    return row;
}

static enum err insert(struct work *work, void *arg)
{
    const struct row *row = arg;
    struct str key = row->place.row, sealed = {0};
    if (row->plain)
        assert_ok(
            vault_seal(work->service->vault, row->place, str_of(row->plain), work->arena, &sealed));
    struct db_arg key_arg = row->column == SEALED_SIGNING_SEED ? db_str(key) : db_blob(key);
    return db_exec(work->tx, inserts[row->column], DB_ARGS(key_arg, db_blob(sealed)), NULL);
}

static struct row put(struct world *world, enum sealed_column column, const char *plain)
{
    struct row row = row_of(world, column, plain);
    assert_ok(world_run(world, insert, &row));
    return row;
}

static enum err insert_check(struct work *work, void *arg)
{
    struct vault_place place = {"vault_check", "sealed", STR("vault_check")};
    struct str sealed;
    (void)arg;
    assert_ok(vault_seal(work->service->vault, place, STR("herald"), work->arena, &sealed));
    return db_exec(work->tx, "INSERT INTO vault_check (one, sealed) VALUES (1, $1)",
                   DB_ARGS(db_blob(sealed)), NULL);
}

static void begin(struct world *world, struct store *store)
{
    world_open(world, store);
    watch = (struct key_watch){0};
    world->service.key_watch = &watch;
    vault_set_forms(world->vault, form_1, clock_monotonic_ms());
    assert_ok(world_run(world, insert_check, NULL));
}

/* --- What becomes of it ---------------------------------------------------------------------- */

static enum err run_begin(struct work *work, void *arg)
{
    (void)arg;
    return vault_begin_form_2(work->tx, work->service->vault, work->now_ms);
}

static void begin_form_2(struct world *world)
{
    vault_set_forms(world->vault, both, clock_monotonic_ms());
    assert_ok(world_run(world, run_begin, NULL));
}

static enum err run_page(struct work *work, void *arg)
{
    return reseal_page(work, *(const enum route_store *)arg);
}

static enum err run_state(struct work *work, void *arg)
{
    return vault_select_state(work->tx, work->arena, arg);
}

static bool is_resealed(struct world *world)
{
    struct vault_state state;
    assert_ok(world_read(world, run_state, &state));
    return state.is_resealed;
}

/* One turn of both periodic jobs. */
static void step(struct world *world)
{
    enum route_store stores[] = {STORE_EXCHANGE, STORE_VERIFICATION};
    for (size_t i = 0; i < COUNT_OF(stores); i++)
        assert_ok(world_run(world, run_page, &stores[i]));
}

/* Returns how many turns it took. */
static int walk(struct world *world)
{
    int count = 0;
    for (; !is_resealed(world); count++) {
        assert_true(count < STEPS_MAX);
        step(world);
    }
    return count;
}

struct reading {
    const struct row *row;
    struct str sealed;
};

static enum err read_row(struct work *work, void *arg)
{
    struct reading *reading = arg;
    struct reseal_step from = {reading->row->column, STR("")};
    struct record_list page;
    bool is_last = false;

    while (!is_last) {
        enum err err = sealed_select_page(work, &from, &page, &is_last);
        if (err) return err;
        const struct sealed_row *rows = page.items;
        for (size_t i = 0; i < page.count; i++) {
            from.after_key = rows[i].key;
            if (rows[i].key.len != reading->row->place.row.len) continue;
            if (memcmp(rows[i].key.data, reading->row->place.row.data, rows[i].key.len) != 0)
                continue;
            reading->sealed = rows[i].sealed;
            return ERR_OK;
        }
    }
    return ERR_NOT_FOUND;
}

static struct str sealed_of(struct world *world, const struct row *row)
{
    struct reading reading = {.row = row};
    assert_ok(world_read(world, read_row, &reading));
    return reading.sealed;
}

/* It opens to what was sealed, and has the new form or not. */
static void expect(struct world *world, const struct row *row, bool has_prefix)
{
    struct str plain, sealed = sealed_of(world, row);
    assert_int_equal(vault_has_prefix(world->vault, sealed), has_prefix);
    assert_ok(vault_open(world->vault, row->place, sealed, world->arena, &plain));
    assert_true(str_is(plain, row->plain));
}

/* --- Cases ----------------------------------------------------------------------------------- */

static void every_column_is_sealed_anew(struct store *store)
{
    AUTO_WORLD world;
    struct row rows[SEALED_COLUMN_COUNT];
    begin(&world, store);
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        rows[i] = put(&world, (enum sealed_column)i, "493021");
    begin_form_2(&world);
    world.now_ms += RESEAL_PAUSE_MS;
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        expect(&world, &rows[i], false);
    assert_int_equal(walk(&world), SEALED_COLUMN_COUNT);
    vault_set_forms(world.vault, (struct vault_forms){.writes_form_2 = true}, clock_monotonic_ms());
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        expect(&world, &rows[i], true);
    assert_count(store, "resealing", 0);
}

/* A process of 0.5.0 may run beside: it could not read the new form. */
static void nothing_changes_before_everybody_reads_the_new_form(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct row row = put(&world, SEALED_ORDER_BODY, "{}");
    world.now_ms += 2 * (int64_t)RESEAL_PAUSE_MS;
    step(&world);
    begin_form_2(&world);
    step(&world); /* other processes are still being told */
    world.now_ms += RESEAL_PAUSE_MS - 1;
    step(&world);
    expect(&world, &row, false);
    assert_count(store, "resealing", 0);
    world.now_ms += 1;
    walk(&world);
    expect(&world, &row, true);
}

/* Each page is a transaction of its own that remembers where it ended. */
static void it_goes_on_page_by_page(struct store *store)
{
    static struct row rows[MANY];
    AUTO_WORLD world;
    begin(&world, store);
    for (int i = 0; i < MANY; i++) {
        world.now_ms++; /* so that ids are in this order */
        rows[i] = put(&world, SEALED_OTP_CODE, i % 2 ? NULL : "493021");
    }
    begin_form_2(&world);
    world.now_ms += RESEAL_PAUSE_MS;
    step(&world);
    expect(&world, &rows[998], true);
    expect(&world, &rows[1000], false);
    assert_int_equal(walk(&world), 2 + SEALED_COLUMN_COUNT - 1);
    for (int i = 0; i < MANY; i += 2)
        expect(&world, &rows[i], true);
    assert_null(sealed_of(&world, &rows[1]).data);
}

static enum err spoil(struct work *work, void *arg)
{
    const struct row *row = arg;
    return db_exec(work->tx, "UPDATE order_body SET sealed = $2 WHERE id = $1",
                   DB_ARGS(db_blob(row->place.row), db_blob(STR("damaged"))), NULL);
}

static void what_does_not_open_is_told_and_left(struct store *store)
{
    AUTO_WORLD world;
    bool is_told = false;
    begin(&world, store);
    struct row damaged = put(&world, SEALED_ORDER_BODY, "{}"),
               row = put(&world, SEALED_ORDER_BODY, "[]");
    assert_ok(world_run(&world, spoil, &damaged));
    begin_form_2(&world);
    world.now_ms += RESEAL_PAUSE_MS;
    for (int i = 0; i < STEPS_MAX && !is_resealed(&world); i++) {
        enum route_store all = STORE_VERIFICATION;
        assert_ok(world_run(&world, run_page, &all));
        for (const struct work_note *note = world.said; note; note = note->next)
            is_told |= note->level == LOG_WARNING && strstr(note->message, "does not open");
    }
    assert_true(is_told);
    assert_true(str_is(sealed_of(&world, &damaged), "damaged"));
    expect(&world, &row, true);
}

static enum err run_check(struct work *work, void *arg)
{
    (void)arg;
    return vault_check(work->tx, work->service->vault, STORE_VERIFICATION, work->now_ms);
}

static void a_new_database_has_the_new_form_at_once(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    assert_ok(world_run(&world, run_check, NULL));
    assert_true(is_resealed(&world));
    assert_ok(world_run(&world, run_check, NULL));
}

/* Only the old form of the known text does 0.5.0 open: then it refuses to start, and tells. */
static void what_0_5_0_looks_at_has_the_form_that_is_written(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    assert_ok(world_run(&world, run_check, NULL));
    assert_int_equal(store_number(store, "SELECT LENGTH(sealed) AS n FROM vault_check"),
                     6 + VAULT_OVERHEAD - VAULT_PREFIX_LEN);
    begin_form_2(&world);
    begin_form_2(&world);
    assert_ok(world_run(&world, run_check, NULL));
    assert_int_equal(store_number(store, "SELECT LENGTH(sealed) AS n FROM vault_check"),
                     6 + VAULT_OVERHEAD);
}

/* --- Another key ----------------------------------------------------------------------------- */

#define NEXT_KEY "bmV4dC1rZXktb2YtMzItYnl0ZXMtZm9yLWEtdGVzdCE"

/* Lets a process learn what it learns every moment. */
static void learn(struct world *world)
{
    struct vault_state states[2];
    assert_ok(world_read(world, run_state, &states[0]));
    states[1] = states[0];
    key_watch_judge(&watch, world->vault, states);
    vault_set_forms(world->vault, (struct vault_forms){.writes_form_2 = true},
                    clock_monotonic_ms());
}

static enum err run_announce(struct work *work, void *arg)
{
    bool is_begun;
    (void)arg;
    return vault_announce(work->tx, work->service->vault, work->now_ms, &is_begun);
}

static void begin_sealed(struct world *world, struct store *store)
{
    world_open(world, store);
    watch = (struct key_watch){0};
    world->service.key_watch = &watch;
    assert_ok(world_run(world, run_check, NULL));
    learn(world);
}

static void pass(struct world *world, int64_t ms)
{
    world->now_ms += ms;
    step(world);
    learn(world);
}

static void another_key_seals_everything_in_the_end(struct store *store)
{
    AUTO_WORLD world;
    struct row rows[SEALED_COLUMN_COUNT];
    uint8_t before[SECRET_HASH_LEN], after[SECRET_HASH_LEN];
    begin_sealed(&world, store);
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        rows[i] = put(&world, (enum sealed_column)i, "493021");
    vault_fingerprint(world.vault, STR("body"), before);
    assert_ok(vault_add_key(world.vault, STR(NEXT_KEY), true));
    learn(&world);
    assert_int_equal(watch.state, KEY_CHANGE_READY);
    assert_ok(world_run(&world, run_announce, NULL));
    learn(&world);
    assert_int_equal(watch.state, KEY_CHANGE_ANNOUNCED);
    pass(&world, RESEAL_ANNOUNCED_MS - 1);
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        expect(&world, &rows[i], true); /* by the key before */
    pass(&world, 1);
    assert_int_equal(watch.state, KEY_CHANGE_SEALING);
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        expect(&world, &rows[i], false);
    struct row fresh = put(&world, SEALED_ORDER_BODY, "{}");
    expect(&world, &fresh, true);
    pass(&world, RESEAL_PAUSE_MS - 1);
    assert_count(store, "resealing", 0);
    for (int i = 0; watch.is_changing; i++) {
        assert_int_equal(watch.columns_done, i);
        pass(&world, 1);
    }
    assert_int_equal(watch.state, KEY_CHANGE_IDLE);
    for (int i = 0; i < SEALED_COLUMN_COUNT; i++)
        expect(&world, &rows[i], true);
    assert_int_equal(
        store_number(store, "SELECT COUNT(*) AS n FROM vault_check WHERE old_prefix IS NULL"), 1);
    vault_fingerprint(world.vault, STR("body"), after);
    assert_memory_equal(before, after, sizeof(before));
}

struct starting {
    struct vault *vault;
    enum err err;
};

static enum err run_start(struct work *work, void *arg)
{
    struct starting *starting = arg;
    starting->err = vault_check(work->tx, starting->vault, STORE_VERIFICATION, work->now_ms);
    return ERR_OK;
}

/* Starts a process with these keys; the fingerprint of a text tells its key. */
static enum err start_with(struct world *world, const char *key, const char *old,
                           uint8_t ret_hash[static SECRET_HASH_LEN])
{
    struct starting starting = {0};
    assert_ok(vault_new(str_of(key), &starting.vault));
    if (old) assert_ok(vault_add_key(starting.vault, str_of(old), false));
    vault_set_forms(starting.vault, both, clock_monotonic_ms());
    assert_ok(world_run(world, run_start, &starting));
    vault_fingerprint(starting.vault, STR("body"), ret_hash);
    vault_free(starting.vault);
    return starting.err;
}

static void a_start_needs_every_key_that_something_is_sealed_under(struct store *store)
{
    AUTO_WORLD world;
    uint8_t first[SECRET_HASH_LEN], hash[SECRET_HASH_LEN];
    begin_sealed(&world, store);
    put(&world, SEALED_ORDER_BODY, "{}");
    assert_int_equal(start_with(&world, NEXT_KEY, NULL, hash), ERR_UNAUTHORIZED);
    assert_ok(start_with(&world, VAULT_KEY, NULL, first));
    assert_ok(start_with(&world, NEXT_KEY, VAULT_KEY, hash));
    assert_memory_equal(first, hash, sizeof(hash));

    assert_ok(vault_add_key(world.vault, STR(NEXT_KEY), true));
    assert_ok(world_run(&world, run_announce, NULL));
    learn(&world);
    pass(&world, RESEAL_ANNOUNCED_MS);
    assert_int_equal(start_with(&world, NEXT_KEY, NULL, hash), ERR_LEASE_LOST);
    assert_int_equal(start_with(&world, VAULT_KEY, NULL, hash), ERR_UNAUTHORIZED);
    assert_ok(start_with(&world, NEXT_KEY, VAULT_KEY, hash));
    world.now_ms += RESEAL_PAUSE_MS;
    while (watch.is_changing)
        pass(&world, 1);
    assert_ok(start_with(&world, NEXT_KEY, NULL, hash));
    assert_memory_equal(first, hash, sizeof(hash));
}

/* It seals nothing, and takes nothing for damaged. */
static void a_process_that_lacks_the_key_stands_aside(struct store *store)
{
    AUTO_WORLD world;
    struct vault *old;
    struct vault_state states[2];
    struct str sealed, plain;
    begin_sealed(&world, store);
    assert_ok(vault_new(STR(VAULT_KEY), &old));
    assert_ok(vault_add_key(world.vault, STR(NEXT_KEY), true));
    assert_ok(world_run(&world, run_announce, NULL));
    learn(&world);
    assert_ok(world_read(&world, run_state, &states[0]));
    states[1] = states[0];
    struct key_watch other = {0};
    key_watch_judge(&other, old, states);
    struct vault_place place = sealed_at(SEALED_ORDER_BODY, STR("0123456789abcdef"));
    assert_int_equal(vault_seal(old, place, STR("{}"), world.arena, &sealed),
                     ERR_STORAGE_UNAVAILABLE);
    pass(&world, RESEAL_ANNOUNCED_MS);
    assert_ok(vault_seal(world.vault, place, STR("{}"), world.arena, &sealed));
    assert_int_equal(vault_open(old, place, sealed, world.arena, &plain), ERR_STORAGE_UNAVAILABLE);
    assert_ok(vault_add_key(old, STR(NEXT_KEY), true));
    key_watch_judge(&other, old, states);
    assert_ok(vault_open(old, place, sealed, world.arena, &plain));
    vault_free(old);
}

static enum err seal_by_work(struct work *work, void *arg)
{
    const struct row *row = arg;
    struct str key = row->place.row, sealed;
    enum err err = work_seal(work, row->column, key, str_of(row->plain), &sealed);
    if (err) return err;
    return db_exec(work->tx, inserts[row->column], DB_ARGS(db_blob(key), db_blob(sealed)), NULL);
}

static enum err seal_twice(struct work *work, void *arg)
{
    struct row *rows = arg;
    enum err err = seal_by_work(work, &rows[0]);
    return err ? err : seal_by_work(work, &rows[1]);
}

static void replace_key(struct world *world)
{
    assert_ok(vault_add_key(world->vault, STR(NEXT_KEY), true));
    assert_ok(world_run(world, run_announce, NULL));
    learn(world);
    pass(world, RESEAL_ANNOUNCED_MS);
    world->now_ms += RESEAL_PAUSE_MS;
    while (watch.is_changing)
        pass(world, 1);
}

/* It has heard of nothing, and is asked to store a value before it hears. An embedded database has
 * one process. */
static void a_process_that_stood_still_seals_nothing_under_the_earlier_key(struct store *store)
{
    AUTO_WORLD world;
    struct vault *old;
    begin_sealed(&world, store);
    if (db_has_one_writer(store->db)) return;
    assert_ok(vault_new(STR(VAULT_KEY), &old));
    replace_key(&world);
    world.service.vault = old;
    struct row rows[] = {row_of(&world, SEALED_ORDER_BODY, "{}"),
                         row_of(&world, SEALED_ORDER_BODY, "[]")};
    assert_int_equal(world_run(&world, seal_twice, rows), ERR_STORAGE_UNAVAILABLE);
    assert_count(store, "order_body", 0);
    assert_ok(vault_add_key(old, STR(NEXT_KEY), true));
    assert_ok(world_run(&world, seal_twice, rows));
    expect(&world, &rows[0], true);
    expect(&world, &rows[1], true);
    vault_free(old);
}

/* The answer to a request does not depend on whether its process has heard of the change yet. */
static void a_change_is_noticed_in_the_midst_of_it(struct store *store)
{
    AUTO_WORLD world;
    struct vault *other;
    begin_sealed(&world, store);
    assert_ok(vault_new(STR(VAULT_KEY), &other));
    assert_ok(vault_add_key(other, STR(NEXT_KEY), true));
    assert_true(vault_seal_by(other, vault_prefix(world.vault)));
    assert_ok(vault_add_key(world.vault, STR(NEXT_KEY), true));
    assert_ok(world_run(&world, run_announce, NULL));
    learn(&world);
    pass(&world, RESEAL_ANNOUNCED_MS);
    world.service.vault = other;
    struct row row = row_of(&world, SEALED_ORDER_BODY, "{}");
    assert_ok(world_run(&world, seal_by_work, &row));
    expect(&world, &row, !db_has_one_writer(store->db));
    vault_free(other);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(every_column_is_sealed_anew),
        STORE_CASE(nothing_changes_before_everybody_reads_the_new_form),
        STORE_CASE(it_goes_on_page_by_page),
        STORE_CASE(what_does_not_open_is_told_and_left),
        STORE_CASE(a_new_database_has_the_new_form_at_once),
        STORE_CASE(another_key_seals_everything_in_the_end),
        STORE_CASE(a_start_needs_every_key_that_something_is_sealed_under),
        STORE_CASE(a_process_that_lacks_the_key_stands_aside),
        STORE_CASE(a_process_that_stood_still_seals_nothing_under_the_earlier_key),
        STORE_CASE(a_change_is_noticed_in_the_midst_of_it),
        STORE_CASE(what_0_5_0_looks_at_has_the_form_that_is_written),
    };
    if (!secret_system_init()) return 1;
    return store_run_cases("reseal", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
