/*
 * herald-modem makes phones of herald out of USB modems and SIM pools, over ModemManager (contract,
 * section 15.4). It stands on the kit alone and speaks the phone API, as any phone does.
 */
#include "kit/base/arena.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "modem/agent.h"
#include "modem/list.h"

#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "herald-modem - USB modems and SIM pools as phones of herald\n"
    "\n"
    "  herald-modem list [--config FILE]   what is plugged in, and what is missing\n"
    "  herald-modem run [--config FILE]    sends SMS and reports calls, until SIGTERM\n"
    "  herald-modem version\n"
    "\n"
    "The file is /etc/herald/modem.conf unless told otherwise: lines of KEY=value.\n"
    "  HERALD_URL=https://herald.example   where herald answers\n"
    "  HERALD_DEVICE_KEY=hd_...            of `herald admin devices register`\n"
    "  SIM_<ICCID or IMEI>=+79161234567    the number of a SIM that does not tell it\n"
    "docs/phones.md has the rest.\n";

static int fail(const char *sentence)
{
    fprintf(stderr, "herald-modem: %s See herald-modem --help.\n", sentence);
    return 2;
}

static int with_config(const char *path, int (*run)(const struct config *config))
{
    struct config config;
    struct arena arena;
    const char *fault;
    int status = 2;

    arena_init(&arena);
    if (config_read(path, &arena, &config, &fault))
        status = run(&config);
    else
        fprintf(stderr, "herald-modem: %s\n", fault);
    arena_done(&arena);
    return status;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "help", *path = "/etc/herald/modem.conf";
    int (*run)(const struct config *config) = NULL;

    must_have_streams();
    if (strcmp(verb, "help") == 0 || strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return fputs(help, stdout) < 0;
    if (strcmp(verb, "version") == 0 || strcmp(verb, "--version") == 0)
        return puts("herald-modem " HERALD_VERSION) < 0;
    if (strcmp(verb, "list") == 0) run = list_run;
    if (strcmp(verb, "run") == 0) run = agent_run;
    if (!run) return fail("There is no such verb.");
    if (argc == 4 && strcmp(argv[2], "--config") == 0)
        path = argv[3];
    else if (argc != 2)
        return fail("An argument is not understood.");
    /* A disk or a peer that takes no more is an error of write(), and ends nothing. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    log_find_journal();
    if (!secret_system_init() || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fputs("herald-modem: the system has no randomness to give.\n", stderr);
        return 1;
    }
    int status = with_config(path, run);
    curl_global_cleanup();
    return status;
}
