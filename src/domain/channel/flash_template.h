/*
 * A template describes a flash-call provider as data: how it is asked and how its answers read.
 * flash_template_read (driver.h) makes one from a JSON text, and refuses whatever could not work;
 * flash_template_records.c and docs/flash-call-providers.md say what each member means.
 */
#pragma once

#include "domain/channel/flash_fill.h"
#include "kit/json/record.h"

enum {
    FLASH_TEMPLATE_MAX = 16 * 1024, /* bytes of a template */
    FLASH_HEADERS_MAX = 8,
    FLASH_PARAMS_MAX = 32, /* of a query or a form */
    FLASH_WORDS_MAX = 64,  /* placeholders of a request */
    FLASH_CODE_DIGITS = 4,
};

enum flash_mode { FLASH_GIVE, FLASH_LEARN };
extern const char *const flash_mode_words[];
enum flash_method { FLASH_GET, FLASH_POST };
extern const char *const flash_method_words[];

struct flash_pair {
    const char *name;
    const char *value; /* with placeholders */
};

struct flash_pairs {
    struct flash_pair *rows;
    size_t count;
};

struct flash_request {
    int method;       /* enum flash_method */
    const char *path; /* with placeholders */
    struct flash_pairs headers, query, form;
    struct str json; /* the JSON object of the body, with placeholders; NULL data: none */
    struct flash_uses uses;

    struct str headers_text, query_text, form_text; /* as they stood in the template */
};

struct flash_success {
    const char *pointer, *equals;
};

struct flash_code {
    const char *pointer;
    bool is_last_4;
};

struct flash_error {
    const char *code, *text, *wait;                  /* pointers; NULL: none */
    struct record_list classes[OUTCOME_UNKNOWN + 1]; /* patterns, by what they mean */
};

struct flash_status {
    struct flash_request *request;
    const char *state;                               /* a pointer */
    struct record_list classes[PROGRESS_FAILED + 1]; /* patterns, by what they mean */
};

struct flash_template {
    const char *name;
    int mode; /* enum flash_mode */
    const char *base_url;
    bool is_deduplicating;
    int64_t calls_per_s;
    struct flash_request *send;
    struct flash_success *success; /* NULL: it is one if there is no error */
    const char *id;                /* a pointer; NULL: the provider gives none */
    struct flash_code *code;       /* FLASH_LEARN only */
    struct flash_error *error;     /* NULL: it is one if there is no success */
    struct flash_status *status;   /* NULL: the provider has none to tell */

    struct channel_driver driver;
};

extern const struct record flash_template_record;

struct flash_preset {
    const char *name, *json;
};
extern const struct flash_preset flash_presets[]; /* ends with a row without a name */

/* Checks the rules over a decoded template, and fills the pairs and `uses` of its requests. */
void flash_template_check(struct record_faults *faults, struct flash_template *template);

/* Tells whether `text` fits a pattern, which is the text itself, or has * at its beginning, its end
 * or both and fits whatever ends, begins or holds it so. */
bool flash_pattern_fits(const char *pattern, const char *text);
