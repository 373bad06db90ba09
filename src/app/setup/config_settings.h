/* The table of settings is read by config.c and risks.c. */
#pragma once

#include "app/setup/config.h"

enum setting_type {
    SETTING_TEXT,
    SETTING_NUMBER,
    SETTING_SHARE, /* from 0 to 1, kept as parts per million */
    SETTING_WORD,
    SETTING_SECRET,   /* is never shown and never taken from a flag; may come from a file */
    SETTING_URL,      /* may hold a password, and is shown without it; may come from a file */
    SETTING_TEMPLATE, /* is a name or a long JSON text, shown by its name; may come from a file */
};

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset;
    const char *default_text; /* NULL: none */
    int64_t min, max;         /* SETTING_NUMBER */
    bool may_be_auto;         /* likewise; the word auto is CONFIG_AUTO */
    const char *const *words; /* SETTING_WORD: the value is the index */
    bool (*is_valid)(const char *value);
    const char *allowed; /* what is allowed, as the end of "must be ..." */
    const char *doc;
};

extern const struct setting config_settings[];
extern const size_t config_setting_count;
