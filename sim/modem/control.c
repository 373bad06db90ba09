/* A row for each command: its words, and what it does with its numbers and its text. */
#include "control.h"

#include "events.h"
#include "sim/common/print.h"

#include <stdio.h>

struct order {
    char text[24];
    unsigned number, second;
};

struct command {
    const char *word, *arguments, *help;
    bool (*act)(struct modem *modem, const struct order *order, int64_t now_ms);
};

static bool act_ring(struct modem *modem, const struct order *order, int64_t now_ms)
{
    bool is_hidden = strcmp(order->text, "hidden") == 0;
    modem_ring(modem, is_hidden ? "" : order->text, order->number ? order->number : 5, now_ms);
    return order->text[0];
}

static bool act_unplug(struct modem *modem, const struct order *order, int64_t now_ms)
{
    (void)order, (void)now_ms;
    modem_unplug(modem);
    return true;
}

static bool act_plug(struct modem *modem, const struct order *order, int64_t now_ms)
{
    (void)order, (void)now_ms;
    return modem_plug(modem);
}

static bool act_next(struct modem *modem, const struct order *order, int64_t now_ms)
{
    (void)now_ms;
    for (int i = 0; i < DEED_COUNT; i++) {
        if (strcmp(order->text, modem_deed_words[i]) != 0) continue;
        modem->deed = (enum modem_deed)i;
        modem->deed_count = order->number ? order->number : 1;
        modem->deed_code = order->second ? order->second : 38;
        return true;
    }
    return false;
}

static bool act_slow(struct modem *modem, const struct order *order, int64_t now_ms)
{
    long long ms;

    (void)now_ms;
    if (!str_to_int64(str_of(order->text), &ms) || ms < 0) return false;
    modem->slow_ms = ms;
    return true;
}

static bool act_reports(struct modem *modem, const struct order *order, int64_t now_ms)
{
    static const struct {
        const char *word;
        bool reports;
        unsigned status;
    } words[] = {{"never", false, 0},
                 {"delivered", true, 0},
                 {"trying", true, 0x20},
                 {"failed", true, 0x46}};

    (void)now_ms;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(order->text, words[i].word) != 0) continue;
        modem->reports = words[i].reports;
        modem->report_status = words[i].status;
        modem->report_ms = order->number;
        return true;
    }
    return false;
}

static bool act_register(struct modem *modem, const struct order *order, int64_t now_ms)
{
    long long registration;

    (void)now_ms;
    if (!str_to_int64(str_of(order->text), &registration)) return false;
    if (registration < 0 || registration > 10) return false;
    modem_register(modem, (unsigned)registration);
    return true;
}

static const struct command commands[] = {
    {"ring", "CALLER|hidden [RINGS]", "a call rings so often (5), every 3 s, until hung up",
     act_ring},
    {"unplug", "", "the modem is taken out", act_unplug},
    {"plug", "", "it is put in again; ModemManager must be told", act_plug},
    {"next", "DEED [TIMES [CODE]]",
     "what happens to the next SMS: send, refuse (+CMS ERROR: CODE, 38; a full SIM is 322), "
     "silence, mute, drop-before, drop-after",
     act_next},
    {"slow", "MS", "each SMS takes so long", act_slow},
    {"reports", "never|delivered|trying|failed [MS]", "delivery reports, so long after the SMS",
     act_reports},
    {"register", "STATE", "registration as of +CREG: 1 home, 2 searching, 3 denied, 5 roaming",
     act_register},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands, LINE_SIZE = 128 };

/* A number that is left out is 0. */
static bool take_number(char **rest, unsigned *ret_number)
{
    const char *word = strtok_r(NULL, " ", rest);
    long long number = 0;

    if (word && (!str_to_int64(str_of(word), &number) || number < 0 || number > UINT16_MAX))
        return false;
    *ret_number = (unsigned)number;
    return true;
}

static bool act(struct fleet *fleet, const char *line, int64_t now_ms)
{
    char copy[LINE_SIZE], *rest;
    struct order order = {0};
    unsigned index;

    snprintf(copy, sizeof copy, "%s", line);
    const char *word = strtok_r(copy, " ", &rest);
    if (!word || !take_number(&rest, &index) || index >= (unsigned)fleet->count) return false;
    const char *text = strtok_r(NULL, " ", &rest);
    snprintf(order.text, sizeof order.text, "%s", text ? text : "");
    if (!take_number(&rest, &order.number) || !take_number(&rest, &order.second)) return false;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].word) == 0)
            return commands[i].act(&fleet->modems[index], &order, now_ms);
    return false;
}

void control_take(struct fleet *fleet, const char *line, int64_t now_ms)
{
    bool is_done = act(fleet, line, now_ms);
    event_tell(is_done ? "done" : "not understood", -1, EVENT_PAIRS({"line", line}));
}

void control_help(void)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const char *arguments = commands[i].arguments;
        printf("  %s MODEM%s%s\n      ", commands[i].word, *arguments ? " " : "", arguments);
        print_wrapped(commands[i].help, 6);
    }
}
