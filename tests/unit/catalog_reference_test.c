/* Categories and definitions in a snapshot: what is added, changed, archived and comes back (doc B,
 * section 3 "Snapshot effect"). */
#include "catalog_scene.h"
#include "domain/catalog/catalog_reference.h"

struct entry {
    const char *id, *content;
};

struct taking {
    const struct uuid *shop;
    enum reference_kind kind;
    const struct entry *entries;
    size_t count;
    struct catalog_content_tally tally;
};

static enum err take_entries(struct work *work, struct reference_list *list,
                             const struct catalog_row *catalog, const struct taking *step)
{
    enum err err = catalog_reference_load(list, work, catalog);
    for (size_t i = 0; !err && i < step->count; i++) {
        /* Texts of the caller's are its own again at once. */
        char *id = strdup(step->entries[i].id), *content = strdup(step->entries[i].content);
        err = catalog_reference_put(list, id, str_of(content));
        free(id);
        free(content);
    }
    return err ? err : catalog_reference_finish(list);
}

static enum err run_take(struct work *work, void *arg)
{
    struct taking *step = arg;
    struct reference_list list;
    struct catalog_row catalog;
    bool is_held = false;

    enum err err = catalog_try_hold(work, step->shop, &is_held);
    if (!err && !is_held) err = ERR_TX_RETRY;
    if (!err) err = catalog_row_select(work, step->shop, &catalog);
    if (err) return err;
    catalog.snapshot_receipt = 1; /* not the first: what is unknown may be archived */
    catalog_reference_init(&list, step->kind);
    err = take_entries(work, &list, &catalog, step);
    step->tally = list.tally;
    catalog_reference_done(&list);
    return err;
}

/* "added/changed/unchanged/archived" of a snapshot with these entries. */
static const char *take(struct catalog_scene *scene, enum reference_kind kind,
                        const struct entry *entries, size_t count)
{
    struct taking step = {&scene->shop, kind, entries, count, {0}};
    assert_ok(world_run(&scene->world, run_take, &step));
    return arena_printf(scene->world.arena, "%d/%d/%d/%d", (int)step.tally.added,
                        (int)step.tally.changed, (int)step.tally.unchanged,
                        (int)step.tally.archived);
}

#define ENTRIES(...)                     \
    (const struct entry[]){__VA_ARGS__}, \
        sizeof((const struct entry[]){__VA_ARGS__}) / sizeof(struct entry)
#define NO_ENTRIES NULL, 0

#define assert_taken(scene, kind, entries, expected) \
    assert_string_equal(take(scene, kind, entries), expected)

/* An archived one stays, with its name. */
static void each_is_compared_with_what_there_is(struct store *store)
{
    static const enum reference_kind kinds[] = {REFERENCE_CATEGORIES, REFERENCE_DEFINITIONS};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        enum reference_kind kind = kinds[i];
        assert_taken(&scene, kind, ENTRIES({"a", "A"}, {"b", "B"}), "2/0/0/0");
        assert_taken(&scene, kind, ENTRIES({"b", "B"}, {"a", "A"}), "0/0/2/0");
        assert_taken(&scene, kind, ENTRIES({"b", "BB"}, {"c", ""}), "1/1/0/1");
        assert_taken(&scene, kind, ENTRIES({"a", "A"}, {"b", "BB"}, {"c", ""}), "0/1/2/0");
        assert_taken(&scene, kind, NO_ENTRIES, "0/0/0/3");
        assert_taken(&scene, kind, NO_ENTRIES, "0/0/0/0");
        assert_taken(&scene, kind, ENTRIES({"a", "other"}, {"A", "A"}), "1/1/0/0");
    }
    assert_count(store, "catalog_category WHERE archived = 0", 2);
    assert_count(store, "catalog_category WHERE archived = 1 AND name IN ('BB', '')", 2);
    assert_count(store, "catalog_definition WHERE archived = 0 AND doc IN ('other', 'A')", 2);
}

/* A time is that of the last change. */
static void what_stays_keeps_its_time(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_taken(&scene, REFERENCE_CATEGORIES, ENTRIES({"a", "A"}, {"b", "B"}, {"c", "C"}),
                 "3/0/0/0");
    scene.world.now_ms += MINUTE_MS;
    assert_taken(&scene, REFERENCE_CATEGORIES, ENTRIES({"a", "A"}, {"b", "BB"}), "0/1/1/1");
    assert_count(store, "catalog_category WHERE id = 'a' AND updated_at = 1795235580000", 1);
    assert_count(store, "catalog_category WHERE updated_at = 1795235640000", 2);
}

static void catalogs_and_kinds_are_apart(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_taken(&scene, REFERENCE_CATEGORIES, ENTRIES({"a", "A"}), "1/0/0/0");
    assert_taken(&scene, REFERENCE_DEFINITIONS, ENTRIES({"b", "B"}), "1/0/0/0");
    assert_ok(world_run(&scene.world, run_open, &scene));
    assert_taken(&scene, REFERENCE_CATEGORIES, ENTRIES({"b", "B"}), "1/0/0/0");
    assert_count(store, "catalog_category WHERE archived = 0", 2);
    assert_count(store, "catalog_definition WHERE archived = 0", 1);
}

static const struct entry *many(struct arena *arena, int count, const char *content)
{
    struct entry *entries = arena_array(arena, (size_t)count, sizeof(*entries));
    for (int i = 0; i < count; i++)
        entries[i] = (struct entry){arena_printf(arena, "id %d", i), content};
    return entries;
}

/* They are loaded and written in parts. */
static void there_may_be_any_number(struct store *store)
{
    enum { COUNT = 2 * REFERENCE_PART + 1 };
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    struct arena *arena = scene.world.arena;
    const struct entry *first = many(arena, COUNT, "x"), *second = many(arena, COUNT, "y");

    assert_string_equal(take(&scene, REFERENCE_CATEGORIES, first, COUNT), "8193/0/0/0");
    assert_string_equal(take(&scene, REFERENCE_CATEGORIES, first, COUNT), "0/0/8193/0");
    assert_string_equal(take(&scene, REFERENCE_CATEGORIES, second, COUNT - 1), "0/8192/0/1");
    assert_string_equal(take(&scene, REFERENCE_CATEGORIES, NULL, 0), "0/0/0/8192");
    assert_string_equal(take(&scene, REFERENCE_CATEGORIES, first, COUNT), "0/8193/0/0");
    assert_count(store, "catalog_category WHERE archived = 0 AND name = 'x'", COUNT);
}

static void texts_may_be_long(struct store *store)
{
    enum { LEN = 1024 * 1024, COUNT = 4 };
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    struct arena *arena = scene.world.arena;
    const struct entry *entries = many(arena, COUNT, repeat(arena, "d", LEN));

    assert_string_equal(take(&scene, REFERENCE_DEFINITIONS, entries, COUNT), "4/0/0/0");
    assert_string_equal(take(&scene, REFERENCE_DEFINITIONS, entries, COUNT), "0/0/4/0");
    assert_int_equal(number_of(&scene, "SELECT sum(length(doc)) AS n FROM catalog_definition"),
                     COUNT * LEN);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(each_is_compared_with_what_there_is),
        STORE_CASE(what_stays_keeps_its_time),
        STORE_CASE(catalogs_and_kinds_are_apart),
        STORE_CASE(there_may_be_any_number),
        STORE_CASE(texts_may_be_long),
    };
    return store_run_cases("catalog_reference", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
