/*
 * A task is an SMS or a message of a personal messenger that a phone claims under a lease, sends,
 * and reports (doc A, section 4 "SMS tasks for phones"; contract, section 2, rules 7, 9 and 11). It
 * is one send; a failed one is followed by another. It holds no text: that is made by its owner, a
 * code or a message. Tasks live in the verification store.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    PHONE_TASK_LEASE_MS = 90 * 1000,
    PHONE_TASK_HANDED_OVER_MS = 30 * 1000, /* so long the radio may take to answer */
    PHONE_TASK_SENDS_MAX = 3,              /* of one owner, with those that failed */
    PHONE_TASK_ERROR_MAX = 500,
};

enum phone_task_channel { PHONE_TASK_SMS, PHONE_TASK_PERSONAL_MESSENGER, PHONE_TASK_CHANNEL_COUNT };
enum { PHONE_TASKS_OF_OWNER_MAX = PHONE_TASK_CHANNEL_COUNT * PHONE_TASK_SENDS_MAX };
extern const char *const phone_task_channel_words[PHONE_TASK_CHANNEL_COUNT + 1];

enum phone_task_owner_kind {
    PHONE_TASK_OF_OTP,
    PHONE_TASK_OF_MESSAGE,
    PHONE_TASK_OWNER_KIND_COUNT
};
extern const char *const phone_task_owner_words[PHONE_TASK_OWNER_KIND_COUNT + 1];

/* A task is PHONE_TASK_UNKNOWN if its owner was final before its phone reported, or if its phone
 * says that it does not know; a late report is still taken. */
enum phone_task_state {
    PHONE_TASK_QUEUED,
    PHONE_TASK_CLAIMED,
    PHONE_TASK_SENT,
    PHONE_TASK_DELIVERED,
    PHONE_TASK_FAILED,
    PHONE_TASK_UNKNOWN
};
extern const char *const phone_task_state_words[];

/* A task is queued by these. */
struct phone_task_spec {
    enum phone_task_channel channel;
    enum phone_task_owner_kind owner_kind;
    struct uuid owner_id;
    const char *sender; /* the gateway number of an SMS, the account of a messenger */
    const char *recipient;
    int64_t expires_at; /* nothing is sent after it */
};

struct phone_task {
    struct uuid id;
    enum phone_task_channel channel;
    enum phone_task_owner_kind owner_kind;
    struct uuid owner_id;
    const char *sender;
    const char *recipient;
    int64_t attempt; /* which send of its owner it is, from 1 on */
    enum phone_task_state state;
    const char *error; /* herald's own word for what failed; NULL: nothing did */
    struct str words;  /* of its phone, sealed (phone_task_error); empty: there are none */
    struct uuid lease_id;
    struct uuid lease_device_id; /* nil: never claimed */
    int64_t lease_until;
    int64_t handed_over_at; /* 0: its phone did not say that it gave it to the radio */
    int64_t created_at;
    int64_t updated_at;
    int64_t expires_at;
};

/* A phone gets the task that it claimed so: SMSJob and MessageJob. */
struct claimed_task {
    struct uuid id;
    struct uuid lease_id;
    const char *sender;
    const char *recipient;
    const char *text;
    int64_t attempt;
    int64_t lease_expires_at;
    bool is_handed_over; /* its phone has given it to the radio already; not for /device/v1 */
};

struct phone_task_claim_result {
    struct claimed_task *task; /* NULL: none */
};

enum phone_task_status {
    PHONE_TASK_STATUS_SENT,
    PHONE_TASK_STATUS_DELIVERED,
    PHONE_TASK_STATUS_FAILED,
    PHONE_TASK_STATUS_UNKNOWN, /* of an SMS alone: it was handed over, and nobody knows the rest */
    PHONE_TASK_STATUS_HANDED_OVER /* the radio has it; no word of /device/v1 */
};
extern const char *const phone_task_sms_status_words[], *const phone_task_message_status_words[];

/* A phone reports this of a task. */
struct phone_task_result {
    struct uuid lease_id; /* nil: not given */
    int status;           /* enum phone_task_status */
    const char *error;
    bool permanent; /* another send would not do better */
};

/* A report changes a task so. */
enum phone_task_change {
    PHONE_TASK_UNCHANGED, /* a repeat */
    PHONE_TASK_NOW_SENT,
    PHONE_TASK_NOW_DELIVERED,
    PHONE_TASK_NOW_QUEUED,     /* failed, and another send is queued */
    PHONE_TASK_NOW_GIVEN_UP,   /* failed, and that was the last one */
    PHONE_TASK_NOW_UNKNOWN,    /* its phone does not know; nothing is sent again for it */
    PHONE_TASK_NOW_HANDED_OVER /* it is under way for PHONE_TASK_HANDED_OVER_MS, then unknown */
};

/* Each channel adds this to the life of its tasks, in a row of service->phone_tasks->lines. */
struct phone_task_line {
    const char *noun;        /* the log calls its tasks so */
    const char *sender_name; /* the log calls their senders so */
    /* On PostgreSQL holds the sender's row, so that claims for one sender wait for each other. */
    enum err (*hold)(struct work *work, const char *sender);
    /* ERR_NUMBER_NOT_OWNED: the sender is not this phone's (any more). */
    enum err (*check_owned)(struct work *work, const struct device *device, const char *sender);
    /* Chooses the sender of the next send after a failure, and moves the counts of senders. NULL:
     * the same sender sends again. */
    enum err (*choose_again)(struct work *work, const struct phone_task *task,
                             const char **ret_sender);
};

/* Each kind of owner wants tasks so, in a row of service->phone_tasks->owners. */
struct phone_task_owner {
    /* On PostgreSQL holds the owner's row, which is first in the order of locks; if a send has
     * failed, also the rows between it and the sender in that order. ERR_NOT_FOUND: there is no
     * owner. */
    enum err (*hold)(struct work *work, const struct uuid *owner_id, bool is_failure);
    /* Makes the text to send, to the letter. ERR_NOT_FOUND: nothing is to be sent any more, since
     * the owner became final at this moment. */
    enum err (*make_text)(struct work *work, const struct phone_task *task, const char **ret_text);
    /* Tells how many digits the code in the text has. NULL: there is none. */
    enum err (*code_length)(struct work *work, const struct uuid *owner_id, int64_t *ret_length);
    /* Applies to the owner how a report changed the task, whose row is written already. */
    enum err (*apply)(struct work *work, const struct phone_task *task,
                      enum phone_task_change change);
};

/* service->phone_tasks has what tasks stand on. */
struct phone_task_setup {
    const struct phone_task_line *const *lines;   /* by enum phone_task_channel */
    const struct phone_task_owner *const *owners; /* by enum phone_task_owner_kind */
};

/* --- For owners --- */

enum err phone_task_queue(struct work *work, const struct phone_task_spec *spec) MUST_CHECK;
/* Lists an owner's tasks (struct phone_task), oldest first, at most PHONE_TASKS_OF_OWNER_MAX. */
enum err phone_task_list(struct work *work, const struct uuid *owner_id,
                         struct record_list *ret_tasks) MUST_CHECK;
/* Returns why a task failed, in the words of its phone where it said some; NULL: it did not. */
const char *phone_task_error(const struct work *work, const struct phone_task *task);
/* Adds what became of the tasks of an owner. */
enum err phone_task_add_steps(struct work *work, const struct uuid *owner_id,
                              struct timeline *timeline) MUST_CHECK;
/* Lists those of 1 to DB_KEYS_MAX owners, in no order. */
enum err phone_task_list_all(struct work *work, const struct uuid *owner_ids, size_t count,
                             struct record_list *ret_tasks) MUST_CHECK;
/* Ends the tasks of an owner that is final and whose row is held: what was not sent yet is not sent
 * any more, and its error says `reason`. */
enum err phone_task_end(struct work *work, const struct uuid *owner_id,
                        const char *reason) MUST_CHECK;
/* Erases what is personal in the tasks of an owner whose tasks have ended: the recipient, and what
 * phones said. */
enum err phone_task_erase(struct work *work, const struct uuid *owner_id) MUST_CHECK;
/* Counts, up to `max`, the tasks of `sender` that are not done yet. */
enum err phone_task_count_open(struct work *work, enum phone_task_channel channel,
                               const char *sender, int max, int64_t *ret_count) MUST_CHECK;
/* Tells the state that a reader sees: an ended lease puts a task back, unless its time is over. */
enum phone_task_state phone_task_shown_state(const struct phone_task *task, int64_t now_ms);

/* --- For channels --- */

/* A claim first asks whether any task of the sender is open. Most claims find none, so this
 * question goes to the database together with what the channel asks next. */
struct phone_task_question {
    enum phone_task_channel channel;
    const char *sender;
    struct db_stmt *open;
};
enum err phone_task_ask(struct work *work, enum phone_task_channel channel, const char *sender,
                        struct phone_task_question *ret_question) MUST_CHECK;
void phone_task_question_done(struct phone_task_question *question);
#define AUTO_PHONE_TASK_QUESTION \
    __attribute__((cleanup(phone_task_question_done))) struct phone_task_question

/* Gives `device` the task that it holds for the sender, or the oldest open one under a new lease,
 * or none. ERR_WRITE_NEEDED: this is a read, and there may be one. */
enum err phone_task_claim(struct work *work, const struct phone_task_question *question,
                          const struct device *device,
                          struct phone_task_claim_result *ret_result) MUST_CHECK;
/* Takes a phone's report, which moves the task and its owner. ERR_NOT_FOUND,
 * ERR_NUMBER_NOT_OWNED, ERR_LEASE_LOST, ERR_RESULT_CONFLICT. */
enum err phone_task_report(struct work *work, enum phone_task_channel channel,
                           const struct device *device, const struct uuid *task_id,
                           const struct phone_task_result *result) MUST_CHECK;
/* Reads one task as it stands; ERR_NOT_FOUND. */
enum err phone_task_read(struct work *work, const struct uuid *id,
                         struct phone_task *ret_task) MUST_CHECK;
/* Lists what this phone holds under a living lease and nobody wants any more, since its owner is
 * final (struct phone_task); at most DEVICE_NUMBERS_MAX. */
enum err phone_task_list_ended(struct work *work, const struct uuid *device_id,
                               struct record_list *ret_tasks) MUST_CHECK;
/* Queues a task for another sender, by compare-and-set on the state and lease that it was seen
 * with. */
enum err phone_task_requeue(struct work *work, const struct phone_task *task, const char *sender,
                            bool *ret_moved) MUST_CHECK;

/* --- For the process --- */

/* Returns the tasks under a lease of a disabled phone to the queue (rule 11). */
enum err phone_task_return(struct work *work, const struct uuid *device_id) MUST_CHECK;
/* Closes, at most `max`, tasks that were claimed for an owner that is final and never reported. */
enum err phone_task_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Ends, at most `max`, tasks that were handed to a radio and of which nothing more was heard: they
 * are unknown. */
enum err phone_task_sweep_handed(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Claims and results of SMS and of messages have the same members, but for the sender's name. */
extern const struct record claim_result_record;
extern const struct record message_claim_result_record;
extern const struct record sms_result_record;
extern const struct record message_result_record;
