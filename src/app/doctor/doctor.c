/* The checks are a table; they run one after the other and write the report. */
#include "app/doctor/doctor.h"

#include "app/doctor/doctor_check.h"
#include "app/setup/channels.h"
#include "app/setup/stores.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/mask.h"
#include "kit/base/progress.h"
#include "kit/base/terminal.h"
#include "kit/http/tls.h"

#include <stdio.h>
#include <unistd.h>

enum { ANSWER_MAX = 128 * 1024, MESSAGE_MAX = 16 * 1024, WRONG_COMMAND = 2 };

static const char help_text[] =
    "herald doctor looks at an installation, changes nothing, and says in a line each\n"
    "what is ok, what to look at (warn) and what is wrong (fail), and what to do.\n"
    "\n"
    "  herald doctor                the report\n"
    "  herald doctor --json         the same for programs\n"
    "  herald doctor --bundle FILE  also writes a new FILE for a bug report: the\n"
    "                               report, the settings, versions and the end of the\n"
    "                               log, without secrets, codes and whole numbers\n"
    "\n"
    "It reads the settings of the herald of this machine (/etc/herald/herald.conf,\n"
    "/var/lib/herald) where there is one, unless --config, --state-dir or\n"
    "--database-url name another. All settings can be given as for `herald serve`,\n"
    "and --url URL says where herald is reached. Run it by sudo where herald is a\n"
    "service: nobody else may read its keys.\n"
    "\n"
    "It exits with 0 if all is ok, 1 if there is a warning, 2 if something fails.\n";

static const struct doctor_check checks[] = {
    {"settings", "reads the settings", doctor_check_settings},
    {"risks", "looks at the settings and files", doctor_check_risks},
    {"service", "asks the service", doctor_check_service},
    {"running", "asks the service for its settings", doctor_check_running},
    {"limits", "looks at what the system allows", doctor_check_limits},
    {"disk", "looks at the disk", doctor_check_disk},
    {"schema", "reads the schemas", doctor_check_schema},
    {"stores", "opens the databases", doctor_check_stores},
    {"secret-key", "opens what is sealed", doctor_check_key},
    {"worker", "looks for a worker", doctor_check_worker},
    {"clock", "compares the clocks", doctor_check_clock},
    {"certificate", "reads the certificate", doctor_check_certificate},
    {"public-url", "asks the public URL", doctor_check_url},
    {"providers", "asks the providers", doctor_check_providers},
    {"erps", "asks the ERPs for their health", doctor_check_erps},
    {"sims", "looks for silent SIMs", doctor_check_sims},
};

/* The words behind the verb. */
struct command {
    bool wants_help, wants_json;
    const char *bundle; /* NULL: none */
    const char *url;    /* NULL: as HERALD_LISTEN says */
    char **settings;
    int setting_count;
};

/* --- The command ------------------------------------------------------------------------------ */

static enum err take_value(const char *name, int arg_count, char **args, int *index,
                           const char **ret_value, struct buf *why)
{
    const char *equals = strchr(args[*index], '=');

    if (!equals && *index + 1 >= arg_count) {
        buf_printf(why, "%s needs a value. `herald doctor --help` tells more.", name);
        return ERR_VALIDATION;
    }
    *ret_value = equals ? equals + 1 : args[++*index];
    if ((*ret_value)[0]) return ERR_OK;
    buf_printf(why, "%s needs a value that is not empty.", name);
    return ERR_VALIDATION;
}

static enum err take_url(struct arena *arena, const char **url, struct buf *why)
{
    size_t len = strlen(*url);
    bool is_web = strncmp(*url, "http://", 7) == 0 || strncmp(*url, "https://", 8) == 0;

    while (len > 0 && (*url)[len - 1] == '/')
        len--;
    if (!is_web || !str_is_visible(str_of(*url)) || strpbrk(*url, "?#@")) {
        buf_text(why, "--url must be an address such as http://127.0.0.1:8080, without user and "
                      "query.");
        return ERR_VALIDATION;
    }
    *url = arena_str(arena, (struct str){*url, len});
    return ERR_OK;
}

static bool is_flag(const char *arg, const char *name)
{
    size_t len = strlen(name);
    return strncmp(arg, name, len) == 0 && (arg[len] == '=' || arg[len] == '\0');
}

/* All other words are settings, which config_load reads and refuses. */
static enum err read_command(int arg_count, char **args, struct arena *arena,
                             struct command *ret_command, struct buf *why)
{
    struct command command = {.settings =
                                  arena_array(arena, (size_t)arg_count + 1, sizeof(char *))};
    enum err err = ERR_OK;

    for (int i = 0; !err && i < arg_count; i++) {
        if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0)
            command.wants_help = true;
        else if (strcmp(args[i], "--json") == 0)
            command.wants_json = true;
        else if (is_flag(args[i], "--bundle"))
            err = take_value("--bundle", arg_count, args, &i, &command.bundle, why);
        else if (is_flag(args[i], "--url"))
            err = take_value("--url", arg_count, args, &i, &command.url, why);
        else
            command.settings[command.setting_count++] = args[i];
    }
    if (!err && command.url) err = take_url(arena, &command.url, why);
    *ret_command = command;
    return err;
}

/* --- The settings ----------------------------------------------------------------------------- */

/* The service is trusted by the certificate of its settings; one that cannot be read is a line of
 * the report, too. */
static void find_pin(struct doctor *doctor)
{
    struct tls_certificate certificate;
    AUTO_BUF why = {0};

    buf_init(&why, MESSAGE_MAX);
    if (doctor->config.tls_cert_file && tls_certificate_read(doctor->config.tls_cert_file, NULL,
                                                             NULL, &certificate, &why) == ERR_OK)
        doctor->pin = arena_text(doctor->arena, certificate.pin);
}

/* Each fault of the settings is a line of the report. */
static enum err load(struct doctor *doctor, const struct command *command)
{
    struct config *config = &doctor->config;
    struct config_installed installed = CONFIG_INSTALLED;
    AUTO_BUF why = {0}, news = {0};

    buf_init(&why, MESSAGE_MAX);
    buf_init(&news, MESSAGE_MAX);
    enum err err = config_load_installed(command->setting_count, command->settings, &installed,
                                         doctor->arena, config, &why);
    if (!err) err = config_complete(config, PROCESS_TOOL, doctor->arena, &news, &why);
    if (!err) err = channels_new(config, &doctor->channels, &why);
    if (err) {
        config_explain_closed(&installed, &why);
        doctor_say(doctor, DOCTOR_FAIL, "%.*s", (int)why.len, why.data);
        return err;
    }
    doctor->url = command->url ? command->url : config_local_url(config, doctor->arena);
    find_pin(doctor);
    if (!installed.is_closed) return ERR_OK;
    config_explain_closed(&installed, &why);
    doctor_say(doctor, DOCTOR_WARN, "%.*s", (int)why.len, why.data);
    return ERR_OK;
}

/* Numbers get the marks that they have in the log, and the internal keys, which have no look of
 * their own, are hidden wherever they might be quoted. Old values may still have the form of
 * 0.5.0. */
static void set_up_masks(struct doctor *doctor)
{
    const struct config *config = &doctor->config;
    struct str keys = str_of(config->internal_keys.data), key;
    uint8_t mask_key[MASK_KEY_LEN];

    AUTO_BUF why = {0};

    buf_init(&why, MESSAGE_MAX);
    if (!config->secret_key.data || stores_make_vault(config, &doctor->service.vault, &why)) return;
    vault_set_forms(doctor->service.vault,
                    (struct vault_forms){.writes_form_2 = true, .takes_form_1 = true},
                    clock_monotonic_ms());
    vault_mask_key(doctor->service.vault, mask_key);
    mask_set_key(mask_key);
    secret_wipe(mask_key, sizeof(mask_key));
    while (keys.len > 0 && str_next_item(&keys, &key))
        (void)mask_add_secret(key);
}

static void examine(struct doctor *doctor, const struct command *command)
{
    struct progress *progress = progress_begin(checks[0].doing);

    doctor->check = &checks[0];
    bool is_loaded = load(doctor, command) == ERR_OK;
    for (size_t i = 0; is_loaded && i < COUNT_OF(checks); i++) {
        doctor->check = &checks[i];
        progress_say(progress, checks[i].doing);
        checks[i].run(doctor);
        if (i == 0) set_up_masks(doctor);
    }
    progress_end(progress);
}

/* --- The end ---------------------------------------------------------------------------------- */

static void print(const struct doctor *doctor, bool wants_json, struct buf *out)
{
    const struct doctor_report *report = &doctor->report;
    struct json_writer writer;

    if (!wants_json) {
        doctor_report_print(report, terminal_columns(STDOUT_FILENO), out);
        return;
    }
    json_writer_init(&writer, out);
    json_object_begin(&writer);
    json_put_text(&writer, "version", HERALD_VERSION);
    json_put_text(&writer, "status", doctor_status_words[doctor_report_worst(report)]);
    json_key(&writer, "checks");
    doctor_report_write(report, &writer);
    json_object_end(&writer);
    buf_char(out, '\n');
}

static void close_all(struct doctor *doctor)
{
    stores_close(&doctor->service);
    vault_free(doctor->service.vault);
    channels_free(doctor->channels);
    fetch_client_free(doctor->client);
    config_forget_secrets(&doctor->config);
}

int doctor_run(int arg_count, char **args, struct arena *arena, struct buf *out, struct buf *why)
{
    struct command command;

    if (read_command(arg_count, args, arena, &command, why)) return WRONG_COMMAND;
    if (command.wants_help) {
        buf_text(out, help_text);
        return 0;
    }
    struct doctor *doctor = arena_alloc(arena, sizeof(*doctor));
    *doctor = (struct doctor){.arena = arena, .report = {.arena = arena}};
    doctor->client = fetch_client_new(DOCTOR_FETCHES_AT_ONCE, 0, ANSWER_MAX);
    examine(doctor, &command);
    print(doctor, command.wants_json, out);
    int status = (int)doctor_report_worst(&doctor->report);
    if (command.bundle && doctor_write_bundle(doctor, command.bundle, why)) status = WRONG_COMMAND;
    close_all(doctor);
    return status;
}
