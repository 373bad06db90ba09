/* domain/integration: workload clients, their secrets, and who gets a token (doc B, section 5;
 * contract, section 4). */
#include "app/setup/migrations.h"
#include "client_scene.h"

static const struct workload_client *only_client(struct world *world,
                                                 const struct uuid *integration_id)
{
    struct record_list clients = clients_of(world, integration_id);
    assert_int_equal(clients.count, 1);
    return clients.items;
}

static size_t live_secrets(struct world *world, const struct uuid *integration_id)
{
    return only_client(world, integration_id)->secrets.count;
}

/* --- Creating --- */

static void its_secret_is_shown_once_and_stored_as_a_hash(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials made = hire(&world, &shop.id);
    assert_string_equal(world.said->message, "client created");
    assert_int_equal(strlen(made.client_secret), 3 + SECRET_TOKEN_LEN);
    assert_memory_equal(made.client_secret, "hs_", 3);
    assert_int_equal(strspn(made.client_secret + 3, "abcdefghijklmnopqrstuvwxyz-_"
                                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
                     SECRET_TOKEN_LEN);
    assert_string_equal(made.token_url, TOKEN_URL);
    assert_uuid_equal(made.integration_id, shop.id);
    assert_int_equal(made.scopes.count, SCOPE_COUNT);

    const struct workload_client *client = only_client(&world, &shop.id);
    assert_uuid_equal(client->client_id, made.client_id);
    assert_uuid_equal(client->integration_id, shop.id);
    assert_null(client->name);
    assert_true(client->enabled);
    assert_true(client->created_at == WORLD_START_MS);
    assert_int_equal(client->scope_set, SCOPES_ALL);
    const struct client_secret *secret = client->secrets.items;
    assert_int_equal(client->secrets.count, 1);
    assert_uuid_equal(secret->id, made.secret_id);
    assert_true(secret->created_at == WORLD_START_MS);
    assert_int_equal(secret->expires_at, 0);
    assert_int_equal(store_number(store, "SELECT sum(length(hash)) AS n FROM client_secret"),
                     SECRET_HASH_LEN);
}

/* With HERALD_JWKS_URL nobody would take what was handed out. */
static void no_secret_is_made_where_another_service_issues(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials made = hire(&world, &shop.id);
    world.integrations.has_own_tokens = false;
    struct hiring hiring = {.integration_id = &shop.id};
    assert_err(world_run(&world, run_hire, &hiring), ERR_TOKENS_ELSEWHERE);
    struct rotating rotating = {.client_id = made.client_id};
    assert_err(world_run(&world, run_rotate, &rotating), ERR_TOKENS_ELSEWHERE);
    assert_int_equal(live_secrets(&world, &shop.id), 1);
    assert_ok(set_enabled(&world, made.client_id, false));
    assert_ok(revoke(&world, made.client_id, made.secret_id));
}

static void it_has_the_scopes_that_it_was_given(struct store *store)
{
    static const char *const wanted[] = {"erp.events.read", "erp.catalog.write"};
    struct client_identity identity = {0};
    char id[UUID_TEXT_LEN + 1];
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct hiring step = {.integration_id = &shop.id,
                          .input = {.name = "reader", .scopes = {(void *)wanted, 2}}};
    assert_ok(world_run(&world, run_hire, &step));

    const char *const *scopes = step.credentials.scopes.items;
    assert_int_equal(step.credentials.scopes.count, 2);
    assert_string_equal(scopes[0], "erp.catalog.write");
    assert_string_equal(scopes[1], "erp.events.read");
    const struct workload_client *client = only_client(&world, &shop.id);
    assert_string_equal(client->name, "reader");
    assert_int_equal(client->scopes.count, 2);

    uuid_format(&step.credentials.client_id, id);
    assert_ok(authenticate_as(&world, id, step.credentials.client_secret, &identity));
    assert_int_equal(identity.scope_set, 1 << SCOPE_CATALOG_WRITE | 1 << SCOPE_EVENTS_READ);
}

static void an_integration_has_fifty_clients(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world), other = create(&world);
    struct uuid first = hire(&world, &shop.id).client_id;
    for (int i = 1; i < CLIENTS_MAX; i++)
        hire(&world, &shop.id);
    struct hiring one_more = {.integration_id = &shop.id};
    assert_err(world_run(&world, run_hire, &one_more), ERR_VALIDATION);

    hire(&world, &other.id);
    struct record_list clients = clients_of(&world, &shop.id);
    const struct workload_client *rows = clients.items;
    assert_int_equal(clients.count, CLIENTS_MAX);
    assert_uuid_equal(rows[0].client_id, first);
    for (size_t i = 0; i < clients.count; i++) {
        assert_uuid_equal(rows[i].integration_id, shop.id);
        assert_int_equal(rows[i].secrets.count, 1);
    }
    assert_int_equal(clients_of(&world, &other.id).count, 1);
}

static void clients_are_listed_in_pages(struct store *store)
{
    struct uuid made[5];
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world), other = create(&world);
    struct listing step = {.integration_id = &shop.id, .query.limit = 2};
    assert_ok(world_read(&world, run_list_clients, &step));
    assert_int_equal(step.list.clients.count, 0);
    assert_null(step.list.next_cursor);

    for (size_t i = 0; i < COUNT_OF(made); i++) {
        made[i] = hire(&world, &shop.id).client_id;
        rotate(&world, made[i], 60); /* two secrets: rows are no clients */
        hire(&world, &other.id);
    }
    for (size_t i = 0; i < COUNT_OF(made); i += 2) {
        bool is_last = i == 4;
        assert_ok(world_read(&world, run_list_clients, &step));
        const struct workload_client *rows = step.list.clients.items;
        assert_int_equal(step.list.clients.count, is_last ? 1 : 2);
        for (size_t j = 0; j < step.list.clients.count; j++) {
            assert_uuid_equal(rows[j].client_id, made[i + j]);
            assert_int_equal(rows[j].secrets.count, 2);
        }
        assert_int_equal(!step.list.next_cursor, is_last);
        step.query.cursor = step.list.next_cursor;
    }
}

struct last_place {
    struct uuid integration_id;
    enum err errs[8];
};

static void hire_at_once(struct world *world, int index, void *arg)
{
    struct last_place *place = arg;
    struct hiring step = {.integration_id = &place->integration_id};
    place->errs[index] = world_run(world, run_hire, &step);
}

static void the_last_place_is_given_once(struct store *store)
{
    int taken = 0;
    AUTO_WORLD world;
    begin(&world, store);
    struct last_place place = {.integration_id = create(&world).id};
    for (int i = 1; i < CLIENTS_MAX; i++)
        hire(&world, &place.integration_id);
    world_crowd(&world, 8, hire_at_once, &place);
    for (int i = 0; i < 8; i++) {
        if (place.errs[i]) assert_err(place.errs[i], ERR_VALIDATION);
        taken += !place.errs[i];
    }
    assert_int_equal(taken, 1);
    assert_int_equal(clients_of(&world, &place.integration_id).count, CLIENTS_MAX);
}

static void what_is_not_there_is_not_found(struct store *store)
{
    struct uuid nobody = uuid_new(WORLD_START_MS);
    struct hiring hiring = {.integration_id = &nobody};
    struct listing listing = {.integration_id = &nobody, .query.limit = 1};
    struct rotating rotating = {.client_id = nobody};
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials mine = hire(&world, &shop.id), other = hire(&world, &shop.id);
    assert_err(world_run(&world, run_hire, &hiring), ERR_NOT_FOUND);
    assert_err(world_read(&world, run_list_clients, &listing), ERR_NOT_FOUND);
    assert_err(world_run(&world, run_rotate, &rotating), ERR_NOT_FOUND);
    assert_err(set_enabled(&world, nobody, false), ERR_NOT_FOUND);
    assert_err(revoke(&world, nobody, mine.secret_id), ERR_NOT_FOUND);
    assert_err(revoke(&world, mine.client_id, nobody), ERR_NOT_FOUND);
    assert_err(revoke(&world, mine.client_id, other.secret_id), ERR_NOT_FOUND);
    assert_ok(authenticate(&world, &mine));
    assert_ok(authenticate(&world, &other));
}

/* --- Who is it? --- */

static void a_secret_says_whose_it_is(struct store *store)
{
    struct client_identity identity = {0};
    char id[UUID_TEXT_LEN + 1];
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shops[2] = {create(&world), create(&world)};
    for (int i = 0; i < 2; i++) {
        struct client_credentials made = hire(&world, &shops[i].id);
        uuid_format(&made.client_id, id);
        assert_ok(authenticate_as(&world, id, made.client_secret, &identity));
        assert_uuid_equal(identity.client_id, made.client_id);
        assert_uuid_equal(identity.integration_id, shops[i].id);
        assert_uuid_equal(identity.tenant_id, shops[i].tenant_id);
        assert_uuid_equal(identity.point_id, shops[i].point_id);
        assert_int_equal(identity.scope_set, SCOPES_ALL);
    }
}

static void all_else_is_unauthorized(struct store *store)
{
    struct client_identity identity = {0};
    char id[UUID_TEXT_LEN + 1], other_id[UUID_TEXT_LEN + 1];
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials made = hire(&world, &shop.id), other = hire(&world, &shop.id);
    uuid_format(&made.client_id, id);
    uuid_format(&other.client_id, other_id);
    const char *secret = made.client_secret;
    const char *changed =
        arena_printf(world.arena, "%.45s%c", secret, secret[45] == 'A' ? 'B' : 'A');
    const struct {
        const char *id, *secret;
    } rows[] = {
        {id, other.client_secret},
        {other_id, secret},
        {id, changed},
        {id, secret + 3},
        {id, arena_printf(world.arena, "%s ", secret)},
        {id, arena_printf(world.arena, "%.45s", secret)},
        {id, ""},
        {"", secret},
        {"nobody", secret},
        {arena_printf(world.arena, "%s ", id), secret},
        {"00000000-0000-0000-0000-000000000000", secret},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_err(authenticate_as(&world, rows[i].id, rows[i].secret, &identity),
                   ERR_UNAUTHORIZED);
    assert_ok(authenticate_as(&world, id, secret, &identity));
}

static void disabled_it_gets_no_token(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials made = hire(&world, &shop.id), other = hire(&world, &shop.id);
    assert_ok(set_enabled(&world, made.client_id, false));
    assert_string_equal(world.said->message, "client disabled");
    assert_err(authenticate(&world, &made), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &other));
    const struct workload_client *rows = clients_of(&world, &shop.id).items;
    assert_false(rows[0].enabled);
    assert_true(rows[1].enabled);

    /* A new secret does not enable it. */
    struct client_credentials rotated = rotate(&world, made.client_id, 60);
    assert_err(authenticate(&world, &rotated), ERR_UNAUTHORIZED);
    assert_ok(set_enabled(&world, made.client_id, false));
    assert_ok(set_enabled(&world, made.client_id, true));
    assert_string_equal(world.said->message, "client enabled");
    assert_ok(authenticate(&world, &made));
    assert_ok(authenticate(&world, &rotated));
}

static void of_a_disabled_integration_nobody_gets_a_token(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world), other = create(&world);
    struct client_credentials a = hire(&world, &shop.id), b = hire(&world, &shop.id);
    struct client_credentials foreign = hire(&world, &other.id);
    change(&world, &shop.id, &(struct integration_change){.enabled = 0});
    assert_err(authenticate(&world, &a), ERR_UNAUTHORIZED);
    assert_err(authenticate(&world, &b), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &foreign));
    change(&world, &shop.id, &(struct integration_change){.enabled = 1});
    assert_ok(authenticate(&world, &a));
}

/* --- Rotating --- */

static void without_overlap_the_old_secret_ends_now(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials old = hire(&world, &shop.id), other = hire(&world, &shop.id);
    struct client_credentials new = rotate(&world, old.client_id, 0);
    assert_string_equal(world.said->message, "client secret rotated");
    assert_string_not_equal(new.client_secret, old.client_secret);
    assert_uuid_equal(new.client_id, old.client_id);
    assert_uuid_equal(new.integration_id, shop.id);
    assert_string_equal(new.token_url, TOKEN_URL);
    assert_int_equal(new.scopes.count, SCOPE_COUNT);
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &new));
    assert_ok(authenticate(&world, &other));

    /* Not even by a clock that is behind. */
    world.now_ms -= HOUR_MS;
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
}

static void the_overlap_ends_to_the_millisecond(struct store *store)
{
    static const int64_t overlaps[] = {1, 3600, SECRET_OVERLAP_MAX_S};
    AUTO_WORLD world;
    begin(&world, store);
    for (size_t i = 0; i < COUNT_OF(overlaps); i++) {
        struct integration shop = create(&world);
        struct client_credentials old = hire(&world, &shop.id);
        struct client_credentials new = rotate(&world, old.client_id, overlaps[i]);
        const struct client_secret *secrets = only_client(&world, &shop.id)->secrets.items;
        assert_int_equal(live_secrets(&world, &shop.id), 2);
        assert_true(secrets[0].expires_at == world.now_ms + overlaps[i] * SECOND_MS);
        assert_int_equal(secrets[1].expires_at, 0);

        world.now_ms += overlaps[i] * SECOND_MS - 1;
        assert_ok(authenticate(&world, &old));
        assert_ok(authenticate(&world, &new));
        assert_int_equal(live_secrets(&world, &shop.id), 2);
        world.now_ms += 1;
        assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
        assert_ok(authenticate(&world, &new));
        assert_int_equal(live_secrets(&world, &shop.id), 1);
    }
}

static void only_the_newest_old_secret_stays(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials first = hire(&world, &shop.id);
    struct client_credentials second = rotate(&world, first.client_id, 3600);
    struct client_credentials third = rotate(&world, first.client_id, 60);
    assert_err(authenticate(&world, &first), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &second));
    assert_ok(authenticate(&world, &third));
    assert_int_equal(live_secrets(&world, &shop.id), CLIENT_SECRETS_MAX);

    struct client_credentials fourth = rotate(&world, first.client_id, 0);
    assert_err(authenticate(&world, &second), ERR_UNAUTHORIZED);
    assert_err(authenticate(&world, &third), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &fourth));
    assert_int_equal(live_secrets(&world, &shop.id), 1);
}

/* The newest is told by its open end, whatever the clock said when it was made. */
static void a_clock_that_is_behind_ends_no_newer_secret(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials first = hire(&world, &shop.id);
    world.now_ms -= SECOND_MS;
    struct client_credentials second = rotate(&world, first.client_id, 60);
    struct client_credentials third = rotate(&world, first.client_id, 60);
    assert_err(authenticate(&world, &first), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &second));
    assert_ok(authenticate(&world, &third));
}

/* --- Revoking --- */

static void a_revoked_secret_ends_now(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials old = hire(&world, &shop.id);
    struct client_credentials new = rotate(&world, old.client_id, 3600);
    assert_ok(revoke(&world, old.client_id, old.secret_id));
    assert_string_equal(world.said->message, "client secret revoked");
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &new));
    assert_int_equal(live_secrets(&world, &shop.id), 1);
    assert_ok(revoke(&world, old.client_id, old.secret_id));

    assert_ok(revoke(&world, old.client_id, new.secret_id));
    assert_err(authenticate(&world, &new), ERR_UNAUTHORIZED);
    assert_int_equal(live_secrets(&world, &shop.id), 0);
    world.now_ms -= HOUR_MS;
    assert_err(authenticate(&world, &new), ERR_UNAUTHORIZED);
}

static void rotating_after_a_revocation_brings_nothing_back(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials old = hire(&world, &shop.id);
    assert_ok(revoke(&world, old.client_id, old.secret_id));
    struct client_credentials new = rotate(&world, old.client_id, 3600);
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, &new));
    assert_int_equal(live_secrets(&world, &shop.id), 1);
}

static void an_end_that_was_set_is_not_put_off(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials old = hire(&world, &shop.id);
    struct client_credentials leaked = rotate(&world, old.client_id, 60);
    assert_ok(revoke(&world, old.client_id, leaked.secret_id));
    rotate(&world, old.client_id, 3600);
    world.now_ms += 60 * SECOND_MS - 1;
    assert_ok(authenticate(&world, &old));
    world.now_ms += 1;
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);

    /* But it may come sooner. */
    shop = create(&world);
    old = hire(&world, &shop.id);
    leaked = rotate(&world, old.client_id, 3600);
    assert_ok(revoke(&world, old.client_id, leaked.secret_id));
    rotate(&world, old.client_id, 60);
    world.now_ms += 60 * SECOND_MS;
    assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
}

/* --- At once --- */

enum { CROWD = 8 };

struct rotations {
    struct uuid client_id;
    int64_t overlap_seconds;
    char secrets[CROWD][3 + SECRET_TOKEN_LEN + 1];
    int failed;
};

static void rotate_at_once(struct world *world, int index, void *arg)
{
    struct rotations *rotations = arg;
    struct rotating step = {.client_id = rotations->client_id,
                            .overlap_seconds = rotations->overlap_seconds};
    if (world_run(world, run_rotate, &step))
        __atomic_add_fetch(&rotations->failed, 1, __ATOMIC_RELAXED);
    else
        memcpy(rotations->secrets[index], step.credentials.client_secret,
               sizeof(rotations->secrets[index]));
}

/* Returns how many of the crowd's secrets are good. */
static int count_good(struct world *world, const struct rotations *rotations)
{
    int good = 0;
    for (int i = 0; i < CROWD; i++) {
        struct client_credentials made = {.client_id = rotations->client_id,
                                          .client_secret = rotations->secrets[i]};
        good += authenticate(world, &made) == ERR_OK;
    }
    return good;
}

static void rotations_at_once_leave_two_secrets(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    for (int round = 0; round < 5; round++) {
        struct integration shop = create(&world);
        struct client_credentials old = hire(&world, &shop.id);
        struct rotations rotations = {.client_id = old.client_id, .overlap_seconds = 3600};
        world_crowd(&world, CROWD, rotate_at_once, &rotations);
        assert_int_equal(rotations.failed, 0);
        assert_err(authenticate(&world, &old), ERR_UNAUTHORIZED);
        assert_int_equal(count_good(&world, &rotations), CLIENT_SECRETS_MAX);
        assert_int_equal(live_secrets(&world, &shop.id), CLIENT_SECRETS_MAX);

        rotations.overlap_seconds = 0;
        world_crowd(&world, CROWD, rotate_at_once, &rotations);
        assert_int_equal(count_good(&world, &rotations), 1);
        assert_int_equal(live_secrets(&world, &shop.id), 1);
    }
}

struct leak {
    struct uuid client_id, secret_id;
    int failed;
};

static void revoke_while_rotating(struct world *world, int index, void *arg)
{
    struct leak *leak = arg;
    struct rotating step = {.client_id = leak->client_id, .overlap_seconds = 3600};
    enum err err = index == 0 ? revoke(world, leak->client_id, leak->secret_id)
                              : world_run(world, run_rotate, &step);
    if (err) __atomic_add_fetch(&leak->failed, 1, __ATOMIC_RELAXED);
}

static void a_rotation_at_once_does_not_undo_a_revocation(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    for (int round = 0; round < 10; round++) {
        struct integration shop = create(&world);
        struct client_credentials leaked = hire(&world, &shop.id);
        struct leak leak = {leaked.client_id, leaked.secret_id, 0};
        world_crowd(&world, 2, revoke_while_rotating, &leak);
        assert_int_equal(leak.failed, 0);
        assert_err(authenticate(&world, &leaked), ERR_UNAUTHORIZED);
        assert_int_equal(live_secrets(&world, &shop.id), 1);
    }
}

/* --- What is said --- */

/* Not even where the log shows what is sensitive. */
static void notes_show_no_secret(struct store *store)
{
    AUTO_WORLD world;
    AUTO_BUF shown = {0};
    buf_init(&shown, 64 * 1024);
    begin(&world, store);
    struct integration shop = create(&world);
    struct client_credentials made = hire(&world, &shop.id);
    log_encode_fields(&shown, world.said->fields, world.said->field_count, true);
    struct client_credentials rotated = rotate(&world, made.client_id, 60);
    log_encode_fields(&shown, world.said->fields, world.said->field_count, true);
    assert_null(memmem(shown.data, shown.len, made.client_secret + 3, SECRET_TOKEN_LEN));
    assert_null(memmem(shown.data, shown.len, rotated.client_secret + 3, SECRET_TOKEN_LEN));
}

int main(void)
{
    static const struct store_case cases[] = {
        {"its secret is shown once and stored as a hash",
         its_secret_is_shown_once_and_stored_as_a_hash},
        {"no secret is made where another service issues",
         no_secret_is_made_where_another_service_issues},
        {"it has the scopes that it was given", it_has_the_scopes_that_it_was_given},
        {"an integration has fifty clients", an_integration_has_fifty_clients},
        {"clients are listed in pages", clients_are_listed_in_pages},
        {"the last place is given once", the_last_place_is_given_once},
        {"what is not there is not found", what_is_not_there_is_not_found},
        {"a secret says whose it is", a_secret_says_whose_it_is},
        {"all else is unauthorized", all_else_is_unauthorized},
        {"disabled it gets no token", disabled_it_gets_no_token},
        {"of a disabled integration nobody gets a token",
         of_a_disabled_integration_nobody_gets_a_token},
        {"without overlap the old secret ends now", without_overlap_the_old_secret_ends_now},
        {"the overlap ends to the millisecond", the_overlap_ends_to_the_millisecond},
        {"only the newest old secret stays", only_the_newest_old_secret_stays},
        {"a clock that is behind ends no newer secret",
         a_clock_that_is_behind_ends_no_newer_secret},
        {"a revoked secret ends now", a_revoked_secret_ends_now},
        {"rotating after a revocation brings nothing back",
         rotating_after_a_revocation_brings_nothing_back},
        {"an end that was set is not put off", an_end_that_was_set_is_not_put_off},
        {"rotations at once leave two secrets", rotations_at_once_leave_two_secrets},
        {"a rotation at once does not undo a revocation",
         a_rotation_at_once_does_not_undo_a_revocation},
        {"notes show no secret", notes_show_no_secret},
    };
    return store_run_cases("workload_client", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
