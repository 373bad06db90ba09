/* The machine: what the settings risk, what the system allows, how much room the disk has. */
#include "app/doctor/doctor_check.h"
#include "app/setup/config_settings.h"
#include "app/setup/limits.h"
#include "app/setup/risks.h"
#include "app/setup/stores.h"
#include "domain/trouble/trouble.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum {
    MIB = 1024 * 1024,
    DISK_FAIL_MIB = 64,
    DISK_WARN_MIB = TROUBLE_DISK_LOW_MIB,
    LOG_WARN_MIB = 256
};
enum { WHY_MAX = 4096, DETAIL_MAX = 2048 };

/* --- Settings --------------------------------------------------------------------------------- */

/* The keys are found as `serve` finds them, but none is made. */
static bool has_keys(struct doctor *doctor)
{
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    enum err err = config_find_internal_key(&doctor->config, doctor->arena, &why);
    if (!err) err = config_find_secret_key(&doctor->config, doctor->arena, &why);
    if (err) doctor_say(doctor, DOCTOR_FAIL, "%.*s", (int)why.len, why.data);
    return !err;
}

void doctor_check_settings(struct doctor *doctor)
{
    struct record_list list = config_show(&doctor->config, doctor->arena);
    const struct shown_setting *settings = list.items;
    size_t given = 0;

    for (size_t i = 0; i < list.count; i++)
        given += settings[i].set && strcmp(settings[i].source, "the default") != 0;
    if (has_keys(doctor))
        doctor_say(doctor, DOCTOR_OK, "All are valid; of %zu, %zu have a value of their own.",
                   list.count, given);
}

/* This command may run as root where the service does not, and look at a folder that holds no
 * database: what belongs to a service shows by its file. */
static bool is_of_the_service(const struct doctor *doctor, const struct risk *risk)
{
    bool is_of_root = strcmp(risk->name, "root") == 0;
    struct stat status;

    if (!is_of_root && strcmp(risk->name, "open_state_folder") != 0) return true;
    bool is_there = config_is_embedded(&doctor->config) &&
                    stat(config_database_path(&doctor->config), &status) == 0;
    return is_there && (!is_of_root || status.st_uid == 0);
}

void doctor_check_risks(struct doctor *doctor)
{
    size_t taken = 0;

    for (size_t i = 0; i < risk_count; i++) {
        AUTO_BUF detail = {0};
        buf_init(&detail, DETAIL_MAX);
        if (!is_of_the_service(doctor, &risks[i]) ||
            !risks[i].is_taken(&doctor->config, PROCESS_SERVE, doctor->arena, &detail))
            continue;
        doctor_say(doctor, DOCTOR_WARN, "%s: %s%s%.*s%s", risks[i].name, risks[i].sentence,
                   detail.len > 0 ? " It is " : "", (int)detail.len,
                   detail.len > 0 ? detail.data : "", detail.len > 0 ? "." : "");
        taken++;
    }
    if (taken == 0)
        doctor_say(doctor, DOCTOR_OK, "None is taken: keys are long, files are closed to others.");
}

/* --- Limits ----------------------------------------------------------------------------------- */

/* A running service says what it got, which need not be what this shell allows. */
static void judge_running_files(struct doctor *doctor, int64_t wanted)
{
    const char *text = doctor_running_value(doctor, "HERALD_CONNECTIONS_MAX");
    long long connections;

    if (!text || !str_to_int64(str_of(text), &connections)) return;
    if (connections < wanted)
        doctor_say(doctor, DOCTOR_WARN,
                   "The service takes %lld connections and not the %lld of HERALD_CONNECTIONS_MAX, "
                   "since it may open no more files: raise LimitNOFILE to %lld.",
                   connections, (long long)wanted, (long long)wanted + LIMITS_FILES_BESIDE);
    else
        doctor_say(doctor, DOCTOR_OK,
                   "The service may open as many files as "
                   "HERALD_CONNECTIONS_MAX needs.");
}

static void judge_files_here(struct doctor *doctor)
{
    int64_t needed = limits_files_needed(&doctor->config, PROCESS_SERVE);
    int64_t allowed = limits_raise_files(needed);
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    if (allowed >= needed) {
        doctor_say(doctor, DOCTOR_OK,
                   "This shell lets a process open as many files as "
                   "HERALD_CONNECTIONS_MAX needs.");
    } else if (allowed >= LIMITS_FILES_LEAST) {
        doctor_say(
            doctor, DOCTOR_WARN,
            "A herald that starts here may open %lld files, and HERALD_CONNECTIONS_MAX needs "
            "%lld: raise the limit (ulimit -n, LimitNOFILE).",
            (long long)allowed, (long long)needed);
    } else {
        limits_explain_files(allowed, &why);
        doctor_say(doctor, DOCTOR_FAIL, "%.*s", (int)why.len, why.data);
    }
}

static void judge_memory_here(struct doctor *doctor)
{
    int64_t allowed = limits_memory_allowed();

    if (allowed == 0 || allowed >= LIMITS_MEMORY_AMPLE) return;
    doctor_say(doctor, DOCTOR_WARN,
               "A herald that starts here may have %lld MB of memory, so that large packages of "
               "ERPs may be refused with overloaded: allow %d MB (ulimit -v, MemoryMax).",
               (long long)allowed / MIB, LIMITS_MEMORY_AMPLE / MIB);
}

void doctor_check_limits(struct doctor *doctor)
{
    if (doctor->is_running) {
        judge_running_files(doctor, doctor->config.connections_max);
        return;
    }
    judge_files_here(doctor);
    judge_memory_here(doctor);
}

/* --- The disk --------------------------------------------------------------------------------- */

enum doctor_status doctor_judge_room(int64_t free_mib)
{
    if (free_mib < DISK_FAIL_MIB) return DOCTOR_FAIL;
    return free_mib < DISK_WARN_MIB ? DOCTOR_WARN : DOCTOR_OK;
}

static int64_t size_mib(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (int64_t)status.st_size / MIB;
}

/* The log of SQLite goes on growing while something reads an old state of the file. */
static void judge_log(struct doctor *doctor, const char *url)
{
    const char *log = arena_printf(doctor->arena, "%s-wal", url + strlen("sqlite:"));
    int64_t size = size_mib(log);

    if (size < LOG_WARN_MIB) return;
    doctor_say(doctor, DOCTOR_WARN,
               "%s has %lld MB: something reads the database for long, such as a backup that "
               "hangs. End it; then herald empties the file.",
               log, (long long)size);
}

void doctor_check_disk(struct doctor *doctor)
{
    const struct config *config = &doctor->config;
    struct statvfs room;

    if (!config_is_embedded(config)) return;
    const char *dir = config_database_dir(config, doctor->arena);
    if (statvfs(dir, &room)) {
        doctor_say(doctor, DOCTOR_FAIL,
                   "The folder %s of the database cannot be reached: %s. HERALD_STATE_DIR or "
                   "--state-dir says where it is; run this by sudo where herald is a service.",
                   dir, strerror(errno));
        return;
    }
    int64_t used_mib =
        size_mib(config_database_path(config)) + size_mib(config->exchange_url + strlen("sqlite:"));
    int64_t free_mib = (int64_t)(room.f_bavail * (uint64_t)room.f_frsize / MIB);
    enum doctor_status status = doctor_judge_room(free_mib);
    doctor_say(doctor, status, "%lld MB are free in %s, where the databases have %lld MB.%s",
               (long long)free_mib, dir, (long long)used_mib,
               status == DOCTOR_OK ? "" : " Make room: without any, no code can be made.");
    judge_log(doctor, config->database_url);
    judge_log(doctor, config->exchange_url);
}
