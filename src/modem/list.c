/* ModemManager is asked as `run` asks it, until all answers are there. */
#include "modem/list.h"

#include "kit/base/clock.h"
#include "modem/manager.h"

#include <stdio.h>
#include <systemd/sd-event.h>

enum { PATIENCE_MS = 40 * 1000 };

static void print_row(const char *name, const char *value)
{
    printf("    %-8s %s\n", name, value);
}

static void print_modem(const struct modem *modem, bool *ret_all_ready)
{
    char line[256], trouble[TROUBLE_SIZE];
    const char *source = modem->is_configured ? "from the file" : "as the SIM says";

    modem_write_trouble(modem, trouble, sizeof trouble);
    printf("%s %s, IMEI %s (%s)\n", modem->maker[0] ? modem->maker : "modem", modem->model,
           modem->imei[0] ? modem->imei : "unknown", modem->path);
    print_row("SIM", modem->iccid[0] ? modem->iccid : "not readable");
    snprintf(line, sizeof line, "%s, %s", modem->number, source);
    print_row("number", modem->number[0] ? line : "unknown");
    snprintf(line, sizeof line, "%s%s%s, signal %d %%", modem->operator_name,
             modem->operator_name[0] ? ", " : "", modem_registration_word(modem),
             (int)modem->signal);
    print_row("network", line);
    print_row("SMS", modem->has_sms ? "yes" : "no");
    print_row("calls", modem->has_voice ? "yes" : "no: customers cannot confirm by a call here");
    print_row("state", trouble[0] ? trouble : "ready");
    if (trouble[0]) *ret_all_ready = false;
}

static int print_all(const struct manager *manager)
{
    bool all_ready = manager->count > 0;

    if (!manager->is_there) {
        fputs("herald-modem: ModemManager does not answer: systemctl status ModemManager says why. "
              "The package is modemmanager.\n",
              stderr);
        return 1;
    }
    for (size_t i = 0; i < manager->count; i++)
        print_modem(manager->modems[i], &all_ready);
    if (manager->count == 0)
        puts(
            "No modem is plugged in that ModemManager knows. One that was just plugged in takes "
            "half a minute.\nA pool with serial chips (CP210x, CH340, FTDI, PL2303) needs the udev "
            "rules of packaging/udev.");
    return all_ready ? 0 : 1;
}

int list_run(const struct config *config)
{
    struct manager manager = {0};
    sd_bus *bus = NULL;
    int64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;

    if (sd_bus_open_system(&bus) < 0 || !manager_init(&manager, bus, config, NULL)) {
        sd_bus_unref(bus);
        fputs("herald-modem: the system's D-Bus cannot be reached: is dbus running?\n", stderr);
        return 1;
    }
    while (manager.asks > 0 && clock_monotonic_ms() < end_ms) {
        int done = sd_bus_process(bus, NULL);
        if (done == 0) done = sd_bus_wait(bus, 1000 * 1000);
        if (done < 0) break;
    }
    int status = print_all(&manager);
    manager_done(&manager);
    sd_bus_flush_close_unref(bus);
    return status;
}
