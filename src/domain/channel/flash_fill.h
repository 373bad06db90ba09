/* The placeholders of flash-call templates, and how they are filled. */
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

/* "phone_digits"; FLASH_WORD_COUNT if there is no such placeholder. */
enum flash_word flash_word_find(struct str name);

/* Which placeholders a request holds. */
struct flash_uses {
    unsigned words; /* one bit each */
    size_t count;   /* of all, with their repeats */
};

/* Adds the placeholders of `text`. False if a brace opens or closes none: then `ret_fault` names
 * it, in the arena. */
bool flash_scan(struct str text, struct arena *arena, struct flash_uses *uses,
                const char **ret_fault);

static inline bool flash_uses_word(const struct flash_uses *uses, enum flash_word word)
{
    return uses->words >> word & 1;
}

/* What stands in for each placeholder; NULL: nothing is known. */
struct flash_values {
    const char *texts[FLASH_WORD_COUNT];
};

void flash_values_init(struct flash_values *values, const struct driver_config *config,
                       const struct channel_content *content, struct arena *arena);

/* How what is filled in is escaped. */
enum flash_escape {
    FLASH_PLAIN, /* of a header: not at all; values are printable */
    FLASH_PATH,  /* the values percent-encoded, the template's own text as it is */
    FLASH_PARAM, /* of a query or a form: all of it percent-encoded */
};

/* Appends a text with its placeholders filled in. */
void flash_fill(struct buf *out, const char *text, const struct flash_values *values,
                enum flash_escape escape);
/* Appends a JSON text whose strings have their placeholders filled in. A string that is nothing but
 * {phone_int}, {code_int} or {ts} becomes a number. */
void flash_fill_json(struct buf *out, struct str json, const struct flash_values *values,
                     struct arena *arena);
