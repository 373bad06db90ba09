/*
 * People are told of troubles in a sentence, once when one is there and once when it is over: in a
 * chat, by the messenger bot, and on a phone, by an SMS of an own SIM (contract, section 13.4).
 * This room reads how all stands from the rooms below; what it tells is a message like any other.
 *
 *   not there -> there -> told -> over -> told over -> forgotten
 *
 * A trouble is told when it has been there for ALERT_HOLD_MS, and its end likewise. What comes and
 * goes is told again ALERT_REST_MS after the last time. Each way has rows of its own, so that a bot
 * that is away keeps no SMS back.
 */
#pragma once

#include "core/service.h"
#include "kit/json/record.h"

enum {
    ALERT_HOLD_MS = 30 * 1000,
    ALERT_REST_MS = 10 * 60 * 1000,
    ALERT_SMS_A_DAY = 10,     /* within 24 hours */
    ALERT_TROUBLES_MAX = 100, /* of each kind; more are not told */
    ALERT_DISK_LOW_MIB = 1024,
};

/* The worst first: so they are told. */
enum alert_kind {
    ALERT_NO_READY_SIM,
    ALERT_PROCESS_GONE,
    ALERT_DISK_LOW,
    ALERT_CHANNEL_CLOSED,
    ALERT_SIM_SILENT,
    ALERT_ERP_CIRCUIT,
    ALERT_PACKAGE_FAILED,
    ALERT_ENDPOINT_DISABLED,
    ALERT_KIND_COUNT
};
extern const char *const alert_kind_words[];

enum alert_way { ALERT_BY_CHAT, ALERT_BY_SMS, ALERT_WAY_COUNT };
extern const char *const alert_way_words[];

/* service->alerts says whom to tell. */
struct alert_setup {
    const char *chat_id; /* HERALD_ALERT_CHAT_ID; NULL: no chat is told */
    const char *number;  /* HERALD_ALERT_NUMBER; NULL: nobody gets an SMS */
    const char *disk;    /* the folder of the databases; NULL: they are on a server */
};

/* Tells what is to be told now; a job of the worker. Messages that cannot be made now, for lack of
 * a ready SIM or of a bot, are tried again. */
enum err alert_pass(struct service *service, int64_t now_ms, bool *ret_goes_on) MUST_CHECK;

/* --- For alert*.c --- */

/* What is wrong now. */
struct trouble {
    enum alert_kind kind;
    const char *subject, *name;
};

struct trouble_list {
    struct trouble items[ALERT_KIND_COUNT * ALERT_TROUBLES_MAX];
    size_t count;
};
/* Adds one, unless there is no room. */
void trouble_add(struct trouble_list *troubles, enum alert_kind kind, const char *subject,
                 const char *name);

/* A trouble as one way knows it. */
struct alert {
    int kind; /* enum alert_kind */
    const char *subject, *name;
    bool is_there, is_told;
    int64_t since_at, told_at;
};

enum alert_move { ALERT_KEEP, ALERT_TELL, ALERT_TELL_OVER, ALERT_FORGET };

/* Notes whether the trouble is there, and says what is to be done. Times that are ahead of `now_ms`
 * were stored under a clock that was wrong, and count as now. */
enum alert_move alert_look(struct alert *alert, bool is_there, int64_t now_ms);

/* Writes the sentence of an alert, `ALERT_SENTENCE_MAX` bytes at most. */
enum { ALERT_SENTENCE_MAX = 1000 };
void alert_write(const struct alert *alert, int sms_language, struct buf *out);
