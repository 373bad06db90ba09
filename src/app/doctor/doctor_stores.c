/* The databases are read beside the processes that use them. */
#include "app/doctor/doctor_check.h"
#include "app/jobs/worker_db.h"
#include "app/setup/stores.h"
#include "core/sealed.h"
#include "core/store_clock.h"
#include "domain/fleet/fleet.h"
#include "kit/base/clock.h"

#include <stdlib.h>

enum {
    WHY_MAX = 4096,
    NAMED_MAX = 10,               /* silent SIMs that the report names */
    WORKER_SILENT_MS = 30 * 1000, /* as /health/ready says */
    CLOCK_WARN_MS = 5 * 1000,
    CLOCK_FAIL_MS = 30 * 1000,
};

#define NO_ANSWER \
    "The database does not answer. Look whether its server runs and is reached from here."

/* --- Schema, pair, key ------------------------------------------------------------------------ */

static void judge_schema(struct doctor *doctor, enum route_store store, const char *which)
{
    int version, newest;
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    if (stores_schema(&doctor->config, store, &version, &newest, &why))
        doctor_say(doctor, DOCTOR_FAIL, "%.*s", (int)why.len, why.data);
    else if (version == 0 && config_is_embedded(&doctor->config))
        return; /* there is no file yet, which the next check tells */
    else if (version < newest)
        doctor_say(doctor, DOCTOR_FAIL, "%s has schema %d, and this herald needs %d: %s.", which,
                   version, newest,
                   config_is_embedded(&doctor->config)
                       ? "start it, which brings the schema up to date"
                       : "run `herald migrate up` once, then restart every process");
    else if (version > newest)
        doctor_say(doctor, DOCTOR_WARN,
                   "%s has schema %d, and this herald knows %d: a newer herald was here. Install "
                   "that one on every machine.",
                   which, version, newest);
    else
        doctor_say(doctor, DOCTOR_OK, "%s has schema %d, the newest.", which, version);
}

void doctor_check_schema(struct doctor *doctor)
{
    if (!config_is_embedded(&doctor->config)) {
        judge_schema(doctor, STORE_VERIFICATION, "The database");
        return;
    }
    judge_schema(doctor, STORE_VERIFICATION, "The verification store");
    judge_schema(doctor, STORE_EXCHANGE, "The exchange store");
}

void doctor_check_stores(struct doctor *doctor)
{
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    if (stores_open_beside(&doctor->service, &doctor->config, &why)) {
        doctor_say(doctor, DOCTOR_FAIL, "%.*s", (int)why.len, why.data);
        return;
    }
    doctor->has_stores = true;
    doctor_say(doctor, DOCTOR_OK,
               config_is_embedded(&doctor->config)
                   ? "Both databases can be read, and belong together."
                   : "The database answers.");
}

void doctor_check_key(struct doctor *doctor)
{
    if (!doctor->has_stores || !doctor->service.vault) return;
    enum err err = stores_check_key(&doctor->service);
    doctor->has_vault = !err;
    if (!err)
        doctor_say(doctor, DOCTOR_OK, "The secret key opens what the databases have sealed.");
    else if (err == ERR_NOT_FOUND)
        doctor_say(doctor, DOCTOR_OK, "Nothing is sealed yet.");
    else if (err == ERR_UNAUTHORIZED)
        doctor_say(doctor, DOCTOR_FAIL,
                   "HERALD_SECRET_KEY from %s is not the key that the databases were sealed with. "
                   "Give every process the same key; after a restore, restore the key file too.",
                   config_source(&doctor->config, "HERALD_SECRET_KEY"));
    else
        doctor_say(doctor, DOCTOR_FAIL, NO_ANSWER);
}

/* --- Workers and clocks ----------------------------------------------------------------------- */

static enum err run_last_seen(void *arg, struct db_tx *tx)
{
    return worker_last_seen(tx, arg);
}

/* Returns false if it is not known; 0: no worker ever was. */
static bool read_last_seen(struct doctor *doctor, int64_t *ret_seen_at)
{
    if (!doctor->has_stores) return false;
    if (db_run(doctor->service.verification, true, run_last_seen, ret_seen_at) == ERR_OK)
        return true;
    doctor_say(doctor, DOCTOR_FAIL, NO_ANSWER);
    return false;
}

void doctor_check_worker(struct doctor *doctor)
{
    int64_t seen_at, now_ms = clock_now_ms();

    if (!read_last_seen(doctor, &seen_at)) return;
    int64_t ago_ms = now_ms - seen_at;
    if (seen_at > 0 && ago_ms < WORKER_SILENT_MS)
        doctor_say(doctor, DOCTOR_OK, "A worker was alive %lld s ago.",
                   (long long)(ago_ms > 0 ? ago_ms : 0) / 1000);
    else if (seen_at == 0)
        doctor_say(doctor, DOCTOR_FAIL,
                   "No worker runs: start `herald serve`, or `herald "
                   "worker` on PostgreSQL. Without one, nothing is sent.");
    else
        doctor_say(doctor, DOCTOR_FAIL,
                   "The last sign of life of a worker is %lld s old: start `herald serve`, or "
                   "`herald worker` on PostgreSQL. Without one, nothing is sent.",
                   (long long)ago_ms / 1000);
}

static enum err run_clock(void *arg, struct db_tx *tx)
{
    return store_clock_select_wall(tx, arg);
}

enum doctor_status doctor_judge_offset(int64_t offset_ms)
{
    int64_t distance_ms = offset_ms < 0 ? -offset_ms : offset_ms;

    if (distance_ms > CLOCK_FAIL_MS) return DOCTOR_FAIL;
    return distance_ms > CLOCK_WARN_MS ? DOCTOR_WARN : DOCTOR_OK;
}

/* The question takes time, so the clock is compared with the middle of it. */
static void judge_server_clock(struct doctor *doctor)
{
    int64_t before_ms = clock_wall_ms(), server_ms;

    if (db_run(doctor->service.verification, true, run_clock, &server_ms)) {
        doctor_say(doctor, DOCTOR_FAIL, NO_ANSWER);
        return;
    }
    int64_t offset_ms = server_ms - (before_ms + clock_wall_ms()) / 2;
    enum doctor_status status = doctor_judge_offset(offset_ms);
    if (status == DOCTOR_OK)
        doctor_say(doctor, status, "The clocks of this machine and of the database agree.");
    else
        doctor_say(doctor, status,
                   "The clock of the database is %lld s %s that of this machine: keep both in step "
                   "(chrony, systemd-timesyncd).",
                   (long long)(offset_ms < 0 ? -offset_ms : offset_ms) / 1000,
                   offset_ms < 0 ? "behind" : "ahead of");
}

static void tell_offset(struct doctor *doctor)
{
    int64_t ahead_s = (clock_now_ms() - clock_wall_ms()) / 1000;

    if (ahead_s == 0)
        doctor_say(doctor, DOCTOR_OK, "It was not set back, as far as the database knows.");
    else
        doctor_say(doctor, DOCTOR_OK,
                   "It was once set %s by %lld s. Codes, waits and blocks kept their lengths.",
                   ahead_s > 0 ? "back" : "forward", llabs(ahead_s));
}

void doctor_check_clock(struct doctor *doctor)
{
    if (!doctor->has_stores) return;
    if (config_is_embedded(&doctor->config))
        tell_offset(doctor);
    else
        judge_server_clock(doctor);
}

/* --- SIMs ------------------------------------------------------------------------------------- */

struct sims {
    struct work work; /* first, since the work gives this pointer back */
    struct device_list devices;
};

static enum err run_list(struct work *work)
{
    const struct fleet_query query = {.limit = FLEET_WHOLE, .ready = -1, .enabled = 1};
    return fleet_list(work, &query, &((struct sims *)work)->devices);
}

static void name_silent(struct doctor *doctor, const struct device *device,
                        const struct device_number *number, struct buf *out)
{
    char seen[CLOCK_TEXT_LEN + 1] = "never";

    if (device->last_seen_at > 0) clock_format(clock_to_wall(device->last_seen_at), seen);
    if (out->len > 0) buf_text(out, ", ");
    mask_number(str_of(number->number), out);
    buf_printf(out, " of \"%s\" (phone seen %s)",
               mask_text(mask_words, device->name, doctor->arena), seen);
}

static void judge_sims(struct doctor *doctor, const struct device_list *list)
{
    const struct device *devices = list->devices.items;
    size_t all = 0, silent = 0;
    AUTO_BUF names = {0};

    buf_init(&names, WHY_MAX);
    for (size_t i = 0; i < list->devices.count; i++) {
        const struct device_number *numbers = devices[i].numbers.items;
        for (size_t k = 0; k < devices[i].numbers.count; k++) {
            all++;
            if (numbers[k].sim_ready) continue;
            if (silent++ < NAMED_MAX) name_silent(doctor, &devices[i], &numbers[k], &names);
        }
    }
    if (all == 0)
        doctor_say(doctor, DOCTOR_OK, "No phone with a SIM is enabled.");
    else if (silent == 0)
        doctor_say(doctor, DOCTOR_OK, "%zu of %zu SIMs of enabled phones are ready.", all, all);
    else
        doctor_say(doctor, DOCTOR_WARN,
                   "%zu of %zu SIMs of enabled phones are silent: look whether the phone is on, "
                   "has a network and its application runs, or disable it. %.*s%s",
                   silent, all, (int)names.len, names.data, silent > NAMED_MAX ? ", ..." : ".");
}

void doctor_check_sims(struct doctor *doctor)
{
    struct sims sims = {.devices = {.next_cursor = NULL}};

    if (!doctor->has_stores) return;
    work_init(&sims.work, &doctor->service, doctor->arena, clock_now_ms(), NULL);
    sims.work.task.is_read = true;
    if (work_run(&sims.work, doctor->service.verification, run_list))
        doctor_say(doctor, DOCTOR_FAIL, NO_ANSWER);
    else
        judge_sims(doctor, &sims.devices);
}
