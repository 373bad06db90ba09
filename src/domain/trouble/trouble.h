/*
 * A trouble is what is wrong now, in either store (contract, section 11.9). A worker looks every 2
 * seconds (domain/alert) and keeps here what it finds; the overview shows it, and people are told
 * of it. So there is one list, whoever asks. Lives in the verification store.
 */
#pragma once

#include "core/service.h"
#include "kit/json/record.h"

enum {
    TROUBLES_MAX = 100,          /* of each kind; more are not watched */
    TROUBLES_SHOWN_MAX = 100,    /* in an answer, the worst first */
    TROUBLE_SENTENCE_MAX = 1000, /* bytes */
    TROUBLE_DISK_LOW_MIB = 1024, /* of free room */
    TROUBLE_REFUSED_H = 72,      /* a refused package is a trouble for so long */
};

/* The worst first: so they are shown and told. */
enum trouble_kind {
    TROUBLE_NO_WORKER,
    TROUBLE_NO_READY_SIM,
    TROUBLE_PROCESS_GONE,
    TROUBLE_DISK_LOW,
    TROUBLE_DEGRADED,
    TROUBLE_CHANNEL_CLOSED,
    TROUBLE_SIM_SILENT,
    TROUBLE_ERP_CIRCUIT,
    TROUBLE_PACKAGE_FAILED,
    TROUBLE_PACKAGE_REFUSED,
    TROUBLE_CATALOG_OLD,
    TROUBLE_ENDPOINT_DISABLED,
    TROUBLE_KIND_COUNT
};
extern const char *const trouble_kind_words[];

/* A trouble concerns a record of one of these types. */
enum trouble_record_type {
    TROUBLE_OF_SERVICE,
    TROUBLE_OF_FLEET,
    TROUBLE_OF_PROCESS,
    TROUBLE_OF_DISK,
    TROUBLE_OF_CHANNEL,
    TROUBLE_OF_DEVICE,
    TROUBLE_OF_INTEGRATION,
    TROUBLE_OF_WEBHOOK_ENDPOINT,
    TROUBLE_RECORD_TYPE_COUNT
};
extern const char *const trouble_record_type_words[];

struct trouble_record {
    int type; /* enum trouble_record_type */
    const char *id, *name;
    const char *path;    /* the GET that shows it; NULL: none does */
    const char *command; /* the command that shows it */
};

struct trouble {
    int kind;                            /* enum trouble_kind */
    const char *subject, *name;          /* "" where there is one alone */
    const char *record_id;               /* NULL: the record has none */
    const char *reason;                  /* NULL: nothing more is known */
    int64_t since;                       /* 0: it is not known, so since it was found */
    const char *what, *remedy;           /* set by trouble_show */
    const struct trouble_record *record; /* the same */
};
extern const struct record trouble_shown_record;

struct trouble_list {
    struct trouble items[TROUBLE_KIND_COUNT * TROUBLES_MAX];
    size_t count;
};
/* Adds one, unless there is no room. */
void trouble_add(struct trouble_list *troubles, const struct trouble *trouble);

/* This is kept of what a worker finds. */
struct trouble_watch {
    struct record_list troubles; /* struct trouble */
    int64_t well_since; /* there is none since then; 0: there is one; -1: nobody looked yet */
    int64_t gap_at; /* the last time at which a worker came and found none; 0: it is not known */
};
enum err trouble_read(struct work *work, struct trouble_watch *ret_watch) MUST_CHECK;

/* Gives `found` the times of those that were there before, and tells whether it differs from what
 * is kept. */
bool trouble_compare(struct trouble_list *found, const struct trouble_watch *kept, int64_t now_ms);
/* Keeps `found`, and forgets what is over. */
enum err trouble_keep(struct work *work, const struct trouble_list *found,
                      const struct trouble_watch *kept) MUST_CHECK;

/* Puts the worst first, and of a kind the oldest, and says what each is and what to do. Returns how
 * many there are; beyond TROUBLES_SHOWN_MAX they are cut off. */
int64_t trouble_show(struct work *work, struct record_list *troubles);

/* Writes what a trouble is, or (`is_over`) that it is over, as a sentence of TROUBLE_SENTENCE_MAX
 * bytes at most. */
void trouble_write(int kind, const char *name, bool is_over, int sms_language, struct buf *out);

/* --- For trouble*.c --- */

/* This is what is the same of all troubles of a kind; "@" stands for the id of the record. */
struct trouble_form {
    enum trouble_record_type type;
    const char *path, *command, *remedy;
};
extern const struct trouble_form trouble_forms[TROUBLE_KIND_COUNT];
/* Returns the name as it is shown, in the arena: one line, of an address only its host. */
const char *trouble_shown_name(const struct trouble *trouble, struct arena *arena);
