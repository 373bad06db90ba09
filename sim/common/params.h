/* The parameters of a request, wherever they stood: in its query, a form, or a JSON object. */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { PARAMS_MAX = 48 };

/* Queries and forms know texts only. */
enum param_type {
    PARAM_ABSENT,
    PARAM_TEXT,
    PARAM_NUMBER,
    PARAM_BOOLEAN,
    PARAM_NULL,
    PARAM_NESTED, /* an object or a list */
};

struct param {
    const char *name;
    enum param_type type;
    const char *text; /* a number's digits; NULL for null and what is nested */
};

struct params {
    struct param rows[PARAMS_MAX];
    size_t count;
    bool is_malformed; /* it could not be read, or has more than PARAMS_MAX */
    bool is_json;      /* the body is well-formed JSON, of any kind */
};

/* Adds the pairs of a query or of a form. */
void params_add_query(struct params *params, struct str query, struct arena *arena);
/* Adds the properties of a JSON object; what stands deeper is looked over. */
void params_add_json(struct params *params, struct str body, struct arena *arena);

/* Never NULL: what was not sent is a row of type PARAM_ABSENT. The last of equal names counts. */
const struct param *params_find(const struct params *params, const char *name);

/* The text of a parameter of that type; NULL if it is absent or of another. */
const char *params_text(const struct params *params, const char *name);
/* A whole number, from JSON only as a number. False if it is none, or beyond [min, max]. */
bool params_integer(const struct params *params, const char *name, int64_t min, int64_t max,
                    int64_t *ret_value);
bool params_has(const struct params *params, const char *name);
