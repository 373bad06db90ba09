/*
 * The audit records who changed what (contract, section 10.3). A unit of work adds records, which
 * are written behind its last statement and so exist exactly when its change is committed. The
 * records of a store are a chain: each has a hash over itself and the hash before it.
 */
#pragma once

#include "core/actor.h"
#include "core/work.h"
#include "kit/json/record.h"

enum {
    AUDIT_CHANGES_MAX = 96, /* of one record; there are fewer settings */
    AUDIT_TEXT_MAX = 1000,  /* bytes of a value; what is longer is cut */
    AUDIT_HASH_LEN = 32,
    AUDIT_HASH_TEXT_LEN = 2 * AUDIT_HASH_LEN,
};

extern const char *const audit_store_words[]; /* of enum route_store; NULL at the end */

/* The changes that a record tells of; zeroed but for the arena, there are none. */
struct audit_change {
    const char *field;
    const char *from, *to; /* NULL: there was none, or is none */
};
struct audit_changes {
    struct arena *arena;
    struct audit_change rows[AUDIT_CHANGES_MAX];
    size_t count;
};

/* These add a change if the two differ; texts are borrowed until work_audit. */
void audit_change_text(struct audit_changes *changes, const char *field, const char *from,
                       const char *to);
/* Of words that people wrote, runs of digits are hidden (mask_words). */
void audit_change_words(struct audit_changes *changes, const char *field, const char *from,
                        const char *to);
/* -1 is neither. */
void audit_change_bool(struct audit_changes *changes, const char *field, int from, int to);
/* A secret became another one: the record says so, and shows neither. */
void audit_change_secret(struct audit_changes *changes, const char *field);
/* A person was shown what is personal: the record has it masked as their answers else have it. NULL
 * was not there to be shown. */
void audit_change_reveal(struct audit_changes *changes, const char *field, const char *text);
/* Adds the fields of a record that differ, or with `before` NULL all that have a value; a record
 * in it is walked through as "erp.base_url"; a list of texts is one text. Lists of records and
 * objects are left out, and so are the fields that `skipped` names (ends with NULL). */
void audit_change_record(struct audit_changes *changes, const struct record *record,
                         const void *before, const void *after, const char *const *skipped);

/* Returns an id, or a list of them with commas between, in the arena: what reads as a number is
 * masked as in the log, secrets are hidden, and it is cut to AUDIT_TEXT_MAX; NULL for NULL. */
const char *audit_guard_text(struct arena *arena, const char *text);

/* Adds a record to the unit of work. `action` is a word such as "device.register", `target_type`
 * one such as "device", `target_id` an id that herald made or that is guarded, or NULL; `changes`
 * may be NULL, and are guarded here. A unit of work that reads gets ERR_WRITE_NEEDED at its end and
 * runs again. */
void work_audit(struct work *work, const char *action, const char *target_type,
                const char *target_id, const struct audit_changes *changes);
/* The same of a target with an id of herald. */
void work_audit_id(struct work *work, const char *action, const char *target_type,
                   const struct uuid *target_id, const struct audit_changes *changes);

/* Does so for what core systems do in their daily traffic, too: only somebody with an API key for
 * people leaves a record. The root key may be that of a core system, so it leaves none. */
void work_audit_person(struct work *work, const char *action, const char *target_type,
                       const struct uuid *target_id);

/* Tells whether all records that were added have this action; NULL: whether there are none. */
bool work_audits_only(const struct work *work, const char *action);

/* Writes the records of the unit of work, under the lock of the head of the chain, which is the
 * last one of its transaction; nothing if there are none. Only core/work.c calls it. */
enum err audit_write(struct work *work) MUST_CHECK;

/* --- Records as they are stored and shown ----------------------------------------------------- */

struct audit_actor {
    int kind; /* enum actor_kind */
    struct uuid id;
    const char *name;
};

struct audit_target {
    const char *type;
    const char *id;
};

struct audit_record {
    int store; /* enum route_store */
    int64_t seq;
    int64_t at;
    struct audit_actor *actor;
    const char *address;    /* NULL: none */
    const char *request_id; /* NULL: none */
    const char *action;
    struct audit_target *target;
    struct record_list changes; /* of struct audit_change */
    const char *hash;           /* in hexadecimal */
};

extern const struct record audit_record_record;
/* The changes alone, as the column has them: {"changes":[...]}. */
extern const struct record audit_changes_record;

/* Computes the hash of a record from its fields and the hash before it, both in hexadecimal.
 * Returns false if `before` is no hash. */
bool audit_compute_hash(const struct audit_record *record, const char *before,
                        char ret_hash[static AUDIT_HASH_TEXT_LEN + 1]) MUST_CHECK;

/* A hash as bytes and in hexadecimal; the second returns false for anything else. */
void audit_hash_text(struct str bytes, char ret_text[static AUDIT_HASH_TEXT_LEN + 1]);
bool audit_hash_bytes(const char *text, uint8_t ret_bytes[static AUDIT_HASH_LEN]) MUST_CHECK;

/* --- audit_db.c --- */

/* A place in a chain. */
struct audit_place {
    int64_t seq;
    const char *hash; /* in hexadecimal */
};

/* The head is the newest record; the anchor is the newest that was pruned. */
struct audit_chain {
    struct audit_place head, anchor;
};

/* Reads where the chain of the work's store stands; `holds` locks it until the commit. */
enum err audit_chain_select(struct work *work, bool holds,
                            struct audit_chain *ret_chain) MUST_CHECK;
enum err audit_head_update(struct work *work, const struct audit_place *head) MUST_CHECK;
enum err audit_record_insert(struct work *work, const struct audit_record *record) MUST_CHECK;
