/* These tests show what a create costs: that it can be found, has a timeline and takes metadata
 * (contract, sections 11.5 to 11.7) costs no statement, no row, and no byte but those of the
 * metadata. Who makes a create dearer changes the figures below. */
#include "domain/message/message.h"
#include "order_scene.h"
#include "statement_count.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum { CREATES = 3, SQL_MAX = 16384 };

#define GATEWAY  "+79160000001"
#define METADATA "{\"cart\":\"81f3\"}"

/* --- Creates ---------------------------------------------------------------------------------- */

struct creation {
    struct world *world;
    const struct integration *shop;
    const char *number, *metadata;
};

static void create_code(const struct creation *creation)
{
    struct otp_input input = {.channel = OTP_SMS,
                              .recipient = creation->number,
                              .ttl_seconds = OTP_TTL_DEFAULT_S,
                              .metadata = creation->metadata};
    struct otp_refusal refusal;
    struct otp otp;
    assert_ok(world_otp_of(creation->world, &input, &otp, &refusal));
}

static enum err run_call(struct work *work, void *arg)
{
    const struct creation *creation = arg;
    struct call_challenge_input input = {.caller = creation->number,
                                         .ttl_seconds = INBOUND_CALL_TTL_DEFAULT_S,
                                         .metadata = creation->metadata};
    struct uuid id = uuid_new(work->now_ms), active;
    struct call_challenge challenge;
    return inbound_call_create(work, &id, &input, &challenge, &active);
}

static void create_call(const struct creation *creation)
{
    struct creation step = *creation;
    assert_ok(world_run(creation->world, run_call, &step));
}

static enum err run_message(struct work *work, void *arg)
{
    const struct creation *creation = arg;
    struct message_input input = {.channel = MESSAGE_SMS,
                                  .text = "Your order is ready.",
                                  .recipient = creation->number,
                                  .metadata = creation->metadata};
    struct uuid id = uuid_new(work->now_ms);
    struct message message;
    int64_t retry_after_ms;
    return message_create(work, &id, &input, &message, &retry_after_ms);
}

static void create_message(const struct creation *creation)
{
    struct creation step = *creation;
    assert_ok(world_run(creation->world, run_message, &step));
}

static void create_order(const struct creation *creation)
{
    struct order_input input = input_of(creation->world, creation->shop, &(struct uuid){{0}});
    struct ordering step;
    input.metadata = creation->metadata;
    input.order->customer->phone = creation->number;
    assert_ok(order_of(creation->world, &input, &step));
}

/* --- Figures ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*create)(const struct creation *creation);
    const char *table, *steps_table;
    long statements[2]; /* on SQLite, on PostgreSQL */
    int64_t rows;       /* inserted, in all tables */
} kinds[] = {
    {"code", create_code, "otp", "otp", {8, 8}, 3},
    {"call", create_call, "call_challenge", "call_challenge", {5, 5}, 2},
    {"message", create_message, "message", "phone_task", {4, 5}, 2},
    {"order", create_order, "order_delivery", "order_delivery", {4, 4}, 2},
};

#define SUM_OF(names, name)                                                                 \
    "SELECT 'SELECT CAST(SUM(n) AS BIGINT) AS n FROM (' || " names "('SELECT COUNT(*) AS n" \
    " FROM ' || " name ", ' UNION ALL ') || ') counts' AS sql FROM "

/* The statement that counts the rows of all tables. */
static enum err make_count(void *arg, struct db_tx *tx)
{
    char *sql = arg;
    struct arena arena;
    AUTO_STMT stmt = NULL;
    const char *text =
        db_sql(tx,
               SUM_OF("group_concat", "name") "sqlite_schema WHERE type = 'table'"
                                              " AND name NOT LIKE 'sqlite%'",
               SUM_OF("string_agg", "tablename") "pg_tables"
                                                 " WHERE schemaname = current_schema()");
    arena_init(&arena);
    enum err err = db_query_one(tx, text, DB_NO_ARGS, &stmt);
    if (!err) snprintf(sql, SQL_MAX, "%s", db_get_text(stmt, "sql", &arena));
    arena_done(&arena);
    return err;
}

static int64_t count_rows(struct store *store)
{
    static char texts[2][SQL_MAX]; /* statements are known by their address */
    char *sql = texts[store->engine == DB_SQLITE ? 0 : 1];

    if (!sql[0]) store_read(store, make_count, sql);
    return store_number(store, sql);
}

static void create_next(struct creation *creation, size_t kind, const char *metadata)
{
    static int customers;
    creation->number = arena_printf(creation->world->arena, "+7916100%04d", customers++);
    creation->metadata = metadata;
    kinds[kind].create(creation);
}

/* PostgreSQL may repeat a transaction, so the cheapest of several counts. */
static long cheapest(struct creation *creation, size_t kind, const char *metadata)
{
    long least = LONG_MAX;

    for (int i = 0; i < CREATES; i++) {
        long before = atomic_load(&counts.statements);
        create_next(creation, kind, metadata);
        long count = atomic_load(&counts.statements) - before;
        least = count < least ? count : least;
    }
    return least;
}

/* A step that happens with the creation is told by other columns. */
static void expect_bytes(struct world *world, size_t kind)
{
    const char *sql =
        arena_printf(world->arena, "SELECT COUNT(steps) AS n FROM %s", kinds[kind].steps_table);
    assert_int_equal(store_number(world->store, sql), 0);
    sql = arena_printf(world->arena, "SELECT CAST(SUM(length(metadata)) AS BIGINT) AS n FROM %s",
                       kinds[kind].table);
    assert_int_equal(store_number(world->store, sql), CREATES * strlen(METADATA));
}

static void a_create_costs_what_it_did(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct device phone = world_phone(&world, GATEWAY);
    struct creation creation = {.world = &world, .shop = &shop};

    world_set_ready(&world, &phone, GATEWAY, true);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        create_next(&creation, i, NULL); /* the first of all makes what stays */
        int64_t before = count_rows(store);
        count_begin(store);
        long plain = cheapest(&creation, i, NULL);
        long noted = cheapest(&creation, i, METADATA);
        count_end(store);
        print_message("%s: %ld statements, %ld with metadata, %" PRId64 " rows of %d\n",
                      kinds[i].name, plain, noted, count_rows(store) - before, 2 * CREATES);
        assert_int_equal(plain, kinds[i].statements[store->engine == DB_SQLITE ? 0 : 1]);
        assert_int_equal(noted, plain);
        assert_int_equal(count_rows(store) - before, 2 * CREATES * kinds[i].rows);
        expect_bytes(&world, i);
    }
}

int main(void)
{
    static const struct store_case cases[] = {STORE_CASE(a_create_costs_what_it_did)};
    return store_run_cases("create_cost", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
