/*
 * The journal says what was handed to a modem, and what became of it (contract, section 15.4). The
 * line of a task is on disk before the modem hears of it, so a task that was begun is never begun
 * again, whatever ends the process: one whose outcome nobody knows is told as unknown.
 *
 * It is a file of lines, to which whole records are appended; the last line of a task counts. It
 * has no text and no recipient: two octets of a hash tell a delivery report of another recipient.
 */
#pragma once

#include "kit/base/uuid.h"
#include "modem/config.h"

#include <stdio.h>

enum {
    JOURNAL_TASKS_MAX = 4096,
    JOURNAL_ERROR_SIZE = 160,
    JOURNAL_KEEP_MS = 24 * 60 * 60 * 1000, /* herald offers no task again for so long */
};

enum task_state {
    TASK_SENDING, /* handed to the modem; after a start: nobody knows */
    TASK_SENT,
    TASK_DELIVERED,
    TASK_FAILED,
    TASK_UNKNOWN,
    TASK_STATE_COUNT
};
extern const char *const task_state_words[TASK_STATE_COUNT + 1];

struct task {
    struct uuid id, lease_id;
    char number[CONFIG_NUMBER_SIZE]; /* of the SIM */
    int state;                       /* enum task_state */
    int told;                        /* the state that herald knows; -1: none */
    bool permanent;                  /* failed: another send would do no better */
    unsigned reference;              /* by which a delivery report names it */
    unsigned tag;                    /* of the recipient (journal_tag) */
    int64_t at_ms;                   /* when it was begun */
    char error[JOURNAL_ERROR_SIZE];  /* why it failed, for people */
    bool is_reporting;               /* a report is under way; not on disk */
};

struct journal;

/* Opens the journal in the folder, which is made if it is missing, and locks it. A task that was
 * being sent becomes unknown. NULL: `ret_fault` has a sentence. */
struct journal *journal_open(const char *folder, int64_t now_ms, struct arena *arena,
                             const char **ret_fault);
void journal_close(struct journal *journal);

/* Returns the task of that id; NULL: it was never begun. */
struct task *journal_find(struct journal *journal, const struct uuid *id);
/* Returns the task that a delivery report is about; NULL: none is known. */
struct task *journal_find_report(struct journal *journal, const char *number, unsigned reference,
                                 unsigned tag, int64_t now_ms);
/* Returns the task at that place, from 0 on; NULL behind the last. Adding a task may move others.
 */
struct task *journal_at(struct journal *journal, size_t i);
/* Tells whether a new task has room. It has not while herald has heard of none of so many. */
bool journal_has_room(const struct journal *journal);

/* Adds a task and has it on disk when it returns. NULL: it could not be written, so nothing may be
 * sent. */
struct task *journal_begin(struct journal *journal, const struct task *task);
/* Writes a task as it is now; `is_firm` waits for the disk. What cannot be written is logged: after
 * a restart the task is as it was before. */
void journal_note(struct journal *journal, const struct task *task, bool is_firm);

/* Returns 16 bits of a hash of the recipient's last ten digits. */
unsigned journal_tag(const char *recipient);
