/* The command line has verbs. */
#include "app/admin/admin.h"
#include "app/api/routes.h"
#include "app/app.h"
#include "app/openapi/openapi.h"
#include "app/setup/risks.h"
#include "app/setup/stores.h"
#include "core/phone.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/http/server.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    TEXT_MAX = 64 * 1024 * 1024,
    EXIT_USAGE = 2,
    FILES_BESIDE_CONNECTIONS =
        200, /* 128 of them for connections that get a 503 when all places are taken */
    FILES_LEAST = 256,
    MALLOC_ARENAS = 2,
    MEGABYTE = 1024 * 1024,
    MEMORY_AMPLE = 512 * MEGABYTE, /* for eight large packages at once */
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
    "  herald admin           integrations, clients, keys, packages, orders:\n"
    "                         `herald admin --help`\n"
    "  herald config          all settings with their values, sources and meanings\n"
    "  herald openapi         the OpenAPI 3.1 document\n"
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

static int fail(struct invocation *call)
{
    fprintf(stderr, "herald: %.*s\n", (int)call->why.len, call->why.data ? call->why.data : "");
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

static enum err load(struct invocation *call, enum role role)
{
    enum err err = read_settings(call);
    if (err) return err;
    return config_complete(&call->config, role, &call->arena, &call->out, &call->why);
}

/* --- serve, api, worker, idp ------------------------------------------------------------------ */

static void say_start(struct invocation *call, const struct app *app)
{
    if (call->out.len > 0) fprintf(stderr, "%.*s", (int)call->out.len, call->out.data);
    if (call->config.is_log_sensitive)
        fputs("WARNING: LOG_SENSITIVE is true: the log stream shows full numbers, codes and used "
              "keys.\n"
              "WARNING: never run like this in production.\n",
              stderr);
    if (app->api.server)
        fprintf(stderr, "herald " HERALD_VERSION " listens on http://%s\n",
                http_server_address(app->api.server));
    else
        fputs("herald " HERALD_VERSION " works\n", stderr);
}

/* SIGTERM and SIGINT are waited for, not caught, so no code runs inside a signal handler. */
static void block_stop_signals(sigset_t *ret_signals)
{
    sigemptyset(ret_signals);
    sigaddset(ret_signals, SIGTERM);
    sigaddset(ret_signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Raises the limit of descriptors to `wanted` as far as the system allows, and returns it. */
static rlim_t raise_files(rlim_t wanted)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files)) return wanted;
    if (files.rlim_cur >= wanted) return files.rlim_cur;
    struct rlimit raised = {files.rlim_max < wanted ? files.rlim_max : wanted, files.rlim_max};
    return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : files.rlim_cur;
}

/* Connections are lowered to the limit, but not the descriptors that herald needs itself. */
static enum err set_files(struct config *config, enum role role, struct buf *why)
{
    bool has_server = role != ROLE_WORKER;
    rlim_t wanted = (has_server ? (rlim_t)config->connections_max : 0) + FILES_BESIDE_CONNECTIONS;
    rlim_t allowed = raise_files(wanted);

    if (allowed >= wanted) return ERR_OK;
    if (allowed < FILES_LEAST) {
        buf_printf(why,
                   "Only %llu file descriptors are allowed, and herald needs %d at the very "
                   "least: raise the limit (ulimit -n, LimitNOFILE).",
                   (unsigned long long)allowed, FILES_LEAST);
        return ERR_VALIDATION;
    }
    if (has_server) config->connections_max = (int64_t)(allowed - FILES_BESIDE_CONNECTIONS);
    log_write(LOG_WARNING,
              "fewer file descriptors are allowed than HERALD_CONNECTIONS_MAX needs, so that fewer "
              "connections are taken; raise the limit (ulimit -n, LimitNOFILE)",
              LOG_FIELDS(log_int("allowed", (int64_t)allowed), log_int("needed", (int64_t)wanted),
                         log_int("connections", has_server ? config->connections_max : 0)));
    return ERR_OK;
}

/* Returns the memory that the process may have; 0: no limit is known. */
static int64_t allowed_memory(void)
{
    struct rlimit space;
    char line[32] = "";
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");

    if (file && !fgets(line, sizeof(line), file)) line[0] = '\0';
    if (file) fclose(file);
    int64_t allowed = strtoll(line, NULL, 10); /* 0 for "max" */
    bool has_space = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    if (has_space && (allowed == 0 || (int64_t)space.rlim_cur < allowed))
        allowed = (int64_t)space.rlim_cur;
    return allowed;
}

static void set_memory(void)
{
    int64_t allowed = allowed_memory();

    /* Threads share malloc's arenas: with an arena each, every thread that met a large package
     * would keep tens of megabytes. */
    mallopt(M_ARENA_MAX, MALLOC_ARENAS);
    bool is_little = allowed > 0 && allowed < MEMORY_AMPLE;
    if (!memory_keep_reserve(MEMORY_RESERVE) || is_little)
        log_write(LOG_WARNING,
                  "little memory is allowed: large packages of ERPs may be refused with "
                  "overloaded; allow more (ulimit -v, MemoryMax)",
                  LOG_FIELDS(log_int("allowed_mb", allowed / MEGABYTE),
                             log_int("ample_mb", MEMORY_AMPLE / MEGABYTE)));
}

static enum err set_process_limits(struct config *config, enum role role, struct buf *why)
{
    set_memory();
    return set_files(config, role, why);
}

/* Balancers look every few seconds, and should see that readiness is red before they are refused.
 * Only a SIGTERM is answered so; another signal ends the wait. */
static void drain(struct app *app, const sigset_t *signals, int signal_number)
{
    struct timespec pause = {.tv_sec = (time_t)app->config->drain_s};

    app_begin_stop(app);
    if (signal_number != SIGTERM || !app->api.server || pause.tv_sec == 0) return;
    fprintf(stderr, "herald stops: ready answers 503, and in %lld s connections are refused\n",
            (long long)pause.tv_sec);
    (void)sigtimedwait(signals, NULL, &pause);
}

static int run_service(struct invocation *call, enum role role)
{
    struct app app;
    sigset_t signals;
    int signal_number;

    if (load(call, role)) return fail(call);
    block_stop_signals(&signals);
    if (set_process_limits(&call->config, role, &call->why)) return fail(call);
    risks_warn(&call->config, role);
    enum err err = app_start(&app, &call->config, role, &call->arena, &call->why);
    if (err) {
        app_stop(&app);
        return fail(call);
    }
    say_start(call, &app);
    sigwait(&signals, &signal_number);
    drain(&app, &signals, signal_number);
    fputs("herald stops: running requests end, 30 seconds at most\n", stderr);
    app_stop(&app);
    return EXIT_SUCCESS;
}

static int verb_serve(struct invocation *call)
{
    return run_service(call, ROLE_SERVE);
}

static int verb_api(struct invocation *call)
{
    return run_service(call, ROLE_API);
}

static int verb_worker(struct invocation *call)
{
    return run_service(call, ROLE_WORKER);
}

static int verb_idp(struct invocation *call)
{
    return run_service(call, ROLE_IDP);
}

/* --- Tools ------------------------------------------------------------------------------------ */

static int verb_openapi(struct invocation *call)
{
    struct openapi_info info = {.version = HERALD_VERSION, .token_url = TOKEN_PATH};
    struct route_list routes;

    if (read_settings(call)) return fail(call);
    routes_of_role(ROLE_TOOL, true, &routes);
    openapi_print(&routes, &info, &call->out);
    return print_out(call);
}

static int verb_config(struct invocation *call)
{
    if (config_load(call->arg_count, call->args, &call->arena, &call->config, &call->why))
        return fail(call);
    config_print(&call->config, &call->out);
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
    if (load(call, is_up ? ROLE_MIGRATE : ROLE_TOOL)) return fail(call);
    if (is_finish)
        return stores_finish(&call->config, &call->out, &call->why) ? fail(call) : print_out(call);
    if (stores_migrate(&call->config, is_up, &call->out, &are_current, &call->why))
        return fail(call);
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
    {"serve", verb_serve},   {"api", verb_api},         {"worker", verb_worker},
    {"idp", verb_idp},       {"migrate", verb_migrate}, {"admin", verb_admin},
    {"config", verb_config}, {"openapi", verb_openapi}, {"help", verb_help},
    {"--help", verb_help},   {"-h", verb_help},         {"--version", verb_version},
};

static bool asks_for_help(const struct invocation *call)
{
    for (int i = 0; i < call->arg_count; i++) {
        if (strcmp(call->args[i], "--help") == 0 || strcmp(call->args[i], "-h") == 0) return true;
    }
    return false;
}

/* The help shows all verbs, but not the commands of `herald admin`, which has a help of its own. */
static int run_verb(struct invocation *call, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        const struct verb *verb = &verbs[i];
        if (strcmp(verb->name, name) != 0) continue;
        if (verb->run == verb_admin || !asks_for_help(call)) return verb->run(call);
        buf_text(&call->out, help_text);
        return print_out(call);
    }
    fprintf(stderr, "herald: \"%s\" is no verb of herald. These are its verbs:\n\n%s", name,
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
