/*
 * A person asks to be forgotten, or to be told what is known (contract, section 10.5). Each request
 * is a job with a durable row, which the worker takes batch by batch, so that a crash costs no more
 * than a batch. Jobs live in the verification store; orders are in the other store, which no
 * transaction touches as well, and erasing twice does no harm.
 */
#pragma once

#include "core/work.h"
#include "kit/base/secret.h"
#include "kit/json/record.h"

enum {
    SUBJECT_RUNNING_MAX = 100,             /* jobs at once */
    SUBJECT_FOUND_MAX = 2000,              /* records of a kind in an export, the newest */
    SUBJECT_EXPORT_MAX = 16 * 1024 * 1024, /* bytes of one; beyond it there are fewer records */
};
/* A job that is done can be asked about for so long. */
#define SUBJECT_KEPT_MS (24 * 60 * 60 * INT64_C(1000))

enum subject_kind { SUBJECT_ERASE, SUBJECT_EXPORT };
extern const char *const subject_kind_words[];
enum subject_state { SUBJECT_RUNNING, SUBJECT_DONE };
extern const char *const subject_state_words[];

/* A job goes through these, in this order. An export has one phase. */
enum subject_phase {
    SUBJECT_ORDERS,
    SUBJECT_CODES,
    SUBJECT_CALLS,
    SUBJECT_MESSAGES,
    SUBJECT_LOG,
    SUBJECT_FILES, /* SQLite's log of writes is emptied, so that it is in no file */
    SUBJECT_PHASE_COUNT
};
extern const char *const subject_phase_words[];

struct subject_input {
    const char *phone; /* in any spelling */
};

/* This is what is known of a number; each list newest first. */
struct subject_export {
    struct record_list codes;       /* of struct otp */
    struct record_list calls;       /* of struct call_challenge */
    struct record_list messages;    /* of struct message */
    struct record_list orders;      /* of struct order_delivery */
    struct record_list log_entries; /* of struct log_entry */
    bool is_cut;                    /* a list has more */
};

struct subject_job {
    struct uuid id;
    enum subject_kind kind;
    enum subject_state state;
    int phase; /* enum subject_phase; -1: done */
    int64_t codes, calls, messages, orders, orders_waiting, log_entries;
    int64_t created_at, updated_at;
    int64_t finished_at; /* 0: not yet */
    struct subject_export *found;
    /* Not shown: */
    int64_t place;     /* how far it is in its phase */
    struct str number; /* sealed; empty once it is done */
    struct str result; /* sealed; empty: there is none */
};

/* Begins a job for a number, given in E.164. ERR_OVERLOADED: there are SUBJECT_RUNNING_MAX. */
enum err subject_begin(struct work *work, enum subject_kind kind, const char *number,
                       struct subject_job *ret_job) MUST_CHECK;
/* ERR_NOT_FOUND: there is none, or it ended more than SUBJECT_KEPT_MS ago. */
enum err subject_read(struct work *work, const struct uuid *id,
                      struct subject_job *ret_job) MUST_CHECK;
/* Takes one step of the job that has waited for longest. `ret_goes_on`: there is more to do at
 * once. Not for database threads. */
enum err subject_pass(struct service *service, int64_t now_ms, bool *ret_goes_on) MUST_CHECK;
/* Forgets jobs that were done long ago, at most `max`. */
enum err subject_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

extern const struct record subject_input_record;
extern const struct record subject_export_record;
extern const struct record subject_job_record;

/* Write an export as JSON, and read it again, in the arena. Text that is none is NULL. */
const char *subject_export_write(const struct subject_export *found, struct arena *arena);
struct subject_export *subject_export_read(const char *text, struct arena *arena);

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table subject_routes;
