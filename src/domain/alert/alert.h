/*
 * A worker looks what is wrong and keeps it (domain/trouble). People are told of it in a sentence,
 * once when it is there and once when it is over: in a chat, by the messenger bot, and on a phone,
 * by an SMS of an own SIM (contract, section 13.4). This room reads how all stands from the rooms
 * below; what it tells is a message like any other.
 *
 *   not there -> there -> told -> over -> told over -> forgotten
 *
 * A trouble is told when it has been there for ALERT_HOLD_MS, and its end likewise. What comes and
 * goes is told again ALERT_REST_MS after the last time. Each way has rows of its own, so that a bot
 * that is away keeps no SMS back.
 */
#pragma once

#include "domain/trouble/trouble.h"

enum {
    ALERT_HOLD_MS = 30 * 1000,
    ALERT_REST_MS = 10 * 60 * 1000,
    ALERT_SMS_A_DAY = 10, /* within 24 hours */
};

enum alert_way { ALERT_BY_CHAT, ALERT_BY_SMS, ALERT_WAY_COUNT };
extern const char *const alert_way_words[];

/* service->alerts says whom to tell. */
struct alert_setup {
    const char *chat_id; /* HERALD_ALERT_CHAT_ID; NULL: no chat is told */
    const char *number;  /* HERALD_ALERT_NUMBER; NULL: nobody gets an SMS */
    const char *disk;    /* the folder of the databases; NULL: they are on a server */
};

/* Keeps what is wrong now, and tells what is to be told; a job of the worker. Messages that cannot
 * be made now, for lack of a ready SIM or of a bot, are tried again. */
enum err alert_pass(struct service *service, int64_t now_ms, bool *ret_goes_on) MUST_CHECK;

/* --- For alert*.c --- */

/* Find what is wrong now, each in the transaction of its store, and without one. */
enum err alert_find_in_exchange(struct work *work, struct trouble_list *troubles) MUST_CHECK;
enum err alert_find_in_verification(struct work *work, struct trouble_list *troubles) MUST_CHECK;
/* `folder` is that of the databases; NULL: they are on a server. */
void alert_find_on_disk(const char *folder, struct trouble_list *troubles);

/* A trouble as one way knows it. */
struct alert {
    int kind; /* enum trouble_kind */
    const char *subject, *name;
    bool is_there, is_told;
    int64_t since_at, told_at;
};

enum alert_move { ALERT_KEEP, ALERT_TELL, ALERT_TELL_OVER, ALERT_FORGET };

/* Notes whether the trouble is there, and says what is to be done. Times that are ahead of `now_ms`
 * were stored under a clock that was wrong, and count as now. */
enum alert_move alert_look(struct alert *alert, bool is_there, int64_t now_ms);
