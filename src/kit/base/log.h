/*
 * Log entries have typed fields, and the type decides what is shown, so that no line of code has to
 * remember it. Unless sensitive output is asked for, numbers are masked, and codes and keys are
 * left out. Secrets within ids and words are always hidden.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"
#include "kit/base/uuid.h"

#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_LEVEL_COUNT };
extern const char *const log_level_words[LOG_LEVEL_COUNT + 1]; /* NULL at the end */

enum log_field_type {
    LOG_FIELD_PLAIN,
    LOG_FIELD_ID,
    LOG_FIELD_WORDS,
    LOG_FIELD_INT,
    LOG_FIELD_BOOL,
    LOG_FIELD_UUID,
    LOG_FIELD_NAMED,
    LOG_FIELD_PHONE,
    LOG_FIELD_SECRET
};

struct log_field {
    const char *name;
    enum log_field_type type;
    const char *text; /* plain, id, words, phone or secret; NULL leaves the field out */
    int64_t number;   /* of a boolean: 1 is true */
    struct uuid id;
    const char *name_field; /* of a named id: where its name stands */
};

/* An id or address that others chose: it stands whole unless all of it reads as a number (mask_id).
 * Its secrets are hidden even where sensitive output is asked for. */
static inline struct log_field log_id(const char *name, const char *id)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_ID, .text = id};
}
/* A name that people gave, or a sentence of a library: runs of digits are hidden (mask_words), and
 * secrets as in an id. What a phone, a provider or an ERP says is a field of no entry (contract,
 * section 2, rule 14). */
static inline struct log_field log_words(const char *name, const char *words)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_WORDS, .text = words};
}
/* This field tells how long such words are, in bytes; NULL leaves the field out. */
struct log_field log_length(const char *name, const char *words);
/* A word of herald's own, a time, or an address that it checked; it is shown to the letter. */
static inline struct log_field log_plain(const char *name, const char *text)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_PLAIN, .text = text};
}
static inline struct log_field log_int(const char *name, int64_t number)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_INT, .number = number};
}
static inline struct log_field log_bool(const char *name, bool value)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_BOOL, .number = value};
}
static inline struct log_field log_uuid(const char *name, const struct uuid *id)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_UUID, .id = *id};
}
/* The id of a phone or a point. Its name is the field behind it, shown as log_words does, where
 * this process read it (log_names.h). */
static inline struct log_field log_named(const char *name, const char *name_field,
                                         const struct uuid *id)
{
    return (struct log_field){
        .name = name, .type = LOG_FIELD_NAMED, .name_field = name_field, .id = *id};
}
static inline struct log_field log_device(const struct uuid *id)
{
    return log_named("device_id", "device_name", id);
}
static inline struct log_field log_integration(const struct uuid *id)
{
    return log_named("integration_id", "integration_name", id);
}
/* A phone number, which is shown as +7916***4567 #k3v9 (mask_number). */
static inline struct log_field log_phone(const char *name, const char *phone)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_PHONE, .text = phone};
}
/* A code, or a key that was used; only a sensitive stream shows it. Secrets of workload clients and
 * tokens of ERPs are a field of no entry. */
static inline struct log_field log_secret(const char *name, const char *secret)
{
    return (struct log_field){.name = name, .type = LOG_FIELD_SECRET, .text = secret};
}

/* Gives the last two arguments of the functions below: LOG_FIELDS(log_id(...), log_int(...)). */
#define LOG_FIELDS(...)                      \
    (const struct log_field[]){__VA_ARGS__}, \
        sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field)

/* Writes the fields as one JSON object, masked by type unless `is_sensitive`. Texts are escaped, so
 * that none breaks a line, a frame or a terminal. */
void log_encode_fields(struct buf *out, const struct log_field *fields, size_t count,
                       bool is_sensitive);

/* Writes one line of JSON to stderr, the process's own log for its operator. It never shows a
 * secret or a whole number. Entries below the level that was set are dropped. */
void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count);
void log_set_level(enum log_level level);
/* Finds out whether stderr is systemd's journal, which then gets a priority in front of each line.
 * It is called once, before other threads start. */
void log_find_journal(void);
bool log_is_for_journal(void);
/* Tells whether people read stderr, at a terminal, rather than a program that wants JSON. */
bool log_is_for_people(void);

/* Logs as an error that data or code is not as it must be, and where; returns ERR_INTERNAL. The
 * code that answers the request or ends the job logs which one met it. */
#define LOG_BROKEN(what) log_broken((what), __FILE__, __LINE__)
enum err log_broken(const char *what, const char *file, int line);
