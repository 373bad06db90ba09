/*
 * The two files of an embedded service: a lost or strange one is told, nothing is made in its
 * place, and a first start that was cut off anywhere is completed by the next one.
 */
#include "app/setup/key_watch.h"
#include "app/setup/migrations.h"
#include "app/setup/store_pair.h"
#include "app/setup/store_pair_db.h"
#include "app/setup/stores.h"
#include "config_start.h"

#include <sys/stat.h>

enum { FILE_COUNT = 2 };

static const char *const file_names[FILE_COUNT] = {"herald.db", "herald-exchange.db"};
static const char *const store_names[FILE_COUNT] = {"verification", "exchange"};

struct pair_case {
    struct start *start;
    struct config config;
    struct service service;
    struct key_watch watch;
    struct vault *vault;
};

/* --- The files --- */

static const char *path_of(struct start *start, const char *folder, const char *name)
{
    return arena_printf(&start->arena, "%s/%s%s", start->folder, folder, name);
}

static int set_up_pair(void **state)
{
    struct pair_case *test = calloc(1, sizeof *test);
    assert_non_null(test);
    set_up((void **)&test->start);
    assert_int_equal(vault_new(STR(KEY), &test->vault), ERR_OK);
    *state = test;
    return 0;
}

static int tear_down_pair(void **state)
{
    struct pair_case *test = *state;
    stores_close(&test->service);
    vault_free(test->vault);
    tear_down((void **)&test->start);
    free(test);
    return 0;
}

static struct config config_in(struct pair_case *test, const char *folder)
{
    struct arena *arena = &test->start->arena;
    return (struct config){
        .database_url = arena_printf(arena, "sqlite:%s", path_of(test->start, folder, "herald.db")),
        .exchange_url =
            arena_printf(arena, "sqlite:%s", path_of(test->start, folder, "herald-exchange.db")),
        .database_connections = 1,
    };
}

static const char *file_of(struct pair_case *test, int which)
{
    return path_of(test->start, "", file_names[which]);
}

static int64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) ? -1 : (int64_t)status.st_size;
}

static enum err open_in(struct pair_case *test, const char *folder)
{
    buf_clear(&test->start->why);
    test->config = config_in(test, folder);
    test->service = (struct service){.vault = test->vault, .key_watch = &test->watch};
    return stores_open(&test->service, &test->config, &test->start->why);
}

/* A service that starts and stops. */
static void use_in(struct pair_case *test, const char *folder)
{
    enum err err = open_in(test, folder);
    if (err) fail_msg("%s", text_of(test->start, &test->start->why));
    stores_close(&test->service);
}

static void use(struct pair_case *test)
{
    use_in(test, "");
}

static void refuse(struct pair_case *test, const char *words)
{
    assert_int_equal(open_in(test, ""), ERR_STORAGE_UNAVAILABLE);
    assert_says(test->start, words);
    stores_close(&test->service);
}

/* One store alone, with herald's own schema, as it is when a first start is cut off. */
static struct db *open_alone(struct pair_case *test, int which)
{
    struct db_options options = {
        .url = arena_printf(&test->start->arena, "sqlite:%s", file_of(test, which)),
        .store = store_names[which],
        .readers = 1,
        .migrations = herald_migrations,
        .migration_count = herald_migration_count,
        .may_migrate = true,
    };
    struct db *db;
    assert_int_equal(db_open(&options, &db, &test->start->why), ERR_OK);
    return db;
}

static enum err run_write(void *arg, struct db_tx *tx)
{
    return store_pair_write(tx, arg);
}

static enum err run_read(void *arg, struct db_tx *tx)
{
    return store_pair_read(tx, arg);
}

static void write_alone(struct pair_case *test, int which, bool is_complete)
{
    struct store_pair pair = {.id = {{1, 2, 3}}, .is_complete = is_complete};
    struct db *db = open_alone(test, which);
    assert_int_equal(db_run(db, false, run_write, &pair), ERR_OK);
    db_close(db);
}

static struct store_pair read_alone(struct pair_case *test, int which)
{
    struct store_pair pair;
    struct db *db = open_alone(test, which);
    assert_int_equal(db_run(db, true, run_read, &pair), ERR_OK);
    db_close(db);
    return pair;
}

/* --- A pair, and what is none --- */

static void both_files_hold_one_id(void **state)
{
    struct pair_case *test = *state;
    use(test);
    struct store_pair verification = read_alone(test, 0), exchange = read_alone(test, 1);
    assert_false(uuid_is_nil(&verification.id));
    assert_true(uuid_equal(&verification.id, &exchange.id));
    assert_true(verification.is_complete && exchange.is_complete);
    use(test);
    struct store_pair again = read_alone(test, 0);
    assert_true(uuid_equal(&again.id, &verification.id));
}

static void a_lost_file_is_told_and_not_made_anew(void **state)
{
    struct pair_case *test = *state;
    use(test);
    for (int i = 0; i < FILE_COUNT; i++) {
        const char *lost = file_of(test, i), *backup = path_of(test->start, "", "backup");
        int64_t size = size_of(file_of(test, 1 - i));
        assert_int_equal(rename(lost, backup), 0);
        refuse(test, arena_printf(&test->start->arena, "%s is missing", lost));
        assert_says(test->start, file_of(test, 1 - i));
        assert_says(test->start, "Restore both from the same backup");
        refuse(test, "is missing"); /* it did not get used to it */
        assert_int_equal(size_of(lost), -1);
        assert_int_equal(size_of(file_of(test, 1 - i)), size);
        assert_int_equal(rename(backup, lost), 0);
        use(test);
    }
}

static void an_emptied_file_is_told_and_stays(void **state)
{
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT; i++) {
        use(test);
        const char *path = file_of(test, i);
        assert_int_equal(truncate(path, 0), 0);
        refuse(test, arena_printf(&test->start->arena, "%s is empty", path));
        assert_int_equal(size_of(path), 0);
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

static void a_file_of_another_installation_is_told(void **state)
{
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT; i++) {
        const char *folder = i ? "b/" : "a/";
        assert_int_equal(mkdir(path_of(test->start, folder, ""), 0700), 0);
        use_in(test, folder);
        use(test);
        assert_int_equal(rename(path_of(test->start, folder, file_names[i]), file_of(test, i)), 0);
        refuse(test, "do not belong together");
        assert_says(test->start, file_names[0]);
        assert_says(test->start, file_names[1]);
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

static void a_new_file_beside_a_used_one_is_told(void **state)
{
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT; i++) {
        use(test);
        assert_int_equal(unlink(file_of(test, i)), 0);
        db_close(open_alone(test, i));
        refuse(test, arena_printf(&test->start->arena, "%s is not the one", file_of(test, i)));
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

static void what_is_no_database_is_told_and_stays(void **state)
{
    static const char text[] = "Minutes of the meeting.\n";
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT; i++) {
        const char *path = file_of(test, i);
        use(test);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkdir(path, 0700), 0);
        refuse(test, arena_printf(&test->start->arena, "%s is a folder", path));
        assert_int_equal(rmdir(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        refuse(test, arena_printf(&test->start->arena, "%s is a device", path));
        assert_int_equal(unlink(path), 0);
        write_file(test->start, file_names[i], text);
        refuse(test, arena_printf(&test->start->arena, "%s is not a SQLite database", path));
        assert_int_equal(size_of(path), strlen(text));
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

static void a_file_cut_short_is_told(void **state)
{
    static const int pages[] = {1, 2, 12};
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT * (int)COUNT_OF(pages); i++) {
        use(test);
        assert_int_equal(truncate(file_of(test, i % FILE_COUNT), pages[i / FILE_COUNT] * 4096), 0);
        refuse(test, "is damaged");
        assert_says(test->start, file_names[i % FILE_COUNT]);
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

/* --- The first start, cut off --- */

/* After a healed start the pair is whole: a file lost later is told. */
static void assert_heals(struct pair_case *test)
{
    use(test);
    struct store_pair verification = read_alone(test, 0), exchange = read_alone(test, 1);
    assert_true(verification.is_complete);
    assert_true(uuid_equal(&verification.id, &exchange.id));
    assert_int_equal(unlink(file_of(test, 1)), 0);
    refuse(test, "is missing");
    assert_int_equal(unlink(file_of(test, 0)), 0);
}

static void a_start_that_was_cut_off_is_completed(void **state)
{
    struct pair_case *test = *state;

    write_file(test->start, file_names[0], ""); /* locked, not yet written */
    assert_heals(test);
    db_close(open_alone(test, 0));
    assert_heals(test);
    db_close(open_alone(test, 0));
    write_file(test->start, file_names[1], "");
    assert_heals(test);
    db_close(open_alone(test, 0)), db_close(open_alone(test, 1));
    assert_heals(test);
    write_alone(test, 0, false);
    assert_heals(test);
    write_alone(test, 0, false);
    db_close(open_alone(test, 1));
    assert_heals(test);
    write_alone(test, 0, false), write_alone(test, 1, true);
    assert_heals(test);
}

/* --- herald migrate --- */

static bool migrate(struct pair_case *test, bool apply)
{
    bool are_current;
    test->config = config_in(test, "");
    buf_clear(&test->start->why);
    buf_clear(&test->start->notes);
    enum err err =
        stores_migrate(&test->config, apply, &test->start->notes, &are_current, &test->start->why);
    if (err) fail_msg("%s", text_of(test->start, &test->start->why));
    return are_current;
}

static void assert_tells(struct pair_case *test, const char *words)
{
    const char *told = text_of(test->start, &test->start->notes);
    if (!strstr(told, words)) fail_msg("\"%s\" does not tell \"%s\"", told, words);
}

static bool are_sealed(struct pair_case *test)
{
    bool answer;
    test->config = config_in(test, "");
    assert_int_equal(stores_are_sealed(&test->config, &answer, &test->start->why), ERR_OK);
    return answer;
}

static void asking_changes_nothing(void **state)
{
    struct pair_case *test = *state;
    assert_false(migrate(test, false));
    assert_tells(test, "no database yet");
    assert_int_equal(rmdir(test->start->folder), 0); /* it is as empty as it was */
    assert_false(migrate(test, false));              /* nor is the folder made */
    assert_int_equal(size_of(test->start->folder), -1);
    assert_int_equal(mkdir(test->start->folder, 0700), 0);

    use(test);
    assert_true(migrate(test, false));
    assert_int_equal(unlink(file_of(test, 0)), 0);
    assert_int_equal(unlink(file_of(test, 1)), 0);
    assert_int_equal(rmdir(test->start->folder), 0); /* there was nothing beside the two */
    assert_int_equal(mkdir(test->start->folder, 0700), 0);
}

static void asking_tells_what_is_not_there(void **state)
{
    struct pair_case *test = *state;
    use(test);
    assert_int_equal(unlink(file_of(test, 1)), 0);
    assert_false(migrate(test, false));
    assert_tells(test, "verification: schema");
    assert_tells(test, "herald-exchange.db is missing");
    write_file(test->start, file_names[1], "");
    assert_false(migrate(test, false));
    assert_tells(test, "herald-exchange.db is empty");
    assert_int_equal(size_of(file_of(test, 1)), 0);
}

static enum err forget_a_migration(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx,
                   "DELETE FROM schema_migration"
                   " WHERE version = (SELECT MAX(version) FROM schema_migration)",
                   DB_NO_ARGS, NULL);
}

static void an_older_store_is_not_current(void **state)
{
    struct pair_case *test = *state;
    for (int i = 0; i < FILE_COUNT; i++) {
        use(test);
        struct db *db = open_alone(test, i);
        assert_int_equal(db_run(db, false, forget_a_migration, NULL), ERR_OK);
        db_close(db);
        assert_false(migrate(test, false));
        assert_tells(test, "run `herald migrate up`");
        unlink(file_of(test, 0)), unlink(file_of(test, 1));
    }
}

/* Only what a key sealed needs that key. */
static void migrating_seals_nothing(void **state)
{
    struct pair_case *test = *state;
    assert_false(are_sealed(test));
    assert_int_equal(size_of(file_of(test, 0)), -1);
    assert_true(migrate(test, true));
    assert_true(migrate(test, true));
    assert_false(are_sealed(test));
    use(test);
    assert_true(are_sealed(test));
}

static void migrating_does_not_replace_a_lost_file(void **state)
{
    struct pair_case *test = *state;
    bool are_current;
    use(test);
    assert_int_equal(unlink(file_of(test, 1)), 0);
    assert_int_equal(
        stores_migrate(&test->config, true, &test->start->notes, &are_current, &test->start->why),
        ERR_STORAGE_UNAVAILABLE);
    assert_says(test->start, "is missing");
    assert_int_equal(size_of(file_of(test, 1)), -1);
}

/* A path is not a URI: what is special there is an ordinary character here. */
static void a_folder_may_be_called_anything(void **state)
{
    struct pair_case *test = *state;
    const char *folder = "50%20 ?mode=x #1/";
    assert_int_equal(mkdir(path_of(test->start, folder, ""), 0700), 0);
    use_in(test, folder);
    bool are_current = false;
    assert_int_equal(
        stores_migrate(&test->config, false, &test->start->notes, &are_current, &test->start->why),
        ERR_OK);
    assert_true(are_current);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_pair, tear_down_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_files_hold_one_id),
        TEST(a_lost_file_is_told_and_not_made_anew),
        TEST(an_emptied_file_is_told_and_stays),
        TEST(a_file_of_another_installation_is_told),
        TEST(a_new_file_beside_a_used_one_is_told),
        TEST(what_is_no_database_is_told_and_stays),
        TEST(a_file_cut_short_is_told),
        TEST(a_start_that_was_cut_off_is_completed),
        TEST(asking_changes_nothing),
        TEST(asking_tells_what_is_not_there),
        TEST(an_older_store_is_not_current),
        TEST(migrating_seals_nothing),
        TEST(migrating_does_not_replace_a_lost_file),
        TEST(a_folder_may_be_called_anything),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("store_pair", tests, NULL, NULL);
}
