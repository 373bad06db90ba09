/*
 * The processes that run (contract, section 11.9): each has a row, in which it shows every 5
 * seconds that it lives, and which it deletes when it stops. Lives in the verification store, which
 * every verb opens.
 */
#pragma once

#include "core/service.h"
#include "core/work.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    PROCESSES_MAX = 200, /* in the list */
    PROCESS_HOST_MAX = 255,
    PROCESS_BEAT_MS = 5 * 1000,
    PROCESS_RETRY_MS = 1000, /* after a beat that could not be written */
    PROCESS_LOST_MS = 15 * 1000,
    PROCESS_KEPT_MS = 24 * 60 * 60 * 1000,
};

enum process_verb { VERB_SERVE, VERB_API, VERB_WORKER, VERB_IDP };
extern const char *const process_verb_words[];
enum process_state { PROCESS_LIVING, PROCESS_LOST };
extern const char *const process_state_words[];

/* The process that this is, from its start to its end. */
struct own_process {
    struct uuid id;
    char host[PROCESS_HOST_MAX + 1];
    int64_t pid;
    enum process_verb verb;
    const char *build; /* lives as long; NULL: it is not known */
    int64_t started_at;
    atomic_int_least64_t due_at_ms; /* monotonic: the next beat */
    /* A beat that nobody waits for: */
    struct db_task beat;
    pthread_mutex_t lock;
    pthread_cond_t is_done;
    bool is_beating; /* the task is with the database */
    /* Monotonic: of the sign of life that is written, and of the last one that was. INT64_MIN: none
     * was. */
    int64_t sign_at_ms, beaten_at_ms;
};

void own_process_init(struct own_process *own, enum process_verb verb, const char *build,
                      int64_t now_ms);

struct process {
    struct uuid id;
    const char *host;
    int64_t pid;
    int verb; /* enum process_verb */
    const char *version;
    const char *build; /* the version, and the commit where it is known */
    int64_t started_at;
    int64_t last_beat_at;
    int state; /* enum process_state */
    bool answering;
};
struct process_list {
    struct record_list processes; /* struct process */
};
extern const struct record process_list_record;

/* Writes the row of this process for the first time, and waits for that. Not for database threads.
 */
void process_sign_on(struct service *service);
/* Has the row of this process written, if that is due; any thread that beats anyway may call it. It
 * waits for nothing: a database that is slow to write holds up none of them. A service without a
 * process (service->process is NULL) has no row. */
void process_beat(struct service *service);
/* Deletes the row of this process, once nobody calls process_beat any more. It waits for a beat
 * that is under way, which would write the row again. Not for database threads. */
void process_sign_off(struct service *service);

/* Lists the processes with the newest signs of life, PROCESSES_MAX at most, oldest first. */
enum err process_list(struct work *work, struct process_list *ret_list) MUST_CHECK;
/* Confirms, in the row of this process, the epoch up to which it knows who listens to events. */
enum err process_confirm(struct work *work, int64_t epoch) MUST_CHECK;
/* Tells whether every process that is not lost has confirmed it. */
enum err process_is_confirmed(struct work *work, int64_t epoch, bool *ret_is_confirmed) MUST_CHECK;
/* Forgets at most `max` processes that were not heard of for PROCESS_KEPT_MS. */
enum err process_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

extern const struct route_table process_routes;
