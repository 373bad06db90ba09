/*
 * The modems that ModemManager has, as they come, change and go (interfaces of ModemManager 1.20 on
 * D-Bus). A modem that ModemManager made anew, as after it was restarted, is another modem here.
 */
#pragma once

#include "modem/bus.h"
#include "modem/config.h"

#include <stdint.h>

enum { MODEMS_MAX = 64, PATH_TEXT_SIZE = 96, TROUBLE_SIZE = 256 };

/* The words of ModemManager: MMModemState, MMModem3gppRegistrationState, MMModemLock. */
enum {
    MM_STATE_FAILED = -1,
    MM_STATE_LOCKED = 2,
    MM_STATE_DISABLED = 3,
    MM_STATE_ENABLED = 6,
    MM_STATE_REGISTERED = 8,
    MM_LOCK_NONE = 1,
    MM_LOCK_PIN2 = 3, /* hinders nothing here, and neither does PUK2 */
    MM_LOCK_PUK2 = 5,
};

/* A delivery report whose SMS is not known yet. */
struct early_report {
    unsigned reference, tag;
    int64_t delivery; /* TP-ST */
};
enum { EARLY_REPORTS_MAX = 8 };

struct modem {
    uint64_t serial; /* of this process; never used again */
    char path[PATH_TEXT_SIZE];
    bool has_modem, has_sms, has_voice, has_3gpp;

    /* Properties, as they are now. */
    int64_t state, lock, registration, signal, fail_reason;
    char imei[24], maker[48], model[48], own_number[CONFIG_NUMBER_SIZE], sim_path[PATH_TEXT_SIZE];
    char operator_name[48];
    char iccid[24];
    char asked_sim[PATH_TEXT_SIZE]; /* the SIM whose ICCID is known or on its way */
    bool knows_sim;                 /* it was read, or there is none to read */

    /* Herald knows the modem by these, once its SIM is known. */
    char number[CONFIG_NUMBER_SIZE]; /* "": nobody knows it */
    size_t key;
    bool is_configured; /* the number comes from the file */
    bool is_second;     /* another modem has the number already */
    int64_t aside_ms;   /* monotonic: its port was closed, and it is left alone until then */

    /* The life of its SIM as a phone; line.c. */
    int64_t claim_ms, enable_ms; /* monotonic: when the next is due */
    bool is_claiming, is_declared, is_sending, was_looked_at;
    struct early_report early[EARLY_REPORTS_MAX];
    size_t early_next;
    char told[TROUBLE_SIZE]; /* the trouble that was logged last */
};

/* These are called for what modems receive. Each may be NULL. */
struct manager_hooks {
    void *context;
    void (*sms_came)(void *context, struct modem *modem, const char *path);
    void (*call_came)(void *context, struct modem *modem, const char *path);
};

struct manager {
    sd_bus *bus;
    const struct config *config;
    struct manager_hooks hooks;
    struct modem *modems[MODEMS_MAX];
    size_t count;
    uint64_t last_serial;
    bool is_there;  /* ModemManager runs and has told its modems */
    int asks;       /* of which the answers are awaited */
    int64_t ask_ms; /* monotonic: when it is to be asked again, while it is not there */
};

/* Watches ModemManager from now on. False: the bus does not take it. */
bool manager_init(struct manager *manager, sd_bus *bus, const struct config *config,
                  const struct manager_hooks *hooks);
void manager_done(struct manager *manager);
/* Asks ModemManager once more for its modems, if it gave no answer so far. */
void manager_ask_again(struct manager *manager);

/* Return NULL where there is no such modem (any more). */
struct modem *manager_find(struct manager *manager, uint64_t serial);
struct modem *manager_find_number(struct manager *manager, const char *number);

/* Leaves a modem alone for half a minute, since its port was closed: it was unplugged, and
 * ModemManager may know it for a while yet. Another modem with its number takes its place. */
void manager_set_aside(struct manager *manager, struct modem *modem);

/* A second modem with a number takes the place of the first where it is ready and the first is not,
 * and does nothing: that may be what is left of a modem that was unplugged. */
void manager_prefer_ready(struct manager *manager, struct modem *second);

/* Tells whether it can send SMS now. */
bool modem_is_ready(const struct modem *modem);
/* Tells whether it is left alone now (manager_set_aside). */
bool modem_is_aside(const struct modem *modem);
/* Writes a sentence that says what is wrong and what to do; "" where nothing is. */
void modem_write_trouble(const struct modem *modem, char *ret_text, size_t size);
const char *modem_registration_word(const struct modem *modem);
