/*
 * A simulated GSM modem with a serial port, which is an abstract Unix socket to which ModemManager
 * connects in its test mode. It answers the AT commands that ModemManager asks, takes SMS in PDU
 * mode, sends delivery reports, rings, and misbehaves as it is told.
 */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum {
    MODEM_LINE_MAX = 2048,
    MODEM_GROUPS_MAX = 8, /* texts of which a part is missing yet */
    MODEM_REPORTS_MAX = 64,
    MODEM_PARTS_MAX = 16,
};

/* A modem does one of these with the next SMS. */
enum modem_deed {
    DEED_SEND,
    DEED_REFUSE,      /* answers +CMS ERROR: `code`, and sends nothing */
    DEED_SILENCE,     /* neither sends nor answers */
    DEED_MUTE,        /* sends, and does not answer */
    DEED_DROP_BEFORE, /* is unplugged before it sends */
    DEED_DROP_AFTER,  /* is unplugged after it has sent, before it answers */
    DEED_COUNT
};
extern const char *const modem_deed_words[DEED_COUNT + 1];

struct modem_report {
    int64_t due_ms; /* monotonic */
    unsigned reference, status;
    char recipient[24];
};

/* A text of which parts have come. */
struct modem_group {
    unsigned id, parts, count; /* count 0: free */
    char recipient[24];
    char *texts[MODEM_PARTS_MAX];
};

struct modem {
    int index;
    char socket_name[64]; /* "abstract:...", the whole of it */
    char imei[16], iccid[21], imsi[16];
    const char *number; /* what the SIM says of itself; NULL: nothing */

    int listener, connection; /* -1: none */
    char line[MODEM_LINE_MAX];
    size_t line_len;
    bool has_prompted; /* a PDU is to come, which ends with Ctrl-Z */
    unsigned next_reference;

    enum modem_deed deed;
    unsigned deed_count; /* for so many SMS; 0: it sends */
    unsigned deed_code;  /* of +CMS ERROR */
    int64_t slow_ms;     /* each SMS takes so long */
    int64_t answer_ms;   /* when the answer to the SMS under way is due; 0: none is */
    unsigned answer_reference;

    bool reports;           /* delivery reports are sent */
    unsigned report_status; /* TP-ST */
    int64_t report_ms;      /* so long after the SMS */
    bool is_locked;         /* the SIM asks for its PIN */
    bool has_voice;
    unsigned registration; /* of +CREG: 1 home, 2 searching, 3 denied, 5 roaming */

    char caller[24]; /* of the call that rings; "": without a number */
    unsigned rings;  /* that are left */
    int64_t ring_ms; /* when the next is due; 0: none */

    struct modem_report report_queue[MODEM_REPORTS_MAX];
    size_t report_count;
    struct modem_group groups[MODEM_GROUPS_MAX];
};

/* Opens the socket of a modem that is plugged in; false: its name is taken. */
bool modem_plug(struct modem *modem);
/* Takes it out, with the connection to ModemManager. */
void modem_unplug(struct modem *modem);
void modem_done(struct modem *modem);

/* Take what came, and do what is due. */
void modem_accept(struct modem *modem);
void modem_read(struct modem *modem, int64_t now_ms);
void modem_tick(struct modem *modem, int64_t now_ms);
/* Returns when it wants modem_tick; INT64_MAX: never. */
int64_t modem_due_ms(const struct modem *modem);

/* Lets a call ring so many times, unless it is hung up before. */
void modem_ring(struct modem *modem, const char *caller, unsigned rings, int64_t now_ms);
/* Tells ModemManager that the registration has changed. */
void modem_register(struct modem *modem, unsigned registration);

/* --- For modem*.c and at.c --- */

void modem_say(struct modem *modem, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Answers one command without its AT; at.c. */
void at_answer(struct modem *modem, const char *command);
/* Takes a PDU that AT+CMGS announced; send.c. */
void send_take(struct modem *modem, struct str hex, int64_t now_ms);
void send_tick(struct modem *modem, int64_t now_ms);
void send_done(struct modem *modem);
