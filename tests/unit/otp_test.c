/* domain/otp: how codes are created, verified, ended and kept secret (contract, section 2, rules 2,
 * 4, 5, 10). Their limits over time are in otp_limits_test.c. */
#include "app/setup/migrations.h"
#include "domain/otp/otp_send.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define RECIPIENT "+79161234567"
#define GATEWAY   "+79160000001"
#define SECOND    "+79160000002"

static const char *const numbers[] = {GATEWAY, SECOND};

struct scene {
    struct world *world;
    struct device phone;
    struct otp otp; /* of the last call */
    struct otp_refusal refusal;
    struct uuid id; /* of the code at hand */
};

static void make_ready(struct scene *scene)
{
    world_set_ready(scene->world, &scene->phone, GATEWAY, true);
    world_set_ready(scene->world, &scene->phone, SECOND, true);
}

/* A phone with two ready SIMs, and a code on its way. */
static void begin(struct scene *scene, struct world *world, struct store *store)
{
    world_open(world, store);
    *scene = (struct scene){.world = world, .phone = world_phone_of(world, numbers, 2)};
    make_ready(scene);
    assert_ok(world_otp(world, RECIPIENT, &scene->otp, &scene->refusal));
    scene->id = scene->otp.id;
}

static enum err verify(struct scene *scene, const char *code)
{
    return world_verify(scene->world, &scene->id, code, &scene->otp, &scene->refusal);
}

static const char *right(struct scene *scene)
{
    return world_code(scene->world, &scene->id);
}

static const char *wrong(struct scene *scene)
{
    return world_wrong_code(scene->world, &scene->id);
}

static void assert_state(struct scene *scene, enum otp_state state)
{
    struct otp otp = world_read_otp(scene->world, &scene->id);
    assert_string_equal(otp_state_words[otp.state], otp_state_words[state]);
}

/* --- Creating --- */

static void a_code_is_as_it_was_asked_for(struct store *store)
{
    struct otp_input input = {
        .channel = OTP_SMS, .recipient = RECIPIENT, .gateway_number = SECOND, .ttl_seconds = 60};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(world_cancel_otp(&world, &scene.id));
    assert_ok(world_otp_of(&world, &input, &scene.otp, &scene.refusal));
    struct otp read = world_read_otp(&world, &scene.otp.id);
    const struct otp *shown[] = {&scene.otp, &read};
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        assert_int_equal(shown[i]->channel, OTP_SMS);
        assert_string_equal(shown[i]->recipient, RECIPIENT);
        assert_int_equal(shown[i]->state, OTP_QUEUED);
        assert_int_equal(shown[i]->code_length, 6);
        assert_int_equal(shown[i]->attempts_left, 5);
        assert_true(shown[i]->created_at == WORLD_START_MS);
        assert_true(shown[i]->expires_at == WORLD_START_MS + 60 * SECOND_MS);
        assert_int_equal(shown[i]->confirmed_at, 0);
        assert_int_equal(shown[i]->sends.count, 1);
        const struct otp_send *send = shown[i]->sends.items;
        assert_string_equal(send->gateway_number, SECOND);
        assert_string_equal(otp_send_state_words[send->state], "queued");
        assert_null(send->error);
        assert_true(send->updated_at == WORLD_START_MS);
    }
    assert_int_equal(strspn(world_code(&world, &scene.otp.id), "0123456789"), 6);
}

static void a_sender_must_be_there_and_ready(struct store *store)
{
    struct otp_input input = {
        .channel = OTP_SMS, .recipient = RECIPIENT, .ttl_seconds = OTP_TTL_DEFAULT_S};
    AUTO_WORLD world;
    struct scene scene = {.world = &world};
    world_open(&world, store);
    assert_err(world_otp_of(&world, &input, &scene.otp, &scene.refusal), ERR_NO_READY_SIM);
    input.gateway_number = GATEWAY;
    assert_err(world_otp_of(&world, &input, &scene.otp, &scene.refusal), ERR_NUMBER_NOT_FOUND);
    scene.phone = world_phone(&world, GATEWAY);
    assert_err(world_otp_of(&world, &input, &scene.otp, &scene.refusal), ERR_SIM_NOT_READY);
    input.gateway_number = NULL;
    assert_err(world_otp_of(&world, &input, &scene.otp, &scene.refusal), ERR_NO_READY_SIM);
    /* Nothing was created. */
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM otp"), 0);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM active_challenge"), 0);
    world_set_ready(&world, &scene.phone, GATEWAY, true);
    assert_ok(world_otp_of(&world, &input, &scene.otp, &scene.refusal));
}

/* A channel with no driver configured answers 503 at creation, and nothing stays behind. */
static void a_channel_without_driver_is_unavailable(struct store *store)
{
    static const int channels[] = {OTP_FLASH_CALL, OTP_MESSENGER_GATEWAY};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (size_t i = 0; i < COUNT_OF(channels); i++) {
        struct otp_input input = {
            .channel = channels[i], .recipient = "+79161234568", .ttl_seconds = OTP_TTL_DEFAULT_S};
        assert_err(world_otp_of(&world, &input, &scene.otp, &scene.refusal),
                   ERR_CHANNEL_NOT_CONFIGURED);
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM otp"), 1);
}

static void codes_are_digits_of_every_kind(struct store *store)
{
    (void)store;
    enum { CODES = 20000 };
    static const int lengths[] = {4, 6}, maxima[] = {9999, 999999};
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        int counts[6][10] = {0};
        for (int k = 0; k < CODES; k++) {
            struct arena_mark mark = arena_mark(&arena);
            const char *code = otp_code_new(&arena, 0, maxima[i], lengths[i]);
            assert_int_equal(strlen(code), lengths[i]);
            for (int place = 0; place < lengths[i]; place++)
                counts[place][code[place] - '0']++;
            arena_rewind(&arena, mark);
        }
        /* Five standard deviations: leading zeros and nines come as often as the others. */
        for (int place = 0; place < lengths[i]; place++)
            for (int digit = 0; digit < 10; digit++)
                assert_in_range(counts[place][digit], CODES / 10 - 215, CODES / 10 + 215);
    }
    arena_done(&arena);
}

/* Both ends of a range come, and nothing beyond. */
static void codes_keep_to_what_a_provider_takes(struct store *store)
{
    (void)store;
    enum { CODES = 500 };
    bool has_first = false, has_last = false;
    struct arena arena;
    arena_init(&arena);
    for (int i = 0; i < CODES; i++) {
        const char *code = otp_code_new(&arena, 1, 9, 4);
        assert_true(strcmp(code, "0001") >= 0 && strcmp(code, "0009") <= 0);
        has_first |= strcmp(code, "0001") == 0;
        has_last |= strcmp(code, "0009") == 0;
    }
    assert_true(has_first && has_last);
    arena_done(&arena);
}

/* --- Verifying --- */

static void the_right_code_confirms(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *code = right(&scene);
    world.now_ms += 7000;
    assert_ok(verify(&scene, code));
    assert_int_equal(scene.otp.state, OTP_CONFIRMED);
    assert_true(scene.otp.confirmed_at == WORLD_START_MS + 7000);
    assert_int_equal(scene.otp.attempts_left, 5);
    assert_int_equal(world_read_otp(&world, &scene.id).attempts_left, 5);
    assert_err(verify(&scene, code), ERR_ALREADY_CONFIRMED);
    assert_err(verify(&scene, "000000"), ERR_ALREADY_CONFIRMED);
    world.now_ms += HOUR_MS;
    assert_state(&scene, OTP_CONFIRMED);
}

static void five_wrong_codes_exhaust(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *good = right(&scene), *bad = wrong(&scene);
    for (int left = 4; left >= 0; left--) {
        assert_err(verify(&scene, bad), ERR_CODE_MISMATCH);
        assert_int_equal(scene.otp.attempts_left, left);
        assert_int_equal(world_read_otp(&world, &scene.id).attempts_left, left);
        assert_state(&scene, left > 0 ? OTP_QUEUED : OTP_EXHAUSTED);
    }
    assert_err(verify(&scene, good), ERR_ATTEMPTS_EXHAUSTED);
    assert_err(verify(&scene, bad), ERR_ATTEMPTS_EXHAUSTED);
    world.now_ms += HOUR_MS;
    assert_err(verify(&scene, good), ERR_ATTEMPTS_EXHAUSTED);
}

static void the_right_code_counts_at_the_fifth_attempt(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *good = right(&scene), *bad = wrong(&scene);
    for (int i = 0; i < 4; i++)
        assert_err(verify(&scene, bad), ERR_CODE_MISMATCH);
    assert_ok(verify(&scene, good));
    assert_int_equal(scene.otp.attempts_left, 1);
}

static void codes_of_another_length_are_wrong(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *good = right(&scene);
    const char *guesses[] = {arena_printf(world.arena, "%.5s", good),
                             arena_printf(world.arena, "%.4s", good),
                             arena_printf(world.arena, "%s0", good), ""};
    for (size_t i = 0; i < COUNT_OF(guesses); i++)
        assert_err(verify(&scene, guesses[i]), ERR_CODE_MISMATCH);
    assert_ok(verify(&scene, good));
}

static void a_code_is_good_to_its_last_millisecond(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *good = right(&scene);
    int64_t expires_at = scene.otp.expires_at;
    world.now_ms = expires_at + 1;
    assert_state(&scene, OTP_EXPIRED);
    assert_err(verify(&scene, good), ERR_CHALLENGE_EXPIRED);
    world.now_ms = expires_at;
    assert_state(&scene, OTP_QUEUED);
    assert_ok(verify(&scene, good));
}

static void the_code_of_another_is_wrong(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(world_otp(&world, "+79161234568", &scene.otp, &scene.refusal));
    const char *other = world_code(&world, &scene.otp.id);
    if (strcmp(other, right(&scene)) == 0) return; /* one in a million */
    assert_err(verify(&scene, other), ERR_CODE_MISMATCH);
}

static void an_unknown_code_is_not_found(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    scene.id = uuid_new(WORLD_START_MS);
    assert_err(verify(&scene, "493021"), ERR_NOT_FOUND);
    assert_err(world_cancel_otp(&world, &scene.id), ERR_NOT_FOUND);
}

/* --- Canceling --- */

static void canceling_can_be_repeated(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *good = right(&scene);
    assert_ok(world_cancel_otp(&world, &scene.id));
    assert_state(&scene, OTP_CANCELED);
    assert_ok(world_cancel_otp(&world, &scene.id));
    assert_err(verify(&scene, good), ERR_CHALLENGE_CANCELED);
    assert_null(world_claim(&world, &scene.phone, GATEWAY));
    assert_null(world_claim(&world, &scene.phone, SECOND));
}

static void canceling_a_final_code_changes_nothing(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(verify(&scene, right(&scene)));
    assert_err(world_cancel_otp(&world, &scene.id), ERR_ALREADY_CONFIRMED);
    assert_state(&scene, OTP_CONFIRMED);

    assert_ok(world_otp(&world, RECIPIENT, &scene.otp, &scene.refusal));
    scene.id = scene.otp.id;
    world.now_ms = scene.otp.expires_at + 1;
    assert_ok(world_cancel_otp(&world, &scene.id));
    assert_state(&scene, OTP_EXPIRED);
}

/* --- Secrecy --- */

static void assert_erased(struct scene *scene)
{
    assert_null(world_code(scene->world, &scene->id));
    assert_int_equal(
        store_number(scene->world->store, "SELECT count(*) AS n FROM otp WHERE code IS NOT NULL"),
        0);
}

static void a_final_code_is_erased(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(verify(&scene, right(&scene)));
    assert_erased(&scene);

    assert_ok(world_otp(&world, RECIPIENT, &scene.otp, &scene.refusal));
    scene.id = scene.otp.id;
    const char *bad = wrong(&scene);
    for (int i = 0; i < 5; i++)
        assert_err(verify(&scene, bad), ERR_CODE_MISMATCH);
    assert_erased(&scene);

    assert_ok(world_otp(&world, RECIPIENT, &scene.otp, &scene.refusal));
    scene.id = scene.otp.id;
    assert_ok(world_cancel_otp(&world, &scene.id));
    assert_erased(&scene);
}

static void the_sweep_erases_what_is_over(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (int i = 0; i < 2; i++) {
        const char *recipient = arena_printf(world.arena, "+7916200000%d", i);
        assert_ok(world_otp(&world, recipient, &scene.otp, &scene.refusal));
    }
    world.now_ms = scene.otp.expires_at;
    assert_int_equal(world_sweep_otps(&world, 10), 0);
    assert_non_null(right(&scene));
    world.now_ms++;
    assert_int_equal(world_sweep_otps(&world, 2), 2);
    assert_int_equal(world_sweep_otps(&world, 2), 1);
    assert_int_equal(world_sweep_otps(&world, 2), 0);
    assert_erased(&scene);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM otp WHERE state = 'expired'"),
                     3);
}

/* otp.h: the sweep ends the last sends of what is over; a final code has none that is queued. */
static void the_sweep_ends_sends_that_never_went(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    world.now_ms = scene.otp.expires_at + 1;
    assert_int_equal(world_sweep_otps(&world, 10), 1);
    struct otp otp = world_read_otp(&world, &scene.id);
    const struct otp_send *send = otp.sends.items;
    assert_string_equal(otp_send_state_words[send->state], "failed");
    assert_non_null(send->error);
}

/* All bytes of the database's files. */
static void append_file(struct buf *out, const char *path)
{
    FILE *file = fopen(path, "re");
    char piece[8192];
    size_t len;
    if (!file) return;
    while ((len = fread(piece, 1, sizeof piece, file)) > 0)
        buf_append(out, piece, len);
    fclose(file);
}

static void a_code_never_stands_plain_in_the_file(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *code = right(&scene);
    const struct otp_send *send = scene.otp.sends.items;
    const struct claimed_task *job = world_claim(&world, &scene.phone, send->gateway_number);
    assert_non_null(strstr(job->text, code)); /* the text carries it, no row does */
    assert_err(verify(&scene, wrong(&scene)), ERR_CODE_MISMATCH);

    AUTO_BUF bytes = {0};
    buf_init(&bytes, 64 * 1024 * 1024);
    append_file(&bytes, store->url + strlen("sqlite:"));
    append_file(&bytes, arena_printf(world.arena, "%s-wal", store->url + strlen("sqlite:")));
    assert_non_null(
        memmem(bytes.data, bytes.len, RECIPIENT, strlen(RECIPIENT))); /* we look at it all */
    if (strstr(RECIPIENT GATEWAY SECOND, code))
        return; /* one in 50,000: it is a part of a number */
    assert_null(memmem(bytes.data, bytes.len, code, strlen(code)));
}

static void a_code_never_stands_plain_in_its_row(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *sql = arena_printf(world.arena,
                                   "SELECT count(*) AS n FROM otp WHERE"
                                   " position(convert_to('%s', 'UTF8') in code) = 0"
                                   " AND length(code) = %d",
                                   right(&scene), 6 + VAULT_OVERHEAD);
    assert_int_equal(store_number(store, sql), 1);
}

/* A note for the log stream carries the code only as a secret. */
static void notes_keep_codes_secret(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *code = right(&scene);
    assert_ok(verify(&scene, code));
    AUTO_BUF text = {0};
    buf_init(&text, 65536);
    assert_non_null(world.said);
    for (const struct work_note *note = world.said; note; note = note->next)
        log_encode_fields(&text, note->fields, note->field_count, false);
    assert_null(memmem(text.data, text.len, code, strlen(code)));
    assert_null(memmem(text.data, text.len, RECIPIENT, strlen(RECIPIENT)));
    assert_non_null(memmem(text.data, text.len, "+7916***4567", strlen("+7916***4567")));
}

static enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

/* A row copied under another id opens nothing. */
static void a_sealed_code_belongs_to_its_row(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    const char *stolen = right(&scene);
    assert_ok(world_otp(&world, "+79161234568", &scene.otp, &scene.refusal));
    scene.id = scene.otp.id;
    char copy[] = "UPDATE otp SET code = (SELECT code FROM otp WHERE recipient = '" RECIPIENT "')";
    assert_ok(world_run(&world, run_sql, copy));
    assert_err(verify(&scene, stolen), ERR_INTERNAL);
}

static enum err plant(struct work *work, void *arg)
{
    const struct scene *scene = arg;
    struct vault_place elsewhere = sealed_at(SEALED_MESSAGE_TEXT, uuid_view(&scene->id));
    struct str sealed;
    assert_ok(vault_seal(work->service->vault, elsewhere, STR("123456"), work->arena, &sealed));
    return db_exec(work->tx, "UPDATE otp SET code = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(&scene->id), db_blob(sealed)), NULL);
}

/* A code that was sealed for the row of that id in another table opens nothing either. */
static void a_sealed_code_belongs_to_its_table(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(world_run(&world, plant, &scene));
    assert_err(verify(&scene, "123456"), ERR_INTERNAL);
}

/* --- At the same moment --- */

enum { CROWD = 100 };

struct crowd {
    const struct uuid *id;
    const char *code;
    enum err errs[CROWD];
    int64_t left[CROWD];
};

static void guess(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct otp otp = {0};
    struct otp_refusal refusal;
    crowd->errs[index] = world_verify(world, crowd->id, crowd->code, &otp, &refusal);
    crowd->left[index] = otp.attempts_left;
}

static void a_hundred_guesses_spend_five_attempts(struct store *store)
{
    int seen[5] = {0}, wrongs = 0;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct crowd crowd = {.id = &scene.id, .code = wrong(&scene)};
    world_crowd(&world, CROWD, guess, &crowd);
    for (int i = 0; i < CROWD; i++) {
        if (crowd.errs[i] != ERR_CODE_MISMATCH) {
            assert_err(crowd.errs[i], ERR_ATTEMPTS_EXHAUSTED);
            continue;
        }
        assert_in_range(crowd.left[i], 0, 4);
        seen[crowd.left[i]]++;
        wrongs++;
    }
    assert_int_equal(wrongs, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(seen[i], 1);
    assert_state(&scene, OTP_EXHAUSTED);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM wrong_code"), 5);
}

static void a_hundred_right_codes_confirm_once(struct store *store)
{
    int confirmed = 0;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct crowd crowd = {.id = &scene.id, .code = right(&scene)};
    world_crowd(&world, CROWD, guess, &crowd);
    for (int i = 0; i < CROWD; i++) {
        confirmed += crowd.errs[i] == ERR_OK;
        if (crowd.errs[i]) assert_err(crowd.errs[i], ERR_ALREADY_CONFIRMED);
    }
    assert_int_equal(confirmed, 1);
    assert_int_equal(world_read_otp(&world, &scene.id).attempts_left, 5);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a code is as it was asked for", a_code_is_as_it_was_asked_for},
        {"a sender must be there and ready", a_sender_must_be_there_and_ready},
        {"a channel without driver is unavailable", a_channel_without_driver_is_unavailable},
        {"codes are digits of every kind", codes_are_digits_of_every_kind, STORE_SQLITE},
        {"codes keep to what a provider takes", codes_keep_to_what_a_provider_takes, STORE_SQLITE},
        {"the right code confirms", the_right_code_confirms},
        {"five wrong codes exhaust", five_wrong_codes_exhaust},
        {"the right code counts at the fifth attempt", the_right_code_counts_at_the_fifth_attempt},
        {"codes of another length are wrong", codes_of_another_length_are_wrong},
        {"a code is good to its last millisecond", a_code_is_good_to_its_last_millisecond},
        {"the code of another is wrong", the_code_of_another_is_wrong},
        {"an unknown code is not found", an_unknown_code_is_not_found},
        {"canceling can be repeated", canceling_can_be_repeated},
        {"canceling a final code changes nothing", canceling_a_final_code_changes_nothing},
        {"a final code is erased", a_final_code_is_erased},
        {"the sweep erases what is over", the_sweep_erases_what_is_over},
        {"the sweep ends sends that never went", the_sweep_ends_sends_that_never_went},
        {"a code never stands plain in the file", a_code_never_stands_plain_in_the_file,
         STORE_SQLITE},
        {"a code never stands plain in its row", a_code_never_stands_plain_in_its_row,
         STORE_POSTGRES},
        {"notes keep codes secret", notes_keep_codes_secret},
        {"a sealed code belongs to its row", a_sealed_code_belongs_to_its_row},
        {"a sealed code belongs to its table", a_sealed_code_belongs_to_its_table},
        {"a hundred guesses spend five attempts", a_hundred_guesses_spend_five_attempts},
        {"a hundred right codes confirm once", a_hundred_right_codes_confirm_once},
    };
    return store_run_cases("otp", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
