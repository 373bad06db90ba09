/*
 * Delivery reports of Telegram Gateway: the status of a request, signed, POSTed to its callback
 * URL until that answers 200, at most 11 times.
 */
#pragma once

#include "sim.h"

enum { REPORT_REPEATS_MAX = 10, REPORTS_MAX = 10000, REPORT_TIMES_MAX = 100 };

/* The signature of an ordered report is spoiled like this. */
enum signature_kind { SIGNATURE_GOOD, SIGNATURE_WRONG, SIGNATURE_MISSING, SIGNATURE_COUNT };
extern const char *const signature_words[SIGNATURE_COUNT + 1];

/* A report that the control API asks for. */
struct report_order {
    const char *request_id;
    const char *status; /* a word of Telegram's */
    const char *url;    /* NULL: the callback URL of the request */
    const char *body;   /* NULL: the status object */
    enum signature_kind signature;
    int64_t age_s; /* how far back its timestamp is */
    int64_t times; /* the same bytes, one after the other, whatever is answered */
    /* Called once, on the worker's thread, with what was answered; the JSON is its own. */
    void (*told)(void *context, struct buf *take_json);
    void *context;
};

/* Under the lock: the status of `send` will be reported when it becomes known. */
void report_schedule(struct sim *sim, const struct send *send);
/* Not under the lock. False, with nothing done, if there is no URL to send to. */
bool report_send(struct sim *sim, const struct report_order *order);

struct report_log *report_log_new(void);
void report_log_free(struct report_log *log);
void report_log_clear(struct report_log *log);
/* Under the lock: a list of those of `request_id` (NULL: of all), the oldest first. */
void report_log_write(const struct report_log *log, const char *request_id,
                      struct json_writer *json);

/* telegram_gateway.c: the status object, in words that need not be those of the send's status. */
void telegram_gateway_write_report(struct json_writer *json, const struct send *send,
                                   const char *request_id, const char *status, int64_t at_ms);
/* Its word for a status; NULL: it has none. */
const char *telegram_gateway_word(enum send_status status);
