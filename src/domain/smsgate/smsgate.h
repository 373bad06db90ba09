/*
 * The SMSGate app for Android is a phone of the fleet without a change: for it herald is its
 * private server (contract, section 15.2). This room translates: SIM slots of the app into numbers
 * of the phone, its messages and states into the claims and reports that all phones use. It lives
 * in the verification store.
 */
#pragma once

#include "domain/phone_task/phone_task.h"

enum {
    SMSGATE_SLOTS_MAX = 3,
    SMSGATE_SIMS_MAX = 8,
    SMSGATE_DIGITS_MAX = 4,      /* of a number that the app shows */
    SMSGATE_SPARE_MS = 5 * 1000, /* a message is over for the app so long before its lease is */
    SMSGATE_REPORTS_MAX = 100,
    SMSGATE_NEWS_MAX = 256,
    SMSGATE_NEWS_MS = 3 * 1000, /* what is older was told, or waits for the next pull */
};

/* --- What the app says ------------------------------------------------------------------------ */

struct smsgate_sim {
    int64_t number;           /* the slot, from 1 on */
    const char *phone_number; /* masked but for its last digits; NULL: not shown */
};

/* The app registers, or says what has changed. */
struct smsgate_device {
    const char *id; /* of an update */
    const char *name;
    struct record_list sims; /* of struct smsgate_sim */
};

struct smsgate_recipient {
    const char *state;
    const char *error;
};

/* These say when the message got into its states, by the phone's clock; 0: it did not. */
struct smsgate_times {
    int64_t processed, sent, delivered, failed, cancelled;
};

struct smsgate_report {
    const char *id;
    const char *state;
    struct record_list recipients;     /* of struct smsgate_recipient */
    const struct smsgate_times *times; /* NULL: not told */
};

struct smsgate_reports {
    struct record_list items; /* of struct smsgate_report */
};

/* --- What it is told -------------------------------------------------------------------------- */

struct smsgate_registration {
    struct uuid id;
    const char *token;
    const char *login;
    const char *password; /* always NULL: there is none */
};

struct smsgate_text {
    const char *text;
};

struct smsgate_message {
    struct uuid id;
    const struct smsgate_text *text;
    struct record_list recipients; /* of const char * */
    int64_t slot;
    bool wants_report;
    int64_t priority;
    int64_t valid_until;
    const char *state;
    int64_t created_at;
};

/* A phone that listens has something to fetch, or something that it holds is not to be sent. */
struct smsgate_news {
    struct uuid device_id;
    struct uuid task_id;
    bool is_canceled;
};

/* Stores which SIMs the app has shown, and tells the log of those that cannot be used. */
enum err smsgate_store_sims(struct work *work, const struct uuid *device_id,
                            const struct record_list *sims) MUST_CHECK;
/* Says of each number of the phone that has a SIM whether that is ready, and gives the app at most
 * one message a slot, and what it is not to send any more (struct smsgate_message).
 * ERR_DEVICE_DISABLED. ERR_WRITE_NEEDED: this is a read, and would have to write. */
enum err smsgate_pull(struct work *work, const struct device *phone,
                      struct record_list *ret_messages) MUST_CHECK;
/* Takes what the app reports. What belongs to no task of the phone, or contradicts what was said
 * before, is told to the log and passed over, since the app would only repeat it. */
enum err smsgate_take_reports(struct work *work, const struct device *phone,
                              const struct smsgate_reports *reports) MUST_CHECK;
/* Reads what may be news for phones, at most SMSGATE_NEWS_MAX. */
enum err smsgate_select_news(struct db_tx *tx, int64_t now_ms, struct smsgate_news *ret_news,
                             size_t *ret_count) MUST_CHECK;

extern const struct record smsgate_device_record;
extern const struct record smsgate_reports_record;
extern const struct record smsgate_registration_record;
extern const struct record smsgate_message_record;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table smsgate_routes;

/* --- smsgate_db.c --- */

enum err smsgate_phone_upsert(struct work *work, const struct uuid *device_id,
                              const char *sims) MUST_CHECK;
/* Reads what the app has shown, "1=0001 2="; empty if it never registered. */
enum err smsgate_phone_select(struct work *work, const struct uuid *device_id,
                              const char **ret_sims) MUST_CHECK;
