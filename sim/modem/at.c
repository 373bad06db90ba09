/* The answers to AT commands. A row answers the commands that begin with its words; the first that
 * fits counts, so longer ones stand first. What has no row is an ERROR, as of many modems. */
#include "events.h"
#include "modem.h"

#include <stdio.h>
#include <stdlib.h>

struct answer {
    const char *command;
    const char *text;                                         /* goes before OK; NULL: OK alone */
    void (*answer)(struct modem *modem, const char *command); /* instead of both */
};

static void ok(struct modem *modem)
{
    modem_say(modem, "\r\nOK\r\n");
}

static void answer_imei(struct modem *modem, const char *command)
{
    (void)command;
    modem_say(modem, "\r\n%s\r\n\r\nOK\r\n", modem->imei);
}

static void answer_pin(struct modem *modem, const char *command)
{
    (void)command;
    modem_say(modem, "\r\n+CPIN: %s\r\n\r\nOK\r\n", modem->is_locked ? "SIM PIN" : "READY");
}

static void take_pin(struct modem *modem, const char *command)
{
    (void)command;
    modem->is_locked = false;
    ok(modem);
}

/* EF_ICCID, the two digits of each octet swapped. */
static void answer_iccid(struct modem *modem, const char *command)
{
    char swapped[21];

    (void)command;
    for (size_t i = 0; i < 20; i++)
        swapped[i] = modem->iccid[i ^ 1];
    swapped[20] = '\0';
    modem_say(modem, "\r\n+CRSM: 144,0,\"%s\"\r\n\r\nOK\r\n", swapped);
}

static void answer_imsi(struct modem *modem, const char *command)
{
    (void)command;
    modem_say(modem, "\r\n%s\r\n\r\nOK\r\n", modem->imsi);
}

/* A SIM without its own number says OK alone. */
static void answer_number(struct modem *modem, const char *command)
{
    (void)command;
    if (modem->number) modem_say(modem, "\r\n+CNUM: \"\",\"%s\",145\r\n", modem->number);
    ok(modem);
}

static void answer_registration(struct modem *modem, const char *command)
{
    const char *name = strncmp(command, "+CREG", 5) == 0 ? "+CREG" : "+CGREG";
    modem_say(modem, "\r\n%s: 2,%u,\"0001\",\"00000001\"\r\n\r\nOK\r\n", name, modem->registration);
}

static void start_sms(struct modem *modem, const char *command)
{
    (void)command;
    modem->has_prompted = true;
    modem_say(modem, "\r\n> ");
}

static void hang_up(struct modem *modem, const char *command)
{
    (void)command;
    if (modem->ring_ms) event_tell("hung up", modem->index, EVENT_PAIRS({"caller", modem->caller}));
    modem->ring_ms = 0;
    ok(modem);
}

static void answer_voice(struct modem *modem, const char *command)
{
    (void)command;
    modem_say(modem, modem->has_voice ? "\r\nOK\r\n" : "\r\nERROR\r\n");
}

static const struct answer answers[] = {
    {"E0", NULL, NULL},
    {"V1", NULL, NULL},
    {"+CMEE=", NULL, NULL},
    {"X4", NULL, NULL},
    {"&C1", NULL, NULL},
    {"+GCAP", "+GCAP: +CGSM", NULL},
    {"I", "Simulated modem", NULL},
    {"+WS46=?", "+WS46: (12,22)", NULL},
    {"+CSCS=?", "+CSCS: (\"IRA\",\"UCS2\",\"GSM\")", NULL},
    {"+CSCS=", NULL, NULL},
    {"+CSCS?", "+CSCS: \"GSM\"", NULL},
    {"+CGMI", "herald", NULL},
    {"+CGMM", "Simulated modem", NULL},
    {"+CGMR", "1", NULL},
    {"+CGSN", NULL, answer_imei},
    {"+CGDCONT=?", "+CGDCONT: (1-11),\"IP\",,,(0-2),(0-3)", NULL},
    {"+CFUN?", "+CFUN: 1", NULL},
    {"+CFUN=", NULL, NULL},
    {"+CPIN?", NULL, answer_pin},
    {"+CPIN=", NULL, take_pin},
    {"+CRSM=176,12258,0,0,10", NULL, answer_iccid},
    {"+CIMI", NULL, answer_imsi},
    {"+CNUM", NULL, answer_number},
    {"+CLCK=?", "+CLCK: (\"SC\",\"FD\",\"PS\")", NULL},
    {"+CLCK=", "+CLCK: 0", NULL},
    {"+CREG=", NULL, NULL},
    {"+CGREG=", NULL, NULL},
    {"+CREG?", NULL, answer_registration},
    {"+CGREG?", NULL, answer_registration},
    {"+COPS=3", NULL, NULL},
    {"+COPS=", NULL, NULL},
    {"+COPS?", "+COPS: 0,2,\"25001\"", NULL},
    {"+CMGF=?", "+CMGF: (0,1)", NULL},
    {"+CMGF=", NULL, NULL},
    {"+CMGF?", "+CMGF: 0", NULL},
    {"+CNMI=?", "+CNMI: (0,1,2),(0,1,2,3),(0,2),(0,1,2),(0,1)", NULL},
    {"+CNMI=", NULL, NULL},
    {"+CPMS=?", "+CPMS: (\"SM\",\"ME\"),(\"SM\",\"ME\"),(\"SM\",\"ME\")", NULL},
    {"+CPMS=", "+CPMS: 0,20,0,20,0,20", NULL},
    {"+CPMS?", "+CPMS: \"SM\",0,20,\"SM\",0,20,\"SM\",0,20", NULL},
    {"+CMGL=", NULL, NULL},
    {"+CMGS=", NULL, start_sms},
    {"+CMGD=", NULL, NULL},
    {"+CSQ", "+CSQ: 17,99", NULL},
    {"+CLIP=", NULL, answer_voice},
    {"+CRC=", NULL, answer_voice},
    {"+CCWA=", NULL, answer_voice},
    {"H", NULL, answer_voice},
    {"+CHUP", NULL, hang_up},
};

void at_answer(struct modem *modem, const char *command)
{
    size_t count = sizeof answers / sizeof *answers;

    if (!*command) {
        ok(modem);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct answer *row = &answers[i];
        if (strncmp(command, row->command, strlen(row->command)) != 0) continue;
        if (row->answer) {
            row->answer(modem, command);
            return;
        }
        if (row->text) modem_say(modem, "\r\n%s\r\n", row->text);
        ok(modem);
        return;
    }
    modem_say(modem, "\r\nERROR\r\n");
}
