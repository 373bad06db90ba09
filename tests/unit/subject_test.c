/* domain/subject: jobs about a person go step by step, and each step may be the last one before a
 * crash (contract, section 10.5). */
#include "domain/event_log/event_log.h"
#include "domain/subject/subject.h"
#include "order_scene.h"

#define PERSON "+79161234567" /* the customer of the sample order */
#define OTHER  "+79169876543"
#define MASK   "+7916***4567" /* without a mark, since no test sets the key of marks */

enum { STEPS_MAX = 40, LOG_BATCH = 5000, BATCH = 50, KIBIBYTE = 1024 };

struct subject_asking {
    enum subject_kind kind;
    const char *number;
    struct uuid id;
    struct subject_job job;
    int64_t swept;
};

static enum err run_begin(struct work *work, void *arg)
{
    struct subject_asking *asking = arg;
    return subject_begin(work, asking->kind, asking->number, &asking->job);
}

static enum err run_read_job(struct work *work, void *arg)
{
    struct subject_asking *asking = arg;
    return subject_read(work, &asking->id, &asking->job);
}

static enum err run_sweep(struct work *work, void *arg)
{
    return subject_sweep(work, BATCH, &((struct subject_asking *)arg)->swept);
}

static struct uuid ask(struct world *world, enum subject_kind kind, const char *number)
{
    struct subject_asking asking = {.kind = kind, .number = number};
    assert_ok(world_run(world, run_begin, &asking));
    world->now_ms++; /* so that jobs have an order */
    return asking.job.id;
}

static struct subject_job read_job(struct world *world, const struct uuid *id)
{
    struct subject_asking asking = {.id = *id};
    assert_ok(world_read(world, run_read_job, &asking));
    return asking.job;
}

/* One step of the worker; whether it wants another one at once. */
static bool take_step(struct world *world)
{
    bool goes_on;
    assert_ok(subject_pass(&world->service, world->now_ms++, &goes_on));
    return goes_on;
}

static struct subject_job finish(struct world *world, const struct uuid *id)
{
    struct subject_job job = read_job(world, id);
    for (int i = 0; i < STEPS_MAX && job.state == SUBJECT_RUNNING; i++) {
        take_step(world);
        job = read_job(world, id);
    }
    assert_int_equal(job.state, SUBJECT_DONE);
    assert_int_equal(job.phase, -1);
    return job;
}

static void reach(struct world *world, const struct uuid *id, enum subject_phase phase)
{
    for (int i = 0; i < STEPS_MAX && read_job(world, id).phase != (int)phase; i++)
        assert_true(take_step(world));
    assert_int_equal(read_job(world, id).phase, phase);
}

struct statement {
    const char *sql, *text;
};

static enum err run_statement(struct work *work, void *arg)
{
    const struct statement *statement = arg;
    if (!statement->text) return db_exec(work->tx, statement->sql, DB_NO_ARGS, NULL);
    return db_exec(work->tx, statement->sql, DB_ARGS(db_text(statement->text)), NULL);
}

static void sql(struct world *world, const char *sql, const char *text)
{
    assert_ok(world_run(world, run_statement, &(struct statement){sql, text}));
}

#define NUMBERS(last)                                                                        \
    "(WITH RECURSIVE one_more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM one_more WHERE i " \
    "< " last ") SELECT i FROM one_more) AS numbers"

/* So many entries of the log have these fields. */
#define LOG_OF(last)                                                                        \
    "INSERT INTO log_entry (id, at, level, message, fields) SELECT i, 1, 1, 'made up', $1 " \
    "FROM " NUMBERS(last)
#define LOG_HEAD(last) "UPDATE log_head SET last_id = " last

/* --- A job ------------------------------------------------------------------------------------ */

static void a_job_hides_whom_it_is_about(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);
    struct subject_job job = read_job(&world, &id);

    assert_int_equal(job.kind, SUBJECT_ERASE);
    assert_int_equal(job.state, SUBJECT_RUNNING);
    assert_int_equal(job.phase, SUBJECT_ORDERS);
    assert_int_equal(job.finished_at, 0);
    const char *digits = strchr(PERSON, '7');
    assert_null(memmem(job.number.data, job.number.len, digits, strlen(digits)));
    assert_count(store, "audit_record WHERE action = 'subject.erase'", 1);
    assert_count(store, "audit_record WHERE changes LIKE '%161234%'", 0);
    finish(&world, &id);
    assert_count(store, "subject_job WHERE number IS NULL AND state = 'done'", 1);
}

static void jobs_have_a_limit(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct subject_asking one_more = {.kind = SUBJECT_EXPORT, .number = PERSON};

    struct uuid first = ask(&world, SUBJECT_EXPORT, PERSON);
    for (int i = 1; i < SUBJECT_RUNNING_MAX; i++)
        ask(&world, SUBJECT_EXPORT, PERSON);
    assert_err(world_run(&world, run_begin, &one_more), ERR_OVERLOADED);
    finish(&world, &first);
    assert_ok(world_run(&world, run_begin, &one_more));
}

static void a_job_that_is_done_is_forgotten_a_day_later(struct store *store)
{
    AUTO_WORLD world;
    struct subject_asking asking = {.swept = -1};
    world_open(&world, store);
    struct uuid running = ask(&world, SUBJECT_ERASE, OTHER);
    finish(&world, &running);
    struct subject_job job = read_job(&world, &running);
    struct uuid waiting = ask(&world, SUBJECT_ERASE, PERSON);

    world.now_ms = job.finished_at + SUBJECT_KEPT_MS;
    assert_ok(world_run(&world, run_sweep, &asking));
    assert_int_equal(asking.swept, 0);
    world.now_ms++;
    assert_ok(world_run(&world, run_sweep, &asking));
    assert_int_equal(asking.swept, 1);
    asking.id = running;
    assert_err(world_read(&world, run_read_job, &asking), ERR_NOT_FOUND);
    read_job(&world, &waiting);
}

static void nothing_to_do_is_no_error(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    assert_false(take_step(&world));
}

/* --- Erasing ---------------------------------------------------------------------------------- */

/* So many codes that ended long ago. */
static void fill(struct world *world, const char *number, const char *last)
{
    const char *id =
        world->store->engine == DB_SQLITE ? "randomblob(16)" : "decode(md5(random()::text), 'hex')";
    sql(world,
        arena_printf(
            world->arena,
            "INSERT INTO otp (id, channel, recipient, state, code_length, attempts_left,"
            " created_at, expires_at) SELECT %s, 'sms', $1, 'expired', 6, 5, i, i FROM " NUMBERS(
                "%s"),
            id, last),
        number);
}

static void an_erasure_goes_batch_by_batch(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    fill(&world, PERSON, "120");
    fill(&world, OTHER, "3");
    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);

    reach(&world, &id, SUBJECT_CODES);
    take_step(&world);
    assert_count(store, "otp WHERE erased = 2", BATCH);
    assert_int_equal(read_job(&world, &id).codes, BATCH);
    assert_int_equal(finish(&world, &id).codes, 120);
    assert_count(store, "otp WHERE erased = 2 AND recipient = ''", 120);
    assert_count(store, "otp WHERE recipient = '" OTHER "'", 3);
}

static void erasing_twice_does_no_harm(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    fill(&world, PERSON, "1");
    struct uuid first = ask(&world, SUBJECT_ERASE, PERSON);
    struct uuid second = ask(&world, SUBJECT_ERASE, PERSON);
    int64_t codes = finish(&world, &first).codes;
    assert_int_equal(codes + finish(&world, &second).codes, 1);
}

static void the_log_forgets_a_number(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    sql(&world, LOG_OF("7000"), "{\"to\":\"" MASK "\",\"from\":\"8(9161234567)\"}");
    sql(&world, LOG_HEAD("7000"), NULL);
    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);

    reach(&world, &id, SUBJECT_LOG);
    take_step(&world);
    assert_count(store, "log_entry WHERE fields LIKE '%916%'", 7000 - LOG_BATCH);
    assert_int_equal(finish(&world, &id).log_entries, 7000);
    assert_count(store, "log_entry WHERE fields = '{\"to\":\"erased\",\"from\":\"8(erased)\"}'",
                 7000);
}

static void an_order_is_erased_though_many_others_wait_for_it(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    for (int i = 0; i < 2 * BATCH; i++)
        make_order(&world, &shop);
    sql(&world, "UPDATE order_delivery SET state = 'accepted', erased = 1, customer = NULL", NULL);
    struct uuid order = make_order(&world, &shop).id;
    set_order(&world, &order, "state = 'rejected', last_error = 'Anna is unknown'");

    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);
    struct subject_job job = finish(&world, &id);
    assert_int_equal(job.orders, 1);
    assert_int_equal(job.orders_waiting, 0);
    struct order_delivery erased = read_order(&world, &order);
    assert_true(erased.erased);
    assert_string_equal(erased.last_error, "erased");
    assert_count(store, "order_delivery WHERE erased = 2", 1);
    assert_count(store, "order_body", 2 * BATCH);
}

static void an_order_on_its_way_waits(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid order = make_order(&world, &shop).id;

    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);
    struct subject_job job = finish(&world, &id);
    assert_int_equal(job.orders, 1);
    assert_int_equal(job.orders_waiting, 1);
    assert_false(read_order(&world, &order).erased);
    assert_count(store, "order_body", 1);
    assert_count(store, "order_delivery WHERE erased = 1 AND customer IS NULL", 1);
}

/* --- Exporting -------------------------------------------------------------------------------- */

static void an_export_finds_what_is_there(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid order = make_order(&world, &shop).id;
    fill(&world, PERSON, "2");
    fill(&world, OTHER, "2");
    sql(&world, LOG_OF("2"), "{\"to\":\"" MASK "\"}");
    sql(&world, LOG_HEAD("2"), NULL);

    struct uuid id = ask(&world, SUBJECT_EXPORT, PERSON);
    struct subject_job job = finish(&world, &id);
    assert_int_equal(job.codes, 2);
    assert_int_equal(job.orders, 1);
    assert_int_equal(job.log_entries, 2);
    assert_non_null(job.found);
    assert_false(job.found->is_cut);
    assert_int_equal(job.found->codes.count, 2);
    assert_int_equal(job.found->messages.count, 0);
    const struct order_delivery *found = job.found->orders.items;
    assert_uuid_equal(found->id, order);
    assert_null(memmem(job.result.data, job.result.len, PERSON, strlen(PERSON)));
}

static void an_export_has_the_newest(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    fill(&world, PERSON, "2001");
    sql(&world, LOG_OF("7000"), "{\"to\":\"" MASK "\"}");
    sql(&world, LOG_HEAD("7000"), NULL);
    struct uuid id = ask(&world, SUBJECT_EXPORT, PERSON);
    struct subject_job job = finish(&world, &id);
    const struct otp *newest = job.found->codes.items;
    const struct log_entry *last = job.found->log_entries.items;

    assert_int_equal(job.codes, SUBJECT_FOUND_MAX);
    assert_int_equal(job.log_entries, SUBJECT_FOUND_MAX);
    assert_true(job.found->is_cut);
    assert_int_equal(newest->created_at, 2001);
    assert_int_equal(last->id, 7000);
}

/* 2,000 entries of the longest kind would be twice what an export may hold. */
static void an_export_that_is_too_long_is_cut(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    const char *words = repeated(world.arena, "sixteen letters ", KIBIBYTE);
    sql(&world, LOG_OF("2000"),
        arena_printf(world.arena, "{\"to\":\"" MASK "\",\"error\":\"%s\"}", words));
    sql(&world, LOG_HEAD("2000"), NULL);
    fill(&world, PERSON, "1");

    struct uuid id = ask(&world, SUBJECT_EXPORT, PERSON);
    struct subject_job job = finish(&world, &id);
    assert_true(job.found->is_cut);
    assert_int_equal(job.codes, 1);
    assert_in_range(job.log_entries, 500, 1000);
    assert_int_equal(job.found->log_entries.count, job.log_entries);
}

static void an_erasure_deletes_what_exports_found(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    fill(&world, PERSON, "1");
    fill(&world, OTHER, "1");
    struct uuid before = ask(&world, SUBJECT_EXPORT, PERSON);
    finish(&world, &before);
    struct uuid others = ask(&world, SUBJECT_EXPORT, OTHER);
    finish(&world, &others);

    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);
    finish(&world, &id);
    assert_null(read_job(&world, &before).found);
    assert_non_null(read_job(&world, &others).found);
}

/* The log goes last, and is read by an export that comes in between. */
static void an_export_beside_an_erasure_keeps_nothing(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    sql(&world, LOG_OF("7000"), "{\"to\":\"" MASK "\"}");
    sql(&world, LOG_HEAD("7000"), NULL);
    struct uuid erasure = ask(&world, SUBJECT_ERASE, PERSON);
    reach(&world, &erasure, SUBJECT_LOG);
    struct uuid export = ask(&world, SUBJECT_EXPORT, PERSON);
    take_step(&world); /* of the erasure, which has waited for longer */
    finish(&world, &export);
    assert_int_equal(read_job(&world, &erasure).state, SUBJECT_RUNNING);
    finish(&world, &erasure);
    assert_null(read_job(&world, &export).found);
}

/* --- What stands in the way ------------------------------------------------------------------- */

static void a_job_that_fails_is_in_nobodys_way(struct store *store)
{
    AUTO_WORLD world;
    bool goes_on;
    world_open(&world, store);
    struct uuid broken = ask(&world, SUBJECT_ERASE, OTHER);
    sql(&world, "UPDATE subject_job SET number = mark", NULL); /* nothing that was sealed */
    struct uuid id = ask(&world, SUBJECT_ERASE, PERSON);

    assert_err(subject_pass(&world.service, world.now_ms++, &goes_on), ERR_INTERNAL);
    for (int i = 0; i < STEPS_MAX && read_job(&world, &id).state == SUBJECT_RUNNING; i++) {
        enum err err = subject_pass(&world.service, world.now_ms++, &goes_on);
        assert_true(!err || err == ERR_INTERNAL);
    }
    assert_int_equal(read_job(&world, &id).state, SUBJECT_DONE);
    assert_int_equal(read_job(&world, &broken).state, SUBJECT_RUNNING);
}

/* --- By age ----------------------------------------------------------------------------------- */

static enum err run_sweep_otps(struct work *work, void *arg)
{
    return otp_sweep_personal(work, BATCH, &((struct subject_asking *)arg)->swept);
}

static enum err run_sweep_orders(struct work *work, void *arg)
{
    return order_sweep_personal(work, BATCH, &((struct subject_asking *)arg)->swept);
}

static int64_t sweep(struct world *world, enum err (*run)(struct work *work, void *arg))
{
    struct subject_asking asking = {.swept = -1};
    assert_ok(world_run(world, run, &asking));
    return asking.swept;
}

static enum err run_add_code(struct work *work, void *arg)
{
    const struct uuid id = uuid_at(work->now_ms);
    (void)arg;
    return db_exec(work->tx,
                   "INSERT INTO otp (id, channel, recipient, state, code_length, attempts_left,"
                   " created_at, expires_at) VALUES ($1, 'sms', $2, 'expired', 6, 5, $3, $3)",
                   DB_ARGS(db_uuid(&id), db_text(PERSON), db_int(work->now_ms)), NULL);
}

#define DAY_MS (24 * INT64_C(1) * HOUR_MS)

/* The walk by age has been where the clock was for some days; then that was set right. */
static void a_clock_that_was_ahead_keeps_no_code(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    world.service.personal_days = 1;
    world.now_ms += 365 * DAY_MS;
    assert_ok(world_run(&world, run_add_code, NULL));
    world.now_ms += 3 * DAY_MS;
    assert_int_equal(sweep(&world, run_sweep_otps), 1);

    world.now_ms = WORLD_START_MS + DAY_MS;
    assert_ok(world_run(&world, run_add_code, NULL));
    assert_int_equal(sweep(&world, run_sweep_otps), 0);
    world.now_ms += 2 * DAY_MS;
    assert_int_equal(sweep(&world, run_sweep_otps), 1);
    assert_count(store, "otp WHERE erased = 2", 2);
    assert_int_equal(sweep(&world, run_sweep_otps), 0);
}

static void a_clock_that_was_ahead_keeps_no_order(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    world.service.personal_days = 1;
    world.now_ms += 365 * DAY_MS;
    make_order(&world, &shop);
    world.now_ms += 3 * DAY_MS;
    assert_int_equal(sweep(&world, run_sweep_orders), 1);

    world.now_ms = WORLD_START_MS + DAY_MS;
    make_order(&world, &shop);
    assert_int_equal(sweep(&world, run_sweep_orders), 0);
    world.now_ms += 2 * DAY_MS;
    assert_int_equal(sweep(&world, run_sweep_orders), 1);
    assert_count(store, "order_delivery WHERE erased = 1", 2);
    assert_int_equal(sweep(&world, run_sweep_orders), 0);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(a_job_hides_whom_it_is_about),
        STORE_CASE(jobs_have_a_limit),
        STORE_CASE(a_job_that_is_done_is_forgotten_a_day_later),
        STORE_CASE(nothing_to_do_is_no_error),
        STORE_CASE(an_erasure_goes_batch_by_batch),
        STORE_CASE(erasing_twice_does_no_harm),
        STORE_CASE(the_log_forgets_a_number),
        STORE_CASE(an_order_is_erased_though_many_others_wait_for_it),
        STORE_CASE(an_order_on_its_way_waits),
        STORE_CASE(an_export_finds_what_is_there),
        STORE_CASE(an_export_has_the_newest),
        STORE_CASE(an_export_that_is_too_long_is_cut),
        STORE_CASE(an_erasure_deletes_what_exports_found),
        STORE_CASE(an_export_beside_an_erasure_keeps_nothing),
        STORE_CASE(a_job_that_fails_is_in_nobodys_way),
        STORE_CASE(a_clock_that_was_ahead_keeps_no_code),
        STORE_CASE(a_clock_that_was_ahead_keeps_no_order),
    };
    return store_run_cases("subject", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
