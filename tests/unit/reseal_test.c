/*
 * A database of herald 0.5.0: every sealed column holds values that are bound to their row alone.
 * They stay readable, and are sealed anew once nobody else reads them.
 */
#include "app/jobs/reseal.h"
#include "app/setup/migrations.h"
#include "app/setup/vault_db.h"
#include "world.h"

#include <stdio.h>

enum { MANY = 2100, STEPS_MAX = 100 }; /* more rows than two pages */

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
    [SEALED_ERP_TOKEN] =
        "INSERT INTO integration (id, tenant_id, point_id, name, is_enabled, erp_url, erp_token,"
        " erp_path, erp_timeout_s, created_at, updated_at)"
        " VALUES ($1, $1, $1, 'shop', 1, 'https://erp.example', $2, '/o', 10, 1, 1)",
    [SEALED_SIGNING_SEED] =
        "INSERT INTO signing_key (number, kid, public_key, sealed_seed, created_at, signs_from)"
        " SELECT COUNT(*) + 1, $1, $2, $2, 1, 1 FROM signing_key",
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
    vault_set_forms(world->vault, form_1);
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
    vault_set_forms(world->vault, both);
    assert_ok(world_run(world, run_begin, NULL));
}

static enum err run_page(struct work *work, void *arg)
{
    return reseal_page(work, *(const enum route_store *)arg);
}

static enum err run_state(struct work *work, void *arg)
{
    return vault_select_state(work->tx, arg);
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

/* How many turns it took. */
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
    vault_set_forms(world.vault, (struct vault_forms){.writes_form_2 = true});
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
    return vault_check(work->tx, work->service->vault, work->now_ms);
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

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(every_column_is_sealed_anew),
        STORE_CASE(nothing_changes_before_everybody_reads_the_new_form),
        STORE_CASE(it_goes_on_page_by_page),
        STORE_CASE(what_does_not_open_is_told_and_left),
        STORE_CASE(a_new_database_has_the_new_form_at_once),
        STORE_CASE(what_0_5_0_looks_at_has_the_form_that_is_written),
    };
    if (!secret_system_init()) return 1;
    return store_run_cases("reseal", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
