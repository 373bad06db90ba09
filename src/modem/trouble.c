/* A sentence says what is wrong with a modem, and what to do. The first row that fits counts, so
 * what must be done first stands first. */
#include "kit/base/buf.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "modem/manager.h"

#include <stdio.h>

static const char *const registration_words[] = {
    "not registered",
    "home",
    "searching",
    "denied",
    "unknown",
    "roaming",
    "home, SMS only",
    "roaming, SMS only",
    "emergency calls only",
    "home",
    "roaming",
};

const char *modem_registration_word(const struct modem *modem)
{
    size_t i = (size_t)modem->registration;
    return i < COUNT_OF(registration_words) ? registration_words[i] : "unknown";
}

static bool is_registered(const struct modem *modem)
{
    switch (modem->registration) {
    case 1: /* home */
    case 5: /* roaming */
    case 6: /* home, SMS only */
    case 7: /* roaming, SMS only */
    case 9: /* home and roaming, where calls would rather go over LTE */
    case 10:
        return true;
    default:
        return false;
    }
}

static bool lacks_sim(const struct modem *modem)
{
    return modem->knows_sim && (!modem->sim_path[0] || strcmp(modem->sim_path, "/") == 0);
}

static bool is_locked(const struct modem *modem)
{
    bool hinders =
        modem->lock > MM_LOCK_NONE && modem->lock != MM_LOCK_PIN2 && modem->lock != MM_LOCK_PUK2;
    return modem->state == MM_STATE_LOCKED || hinders;
}

static bool has_failed(const struct modem *modem)
{
    return modem->state == MM_STATE_FAILED;
}

static bool is_nobody(const struct modem *modem)
{
    return modem->knows_sim && !modem->number[0];
}

static bool is_second(const struct modem *modem)
{
    return modem->is_second;
}

static bool lacks_sms(const struct modem *modem)
{
    return modem->state >= MM_STATE_ENABLED && !modem->has_sms;
}

static bool is_off(const struct modem *modem)
{
    return modem->state < MM_STATE_ENABLED;
}

static bool is_denied(const struct modem *modem)
{
    return modem->registration == 3;
}

static bool is_searching(const struct modem *modem)
{
    return !is_registered(modem) || modem->state < MM_STATE_REGISTERED;
}

/* MODEM stands for the number of the modem at ModemManager, ID for the ICCID or else the IMEI. */
static const struct {
    bool (*is_so)(const struct modem *modem);
    const char *sentence;
} troubles[] = {
    {modem_is_aside, "The port of modem MODEM was closed: it was unplugged, or hangs."},
    {lacks_sim, "There is no SIM in modem MODEM: put one in."},
    {is_locked, "The SIM asks for its PIN: mmcli -i SIM --pin=PIN --disable-pin takes it off for "
                "good, where mmcli -m MODEM shows SIM."},
    {has_failed, "ModemManager cannot use modem MODEM: unplug it, plug it in again, and see "
                 "journalctl -u ModemManager."},
    {is_nobody, "The SIM does not tell its number: write SIM_ID=+7... into the file of "
                "herald-modem."},
    {is_second, "Another modem has this number already: take one of the two rows SIM_ out of the "
                "file, or give this one its own number with SIM_ID=+7..."},
    {is_off, "The modem is not enabled yet: herald-modem run does that, within a minute; else "
             "see journalctl -u ModemManager."},
    {lacks_sms, "Modem MODEM cannot send SMS: a data-only stick, or one in HiLink mode, needs "
                "another firmware or mode."},
    {is_denied, "The network refuses the SIM: is it activated and paid for? In Russia a SIM that "
                "was idle must be unlocked with its operator first."},
    {is_searching, "The modem finds no network: look at its antenna and place; mmcli -m MODEM "
                   "shows what it hears."},
};

/* Writes the sentence with what its words stand for. */
static void fill(struct buf *out, const char *sentence, const struct modem *modem)
{
    const char *index = strrchr(modem->path, '/');

    while (*sentence) {
        if (strncmp(sentence, "MODEM", 5) == 0) {
            buf_text(out, index ? index + 1 : "");
            sentence += 5;
        } else if (strncmp(sentence, "_ID", 3) == 0) {
            buf_printf(out, "_%s", modem->iccid[0] ? modem->iccid : modem->imei);
            sentence += 3;
        } else {
            buf_char(out, *sentence++);
        }
    }
}

void modem_write_trouble(const struct modem *modem, char *ret_text, size_t size)
{
    AUTO_BUF text = {0};

    buf_init(&text, TROUBLE_SIZE);
    for (size_t i = 0; i < COUNT_OF(troubles) && text.len == 0; i++)
        if (troubles[i].is_so(modem)) fill(&text, troubles[i].sentence, modem);
    snprintf(ret_text, size, "%.*s", (int)text.len, text.len ? text.data : "");
}

bool modem_is_aside(const struct modem *modem)
{
    return modem->aside_ms > clock_monotonic_ms();
}

bool modem_is_ready(const struct modem *modem)
{
    return !modem_is_aside(modem) && modem->has_sms && modem->number[0] && !modem->is_second &&
           modem->state >= MM_STATE_REGISTERED && is_registered(modem);
}
