/* domain/integration: integrations, and how their ERPs are reached (contract, section 4). */
#include "app/setup/migrations.h"
#include "client_scene.h"

struct reading {
    const struct uuid *id;
    struct integration integration;
};

static enum err run_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    return integration_read(work, step->id, &step->integration);
}

static struct integration read_back(struct world *world, const struct uuid *id)
{
    struct reading step = {.id = id};
    assert_ok(world_read(world, run_read, &step));
    return step.integration;
}

static void assert_erp(const struct integration *integration, const char *base_url,
                       const char *order_path, int64_t timeout_seconds)
{
    assert_string_equal(integration->erp->base_url, base_url);
    assert_string_equal(integration->erp->order_path, order_path);
    assert_int_equal(integration->erp->timeout_seconds, timeout_seconds);
}

static void assert_same(const struct integration *a, const struct integration *b)
{
    struct integration first = *a, second = *b;

    first.exchange = second.exchange = NULL; /* not every way of reading asks for it */
    assert_false(record_differs(&integration_record, &first, &second));
    assert_int_equal(a->sealed_erp_token.len, b->sealed_erp_token.len);
    assert_memory_equal(a->sealed_erp_token.data, b->sealed_erp_token.data,
                        a->sealed_erp_token.len);
}

/* --- Creating --- */

static void it_is_as_it_was_created(struct store *store)
{
    struct erp_input erp = {.base_url = "https://erp.example:8443/hs",
                            .token = "made-up",
                            .order_path = "/in/orders",
                            .timeout_seconds = 60};
    struct creating step;
    AUTO_WORLD world;
    begin(&world, store);
    assert_ok(create_of(&world, &erp, &step));
    assert_uuid_equal(step.integration.id, step.id);
    assert_uuid_equal(step.integration.tenant_id, step.input.tenant_id);
    assert_uuid_equal(step.integration.point_id, step.input.point_id);
    assert_string_equal(step.integration.name, "Shop 12");
    assert_true(step.integration.enabled);
    assert_true(step.integration.created_at == WORLD_START_MS);
    assert_true(step.integration.updated_at == WORLD_START_MS);
    assert_erp(&step.integration, "https://erp.example:8443/hs", "/in/orders", 60);

    struct integration stored = read_back(&world, &step.id);
    assert_same(&stored, &step.integration);
}

static void what_is_not_given_has_defaults(struct store *store)
{
    struct erp_input erp = {.base_url = "https://erp.example", .token = "made-up"};
    struct creating step;
    AUTO_WORLD world;
    begin(&world, store);
    assert_ok(create_of(&world, &erp, &step));
    assert_erp(&step.integration, "https://erp.example", "/svc/v1/orders", 10);
}

static void slashes_at_the_end_of_an_address_go(struct store *store)
{
    static const char *const rows[][2] = {
        {"https://erp.example/", "https://erp.example"},
        {"https://erp.example/hs/", "https://erp.example/hs"},
        {"https://erp.example/hs//", "https://erp.example/hs"},
    };
    struct creating step;
    AUTO_WORLD world;
    begin(&world, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct erp_input erp = {.base_url = rows[i][0], .token = "made-up"};
        assert_ok(create_of(&world, &erp, &step));
        struct integration stored = read_back(&world, &step.id);
        assert_string_equal(stored.erp->base_url, rows[i][1]);
    }
}

static void plain_http_needs_the_setting(struct store *store)
{
    struct erp_input erp = {.base_url = "http://erp.example", .token = "made-up"};
    struct creating step;
    AUTO_WORLD world;
    begin(&world, store);
    assert_err(create_of(&world, &erp, &step), ERR_VALIDATION);
    assert_non_null(strstr(step.refusal.fault.message, "HERALD_ERP_ALLOW_HTTP"));
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM integration"), 0);

    struct integration safe = create(&world);
    struct changing refused = {.id = &safe.id,
                               .change = &(struct integration_change){.erp = &erp, .enabled = -1}};
    assert_err(world_run(&world, run_change, &refused), ERR_VALIDATION);
    assert_non_null(strstr(refused.refusal.fault.message, "HERALD_ERP_ALLOW_HTTP"));
    struct integration stored = read_back(&world, &safe.id);
    assert_same(&stored, &safe);

    world.integrations.may_use_http = true;
    assert_ok(create_of(&world, &erp, &step));
    assert_string_equal(change(&world, &safe.id, refused.change).erp->base_url,
                        "http://erp.example");
}

/* --- The ERP's token --- */

static enum err unseal(struct world *world, const struct uuid *id, struct str sealed,
                       struct str *ret_token)
{
    return vault_open(world->vault, sealed_at(SEALED_ERP_TOKEN, uuid_view(id)), sealed,
                      world->arena, ret_token);
}

static void the_token_is_sealed_for_its_integration(struct store *store)
{
    struct erp_input erp = {.base_url = "https://erp.example", .token = "q7Vd0cWm3f"};
    struct creating step;
    struct str token;
    AUTO_WORLD world;
    begin(&world, store);
    assert_ok(create_of(&world, &erp, &step));
    struct integration stored = read_back(&world, &step.id);
    struct str sealed = stored.sealed_erp_token;
    assert_null(memmem(sealed.data, sealed.len, "q7Vd0cWm3f", 10));
    assert_ok(unseal(&world, &step.id, sealed, &token));
    assert_true(str_is(token, "q7Vd0cWm3f"));

    struct integration other = create(&world);
    assert_err(unseal(&world, &other.id, sealed, &token), ERR_INTERNAL);
}

static void the_longest_token_fits(struct store *store)
{
    char text[ERP_TOKEN_MAX + 1] = "";
    struct erp_input erp = {.base_url = "https://erp.example", .token = text};
    struct creating step;
    struct str token;
    AUTO_WORLD world;
    begin(&world, store);
    memset(text, 'x', ERP_TOKEN_MAX);
    assert_ok(create_of(&world, &erp, &step));
    struct integration stored = read_back(&world, &step.id);
    assert_ok(unseal(&world, &step.id, stored.sealed_erp_token, &token));
    assert_true(str_is(token, text));
}

/* --- Changing --- */

static void a_change_merges(struct store *store)
{
    struct str token;
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    world.now_ms += SECOND_MS;
    struct integration now =
        change(&world, &first.id, &(struct integration_change){.name = "Shop 13", .enabled = -1});
    assert_string_equal(now.name, "Shop 13");
    assert_erp(&now, "https://erp.example/hs", "/svc/v1/orders", 10);
    assert_true(now.enabled);
    assert_true(now.created_at == WORLD_START_MS);
    assert_true(now.updated_at == WORLD_START_MS + SECOND_MS);

    struct erp_input timeout = {.timeout_seconds = 20};
    now = change(&world, &first.id, &(struct integration_change){.erp = &timeout, .enabled = -1});
    assert_erp(&now, "https://erp.example/hs", "/svc/v1/orders", 20);
    assert_ok(unseal(&world, &first.id, now.sealed_erp_token, &token));
    assert_true(str_is(token, "made-up"));

    struct erp_input rest = {
        .base_url = "https://new.example/", .token = "newer", .order_path = "/orders"};
    now = change(&world, &first.id, &(struct integration_change){.erp = &rest, .enabled = -1});
    assert_erp(&now, "https://new.example", "/orders", 20);
    assert_ok(unseal(&world, &first.id, now.sealed_erp_token, &token));
    assert_true(str_is(token, "newer"));
    assert_string_equal(now.name, "Shop 13");

    struct integration stored = read_back(&world, &first.id);
    assert_same(&stored, &now);
}

static void an_empty_change_changes_nothing(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    world.now_ms += SECOND_MS;
    struct integration now = change(&world, &first.id, &(struct integration_change){.enabled = -1});
    assert_null(world.said);
    assert_same(&now, &first);
    struct integration stored = read_back(&world, &first.id);
    assert_same(&stored, &first);
}

/* A value that is as it was already is no change, however it is said. */
static void the_same_once_more_changes_nothing(struct store *store)
{
    struct erp_input nothing = {0};
    struct erp_input same = {.base_url = "https://erp.example/hs/",
                             .order_path = ERP_PATH_DEFAULT,
                             .timeout_seconds = ERP_TIMEOUT_DEFAULT_S};
    const struct integration_change changes[] = {
        {.erp = &nothing, .enabled = -1},
        {.erp = &same, .enabled = -1},
        {.name = "Shop 12", .enabled = 1},
        {.name = "Shop 12", .erp = &same, .enabled = 1},
    };
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    world.now_ms += SECOND_MS;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct integration now = change(&world, &first.id, &changes[i]);
        assert_null(world.said);
        assert_same(&now, &first);
    }
    struct integration stored = read_back(&world, &first.id);
    assert_same(&stored, &first);
}

/* Sets a member of a change to another value than create() gave it; false: it is a record. */
static bool set_member(const struct field *field, struct integration_change *change)
{
    void *slot = (char *)change + field->offset;

    if (field->type == FIELD_STRING || field->type == FIELD_DECIMAL) *(const char **)slot = "0.25";
    if (field->type == FIELD_ENUM) *(int *)slot = ABSENT_KEEP;
    if (field->type == FIELD_TRISTATE) *(int *)slot = 0;
    return field->type != FIELD_RECORD;
}

/* A member that a rule or a statement forgets would be answered and not stored. */
static void each_member_of_a_change_is_stored(struct store *store)
{
    const struct record *record = &integration_change_record;
    AUTO_WORLD world;
    begin(&world, store);
    struct integration before = create(&world);
    for (size_t i = 0; i < record->field_count; i++) {
        struct integration_change wanted;
        record_clear(record, &wanted);
        if (!set_member(&record->fields[i], &wanted)) continue;
        struct integration now = change(&world, &before.id, &wanted);
        assert_true(record_differs(&integration_record, &before, &now));
        before = read_back(&world, &before.id);
        assert_same(&before, &now);
    }
}

static const char *said_fields(struct world *world)
{
    AUTO_BUF text = {0};
    buf_init(&text, 4096);
    log_encode_fields(&text, world->said->fields, world->said->field_count, true);
    return arena_str(world->arena, buf_view(&text));
}

/* Never the token itself, not even in a sensitive log. */
static void the_note_says_what_changed(struct store *store)
{
    struct erp_input place = {.base_url = "https://erp.example/new/", .order_path = "/in"};
    struct erp_input token = {.token = "made-up"}; /* the same: who could tell? */
    struct erp_input timeout = {.timeout_seconds = 20};
    const struct {
        struct integration_change change;
        const char *message, *fields;
    } rows[] = {
        {{.erp = &place, .enabled = -1},
         "integration changed",
         "\"base_url\":\"https://erp.example/new\",\"order_path\":\"/in\""},
        {{.erp = &token, .enabled = -1}, "integration changed", "\"token_changed\":true"},
        {{.erp = &timeout, .enabled = 0}, "integration disabled", "\"timeout_seconds\":20"},
    };
#define NAMED(name) \
    "{\"integration_id\":\"%s\",\"integration_name\":\"" name "\",\"name\":\"" name "\""
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    char id[UUID_TEXT_LEN + 1];
    uuid_format(&first.id, id);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        change(&world, &first.id, &rows[i].change);
        assert_string_equal(world.said->message, rows[i].message);
        assert_string_equal(said_fields(&world),
                            arena_printf(world.arena, NAMED("Shop 12") ",%s}", id, rows[i].fields));
    }
    change(&world, &first.id, &(struct integration_change){.name = "Shop 13", .enabled = -1});
    assert_string_equal(said_fields(&world), arena_printf(world.arena, NAMED("Shop 13") "}", id));
}

static void it_can_be_disabled_and_enabled(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    assert_string_equal(world.said->message, "integration created");
    assert_false(change(&world, &first.id, &(struct integration_change){.enabled = 0}).enabled);
    assert_string_equal(world.said->message, "integration disabled");
    assert_false(read_back(&world, &first.id).enabled);
    struct integration_change renaming = {.name = "Closed", .enabled = -1};
    assert_false(change(&world, &first.id, &renaming).enabled);
    assert_string_equal(world.said->message, "integration changed");
    assert_true(change(&world, &first.id, &(struct integration_change){.enabled = 1}).enabled);
    assert_string_equal(world.said->message, "integration enabled");
    assert_true(read_back(&world, &first.id).enabled);
}

enum { CROWD = 5 };

struct crowd {
    struct uuid id;
    enum err errs[CROWD];
};

/* Each changes something else, so none may be lost. */
static void change_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct erp_input erps[] = {{.base_url = "https://erp.example/crowd"},
                               {.order_path = "/crowd"},
                               {.timeout_seconds = 33}};
    struct integration_change changes[CROWD] = {
        {.name = "Crowd", .enabled = -1}, {.enabled = 0},
        {.erp = &erps[0], .enabled = -1}, {.erp = &erps[1], .enabled = -1},
        {.erp = &erps[2], .enabled = -1},
    };
    struct changing step = {.id = &crowd->id, .change = &changes[index]};
    crowd->errs[index] = world_run(world, run_change, &step);
}

static void changes_at_once_all_count(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct crowd crowd = {.id = create(&world).id};
    world_crowd(&world, CROWD, change_at_once, &crowd);
    for (int i = 0; i < CROWD; i++)
        assert_ok(crowd.errs[i]);
    struct integration now = read_back(&world, &crowd.id);
    assert_string_equal(now.name, "Crowd");
    assert_false(now.enabled);
    assert_erp(&now, "https://erp.example/crowd", "/crowd", 33);
}

/* Contract, section 4 "The ERP's address". */
static void the_token_stays_with_its_address(struct store *store)
{
    struct erp_input alone = {.base_url = "https://new.example/hs"};
    struct erp_input with_token = {.base_url = "https://new.example/hs", .token = "newer"};
    struct erp_input same = {.base_url = "https://ERP.example:443/other"};
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    struct changing step = {.id = &first.id,
                            .change = &(struct integration_change){.erp = &alone, .enabled = -1}};
    assert_err(world_run(&world, run_change, &step), ERR_VALIDATION);
    assert_string_equal(step.refusal.fault.path, "erp.token");
    struct integration stored = read_back(&world, &first.id);
    assert_same(&stored, &first);

    stored = change(&world, &first.id, &(struct integration_change){.erp = &same, .enabled = -1});
    assert_memory_equal(stored.sealed_erp_token.data, first.sealed_erp_token.data,
                        first.sealed_erp_token.len);
    stored =
        change(&world, &first.id, &(struct integration_change){.erp = &with_token, .enabled = -1});
    assert_string_equal(stored.erp->base_url, "https://new.example/hs");
}

/* Whichever comes first: never the first token at the second address. */
static void move_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct erp_input moves[] = {{.base_url = "https://new.example", .token = "newer"},
                                {.base_url = "https://erp.example/hs"}};
    struct integration_change change = {.erp = &moves[index % 2], .enabled = -1};
    struct changing step = {.id = &crowd->id, .change = &change};
    crowd->errs[index] = world_run(world, run_change, &step);
}

static void moves_at_once_keep_address_and_token_together(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct crowd crowd = {.id = create(&world).id};
    world_crowd(&world, CROWD, move_at_once, &crowd);
    for (int i = 0; i < CROWD; i++)
        assert_true(crowd.errs[i] == ERR_OK || (i % 2 && crowd.errs[i] == ERR_VALIDATION));
    struct integration now = read_back(&world, &crowd.id);
    struct str token;
    assert_ok(unseal(&world, &crowd.id, now.sealed_erp_token, &token));
    assert_string_equal(now.erp->base_url, "https://new.example");
    assert_true(str_is(token, "newer"));
}

/* --- Those of one point (contract, section 4) --- */

/* As versions before let it be. */
static enum err run_pair_up(struct work *work, void *arg)
{
    const struct integration *first = arg;
    return db_exec(work->tx, "UPDATE integration SET tenant_id = $1, point_id = $2",
                   DB_ARGS(db_uuid(&first->tenant_id), db_uuid(&first->point_id)), NULL);
}

static enum err run_warn(struct work *work, void *arg)
{
    (void)arg;
    return integration_warn_of_rivals(work);
}

static void pairs_from_before_go_on_and_are_told_of(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct integration first = create(&world);
    world.now_ms++;
    struct integration second = create(&world);
    assert_ok(world_read(&world, run_warn, NULL));
    assert_null(world.said);
    assert_ok(world_run(&world, run_pair_up, &first));
    assert_ok(world_read(&world, run_warn, NULL));
    assert_non_null(world.said);
    assert_int_equal(world.said->level, LOG_WARNING);
    assert_null(world.said->next);

    change(&world, &second.id, &(struct integration_change){.name = "Here", .enabled = 1});
    change(&world, &second.id, &(struct integration_change){.enabled = 0});
    struct changing step = {.id = &second.id, .change = &(struct integration_change){.enabled = 1}};
    assert_err(world_run(&world, run_change, &step), ERR_POINT_TAKEN);
    assert_uuid_equal(step.refusal.taken_by, first.id);
    assert_ok(world_read(&world, run_warn, NULL));
    assert_null(world.said);
}

static void what_is_not_there_is_not_found(struct store *store)
{
    struct uuid nobody = uuid_new(WORLD_START_MS);
    struct reading reading = {.id = &nobody};
    struct changing changing = {.id = &nobody,
                                .change = &(struct integration_change){.enabled = -1}};
    AUTO_WORLD world;
    begin(&world, store);
    assert_err(world_read(&world, run_read, &reading), ERR_NOT_FOUND);
    assert_err(world_run(&world, run_change, &changing), ERR_NOT_FOUND);
}

/* --- Listing --- */

struct paging {
    struct integration_filter query;
    struct integration_list list;
};

static enum err run_list(struct work *work, void *arg)
{
    struct paging *step = arg;
    return integration_list(work, &step->query, &step->list);
}

/* One page; `paging` then stands at the next. */
static const struct integration *next_page(struct world *world, struct paging *paging)
{
    paging->list = (struct integration_list){0};
    assert_ok(world_read(world, run_list, paging));
    paging->query.cursor = paging->list.next_cursor;
    return paging->list.integrations.items;
}

static void pages_follow_each_other(struct store *store)
{
    struct integration made[5];
    AUTO_WORLD world;
    begin(&world, store);
    struct paging paging = {.query = {.limit = 2, .is_enabled = -1}};
    next_page(&world, &paging);
    assert_int_equal(paging.list.integrations.count, 0);
    assert_null(paging.list.next_cursor);

    for (size_t i = 0; i < COUNT_OF(made); i++)
        made[i] = create(&world);
    for (size_t i = 0; i < COUNT_OF(made); i += 2) {
        const struct integration *page = next_page(&world, &paging);
        bool is_last = i == 4;
        assert_int_equal(paging.list.integrations.count, is_last ? 1 : 2);
        assert_int_equal(!paging.list.next_cursor, is_last);
        for (size_t j = 0; j < paging.list.integrations.count; j++)
            assert_same(&page[j], &made[i + j]);
    }
}

static void a_page_that_fits_is_the_last(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    for (int i = 0; i < 3; i++)
        create(&world);
    struct paging fits = {.query = {.limit = 3, .is_enabled = -1}};
    struct paging is_short = {.query = {.limit = 2, .is_enabled = -1}};
    next_page(&world, &fits);
    assert_int_equal(fits.list.integrations.count, 3);
    assert_null(fits.list.next_cursor);
    next_page(&world, &is_short);
    assert_int_equal(is_short.list.integrations.count, 2);
    assert_non_null(is_short.list.next_cursor);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"it is as it was created", it_is_as_it_was_created},
        {"what is not given has defaults", what_is_not_given_has_defaults},
        {"pairs from before go on and are told of", pairs_from_before_go_on_and_are_told_of},
        {"the token stays with its address", the_token_stays_with_its_address},
        {"moves at once keep address and token together",
         moves_at_once_keep_address_and_token_together},
        {"slashes at the end of an address go", slashes_at_the_end_of_an_address_go},
        {"plain http needs the setting", plain_http_needs_the_setting},
        {"the token is sealed for its integration", the_token_is_sealed_for_its_integration},
        {"the longest token fits", the_longest_token_fits},
        {"a change merges", a_change_merges},
        {"an empty change changes nothing", an_empty_change_changes_nothing},
        {"the same once more changes nothing", the_same_once_more_changes_nothing},
        {"each member of a change is stored", each_member_of_a_change_is_stored},
        {"the note says what changed", the_note_says_what_changed},
        {"it can be disabled and enabled", it_can_be_disabled_and_enabled},
        {"changes at once all count", changes_at_once_all_count},
        {"what is not there is not found", what_is_not_there_is_not_found},
        {"pages follow each other", pages_follow_each_other},
        {"a page that fits is the last", a_page_that_fits_is_the_last},
    };
    return store_run_cases("integration", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
