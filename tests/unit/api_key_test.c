/* domain/api_key: what is stored of a key, and until when it is good (contract, section 10.1). */
#include "app/setup/migrations.h"
#include "domain/api_key/api_key.h"
#include "kit/base/clock.h"
#include "world.h"

struct asking {
    struct api_key_input input;
    struct uuid id;
    int64_t overlap_seconds, seen, number;
    struct api_key key;
    struct api_key_list list;
    struct record_list all;
    struct record_fault fault;
};

static enum err run_create(struct work *work, void *arg)
{
    struct asking *asking = arg;
    return api_key_create(work, &asking->input, &asking->key, &asking->fault);
}

static enum err run_rotate(struct work *work, void *arg)
{
    struct asking *asking = arg;
    return api_key_rotate(work, &asking->id, asking->overlap_seconds, &asking->key);
}

static enum err run_revoke(struct work *work, void *arg)
{
    return api_key_revoke(work, &((struct asking *)arg)->id);
}

static enum err run_read_all(struct work *work, void *arg)
{
    struct asking *asking = arg;
    return api_key_read_all(work, asking->seen, &asking->number, &asking->all);
}

static struct asking creation(void)
{
    return (struct asking){
        .input = {.name = "Web shop", .role = ROLE_CORE, .requests_per_minute = -1}};
}

static struct api_key make(struct world *world)
{
    struct asking asking = creation();
    assert_ok(world_run(world, run_create, &asking));
    return asking.key;
}

static struct api_key rotate(struct world *world, const struct uuid *id, int64_t overlap_seconds)
{
    struct asking asking = {.id = *id, .overlap_seconds = overlap_seconds};
    assert_ok(world_run(world, run_rotate, &asking));
    return asking.key;
}

static struct asking read_all(struct world *world, int64_t seen)
{
    struct asking asking = {.seen = seen};
    assert_ok(world_read(world, run_read_all, &asking));
    return asking;
}

/* --- Making --- */

static void only_the_hash_is_stored(struct store *store)
{
    AUTO_WORLD world;
    uint8_t hash[SECRET_HASH_LEN];
    world_open(&world, store);
    struct api_key made = make(&world);
    assert_int_equal(strlen(made.key), strlen(API_KEY_PREFIX) + SECRET_TOKEN_LEN);
    assert_string_equal(world.said->message, "API key created");
    secret_hash(str_of(made.key), hash);

    struct asking kept = read_all(&world, -1);
    const struct api_key *key = kept.all.items;
    assert_int_equal(kept.all.count, 1);
    assert_uuid_equal(key->id, made.id);
    assert_null(key->key);
    assert_memory_equal(key->hash, hash, sizeof(hash));
    assert_int_equal(key->role, ROLE_CORE);
    assert_int_equal(key->requests_per_minute, -1);
}

static void it_ends_in_the_future(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct asking asking = creation();
    asking.input.expires_at = world.now_ms;
    assert_err(world_run(&world, run_create, &asking), ERR_VALIDATION);
    assert_string_equal(asking.fault.path, "expires_at");
    asking.input.expires_at = world.now_ms + 1;
    assert_ok(world_run(&world, run_create, &asking));
}

/* --- Changes are noticed --- */

static void a_process_reads_the_keys_once_for_each_change(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct api_key made = make(&world);
    struct asking first = read_all(&world, -1);
    struct asking again = read_all(&world, first.number);
    assert_int_equal(again.number, first.number);
    assert_int_equal(again.all.count, 0); /* nothing was read */

    rotate(&world, &made.id, 0);
    struct asking rotated = read_all(&world, first.number);
    assert_int_not_equal(rotated.number, first.number);
    assert_int_equal(rotated.all.count, 1);
    assert_ok(world_run(&world, run_revoke, &(struct asking){.id = made.id}));
    struct asking revoked = read_all(&world, rotated.number);
    assert_int_not_equal(revoked.number, rotated.number);
    assert_int_equal(revoked.all.count, 0);
}

/* --- The end --- */

static void the_overlap_ends_to_the_millisecond(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct api_key made = make(&world);
    assert_int_equal(api_key_old_good_until(&made), 0);
    struct api_key rotated = rotate(&world, &made.id, 60);
    assert_memory_equal(rotated.old_hash, made.hash, SECRET_HASH_LEN);
    assert_int_equal(api_key_good_until(&rotated), INT64_MAX);
    assert_int_equal(api_key_old_good_until(&rotated), world.now_ms + MINUTE_MS);
    rotated = rotate(&world, &made.id, 0);
    assert_int_equal(api_key_old_good_until(&rotated), 0);
}

static void the_old_key_ends_with_the_key(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct asking asking = creation();
    asking.input.expires_at = world.now_ms + 1000;
    assert_ok(world_run(&world, run_create, &asking));
    struct api_key rotated = rotate(&world, &asking.key.id, 60);
    assert_int_equal(api_key_old_good_until(&rotated), world.now_ms + 1000);
    asking.id = asking.key.id;
    world.now_ms += 1000;
    assert_err(world_run(&world, run_rotate, &asking), ERR_NOT_FOUND);
}

static void a_revoked_key_does_not_come_back(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct asking asking = {.id = make(&world).id};
    assert_ok(world_run(&world, run_revoke, &asking));
    assert_ok(world_run(&world, run_revoke, &asking));
    assert_err(world_run(&world, run_rotate, &asking), ERR_NOT_FOUND);
    asking.id = uuid_new(world.now_ms);
    assert_err(world_run(&world, run_revoke, &asking), ERR_NOT_FOUND);
    assert_err(world_run(&world, run_rotate, &asking), ERR_NOT_FOUND);
}

/* Whichever of the two comes first, nothing is good in the end. */
static void end_it(struct world *world, int index, void *arg)
{
    struct asking asking = {.id = *(const struct uuid *)arg, .overlap_seconds = 60};
    enum err err = world_run(world, index ? run_revoke : run_rotate, &asking);
    (void)err;
}

static void a_rotation_at_once_does_not_undo_a_revocation(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct uuid id = make(&world).id;
    world_crowd(&world, 2, end_it, &id);
    assert_int_equal(read_all(&world, -1).all.count, 0);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"only the hash is stored", only_the_hash_is_stored},
        {"it ends in the future", it_ends_in_the_future},
        {"a process reads the keys once for each change",
         a_process_reads_the_keys_once_for_each_change},
        {"the overlap ends to the millisecond", the_overlap_ends_to_the_millisecond},
        {"the old key ends with the key", the_old_key_ends_with_the_key},
        {"a revoked key does not come back", a_revoked_key_does_not_come_back},
        {"a rotation at once does not undo a revocation",
         a_rotation_at_once_does_not_undo_a_revocation},
    };
    return store_run_cases("api_key", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
