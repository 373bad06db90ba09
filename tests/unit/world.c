/* The domain in a test. */
#include "world.h"

#include "app/setup/migrations.h"
#include "domain/message/message.h"
#include "domain/otp/otp_db.h"
#include "domain/otp/otp_send.h"

#include <pthread.h>
#include <stdlib.h>

/* No provider is configured. */
static const struct channel_setup no_drivers[CHANNEL_COUNT];

static const struct phone_task_line *const phone_task_lines[] = {
    [PHONE_TASK_SMS] = &sms_task_line,
    [PHONE_TASK_PERSONAL_MESSENGER] = &messenger_task_line,
};
static const struct phone_task_owner *const phone_task_owners[] = {
    [PHONE_TASK_OF_OTP] = &otp_task_owner,
    [PHONE_TASK_OF_MESSAGE] = &message_task_owner,
};

void world_open(struct world *world, struct store *store)
{
    *world = (struct world){.store = store, .arena = &store->arena, .now_ms = WORLD_START_MS};
    assert_int_equal(vault_new(STR(VAULT_KEY), &world->vault), ERR_OK);
    world->service = (struct service){
        .verification = store->db,
        .exchange = store->db,
        .is_one_database = true,
        .vault = world->vault,
        .fleet = &world->fleet,
        .challenges = &world->challenges,
        .phone_tasks = &world->phone_tasks,
        .sms = &world->sms,
        .channels = no_drivers,
        .integrations = &world->integrations,
        .tokens = &world->tokens,
        .erp = &world->erp,
        .orders = &world->orders,
    };
    world->fleet = (struct fleet_setup){
        .presence = presence_new(),
        .watch = fleet_watch_new(),
        .silent_ms = 180 * SECOND_MS,
        .on_device_disabled = phone_task_return,
        .on_numbers_leave = challenge_hold_gateways,
        .on_numbers_left = challenge_forget_gateways,
    };
    world->challenges = (struct challenge_setup){.expire = {otp_expire, inbound_call_expire}};
    world->phone_tasks = (struct phone_task_setup){phone_task_lines, phone_task_owners};
}

void world_close(struct world *world)
{
    presence_free(world->fleet.presence);
    fleet_watch_free(world->fleet.watch);
    vault_free(world->vault);
}

/* --- Transactions --- */

struct step {
    struct work work;
    enum err (*run)(struct work *work, void *arg);
    void *arg;
    enum err err;
};

static enum err run_step(struct work *work)
{
    struct step *step = CONTAINER_OF(work, struct step, work);
    step->err = step->run(work, step->arg);
    return step->err == ERR_CODE_MISMATCH ? ERR_OK : step->err; /* the attempt stays spent */
}

static enum err run_in(struct world *world, bool is_read,
                       enum err (*run)(struct work *work, void *arg), void *arg)
{
    struct step step = {.run = run, .arg = arg};
    work_init(&step.work, &world->service, world->arena, world->now_ms, "request-1");
    step.work.task.is_read = is_read;
    enum err err = work_run(&step.work, world->store->db, run_step);
    world->said = err ? NULL : step.work.notes;
    return err ? err : step.err;
}

enum err world_run(struct world *world, enum err (*run)(struct work *work, void *arg), void *arg)
{
    return run_in(world, false, run, arg);
}

enum err world_read(struct world *world, enum err (*run)(struct work *work, void *arg), void *arg)
{
    return run_in(world, true, run, arg);
}

struct walker {
    struct world world;
    struct arena arena;
    void (*run)(struct world *world, int index, void *arg);
    void *arg;
    int index;
    pthread_t thread;
};

static void *walk(void *arg)
{
    struct walker *walker = arg;
    walker->run(&walker->world, walker->index, walker->arg);
    return NULL;
}

void world_crowd(struct world *world, int count,
                 void (*run)(struct world *world, int index, void *arg), void *arg)
{
    struct walker *walkers = calloc((size_t)count, sizeof *walkers);
    assert_non_null(walkers);
    for (int i = 0; i < count; i++) {
        struct walker *walker = &walkers[i];
        *walker = (struct walker){.world = *world, .run = run, .arg = arg, .index = i};
        arena_init(&walker->arena);
        walker->world.arena = &walker->arena;
        assert_int_equal(pthread_create(&walker->thread, NULL, walk, walker), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(walkers[i].thread, NULL);
        arena_done(&walkers[i].arena);
    }
    free(walkers);
}

/* --- Fleet --- */

struct registering {
    struct device_input input;
    struct credentials credentials;
};

static enum err run_register(struct work *work, void *arg)
{
    struct registering *step = arg;
    struct fleet_taken taken;
    return fleet_register(work, &step->input, &step->credentials, &taken);
}

struct device world_phone_of(struct world *world, const char *const *numbers, size_t count)
{
    struct registering step = {.input = {.name = "phone", .numbers = {(void *)numbers, count}}};
    assert_ok(world_run(world, run_register, &step));
    return *step.credentials.device;
}

struct device world_phone(struct world *world, const char *number)
{
    return world_phone_of(world, &number, 1);
}

struct binding {
    const struct uuid *id;
    struct record_list account_ids;
    const char *taken;
};

static enum err run_bind(struct work *work, void *arg)
{
    struct binding *step = arg;
    return fleet_bind_accounts(work, step->id, &step->account_ids, &step->taken);
}

enum err world_bind(struct world *world, const struct uuid *id, const char *const *account_ids,
                    size_t count, const char **ret_taken)
{
    struct binding step = {.id = id, .account_ids = {(void *)account_ids, count}};
    enum err err = world_run(world, run_bind, &step);
    if (ret_taken) *ret_taken = step.taken;
    return err;
}

struct changing {
    const struct uuid *id;
    struct device_input input;
};

static enum err run_change(struct work *work, void *arg)
{
    const struct changing *step = arg;
    struct device device;
    struct fleet_taken taken;
    return fleet_change(work, step->id, &step->input, &device, &taken);
}

enum err world_change(struct world *world, const struct uuid *id, const char *const *numbers,
                      size_t count)
{
    struct changing step = {id, {.name = "changed", .numbers = {(void *)numbers, count}}};
    return world_run(world, run_change, &step);
}

static enum err run_remove(struct work *work, void *arg)
{
    return fleet_remove(work, arg);
}

enum err world_remove(struct world *world, const struct uuid *id)
{
    return world_run(world, run_remove, (void *)id);
}

struct enabling {
    const struct uuid *id;
    bool is_enabled;
};

static enum err run_set_enabled(struct work *work, void *arg)
{
    const struct enabling *step = arg;
    return fleet_set_enabled(work, step->id, step->is_enabled);
}

enum err world_set_enabled(struct world *world, const struct uuid *id, bool is_enabled)
{
    return world_run(world, run_set_enabled, &(struct enabling){id, is_enabled});
}

struct readying {
    const struct device *phone;
    const char *number;
    bool is_ready;
};

static enum err run_note_ready(struct work *work, void *arg)
{
    const struct readying *step = arg;
    struct sim_state stored;
    enum err err = fleet_check_number(work, step->phone, step->number, &stored);
    if (err) return err;
    return fleet_set_ready(work, step->phone, step->number, step->is_ready, &stored);
}

void world_set_ready(struct world *world, const struct device *phone, const char *number,
                     bool is_ready)
{
    assert_ok(world_run(world, run_note_ready, &(struct readying){phone, number, is_ready}));
    world_flush(world); /* what was only noted is written, too */
}

struct reading_phone {
    const struct uuid *id;
    struct device phone;
};

static enum err run_read_phone(struct work *work, void *arg)
{
    struct reading_phone *step = arg;
    return fleet_read(work, step->id, &step->phone);
}

struct device world_read_phone(struct world *world, const struct uuid *id)
{
    struct reading_phone step = {.id = id};
    assert_ok(world_read(world, run_read_phone, &step));
    return step.phone;
}

struct choosing {
    const struct number_choice *choice;
    const char *number;
};

static enum err run_choose(struct work *work, void *arg)
{
    struct choosing *step = arg;
    enum err err = fleet_take_number(work, step->choice, &step->number);
    if (err) return err;
    /* No challenge follows: it is not to be counted. */
    return fleet_release_numbers(work, &(struct record_list){&step->number, 1});
}

enum err world_choose(struct world *world, const struct number_choice *choice,
                      const char **ret_number)
{
    struct choosing step = {.choice = choice};
    enum err err = world_run(world, run_choose, &step);
    *ret_number = step.number;
    return err;
}

static enum err run_flush(struct work *work, void *arg)
{
    return presence_write(arg, work);
}

void world_flush(struct world *world)
{
    struct presence_chunk *chunk;
    while ((chunk = presence_take(world->fleet.presence))) {
        enum err err = world_run(world, run_flush, chunk);
        presence_chunk_free(chunk);
        assert_ok(err);
    }
}

/* --- Calls --- */

struct calling {
    struct uuid id;
    struct call_challenge_input input;
    struct call_challenge challenge;
    struct uuid *ret_active;
};

static enum err run_call(struct work *work, void *arg)
{
    struct calling *step = arg;
    return inbound_call_create(work, &step->id, &step->input, &step->challenge, step->ret_active);
}

enum err world_call(struct world *world, const char *caller, const char *gateway_number,
                    struct call_challenge *ret_challenge, struct uuid *ret_active)
{
    struct calling step = {
        .id = uuid_new(world->now_ms),
        .input = {caller, gateway_number, INBOUND_CALL_TTL_DEFAULT_S},
        .ret_active = ret_active,
    };
    enum err err = world_run(world, run_call, &step);
    if (!err) *ret_challenge = step.challenge;
    return err;
}

struct reading_call {
    const struct uuid *id;
    struct call_challenge *ret_challenge;
};

static enum err run_read_call(struct work *work, void *arg)
{
    const struct reading_call *step = arg;
    return inbound_call_read(work, step->id, step->ret_challenge);
}

enum err world_read_call(struct world *world, const struct uuid *id,
                         struct call_challenge *ret_challenge)
{
    return world_read(world, run_read_call, &(struct reading_call){id, ret_challenge});
}

static enum err run_cancel_call(struct work *work, void *arg)
{
    return inbound_call_cancel(work, arg);
}

enum err world_cancel_call(struct world *world, const struct uuid *id)
{
    return world_run(world, run_cancel_call, (void *)id);
}

struct reporting_call {
    const struct device *phone;
    const struct call_event *event;
    struct event_result *ret_result;
};

static enum err run_report_call(struct work *work, void *arg)
{
    const struct reporting_call *step = arg;
    return inbound_call_apply_event(work, step->phone, step->event, step->ret_result);
}

enum err world_report_call(struct world *world, const struct device *phone,
                           const struct call_event *event, struct event_result *ret_result)
{
    struct reporting_call step = {phone, event, ret_result};
    return world_run(world, run_report_call, &step);
}

/* --- Codes --- */

struct creating {
    struct uuid id;
    const struct otp_input *input;
    struct otp *ret_otp;
    struct otp_refusal *ret_refusal;
};

static enum err run_create_otp(struct work *work, void *arg)
{
    const struct creating *step = arg;
    return otp_create(work, &step->id, step->input, step->ret_otp, step->ret_refusal);
}

enum err world_otp_of(struct world *world, const struct otp_input *input, struct otp *ret_otp,
                      struct otp_refusal *ret_refusal)
{
    struct creating step = {uuid_new(world->now_ms), input, ret_otp, ret_refusal};
    return world_run(world, run_create_otp, &step);
}

enum err world_otp(struct world *world, const char *recipient, struct otp *ret_otp,
                   struct otp_refusal *ret_refusal)
{
    struct otp_input input = {
        .channel = OTP_SMS, .recipient = recipient, .ttl_seconds = OTP_TTL_DEFAULT_S};
    return world_otp_of(world, &input, ret_otp, ret_refusal);
}

struct peeking {
    const struct uuid *id;
    const char *code;
};

static enum err run_peek(struct work *work, void *arg)
{
    struct peeking *step = arg;
    struct otp otp;
    enum err err = otp_select(work, step->id, &otp);
    if (err || otp.sealed_code.len == 0) return err;
    return otp_code_open(work, &otp, &step->code);
}

const char *world_code(struct world *world, const struct uuid *id)
{
    struct peeking step = {.id = id};
    assert_ok(world_read(world, run_peek, &step));
    return step.code;
}

const char *world_wrong_code(struct world *world, const struct uuid *id)
{
    char *code = arena_text(world->arena, world_code(world, id));
    assert_non_null(code);
    size_t last = strlen(code) - 1;
    code[last] = code[last] == '9' ? '0' : (char)(code[last] + 1);
    return code;
}

struct verifying {
    const struct uuid *id;
    const char *code;
    struct otp *ret_otp;
    struct otp_refusal *ret_refusal;
};

static enum err run_verify(struct work *work, void *arg)
{
    const struct verifying *step = arg;
    return otp_verify(work, step->id, step->code, step->ret_otp, step->ret_refusal);
}

enum err world_verify(struct world *world, const struct uuid *id, const char *code,
                      struct otp *ret_otp, struct otp_refusal *ret_refusal)
{
    return world_run(world, run_verify, &(struct verifying){id, code, ret_otp, ret_refusal});
}

struct reading_otp {
    const struct uuid *id;
    struct otp otp;
};

static enum err run_read_otp(struct work *work, void *arg)
{
    struct reading_otp *step = arg;
    return otp_read(work, step->id, &step->otp);
}

struct otp world_read_otp(struct world *world, const struct uuid *id)
{
    struct reading_otp step = {.id = id};
    assert_ok(world_read(world, run_read_otp, &step));
    return step.otp;
}

static enum err run_cancel_otp(struct work *work, void *arg)
{
    return otp_cancel(work, arg);
}

enum err world_cancel_otp(struct world *world, const struct uuid *id)
{
    return world_run(world, run_cancel_otp, (void *)id);
}

struct sweeping {
    int max;
    int64_t swept;
};

static enum err run_sweep_otps(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return otp_sweep(work, step->max, &step->swept);
}

int64_t world_sweep_otps(struct world *world, int max)
{
    struct sweeping step = {.max = max};
    assert_ok(world_run(world, run_sweep_otps, &step));
    return step.swept;
}

/* --- SMS --- */

struct claiming {
    const struct device *phone;
    const struct sms_claim_input *input;
    struct phone_task_claim_result result;
};

static enum err run_claim(struct work *work, void *arg)
{
    struct claiming *step = arg;
    return sms_claim(work, step->phone, step->input, &step->result);
}

enum err world_claim_of(struct world *world, const struct device *phone,
                        const struct sms_claim_input *input, struct claimed_task **ret_job)
{
    struct claiming step = {.phone = phone, .input = input};
    enum err err = world_run(world, run_claim, &step);
    *ret_job = step.result.task;
    return err;
}

struct claimed_task *world_claim(struct world *world, const struct device *phone,
                                 const char *number)
{
    struct sms_claim_input input = {.gateway_number = number, .sim_ready = true};
    struct claimed_task *job;
    assert_ok(world_claim_of(world, phone, &input, &job));
    return job;
}

struct reporting {
    const struct device *phone;
    const struct uuid *task_id;
    const struct phone_task_result *result;
};

static enum err run_report(struct work *work, void *arg)
{
    const struct reporting *step = arg;
    return phone_task_report(work, PHONE_TASK_SMS, step->phone, step->task_id, step->result);
}

enum err world_report(struct world *world, const struct device *phone, const struct uuid *task_id,
                      const struct phone_task_result *result)
{
    return world_run(world, run_report, &(struct reporting){phone, task_id, result});
}
