/* ModemManager is asked once for all, and its signals do the rest. */
#include "modem/manager.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <stdio.h>
#include <stdlib.h>

enum { ASK_TIMEOUT_S = 30, ASIDE_MS = 30 * 1000 };

#define MODEM MM_NAME ".Modem"

static const struct bus_property modem_rows[] = {
    BUS_VALUE(struct modem, state, "State", 'i'),
    BUS_VALUE(struct modem, lock, "UnlockRequired", 'u'),
    BUS_VALUE(struct modem, signal, "SignalQuality", 'U'),
    BUS_VALUE(struct modem, fail_reason, "StateFailedReason", 'u'),
    BUS_TEXT(struct modem, imei, "EquipmentIdentifier"),
    BUS_TEXT(struct modem, maker, "Manufacturer"),
    BUS_TEXT(struct modem, model, "Model"),
    BUS_TEXT(struct modem, sim_path, "Sim"),
    {"OwnNumbers", 'S', offsetof(struct modem, own_number),
     sizeof(((struct modem *)0)->own_number)},
};
static const struct bus_property network_rows[] = {
    BUS_VALUE(struct modem, registration, "RegistrationState", 'u'),
    BUS_TEXT(struct modem, operator_name, "OperatorName"),
};
static const struct bus_property sim_rows[] = {
    BUS_TEXT(struct modem, iccid, "SimIdentifier"),
};

/* Interfaces of a modem, and the rows of those whose properties count. */
static const struct {
    const char *name;
    size_t has; /* offset of the flag */
    const struct bus_property *rows;
    size_t row_count;
} interfaces[] = {
    {MODEM, offsetof(struct modem, has_modem), modem_rows, COUNT_OF(modem_rows)},
    {MODEM ".Modem3gpp", offsetof(struct modem, has_3gpp), network_rows, COUNT_OF(network_rows)},
    {MODEM ".Messaging", offsetof(struct modem, has_sms), NULL, 0},
    {MODEM ".Voice", offsetof(struct modem, has_voice), NULL, 0},
};

static int find_interface(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(interfaces); i++)
        if (strcmp(name, interfaces[i].name) == 0) return (int)i;
    return -1;
}

/* --- Modems ----------------------------------------------------------------------------------- */

struct modem *manager_find(struct manager *manager, uint64_t serial)
{
    for (size_t i = 0; i < manager->count; i++)
        if (manager->modems[i]->serial == serial) return manager->modems[i];
    return NULL;
}

struct modem *manager_find_number(struct manager *manager, const char *number)
{
    for (size_t i = 0; i < manager->count; i++) {
        struct modem *modem = manager->modems[i];
        if (!modem->is_second && strcmp(modem->number, number) == 0) return modem;
    }
    return NULL;
}

static struct modem *find_path(struct manager *manager, const char *path)
{
    for (size_t i = 0; i < manager->count; i++)
        if (strcmp(manager->modems[i]->path, path) == 0) return manager->modems[i];
    return NULL;
}

static struct modem *find_or_add(struct manager *manager, const char *path)
{
    struct modem *modem = find_path(manager, path);

    if (modem || manager->count == MODEMS_MAX || strlen(path) >= PATH_TEXT_SIZE) return modem;
    modem = must_calloc(1, sizeof *modem);
    modem->serial = ++manager->last_serial;
    snprintf(modem->path, sizeof modem->path, "%s", path);
    manager->modems[manager->count++] = modem;
    return modem;
}

/* A modem that has the number of another. */
static struct modem *find_second(struct manager *manager, const char *number)
{
    for (size_t i = 0; i < manager->count; i++) {
        struct modem *modem = manager->modems[i];
        if (modem->is_second && strcmp(modem->number, number) == 0) return modem;
    }
    return NULL;
}

static void remove_modem(struct manager *manager, struct modem *modem)
{
    size_t i = 0;

    while (manager->modems[i] != modem)
        i++;
    manager->modems[i] = manager->modems[--manager->count];
    struct modem *heir = modem->is_second ? NULL : find_second(manager, modem->number);
    if (heir) heir->is_second = false;
    free(modem);
}

static void remove_all(struct manager *manager)
{
    while (manager->count > 0)
        remove_modem(manager, manager->modems[0]);
}

void manager_set_aside(struct manager *manager, struct modem *modem)
{
    struct modem *heir = modem->is_second ? NULL : find_second(manager, modem->number);

    modem->aside_ms = clock_monotonic_ms() + ASIDE_MS;
    if (!heir) return;
    heir->is_second = false;
    modem->is_second = true;
}

void manager_prefer_ready(struct manager *manager, struct modem *second)
{
    struct modem *first = second->is_second ? manager_find_number(manager, second->number) : NULL;

    if (!first || first->is_claiming || first->is_sending || modem_is_ready(first)) return;
    second->is_second = false;
    first->is_second = modem_is_ready(second);
    second->is_second = !first->is_second;
}

/* --- Who a modem is --------------------------------------------------------------------------- */

/* The file comes before what the SIM says of itself; a number has one modem. */
static void identify(struct manager *manager, struct modem *modem)
{
    const struct config_sim *sim = config_find(manager->config, modem->iccid, modem->imei);
    const char *own = config_is_number(modem->own_number) ? modem->own_number : "";
    const char *number = sim ? sim->number : own;

    if (strcmp(modem->number, number) == 0) return;
    struct modem *other = number[0] ? manager_find_number(manager, number) : NULL;
    snprintf(modem->number, sizeof modem->number, "%s", number);
    modem->key = sim ? sim->key : 0;
    modem->is_configured = sim != NULL;
    modem->is_second = other && other != modem && !modem_is_aside(other);
    if (other && other != modem && !modem->is_second) other->is_second = true;
}

struct ask {
    struct manager *manager;
    uint64_t serial; /* of the modem */
};

static struct ask *new_ask(struct manager *manager, const struct modem *modem)
{
    struct ask *ask = must_calloc(1, sizeof *ask);

    *ask = (struct ask){manager, modem ? modem->serial : 0};
    manager->asks++;
    return ask;
}

static int take_sim(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    struct ask *ask = context;
    struct modem *modem = manager_find(ask->manager, ask->serial);

    (void)error;
    ask->manager->asks--;
    if (!modem) return 0;
    if (!sd_bus_message_is_method_error(reply, NULL))
        bus_read_properties(reply, sim_rows, COUNT_OF(sim_rows), modem);
    modem->knows_sim = true;
    identify(ask->manager, modem);
    return 0;
}

/* A SIM may be put in, or become readable behind its PIN, later. */
static void look_at_sim(struct manager *manager, struct modem *modem)
{
    bool has_sim = modem->sim_path[0] && strcmp(modem->sim_path, "/") != 0;

    if (!has_sim) {
        modem->knows_sim = true;
        modem->asked_sim[0] = modem->iccid[0] = '\0';
        return;
    }
    if (strcmp(modem->asked_sim, modem->sim_path) == 0) {
        if (modem->knows_sim) identify(manager, modem);
        return;
    }
    memcpy(modem->asked_sim, modem->sim_path, sizeof modem->asked_sim);
    modem->knows_sim = false;
    if (bus_ask_properties(manager->bus, modem->sim_path, MM_NAME ".Sim", take_sim,
                           new_ask(manager, modem)) < 0)
        manager->asks--;
}

/* --- What ModemManager says ------------------------------------------------------------------- */

/* Reads {sa{sv}} entries: interfaces and their properties. */
static int read_interfaces(sd_bus_message *message, struct modem *modem)
{
    int done = sd_bus_message_enter_container(message, 'a', "{sa{sv}}");

    while (done >= 0 && (done = sd_bus_message_enter_container(message, 'e', "sa{sv}")) > 0) {
        const char *name;
        done = sd_bus_message_read_basic(message, 's', &name);
        int i = done >= 0 ? find_interface(name) : -1;
        if (done >= 0) {
            const struct bus_property *rows = i >= 0 ? interfaces[i].rows : NULL;
            done = bus_read_properties(message, rows, i >= 0 ? interfaces[i].row_count : 0, modem);
        }
        if (i >= 0) *(bool *)((char *)modem + interfaces[i].has) = true;
        if (done >= 0) done = sd_bus_message_exit_container(message);
    }
    return done < 0 ? done : sd_bus_message_exit_container(message);
}

/* Reads an object and its interfaces; only modems are kept. */
static int read_object(struct manager *manager, sd_bus_message *message)
{
    const char *path;
    struct modem passed_over = {0};
    int done = sd_bus_message_read_basic(message, 'o', &path);

    if (done < 0) return done;
    bool is_modem = strncmp(path, MM_ROOT "/Modem/", sizeof MM_ROOT "/Modem/" - 1) == 0;
    struct modem *modem = is_modem ? find_or_add(manager, path) : NULL;
    done = read_interfaces(message, modem ? modem : &passed_over);
    if (done >= 0 && modem) look_at_sim(manager, modem);
    return done;
}

static int take_objects(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    struct manager *manager = ((struct ask *)context)->manager;

    (void)error;
    manager->asks--;
    manager->is_there = !sd_bus_message_is_method_error(reply, NULL);
    if (!manager->is_there) return 0;
    int done = sd_bus_message_enter_container(reply, 'a', "{oa{sa{sv}}}");
    while (done >= 0 && sd_bus_message_enter_container(reply, 'e', "oa{sa{sv}}") > 0) {
        done = read_object(manager, reply);
        if (done >= 0) done = sd_bus_message_exit_container(reply);
    }
    return 0;
}

static bool ask_for_all(struct manager *manager)
{
    AUTO_MESSAGE *message = NULL;
    int made =
        sd_bus_message_new_method_call(manager->bus, &message, MM_NAME, MM_ROOT,
                                       "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");

    if (made < 0) return false;
    made = bus_ask(manager->bus, message, take_objects, ASK_TIMEOUT_S, new_ask(manager, NULL));
    if (made < 0) manager->asks--;
    return made >= 0;
}

static int on_added(sd_bus_message *message, void *context, sd_bus_error *error)
{
    (void)error;
    read_object(context, message); /* what it does not understand is passed over */
    return 0;
}

static int on_removed(sd_bus_message *message, void *context, sd_bus_error *error)
{
    struct manager *manager = context;
    const char *path;

    (void)error;
    if (sd_bus_message_read_basic(message, 'o', &path) < 0) return 0;
    struct modem *modem = find_path(manager, path);
    if (!modem || sd_bus_message_enter_container(message, 'a', "s") < 0) return 0;
    const char *name;
    while (sd_bus_message_read_basic(message, 's', &name) > 0) {
        int i = find_interface(name);
        if (i >= 0) *(bool *)((char *)modem + interfaces[i].has) = false;
    }
    if (!modem->has_modem) remove_modem(manager, modem);
    return 0;
}

static int on_changed(sd_bus_message *message, void *context, sd_bus_error *error)
{
    struct manager *manager = context;
    struct modem *modem = find_path(manager, sd_bus_message_get_path(message));
    const char *name;

    (void)error;
    if (!modem || sd_bus_message_read_basic(message, 's', &name) < 0) return 0;
    int i = find_interface(name);
    if (i < 0 || !interfaces[i].rows) return 0;
    bus_read_properties(message, interfaces[i].rows, interfaces[i].row_count, modem);
    look_at_sim(manager, modem);
    return 0;
}

static int on_sms(sd_bus_message *message, void *context, sd_bus_error *error)
{
    struct manager *manager = context;
    struct modem *modem = find_path(manager, sd_bus_message_get_path(message));
    const char *path;
    int is_received;

    (void)error;
    if (!modem || sd_bus_message_read(message, "ob", &path, &is_received) < 0) return 0;
    if (is_received && manager->hooks.sms_came)
        manager->hooks.sms_came(manager->hooks.context, modem, path);
    return 0;
}

static int on_call(sd_bus_message *message, void *context, sd_bus_error *error)
{
    struct manager *manager = context;
    struct modem *modem = find_path(manager, sd_bus_message_get_path(message));
    const char *path;

    (void)error;
    if (!modem || sd_bus_message_read(message, "o", &path) < 0) return 0;
    if (manager->hooks.call_came) manager->hooks.call_came(manager->hooks.context, modem, path);
    return 0;
}

static int on_owner(sd_bus_message *message, void *context, sd_bus_error *error)
{
    struct manager *manager = context;
    const char *name, *before, *after;

    (void)error;
    if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0) return 0;
    remove_all(manager);
    manager->is_there = false;
    log_write(after[0] ? LOG_INFO : LOG_WARNING,
              after[0] ? "ModemManager has started" : "ModemManager has ended", NULL, 0);
    if (after[0]) ask_for_all(manager);
    return 0;
}

static const struct {
    const char *rule;
    sd_bus_message_handler_t take;
} signals[] = {
    {"interface='org.freedesktop.DBus.ObjectManager',member='InterfacesAdded'", on_added},
    {"interface='org.freedesktop.DBus.ObjectManager',member='InterfacesRemoved'", on_removed},
    {"interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
     "path_namespace='" MM_ROOT "/Modem'",
     on_changed},
    {"interface='" MODEM ".Messaging',member='Added'", on_sms},
    {"interface='" MODEM ".Voice',member='CallAdded'", on_call},
};

bool manager_init(struct manager *manager, sd_bus *bus, const struct config *config,
                  const struct manager_hooks *hooks)
{
    char rule[320];

    *manager = (struct manager){.bus = bus, .config = config};
    if (hooks) manager->hooks = *hooks;
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        snprintf(rule, sizeof rule, "type='signal',sender='" MM_NAME "',%s", signals[i].rule);
        if (sd_bus_add_match(bus, NULL, rule, signals[i].take, manager) < 0) return false;
    }
    return sd_bus_add_match(bus, NULL,
                            "type='signal',sender='org.freedesktop.DBus',"
                            "interface='org.freedesktop.DBus',member='NameOwnerChanged',"
                            "arg0='" MM_NAME "'",
                            on_owner, manager) >= 0 &&
           ask_for_all(manager);
}

void manager_ask_again(struct manager *manager)
{
    if (!manager->is_there && manager->asks == 0) ask_for_all(manager);
}

void manager_done(struct manager *manager)
{
    remove_all(manager);
}
