/* The command line has verbs. */
#include "app/admin/admin.h"
#include "app/api/routes.h"
#include "app/app.h"
#include "app/doctor/doctor.h"
#include "app/openapi/openapi.h"
#include "app/setup/limits.h"
#include "app/setup/risks.h"
#include "app/setup/stores.h"
#include "build.h"
#include "core/phone.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/progress.h"
#include "kit/base/signals.h"
#include "kit/http/server.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    TEXT_MAX = 64 * 1024 * 1024,
    EXIT_USAGE = 2,
    SENTENCE_MAX = 512,
    MALLOC_ARENAS = 2,
    MEGABYTE = 1024 * 1024,
    MEMORY_RESERVE =
        32 * MEGABYTE, /* a large body, packed; only address space until it is needed */
};

static const char help_text[] =
    "herald " HERALD_VERSION " - verification and messaging through your own phones\n"
    "\n"
    "  herald serve           everything in one process: the way on one machine\n"
    "  herald api             only the HTTP side (PostgreSQL)\n"
    "  herald worker          only the work in the background (PostgreSQL)\n"
    "  herald idp             only the identity service: tokens, keys (PostgreSQL)\n"
    "  herald migrate status  which version the database has; exit 1 if it is behind\n"
    "  herald migrate up      bring the database up to date\n"
    "  herald migrate finish  once every process is upgraded (PostgreSQL):\n"
    "                         docs/deploy.md\n"
    "  herald admin           integrations, clients, keys, packages, orders, log:\n"
    "                         `herald admin --help`\n"
    "  herald doctor          what is wrong with this installation, and what to do:\n"
    "                         `herald doctor --help`\n"
    "  herald config [NAME]   all settings, or one, with their values, sources and\n"
    "                         meanings; those that a running herald has are shown by\n"
    "                         `herald admin settings list`\n"
    "  herald openapi         the OpenAPI 3.1 document; with --3.0 as OpenAPI 3.0.3,\n"
    "                         for tools that know no other\n"
    "  herald --version\n"
    "\n"
    "Settings come from --config FILE, the environment and flags, in rising order of\n"
    "weight: HERALD_LISTEN=127.0.0.1:9000 and --listen 127.0.0.1:9000 mean the same.\n";

struct invocation {
    int arg_count;
    char **args; /* the words behind the verb */
    struct arena arena;
    struct config config;
    struct buf why;
    struct buf out;
};

/* Says a sentence of the process itself: plainly to people, else as a line of its log. */
static void say(enum log_level level, const char *sentence)
{
    if (log_is_for_people())
        fprintf(stderr, "%s\n", sentence);
    else
        log_write(level, sentence, NULL, 0);
}

static int fail(struct invocation *call)
{
    const char *why = arena_str(&call->arena, buf_view(&call->why));

    if (log_is_for_journal())
        log_write(LOG_ERROR, why, NULL, 0);
    else
        fprintf(stderr, "herald: %s\n", why);
    return EXIT_USAGE;
}

static int print_out(struct invocation *call)
{
    bool is_written = fwrite(call->out.data, 1, call->out.len, stdout) == call->out.len;
    return is_written && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Reads the settings, and applies those of the whole process. */
static enum err read_settings(struct invocation *call)
{
    enum err err =
        config_load(call->arg_count, call->args, &call->arena, &call->config, &call->why);
    if (err) return err;
    log_set_level((enum log_level)call->config.log_level);
    phone_set_prefixes(str_of(call->config.number_prefixes));
    return ERR_OK;
}

static enum err load(struct invocation *call, enum process_role role)
{
    enum err err = read_settings(call);
    if (err) return err;
    return config_complete(&call->config, role, &call->arena, &call->out, &call->why);
}

/* --- serve, api, worker, idp ------------------------------------------------------------------ */

/* Says which providers there are, since a channel without one refuses what it is asked for. */
static void say_providers(struct arena *arena, const struct channel_setup *channels)
{
    AUTO_BUF there = {0}, missing = {0};

    buf_init(&there, SENTENCE_MAX);
    buf_init(&missing, SENTENCE_MAX);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct channel_driver *driver = channels[i].driver;
        struct buf *list = driver ? &there : &missing;
        buf_printf(list, "%s%s", list->len ? ", " : "", channel_words[i]);
        if (driver) buf_printf(list, " by %s", driver->name);
    }
    buf_text(&there, there.len ? "" : "none");
    say(LOG_INFO,
        arena_printf(arena, missing.len ? "providers: %.*s; not set up: %.*s" : "providers: %.*s",
                     (int)there.len, there.data, (int)missing.len, missing.data));
}

/* The addresses of the console come last, and are told as a page to go to. */
static void say_addresses(const struct app *app, struct arena *arena)
{
    AUTO_BUF all = {0}, line = {0};
    struct str list, item;

    buf_init(&all, SENTENCE_MAX);
    buf_init(&line, SENTENCE_MAX);
    http_server_addresses(app->api.server, &all);
    list = buf_view(&all);
    buf_text(&line, "herald " HERALD_VERSION " listens on ");
    for (int i = 0; str_next_item(&list, &item); i++) {
        if (app->api.console && i >= app->api.console_listener) break;
        buf_printf(&line, "%s%.*s", i > 0 ? "," : "", (int)item.len, item.data);
    }
    if (app->operators.console_url)
        say(LOG_INFO,
            arena_printf(arena, "the console is at %s/console/", app->operators.console_url));
    say(LOG_INFO, arena_str(arena, buf_view(&line)));
}

static void say_start(struct invocation *call, const struct app *app)
{
    struct arena *arena = &call->arena;
    struct str news = buf_view(&call->out); /* of lines */

    while (news.len > 0) {
        struct str line = str_until(news, '\n');
        say(LOG_INFO, arena_str(arena, line));
        news = str_behind(news, line.len + 1);
    }
    if (call->config.is_log_sensitive)
        say(LOG_WARNING, "WARNING: LOG_SENSITIVE is true: the log shows full numbers, codes and "
                         "used keys. Never run like this in production.");
    if (app->role == PROCESS_SERVE || app->role == PROCESS_WORKER)
        say_providers(arena, app->service.channels);
    if (!app->api.server) {
        say(LOG_INFO, "herald " HERALD_VERSION " works");
        return;
    }
    say_addresses(app, arena);
}

/* Connections are lowered to the limit, but not the descriptors that herald needs itself. */
static enum err set_files(struct config *config, enum process_role role, struct buf *why)
{
    int64_t needed = limits_files_needed(config, role), allowed = limits_raise_files(needed);

    if (allowed >= needed) return ERR_OK;
    if (allowed < LIMITS_FILES_LEAST) {
        limits_explain_files(allowed, why);
        return ERR_VALIDATION;
    }
    bool has_server = role != PROCESS_WORKER;
    if (has_server) config->connections_max = allowed - LIMITS_FILES_BESIDE;
    log_write(LOG_WARNING,
              "fewer file descriptors are allowed than HERALD_CONNECTIONS_MAX needs, so that fewer "
              "connections are taken; raise the limit (ulimit -n, LimitNOFILE)",
              LOG_FIELDS(log_int("allowed", allowed), log_int("needed", needed),
                         log_int("connections", has_server ? config->connections_max : 0)));
    return ERR_OK;
}

static void set_memory(void)
{
    int64_t allowed = limits_memory_allowed();

    /* Threads share malloc's arenas: with an arena each, every thread that met a large package
     * would keep tens of megabytes. */
    mallopt(M_ARENA_MAX, MALLOC_ARENAS);
    bool is_little = allowed > 0 && allowed < LIMITS_MEMORY_AMPLE;
    if (!memory_keep_reserve(MEMORY_RESERVE) || is_little)
        log_write(LOG_WARNING,
                  "little memory is allowed: large packages of ERPs may be refused with "
                  "overloaded; allow more (ulimit -v, MemoryMax)",
                  LOG_FIELDS(log_int("allowed_mb", allowed / MEGABYTE),
                             log_int("ample_mb", LIMITS_MEMORY_AMPLE / MEGABYTE)));
}

/* Balancers look every few seconds, and should see that readiness is red before they are refused.
 * Only a SIGTERM is answered so; another signal ends the wait. */
static void drain(struct app *app, struct arena *arena, int signal_number)
{
    int64_t drain_s = app->config->drain_s;

    app_begin_stop(app);
    if (signal_number != SIGTERM || !app->api.server || drain_s == 0) return;
    say(LOG_INFO, arena_printf(arena,
                               "herald stops: ready answers 503, and in %lld s connections "
                               "are refused",
                               (long long)drain_s));
    signals_pause((int)drain_s);
}

/* Names the variables that look like settings and are none of ours. */
static void say_service_links(const struct config *config)
{
    if (!config->service_links) return;
    log_write(LOG_INFO,
              "variables of the environment that Kubernetes or Docker made for a service named "
              "herald are no settings and were passed over",
              LOG_FIELDS(log_plain("variables", config->service_links)));
}

static int run_service(struct invocation *call, enum process_role role)
{
    struct signals signals;
    struct app app;

    if (load(call, role)) return fail(call);
    call->config.build = herald_build;
    signals_block(&signals);
    set_memory();
    if (set_files(&call->config, role, &call->why)) return fail(call);
    say_service_links(&call->config);
    risks_warn(&call->config, role);
    enum err err = app_start(&app, &call->config, role, &call->arena, &call->why);
    if (err) {
        app_stop(&app);
        return fail(call);
    }
    say_start(call, &app);
    drain(&app, &call->arena, signals_wait(&signals, app_reload, &app));
    say(LOG_INFO, "herald stops: running requests end, 30 seconds at most");
    app_stop(&app);
    return EXIT_SUCCESS;
}

static int verb_serve(struct invocation *call)
{
    return run_service(call, PROCESS_SERVE);
}

static int verb_api(struct invocation *call)
{
    return run_service(call, PROCESS_API);
}

static int verb_worker(struct invocation *call)
{
    return run_service(call, PROCESS_WORKER);
}

static int verb_idp(struct invocation *call)
{
    return run_service(call, PROCESS_IDP);
}

/* --- Tools ------------------------------------------------------------------------------------ */

/* Takes the flag out of the words behind the verb; it may stand among settings. */
static bool take_flag(struct invocation *call, const char *flag)
{
    int kept = 0;

    for (int i = 0; i < call->arg_count; i++) {
        if (strcmp(call->args[i], flag) != 0) call->args[kept++] = call->args[i];
    }
    bool is_there = kept < call->arg_count;
    call->arg_count = kept;
    return is_there;
}

static int verb_openapi(struct invocation *call)
{
    struct openapi_info info = {
        .version = HERALD_VERSION,
        .token_url = TOKEN_PATH,
        .dialect = take_flag(call, "--3.0") ? SCHEMA_OPENAPI_3_0 : SCHEMA_2020_12,
    };
    struct route_list routes;

    if (read_settings(call)) return fail(call);
    routes_of_role(PROCESS_TOOL, true, &routes);
    openapi_print(&routes, &info, &call->out);
    return print_out(call);
}

static int verb_config(struct invocation *call)
{
    const char *word = call->arg_count > 0 && call->args[0][0] != '-' ? call->args[0] : NULL;
    const char *nearest = NULL, *name = word ? config_find_name(word, &nearest) : NULL;

    if (word && !name) {
        buf_printf(&call->why, "\"%s\" is not understood here: no setting has that name.", word);
        if (nearest) buf_printf(&call->why, " Did you mean %s?", nearest);
        return fail(call);
    }
    call->arg_count -= word != NULL;
    call->args += word != NULL;
    if (config_load(call->arg_count, call->args, &call->arena, &call->config, &call->why))
        return fail(call);
    config_print(&call->config, name, &call->arena, &call->out);
    return print_out(call);
}

static int verb_migrate(struct invocation *call)
{
    bool is_up = call->arg_count > 0 && strcmp(call->args[0], "up") == 0;
    bool is_status = call->arg_count > 0 && strcmp(call->args[0], "status") == 0;
    bool is_finish = call->arg_count > 0 && strcmp(call->args[0], "finish") == 0;
    bool are_current;

    if (!is_up && !is_status && !is_finish) {
        bool has_word = call->arg_count > 0 && call->args[0][0] != '-';
        if (has_word) buf_printf(&call->why, "\"%s\" is not understood here. ", call->args[0]);
        buf_text(&call->why,
                 "`herald migrate` needs one of these words first: status, up, finish.");
        return fail(call);
    }
    call->arg_count--;
    call->args++;
    if (load(call, is_up ? PROCESS_MIGRATE : PROCESS_TOOL)) return fail(call);
    struct progress *progress = progress_begin(is_up       ? "brings the schema up to date"
                                               : is_finish ? "seals and counts anew"
                                                           : "reads the schema");
    enum err err = is_finish
                       ? stores_finish(&call->config, &call->out, &call->why)
                       : stores_migrate(&call->config, is_up, &call->out, &are_current, &call->why);
    progress_end(progress);
    if (err) return fail(call);
    if (is_finish) return print_out(call);
    int status = print_out(call);
    return are_current ? status : EXIT_FAILURE;
}

/* There can be both a result and a message. */
static int verb_admin(struct invocation *call)
{
    int status = admin_run(call->arg_count, call->args, &call->arena, &call->out, &call->why);
    bool is_printed = call->out.len == 0 || print_out(call) == EXIT_SUCCESS;
    if (call->why.len > 0) (void)fail(call);
    if (call->out.data)
        secret_wipe(call->out.data, call->out.len); /* it may hold a secret that is shown once */
    return is_printed ? status : EXIT_FAILURE;
}

static int verb_doctor(struct invocation *call)
{
    int status = doctor_run(call->arg_count, call->args, &call->arena, &call->out, &call->why);
    bool is_printed = call->out.len == 0 || print_out(call) == EXIT_SUCCESS;
    if (call->why.len > 0) (void)fail(call);
    return is_printed ? status : EXIT_FAILURE;
}

static int verb_version(struct invocation *call)
{
    if (call->arg_count > 0) {
        buf_printf(&call->why, "\"%s\" is not understood here: `herald --version` stands alone.",
                   call->args[0]);
        return fail(call);
    }
    buf_text(&call->out, "herald " HERALD_VERSION "\n");
    return print_out(call);
}

static int verb_help(struct invocation *call);

static const struct verb {
    const char *name;
    int (*run)(struct invocation *call);
} verbs[] = {
    {"serve", verb_serve},       {"api", verb_api},         {"worker", verb_worker},
    {"idp", verb_idp},           {"migrate", verb_migrate}, {"admin", verb_admin},
    {"doctor", verb_doctor},     {"config", verb_config},   {"openapi", verb_openapi},
    {"help", verb_help},         {"--help", verb_help},     {"-h", verb_help},
    {"--version", verb_version},
};

static bool asks_for_help(const struct invocation *call)
{
    for (int i = 0; i < call->arg_count; i++) {
        if (strcmp(call->args[i], "--help") == 0 || strcmp(call->args[i], "-h") == 0) return true;
    }
    return false;
}

/* Returns the verb that was probably meant; NULL: none is near. */
static const char *find_nearest(const char *name)
{
    const char *names[COUNT_OF(verbs)];

    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        names[i] = verbs[i].name;
    return str_nearest(name, names, COUNT_OF(names));
}

/* The help shows all verbs, but not the commands of `herald admin`, which has a help of its own. */
static int run_verb(struct invocation *call, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        const struct verb *verb = &verbs[i];
        if (strcmp(verb->name, name) != 0) continue;
        if (verb->run == verb_admin || verb->run == verb_doctor || !asks_for_help(call))
            return verb->run(call);
        buf_text(&call->out, help_text);
        return print_out(call);
    }
    const char *nearest = find_nearest(name);
    fprintf(stderr, "herald: \"%s\" is no verb of herald.%s%s%s These are its verbs:\n\n%s", name,
            nearest ? " Did you mean `herald " : "", nearest ? nearest : "", nearest ? "`?" : "",
            help_text);
    return EXIT_USAGE;
}

/* `herald help VERB` does what `herald VERB --help` does. */
static int verb_help(struct invocation *call)
{
    char flag[] = "--help";
    char *args[] = {flag};
    const char *name = call->arg_count > 0 ? call->args[0] : "help";

    call->arg_count = COUNT_OF(args);
    call->args = args;
    return run_verb(call, name);
}

int main(int argc, char **argv)
{
    must_have_streams();
    /* It comes before any secret is read, so that no core and no debugger of the same user gets
     * one. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    /* A file that may not grow further (ulimit -f) is an error of write, as on a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    struct invocation call = {.arg_count = argc - 2};

    if (argc < 2) {
        fputs(help_text, stderr);
        return EXIT_USAGE;
    }
    if (!secret_system_init()) {
        fputs("herald: the system gives no randomness.\n", stderr);
        return EXIT_FAILURE;
    }
    log_find_journal();
    arena_init(&call.arena);
    call.args = config_take_args(call.arg_count, argv + 2, &call.arena);
    buf_init(&call.why, TEXT_MAX);
    buf_init(&call.out, TEXT_MAX);
    int status = run_verb(&call, argv[1]);
    config_forget_secrets(&call.config);
    buf_done(&call.why);
    buf_done(&call.out);
    arena_done(&call.arena);
    return status;
}
