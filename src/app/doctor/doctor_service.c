/* The running service is asked whether it is well, and how it is set up. */
#include "app/doctor/doctor_check.h"
#include "kit/base/macros.h"
#include "kit/json/pointer.h"

enum { SETTINGS_MAX = 200 };

/* --- Does it run? ----------------------------------------------------------------------------- */

static void judge_live(struct doctor *doctor, const struct fetch *fetch)
{
    const char *version = doctor_text_at(doctor, fetch, "/version");

    if (fetch->status == 0) {
        doctor_say(doctor, DOCTOR_FAIL,
                   "No herald answers at %s: %s. If it should run, start it (systemctl start "
                   "herald) and read what it says (journalctl -u herald); if it runs elsewhere, "
                   "give --listen or --url.",
                   doctor->url, fetch->error);
        return;
    }
    if (!version) {
        doctor_say(doctor, DOCTOR_FAIL,
                   "What answers at %s is not herald: it gave status %d. --listen or --url says "
                   "where herald is.",
                   doctor->url, fetch->status);
        return;
    }
    doctor->is_running = true;
    if (strcmp(version, HERALD_VERSION) != 0)
        doctor_say(doctor, DOCTOR_WARN,
                   "herald %s answers at %s, and this is herald %s. Restart it to run the one that "
                   "is installed.",
                   version, doctor->url, HERALD_VERSION);
}

void doctor_check_service(struct doctor *doctor)
{
    struct fetch live, ready;

    doctor_ask(doctor, "/health/live", NULL, &live);
    judge_live(doctor, &live);
    fetch_done(&live);
    if (!doctor->is_running) return;

    doctor_ask(doctor, "/health/ready", NULL, &ready);
    const char *trouble = doctor_text_at(doctor, &ready, "/error");
    if (ready.status == 200)
        doctor_say(doctor, DOCTOR_OK, "herald answers at %s and is ready.", doctor->url);
    else
        doctor_say(doctor, DOCTOR_FAIL,
                   "herald answers at %s and is not ready: %s journalctl -u herald tells more.",
                   doctor->url, trouble ? trouble : "it does not say why.");
    fetch_done(&ready);
}

/* --- How it is set up ------------------------------------------------------------------------- */

/* Returns where the setting is in the answer; -1: it is not there. */
static int find_running(struct doctor *doctor, const char *name)
{
    for (int i = 0; i < SETTINGS_MAX; i++) {
        struct json_value value;
        const char *pointer = arena_printf(doctor->arena, "/settings/%d/name", i);
        if (!json_find(doctor->settings, pointer, doctor->arena, &value) ||
            value.type != JSON_STRING)
            return -1;
        if (str_is(value.text, name)) return i;
    }
    return -1;
}

const char *doctor_running_value(struct doctor *doctor, const char *name)
{
    struct json_value value;
    int index = doctor->settings.len > 0 ? find_running(doctor, name) : -1;

    if (index < 0) return NULL;
    const char *pointer = arena_printf(doctor->arena, "/settings/%d/value", index);
    bool is_text =
        json_find(doctor->settings, pointer, doctor->arena, &value) && value.type == JSON_STRING;
    return is_text ? value.text.data : NULL;
}

/* A setting that nobody gave to this command may have been given to the service alone, as by its
 * unit. Port 0 becomes a true one, and connections are judged by doctor_check_limits. */
static bool is_comparable(const struct shown_setting *setting)
{
    static const char *const others[] = {"HERALD_LISTEN", "HERALD_CONNECTIONS_MAX"};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (strcmp(setting->name, others[i]) == 0) return false;
    }
    return setting->value && strcmp(setting->source, "the default") != 0;
}

static void compare_settings(struct doctor *doctor)
{
    struct record_list list = config_show(&doctor->config, doctor->arena);
    const struct shown_setting *settings = list.items;
    size_t differences = 0;

    for (size_t i = 0; i < list.count; i++) {
        if (!is_comparable(&settings[i])) continue;
        const char *running = doctor_running_value(doctor, settings[i].name);
        if (running && strcmp(running, settings[i].value) == 0) continue;
        doctor_say(doctor, DOCTOR_WARN,
                   "%s is \"%s\" by %s, and the service runs with \"%s\". Restart it if the "
                   "setting was changed since it started.",
                   settings[i].name, settings[i].value, settings[i].source, running ? running : "");
        differences++;
    }
    if (differences == 0)
        doctor_say(doctor, DOCTOR_OK,
                   "The service takes the internal key, and runs with the "
                   "settings that are read here.");
}

void doctor_check_running(struct doctor *doctor)
{
    const struct config *config = &doctor->config;
    struct fetch fetch;

    if (!doctor->is_running || !config->internal_keys.data) return;
    const char *keys = config->internal_keys.data;
    char *key = arena_str(doctor->arena, (struct str){keys, strcspn(keys, ",")});
    doctor_ask(doctor, "/internal/v1/settings", key, &fetch);
    secret_wipe(key, strlen(key));
    if (fetch.status == 200) {
        struct str answer = buf_view(&fetch.answer);
        doctor->settings = (struct str){arena_str(doctor->arena, answer), answer.len};
        compare_settings(doctor);
    } else if (fetch.status == 401) {
        doctor_say(doctor, DOCTOR_FAIL,
                   "The service at %s does not take the key from %s. Give the INTERNAL_API_KEY "
                   "that it runs with.",
                   doctor->url, config_source(config, "INTERNAL_API_KEY"));
    } else {
        doctor_say(
            doctor, DOCTOR_WARN, "The service at %s does not tell its settings: %s.", doctor->url,
            fetch.error ? fetch.error : arena_printf(doctor->arena, "status %d", fetch.status));
    }
    fetch_done(&fetch);
}
