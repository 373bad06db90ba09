/* Flash-call templates have these placeholders, which are filled in. */
#pragma once

#include "domain/channel/driver.h"

enum flash_word {
    FLASH_PHONE_DIGITS,
    FLASH_PHONE_E164,
    FLASH_PHONE_INT,
    FLASH_CODE,
    FLASH_CODE_INT,
    FLASH_UUID,
    FLASH_TS,
    FLASH_KEY,
    FLASH_SERVICE_ID,
    FLASH_ID,
    FLASH_WORD_COUNT,
};

/* Finds a placeholder by its name, such as "phone_digits"; FLASH_WORD_COUNT: there is none. */
enum flash_word flash_word_find(struct str name);

/* A request holds these placeholders. */
struct flash_uses {
    unsigned words; /* one bit each */
    size_t count;   /* of all, with their repeats */
};

/* Adds the placeholders of `text`. False: a brace opens or closes none, and `ret_fault` names
 * it. */
bool flash_scan(struct str text, struct arena *arena, struct flash_uses *uses,
                const char **ret_fault);

static inline bool flash_uses_word(const struct flash_uses *uses, enum flash_word word)
{
    return uses->words >> word & 1;
}

/* This stands in for each placeholder; NULL: nothing is known. */
struct flash_values {
    const char *texts[FLASH_WORD_COUNT];
};

void flash_values_init(struct flash_values *values, const struct driver_config *config,
                       const struct channel_content *content, struct arena *arena);

/* Values are escaped by their place. */
enum flash_escape {
    FLASH_PLAIN, /* in a header they are not, since they are printable */
    FLASH_PATH,  /* in a path only the values are, percent-encoded */
    FLASH_PARAM, /* in a query or a form all of it is percent-encoded */
};

/* Appends a text with its placeholders filled in. */
void flash_fill(struct buf *out, struct str text, const struct flash_values *values,
                enum flash_escape escape);
/* Appends a JSON text whose strings have their placeholders filled in. A string that is nothing but
 * {phone_int}, {code_int} or {ts} becomes a number. */
void flash_fill_json(struct buf *out, struct str json, const struct flash_values *values,
                     struct arena *arena);
